//! Mailboxes of several programs.

use std::os::unix::fs::FileExt;

use simdex_extract::Budgets;

use super::*;
use crate::input::input_of;
use crate::sink::collected::Collected;

fn messages_within(mailbox: &[u8], budgets: Budgets) -> (Reading, Vec<Collected>) {
    let (mut sink, members) = Sink::collecting(0, budgets);
    let reading = read(&input_of(mailbox), &mut sink);
    (reading, members.take())
}

fn messages(mailbox: &str) -> Vec<(String, String)> {
    let (reading, members) = messages_within(mailbox.as_bytes(), Budgets::default());
    assert_eq!(reading, Ok(None));
    assert!(
        members
            .iter()
            .all(|member| member.role == Role::Message && member.cut.is_none())
    );
    members
        .into_iter()
        .map(|member| (member.name, String::from_utf8(member.bytes).unwrap()))
        .collect()
}

const FROM: &str = "From a@b.c Sat Nov 21 09:00:00 2026\n";

#[test]
fn each_message_is_a_member_named_by_its_subject() {
    let mailbox = format!(
        "{FROM}Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe=3A?= a/b\nDate: Thu, 1 Jan 1970 00:01:00 +0000\nContent-Length: 9999\n\none\n\n\
         From - Sun Nov 22 2026\nFrom: x@y.z\n\ntwo\n"
    );
    let want = [
        (
            "0001 Grüße a b.eml",
            "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe=3A?= a/b\nDate: Thu, 1 Jan 1970 00:01:00 +0000\n\
          Content-Length: 9999\n\none\n\n",
        ),
        ("0002 message.eml", "From: x@y.z\n\ntwo\n"),
    ];
    assert_eq!(
        messages(&mailbox),
        want.map(|(name, bytes)| (name.to_owned(), bytes.to_owned()))
    );
    assert_eq!(
        messages_within(mailbox.as_bytes(), Budgets::default()).1[0].modified,
        Some(60)
    );
}

#[test]
fn lines_that_begin_like_a_separator_belong_to_the_message() {
    let mailbox = format!(
        "{FROM}Subject: s\n\nFrom here on\n\nFrom the start\n>From a\n>>From b\n> From c\nFrom a@b.c Sat Nov 21 09:00:00 2026\n"
    );
    let body = "Subject: s\n\nFrom here on\n\nFrom the start\nFrom a\n>From b\n> From c\nFrom a@b.c Sat Nov 21 09:00:00 2026\n";
    assert_eq!(
        messages(&mailbox),
        [("0001 s.eml".to_owned(), body.to_owned())]
    );
}

#[test]
fn a_long_line_is_passed_on_in_pieces() {
    let body = "x".repeat(3 * MAX_LINE as usize) + "\n\n";
    let mailbox =
        format!("{FROM}Subject: s\n\n{body}{FROM}Subject: t\n\ny\r\n\r\n{FROM}\r\nSubject: u");
    let messages = messages(&mailbox);
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[0].1, format!("Subject: s\n\n{body}"));
}

#[test]
fn a_message_beyond_the_limit_is_cut_and_the_next_is_read() {
    let budgets = Budgets {
        entry_bytes: 100,
        ..Budgets::default()
    };
    let mailbox = format!(
        "{FROM}Subject: s\n\n{}\n\n{FROM}Subject: t\n\nbody",
        "long line\n".repeat(1000)
    );
    let (reading, members) = messages_within(mailbox.as_bytes(), budgets);
    assert_eq!(reading, Ok(Some(Reason::InflateLimit)));
    assert_eq!(
        (members[0].bytes.len(), members[0].cut),
        (100, Some(Reason::InflateLimit))
    );
    assert_eq!(members[1].bytes, b"Subject: t\n\nbody");
}

#[test]
fn a_mailbox_of_10_gib_is_streamed() {
    // A tenth where the code is not optimised.
    const LENGTH: u64 = if cfg!(debug_assertions) {
        1 << 30
    } else {
        10 << 30
    };
    let file = tempfile::tempfile().unwrap();
    let first = format!("{FROM}Subject: s\n\nx\n\n{FROM}Subject: hole\n\n");
    let last = format!("\n\n{FROM}Subject: t\n\nbody");
    file.write_all_at(first.as_bytes(), 0).unwrap();
    file.write_all_at(last.as_bytes(), LENGTH - last.len() as u64)
        .unwrap();
    let budgets = Budgets {
        entry_bytes: 1 << 20,
        total_bytes: u64::MAX,
        ..Budgets::default()
    };
    let (mut sink, members) = Sink::collecting(0, budgets);
    let reading = read(&Input::new(file, LENGTH), &mut sink);
    assert_eq!(reading, Ok(Some(Reason::InflateLimit)));
    let members = members.take();
    let lengths: Vec<usize> = members.iter().map(|member| member.bytes.len()).collect();
    assert_eq!(lengths, [15, 1 << 20, 16]);
    assert_eq!(members[2].bytes, b"Subject: t\n\nbody");
}

#[test]
fn messages_beyond_the_limits_are_partial() {
    let mailbox = format!("{FROM}Subject: s\n\nx\n\n").repeat(5);
    let few = Budgets {
        entries: 3,
        ..Budgets::default()
    };
    let (reading, members) = messages_within(mailbox.as_bytes(), few);
    assert_eq!((reading, members.len()), (Ok(Some(Reason::PartsLimit)), 3));
    let small = Budgets {
        total_bytes: 100,
        ..Budgets::default()
    };
    assert_eq!(
        messages_within(mailbox.as_bytes(), small).0,
        Ok(Some(Reason::InflateLimit))
    );
}

#[test]
fn separators_are_as_short_as_programs_make_them() {
    let mailbox = "\u{feff}From -\nSubject: s\n\nx\nFrom 18@x\nSubject: t\n\ny\n\nFrom a@b.c Mon Jun 01 10:00:00 2009\n\nz\n";
    let bodies: Vec<_> = messages(mailbox)
        .into_iter()
        .map(|(_, body)| body)
        .collect();
    assert_eq!(
        bodies,
        ["Subject: s\n\nx\n", "Subject: t\n\ny\n\n", "\nz\n"]
    );
}

#[test]
fn no_message_at_all_is_malformed() {
    assert_eq!(
        messages_within(b"no mailbox", Budgets::default()).0,
        Err(Outcome::Failed(Reason::Malformed))
    );
}
