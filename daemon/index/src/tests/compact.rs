//! Text segments that are mostly dead are rewritten; every text stays readable.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::bed::{Bed, Finish, put};
use super::frail::{Access, DAWDLES, hook};
use super::texts::Random;
use crate::Cancel;

#[test]
fn compaction_keeps_every_live_text_readable() {
    let mut random = Random::new(51);
    let mut bed = Bed::memory();
    let texts: Vec<String> = (0..200).map(|_| random.words(60)).collect();
    let files = texts.iter().enumerate();
    let files: Vec<_> = files
        .map(|(at, text)| put(bed.index(), &format!("a/{at}"), text, 0))
        .collect();
    bed.index().writer.apply(&files).unwrap();
    // Two empty texts are at one position.
    bed.index()
        .writer
        .apply(&[
            put(bed.index(), "b/1", "", 0),
            put(bed.index(), "b/2", " ", 0),
        ])
        .unwrap();
    bed.close_and_open();
    for at in (0..200).filter(|at| at % 4 != 0) {
        bed.remove(&format!("a/{at}"));
    }
    bed.settle();
    bed.index().writer.merge().unwrap();
    assert_eq!(
        bed.index().writer.compact_texts(&Cancel::never()).unwrap(),
        1
    );
    assert_eq!(
        bed.index().writer.compact_texts(&Cancel::never()).unwrap(),
        0
    );
    for _ in 0..2 {
        for text in texts.iter().step_by(4) {
            let id = bed.id(text).unwrap();
            assert_eq!(
                bed.reader().texts().read_unaccounted(id).unwrap().as_ref(),
                Some(text)
            );
        }
        assert_eq!(bed.open().damaged_texts, 0);
    }
}

#[test]
fn readers_find_their_texts_while_segments_are_rewritten() {
    let mut random = Random::new(52);
    let mut bed = Bed::memory();
    let kept: Vec<String> = (0..8).map(|_| random.words(40)).collect();
    let done = AtomicBool::new(false);
    for round in 0..6 {
        let files = kept.iter().enumerate();
        let files = files.map(|(at, text)| put(bed.index(), &format!("a/{at}"), text, 0));
        bed.index()
            .writer
            .apply(&files.collect::<Vec<_>>())
            .unwrap();
        let passing: Vec<String> = (0..60).map(|_| random.words(60)).collect();
        for (at, text) in passing.iter().enumerate() {
            bed.put(&format!("b/{at}"), text);
        }
        (0..60).for_each(|at| bed.remove(&format!("b/{at}")));
        bed.settle();
        bed.index().writer.merge().unwrap();
        done.store(false, Ordering::SeqCst);
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                DAWDLES.set(true);
                while !done.load(Ordering::SeqCst) {
                    for text in &kept {
                        let id = bed.id(text).unwrap();
                        assert_eq!(
                            bed.reader().texts().read_unaccounted(id).unwrap().as_ref(),
                            Some(text)
                        );
                    }
                }
            });
            let finish = Finish(&done);
            let compacted = bed.index().writer.compact_texts(&Cancel::never());
            drop(finish);
            assert!(compacted.unwrap() > 0, "round {round}");
            reader.join().unwrap();
        });
        bed.open();
    }
}

#[test]
fn a_lost_text_is_reported_and_does_not_stop_the_others() {
    let (mut bed, mut random) = (Bed::memory(), Random::new(53));
    let (gone, left) = (random.words(50), random.words(50));
    bed.put("a/gone", &gone);
    for entry in std::fs::read_dir(bed.texts()).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    assert_eq!(bed.open().damaged_texts, 1);
    bed.put("a/left", &left);
    bed.put("a/near", &format!("{left} and more"));
    bed.settle();
    let groups: Vec<_> = bed
        .index()
        .index
        .shared
        .state()
        .stars
        .with_members()
        .collect();
    assert_eq!(groups.len(), 1, "left and near");
    assert!(
        bed.reader()
            .texts()
            .read_unaccounted(bed.id(&gone).unwrap())
            .is_err()
    );
}

/// Counts how often this thread reads the record of a document, by key or in a scan.
fn counting_documents() -> (Rc<Cell<usize>>, impl Drop) {
    let read = Rc::new(Cell::new(0));
    let count = Rc::clone(&read);
    let hooked = hook(move |access, key| {
        let is_document = key.first() == Some(&simdex_schema::key::prefix::DOCUMENT);
        count.set(count.get() + usize::from(access == Access::Read && is_document));
    });
    (read, hooked)
}

#[test]
fn all_dead_segments_cost_one_look_at_the_documents_and_a_little_none() {
    let mut random = Random::new(54);
    let mut bed = Bed::memory();
    for segment in 0..4 {
        for at in 0..30 {
            bed.put(&format!("a/{segment}-{at}"), &random.words(60));
        }
        bed.close_and_open();
        (0..28).for_each(|at| bed.remove(&format!("a/{segment}-{at}")));
    }
    bed.settle();
    bed.index().writer.merge().unwrap();
    let (read, hooked) = counting_documents();
    let compact = |bed: &Bed| bed.index().writer.compact_texts(&Cancel::never()).unwrap();
    // If it is stopped, it has done nothing, and is called again.
    let stopped = Cancel::never();
    stopped.cancel();
    assert_eq!(bed.index().writer.compact_texts(&stopped).unwrap(), 0);
    read.set(0);
    assert_eq!(compact(&bed), 4);
    // Eight live ones: read in the scan, and again before each is moved.
    assert_eq!(read.take(), 8 + 8);
    assert_eq!(compact(&bed), 0);
    drop(hooked);
    bed.close_and_open();
    bed.put("a/short", "a text of a few words");
    bed.remove("a/short");
    bed.settle();
    bed.index().writer.merge().unwrap();
    let (read, _hooked) = counting_documents();
    assert_eq!((compact(&bed), read.get()), (0, 0), "little is dead");
}

#[test]
fn a_close_does_not_wait_for_texts_to_be_rewritten() {
    let mut random = Random::new(55);
    let mut bed = Bed::memory();
    (0..40).for_each(|at| bed.put(&format!("a/{at}"), &random.words(60)));
    bed.close_and_open();
    (0..39).for_each(|at| bed.remove(&format!("a/{at}")));
    bed.settle();
    bed.index().writer.merge().unwrap();
    let (read, hooked) = counting_documents();
    bed.close();
    assert_eq!(read.get(), 0);
    drop(hooked);
    bed.open();
    assert_eq!(
        bed.index().writer.compact_texts(&Cancel::never()).unwrap(),
        1
    );
}

#[test]
fn texts_that_are_newer_than_the_records_are_not_removed() {
    let mut random = Random::new(53);
    let mut bed = Bed::disk();
    let mut put_some = |bed: &Bed, name: &str| {
        for at in 0..20 {
            bed.put(&format!("a/{name}-{at}"), &random.words(300));
        }
    };
    put_some(&bed, "early");
    bed.close();
    let (store, earlier) = (bed.store(), bed.store().with_extension("earlier"));
    // Its files unchanged: it is closed.
    std::fs::create_dir(&earlier).unwrap();
    drop(crate::store::copy_aside(&store, &earlier).unwrap());
    for name in ["late", "later"] {
        bed.open();
        put_some(&bed, name);
        bed.close();
    }
    std::fs::remove_dir_all(&store).unwrap();
    std::fs::rename(&earlier, &store).unwrap();
    bed.open();
    let compacted = bed.index().writer.compact_texts(&Cancel::never());
    assert_eq!(compacted.unwrap(), 0);
    assert_eq!(std::fs::read_dir(bed.texts()).unwrap().count(), 3);
}
