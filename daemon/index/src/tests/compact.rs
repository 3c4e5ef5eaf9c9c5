//! Text segments that are mostly dead are rewritten; every text stays readable.

use std::sync::atomic::{AtomicBool, Ordering};

use super::bed::{Bed, put};
use super::frail::DAWDLES;
use super::texts::Random;

#[test]
fn compaction_keeps_every_live_text_readable() {
    let mut random = Random::new(51);
    let mut bed = Bed::memory();
    let texts: Vec<String> = (0..200).map(|_| random.words(60)).collect();
    let files = texts.iter().enumerate();
    let files: Vec<_> = files
        .map(|(at, text)| put(bed.index(), &format!("a/{at}"), text, 0))
        .collect();
    bed.index().apply(&files).unwrap();
    // Two empty texts lie in one place.
    bed.index()
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
    bed.index().merge().unwrap();
    assert_eq!(bed.index().compact_texts().unwrap(), 1);
    assert_eq!(bed.index().compact_texts().unwrap(), 0);
    for _ in 0..2 {
        for text in texts.iter().step_by(4) {
            let id = bed.id(text).unwrap();
            assert_eq!(bed.index().text(id).unwrap().as_ref(), Some(text));
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
        bed.index().apply(&files.collect::<Vec<_>>()).unwrap();
        let passing: Vec<String> = (0..60).map(|_| random.words(60)).collect();
        for (at, text) in passing.iter().enumerate() {
            bed.put(&format!("b/{at}"), text);
        }
        (0..60).for_each(|at| bed.remove(&format!("b/{at}")));
        bed.settle();
        bed.index().merge().unwrap();
        done.store(false, Ordering::SeqCst);
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                DAWDLES.set(true);
                while !done.load(Ordering::SeqCst) {
                    for text in &kept {
                        let id = bed.id(text).unwrap();
                        assert_eq!(bed.index().text(id).unwrap().as_ref(), Some(text));
                    }
                }
            });
            let compacted = bed.index().compact_texts();
            done.store(true, Ordering::SeqCst);
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
    let groups: Vec<_> = bed.index().state().stars.with_members().collect();
    assert_eq!(groups.len(), 1, "left and near");
    assert!(bed.index().text(bed.id(&gone).unwrap()).is_err());
}
