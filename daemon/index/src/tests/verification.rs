//! Damage is reported; nothing is changed.

use std::fs;

use simdex_schema::posting::shard_key;
use simdex_schema::{DocId, EdgeRecord, FileKey, RootId, key};
use simdex_signature::SchemeKind;

use super::bed::{Bed, content, document, file};
use super::texts::Random;
use crate::batch::Batch;
use crate::integrity::{Faults, Verified, VerifyDepth, verify};

const TEXTS: usize = 40;

fn filled() -> (Bed, Vec<String>) {
    let mut random = Random::new(71);
    let texts: Vec<String> = (0..TEXTS).map(|_| random.words(60)).collect();
    let mut bed = Bed::memory();
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    bed.settle();
    bed.close_and_open();
    (bed, texts)
}

fn verified(bed: &Bed, depth: VerifyDepth) -> Verified {
    verify(bed.index().index.shared.store.as_ref(), &bed.texts(), depth).unwrap()
}

fn told(bed: &Bed, depth: VerifyDepth) -> String {
    verified(bed, depth).faults.messages.join("\n")
}

#[test]
fn a_sound_index_has_no_faults_and_everything_is_counted() {
    let (bed, texts) = filled();
    for depth in [VerifyDepth::Heads, VerifyDepth::Everything] {
        let found = verified(&bed, depth);
        assert_eq!(found.faults.messages, [""; 0]);
        assert_eq!(found.texts, TEXTS as u64);
        let bytes: usize = texts.iter().map(String::len).sum();
        assert_eq!(found.text_bytes, bytes as u64);
        assert!(found.records > 4 * TEXTS as u64 && found.postings > 0);
    }
}

#[test]
fn a_member_without_the_file_that_holds_it_is_told() {
    let (bed, texts) = filled();
    let index = bed.index();
    let holder = file("a/0");
    let record = index.registry().file(&holder).unwrap().unwrap();
    let orphan = FileKey {
        root: holder.root,
        path: b"gone.zip".to_vec(),
    };
    let orphan = orphan.member(b"one");
    let mut batch = Batch::new(index.index.shared.store.records());
    batch.put(key::file(&orphan), record.encode());
    let link = key::file_of_content(content(&texts[0], 0), &orphan);
    batch.put(link, Vec::new());
    batch.write().unwrap();
    let told = told(&bed, VerifyDepth::Heads);
    assert!(
        told.contains("the file that holds it is not on record"),
        "{told}"
    );
}

#[test]
fn missing_texts_are_told_at_either_depth() {
    let (bed, _) = filled();
    fs::remove_dir_all(bed.texts()).unwrap();
    for depth in [VerifyDepth::Heads, VerifyDepth::Everything] {
        let found = verified(&bed, depth);
        assert_eq!(found.faults.count, TEXTS as u64);
        assert!(found.faults.messages[0].contains("missing"));
    }
    assert!(!bed.texts().exists(), "nothing is made");
}

#[test]
fn a_flipped_bit_in_any_text_is_told_where_everything_is_read() {
    let (bed, _) = filled();
    let segment = fs::read_dir(bed.texts()).unwrap().next().unwrap().unwrap();
    let mut bytes = fs::read(segment.path()).unwrap();
    bytes[200] ^= 4;
    fs::write(segment.path(), &bytes).unwrap();
    assert!(told(&bed, VerifyDepth::Everything).contains("checksum mismatch"));
    assert_eq!(told(&bed, VerifyDepth::Heads), "", "the heads are whole");
    fs::write(segment.path(), &bytes[..100]).unwrap();
    assert!(told(&bed, VerifyDepth::Heads).contains("no block holds it"));
}

#[test]
fn links_that_lead_nowhere_are_told() {
    let file = FileKey {
        root: RootId(1),
        path: b"0".to_vec(),
    };
    let (bed, texts) = filled();
    let (hash, id) = (content(&texts[0], 0), bed.id(&texts[0]).unwrap());
    let keys = [
        (key::file_of_content(hash, &file), "does not name it"),
        (key::file(&file), "another content"),
        (key::content(hash), "not on record"),
        (key::content_of_document(id, hash), "does not name it"),
        (
            key::document_by_hash(document(&texts[0])),
            "another document",
        ),
        (key::document(id), "not on record"),
    ];
    for (key, fault) in keys {
        let (bed, _) = filled();
        let mut batch = Batch::new(bed.index().index.shared.store.records());
        batch.delete(key);
        batch.write().unwrap();
        let told = told(&bed, VerifyDepth::Heads);
        assert!(told.contains(fault), "{fault}: {told}");
    }
}

#[test]
fn records_and_postings_that_do_not_decode_are_told() {
    let (bed, texts) = filled();
    let id = bed.id(&texts[3]).unwrap();
    let mut batch = Batch::new(bed.index().index.shared.store.records());
    batch.put(key::document(id), vec![1, 2, 3]);
    batch.put(b"zzz".to_vec(), Vec::new());
    batch.write().unwrap();
    let told = told(&bed, VerifyDepth::Heads);
    assert!(
        told.contains("ends early") && told.contains("not known"),
        "{told}"
    );

    let (bed, _) = filled();
    let run = bed.index().index.shared.state().runs[0].record;
    let key = |bucket| shard_key(SchemeKind::ModN, run.schemes[0].bits, bucket, 0);
    let store = bed.index().index.shared.store.postings();
    let block = store.run(run.number).unwrap().unwrap();
    let block = block.get(&key(0)).unwrap().unwrap();
    let mut writer = store
        .begin_run(crate::store::NewRun {
            number: run.number,
            id: run.id.unwrap(),
            ..Default::default()
        })
        .unwrap();
    writer.put(&key(0), &block[..block.len() - 1]).unwrap();
    writer.put(&key(1), &block).unwrap();
    writer.put(&[9; 8], &block).unwrap();
    writer.put(&[9; 7], &block).unwrap();
    writer.finish().unwrap();
    let told = self::told(&bed, VerifyDepth::Heads);
    for fault in [
        "does not decode",
        "of another bucket",
        "scheme",
        "another form",
        "others than counted",
    ] {
        assert!(told.contains(fault), "{fault}: {told}");
    }
}

#[test]
fn what_was_never_made_or_is_not_there_is_told() {
    let (bed, _) = filled();
    // In a second segment.
    bed.put(
        "a/one",
        "a text that was added after the index was opened again",
    );
    bed.put("a/last", "and the last of them");
    let index = bed.index();
    let mut meta = index.writer.lock().meta.clone();
    let last = DocId::local(meta.next_document - 1);
    let unknown = DocId::local(meta.next_document + 7);
    let edge = EdgeRecord {
        shared: 1,
        shingles_a: 1,
        shingles_b: 1,
    };
    let mut batch = Batch::new(index.index.shared.store.records());
    batch.put(key::edge(last, unknown), edge.encode());
    batch.put(key::group(last), vec![1, 2]);
    batch.put(key::group(unknown), 1_u64.to_be_bytes().to_vec());
    let first = DocId::local(0);
    batch.put(key::group(first), 9_999_u64.to_be_bytes().to_vec());
    meta.next_document -= 1;
    meta.next_root = 2;
    meta.next_segment = 2;
    batch.put(key::meta(), meta.encode());
    batch.write().unwrap();
    let told = told(&bed, VerifyDepth::Heads);
    for fault in [
        "record e 00000000000000290000000000000031: a document that it joins",
        "record g 0000000000000029: a key of another form",
        "record g 0000000000000031: its document is not on record",
        "record g 0000000000000000: number 9999 was never made, the next is 1",
        "record d 0000000000000029: number 41 was never made, the next is 41",
        "record r 00000002: number 2 was never made, the next is 2",
        "record d 0000000000000028: its text: number 2 was never made, the next is 2",
    ] {
        assert!(told.contains(fault), "{fault}: {told}");
    }
}

#[test]
fn what_a_crash_leaves_behind_the_last_text_is_no_fault() {
    let (bed, _) = filled();
    let segment = fs::read_dir(bed.texts()).unwrap().next().unwrap().unwrap();
    let mut bytes = fs::read(segment.path()).unwrap();
    // A torn block that nothing refers to.
    let head = bytes[..32].to_vec();
    bytes.extend(head);
    bytes.extend(vec![0; 1 << 17]);
    fs::write(segment.path(), bytes).unwrap();
    let found = verified(&bed, VerifyDepth::Everything);
    assert_eq!((found.faults.count, found.dead_blocks), (0, 1));
}

#[test]
fn faults_beyond_the_first_are_counted() {
    let mut faults = Faults::default();
    (0..1_000).for_each(|at| faults.tell(at.to_string()));
    assert_eq!((faults.count, faults.messages.len()), (1_000, 50));
}
