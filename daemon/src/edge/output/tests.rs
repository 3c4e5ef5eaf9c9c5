//! Paths, groups and counts as text, and the JSON lines beside them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use simdex_index::FileInfo;
use simdex_proto::completeness::{Completeness, Pending};
use simdex_schema::file::FileOutcome;
use simdex_schema::{
    ContentHash, ContentRecord, DocId, DocumentHash, FileKey, FileRecord, FileStat, GroupId,
    Reason, RootId, State, StoredReason,
};

use super::*;
use crate::read_side::catalogue::{Group, GroupMember, ListCounts, Pair};
use crate::read_side::lists::ListSummary;
use crate::read_side::query::Relation;

fn file(path: &[u8], state: State, document: u8) -> FileInfo {
    let content = ContentHash([document; 32]);
    FileInfo {
        path: PathBuf::from(OsString::from_vec(path.to_vec())),
        key: FileKey {
            root: RootId(1),
            path: path[1..].to_vec(),
        },
        record: FileRecord {
            last_read: Some(1_700_000_000),
            ..FileRecord::new(
                FileStat {
                    length: 1_200,
                    ..FileStat::default()
                },
                FileOutcome::Content(content),
            )
        },
        content: Some(ContentRecord {
            state,
            reason: StoredReason::None,
            document: Some(DocId(1)),
            media_type: "text/plain".into(),
            parser: "plain".into(),
            extractor: 1,
            strikes: 0,
            bytes: 1_200,
            warnings: Vec::new(),
            facts: vec![("charset".into(), "koi8-r".into())],
            reader: None,
        }),
        state,
        reason: StoredReason::None,
        document: Some((DocId(1), DocumentHash([document; 32]))),
        chars: Some(1_100),
        group: Some(GroupId(7)),
    }
}

fn member(path: &[u8], relation: Relation, ratios: [f64; 3]) -> GroupMember {
    let [resemblance, containment_of_member, containment_of_principal] = ratios;
    GroupMember {
        file: file(path, State::Indexed, 0xab),
        document: DocumentHash([0xab; 32]),
        relation,
        resemblance,
        containment_of_member,
        containment_of_principal,
    }
}

fn group() -> Group {
    let members = vec![
        member(b"/s/a.txt", Relation::IdenticalBytes, [1.0; 3]),
        member(b"/s/b\x1b[31m.txt", Relation::IdenticalText, [1.0; 3]),
        member(
            b"/s/c\xff.txt",
            Relation::NearDuplicate,
            [0.9996, 1.0, 0.9996],
        ),
    ];
    Group {
        is_continued: false,
        id: GroupId(7),
        members,
    }
}

#[test]
fn a_group_for_people_escapes_names_and_never_rounds_up_to_all() {
    let expected = "\
group 1: 3 files
  principal                                /s/a.txt
  identical-text                           /s/b\\u{1b}[31m.txt
  near-duplicate  99.9 %  100.0 %   99.9 %  /s/c\\xff.txt

";
    assert_eq!(group_text(1, &group()), expected);
}

#[test]
fn a_group_line_is_the_contract() {
    let ab = "ab".repeat(32);
    let expected = format!(
        "{{\"type\":\"group\",\"v\":1,\"id\":7,\"kind\":\"star\",\"principal\":\"/s/a.txt\",\"members\":[\
         {{\"path\":\"/s/a.txt\",\"document\":\"{ab}\",\"relation\":\"identical-bytes\",\"resemblance\":1.0,\
         \"containment_of_member\":1.0,\"containment_of_principal\":1.0}},\
         {{\"path\":\"/s/b\\u001b[31m.txt\",\"document\":\"{ab}\",\"relation\":\"identical-text\",\"resemblance\":1.0,\
         \"containment_of_member\":1.0,\"containment_of_principal\":1.0}},\
         {{\"path\":\"/s/c\u{fffd}.txt\",\"path_bytes\":\"L3MvY/8udHh0\",\"document\":\"{ab}\",\
         \"relation\":\"near-duplicate\",\"resemblance\":0.9996,\
         \"containment_of_member\":1.0,\"containment_of_principal\":0.9996}}]}}"
    );
    assert_eq!(group_line(&group()), expected);
}

#[test]
fn a_file_line_says_null_for_what_there_is_not() {
    let mut empty = file(b"/s/empty", State::NoText, 1);
    empty.document = None;
    empty.chars = None;
    empty.group = None;
    empty.reason = Reason::EmptyFile.into();
    let expected = format!(
        "{{\"type\":\"file\",\"v\":1,\"path\":\"/s/empty\",\"state\":\"no-text\",\"reason\":\"empty-file\",\
         \"document\":null,\"content\":\"{}\",\"media_type\":\"text/plain\",\"bytes\":1200,\"chars\":null,\"engine\":\"plain\",\"extractor\":1,\
         \"warnings\":[],\"facts\":{{\"charset\":\"koi8-r\"}},\"container\":null,\"role\":null,\
         \"ordinal\":null,\"last_read\":\"2023-11-14T22:13:20Z\",\
         \"modified\":\"1970-01-01T00:00:00Z\",\"group\":null,\"owner\":null}}",
        "01".repeat(32)
    );
    assert_eq!(file_line(&empty), expected);
}

#[test]
#[expect(clippy::too_many_lines, reason = "golden lines")]
fn pair_and_summary_lines_are_the_contract() {
    let pair = Pair {
        a: file(b"/s/a", State::Indexed, 1),
        b: file(b"/s/b", State::Indexed, 2),
        documents: (DocumentHash([1; 32]), DocumentHash([2; 32])),
        relation: Relation::NearDuplicate,
        resemblance: 0.875,
        containment_of_a: 0.9,
        containment_of_b: 0.95,
    };
    let expected = format!(
        "{{\"type\":\"pair\",\"v\":1,\"a\":\"/s/a\",\"b\":\"/s/b\",\"document_a\":\"{}\",\"document_b\":\"{}\",\
         \"relation\":\"near-duplicate\",\"resemblance\":0.875,\"containment_of_a\":0.9,\
         \"containment_of_b\":0.95,\"verified\":true}}",
        "01".repeat(32),
        "02".repeat(32)
    );
    assert_eq!(pair_line(&pair), expected);
    let states = [("indexed".to_owned(), 2), ("no-text".to_owned(), 1)].into();
    let summary = ListSummary {
        counts: ListCounts {
            files_on_disk: 3,
            container_members: 501,
            states,
            member_states: [("indexed".to_owned(), 1), ("unreadable".to_owned(), 500)].into(),
            documents: 2,
        },
        groups: Some(1),
        pairs: Some(1),
        seconds: 0.5,
        completeness: Completeness::from(Pending::default()),
        ..ListSummary::default()
    };
    assert_eq!(
        summary_line(&summary),
        "{\"type\":\"summary\",\"v\":1,\"files_on_disk\":3,\"members\":501,\
         \"states\":{\"indexed\":2,\"no-text\":1},\
         \"member_states\":{\"indexed\":1,\"unreadable\":500},\"documents\":2,\"groups\":1,\"pairs\":1,\
         \"suppressed\":0,\"seconds\":0.5,\"complete\":true}"
    );
    let pending = Pending {
        queued: 5,
        damaged: 1,
        ..Pending::default()
    };
    let incomplete = ListSummary {
        completeness: pending.into(),
        ..summary.clone()
    };
    let line = summary_line(&incomplete);
    assert!(
        line.ends_with(
            "\"complete\":false,\"pending\":{\"queued\":5,\"retrying\":0,\"unsettled\":0,\"crowded\":0,\"stale_roots\":0,\
             \"held_losses\":0,\"unreadable\":0,\"damaged\":1,\"moved\":0}}"
        ),
        "{line}"
    );
    let text = "3 files on disk\n         2  indexed\n         1  no-text\n\
                501 files inside containers\n       500  unreadable\n         1  indexed\n\
                2 documents, 1 group, 1 pair, 0.5 s\n";
    assert_eq!(summary_text(&summary), text);
    let uncounted = ListSummary {
        groups: None,
        ..summary
    };
    assert!(!summary_line(&uncounted).contains("groups"));
    assert!(summary_text(&uncounted).ends_with("2 documents, 1 pair, 0.5 s\n"));
}

#[test]
fn a_file_that_was_not_read_is_named_with_the_reason() {
    let mut locked = file(b"/s/b\x1b.pdf", State::Encrypted, 1);
    locked.reason = Reason::PasswordNeeded.into();
    assert_eq!(
        unread_text(&locked),
        "  encrypted (password-needed)              /s/b\\u{1b}.pdf\n"
    );
    let listed = |state, reason: Option<Reason>| {
        let mut file = file(b"/s/a", state, 1);
        file.reason = reason.into();
        crate::base::unread::is_unread(&file)
    };
    for (state, reason) in [
        (State::Indexed, None),
        (State::IdenticalText, None),
        (State::TooShort, None),
        (State::Container, None),
        (State::NoText, Some(Reason::EmptyFile)),
    ] {
        assert!(!listed(state, reason), "{state:?}");
    }
    for (state, reason) in [
        (State::Partial, Some(Reason::PagesFailed)),
        (State::Container, Some(Reason::PartsLimit)),
        (State::NoText, Some(Reason::NeedsOcr)),
        (State::Unreadable, Some(Reason::PermissionDenied)),
        (State::Skipped, Some(Reason::Symlink)),
        (State::Unsupported, Some(Reason::Binary)),
        (State::Quarantined, Some(Reason::Malformed)),
    ] {
        assert!(listed(state, reason), "{state:?}");
    }
}
