//! What an opening does besides reading, and what it holds meanwhile.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use simdex_schema::key;

use super::bed::{Bed, file, put_raw};
use super::candidates::is_found;
use super::frail::{Access, hook};
use super::texts::Random;
use crate::{Cancel, IndexError, UnreadTexts};

#[test]
fn documents_to_be_signed_again_are_held_one_at_a_time() {
    const DOCUMENTS: usize = 20;
    let mut random = Random::new(41);
    let mut bed = Bed::memory();
    for at in 0..DOCUMENTS {
        let bytes = random.words(3_000).into_bytes();
        bed.index()
            .writer
            .apply(&[put_raw(&format!("a/{at}"), &bytes)])
            .unwrap();
    }
    let read: Rc<RefCell<BTreeMap<Vec<u8>, usize>>> = Rc::default();
    let seen = Rc::clone(&read);
    let hooked = hook(move |access, key| {
        if access == Access::Read && key.first() == Some(&key::prefix::DOCUMENT) {
            *seen.borrow_mut().entry(key.to_vec()).or_default() += 1;
        }
    });
    assert_eq!(bed.open().signed_again, DOCUMENTS as u64);
    drop(hooked);
    // Once in the scan, which keeps none, and once when it is signed.
    let read = read.borrow();
    assert_eq!(read.values().copied().collect::<Vec<_>>(), [2; DOCUMENTS]);
}

#[test]
fn an_opening_that_is_stopped_lets_go_of_no_document_whose_text_is_missing() {
    let mut random = Random::new(42);
    let mut bed = Bed::memory();
    let texts: Vec<String> = (0..4).map(|_| random.words(60)).collect();
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), text);
    }
    let (dir, away) = (bed.texts(), bed.texts().with_extension("away"));
    std::fs::rename(&dir, &away).unwrap();
    // The second read of a document is the one that signs it again.
    let (stop, mut seen) = (Cancel::never(), BTreeMap::new());
    let stopping = stop.clone();
    let hooked = hook(move |access, key| {
        if access == Access::Read && key.first() == Some(&key::prefix::DOCUMENT) {
            let times = seen.entry(key.to_vec()).or_insert(0);
            *times += 1;
            if *times == 2 {
                stopping.cancel();
            }
        }
    });
    let stopped = bed.open_unless(&stop);
    assert!(matches!(stopped, Err(IndexError::Cancelled)), "{stopped:?}");
    drop(hooked);
    std::fs::remove_dir_all(&dir).unwrap();
    std::fs::rename(&away, &dir).unwrap();
    let report = bed.open();
    assert_eq!(report.damaged_texts, 0);
    for (at, text) in texts.iter().enumerate() {
        let known = bed.index().registry().file(&file(&format!("a/{at}")));
        assert!(known.unwrap().is_some());
        let id = bed.id(text).unwrap();
        assert_eq!(
            bed.reader().texts().read_unaccounted(id).unwrap().as_ref(),
            Some(text)
        );
    }
}

/// A bed whose texts are in two segments, each with some documents, and the folder of the first.
fn with_two_segments(random: &mut Random) -> (Bed, Vec<String>) {
    let mut bed = Bed::memory();
    bed.options.buffer_postings = 200;
    let texts: Vec<String> = (0..16).map(|_| random.words(200)).collect();
    for (at, text) in texts.iter().enumerate() {
        if at == 8 {
            bed.close_and_open();
        }
        bed.put(&format!("a/{at}"), text);
    }
    bed.close_and_open();
    (bed, texts)
}

fn postings(bed: &Bed) -> u64 {
    let usage = bed.index().index.usage();
    usage.iter().map(|usage| usage.postings).sum()
}

#[test]
fn an_opening_that_refuses_for_missing_texts_leaves_documents_behind_them_to_be_signed() {
    for (unread, rebuild) in [
        (UnreadTexts::RefuseMissing, true),
        (UnreadTexts::Refuse, true),
        (UnreadTexts::Refuse, false),
    ] {
        let (mut bed, texts) = with_two_segments(&mut Random::new(43));
        let usage = postings(&bed);
        let first = bed.texts().join("000001.seg");
        let away = first.with_extension("away");
        std::fs::rename(&first, &away).unwrap();
        (bed.options.unread, bed.options.rebuild) = (unread, rebuild);
        let refused = bed.try_open();
        assert!(
            matches!(refused, Err(IndexError::UnreadTexts(8))),
            "{refused:?}"
        );
        std::fs::rename(&away, &first).unwrap();
        (bed.options.unread, bed.options.rebuild) = (UnreadTexts::Release, false);
        assert_eq!(bed.open().damaged_texts, 0);
        assert_eq!(postings(&bed), usage, "{unread:?}");
        assert!(texts.iter().all(|text| is_found(&bed, text)));
        bed.verify();
    }
}

#[test]
fn a_merge_passes_no_document_whose_text_may_come_back() {
    let (mut bed, texts) = with_two_segments(&mut Random::new(44));
    let first = bed.texts().join("000001.seg");
    let away = first.with_extension("away");
    std::fs::rename(&first, &away).unwrap();
    bed.options.rebuild = true;
    bed.open();
    // Dropped as in a crash, before anything damaged is released.
    std::fs::rename(&away, &first).unwrap();
    bed.options.rebuild = false;
    bed.open();
    for text in &texts[..8] {
        assert!(bed.id(text).is_none(), "its file is to be read again");
    }
    assert!(texts[8..].iter().all(|text| is_found(&bed, text)));
    bed.verify();
}

/// A start checks every document under locks that each cover a bounded number of them, and assigns no id to a group
/// that has one.
#[test]
fn a_start_looks_at_documents_in_parts_and_regroups_none_that_has_its_place() {
    let mut random = Random::new(43);
    let mut bed = Bed::memory();
    for at in 0..90 {
        let text = random.words(60);
        bed.put(&format!("a/{at}"), &text);
        bed.put(&format!("b/{at}"), &text);
        bed.put(&format!("c/{at}"), &random.version(&text, 1));
    }
    bed.settle();
    bed.close_and_open();
    let writer = &bed.index().writer;
    let waiting = || writer.shared.state().unsettled.counts().awaited;
    assert!(waiting() >= 180, "every document is to be checked");
    writer.settle_step(&Cancel::never()).unwrap();
    let state = writer.shared.state();
    assert_eq!(state.unsettled.largest_part, 64);
    assert_eq!(
        (state.unsettled.regroupings(), state.group_ids.len()),
        (0, 90)
    );
    drop(state);
    assert_eq!(waiting(), 0);
    bed.settle();
    bed.verify();
}
