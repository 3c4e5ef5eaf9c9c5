//! ZIP archives that state one thing and contain another.

use std::io::{Cursor, Write};

use simdex_extract::{Outcome, Reason};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::formats::archive::tests::{read, texts};
use crate::formats::samples::{docx, zip_of};

/// Where the `nth` header of this kind begins.
fn find(bytes: &[u8], mark: &[u8; 4], nth: usize) -> usize {
    let mut found = bytes
        .windows(4)
        .enumerate()
        .filter(|(_, window)| window == mark);
    found.nth(nth).unwrap().0
}

const LOCAL: &[u8; 4] = b"PK\x03\x04";
const CENTRAL: &[u8; 4] = b"PK\x01\x02";

#[test]
fn a_locked_entry_does_not_lock_its_neighbours() {
    let mut bytes = zip_of(&[("a.txt", b"one"), ("b.txt", b"two")]);
    for (mark, flags) in [(LOCAL, 6), (CENTRAL, 8)] {
        let at = find(&bytes, mark, 1);
        bytes[at + flags] |= 1;
    }
    let (outcome, members) = read(&bytes);
    assert_eq!(outcome, Outcome::Container(Some(Reason::PartsFailed)));
    assert_eq!(members[0].bytes, b"one");
    assert_eq!(members[1].unread, Some(Reason::PasswordNeeded));
}

#[test]
fn an_unknown_method_is_told() {
    let mut bytes = zip_of(&[("a.txt", b"one"), ("b.txt", b"two")]);
    for (mark, method) in [(LOCAL, 8), (CENTRAL, 10)] {
        let at = find(&bytes, mark, 0);
        bytes[at + method] = 77;
    }
    let (_, members) = read(&bytes);
    assert_eq!(members[0].unread, Some(Reason::KindNotRead));
    assert_eq!(members[1].bytes, b"two");
}

#[test]
fn the_central_directory_names_the_entries() {
    let mut bytes = zip_of(&[("a.txt", b"one")]);
    let at = find(&bytes, LOCAL, 0) + 30;
    bytes[at] = b'z';
    assert_eq!(texts(&read(&bytes).1), [("a.txt", "one")]);
}

#[test]
fn overlapping_entries_are_refused() {
    let mut bytes = zip_of(&[("a.txt", b"one"), ("b.txt", b"two"), ("c.txt", b"three")]);
    let first = find(&bytes, CENTRAL, 1);
    bytes[first + 42..first + 46].fill(0);
    assert_eq!(read(&bytes).0, Outcome::Failed(Reason::OverlappingEntries));
}

/// The writer refuses a name that stands twice, so one is renamed.
fn twins(flate: bool) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let method = match flate {
        true => zip::CompressionMethod::Deflated,
        false => zip::CompressionMethod::Stored,
    };
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, text) in [("a.txt", "yes"), ("b.txt", "no"), ("c.txt", "other")] {
        writer.start_file(name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    let mut bytes = writer.finish().unwrap().into_inner();
    for (mark, name) in [(LOCAL, 30), (CENTRAL, 46)] {
        let at = find(&bytes, mark, 1) + name;
        bytes[at] = b'a';
    }
    bytes
}

#[test]
fn all_entries_of_one_name_are_members() {
    for flate in [false, true] {
        let (outcome, members) = read(&twins(flate));
        assert_eq!(outcome, Outcome::Container(None));
        let mut texts = texts(&members);
        texts.sort_unstable();
        assert_eq!(
            texts,
            [("a.txt", "no"), ("a.txt", "yes"), ("c.txt", "other")]
        );
    }
}

#[test]
fn entries_of_one_name_do_not_overlap() {
    let mut bytes = twins(false);
    let central = find(&bytes, CENTRAL, 0);
    let inside_second = find(&bytes, LOCAL, 1) as u32 + 2;
    bytes[central + 42..central + 46].copy_from_slice(&inside_second.to_le_bytes());
    assert_eq!(read(&bytes).0, Outcome::Failed(Reason::OverlappingEntries));
}

#[test]
fn links_and_folders_are_no_members() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    writer.add_directory("folder/", options).unwrap();
    writer.add_symlink("folder/link", "/etc", options).unwrap();
    writer.start_file("folder/link/passwd", options).unwrap();
    writer.write_all(b"text").unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    let (outcome, members) = read(&bytes);
    assert_eq!(outcome, Outcome::Container(None));
    assert_eq!(texts(&members), [("folder/link/passwd", "text")]);
}

#[test]
fn damaged_data_is_kept_as_far_as_it_goes() {
    let mut bytes = zip_of(&[("a.txt", b"one two three one two three"), ("b.txt", b"two")]);
    let central = find(&bytes, CENTRAL, 0);
    bytes[central + 16] ^= 1;
    let (outcome, members) = read(&bytes);
    assert_eq!(outcome, Outcome::Container(Some(Reason::Damaged)));
    assert_eq!(members[0].cut, Some(Reason::Damaged));
    assert_eq!(members[1].bytes, b"two");
}

#[test]
fn without_a_directory_the_local_headers_are_followed() {
    let whole = zip_of(&[("a.txt", b"one"), ("sub/b.txt", b"two")]);
    let (outcome, members) = read(&whole[..find(&whole, CENTRAL, 0)]);
    assert_eq!(outcome, Outcome::Container(Some(Reason::Damaged)));
    assert_eq!(texts(&members), [("a.txt", "one"), ("sub/b.txt", "two")]);
}

#[test]
fn sizes_behind_the_data_are_found() {
    let mut writer = ZipWriter::new_stream(Vec::new());
    for (name, text) in [("a.txt", "one"), ("b.txt", "two")] {
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    let whole = writer.finish().unwrap().into_inner();
    let cut = &whole[..find(&whole, CENTRAL, 0)];
    assert_eq!(texts(&read(&whole).1), [("a.txt", "one"), ("b.txt", "two")]);
    assert_eq!(texts(&read(cut).1), [("a.txt", "one"), ("b.txt", "two")]);
}

#[test]
fn parts_of_a_broken_document_are_no_files() {
    let whole = docx("<w:t>x</w:t>", &[]);
    let (outcome, members) = read(&whole[..find(&whole, CENTRAL, 0)]);
    assert_eq!(outcome, Outcome::Failed(Reason::Malformed));
    assert_eq!(members, []);
}

#[test]
fn days_are_counted_from_1970() {
    let days = super::days_since_1970;
    assert_eq!(
        (days(1970, 1, 1), days(2000, 3, 1), days(2024, 2, 29)),
        (0, 11_017, 19_782)
    );
}
