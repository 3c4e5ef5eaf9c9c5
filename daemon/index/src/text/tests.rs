//! Round trips, damage, torn tails and compaction.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread;

use proptest::prelude::*;
use simdex_schema::StoreId;
use tempfile::TempDir;

use super::{BLOCK_BYTES, MAX_TEXT, TextError, TextRef, TextStore};

const ID: StoreId = StoreId([9; 16]);

fn open(dir: &Path) -> TextStore {
    TextStore::open(dir, ID, 1).unwrap()
}

fn store() -> (TempDir, TextStore) {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    (dir, store)
}

fn append(store: &TextStore, texts: &[String]) -> Vec<TextRef> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    store.append(&texts).unwrap()
}

fn write_at(dir: &Path, segment: u32, offset: u64, bytes: &[u8]) {
    let path = super::segment::path(dir, segment);
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(bytes, offset).unwrap();
}

fn corrupt(store: &TextStore, at: &TextRef) -> &'static str {
    match store.read(at) {
        Err(TextError::Corrupt { reason, .. }) => reason,
        other => panic!("expected corruption, got {other:?}"),
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "\\PC{0,60}",
        // Around the size of a block.
        1 => ("\\PC{1,20}", 2_000..6_000_usize).prop_map(|(text, n)| text.repeat(n)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_text_comes_back(batches in prop::collection::vec(prop::collection::vec(text(), 0..12), 0..4)) {
        let (dir, store) = store();
        let refs: Vec<_> = batches.iter().flat_map(|batch| append(&store, batch)).collect();
        store.sync().unwrap();
        let reopened = open(dir.path());
        prop_assert_eq!(refs.len(), batches.iter().map(Vec::len).sum::<usize>());
        for (at, text) in refs.iter().zip(batches.iter().flatten()) {
            prop_assert_eq!(&store.read(at).unwrap(), text);
            prop_assert_eq!(&reopened.read(at).unwrap(), text);
        }
    }

    #[test]
    fn any_reference_survives_its_bytes(
        segment: u32, offset: u64, block_len: u32, start: u32, len: u32, checksum: Option<[u8; 16]>,
    ) {
        let at = TextRef { segment, offset, block_len, start, len, checksum };
        prop_assert_eq!(TextRef::from_bytes(&at.to_bytes()), Some(at));
        prop_assert_eq!(TextRef::from_bytes(&at.to_bytes()[1..]), None);
    }

    #[test]
    fn any_flipped_bit_of_a_block_is_noticed(bit in any::<prop::sample::Index>()) {
        let (dir, store) = store();
        let at = store.append(&["some text, long enough to be compressed a little, a little"]).unwrap()[0];
        let mut bytes = fs::read(super::segment::path(dir.path(), 1)).unwrap();
        let bit = bit.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        write_at(dir.path(), 1, 0, &bytes);
        let found_corrupt = matches!(store.read(&at), Err(TextError::Corrupt { .. }));
        prop_assert!(found_corrupt);
    }

    #[test]
    fn a_false_reference_never_yields_foreign_bytes(
        offset in 0..120_u64, block_len in 0..60_u32, start in 0..9_u32, len in 0..9_u32,
    ) {
        let (_dir, store) = store();
        store.append(&["text"]).unwrap();
        let read = store.read(&TextRef { segment: 1, offset, block_len, start, len, checksum: None });
        if let Ok(text) = read {
            prop_assert!((start + len) as usize <= 4 && offset == 0);
            prop_assert_eq!(text, &"text"[start as usize..(start + len) as usize]);
        }
    }
}

#[test]
fn short_texts_share_a_block_and_a_long_one_has_its_own() {
    let (_dir, store) = store();
    let long = "long ".repeat(BLOCK_BYTES);
    let half = "x".repeat(BLOCK_BYTES / 2);
    let refs = store
        .append(&["a", "", "ä", &long, "b", &half, &half, "c"])
        .unwrap();
    let blocks: Vec<u64> = refs.iter().map(|at| at.offset).collect();
    assert_eq!(blocks[0], blocks[2]);
    assert!(blocks[2] < blocks[3] && blocks[3] < blocks[4]);
    assert_eq!(blocks[4], blocks[5]);
    assert!(blocks[5] < blocks[6]);
    assert_eq!(blocks[6], blocks[7]);
    assert_eq!(store.read(&refs[1]).unwrap(), "");
    assert_eq!(store.read(&refs[2]).unwrap(), "ä");
    assert_eq!(store.read(&refs[3]).unwrap(), long);
}

#[test]
fn a_text_above_the_limit_is_refused() {
    let (_dir, store) = store();
    let text = "x".repeat(MAX_TEXT + 1);
    let error = store.append(&["short", &text]).unwrap_err();
    assert!(matches!(error, TextError::TooLong { len } if len == MAX_TEXT + 1));
    assert!(store.segments().unwrap().is_empty());
}

#[test]
fn a_block_at_another_place_is_noticed() {
    let (dir, store) = store();
    let first = store.append(&["first"]).unwrap()[0];
    let second = store.append(&["other"]).unwrap()[0];
    let bytes = fs::read(super::segment::path(dir.path(), 1)).unwrap();
    write_at(dir.path(), 1, 0, &bytes[second.offset as usize..]);
    assert_eq!(corrupt(&store, &first), "checksum mismatch");
    fs::copy(
        super::segment::path(dir.path(), 1),
        super::segment::path(dir.path(), 9),
    )
    .unwrap();
    assert_eq!(
        corrupt(
            &store,
            &TextRef {
                segment: 9,
                ..second
            }
        ),
        "checksum mismatch"
    );
}

#[test]
fn a_huge_stated_length_is_refused_before_it_is_allocated() {
    let (dir, store) = store();
    let at = store.append(&["text"]).unwrap()[0];
    write_at(dir.path(), 1, 8, &u32::MAX.to_le_bytes());
    assert_eq!(corrupt(&store, &at), "length out of bounds");
    let beyond = TextRef {
        block_len: u32::MAX,
        ..at
    };
    assert_eq!(corrupt(&store, &beyond), "reference past the end");
}

#[test]
fn a_reference_into_a_missing_segment_is_told() {
    let (_dir, store) = store();
    let at = store.append(&["text"]).unwrap()[0];
    let error = store.read(&TextRef { segment: 2, ..at }).unwrap_err();
    assert!(matches!(error, TextError::NoSegment { segment: 2 }));
}

#[test]
fn a_torn_tail_harms_nothing_before_it() {
    let (dir, store) = store();
    let kept = store.append(&["kept"]).unwrap()[0];
    store.sync().unwrap();
    let torn = store.append(&["torn by a power cut"]).unwrap()[0];
    drop(store);
    let path = super::segment::path(dir.path(), 1);
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(torn.offset + 10).unwrap();

    let store = open(dir.path());
    let new = store.append(&["new"]).unwrap()[0];
    assert_eq!(new.segment, 2, "a torn segment is not written to");
    assert_eq!(store.read(&kept).unwrap(), "kept");
    assert_eq!(store.read(&new).unwrap(), "new");
    assert_eq!(corrupt(&store, &torn), "reference past the end");
    let usage = store.segments().unwrap();
    assert_eq!(usage[0].text_bytes, "kept".len() as u64);
}

#[test]
fn usage_follows_what_is_counted() {
    let (dir, store) = store();
    let refs = store.append(&["four", "fives", "sixsix"]).unwrap();
    store.count_dead(&refs[1]);
    let usage = store.segments().unwrap()[0];
    assert_eq!((usage.text_bytes, usage.live_bytes), (15, 10));
    store.append(&["x"]).unwrap();
    let usage = store.segments().unwrap()[0];
    assert_eq!((usage.text_bytes, usage.live_bytes), (16, 11));
    drop(store);
    let store = open(dir.path());
    store.count_live(&refs[2]);
    let usage = store.segments().unwrap()[0];
    assert_eq!((usage.text_bytes, usage.live_bytes), (16, 6));
}

#[test]
fn compaction_keeps_every_live_text() {
    let (dir, store) = store();
    let texts: Vec<String> = (0..3_000)
        .map(|n| format!("text {n} ").repeat(n % 90))
        .collect();
    let refs = append(&store, &texts);
    let live: Vec<(TextRef, &String)> = refs.iter().copied().zip(&texts).step_by(3).rev().collect();
    let live_refs: Vec<TextRef> = live.iter().map(|(at, _)| *at).collect();
    let moved = store.compact(1, &live_refs, &|_, _| true).unwrap().moved;
    assert_eq!(moved.len(), live.len());
    store.remove_segment(1).unwrap();
    drop(store);

    let store = open(dir.path());
    let moved: std::collections::BTreeMap<_, _> = moved.into_iter().collect();
    for (old, text) in &live {
        assert_eq!(&store.read(&moved[old]).unwrap(), *text);
        assert!(matches!(
            store.read(old),
            Err(TextError::NoSegment { segment: 1 })
        ));
    }
}

#[test]
fn compaction_refuses_references_to_other_segments() {
    let (dir, store) = store();
    let first = store.append(&["first"]).unwrap()[0];
    let store = open(dir.path());
    let second = store.append(&["second"]).unwrap()[0];
    let error = store
        .compact(1, &[first, second], &|_, _| true)
        .unwrap_err();
    assert!(matches!(
        error,
        TextError::WrongSegment {
            expected: 1,
            found: 2
        }
    ));
}

#[test]
fn no_number_is_used_again_whatever_becomes_of_the_files() {
    let (dir, store) = store();
    store.append(&["dead"]).unwrap();
    store.remove_segment(1).unwrap();
    let next = store.next_segment();
    assert_eq!(next, 2);
    drop(store);
    std::fs::remove_dir_all(dir.path()).unwrap();
    let store = TextStore::open(dir.path(), ID, next).unwrap();
    assert_eq!(store.append(&["new"]).unwrap()[0].segment, 2);
    assert!(matches!(
        store.remove_segment(1),
        Err(TextError::NoSegment { segment: 1 })
    ));
    // Existing files count as well.
    drop(store);
    assert_eq!(open(dir.path()).next_segment(), 3);
}

#[test]
fn a_segment_that_vanishes_is_left_for_a_new_one() {
    let gone: [fn(&Path); 3] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::remove_dir_all(path.parent().unwrap()).unwrap(),
        // Another file in its place, as a restored backup puts it.
        |path| {
            let aside = path.with_extension("aside");
            fs::copy(path, &aside).unwrap();
            fs::rename(&aside, path).unwrap();
        },
    ];
    for go in gone {
        let (dir, store) = store();
        let before = store.append(&["before"]).unwrap()[0];
        store.sync().unwrap();
        assert!(!store.has_vanished());
        go(&super::segment::path(dir.path(), 1));
        let after = store.append(&["after"]).unwrap()[0];
        assert_eq!((before.segment, after.segment), (1, 2));
        assert_eq!(store.read(&after).unwrap(), "after");
        assert_eq!(store.vanished().unwrap(), [1].into());
        store.forget(&[1].into());
        assert!(!store.has_vanished() && store.vanished().unwrap().is_empty());
    }
}

#[test]
fn a_segment_that_is_begun_meanwhile_is_not_taken_for_gone() {
    for _ in 0..200 {
        let (_dir, store) = store();
        thread::scope(|scope| {
            let appended = scope.spawn(|| store.append(&["first"]).unwrap());
            while !appended.is_finished() {
                assert_eq!(store.vanished().unwrap(), [].into());
            }
        });
    }
}

#[test]
fn a_segment_that_vanishes_before_its_sync_is_noticed_by_the_sync() {
    let (dir, store) = store();
    store.append(&["lost"]).unwrap();
    fs::remove_file(super::segment::path(dir.path(), 1)).unwrap();
    store.sync().unwrap();
    assert!(store.has_vanished());
}

#[test]
fn a_block_of_another_store_is_noticed_and_one_of_an_older_format_is_read() {
    let (dir, store) = store();
    let ours = store.append(&["ours"]).unwrap()[0];
    let other = TextStore::open(dir.path(), StoreId([8; 16]), 1).unwrap();
    assert_eq!(corrupt(&other, &ours), "checksum mismatch");
    let position = super::block::BlockPosition {
        segment: 1,
        offset: 0,
    };
    write_at(
        dir.path(),
        1,
        0,
        &super::block::encode_unbound(position, b"ours"),
    );
    let unchecked = TextRef {
        checksum: None,
        ..ours
    };
    let fresh = open(dir.path());
    for at in [ours, unchecked] {
        assert_eq!(fresh.read(&at).unwrap(), "ours");
        assert_eq!(other.read(&at).unwrap(), "ours", "nothing says whose it is");
    }
}

#[test]
fn another_text_of_the_same_length_in_the_same_place_is_noticed() {
    let (dir, store) = store();
    let at = store.append(&["the text that was"]).unwrap()[0];
    // The same store's own text from another line of its history.
    let fork = tempfile::tempdir().unwrap();
    let other = open(fork.path()).append(&["the text that is!"]).unwrap()[0];
    assert_eq!(
        (at.offset, at.block_len, at.len),
        (other.offset, other.block_len, other.len)
    );
    fs::copy(
        super::segment::path(fork.path(), 1),
        super::segment::path(dir.path(), 1),
    )
    .unwrap();
    assert_eq!(corrupt(&open(dir.path()), &at), "another text lies here");
}

#[test]
fn a_damaged_text_is_not_copied() {
    let (_dir, store) = store();
    let refs = store.append(&["right", "wrong"]).unwrap();
    let forged = TextRef {
        checksum: Some([1; 16]),
        ..refs[1]
    };
    let compacted = store.compact(1, &[refs[0], forged], &|_, _| true).unwrap();
    assert_eq!((compacted.moved.len(), compacted.left), (1, vec![forged]));
    let refused = store.compact(1, &refs, &|_, text| text == "right").unwrap();
    assert_eq!((refused.moved.len(), refused.left), (1, vec![refs[1]]));
}

#[test]
fn a_segment_that_is_no_file_is_refused_and_nothing_waits() {
    let dir = tempfile::tempdir().unwrap();
    crate::safe_fs::make_fifo(&super::segment::path(dir.path(), 1));
    let refused = TextStore::open(dir.path(), ID, 1).unwrap_err();
    assert!(matches!(refused, TextError::Io { action: "use", .. }));
}

#[test]
fn a_full_segment_is_followed_by_another() {
    let (_dir, store) = store();
    // Bytes of a hash do not compress; hexadecimal halves.
    let mut noise = String::new();
    let mut reader = blake3::Hasher::new().finalize_xof();
    let mut bytes = vec![0; 16 << 20];
    reader.fill(&mut bytes);
    noise.extend(bytes.iter().map(|byte| char::from(b'0' + byte % 64)));
    let refs: Vec<TextRef> = (0..7)
        .map(|_| store.append(&[&noise]).unwrap()[0])
        .collect();
    store.sync().unwrap();
    assert_eq!(refs[0].segment, 1);
    assert_eq!(refs[6].segment, 2);
    assert_eq!(refs[6].offset, 0);
    assert_eq!(store.read(&refs[5]).unwrap(), noise);
    assert_eq!(store.read(&refs[6]).unwrap(), noise);
}
