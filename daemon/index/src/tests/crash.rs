//! A store that fails in the middle: nothing is lost and nothing is there twice.

use simdex_schema::posting::Posting;
use simdex_schema::{DocId, Schemes};
use simdex_signature::SchemeKind;

use super::bed::{Bed, file, postings_in_runs, put};
use super::model::Model;
use super::texts::{Random, pool};
use crate::{Cancel, FileChange, VisibleRoots};

/// The content of a bed after the crash is what the model says, counts included.
fn check(bed: &Bed, model: &Model) {
    bed.settle();
    model.check(bed.index(), &VisibleRoots::All, bed.parameters.threshold);
    bed.index().writer.merge().unwrap();
    for usage in bed.index().index.usage() {
        let (postings, bytes) = postings_in_runs(bed.index(), usage.scheme);
        assert_eq!(
            (usage.postings, usage.bytes),
            (postings.len() as u64, bytes)
        );
    }
    // One posting for every fingerprint of every document known, and no more.
    let (postings, _) = postings_in_runs(bed.index(), SchemeKind::ModN);
    let state = bed.index().index.shared.state();
    let known = state.table.known().iter().map(DocId);
    let wanted = known.map(|id| {
        let stats = state.table.get(id).unwrap();
        u64::from(stats.counts[usize::from(stats.rung.get())])
    });
    let of_known = |posting: &&Posting| state.table.get(posting.1).is_some();
    let counted = postings.iter().filter(of_known).count();
    assert_eq!(counted as u64, wanted.sum::<u64>());
}

/// A bed with this percentage of documents merged, the others buffered, and some of them gone.
fn bed(random: &mut Random, merged: usize) -> (Bed, Model) {
    let pool = pool(random, 6, 60);
    let (mut bed, mut model) = (Bed::memory(), Model::default());
    bed.options.buffer_postings = usize::MAX;
    bed.open();
    for (at, text) in pool.iter().enumerate() {
        let path = format!("a/{at}");
        bed.index()
            .writer
            .apply(&[put(bed.index(), &path, text, 0)])
            .unwrap();
        model.files.insert(file(&path), (text.clone(), 0));
        if at == pool.len() * merged / 100 {
            bed.settle();
            bed.index().writer.merge().unwrap();
        }
    }
    for at in (0..pool.len()).step_by(5) {
        bed.remove(&format!("a/{at}"));
        model.files.remove(&file(&format!("a/{at}")));
    }
    (bed, model)
}

#[test]
fn a_merge_cut_short_anywhere_is_made_up_for_by_the_next() {
    merge_cut_short(33);
    merge_cut_short(90);
}

fn merge_cut_short(merged_before: usize) {
    let mut random = Random::new(41);
    let mut writes = 0;
    loop {
        let (mut bed, model) = bed(&mut random, merged_before);
        bed.settle();
        bed.fail_after(writes);
        let merged = bed.index().writer.merge();
        assert_eq!(merged.is_err(), bed.failed());
        bed.fail_after(i64::MAX);
        // Half of the time the process survives and merges again.
        if writes % 2 == 0 {
            bed.open();
        } else {
            bed.put(
                "b/late",
                "a text that comes after the failure, long enough for a window",
            );
            bed.remove("b/late");
        }
        check(&bed, &model);
        bed.open();
        check(&bed, &model);
        if merged.is_ok() {
            break;
        }
        writes += 1 + writes / 6;
    }
    assert!(writes > 30, "the merge made few writes: {writes}");
}

#[test]
fn settling_cut_short_anywhere_is_finished_by_the_next() {
    let mut random = Random::new(42);
    for writes in 0.. {
        let (mut bed, model) = bed(&mut random, 33);
        bed.fail_after(writes);
        let settled = bed.index().writer.settle(&Cancel::never());
        bed.fail_after(i64::MAX);
        bed.open();
        check(&bed, &model);
        if settled.is_ok() {
            assert!(writes > 10);
            return;
        }
    }
}

#[test]
fn a_batch_that_fails_leaves_the_index_as_it_was() {
    let (bed, model) = bed(&mut Random::new(43), 33);
    let text = Random::new(44).words(40);
    bed.fail_after(0);
    let gone = model.files.keys().next().unwrap().clone();
    let changes = vec![put(bed.index(), "b/x", &text, 0), FileChange::removal(gone)];
    assert!(bed.index().writer.apply(&changes).is_err());
    bed.fail_after(i64::MAX);
    check(&bed, &model);
    bed.put("b/x", &text);
    assert!(bed.id(&text).is_some());
}

#[test]
fn another_setting_cut_short_is_taken_on_again() {
    let mut random = Random::new(45);
    for writes in (0..).step_by(5) {
        let (mut bed, model) = bed(&mut random, 33);
        bed.settle();
        bed.index().writer.merge().unwrap();
        bed.parameters.threshold = 0.5;
        bed.parameters.schemes = Schemes::default();
        bed.fail_after(writes);
        let opened = bed.try_open();
        bed.fail_after(i64::MAX);
        bed.open();
        check(&bed, &model);
        if opened.is_ok() {
            assert!(writes > 10);
            return;
        }
    }
}

#[test]
fn an_index_signed_again_in_parts_is_whole() {
    let (mut bed, model) = bed(&mut Random::new(46), 33);
    bed.options.buffer_postings = 500;
    assert!(bed.open().signed_again > 0);
    check(&bed, &model);
}
