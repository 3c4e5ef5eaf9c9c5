//! Memory: a thread that compares documents never waits for what it holds itself.

use std::time::{Duration, Instant};

use simdex_signature::Ratio;

use super::bed::{Bed, put};
use super::texts::Random;
use crate::{Cancel, IndexError, VisibleRoots, Work};

/// Cancels a test that would hang; what it tests does not wait.
fn patience() -> Cancel {
    Cancel::at(Instant::now() + Duration::from_secs(120))
}

/// Long versions of one text, in an index where half of the memory holds the shingles of one of them, but not of two.
fn bed() -> (Bed, Vec<String>) {
    let mut bed = Bed::memory();
    bed.options.working_bytes = 5 << 20;
    bed.options.listed_shingles = 1 << 20;
    bed.options.cached_shingles = 1 << 20;
    bed.open();
    let mut random = Random::new(7);
    let base = random.words(30_000);
    let texts = (0..4).map(|_| random.version(&base, 40)).collect();
    (bed, texts)
}

#[test]
fn long_versions_are_placed_beside_one_that_takes_most_of_the_memory() {
    let (bed, texts) = bed();
    for (at, some) in [&texts[..1], &texts[1..]].into_iter().enumerate() {
        let changes = some.iter().enumerate();
        let changes = changes.map(|(n, text)| put(bed.index(), &format!("a/{at}{n}"), text, 0));
        bed.index()
            .writer
            .apply(&changes.collect::<Vec<_>>())
            .unwrap();
        bed.index().writer.settle(&patience()).unwrap();
    }
    let budget = &bed.reader().memory().backlog;
    assert_eq!((budget.used(), budget.waiting()), (0, 0));
    assert_eq!(bed.stored_edges(), texts.len() - 1);
}

#[test]
fn a_search_for_pairs_takes_its_permits_beside_those_of_its_asker() {
    let (bed, texts) = bed();
    let changes = texts.iter().enumerate();
    let changes = changes.map(|(n, text)| put(bed.index(), &format!("a/{n}"), text, 0));
    bed.index()
        .writer
        .apply(&changes.collect::<Vec<_>>())
        .unwrap();
    let index = bed.index();
    let questions = &index.reader().memory().requests;
    let account = questions.account_of(7, &patience());
    let _held = account.take(questions.total()).unwrap();
    let search = index
        .reader()
        .pairs()
        .search(&VisibleRoots::All, index.index.shared.threshold());
    for id in search.documents() {
        let partners = search.partners_of(id, &account).unwrap();
        assert_eq!(partners.len(), texts.len() - 1);
    }
    let groups =
        index
            .reader()
            .groups()
            .of_view(&VisibleRoots::All, Ratio::new(0.75).unwrap(), &account);
    assert_eq!(groups.unwrap().groups.len(), 1);
}

#[test]
fn groups_are_counted_before_they_are_made() {
    let bed = Bed::memory();
    let texts = (0..6_000).map(|at| format!("a document of a few words, number {at}"));
    let changes = texts.enumerate();
    let changes = changes.map(|(n, text)| put(bed.index(), &format!("a/{n}"), &text, 0));
    bed.index()
        .writer
        .apply(&changes.collect::<Vec<_>>())
        .unwrap();
    let index = bed.index();
    let questions = &index.reader().memory().requests;
    let _all = questions.acquire(questions.total(), &patience()).unwrap();
    let account = questions.account(&Cancel::at(Instant::now() + Duration::from_millis(20)));
    let refused = index
        .reader()
        .groups()
        .of_view(&VisibleRoots::All, Ratio::ONE, &account);
    assert!(matches!(refused, Err(IndexError::Cancelled)));
    assert_eq!(
        index.index.work(),
        Work::default(),
        "nothing was read for them"
    );
}
