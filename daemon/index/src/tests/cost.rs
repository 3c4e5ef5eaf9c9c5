//! What placing documents in groups costs, in counts of work: a regression fails here, whatever the machine.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Weak;

use simdex_schema::DocId;
use simdex_signature::{
    CanonicalText, Levels, Ratio, Rung, SharedAt, ShingleSet, Window, min_overlap_cut,
};

use super::bed::{Bed, account, put};
use super::frail::{Access, hook};
use super::model::Model;
use super::texts::Random;
use crate::cuts::DOUBT;
use crate::{Cancel, UnsettledCounts, VisibleRoots, Work};

/// An index that lists all shingles, as a daemon does for usual texts. One thread settles, so that every count is the
/// same in each run.
fn bed() -> Bed {
    bed_with(false)
}

fn bed_with(second_settler: bool) -> Bed {
    let mut bed = Bed::memory();
    bed.options.listed_shingles = 1 << 20;
    bed.options.cached_shingles = 1 << 20;
    bed.options.second_settler = second_settler;
    bed.open();
    bed
}

/// Versions of one text; the later, the longer.
fn family(random: &mut Random, versions: usize) -> Vec<String> {
    let base = random.words(300);
    let end = random.words(versions);
    let version = |at: usize| {
        let more: Vec<&str> = end.split(' ').take(at / 8).collect();
        format!("{} {}", random.version(&base, 4), more.join(" "))
    };
    (0..versions).map(version).collect()
}

/// Versions of one text, each of which has a word more than the one before.
fn growing(random: &mut Random, versions: usize) -> Vec<String> {
    let (base, more) = (random.words(1_500), random.words(versions));
    let more: Vec<&str> = more.split(' ').collect();
    let version = |at: usize| format!("{base} {}", more[..=at].join(" "));
    (0..versions).map(version).collect()
}

/// Versions of one text; the last is longer than the first by a twentieth, however many there are.
fn longer_by_a_twentieth(random: &mut Random, versions: usize) -> Vec<String> {
    let (base, end) = (random.words(300), random.words(15));
    let version = |at: usize| {
        let more: Vec<&str> = end.split(' ').take(15 * at / versions).collect();
        format!("{} {}", random.version(&base, 4), more.join(" "))
    };
    (0..versions).map(version).collect()
}

/// Texts that resemble each other less than the threshold of a bed: words that all share, words of their own.
fn crowd(random: &mut Random, count: usize, [shared, own]: [usize; 2]) -> Vec<String> {
    let shared = random.words(shared);
    let text = |_| format!("{shared} {}", random.words(own));
    (0..count).map(text).collect()
}

/// Long enough to be sampled; they resemble each other by about 0.63, which a sample cannot distinguish from 0.7.
fn near_misses(random: &mut Random, count: usize) -> Vec<String> {
    crowd(random, count, [930, 270])
}

fn put_all(bed: &Bed, folder: &str, texts: &[String]) {
    for (at, some) in texts.chunks(50).enumerate() {
        let path = |n: usize| format!("a/{folder}/{:04}", 50 * at + n);
        let changes = some.iter().enumerate();
        let changes = changes.map(|(n, text)| put(bed.index(), &path(n), text, 0));
        bed.index()
            .writer
            .apply(&changes.collect::<Vec<_>>())
            .unwrap();
    }
}

/// Work for each document since `before`.
fn each(bed: &Bed, before: Work, documents: usize) -> [f64; 5] {
    let now = bed.index().index.work();
    [
        now.texts_read - before.texts_read,
        now.comparisons - before.comparisons,
        now.shingles_counted - before.shingles_counted,
        now.lists_read - before.lists_read,
        now.postings_read - before.postings_read,
    ]
    .map(|count| count as f64 / documents as f64)
}

#[test]
fn a_version_costs_the_same_in_a_small_family_and_in_a_large_one() {
    for versions in [20, 320] {
        let bed = bed();
        let mut texts = family(&mut Random::new(versions as u64), versions);
        // They come unordered.
        texts.sort_by_cached_key(|text| blake3::hash(text.as_bytes()).to_hex());
        put_all(&bed, "family", &texts);
        bed.settle();
        let [read, compared, shingles, lists, postings] = each(&bed, Work::default(), versions);
        assert!(read <= 1.05, "{read} texts");
        assert!(compared <= 1.2, "{compared} comparisons");
        assert!(shingles <= 7_000.0, "{shingles} shingles");
        assert!(lists <= 400.0, "{lists} lists");
        assert!(postings <= 16_000.0, "{postings} postings");
        let groups = bed.reader().groups().of_view(
            &VisibleRoots::All,
            bed.index().index.shared.threshold(),
            &account(bed.index()),
        );
        assert_eq!(groups.unwrap().groups.len(), 1);
    }
}

#[test]
fn no_pair_at_the_threshold_is_refused_on_a_finer_sample() {
    let (mut random, threshold) = (Random::new(10), Ratio::new(0.8).unwrap());
    let base = random.words(1_500);
    let levels = |edits: usize, random: &mut Random| {
        let text = CanonicalText::from_extracted(&random.version(&base, edits));
        Levels::of(&ShingleSet::new(&text, Window::DEFAULT)).unwrap()
    };
    let texts: Vec<Levels> = (0..60).map(|at| levels(4 + at, &mut random)).collect();
    let (mut near, mut refused, mut spared) = (0, 0, 0);
    for (at, a) in texts.iter().enumerate() {
        for b in &texts[..at] {
            let exact = a.compare(b, Rung::MAX_DOCUMENT, |_| true);
            let cut = |at: SharedAt| min_overlap_cut(at.union, threshold, DOUBT);
            let last = a.compare(b, Rung::MAX_DOCUMENT, |at| at.shared >= cut(at));
            let is_near = exact.shared as f64 >= threshold.get() * exact.union as f64;
            near += usize::from(is_near);
            refused += usize::from(is_near && last.rung != Rung::ZERO);
            spared += usize::from(!is_near && last.rung != Rung::ZERO);
        }
    }
    assert!(near > 200 && spared > 200, "{near} near, {spared} spared");
    assert_eq!(refused, 0);
}

#[test]
fn growing_versions_cost_a_few_comparisons_each() {
    let bed = bed();
    let texts = family(&mut Random::new(7), 256);
    let mut done = 0;
    // Placing takes as long as it takes twice as many to arrive.
    for upto in [16, 32, 64, 128, 256] {
        put_all(&bed, &format!("{upto}"), &texts[done..upto]);
        bed.settle();
        done = upto;
    }
    let [read, compared, ..] = each(&bed, Work::default(), texts.len());
    assert!(
        read <= 2.5 && compared <= 3.0,
        "{read} texts, {compared} comparisons"
    );
}

/// Equally many documents in families of few and of many versions. In each round as many come as came before, and
/// all are placed.
#[test]
fn versions_cost_the_same_in_small_families_and_in_large_ones_in_whatever_order_they_come() {
    const DOCUMENTS: usize = 1_024;
    // Versions of all families by turns: the shorter ones first, the longer ones first, or unordered.
    for order in ["growing", "shrinking", "unordered"] {
        let [small, large] = [32, 1_024].map(|versions| {
            let bed = bed();
            let mut random = Random::new(21);
            let mut numbered: Vec<(usize, String)> = (0..DOCUMENTS / versions)
                .flat_map(|_| longer_by_a_twentieth(&mut random, versions))
                .enumerate()
                .collect();
            let hash = |text: &str| *blake3::hash(text.as_bytes()).as_bytes();
            match order {
                "growing" => numbered.sort_by_key(|(at, _)| at % versions),
                "shrinking" => numbered.sort_by_key(|(at, _)| versions - at % versions),
                _ => numbered.sort_by_cached_key(|(_, text)| hash(text)),
            }
            let texts: Vec<String> = numbered.into_iter().map(|(_, text)| text).collect();
            let mut done = 0;
            while done < DOCUMENTS {
                let upto = (2 * done).max(64);
                put_all(&bed, &format!("{upto}"), &texts[done..upto]);
                bed.settle();
                done = upto;
            }
            each(&bed, Work::default(), DOCUMENTS)
        });
        // Texts, comparisons and shingles; lists of fingerprints are as long as a family is large. Where each round
        // brings a longer version, more of a large family is read again.
        let growth = [if order == "growing" { 1.5 } else { 1.3 }, 1.3, 1.3];
        for ((small, large), growth) in small.into_iter().zip(large).zip(growth) {
            assert!(large <= growth * small, "{order}: {large}, not {small}");
        }
    }
}

#[test]
fn near_misses_are_refused_on_a_sample_and_read_once_for_many() {
    for second_settler in [false, true] {
        let bed = bed_with(second_settler);
        let texts = near_misses(&mut Random::new(8), 128);
        put_all(&bed, "near", &texts);
        bed.settle();
        let [read, compared, shingles, _, postings] = each(&bed, Work::default(), texts.len());
        assert!(
            compared > 20.0,
            "they are candidates: {compared} comparisons"
        );
        assert!(compared <= 64.0, "{compared} comparisons");
        // Both hold 16,000 together.
        assert!(shingles <= 9_000.0 * compared, "{shingles} shingles");
        // Its own text, once more if it is deferred, and each principal before it once for every 16 newcomers: none is
        // found in the cache, since all are read before one comes again. With two threads each does so in the worst
        // case.
        let most = if second_settler { 10.0 } else { 5.5 };
        assert!(read <= most, "{read} texts");
        assert!(postings <= 64_000.0, "{postings} postings");
    }
}

#[test]
fn short_documents_of_one_template_are_not_compared_with_all_before_them() {
    for count in [128, 1_024] {
        let bed = bed();
        let texts = crowd(&mut Random::new(12), count, [28, 8]);
        put_all(&bed, "template", &texts);
        bed.settle();
        assert_eq!(bed.stored_edges(), 0, "each leads");
        let [read, compared, shingles, _, postings] = each(&bed, Work::default(), count);
        assert!(read <= 1.4, "{read} texts");
        // The own parts of some documents begin alike.
        assert!(
            compared <= 20.0,
            "{compared} comparisons, not {}",
            count / 2
        );
        assert!(shingles <= 600.0 * compared.max(1.0), "{shingles} shingles");
        // For each list that all share the principals are read once; the own fingerprints of each occur in no other
        // document.
        assert!(postings <= 3_000.0, "{postings} postings");
    }
}

/// The coarse rung does not tell them apart, all shingles of them do not stay in memory, and their samples do.
#[test]
fn long_documents_of_one_template_are_told_apart_by_samples_that_stay_in_memory() {
    for count in [64, 240] {
        let mut bed = Bed::memory();
        bed.options.listed_shingles = 1 << 20;
        // All shingles of some seventy, and the samples of all.
        bed.options.cached_shingles = 1 << 20;
        bed.options.second_settler = false;
        bed.open();
        let texts = crowd(&mut Random::new(17), count, [835, 365]);
        put_all(&bed, "letters", &texts);
        bed.settle();
        assert_eq!(bed.stored_edges(), 0, "each leads");
        let [read, compared, shingles, _, _] = each(&bed, Work::default(), count);
        assert!(compared >= count as f64 / 4.0, "{compared} comparisons");
        // Its own, once more as a principal, and few others'.
        assert!(read <= 3.5, "{read} texts");
        // All of two texts are 16,000.
        assert!(
            shingles <= 600.0 * compared + 16_000.0,
            "{shingles} shingles, {compared} comparisons"
        );
    }
}

/// Families of six texts that have much in common but are no neighbours.
fn loose_families(random: &mut Random, families: usize) -> Vec<String> {
    let bases: Vec<String> = (0..families).map(|_| random.words(300)).collect();
    let of_family =
        |base: &String| -> Vec<String> { (0..6).map(|_| random.version(base, 40)).collect() };
    bases.iter().flat_map(of_family).collect()
}

#[test]
fn a_document_costs_the_same_among_few_and_among_many() {
    let mut of_each = Vec::new();
    for families in [12, 120] {
        let mut bed = Bed::memory();
        // Shingles of some sixty texts: with fewer texts nearly all.
        bed.options.listed_shingles = 1 << 20;
        bed.options.cached_shingles = 1 << 18;
        bed.options.second_settler = false;
        bed.open();
        let texts = loose_families(&mut Random::new(16), families);
        put_all(&bed, "loose", &texts);
        bed.settle();
        assert_eq!(bed.stored_edges(), 0, "each leads");
        of_each.push(each(&bed, Work::default(), texts.len()));
    }
    let [few, many] = [&of_each[0], &of_each[1]];
    // Few are compared at all, and how far is chance.
    let chance = [0.1, 0.2, 100.0, 0.0, 0.0];
    for ((few, many), chance) in few.iter().zip(many).zip(chance) {
        assert!(*many <= 1.3 * few + chance, "{of_each:?}");
    }
    let [read, _, _, lists, _] = *many;
    assert!(
        read <= 1.2,
        "their own texts, and hardly any other's: {read}"
    );
    assert!(lists <= 140.0, "{lists} lists, of some 400 fingerprints");
}

/// Settles all that barriers wait for; returns how many steps that took.
fn settle_awaited(bed: &Bed) -> usize {
    let until = bed.index().writer.end_epoch();
    let is_settled = || bed.index().writer.is_settled_through(until);
    let steps =
        std::iter::repeat_with(|| bed.index().writer.settle_step(&Cancel::never()).unwrap());
    steps.take_while(|_| !is_settled()).count() + 1
}

#[test]
fn nobody_waits_for_documents_that_must_be_compared_with_very_many_in_whatever_order_they_come() {
    let count = 240;
    let mut texts = near_misses(&mut Random::new(13), count);
    texts.sort_by_key(String::len);
    for at_once in [count, 4] {
        let bed = bed();
        let mut steps = 0;
        for (at, some) in texts.chunks(at_once).enumerate() {
            put_all(&bed, &format!("{at}"), some);
            steps = settle_awaited(&bed);
        }
        let index = bed.index();
        let waiting = index.index.unsettled();
        assert!(waiting.awaited == 0 && waiting.crowded > 0, "{waiting:?}");
        // The last four are deferred at once, and no turn of the crowd is longer than one step.
        assert!(at_once == count || steps <= 3, "{steps} steps");
        bed.settle();
        assert_eq!(index.index.unsettled(), UnsettledCounts::default());
        assert_eq!(bed.stored_edges(), 0, "each leads");
    }
}

/// Texts of 24 blocks besides what all share, each block in one of two forms at random: any two resemble each other at
/// random, about as many above the threshold of a bed as below.
fn coin_tosses(random: &mut Random, count: usize) -> Vec<String> {
    let shared = random.words(900);
    let blocks: Vec<[String; 2]> = (0..24)
        .map(|_| [random.words(20), random.words(20)])
        .collect();
    let text = |_| {
        let tossed = blocks.iter().map(|forms| random.pick(forms).as_str());
        let tossed: Vec<&str> = tossed.collect();
        format!("{shared} {}", tossed.join(" "))
    };
    (0..count).map(text).collect()
}

#[test]
fn documents_that_resemble_each_other_at_random_cost_a_few_comparisons_each() {
    let mut of_each = Vec::new();
    for count in [64, 256] {
        let bed = bed();
        let texts = coin_tosses(&mut Random::new(11), count);
        put_all(&bed, "tossed", &texts);
        bed.settle();
        let [read, compared, ..] = each(&bed, Work::default(), count);
        let principals = count - bed.stored_edges();
        assert!(
            principals > 1 && principals < 20,
            "{principals} of {count} lead"
        );
        assert!(read <= 3.0 && compared <= 12.0, "{read} texts, {compared}");
        of_each.push(compared);
    }
    let growth = of_each[1] / of_each[0];
    assert!(growth < 2.0, "{of_each:?}: four times as many documents");
}

#[test]
fn who_must_be_compared_with_many_waits_for_all_others() {
    let bed = bed();
    let mut random = Random::new(9);
    let (crowd, others) = (near_misses(&mut random, 60), family(&mut random, 8));
    put_all(&bed, "crowd", &crowd);
    put_all(&bed, "others", &others);
    let index = bed.index();
    let settled = |texts: &[String]| {
        let ids: Vec<DocId> = texts.iter().map(|text| bed.id(text).unwrap()).collect();
        let state = index.index.shared.state();
        ids.iter().filter(|id| state.stars.contains(**id)).count()
    };
    index.writer.settle_step(&Cancel::never()).unwrap();
    assert_eq!(settled(&others), others.len());
    assert!(settled(&crowd) < crowd.len() && !index.writer.is_settled());
    let family = index
        .reader()
        .groups()
        .of_document(bed.id(&others[7]).unwrap())
        .group
        .unwrap();
    assert!(
        family.id.is_some(),
        "it has its number while the crowd waits"
    );
    bed.settle();
    assert_eq!(settled(&crowd), crowd.len());
    let mut model = Model::default();
    for (folder, texts) in [("crowd", &crowd), ("others", &others)] {
        for (at, text) in texts.iter().enumerate() {
            let file = super::bed::file(&format!("a/{folder}/{at:04}"));
            model.files.insert(file, (text.clone(), 0));
        }
    }
    model.check(index, &VisibleRoots::All, bed.parameters.threshold);
}

#[test]
fn nobody_waits_for_a_version_that_is_longer_than_all_of_a_very_large_family() {
    let bed = bed();
    let texts = growing(&mut Random::new(14), 200);
    let (known, longer) = texts.split_at(160);
    put_all(&bed, "known", known);
    bed.settle();
    let index = bed.index();
    // One by one, as by a user who saves.
    for (at, text) in longer[..4].iter().enumerate() {
        bed.settle();
        let before = index.index.work();
        put_all(&bed, &format!("saved{at}"), std::slice::from_ref(text));
        settle_awaited(&bed);
        let compared = index.index.work().comparisons - before.comparisons;
        let waiting = index.index.unsettled();
        assert!(compared <= 128, "{compared} comparisons for version {at}");
        assert_eq!((waiting.awaited, waiting.crowded), (0, 1), "version {at}");
    }
    bed.settle();
    // Those that come together are compared with the family once, and are not deferred individually.
    let before = index.index.work();
    put_all(&bed, "loaded", &longer[4..]);
    index.writer.settle_step(&Cancel::never()).unwrap();
    let crowded = index.index.unsettled().crowded;
    assert!(
        crowded <= 3,
        "{crowded} of {} are deferred",
        longer.len() - 4
    );
    bed.settle();
    let compared = index.index.work().comparisons - before.comparisons;
    assert!(compared <= 160 + 6 * 36, "{compared} comparisons");
    assert_eq!(bed.stored_edges(), texts.len() - 1);
}

#[test]
fn a_crowd_makes_way_for_what_comes_while_it_is_compared() {
    let bed = bed();
    let (mut random, count) = (Random::new(15), 240);
    put_all(&bed, "crowd", &near_misses(&mut random, count));
    settle_awaited(&bed);
    let (index, crowded) = (bed.index(), bed.index().index.unsettled().crowded);
    assert!(crowded > 32, "{crowded}");
    let (weak, text) = (bed.weak(), random.words(60));
    let mut is_to_come = true;
    // Right after the step began.
    let _hooked = hook(move |access, _| {
        if access == Access::Read && std::mem::take(&mut is_to_come) {
            let index = Weak::upgrade(&weak).unwrap();
            index
                .writer
                .apply(&[put(&index, "a/other", &text, 0)])
                .unwrap();
        }
    });
    let before = index.index.work();
    index.writer.settle_step(&Cancel::never()).unwrap();
    let compared = index.index.work().comparisons - before.comparisons;
    let now = index.index.unsettled();
    assert_eq!(now.awaited, 1, "the other one came");
    assert!(now.crowded < crowded, "one at least has its place");
    assert!(
        compared <= 2 * count as u64,
        "{compared} comparisons: one of each half"
    );
    bed.settle();
    assert_eq!(bed.stored_edges(), 0, "each leads");
}

/// Every batch waits for the disk.
#[test]
fn places_are_stored_many_in_a_batch() {
    let mut random = Random::new(90);
    let alone: Vec<String> = (0..96).map(|_| random.words(60)).collect();
    for texts in [family(&mut random, 96), alone] {
        let bed = bed();
        for (at, text) in texts.iter().enumerate() {
            bed.put(&format!("a/{at:02}"), text);
        }
        let batches = Rc::new(Cell::new(0));
        let counted = Rc::clone(&batches);
        let _hook = hook(move |access, _| {
            counted.set(counted.get() + usize::from(access == Access::Write));
        });
        bed.settle();
        // Four places in a batch, in tests; some are followed by a document that depends on them, and groups get ids.
        assert!(batches.get() <= 40, "{} batches", batches.get());
    }
}
