//! Compound files made here, whole and broken.

use super::write::{Item, compound_file, storage};
use super::*;
use crate::input::input_of;

/// A file of streams by their paths; missing storages are added.
pub(crate) fn compound_of(streams: &[(&str, &[u8])]) -> Vec<u8> {
    let mut items = vec![Item::default()];
    for (path, bytes) in streams {
        let mut parent = 0;
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            let bytes = names.peek().is_none().then(|| bytes.to_vec());
            let mut known = items.iter().skip(1);
            let known = known.position(|item| item.parent == parent && item.name == name);
            parent = match known {
                Some(before) => before + 1,
                None => {
                    items.push(Item {
                        name: name.into(),
                        parent,
                        bytes,
                        class: [7; 16],
                    });
                    items.len() - 1
                }
            };
        }
    }
    compound_file(&items)
}

fn sample() -> Vec<u8> {
    let big: Vec<u8> = (0..100_000_u32).map(|n| n as u8).collect();
    compound_of(&[
        ("Small", b"some words"),
        ("Big", &big),
        ("Folder/Inner/Small", &[b'x'; 100]),
        ("Folder/Other", &[b'y'; 4096]),
        ("Empty", b""),
    ])
}

/// Reads every stream of a file, whatever it is.
fn read_all(bytes: &[u8]) -> Vec<(String, Vec<u8>, Option<Reason>)> {
    let input = input_of(bytes);
    let Ok(file) = Compound::open(&input) else {
        return Vec::new();
    };
    let (mut found, mut storages) = (Vec::new(), vec![ROOT]);
    while let Some(storage) = storages.pop() {
        for &child in file.children(storage) {
            let entry = file.entry(child);
            if entry.is_storage {
                storages.push(child);
            } else {
                let (bytes, reason) = file.read(child, 1 << 20);
                found.push((entry.name.clone(), bytes, reason));
            }
        }
    }
    found
}

#[test]
fn streams_are_read_by_their_paths() {
    let input = input_of(&sample());
    let file = Compound::open(&input).unwrap();
    let read = |path| file.read(file.find(path).unwrap(), 1 << 20);
    assert_eq!(read("small"), (b"some words".to_vec(), None));
    assert_eq!(read("Folder/Inner/Small"), (vec![b'x'; 100], None));
    assert_eq!(read("Folder/Other"), (vec![b'y'; 4096], None));
    assert_eq!(read("Empty"), (vec![], None));
    assert!(
        read("Big")
            .0
            .iter()
            .zip(0..100_000_u32)
            .all(|(b, n)| *b == n as u8)
    );
    assert_eq!(
        file.read(file.find("Big").unwrap(), 10).1,
        Some(Reason::InflateLimit)
    );
    assert_eq!(file.find("Folder/Small"), None);
    assert_eq!(file.entry(file.find("Folder").unwrap()).class, [7; 16]);
}

#[test]
fn a_storage_becomes_a_file_of_its_own() {
    let input = input_of(&sample());
    let file = Compound::open(&input).unwrap();
    let (bytes, reason) = storage(&file, file.find("Folder").unwrap(), 1 << 20);
    assert_eq!(reason, None);
    let mut streams = read_all(&bytes);
    streams.sort();
    assert_eq!(
        streams,
        [
            ("Other".to_owned(), vec![b'y'; 4096], None),
            ("Small".to_owned(), vec![b'x'; 100], None)
        ]
    );
}

#[test]
fn a_table_beyond_the_header_is_found() {
    let big = vec![b'z'; 109 * 128 * 512 + 1];
    let file = compound_of(&[("Big", &big)]);
    assert_eq!(double_word(&file, 72), Some(1));
    let input = input_of(&file);
    let file = Compound::open(&input).unwrap();
    assert_eq!(file.read(1, u64::MAX), (big, None));
}

#[test]
fn loops_and_lies_end() {
    let whole = sample();
    let with = |at: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    // 4e9 sectors of lists of table sectors, and a list that is its own successor.
    assert_eq!(read_all(&with(72, 4_000_000_000)), read_all(&whole));
    let mut loops = with(68, 0);
    loops[512 + 508..512 + 512].copy_from_slice(&0_u32.to_le_bytes());
    read_all(&loops);
    // Every sector is followed by itself: only the first sector of each chain is right.
    let mut cycle = whole.clone();
    let fat = (double_word(&whole, 76).unwrap() as usize + 1) * 512;
    for number in 0..128_usize {
        let entry = fat + 4 * number;
        cycle[entry..entry + 4].copy_from_slice(&(number as u32).to_le_bytes());
    }
    let total: usize = read_all(&cycle)
        .iter()
        .map(|(_, bytes, _)| bytes.len())
        .sum();
    assert!(total <= 16 * whole.len());
}

#[test]
fn a_cut_file_gives_what_is_left_and_says_so() {
    let whole = sample();
    for part in 0..64 {
        for (_, bytes, reason) in read_all(&whole[..whole.len() * part / 64]) {
            assert!(bytes.len() <= 100_000 || reason.is_some());
        }
    }
    let mut cut = compound_of(&[("Big", &[b'z'; 5000])]);
    // The table and the directory are at the end, so the data is damaged instead.
    let fat = (double_word(&cut, 76).unwrap() as usize + 1) * 512;
    cut[fat + 8..fat + 12].copy_from_slice(&FIRST_MARK.to_le_bytes());
    assert_eq!(
        read_all(&cut),
        [("Big".to_owned(), vec![b'z'; 3 * 512], Some(Reason::Damaged))]
    );
}
