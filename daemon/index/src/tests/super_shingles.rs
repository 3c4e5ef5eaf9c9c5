//! Candidates by super-shingles compared with groups of minima computed again, wherever the postings are and whatever
//! was removed.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use simdex_schema::{MetaRecord, Schemes, key};
use simdex_signature::{
    CanonicalText, Fingerprint, SchemeKind, ShingleSet, Signature, SuperShingles, Window, reference,
};

use super::bed::{Bed, account, postings_in_runs, put};
use super::texts::Random;
use crate::store::Write;
use crate::{Candidate, Options, SoughtRatio, VisibleRoots};

fn bed() -> Bed {
    let mut bed = Bed::memory();
    bed.parameters.schemes = Schemes::of(&[SchemeKind::SuperShingles]);
    bed.open();
    bed
}

fn sign(text: &str) -> Signature {
    SuperShingles::sign(&CanonicalText::from_extracted(text), Window::DEFAULT)
}

/// A text with the hashes of its six groups, each after the other, by the definition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Grouped {
    text: String,
    groups: Vec<Fingerprint>,
}

impl Grouped {
    fn of(text: String) -> Self {
        let canonical = CanonicalText::from_extracted(&text);
        let groups = reference::super_shingles(&canonical, Window::DEFAULT);
        Self { text, groups }
    }

    /// How many groups of two texts agree, place by place.
    fn agreeing(&self, other: &Self) -> u64 {
        let pairs = self.groups.iter().zip(&other.groups);
        pairs.filter(|(a, b)| a == b).count() as u64
    }
}

fn ask(bed: &Bed, query: &str, view: &VisibleRoots) -> BTreeMap<u64, Candidate> {
    let found = bed
        .reader()
        .candidates()
        .by_super_shingles(&sign(query), view, &account(bed.index()))
        .unwrap();
    assert_eq!(found.common_lists_count_only, 0);
    let by_id: BTreeMap<_, _> = found.found.iter().map(|c| (c.document.0, *c)).collect();
    assert_eq!(by_id.len(), found.found.len());
    by_id
}

/// Exactly the texts that agree with the query in two groups or more are found, with their number; returns how many
/// these are.
fn check<'a>(bed: &Bed, texts: impl IntoIterator<Item = &'a Grouped>, query: &Grouped) -> usize {
    let texts: BTreeSet<_> = texts.into_iter().collect();
    let expected = texts.into_iter().filter_map(|text| {
        let shared = query.agreeing(text);
        (shared >= 2).then(|| (bed.id(&text.text).unwrap().0, shared))
    });
    let expected: BTreeMap<u64, u64> = expected.collect();
    let found = ask(bed, &query.text, &VisibleRoots::All);
    let shared = found.iter().map(|(id, found)| (*id, found.shared));
    assert_eq!(shared.collect::<BTreeMap<_, _>>(), expected);
    assert!(found.values().all(|found| found.document_fingerprints == 6));
    expected.len()
}

/// Texts of few and many shingles, each with versions from one word on.
fn versions(random: &mut Random) -> Vec<Grouped> {
    let mut texts = Vec::new();
    for length in [5, 8, 30, 200, 900] {
        let base = random.words(length);
        let versions =
            [1, 2, 4, 9].map(|edits| random.version(&base, edits * length.div_ceil(300)));
        texts.extend(versions);
        texts.push(format!("{base} {}", random.words(1)));
        texts.push(base);
    }
    texts.sort();
    texts.dedup();
    texts.into_iter().map(Grouped::of).collect()
}

#[test]
fn candidates_are_those_with_two_equal_groups_in_buffer_and_buckets_and_between() {
    let mut random = Random::new(71);
    let texts = versions(&mut random);
    let (early, late): (Vec<_>, Vec<_>) = (0..texts.len()).partition(|at| at % 2 == 0);
    let mut bed = bed();
    let mut held: Vec<Grouped> = Vec::new();
    let put = |bed: &Bed, root: &str, at: &[usize], held: &mut Vec<Grouped>| {
        for at in at {
            bed.put(&format!("{root}/{at}"), &texts[*at].text);
            held.push(texts[*at].clone());
        }
    };
    let check_all = |bed: &Bed, held: &[Grouped]| -> usize {
        texts.iter().map(|query| check(bed, held, query)).sum()
    };
    put(&bed, "a", &early, &mut held);
    check_all(&bed, &held);
    bed.index().writer.merge().unwrap();
    check_all(&bed, &held);
    put(&bed, "b", &late, &mut held);
    let found = check_all(&bed, &held);
    // More than each itself, and not all that resemble each other.
    let pairs = texts.len() * 6;
    assert!(
        found > texts.len() * 3 / 2 && found < pairs,
        "{found} of {pairs}"
    );
    assert!(!bed.close_and_open().rebuilt);
    assert_eq!(check_all(&bed, &held), found);
    bed.verify();
    let roots = bed.index().registry().roots().unwrap();
    let second = VisibleRoots::Roots(roots.iter().map(|(id, _)| *id).skip(1).collect());
    for at in late {
        let found = ask(&bed, &texts[at].text, &second);
        assert!(found.contains_key(&bed.id(&texts[at].text).unwrap().0));
        assert!(found.len() <= ask(&bed, &texts[at].text, &VisibleRoots::All).len());
    }
}

#[test]
fn each_text_with_a_shingle_has_six_postings_which_go_with_it() {
    let texts = versions(&mut Random::new(72));
    let bed = bed();
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), &text.text);
    }
    bed.settle();
    bed.index().writer.merge().unwrap();
    let in_runs = || {
        postings_in_runs(bed.index(), SchemeKind::SuperShingles)
            .0
            .len()
    };
    assert_eq!(in_runs(), 6 * texts.len());
    let (gone, kept) = texts.split_at(texts.len() / 2);
    let stats = |text: &Grouped| {
        bed.reader()
            .documents()
            .stats(bed.id(&text.text).unwrap())
            .unwrap()
    };
    let dead: u64 = gone
        .iter()
        .map(|text| stats(text).postings(bed.parameters.schemes))
        .sum();
    let without = gone
        .iter()
        .map(|text| stats(text).postings(Schemes::default()));
    assert_eq!(dead, without.sum::<u64>() + 6 * gone.len() as u64);
    for at in 0..gone.len() {
        bed.remove(&format!("a/{at}"));
    }
    bed.settle();
    for query in &texts {
        check(&bed, kept, query);
    }
    bed.index().writer.merge().unwrap();
    assert_eq!(in_runs(), 6 * kept.len());
    assert_eq!(bed.index().writer.lock().meta.dead_postings, 0);
}

#[test]
fn a_list_that_names_them_makes_postings_and_one_that_does_not_drops_them() {
    let texts = versions(&mut Random::new(73));
    let mut bed = Bed::memory();
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), &text.text);
    }
    bed.settle();
    let edges = bed.stored_edges();
    for schemes in [&[SchemeKind::SuperShingles][..], &[], &Schemes::ALL] {
        bed.parameters.schemes = Schemes::of(schemes);
        assert!(bed.open().rebuilt);
        bed.settle();
        bed.index().writer.merge().unwrap();
        assert_eq!(bed.stored_edges(), edges, "edges do not follow from it");
        let (postings, _) = postings_in_runs(bed.index(), SchemeKind::SuperShingles);
        match schemes {
            [] => {
                assert!(
                    postings.is_empty() && ask(&bed, &texts[0].text, &VisibleRoots::All).is_empty()
                )
            }
            _ => {
                assert_eq!(postings.len(), 6 * texts.len());
                texts.iter().for_each(|query| {
                    check(&bed, &texts, query);
                });
            }
        }
        assert!(!bed.close_and_open().rebuilt);
    }
}

/// The meta record as format 10 had it, whose only run told of no super-shingles.
pub(super) fn meta_of_format_10(meta: &MetaRecord) -> Vec<u8> {
    let none = MetaRecord {
        runs: Vec::new(),
        ..meta.clone()
    };
    let (with, without) = (meta.encode(), none.encode());
    let count = with.iter().zip(&without).position(|(a, b)| a != b).unwrap();
    assert_eq!((with[count], without[count]), (1, 0), "there is one run");
    let run_end = with.len() - (without.len() - count - 1);
    let (run, rest) = with.split_at(run_end);
    let (run, last) = run.split_at(run_end - 3);
    assert_eq!(last, [0, 0, 0]);
    let mut bytes = [run, rest].concat();
    bytes[0] = 10;
    bytes
}

#[test]
fn a_store_of_format_10_keeps_its_postings_until_the_list_names_super_shingles() {
    let texts = versions(&mut Random::new(76));
    let mut bed = Bed::memory();
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at}"), &text.text);
    }
    bed.settle();
    bed.close_and_open();
    let before = postings_in_runs(bed.index(), SchemeKind::ModN).0;
    let value = meta_of_format_10(&bed.index().writer.lock().meta);
    let key = key::meta();
    let records = bed.index().index.shared.store.records();
    records.apply(vec![Write::Put { key, value }]).unwrap();
    let report = bed.open();
    assert!(!report.rebuilt && report.signed_again == 0);
    bed.verify();
    assert_eq!(postings_in_runs(bed.index(), SchemeKind::ModN).0, before);
    bed.parameters.schemes = Schemes::of(&[SchemeKind::SuperShingles]);
    assert!(bed.open().rebuilt);
    for query in &texts {
        check(&bed, &texts, query);
    }
}

/// Texts that differ in their last word alone, so many that the lists of their groups are common.
#[test]
fn groups_that_thousands_share_hide_nothing() {
    let mut bed = bed();
    bed.options = Options {
        buffer_postings: usize::MAX,
        ..bed.options
    };
    bed.open();
    let base = Random::new(75).words(60);
    let text = |at: usize| format!("{base} {at:05}");
    for some in (0..16_000).collect::<Vec<_>>().chunks(2_000) {
        let files = some
            .iter()
            .map(|at| put(bed.index(), &format!("a/{at}"), &text(*at), 0));
        let files: Vec<_> = files.collect();
        bed.index().writer.apply(&files).unwrap();
    }
    bed.index().writer.merge().unwrap();
    let found = ask(&bed, &base, &VisibleRoots::All);
    let base = Grouped::of(base.clone());
    for at in (0..16_000).step_by(400) {
        let text = Grouped::of(text(at));
        let id = bed.id(&text.text).unwrap().0;
        assert_eq!(found.contains_key(&id), base.agreeing(&text) >= 2);
    }
    assert!(found.len() > 12_000, "{} are found", found.len());
}

/// Pairs of 300 words, of which one has one replaced now and then: what is found of them, and what is promised.
#[test]
fn pairs_are_found_as_often_as_the_formula_says() {
    let mut random = Random::new(74);
    let bed = bed();
    let mut pairs = Vec::new();
    for number in 0..1_200 {
        let text = random.words(300);
        let version = random.version(&text, 1 + number % 12);
        bed.put(&format!("a/{number}"), &version);
        pairs.push((text, version));
    }
    bed.index().writer.merge().unwrap();
    let set = |text: &str| ShingleSet::new(&CanonicalText::from_extracted(text), Window::DEFAULT);
    let account = account(bed.index());
    let (mut found, mut expected, mut variance, mut sure) = (0.0, 0.0, 0.0, 0);
    for (text, version) in &pairs {
        let resemblance = set(text).resemblance(&set(version)).unwrap();
        let search = bed.reader().candidates();
        let answer = search.by_super_shingles(&sign(text), &VisibleRoots::All, &account);
        let answer = answer.unwrap();
        let missed = answer
            .coverage
            .missed_at_most(SoughtRatio::Resemblance, resemblance);
        assert_eq!(missed, SuperShingles::missed(resemblance));
        let id = bed.id(version).unwrap();
        found += f64::from(u8::from(answer.found.iter().any(|c| c.document == id)));
        expected += 1.0 - missed;
        variance += missed * (1.0 - missed);
        sure += usize::from(!(0.05..=0.95).contains(&missed));
    }
    assert!(
        sure < pairs.len() / 2 && variance > 100.0,
        "pairs tell nothing"
    );
    let error: f64 = found - expected;
    assert!(
        error.abs() < 3.5 * variance.sqrt(),
        "{found} found, {expected} expected"
    );
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Put(usize, usize),
    Remove(usize),
    Merge,
    Settle,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..12usize, any::<usize>()).prop_map(|(at, text)| Step::Put(at, text)),
        3 => (0..12usize).prop_map(Step::Remove),
        1 => Just(Step::Merge),
        1 => Just(Step::Settle),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_is_put_and_removed_candidates_are_those_of_what_is_there(
        seed in 0..1_000u64, steps in prop::collection::vec(step(), 1..40),
    ) {
        let texts = versions(&mut Random::new(seed));
        let (mut bed, mut files) = (bed(), BTreeMap::new());
        for step in steps {
            match step {
                Step::Put(at, text) => {
                    let text = &texts[text % texts.len()];
                    bed.put(&format!("a/{at}"), &text.text);
                    files.insert(at, text.clone());
                }
                Step::Remove(at) => {
                    if files.remove(&at).is_some() {
                        bed.remove(&format!("a/{at}"));
                    }
                }
                Step::Merge => bed.index().writer.merge().unwrap(),
                Step::Settle => bed.settle(),
                Step::Reopen => assert!(!bed.close_and_open().rebuilt),
            }
            let query = &texts[files.len() % texts.len()];
            check(&bed, files.values(), query);
        }
        for query in &texts {
            check(&bed, files.values(), query);
        }
    }
}
