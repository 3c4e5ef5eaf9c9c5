//! Pairs found by a join are those found by comparing every two texts, at the expected cost.

use std::collections::BTreeSet;

use proptest::prelude::*;
use simdex_schema::{DocId, DocumentHash};
use simdex_signature::{Ratio, SchemeKind};

use super::bed::{Bed, account, file, put};
use super::model::Model;
use super::texts::{Random, pool};
use crate::join::{BlockLimits, JoinLimits};
use crate::{Cancel, IndexError, MemoryBudget, PairSearch, VisibleRoots, Work};

/// So small that a few documents fill several segments, and have long lists.
const SMALL: JoinLimits = JoinLimits {
    members: [300, 300],
    long_from: 9,
    block: BlockLimits {
        turns: 7,
        pairs: 40,
    },
    first_pairs: 16,
    max_pairs: 1 << 20,
    postings_as_one: 1 << 40,
};

/// A bed with these texts, some in both roots, some in several files; and its model.
fn filled(texts: &[String], random: &mut Random) -> (Bed, Model) {
    let (bed, mut model) = (Bed::memory(), Model::default());
    for (at, text) in texts.iter().enumerate() {
        let mut paths = vec![format!("{}/{at:03}", random.pick(&["a", "b"]))];
        while random.once_in(4) {
            let root = random.pick(&["a", "b"]);
            paths.push(format!("{root}/{:03}-{at}", random.below(texts.len())));
        }
        for path in paths {
            bed.put(&path, text);
            model.files.insert(file(&path), (text.clone(), 0));
        }
        if random.once_in(30) {
            bed.index().writer.merge().unwrap();
        }
    }
    (bed, model)
}

fn search<'a>(
    bed: &'a Bed,
    view: &VisibleRoots,
    threshold: f64,
    limits: JoinLimits,
) -> PairSearch<'a> {
    let threshold = Ratio::new(threshold).unwrap();
    let search = bed.reader().pairs().search(view, threshold);
    search.join_at_once(limits);
    search
}

/// Asks for each document in an order, and collects the pairs returned.
fn ask(bed: &Bed, search: &PairSearch<'_>, order: &[DocId]) -> Vec<BTreeSet<DocumentHash>> {
    let (account, mut found) = (account(bed.index()), Vec::new());
    let name = |id: DocId| bed.reader().documents().stats(id).unwrap().hash;
    for (at, id) in order.iter().enumerate() {
        let next = |most: usize| Ok(order[at..].iter().copied().take(most).collect());
        search.look_ahead(*id, &next, &account).unwrap();
        let partners = search.partners_ahead(*id, &account).unwrap();
        for (other, edge) in partners.expect("it was joined").iter() {
            let exact = bed
                .reader()
                .shingles()
                .of_document(*id, &account)
                .unwrap()
                .unwrap();
            let theirs = bed
                .reader()
                .shingles()
                .of_document(*other, &account)
                .unwrap()
                .unwrap();
            assert_eq!(edge.shared, exact.shared_with(&theirs));
            assert_eq!(edge.shingles_a, exact.len() as u64);
            found.push([name(*id), name(*other)].into());
        }
    }
    found
}

/// Every document that a view shows, in some order.
fn shuffled(search: &PairSearch<'_>, random: &mut Random) -> Vec<DocId> {
    let mut order: Vec<DocId> = search.documents().collect();
    for at in 1..order.len() {
        order.swap(at, random.below(at + 1));
    }
    order
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn a_join_finds_what_comparing_every_two_texts_finds(
        seed in 0u64..1_000_000,
        longest in prop::sample::select(vec![60usize, 400]),
        max_pairs in prop::sample::select(vec![80usize, 1 << 20]),
        segment in prop::sample::select(vec![100usize, 5_000]),
        long_from in prop::sample::select(vec![3usize, 9, 256]),
    ) {
        let mut random = Random::new(seed);
        let (bed, model) = filled(&pool(&mut random, 5, longest), &mut random);
        let root = |path| VisibleRoots::Roots([file(path).root].into());
        let limits = JoinLimits { members: [segment, segment], max_pairs, long_from, ..SMALL };
        for view in [VisibleRoots::All, root("a/"), root("b/")] {
            for threshold in [0.2, 0.5, 0.7, 0.9, 1.0] {
                let search = search(&bed, &view, threshold, limits);
                let order = shuffled(&search, &mut random);
                let found = ask(&bed, &search, &order);
                let distinct: BTreeSet<_> = found.iter().cloned().collect();
                prop_assert_eq!(&distinct, &model.pairs(&view, threshold));
            }
        }
    }
}

/// If every document has one file, each pair is returned once, for the document that is asked for first.
#[test]
fn a_pair_is_told_once_by_the_document_that_comes_first() {
    let (bed, mut random) = (Bed::memory(), Random::new(31));
    let texts = pool(&mut random, 6, 60);
    for (at, text) in texts.iter().enumerate() {
        bed.put(&format!("a/{at:03}"), text);
    }
    for max_pairs in [100, 1 << 20] {
        let limits = JoinLimits { max_pairs, ..SMALL };
        let search = search(&bed, &VisibleRoots::All, 0.5, limits);
        let order = shuffled(&search, &mut random);
        let found = ask(&bed, &search, &order);
        let distinct: BTreeSet<_> = found.iter().cloned().collect();
        assert!(found.len() > 30, "{}", found.len());
        assert_eq!(distinct.len(), found.len());
    }
}

/// A joined document knows which pairs are wanted before it reads a text.
#[test]
fn of_joined_documents_only_what_is_wanted_is_counted() {
    let (bed, mut random) = (Bed::memory(), Random::new(32));
    let base = random.words(60);
    for at in 0..12 {
        bed.put(&format!("a/{at}"), &random.version(&base, 1));
    }
    let (search, account) = (
        search(&bed, &VisibleRoots::All, 0.5, SMALL),
        account(bed.index()),
    );
    let order: Vec<DocId> = search.documents().collect();
    let next = |_| Ok(order.clone());
    search.look_ahead(order[0], &next, &account).unwrap();
    let read = |bed: &Bed| bed.index().index.work().texts_read;
    let before = read(&bed);
    let none = search.filtered_partners_of(order[0], &|_| Ok(false), &account);
    assert!(none.unwrap().is_empty());
    assert_eq!((search.counted(), read(&bed)), (0, before));
    let wanted = order[5];
    let one = search.filtered_partners_of(order[0], &|id| Ok(id == wanted), &account);
    assert_eq!(one.unwrap().len(), 1);
    assert_eq!(search.counted(), 1);
}

fn put_all(bed: &Bed, texts: &[String]) {
    for (at, some) in texts.chunks(100).enumerate() {
        let path = |n: usize| format!("a/{:05}", 100 * at + n);
        let changes = some.iter().enumerate();
        let changes = changes.map(|(n, text)| put(bed.index(), &path(n), text, 0));
        let changes: Vec<_> = changes.collect();
        bed.index().writer.apply(&changes).unwrap();
    }
    bed.index().writer.merge().unwrap();
}

/// A bed that counts the same in each run.
fn counting_bed() -> Bed {
    let mut bed = Bed::memory();
    bed.options.listed_shingles = 1 << 20;
    bed.options.cached_shingles = 1 << 20;
    bed.options.second_settler = false;
    bed.open();
    bed
}

/// Work for each document of a join of all at a threshold.
fn work_of_join(bed: &Bed, threshold: f64, documents: usize) -> ([f64; 4], usize) {
    let search = search(bed, &VisibleRoots::All, threshold, JoinLimits::USUAL);
    let order: Vec<DocId> = search.documents().collect();
    let (account, before) = (account(bed.index()), bed.index().index.work());
    let mut pairs = 0;
    for (at, id) in order.iter().enumerate() {
        let next = |most: usize| Ok(order[at..].iter().copied().take(most).collect());
        search.look_ahead(*id, &next, &account).unwrap();
        let partners = search.partners_ahead(*id, &account).unwrap();
        pairs += partners.expect("it was joined").len();
    }
    let Work {
        texts_read,
        lists_read: _,
        postings_read,
        comparisons,
        shingles_counted,
        ..
    } = bed.index().index.work();
    let each = [
        texts_read - before.texts_read,
        postings_read - before.postings_read,
        comparisons - before.comparisons,
        shingles_counted - before.shingles_counted,
    ];
    (each.map(|count| count as f64 / documents as f64), pairs)
}

#[test]
fn every_posting_is_read_twice_at_most_and_a_text_once_for_all_its_pairs() {
    let mut of_each = Vec::new();
    for families in [20, 80] {
        let (bed, mut random) = (counting_bed(), Random::new(33));
        let mut texts = Vec::new();
        for _ in 0..families {
            let base = random.words(200);
            texts.extend((0..8).map(|_| random.version(&base, 2)));
            // These resemble nothing by that much, and are never read.
            texts.extend((0..8).map(|_| random.version(&base, 90)));
        }
        put_all(&bed, &texts);
        let (work, pairs) = work_of_join(&bed, 0.8, texts.len());
        let [read, postings, compared, _] = work;
        assert_eq!(pairs, families * 28);
        assert!(read <= 0.55, "{read} texts");
        assert!(postings <= 2.0 * 600.0, "{postings} postings");
        assert!(compared <= 2.0, "{compared} comparisons");
        of_each.push(work);
    }
    for (small, large) in of_each[0].iter().zip(&of_each[1]) {
        assert!(
            *large <= 1.2 * small,
            "{of_each:?}: four times as many documents"
        );
    }
}

#[test]
fn partners_that_many_documents_have_in_common_are_read_and_counted_few_times() {
    const COUNT: usize = 256;
    let (mut bed, mut random) = (counting_bed(), Random::new(36));
    // Not even four of them stay in memory.
    bed.options.cached_shingles = 1_000;
    bed.close_and_open();
    let base = random.words(200);
    let texts: Vec<String> = (0..COUNT).map(|_| random.version(&base, 2)).collect();
    put_all(&bed, &texts);
    let ([read, _, _, counted], pairs) = work_of_join(&bed, 0.8, COUNT);
    assert_eq!(pairs, COUNT * (COUNT - 1) / 2);
    // Once as a document, at most once for each 64 of those before it, and for the few of its own family alone.
    assert!(read <= 1.0 + 4.0 + 1.0, "{read} texts");
    // Each pair alone would be twice the shingles of a text, half of all pairs for each document.
    let alone = (COUNT * base.len()) as f64;
    assert!(counted <= 0.1 * alone, "{counted} shingles, not {alone}");
}

/// No join pays, so each document is searched for ahead with those that follow.
#[test]
fn a_document_that_many_files_carry_is_searched_for_and_counted_once() {
    const COPIES: usize = 6;
    let (bed, mut random) = (counting_bed(), Random::new(39));
    let base = random.words(200);
    let texts: Vec<String> = (0..40).map(|_| random.version(&base, 2)).collect();
    for copy in 0..COPIES {
        for (at, text) in texts.iter().enumerate() {
            bed.put(&format!("a/{copy}/{at}"), text);
        }
    }
    let limits = JoinLimits {
        postings_as_one: 1,
        ..JoinLimits::USUAL
    };
    let search = search(&bed, &VisibleRoots::All, 0.8, limits);
    let documents: Vec<DocId> = search.documents().collect();
    let order = documents.repeat(COPIES);
    let (account, before) = (account(bed.index()), bed.index().index.work());
    let mut pairs = BTreeSet::new();
    for (at, id) in order.iter().enumerate() {
        let next = |most: usize| Ok(order[at..].iter().copied().take(most).collect());
        search.look_ahead(*id, &next, &account).unwrap();
        let partners = match search.partners_ahead(*id, &account).unwrap() {
            Some(partners) => partners,
            None => search
                .filtered_partners_of(*id, &|_| Ok(true), &account)
                .unwrap(),
        };
        pairs.extend(partners.iter().map(|(other, _)| [*id, *other]));
    }
    let count = documents.len();
    assert_eq!((pairs.len(), search.joins()), (count * (count - 1), 0));
    // From both sides at most, and not once more for each copy.
    let compared = bed.index().index.work().comparisons - before.comparisons;
    assert!(compared <= pairs.len() as u64, "{compared} comparisons");
}

#[test]
fn documents_of_one_template_are_not_compared_with_one_another() {
    for count in [600, 2_400] {
        let (bed, mut random) = (counting_bed(), Random::new(34));
        let template = random.words(30);
        let text = |_| format!("{template} {}", random.words(30));
        put_all(&bed, &(0..count).map(text).collect::<Vec<_>>());
        let ([read, postings, compared, _], pairs) = work_of_join(&bed, 0.8, count);
        assert_eq!((pairs, read, compared), (0, 0.0, 0.0));
        assert!(postings <= 600.0, "{postings} postings");
    }
}

#[test]
fn a_join_ends_with_its_asker_and_keeps_within_its_memory() {
    let (bed, mut random) = (Bed::memory(), Random::new(35));
    let base = random.words(60);
    let texts: Vec<String> = (0..200).map(|_| random.version(&base, 1)).collect();
    put_all(&bed, &texts);
    let order: Vec<DocId> = search(&bed, &VisibleRoots::All, 0.5, SMALL)
        .documents()
        .collect();
    let questions = &bed.reader().memory().requests;
    let next = |_| Ok(order.clone());
    let cancel = Cancel::never();
    let cancelled = questions.account(&cancel);
    cancel.cancel();
    let of_all = search(&bed, &VisibleRoots::All, 0.5, SMALL);
    let refused = of_all.look_ahead(order[0], &next, &cancelled);
    assert!(matches!(refused, Err(IndexError::Cancelled)), "{refused:?}");
    drop(of_all);
    assert_eq!(questions.used(), 0);
    // 500 of all pairs are open at a time, and yet each is returned.
    let limits = JoinLimits {
        max_pairs: 500,
        ..SMALL
    };
    let of_some = search(&bed, &VisibleRoots::All, 0.5, limits);
    let found: BTreeSet<_> = ask(&bed, &of_some, &order).into_iter().collect();
    assert_eq!(found.len(), order.len() * (order.len() - 1) / 2);
    assert!(of_some.joins() > 30, "{}", of_some.joins());
    drop(of_some);
    assert_eq!(questions.used(), 0);
}

/// Meanwhile so many documents without a turn are asked for that the others are joined again.
#[test]
fn what_a_join_found_is_not_past_before_it_is_asked_for() {
    let (bed, mut random) = (Bed::memory(), Random::new(36));
    let base = random.words(60);
    let texts: Vec<String> = (0..100).map(|_| random.version(&base, 1)).collect();
    put_all(&bed, &texts);
    let search = search(&bed, &VisibleRoots::All, 0.5, SMALL);
    let documents: Vec<DocId> = search.documents().collect();
    let (strays, order) = documents.split_at(70);
    let account = account(bed.index());
    for (at, id) in order[..5].iter().enumerate() {
        let next = |_| Ok(order[at..].to_vec());
        search.look_ahead(*id, &next, &account).unwrap();
        assert!(search.partners_ahead(*id, &account).unwrap().is_some());
    }
    assert_eq!(search.joins(), 1);
    for stray in strays {
        let next = |_| Ok([&[*stray], &order[5..20]].concat());
        search.look_ahead(*stray, &next, &account).unwrap();
    }
    assert_eq!(search.joins(), 2);
    // Those that the first join was not asked for, and the second did not know, are partners all the same.
    let partners = search.partners_ahead(order[5], &account).unwrap();
    let partners: BTreeSet<DocId> = partners.unwrap().iter().map(|(id, _)| *id).collect();
    assert!(order[6..].iter().all(|id| partners.contains(id)));
}

#[test]
fn joins_that_do_not_pay_are_few() {
    let (bed, mut random) = (Bed::memory(), Random::new(37));
    let base = random.words(60);
    let texts: Vec<String> = (0..200).map(|_| random.version(&base, 1)).collect();
    put_all(&bed, &texts);
    let joins = |postings_as_one| {
        let limits = JoinLimits {
            max_pairs: 500,
            postings_as_one,
            ..SMALL
        };
        let search = search(&bed, &VisibleRoots::All, 0.5, limits);
        let (account, order) = (account(bed.index()), search.documents());
        let order: Vec<DocId> = order.collect();
        for (at, id) in order.iter().enumerate() {
            let next = |most: usize| Ok(order[at..].iter().copied().take(most).collect());
            search.look_ahead(*id, &next, &account).unwrap();
        }
        search.joins()
    };
    // A hundred documents justify reading all postings, but not the few of one join.
    let postings = bed.reader().postings().count(SchemeKind::ModN);
    assert!(joins(1 << 40) > 30);
    assert_eq!(joins(postings / 100), 1);
}

#[test]
fn documents_that_memory_does_not_hold_ahead_are_sought_alone() {
    let (bed, mut random) = (Bed::memory(), Random::new(38));
    let base = random.words(60);
    let texts: Vec<String> = (0..20).map(|_| random.version(&base, 1)).collect();
    put_all(&bed, &texts);
    let search = search(&bed, &VisibleRoots::All, 0.5, SMALL);
    let order: Vec<DocId> = search.documents().collect();
    let budget = MemoryBudget::new(2 << 20);
    let account = budget.account(&Cancel::never());
    // So many that noting them takes more memory than there is.
    let next = |_| Ok(order.repeat(5_000));
    search.look_ahead(order[0], &next, &account).unwrap();
    assert!(search.partners_ahead(order[0], &account).unwrap().is_none());
    let partners = search.filtered_partners_of(order[0], &|_| Ok(true), &account);
    assert_eq!((partners.unwrap().len(), search.joins()), (19, 1));
    assert_eq!(budget.used(), 0);
}
