//! Records of files, of every format.

use super::*;
use crate::Reason;

fn key(path: &[u8]) -> FileKey {
    FileKey {
        root: RootId(1),
        path: path.to_vec(),
    }
}

#[test]
fn a_member_is_named_by_its_container_and_leads_back_to_it() {
    let mail = key(b"a/mail.eml");
    let inner = mail.member(b"x/in\0ner.zip").member(b"offer.docx");
    assert_eq!(inner.shown(), b"a/mail.eml!/x/inner.zip!/offer.docx");
    assert_eq!(inner.container(), Some(mail.member(b"x/inner.zip")));
    assert_eq!(inner.on_disk(), mail);
    assert!(inner.is_member() && !mail.is_member() && mail.container().is_none());
}

#[test]
fn a_record_of_format_1_is_no_member() {
    let record = FileRecord {
        stat: FileStat::default(),
        racy: false,
        outcome: FileOutcome::Content(ContentHash([9; 32])),
        member: None,
        last_read: None,
        rendered_from: None,
    };
    let new = record.encode();
    assert_eq!(FileRecord::decode(&new[..new.len() - 2]), Ok(record));
}

#[test]
fn a_record_of_format_2_does_not_tell_when_it_was_read() {
    let record = FileRecord {
        stat: FileStat::default(),
        racy: false,
        outcome: FileOutcome::Content(ContentHash([9; 32])),
        member: Some(MemberPlace {
            role: Role::Entry,
            ordinal: 3,
        }),
        last_read: None,
        rendered_from: None,
    };
    let new = record.encode();
    assert_eq!(FileRecord::decode(&new[..new.len() - 1]), Ok(record));
}

#[test]
fn a_rendered_page_of_format_4_has_its_digest_in_place_of_the_inode() {
    let place = MemberPlace {
        role: Role::Rendered,
        ordinal: 0,
    };
    let record = FileRecord {
        member: Some(place),
        rendered_from: Some(0xff00_0000_0000_0001),
        ..FileRecord::new(
            FileStat::default(),
            FileOutcome::Content(ContentHash([9; 32])),
        )
    };
    assert_eq!(FileRecord::decode(&record.encode()), Ok(record.clone()));
    let mut old = record.clone();
    (old.stat.inode, old.rendered_from) = (0xff00_0000_0000_0001, None);
    assert_eq!(FileRecord::decode(&old.encode()), Ok(record));
}

#[test]
fn a_record_of_format_5_has_no_owner() {
    let stat = FileStat {
        inode: 300,
        owner: Some(u32::MAX),
        ..FileStat::default()
    };
    let record = FileRecord::new(stat, FileOutcome::Content(ContentHash([9; 32])));
    let new = record.encode();
    assert_eq!(FileRecord::decode(&new), Ok(record.clone()));
    let mut old = record;
    old.stat.owner = None;
    assert_eq!(FileRecord::decode(&new[..new.len() - 5]), Ok(old.clone()));
    assert_eq!(old.encode(), new[..new.len() - 5]);
    let too_great = [&new[..new.len() - 5], &[0xff, 0xff, 0xff, 0xff, 0x1f]].concat();
    assert!(FileRecord::decode(&too_great).is_err());
}

#[test]
fn another_reading_of_the_same_is_the_same_but_for_its_time() {
    let record = FileRecord {
        stat: FileStat::default(),
        racy: false,
        outcome: FileOutcome::Content(ContentHash([9; 32])),
        member: None,
        last_read: Some(1),
        rendered_from: None,
    };
    let later = FileRecord {
        last_read: Some(2),
        ..record.clone()
    };
    assert!(record.is_same_reading(&later) && record != later);
    let other = FileRecord {
        racy: true,
        ..record.clone()
    };
    assert!(!record.is_same_reading(&other));
}

#[test]
fn both_outcomes_round_trip() {
    let stat = FileStat {
        inode: 7,
        device: 1 << 40,
        length: 5 << 30,
        mtime: Timestamp {
            seconds: -3,
            nanos: 999_999_999,
        },
        ctime: Timestamp {
            seconds: 16_000_000_000,
            nanos: 0,
        },
        owner: None,
    };
    for outcome in [
        FileOutcome::Content(ContentHash([9; 32])),
        FileOutcome::Unread(State::Unreadable, Reason::PermissionDenied.into()),
    ] {
        let record = FileRecord {
            stat,
            racy: true,
            outcome,
            member: Some(MemberPlace {
                role: Role::Attachment,
                ordinal: 300,
            }),
            last_read: Some(-1),
            rendered_from: None,
        };
        assert_eq!(FileRecord::decode(&record.encode()), Ok(record));
    }
}
