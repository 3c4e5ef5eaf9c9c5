//! Archives of every kind, whole, damaged and hostile, all made here.

use std::io::{Cursor, Read, Write};

use simdex_extract::{Budgets, Outcome, Reason};

use super::super::{samples::zip_of, sniff_and_read};
use crate::input::input_of;
use crate::sink::Sink;
use crate::sink::collected::Collected;

/// The outcome and the members of an archive.
pub(super) fn read(bytes: &[u8]) -> (Outcome, Vec<Collected>) {
    read_within(bytes, Budgets::default())
}

pub(super) fn read_within(bytes: &[u8], budgets: Budgets) -> (Outcome, Vec<Collected>) {
    let (sink, members) = Sink::collecting(1 << 20, budgets);
    let outcome = sniff_and_read(&input_of(bytes), None, sink).outcome;
    (outcome, members.take())
}

/// Names and texts of members.
pub(super) fn texts(members: &[Collected]) -> Vec<(&str, &str)> {
    let text =
        |member: &Collected| str::from_utf8(&member.bytes).unwrap().to_owned().leak() as &str;
    members
        .iter()
        .map(|member| (&*member.name, text(member)))
        .collect()
}

const WHOLE: Outcome = Outcome::Container(None);

fn partial(reason: Reason) -> Outcome {
    Outcome::Container(Some(reason))
}

fn header(kind: tar::EntryType, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mtime(1_000_000_000);
    header.set_mode(0o644);
    header
}

fn tar_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = header(tar::EntryType::Regular, content.len() as u64);
        builder.append_data(&mut header, name, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let builder = flate2::GzBuilder::new().filename("notes.txt").mtime(7);
    let mut encoder = builder.write(Vec::new(), flate2::Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(content: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn xz(content: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(0);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn zstd(content: &[u8]) -> Vec<u8> {
    zstd::encode_all(content, 3).unwrap()
}

fn seven_zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = sevenz_rust2::ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    for (name, content) in entries {
        let entry = sevenz_rust2::ArchiveEntry::new_file(name);
        writer.push_archive_entry(entry, Some(*content)).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

type Pack = fn(&[u8]) -> Vec<u8>;
const PACKS: [(&str, Pack); 4] = [
    ("notes.txt", gzip),
    ("content", bzip2),
    ("content", xz),
    ("content", zstd),
];

#[test]
fn entries_of_every_archive_are_members() {
    let files: [(&str, &[u8]); 3] = [("a.txt", b"one"), ("sub/b.txt", b"two"), ("empty", b"")];
    for bytes in [zip_of(&files), tar_of(&files), seven_zip(&files)] {
        let (outcome, members) = read(&bytes);
        assert_eq!(outcome, WHOLE);
        assert_eq!(
            texts(&members),
            [("a.txt", "one"), ("sub/b.txt", "two"), ("empty", "")]
        );
    }
}

#[test]
fn a_packed_file_is_one_member_and_its_parts_follow_one_another() {
    for (name, pack) in PACKS {
        let (outcome, members) = read(&[pack(b"first "), pack(b"second")].concat());
        assert_eq!(outcome, WHOLE);
        assert_eq!(texts(&members), [(name, "first second")]);
    }
    assert_eq!(read(&gzip(b"x")).1[0].modified, Some(7));
}

#[test]
fn a_packed_tape_archive_gives_its_entries() {
    let tape = tar_of(&[("a.txt", b"one"), ("b.txt", b"two")]);
    for (_, pack) in PACKS {
        let (outcome, members) = read(&pack(&tape));
        assert_eq!(outcome, WHOLE);
        assert_eq!(texts(&members), [("a.txt", "one"), ("b.txt", "two")]);
        assert_eq!(members[0].modified, Some(1_000_000_000));
    }
}

#[test]
fn bombs_end_at_the_ratio() {
    let zeros = vec![0; 16 << 20];
    for (_, pack) in PACKS {
        let bytes = pack(&zeros);
        let (outcome, members) = read(&bytes);
        let limit = Budgets::default().unpacked(bytes.len() as u64);
        assert_eq!(outcome, partial(Reason::InflateLimit));
        assert_eq!(members[0].bytes.len() as u64, limit);
        assert_eq!(members[0].cut, Some(Reason::InflateLimit));
    }
    for bytes in [
        zip_of(&[("zeros", &zeros), ("b", b"two")]),
        seven_zip(&[("zeros", &zeros), ("b", b"two")]),
        gzip(&tar_of(&[("zeros", &zeros)])),
    ] {
        let (outcome, members) = read(&bytes);
        assert_eq!(outcome, partial(Reason::InflateLimit));
        assert!(members[0].bytes.len() < zeros.len());
        assert_eq!(members[0].cut, Some(Reason::InflateLimit));
    }
}

#[test]
fn a_member_nested_in_archives_comes_out_level_by_level() {
    let mut bytes = zip_of(&[("deep.txt", b"deep")]);
    for level in 0..5 {
        let name = format!("{level}.zip");
        bytes = zip_of(&[(&*name, &bytes), ("twin.zip", &bytes)]);
    }
    for level in (0..5).rev() {
        let (outcome, members) = read(&bytes);
        assert_eq!(outcome, WHOLE);
        assert_eq!(members[0].name, format!("{level}.zip"));
        bytes = members[0].bytes.clone();
    }
    assert_eq!(texts(&read(&bytes).1), [("deep.txt", "deep")]);
}

#[test]
fn windows_beyond_the_limit_are_refused() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.window_log(30).unwrap();
    encoder.write_all(&[0; 1000]).unwrap();
    encoder.flush().unwrap();
    let bytes = encoder.finish().unwrap();
    assert!(read(&bytes).1.is_empty());
    assert_eq!(read(&bytes).0, Outcome::TooLarge(Reason::MemoryLimit));
    let mut options = lzma_rust2::XzOptions::with_preset(0);
    options.lzma_options.dict_size = 1 << 29;
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(b"x").unwrap();
    let bytes = encoder.finish().unwrap();
    assert_eq!(read(&bytes).0, Outcome::TooLarge(Reason::MemoryLimit));
}

#[test]
fn too_many_entries_are_partial() {
    let names: Vec<_> = (0..20).map(|n| format!("{n}.txt")).collect();
    let files: Vec<_> = names.iter().map(|name| (&**name, &b"x"[..])).collect();
    let budgets = Budgets {
        entries: 10,
        ..Budgets::default()
    };
    for bytes in [zip_of(&files), tar_of(&files), seven_zip(&files)] {
        let (outcome, members) = read_within(&bytes, budgets.clone());
        assert_eq!((outcome, members.len()), (partial(Reason::PartsLimit), 10));
    }
}

#[test]
fn all_entries_share_the_total() {
    let files: [(&str, &[u8]); 3] = [("a", &[b'a'; 60]), ("b", &[b'b'; 60]), ("c", &[b'c'; 60])];
    let budgets = Budgets {
        total_bytes: 100,
        ..Budgets::default()
    };
    for bytes in [zip_of(&files), tar_of(&files), seven_zip(&files)] {
        let (outcome, members) = read_within(&bytes, budgets.clone());
        assert_eq!(outcome, partial(Reason::InflateLimit));
        assert_eq!(members.iter().map(|m| m.bytes.len()).sum::<usize>(), 100);
    }
}

#[test]
fn names_are_labels_and_system_files_are_left_out() {
    let names = [
        "../up",
        "/etc/passwd",
        "C:\\x.txt",
        "__MACOSX/._a",
        "d/.DS_Store",
    ];
    let (outcome, members) = read(&zip_of(&names.map(|name| (name, &b"x"[..]))));
    assert_eq!(outcome, WHOLE);
    let names: Vec<_> = members.iter().map(|member| &*member.name).collect();
    assert_eq!(names, ["../up", "/etc/passwd", "C:/x.txt"]);
}

#[test]
fn links_of_a_tape_are_skipped_and_long_names_kept() {
    let long = "folder/".repeat(40) + "file.txt";
    let mut builder = tar::Builder::new(Vec::new());
    let mut link = header(tar::EntryType::Symlink, 0);
    builder
        .append_link(&mut link, "link", "/etc/passwd")
        .unwrap();
    let mut file = header(tar::EntryType::Regular, 3);
    builder.append_data(&mut file, &long, &b"one"[..]).unwrap();
    let pax = [("path", "päx.txt".as_bytes())];
    builder.append_pax_extensions(pax).unwrap();
    let mut file = header(tar::EntryType::Regular, 3);
    builder
        .append_data(&mut file, "short", &b"two"[..])
        .unwrap();
    let (outcome, members) = read(&builder.into_inner().unwrap());
    assert_eq!(outcome, WHOLE);
    assert_eq!(texts(&members), [(&*long, "one"), ("päx.txt", "two")]);
}

#[test]
fn hard_links_of_a_tape_are_files_of_their_own() {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, text) in [("./a.txt", "one"), ("b.txt", "two"), ("b.txt", "three")] {
        let mut file = header(tar::EntryType::Regular, text.len() as u64);
        builder
            .append_data(&mut file, name, text.as_bytes())
            .unwrap();
    }
    for (name, target) in [
        ("c.txt", "a.txt"),
        ("d.txt", "./a.txt"),
        ("e.txt", "gone.txt"),
    ] {
        let mut link = header(tar::EntryType::Link, 0);
        builder.append_link(&mut link, name, target).unwrap();
    }
    let tape = builder.into_inner().unwrap();
    let expected = [
        ("a.txt", "one"),
        ("b.txt", "two"),
        ("b.txt", "three"),
        ("c.txt", "one"),
        ("d.txt", "one"),
    ];
    for bytes in [tape.clone(), gzip(&tape), zstd(&tape)] {
        let (outcome, members) = read(&bytes);
        assert_eq!((outcome, &texts(&members)[..]), (WHOLE, &expected[..]));
    }
}

#[test]
fn the_size_of_pax_wins_over_the_header() {
    let mut builder = tar::Builder::new(Vec::new());
    builder
        .append_pax_extensions([("size", &b"600"[..])])
        .unwrap();
    let mut bytes = builder.into_inner().unwrap();
    bytes.truncate(1024);
    let mut file = header(tar::EntryType::Regular, 0);
    file.set_path("a").unwrap();
    file.set_cksum();
    bytes.extend_from_slice(file.as_bytes());
    bytes.extend([b'x'; 600]);
    bytes.resize(1024 + 512 + 1024 + 1024, 0);
    let (outcome, members) = read(&bytes);
    assert_eq!((outcome, members[0].bytes.len()), (WHOLE, 600));
}

#[test]
fn a_tape_header_that_claims_much_is_not_read_into_memory() {
    let mut bytes = header(tar::EntryType::GNULongName, 4 << 20);
    bytes.set_path("././@LongLink").unwrap();
    bytes.set_cksum();
    let mut bytes = bytes.as_bytes().to_vec();
    bytes.resize(512 + (4 << 20), b'x');
    bytes.extend(tar_of(&[("a.txt", b"one")]));
    assert_eq!(read(&bytes).0, Outcome::Failed(Reason::Malformed));
}

#[test]
fn tapes_without_magic_are_known_by_their_checksum() {
    let mut bytes = tar_of(&[("a.txt", b"one")]);
    let old = tar::Header::new_old();
    bytes[257..512].copy_from_slice(&old.as_bytes()[257..512]);
    bytes[148..156].fill(b' ');
    let sum: u32 = bytes[..512].iter().map(|&byte| u32::from(byte)).sum();
    bytes[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    assert_eq!(texts(&read(&bytes).1), [("a.txt", "one")]);
    bytes[0] ^= 1;
    assert_eq!(read(&bytes).0, Outcome::Unsupported(Reason::Binary));
}

#[test]
fn a_large_dictionary_is_refused_before_it_is_made() {
    let memory = super::seven_zip::memory;
    assert_eq!(memory(&[3, 1, 1], &[0x5d, 0, 0, 0, 0x80]), 1 << 31);
    assert_eq!(memory(&[0x21], &[40]), 1 << 32);
    assert_eq!(memory(&[0x21], &[18]), 1 << 21);
    assert_eq!(memory(&[0x21], &[255]), 3 << 31);
    assert_eq!(memory(&[3, 1, 1], &[]), 0);
}

#[test]
fn archives_cut_anywhere_are_answered() {
    let noise: Vec<u8> = (0..20_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let files: [(&str, &[u8]); 2] = [("a.txt", b"one two three"), ("noise", &noise)];
    let mut samples = vec![zip_of(&files), tar_of(&files), seven_zip(&files)];
    samples.extend(PACKS.map(|(_, pack)| pack(&noise)));
    samples.extend(PACKS.map(|(_, pack)| pack(&tar_of(&files))));
    for whole in samples {
        for part in 1..64 {
            let cut = &whole[..whole.len() * part / 64];
            let (outcome, members) = read(cut);
            // A tape is recognised only by its first header, and blank blocks end it.
            let tape = whole.starts_with(b"a.txt");
            let whole = members.len() == 2 && members[1].bytes == noise;
            let excused = tape && (cut.len() < 512 || whole);
            let known = matches!(
                outcome,
                Outcome::Container(Some(Reason::Damaged)) | Outcome::Failed(Reason::Malformed)
            );
            assert!(
                known || excused,
                "{part}/64 of {:?}: {outcome:?}",
                &cut[..4]
            );
            let mut bytes = members.iter().map(|member| member.bytes.len());
            assert!(bytes.all(|length| length <= noise.len()));
        }
    }
}

#[test]
fn what_stands_before_a_cut_is_read() {
    let noise: Vec<u8> = (0..20_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let files: [(&str, &[u8]); 2] = [("a.txt", b"one two three"), ("noise", &noise)];
    for whole in [zip_of(&files), tar_of(&files), gzip(&tar_of(&files))] {
        let (outcome, members) = read(&whole[..whole.len() / 2]);
        assert_eq!(outcome, partial(Reason::Damaged));
        assert_eq!(texts(&members[..1]), [("a.txt", "one two three")]);
        assert_eq!(members[1].cut, Some(Reason::Damaged));
    }
}

#[test]
fn a_bound_lets_through_what_just_fits() {
    let read = |limit| {
        let mut bytes = Vec::new();
        let result = super::Bounded::new(&b"12345"[..], limit).read_to_end(&mut bytes);
        (result.is_ok(), bytes.len())
    };
    assert_eq!((read(5), read(4)), ((true, 5), (false, 4)));
}
