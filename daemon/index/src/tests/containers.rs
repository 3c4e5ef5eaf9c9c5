//! Files inside files: they appear with their container and disappear with it.

use std::ops::ControlFlow;

use simdex_schema::file::FileOutcome;
use simdex_schema::{ContentHash, FileKey, FileRecord, MemberPlace, Reason, Role, State};

use super::bed::{Bed, account, content, file, put, seen_file};
use crate::change::Delta;
use crate::{FileChange, SeenFile, VisibleRoots};

/// The bytes of a mail are those of none of its members.
const MAIL: &str = "a mail about the offer with which the letter was sent, and nothing besides";
const LETTER: &str = "a letter that is long enough to be a document of its own in every test here";
const OFFER: &str = "an offer that stands in an attachment and is as long as a document has to be";

/// The change of `put`, as a member of `container`, number `ordinal`.
fn member(bed: &Bed, container: &FileKey, name: &str, text: &str, ordinal: u32) -> SeenFile {
    let mut seen = seen(bed, "a/x", text);
    seen.key = container.member(name.as_bytes());
    seen.record.member = Some(MemberPlace {
        role: Role::Attachment,
        ordinal,
    });
    seen
}

fn seen(bed: &Bed, path: &str, text: &str) -> SeenFile {
    seen_file(put(bed.index(), path, text, 0))
}

/// A mail with these attachments.
fn put_mail(bed: &Bed, path: &str, text: &str, attachments: &[(&str, &str)]) -> usize {
    let mail = seen(bed, path, text);
    let members = attachments.iter().zip(0..);
    let members = members
        .map(|((name, text), ordinal)| member(bed, &mail.key, name, text, ordinal))
        .collect();
    let change = FileChange::container(mail, members);
    bed.index()
        .writer
        .apply(&[change])
        .unwrap()
        .unknown_content
        .len()
}

/// Paths of all files and members, in the order they are listed.
fn listed(bed: &Bed) -> Vec<String> {
    let mut paths = Vec::new();
    bed.reader()
        .files()
        .visit(&VisibleRoots::All, &account(bed.index()), &mut |file| {
            paths.push(file.path.display().to_string());
            ControlFlow::Continue(())
        })
        .unwrap();
    paths
}

#[test]
fn members_stand_behind_what_holds_them_and_are_no_files_on_disk() {
    let bed = Bed::memory();
    put_mail(
        &bed,
        "a/m.eml",
        LETTER,
        &[("offer.docx", OFFER), ("z", LETTER)],
    );
    bed.put("a/m.eml-2", OFFER);
    assert_eq!(
        listed(&bed),
        [
            "/data/a/m.eml",
            "/data/a/m.eml!/offer.docx",
            "/data/a/m.eml!/z",
            "/data/a/m.eml-2"
        ]
    );
    let mut on_disk = 0;
    let root = file("a/m.eml").root;
    bed.index()
        .registry()
        .files(root, &mut |_, _| on_disk += 1)
        .unwrap();
    assert_eq!(on_disk, 2);
    let carriers = bed
        .reader()
        .files()
        .of_document(bed.id(OFFER).unwrap(), &VisibleRoots::All);
    assert_eq!(carriers.unwrap().len(), 2, "the attachment and the copy");
}

#[test]
fn members_go_with_their_container_or_when_it_holds_others() {
    let bed = Bed::memory();
    put_mail(&bed, "a/m.eml", LETTER, &[("one", OFFER), ("two", LETTER)]);
    put_mail(&bed, "a/m.eml", LETTER, &[("two", LETTER)]);
    assert_eq!(listed(&bed), ["/data/a/m.eml", "/data/a/m.eml!/two"]);
    assert!(
        bed.reader()
            .files()
            .of_document(bed.id(OFFER).unwrap(), &VisibleRoots::All)
            .unwrap()
            .is_empty()
    );
    bed.put("a/m.eml", OFFER);
    assert_eq!(
        listed(&bed),
        ["/data/a/m.eml"],
        "other bytes, no members told of"
    );
    put_mail(&bed, "a/m.eml", LETTER, &[("one", OFFER)]);
    bed.remove("a/m.eml");
    assert!(listed(&bed).is_empty());
}

#[test]
fn a_container_seen_again_with_the_same_bytes_keeps_its_members() {
    let bed = Bed::memory();
    put_mail(&bed, "a/m.eml", LETTER, &[("one", OFFER)]);
    bed.put("a/m.eml", LETTER);
    assert_eq!(listed(&bed), ["/data/a/m.eml", "/data/a/m.eml!/one"]);
}

#[test]
fn a_container_whose_member_is_not_known_is_read_again() {
    let bed = Bed::memory();
    let mail = seen(&bed, "a/m.eml", LETTER);
    let mut lost = member(&bed, &mail.key, "one", OFFER, 0);
    lost.content = None;
    let change = FileChange::container(mail, vec![lost]);
    let applied = bed.index().writer.apply(&[change]).unwrap();
    assert_eq!(applied.unknown_content, [file("a/m.eml")]);
    let container = bed.index().registry().file(&file("a/m.eml")).unwrap();
    assert_eq!(container.unwrap().content(), None, "a look finds it unread");
}

#[test]
fn members_never_stay_without_the_file_that_holds_them() {
    let purge = |seen: &mut SeenFile| {
        seen.content = None;
        seen.record.outcome = FileOutcome::Content(ContentHash([9; 32]));
    };
    // The content of a member was purged meanwhile, or that of the file itself.
    for purged in ["a member", "the file"] {
        let bed = Bed::memory();
        let mut mail = seen(&bed, "a/m.eml", LETTER);
        let known = member(&bed, &mail.key, "one", OFFER, 0);
        let mut other = member(&bed, &mail.key, "two", LETTER, 1);
        match purged {
            "a member" => purge(&mut other),
            _ => purge(&mut mail),
        }
        let change = FileChange::container(mail, vec![known, other]);
        let applied = bed.index().writer.apply(&[change]).unwrap();
        assert_eq!(applied.unknown_content, [file("a/m.eml")], "{purged}");
        let container = bed.index().registry().file(&file("a/m.eml")).unwrap();
        assert_eq!(container.expect(purged).content(), None, "it is unread");
        // It is gone before it is read again: a walk still finds it on record, and a look removes it.
        let (mut keys, from) = (Vec::new(), file("a/a"));
        let visited = bed.index().registry().keys_from(&from, &mut |key| {
            keys.push(key);
            ControlFlow::Continue(())
        });
        visited.unwrap();
        assert_eq!(keys, [file("a/m.eml")], "{purged}");
        assert!(
            bed.index()
                .registry()
                .has_members(&file("a/m.eml"))
                .unwrap()
        );
        bed.remove("a/m.eml");
        assert!(listed(&bed).is_empty());
        assert!(
            !bed.index()
                .registry()
                .has_members(&file("a/m.eml"))
                .unwrap()
        );
    }
}

/// A mailbox of this many different messages, modified by `change`.
fn mailbox_with(bed: &Bed, messages: u32, change: impl FnOnce(&mut [SeenFile])) -> FileChange {
    let file = seen(bed, "a/box.mbox", LETTER);
    let message = |at: u32| {
        member(
            bed,
            &file.key,
            &at.to_string(),
            &format!("{OFFER} {at}"),
            at,
        )
    };
    let mut members: Vec<SeenFile> = (0..messages).map(message).collect();
    change(&mut members);
    FileChange::container(file, members)
}

fn mailbox(bed: &Bed, messages: u32) -> FileChange {
    mailbox_with(bed, messages, |_| {})
}

/// State and reason of the mailbox.
fn state(bed: &Bed) -> Option<String> {
    let record = bed.index().registry().file(&file("a/box.mbox")).unwrap()?;
    Some(match &record.outcome {
        FileOutcome::Unread(state, reason) => format!("{state:?} {}", reason.as_str()),
        other => format!("{other:?}"),
    })
}

#[test]
fn a_great_container_in_parts_ends_as_in_one_and_is_unread_until_then() {
    let (whole, bed) = (Bed::memory(), Bed::memory());
    whole.index().writer.apply(&[mailbox(&whole, 300)]).unwrap();
    bed.index().writer.apply(&[mailbox(&bed, 301)]).unwrap();
    let mut parts = mailbox(&bed, 300).parts();
    assert_eq!(parts.len(), 300_usize.div_ceil(64) + 1);
    let last = parts.pop_back().unwrap();
    for part in parts {
        let applied = bed.index().writer.apply(&[part]).unwrap();
        assert!(applied.unknown_content.is_empty());
        assert!(state(&bed).unwrap().contains("unpacking"));
        bed.put("a/other", OFFER);
        bed.remove("a/other");
    }
    assert_eq!(
        listed(&bed).len(),
        302,
        "the old ones are there until the end"
    );
    bed.index().writer.apply(&[last]).unwrap();
    assert_eq!(listed(&bed), listed(&whole));
    assert_eq!(state(&bed), state(&whole));
}

#[test]
fn what_is_recorded_in_part_and_cannot_be_read_any_more_leaves_nothing_behind() {
    let bed = Bed::memory();
    let first = mailbox(&bed, 300).parts().pop_front().unwrap();
    bed.index().writer.apply(&[first]).unwrap();
    assert!(listed(&bed).len() > 1);
    let unread = SeenFile::without_content(
        file("a/box.mbox"),
        FileRecord {
            outcome: FileOutcome::Unread(State::Unreadable, Reason::IoError.into()),
            ..seen(&bed, "a/box.mbox", LETTER).record
        },
    );
    bed.index()
        .writer
        .apply(&[FileChange::file(unread)])
        .unwrap();
    assert_eq!(listed(&bed), ["/data/a/box.mbox"]);
}

#[test]
fn many_great_changes_are_several_batches_and_all_are_there() {
    let (bed, mut changes) = (Bed::memory(), Vec::new());
    for at in 0..6 {
        let Delta::Container { mut file, members } = mailbox(&bed, 1_000).0 else {
            unreachable!("a mailbox is a container");
        };
        file.key.path.push(b'0' + at);
        let renamed = |mut member: SeenFile| {
            let name = member.key.name().to_vec();
            member.key = file.key.member(&name);
            member
        };
        let members = members.into_iter().map(renamed).collect();
        changes.push(FileChange::container(file, members));
    }
    let files = changes.iter().filter_map(FileChange::recorded);
    let keys: Vec<FileKey> = files.map(|file| file.key.clone()).collect();
    let applied = bed.index().writer.apply(&changes).unwrap();
    assert_eq!(
        (applied.new_documents, listed(&bed).len()),
        (1_001, 6 * 1_001)
    );
    let removals: Vec<_> = keys.into_iter().map(FileChange::removal).collect();
    bed.index().writer.apply(&removals).unwrap();
    assert!(listed(&bed).is_empty());
}

#[test]
fn a_part_whose_content_was_purged_has_its_container_read_again() {
    let bed = Bed::memory();
    let parts = mailbox_with(&bed, 100, |members| members[70].content = None).parts();
    let unknown = parts
        .into_iter()
        .map(|part| bed.index().writer.apply(&[part]).unwrap().unknown_content);
    let unknown: Vec<usize> = unknown.map(|files| files.len()).collect();
    assert_eq!(
        unknown,
        [0, 1, 0],
        "the second part tells; nobody applies the third"
    );
}

#[test]
fn small_containers_and_other_changes_are_one_step() {
    let bed = Bed::memory();
    assert_eq!(mailbox(&bed, 64).parts().len(), 1);
    assert_eq!(FileChange::removal(file("a/x")).parts().len(), 1);
    let long = mailbox_with(&bed, 3, |members| {
        for member in members {
            let new = member.content.as_mut();
            new.unwrap().document.as_mut().unwrap().text = Some("x".repeat(1 << 20));
        }
    });
    assert_eq!(long.parts().len(), 4, "texts are long");
}

#[test]
fn a_content_finds_its_holder_and_a_member_its_container() {
    let bed = Bed::memory();
    put_mail(&bed, "a/m.eml", LETTER, &[("dir/offer.docx", OFFER)]);
    let key = file("a/m.eml").member(b"dir/offer.docx");
    assert_eq!(
        bed.index()
            .registry()
            .file_of_content(content(OFFER, 0))
            .unwrap(),
        Some(key.clone())
    );
    let view = bed
        .reader()
        .files()
        .get(&key, &VisibleRoots::All)
        .unwrap()
        .unwrap();
    assert_eq!(
        view.path.display().to_string(),
        "/data/a/m.eml!/dir/offer.docx"
    );
    assert_eq!(
        view.container().unwrap().display().to_string(),
        "/data/a/m.eml"
    );
    assert_eq!(
        bed.index()
            .registry()
            .members(&file("a/m.eml"))
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_content_that_is_read_again_wakes_the_containers_that_hold_it_and_no_others() {
    let bed = Bed::memory();
    let mails: Vec<String> = (0..20).map(|at| format!("a/{at}.eml")).collect();
    for path in &mails[1..] {
        put_mail(&bed, path, LETTER, &[("letter", LETTER)]);
    }
    put_mail(&bed, &mails[0], LETTER, &[("offer", OFFER)]);
    let (registry, hash) = (bed.index().registry(), content(LETTER, 0));
    let seen_at = registry.unchanged_version();
    for path in &mails {
        registry.note_container_known_unchanged(&file(path), hash, seen_at);
    }
    let awake = || {
        let files = mails.iter().map(|path| file(path));
        let resting = files.filter(|file| registry.is_container_known_unchanged(file, hash));
        mails.len() - resting.count()
    };
    assert_eq!(awake(), 0);
    // The bytes of the offer are read once more, at another path.
    bed.put("b/offer", OFFER);
    assert_eq!(awake(), 1, "what a walk looks up");
    bed.put("b/letter", LETTER);
    assert_eq!(awake(), 20);
}

/// Paths of the files that changed, with a plus if they are on record and a minus if they are gone.
fn changed(bed: &Bed, change: FileChange) -> (Vec<String>, u64) {
    let applied = bed.index().writer.apply(&[change]).unwrap();
    let name = |changed: &crate::ChangedFile| {
        let path = simdex_schema::path::to_shown(&changed.key.path);
        let sign = if changed.is_recorded { '+' } else { '-' };
        format!("{sign}{}", String::from_utf8(path).unwrap())
    };
    let names = applied.changed.iter().map(name).collect();
    (names, applied.changed_besides)
}

#[test]
fn members_are_named_as_changed_with_their_container_and_what_is_the_same_is_not() {
    let bed = Bed::memory();
    let mail = |texts: &[&str]| {
        let mail = seen(&bed, "a/m.eml", MAIL);
        let members = texts.iter().zip(0..);
        let members = members.map(|(text, at)| member(&bed, &mail.key, &at.to_string(), text, at));
        let members = members.collect();
        FileChange::container(mail, members)
    };
    let names = |names: &[&str]| (names.iter().map(ToString::to_string).collect::<Vec<_>>(), 0);
    let all = ["+m.eml!/0", "+m.eml!/1", "+m.eml"];
    assert_eq!(changed(&bed, mail(&[OFFER, LETTER])), names(&all));
    // The same bytes, seen again at another time.
    let mut again = seen(&bed, "a/m.eml", MAIL);
    again.content = None;
    again.record.racy = !again.record.racy;
    assert_eq!(changed(&bed, FileChange::file(again)), names(&[]));
    // Bytes that were read again, as those of a file that cannot be read are, with the same result and with another.
    let read_again = |state: State| {
        let mut again = seen(&bed, "a/m.eml", MAIL);
        let content = again.content.as_mut().unwrap();
        content.record.state = state;
        content.record.strikes += 1;
        FileChange::file(again)
    };
    assert_eq!(changed(&bed, read_again(State::Indexed)), names(&[]));
    assert_eq!(
        changed(&bed, read_again(State::Partial)),
        names(&["+m.eml"])
    );
    let removal = FileChange::removal(file("a/m.eml"));
    let all = ["-m.eml!/0", "-m.eml!/1", "-m.eml"];
    assert_eq!(changed(&bed, removal), names(&all));
}

/// Whether the others are read again as well, in the same batch or later, is not known.
#[test]
fn all_files_of_bytes_that_are_read_with_another_result_are_named_as_changed() {
    let bed = Bed::memory();
    for name in ["a/one", "a/two"] {
        bed.put(name, LETTER);
    }
    let read_again = |name: &str| {
        let mut again = seen(&bed, name, LETTER);
        let content = again.content.as_mut().unwrap();
        content.record.state = State::Partial;
        FileChange::file(again)
    };
    let (mut names, besides) = changed(&bed, read_again("a/one"));
    names.sort();
    assert_eq!(
        (names, besides),
        (vec!["+one".to_owned(), "+two".to_owned()], 0)
    );
    assert_eq!(changed(&bed, read_again("a/two")), (Vec::new(), 0));
}

#[test]
fn no_more_changed_files_are_named_than_there_is_room_for() {
    let bed = Bed::memory();
    let mail = seen(&bed, "a/m.eml", LETTER);
    let most = crate::MAX_CHANGED as u32;
    let members = (0..most).map(|at| member(&bed, &mail.key, &at.to_string(), OFFER, at));
    let members = members.collect();
    let (names, besides) = changed(&bed, FileChange::container(mail, members));
    assert_eq!((names.len(), besides), (crate::MAX_CHANGED, 1));
}

#[test]
fn bytes_in_more_files_than_are_named_have_the_others_counted() {
    let bed = Bed::memory();
    for at in 0..crate::MAX_CHANGED + 5 {
        bed.put(&format!("a/{at}"), LETTER);
    }
    let mut again = seen(&bed, "a/0", LETTER);
    again.content.as_mut().unwrap().record.state = State::Partial;
    let (names, besides) = changed(&bed, FileChange::file(again));
    assert_eq!((names.len(), besides), (crate::MAX_CHANGED, 5));
}
