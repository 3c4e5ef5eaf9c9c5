//! Text directories that were restored, exchanged or removed: their content is never mistaken for the text of a
//! document.

use std::fs;
use std::path::Path;

use simdex_schema::{DocId, DocumentHash, DocumentKind, DocumentRecord, State, key};
use simdex_signature::{CANONICAL_VERSION, CanonicalText};

use super::bed::{Bed, Clients, content, file, put_content, sign};
use super::candidates::check;
use super::older_formats::{meta_of_format, shorten_records};
use super::texts::Random;
use crate::integrity::{VerifyDepth, verify};
use crate::store::Write;
use crate::text::{TextRef, TextStore, block_of_format_2};
use crate::{Cancel, CandidateKind, IndexError, MemoryAccount, NewDocument};

/// Two texts that look alike from outside: of the same length, also when compressed.
fn twins() -> [String; 2] {
    let mut random = Random::new(91);
    let packed = |text: &str| zstd::bulk::compress(text.as_bytes(), 3).unwrap().len();
    let first = random.words(12);
    loop {
        let second = random.words(12);
        if (first.len(), packed(&first)) == (second.len(), packed(&second)) && first != second {
            return [first, second];
        }
    }
}

/// An index with one file, merged, closed and opened again.
fn with(text: &str) -> Bed {
    let mut bed = Bed::memory();
    bed.put("a/x", text);
    bed.settle();
    bed.close_and_open();
    bed
}

fn replace_dir(dir: &Path, by: &Path) {
    fs::remove_dir_all(dir).unwrap();
    fs::create_dir(dir).unwrap();
    for entry in fs::read_dir(by).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), dir.join(entry.file_name())).unwrap();
    }
}

fn reference(index: &Clients, text: &str) -> TextRef {
    let id = index
        .reader()
        .documents()
        .with_hash(super::bed::document(text))
        .unwrap();
    let record = index
        .reader()
        .documents()
        .record(id.unwrap())
        .unwrap()
        .unwrap();
    crate::document_text::text_reference(&record)
        .unwrap()
        .unwrap()
}

/// The text directory of an index with this text, exchanged for one that has its twin in exactly the same place: of
/// another store, or of this store's own past or another line of its history.
fn exchanged(same_store: bool) -> (Bed, [String; 2]) {
    let twins = twins();
    let bed = with(&twins[0]);
    let at = reference(bed.index(), &twins[0]);
    let other = tempfile::tempdir().unwrap();
    let id = match same_store {
        true => bed.index().writer.lock().meta.store.unwrap(),
        false => simdex_schema::StoreId([5; 16]),
    };
    let store = TextStore::open(other.path(), id, at.segment).unwrap();
    let twin = store.append(&[&twins[1]]).unwrap()[0];
    assert_eq!(
        (twin.segment, twin.offset, twin.block_len, twin.len),
        (at.segment, at.offset, at.block_len, at.len)
    );
    store.sync().unwrap();
    replace_dir(&bed.texts(), other.path());
    (bed, twins)
}

/// What must hold wherever the text of `a/x` is not that of its document: it is reported as lost, by every way to it,
/// and its file is read again.
fn assert_lost(bed: &mut Bed, text: &str) {
    let id = bed.id(text).unwrap();
    bed.open();
    assert!(matches!(
        bed.reader().texts().read_unaccounted(id),
        Err(IndexError::Text(_))
    ));
    assert_eq!(bed.reader().documents().damaged().len(), 1);
    bed.open();
    let account = account(bed);
    assert!(matches!(
        bed.reader().shingles().of_document(id, &account),
        Err(IndexError::Text(_))
    ));
    // A rebuild signs every text again.
    bed.options.rebuild = true;
    assert_eq!(bed.open().damaged_texts, 1);
    bed.options.rebuild = false;
    let found = verify(
        bed.index().index.shared.store.as_ref(),
        &bed.texts(),
        VerifyDepth::Everything,
    )
    .unwrap();
    assert_eq!(found.faults.count, 1, "{:?}", found.faults.messages);
    assert_eq!(
        bed.index().writer.release_damaged_texts().unwrap(),
        [file("a/x")]
    );
    let unread = bed.index().registry().file(&file("a/x")).unwrap().unwrap();
    assert!(matches!(
        unread.outcome,
        simdex_schema::file::FileOutcome::Unread(State::Unstable, _)
    ));
    bed.put("a/x", text);
    let again = bed.id(text).unwrap();
    assert_eq!(
        bed.reader()
            .texts()
            .read_unaccounted(again)
            .unwrap()
            .as_deref(),
        Some(text)
    );
    assert!(bed.reader().documents().damaged().is_empty());
}

fn account(bed: &Bed) -> MemoryAccount {
    bed.reader().memory().requests.account(&Cancel::never())
}

#[test]
fn the_texts_of_another_data_directory_are_not_served() {
    let (mut bed, twins) = exchanged(false);
    assert_lost(&mut bed, &twins[0]);
}

#[test]
fn texts_of_the_same_store_restored_from_another_time_are_not_served() {
    let (mut bed, twins) = exchanged(true);
    assert_lost(&mut bed, &twins[0]);
}

#[test]
fn a_text_directory_that_is_gone_is_noticed_when_the_index_opens() {
    let twins = twins();
    let mut bed = with(&twins[0]);
    fs::remove_dir_all(bed.texts()).unwrap();
    assert_eq!(
        bed.open().damaged_texts,
        1,
        "though nothing is signed again"
    );
    assert_lost(&mut bed, &twins[0]);
}

/// Converts an index to what format 1 or 2 would have stored, with this text in place of the first.
fn as_format(version: u32, bed: &mut Bed, text: &str, stored: &str) {
    let index = bed.index();
    let at = reference(index, text);
    let id = bed.id(text).unwrap();
    let record = index.reader().documents().record(id).unwrap().unwrap();
    let text = Some(at.to_bytes()[..24].to_vec());
    let record = DocumentRecord { text, ..record };
    let meta = meta_of_format(version, &index.writer.lock().meta);
    let put = |key, value| Write::Put { key, value };
    let writes = vec![
        put(key::document(id), record.encode()),
        put(key::meta(), meta),
    ];
    index.index.shared.store.records().apply(writes).unwrap();
    shorten_records(bed, version);
    assert_eq!(at.offset, 0);
    let block = block_of_format_2(at.segment, 0, stored.as_bytes());
    fs::write(bed.texts().join(format!("{:06}.seg", at.segment)), block).unwrap();
}

#[test]
fn a_store_of_format_1_or_2_is_taken_over_and_its_texts_are_read() {
    for version in [1, 2] {
        is_taken_over(version);
    }
}

fn is_taken_over(version: u32) {
    let twins = twins();
    let mut bed = with(&twins[0]);
    as_format(version, &mut bed, &twins[0], &twins[0]);
    assert_eq!(bed.open().damaged_texts, 0);
    let store = bed.index().writer.lock().meta.store;
    assert!(store.is_some());
    bed.put("a/y", &twins[1]);
    bed.close_and_open();
    assert_eq!(bed.index().writer.lock().meta.store, store);
    for text in &twins {
        let id = bed.id(text).unwrap();
        assert_eq!(
            bed.reader().texts().read_unaccounted(id).unwrap().as_ref(),
            Some(text)
        );
        let shingles = bed.reader().shingles().of_document(id, &account(&bed));
        assert!(shingles.unwrap().is_some());
    }
}

/// With format 3 only the meta record and the texts changed, and its texts are as they are today: such a store differs
/// by its meta record, and by records of contents and files without later fields.
#[test]
fn a_store_of_format_3_keeps_its_id_and_its_texts() {
    let text = twins()[0].clone();
    let mut bed = with(&text);
    let meta = bed.index().writer.lock().meta.clone();
    let write = Write::Put {
        key: key::meta(),
        value: meta_of_format(3, &meta),
    };
    let records = |bed: &Bed, write| bed.index().index.shared.store.records().apply(vec![write]);
    records(&bed, write).unwrap();
    shorten_records(&bed, 3);
    let report = bed.open();
    assert_eq!((report.signed_again, report.damaged_texts), (1, 0));
    bed.verify();
    assert_eq!(bed.index().writer.lock().meta.store, meta.store);
    let id = bed.id(&text).unwrap();
    assert_eq!(
        bed.reader().texts().read_unaccounted(id).unwrap(),
        Some(text)
    );
}

/// A document whose hash is not that of its text, like one identified by another canonical text.
fn put_misnamed(bed: &Bed, path: &str, text: &str) -> DocId {
    let canonical = CanonicalText::from_extracted(text);
    let reader = bed.reader();
    let length = canonical.as_bytes().len() as u64;
    let name = DocumentHash(*blake3::hash(path.as_bytes()).as_bytes());
    let document = NewDocument {
        permit: None,
        hash: name,
        kind: DocumentKind::Text,
        length,
        chars: canonical.chars(),
        text: Some(text.to_owned()),
        signatures: sign(reader, &canonical),
    };
    let change = put_content(path, content(text, 0), State::Indexed, Some(document));
    bed.index().writer.apply(&[change]).unwrap();
    reader.documents().with_hash(name).unwrap().unwrap()
}

#[test]
fn texts_named_by_an_earlier_canonical_text_are_served_and_later_ones_held_against_their_names() {
    let mut random = Random::new(93);
    let (early, late) = (random.words(90), random.words(90));
    let mut bed = Bed::memory();
    bed.parameters.canonical = CANONICAL_VERSION - 1;
    bed.close_and_open();
    let before = put_misnamed(&bed, "a/early", &early);
    bed.close();
    bed.parameters.canonical = CANONICAL_VERSION;
    assert_eq!(bed.open().damaged_texts, 0);
    bed.verify();
    bed.settle();
    let after = put_misnamed(&bed, "a/late", &late);
    let (reader, account) = (bed.reader(), account(&bed));
    let shingles = |id| reader.shingles().of_document(id, &account);
    assert_eq!(
        reader.texts().read_unaccounted(before).unwrap().as_ref(),
        Some(&early)
    );
    assert!(shingles(before).unwrap().is_some());
    assert!(matches!(shingles(after), Err(IndexError::Text(_))));
    assert_eq!(reader.documents().damaged().len(), 1, "the later one alone");
}

#[test]
fn an_old_reference_without_a_checksum_is_held_against_its_documents_name() {
    let twins = twins();
    let mut bed = with(&twins[0]);
    as_format(2, &mut bed, &twins[0], &twins[1]);
    assert_lost(&mut bed, &twins[0]);
}

#[test]
fn a_foreign_text_is_not_copied_into_a_new_segment() {
    let twins = twins();
    let mut random = Random::new(92);
    let mut bed = with(&twins[0]);
    as_format(2, &mut bed, &twins[0], &twins[1]);
    // After it, so that the segment is mostly dead.
    let at = reference(bed.index(), &twins[0]);
    let path = bed.texts().join(format!("{:06}.seg", at.segment));
    let mut bytes = fs::read(&path).unwrap();
    let dead = block_of_format_2(at.segment, bytes.len() as u64, random.words(90).as_bytes());
    bytes.extend(dead);
    fs::write(&path, bytes).unwrap();
    bed.open();
    assert_eq!(
        bed.index().writer.compact_texts(&Cancel::never()).unwrap(),
        0
    );
    assert_eq!(
        reference(bed.index(), &twins[0]),
        at,
        "it stands where it stood"
    );
    assert!(!bed.reader().documents().damaged().is_empty());
    assert_eq!(
        bed.index().writer.release_damaged_texts().unwrap(),
        [file("a/x")]
    );
}

#[test]
fn a_segment_removed_while_it_is_written_costs_only_what_was_in_it() {
    let twins = twins();
    let mut bed = Bed::memory();
    bed.put("a/x", &twins[0]);
    fs::remove_dir_all(bed.texts()).unwrap();
    bed.put("a/y", &twins[1]);
    let id = bed.id(&twins[1]).unwrap();
    assert_eq!(
        bed.reader().texts().read_unaccounted(id).unwrap().as_ref(),
        Some(&twins[1])
    );
    // The commit reports it: what it made safe lacks a text.
    bed.index().writer.commit().unwrap();
    assert!(!bed.reader().documents().damaged().is_empty());
    assert_eq!(
        bed.index().writer.release_damaged_texts().unwrap(),
        [file("a/x")]
    );
    assert!(
        bed.index()
            .writer
            .release_damaged_texts()
            .unwrap()
            .is_empty()
    );
    bed.put("a/x", &twins[0]);
    bed.settle();
    bed.close_and_open();
    for text in &twins {
        let id = bed.id(text).unwrap();
        assert_eq!(
            bed.reader().texts().read_unaccounted(id).unwrap().as_ref(),
            Some(text)
        );
    }
}

#[test]
fn no_segment_number_is_used_again_after_the_directory_was_removed() {
    let twins = twins();
    let mut bed = with(&twins[0]);
    let before = reference(bed.index(), &twins[0]).segment;
    fs::remove_dir_all(bed.texts()).unwrap();
    bed.open();
    bed.put("a/y", &twins[1]);
    assert!(reference(bed.index(), &twins[1]).segment > before);
}

#[test]
fn an_exchanged_segment_is_noticed_at_opening_and_read_again_whole() {
    let mut random = Random::new(93);
    let texts: Vec<String> = (0..30).map(|_| random.words(40)).collect();
    let [mut bed, other] = [0, 1].map(|_| {
        let mut bed = Bed::memory();
        for (at, text) in texts.iter().enumerate() {
            bed.put(&format!("a/{at}"), text);
        }
        bed.settle();
        bed.close_and_open();
        bed
    });
    replace_dir(&bed.texts(), &other.texts());
    assert_eq!(bed.open().damaged_texts, 2, "the first and the last");
    assert_eq!(
        bed.index().writer.release_damaged_texts().unwrap().len(),
        texts.len()
    );
    assert!(
        bed.index()
            .writer
            .release_damaged_texts()
            .unwrap()
            .is_empty()
    );
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
        let id = bed.id(text).unwrap();
        assert_eq!(
            bed.reader().texts().read_unaccounted(id).unwrap().as_ref(),
            Some(text)
        );
    }
}

#[test]
fn a_run_of_another_store_is_not_believed_and_all_are_made_anew() {
    let mut random = Random::new(94);
    let [(mut bed, texts), (other, _)] = [0, 1].map(|_| {
        let texts: Vec<String> = (0..9).map(|_| random.words(60)).collect();
        let mut bed = Bed::disk();
        for (at, text) in texts.iter().enumerate() {
            bed.put(&format!("a/{at}"), text);
        }
        bed.settle();
        bed.close_and_open();
        bed.close();
        (bed, texts)
    });
    let run = |bed: &Bed| bed.texts().with_file_name("store/runs/000001");
    fs::remove_dir_all(run(&bed)).unwrap();
    fs::rename(run(&other), run(&bed)).unwrap();
    assert_eq!(bed.open().signed_again, 9);
    for text in &texts {
        check(&bed, &texts, text, CandidateKind::Contained);
    }
    bed.close_and_open();
    assert_eq!(bed.open().signed_again, 0);
}
