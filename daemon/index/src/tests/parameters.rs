//! Other settings at the next start: what depends on them is rebuilt.

use simdex_schema::Schemes;
use simdex_signature::{BswN, CanonicalText, Ratio, Rung, SchemeKind, Window};

use super::bed::{Bed, account, file, pairs, postings_in_runs, put};
use super::model::Model;
use super::texts::{Random, pool};
use crate::{FingerprintSink, VisibleRoots};

fn filled(seed: u64) -> (Bed, Model, Vec<String>) {
    let mut random = Random::new(seed);
    let pool = pool(&mut random, 6, 120);
    let (bed, mut model) = (Bed::memory(), Model::default());
    for (at, text) in pool.iter().enumerate() {
        let path = format!("a/{at}");
        bed.index()
            .writer
            .apply(&[put(bed.index(), &path, text, 0)])
            .unwrap();
        model.files.insert(file(&path), (text.clone(), 0));
    }
    bed.settle();
    bed.index().writer.merge().unwrap();
    (bed, model, pool)
}

#[test]
fn another_threshold_finds_all_edges_anew() {
    let (mut bed, model, _) = filled(31);
    for threshold in [0.5, 0.9] {
        bed.parameters.threshold = threshold;
        assert!(bed.open().rebuilt);
        assert!(!bed.index().writer.is_settled());
        bed.settle();
        model.check(bed.index(), &VisibleRoots::All, threshold);
        assert!(!bed.close_and_open().rebuilt);
        bed.settle();
        model.check(bed.index(), &VisibleRoots::All, threshold);
    }
}

/// BSW_n windows of a text that the index finds in its own document, and how many that has.
fn bsw(bed: &Bed, text: &str) -> Option<(u64, u64)> {
    let canonical = CanonicalText::from_extracted(text);
    let window = bed.reader().window();
    let sign = |rung: Rung| BswN::sign(&canonical, window, rung);
    let visit = |rung, each: &mut FingerprintSink<'_>| each(sign(rung).fingerprints());
    let found = bed
        .reader()
        .candidates()
        .sharing_windows(&visit, &VisibleRoots::All, &account(bed.index()))
        .unwrap()
        .counts;
    let id = bed.id(text).unwrap();
    let of_document = bed.reader().documents().stats(id).unwrap().bsw_count;
    found
        .get(&id)
        .map(|shared| (*shared, u64::from(of_document)))
}

#[test]
fn the_second_scheme_comes_and_goes() {
    let (mut bed, model, pool) = filled(32);
    let with = bsw(&bed, &pool[0]).unwrap();
    assert!(with.0 > 0 && with.0 == with.1);
    bed.parameters.schemes = Schemes::default();
    let report = bed.open();
    assert!(report.rebuilt && report.signed_again > 0);
    assert_eq!(bsw(&bed, &pool[0]), None);
    bed.settle();
    bed.index().writer.merge().unwrap();
    assert_eq!(
        postings_in_runs(bed.index(), SchemeKind::BswN),
        (Vec::new(), 0)
    );
    bed.parameters.schemes = Schemes::of(&[SchemeKind::BswN]);
    assert!(bed.open().rebuilt);
    for _ in 0..2 {
        assert_eq!(
            bsw(&bed, &pool[0]),
            Some(with),
            "records tell of the scheme again"
        );
        bed.settle();
        model.check(bed.index(), &VisibleRoots::All, bed.parameters.threshold);
        assert!(!bed.close_and_open().rebuilt);
    }
}

#[test]
fn another_window_or_ladder_makes_records_postings_and_edges_anew() {
    let (mut bed, _, pool) = filled(33);
    bed.parameters.window = 12;
    bed.parameters.target = 64;
    assert!(bed.open().rebuilt);
    bed.open();
    bed.settle();
    bed.index().writer.merge().unwrap();
    let mut fresh = Bed::memory();
    fresh.parameters = bed.parameters.clone();
    fresh.open();
    for (at, text) in pool.iter().enumerate() {
        fresh.put(&format!("a/{at}"), text);
    }
    fresh.settle();
    fresh.index().writer.merge().unwrap();
    assert_eq!(bed.reader().window(), Window::bytes(12).unwrap());
    let edges = |bed: &Bed| {
        let threshold = Ratio::new(bed.parameters.threshold).unwrap();
        pairs(bed.index(), &VisibleRoots::All, threshold).len()
    };
    assert_eq!(edges(&bed), edges(&fresh));
    for scheme in crate::shared::SCHEMES {
        let of = |bed: &Bed| postings_in_runs(bed.index(), scheme);
        assert_eq!(of(&bed), of(&fresh));
    }
    for text in &pool {
        let stats = |bed: &Bed| {
            let stats = bed
                .reader()
                .documents()
                .stats(bed.id(text).unwrap())
                .unwrap();
            (stats.rung, stats.counts, stats.bsw_count)
        };
        assert_eq!(stats(&bed), stats(&fresh));
    }
}

/// A sheet of ten thousand rows may have a hundred shingles: sampled by its length hardly one would be left.
#[test]
fn a_text_that_repeats_itself_is_sampled_as_finely_as_its_shingles_ask_for() {
    let mut random = Random::new(34);
    let bed = Bed::memory();
    let row = random.words(60);
    let twin = random.version(&row, 1);
    let sheets = [row, twin].map(|row| vec![row; 100].join(" "));
    for (at, sheet) in sheets.iter().enumerate() {
        bed.put(&format!("a/{at}"), sheet);
    }
    bed.settle();
    let threshold = Ratio::new(bed.parameters.threshold).unwrap();
    assert!(!pairs(bed.index(), &VisibleRoots::All, threshold).is_empty());
    for sheet in &sheets {
        let stats = bed
            .reader()
            .documents()
            .stats(bed.id(sheet).unwrap())
            .unwrap();
        let by_length = bed.reader().ladder().rung_for(stats.length);
        assert!(
            stats.rung < by_length && stats.postings(bed.parameters.schemes) > 128,
            "{stats:?}"
        );
    }
}
