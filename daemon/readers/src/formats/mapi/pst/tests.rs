//! Mailboxes written in each layout and with each cipher.

mod build;

use super::super::super::eml;
use super::*;
use crate::input::input_of;
use crate::sink::collected::Collected;
use build::{Build, Value};
use cipher::Cipher;
use layout::Layout;
use simdex_extract::Budgets;

const LAYOUTS: [Layout; 3] = [Layout::Narrow, Layout::Wide, Layout::Large];
const CIPHERS: [Cipher; 3] = [Cipher::None, Cipher::Permute, Cipher::Cyclic];

const INBOX: u32 = 0x8022;
const INNER: u32 = 0x8042;
const RECIPIENTS: u32 = 0x692;

fn folder(build: &mut Build, node: u32, parent: u32, name: &str) {
    let (data, subnodes) = build.bag(&[(0x3001, Value::Wide(name))]);
    build.node(node, data, subnodes, parent);
}

fn message(build: &mut Build, node: u32, parent: u32, subject: &str, body: &str) {
    let recipients = build.table(&[(1, "Ann", "a@b.org"), (2, "Bob", "b@b.org")]);
    let properties = [(0x0037, Value::Wide(subject)), (0x1000, Value::Wide(body))];
    let (data, subnodes) = build.bag_with(&properties, &[(RECIPIENTS, recipients, 0)]);
    build.node(node, data, subnodes, parent);
}

/// A mailbox of two folders with a message each; the second has attachments.
fn mailbox(layout: Layout, cipher: Cipher, attached: &[u8]) -> Vec<u8> {
    let mut build = Build::new(layout, cipher);
    folder(&mut build, MAILBOX, 0, "Mailbox");
    folder(&mut build, ROOT_FOLDER, ROOT_FOLDER, "");
    folder(&mut build, INBOX, ROOT_FOLDER, "Inbox");
    folder(&mut build, INNER, INBOX, "a/b");
    message(
        &mut build,
        0x20_0004,
        INBOX,
        "\u{1}\u{4}Re: One",
        "The first body",
    );
    let file = [
        (0x3707, Value::Wide("file.bin")),
        (0x3701, Value::Large(attached)),
    ];
    let (file, file_nodes) = build.bag(&file);
    let (within, within_nodes) = build.bag(&[
        (0x0037, Value::Wide("Within")),
        (0x1000, Value::Wide("inside")),
    ]);
    let object = [(0x3705, Value::Long(5)), (0x3701, Value::Object(0x20_0064))];
    let (object, object_nodes) = build.bag_with(&object, &[(0x20_0064, within, within_nodes)]);
    let parts = [(0x8025, file, file_nodes), (0x8045, object, object_nodes)];
    let long = "word ".repeat(3000);
    let properties = [(0x0037, Value::Wide("Two")), (0x1000, Value::Wide(&long))];
    let (data, subnodes) = build.bag_with(&properties, &parts);
    build.node(0x20_0024, data, subnodes, INNER);
    build.finish()
}

fn read_all(bytes: &[u8], budgets: Budgets) -> (Reading, Vec<Collected>, Vec<String>) {
    let (mut sink, members) = Sink::collecting(1 << 20, budgets);
    let reading = read(&input_of(bytes), &mut sink);
    (reading, members.take(), sink.into_remarks().0)
}

/// The text and the members of a mail.
fn read_mail(mail: &[u8]) -> (String, Vec<Collected>) {
    let (mut sink, members) = Sink::collecting(1 << 20, Budgets::default());
    assert_eq!(eml::read(&input_of(mail), &mut sink), Ok(None));
    (sink.take_text(), members.take())
}

#[test]
fn messages_are_read_in_every_layout_and_with_every_cipher() {
    let attached: Vec<u8> = (0..60_000_u32)
        .flat_map(|n| (n * n).to_le_bytes())
        .collect();
    for (layout, cipher) in LAYOUTS
        .iter()
        .flat_map(|layout| CIPHERS.map(|cipher| (*layout, cipher)))
    {
        let bytes = mailbox(layout, cipher, &attached);
        let (reading, members, warnings) = read_all(&bytes, Budgets::default());
        assert_eq!(
            (reading, warnings),
            (Ok(None), vec![]),
            "{layout:?} {cipher:?}"
        );
        let names: Vec<_> = members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["Inbox/0001 Re: One.eml", "Inbox/a_b/0001 Two.eml"]);
        let (text, _) = read_mail(&members[0].bytes);
        let head = "Subject: Re: One\nTo: Ann <a@b.org>\nCc: Bob <b@b.org>\n";
        assert_eq!(text.trim_end(), format!("{head}The first body"));
        let (text, parts) = read_mail(&members[1].bytes);
        assert_eq!(text.matches("word ").count(), 3000);
        let names: Vec<_> = parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["file.bin", "Within.eml"]);
        assert_eq!(parts[0].bytes, attached);
        assert!(read_mail(&parts[1].bytes).0.contains("inside"));
    }
}

#[test]
fn damage_costs_what_it_hits() {
    let bytes = mailbox(Layout::Wide, Cipher::None, b"attached");
    let body: Vec<u8> = "The first"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let at = bytes
        .windows(body.len())
        .position(|window| window == body)
        .unwrap();
    let mut wrong = bytes.clone();
    wrong[at] ^= 1;
    let (reading, members, warnings) = read_all(&wrong, Budgets::default());
    assert_eq!((reading, members.len(), warnings.len()), (Ok(None), 2, 1));
    // The heap of the first message begins before its body; without its signature it is lost.
    let start = bytes[..at]
        .windows(2)
        .rposition(|window| window == [0xec, 0xbc])
        .unwrap();
    let mut lost = bytes;
    lost[start] = 0;
    let (reading, members, _) = read_all(&lost, Budgets::default());
    assert_eq!((reading, members.len()), (Ok(Some(Reason::PartsFailed)), 1));
}

#[test]
fn budgets_end_in_partial() {
    let bytes = mailbox(Layout::Wide, Cipher::Permute, &[7; 20_000]);
    let entries = Budgets {
        entries: 1,
        ..Budgets::default()
    };
    let (reading, members, _) = read_all(&bytes, entries);
    assert_eq!((reading, members.len()), (Ok(Some(Reason::PartsLimit)), 1));
    let total = Budgets {
        total_bytes: 20_000,
        ..Budgets::default()
    };
    let (reading, members, _) = read_all(&bytes, total);
    let sum: usize = members.iter().map(|member| member.bytes.len()).sum();
    assert!(sum <= 20_000 && reading.unwrap().is_some());
}

#[test]
fn folders_that_hold_each_other_and_messages_without_a_folder_are_read_once() {
    let mut build = Build::new(Layout::Wide, Cipher::None);
    folder(&mut build, INBOX, INNER, "A");
    folder(&mut build, INNER, INBOX, "B");
    message(&mut build, 0x20_0004, INBOX, "One", "one");
    message(&mut build, 0x20_0024, 0x7777, "Two", "two");
    let (reading, members, _) = read_all(&build.finish(), Budgets::default());
    let names: Vec<_> = members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(
        (reading, names),
        (Ok(None), vec!["B/A/0001 One.eml", "0001 Two.eml"])
    );
}

#[test]
fn a_message_that_holds_itself_ends_at_the_limits() {
    let mut build = Build::new(Layout::Wide, Cipher::None);
    // Each level contains the next twice: without a total limit that would be a million.
    let (mut data, mut subnodes) = build.bag(&[(0x0037, Value::Wide("Deep"))]);
    for _ in 0..20 {
        let object = [(0x3705, Value::Long(5)), (0x3701, Value::Object(0x20_0064))];
        let (object, below) = build.bag_with(&object, &[(0x20_0064, data, subnodes)]);
        let twice = [(0x8025, object, below), (0x8045, object, below)];
        (data, subnodes) = build.bag_with(&[(0x0037, Value::Wide("Deep"))], &twice);
    }
    build.node(0x20_0004, data, subnodes, INBOX);
    let (reading, members, _) = read_all(&build.finish(), Budgets::default());
    assert_eq!((reading, members.len()), (Ok(Some(Reason::PartsLimit)), 1));
    let mail = String::from_utf8(members[0].bytes.clone()).unwrap();
    let max_mails = Budgets::default().mime_parts as usize + 1;
    assert!(mail.matches("Subject: Deep").count() <= max_mails);
}

#[test]
fn what_is_no_mailbox_is_told() {
    let malformed = Err(Outcome::Failed(Reason::Malformed));
    assert_eq!(read_all(b"!BDN", Budgets::default()).0, malformed);
    let mut bytes = mailbox(Layout::Wide, Cipher::None, b"");
    bytes[513] = 0x10;
    let locked = Err(Outcome::Encrypted(Reason::PasswordNeeded));
    assert_eq!(read_all(&bytes, Budgets::default()).0, locked);
    bytes.truncate(600);
    bytes[513] = 0;
    assert_eq!(read_all(&bytes, Budgets::default()).0, malformed);
}

proptest::proptest! {
    #[test]
    fn any_damage_is_read_without_panic(hits in proptest::collection::vec((0.0..1.0, 0..=255_u8), 1..60)) {
        let mut bytes = mailbox(Layout::Wide, Cipher::None, b"attached");
        let length = bytes.len() as f64;
        for (at, byte) in hits {
            bytes[(at * length) as usize] = byte;
        }
        let _ = read_all(&bytes, Budgets::default());
    }
}
