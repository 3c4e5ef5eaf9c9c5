//! What the search for a family costs, in counts.

use super::*;
use crate::read_side::families::GapReason;
use crate::read_side::query::tests::{index_of, words};

/// Versions of one text, each with another word of it replaced.
fn crowd(versions: usize) -> Vec<String> {
    let base = words(&mut 3, 400);
    let version = |at: usize| {
        let mut text = base.clone();
        text[at * 7 % 400] = format!("version{at}");
        text.join(" ")
    };
    (0..versions).map(version).collect()
}

fn family_of(texts: &[String]) -> Family {
    limited_family_of(texts, 4_096)
}

fn limited_family_of(texts: &[String], limit: usize) -> Family {
    let (index, _dir) = index_of(texts);
    let never = Cancel::never();
    let account = index.memory().requests.account(&never);
    let subject = Subject::from_text(&index, texts[0].clone(), &account).unwrap();
    let params = FamilyParams {
        rule: LinkRule {
            resemblance: 0.5,
            containment: 0.8,
        },
        relation_threshold: 0.8,
        containment_threshold: 0.8,
        scheme: SchemeKind::ModN,
        joins_pieces: true,
        follows_renamings: true,
        limit,
        view: VisibleRoots::All,
    };
    let text = subject.text().unwrap();
    find_family(&index, &subject, text, &params, &never).unwrap()
}

#[test]
fn a_crowd_of_versions_is_looked_up_once_and_each_text_of_it_is_read_once() {
    for versions in [200, 2_000] {
        let family = family_of(&crowd(versions));
        assert_eq!(family.len(), versions);
        assert_eq!(family.edges.len(), versions - 1);
        assert_eq!(family.verified, versions as u64 - 1);
        // One look-up found them all, and the subject itself.
        assert_eq!(family.candidates, versions as u64);
    }
}

/// The number from which the words of a slot are made.
type Slots = [u64; 20];

fn text_of(slots: Slots) -> String {
    let slots = slots.iter().flat_map(|slot| words(&mut { *slot }, 40));
    slots.collect::<Vec<_>>().join(" ")
}

/// Versions of a document of which each replaces another slot, from the first of `changed` on.
fn history(first: Slots, changed: std::ops::Range<usize>, seed: u64) -> Vec<Slots> {
    let mut slots = first;
    let later = changed.map(|slot| {
        slots[slot % 20] = seed + slot as u64;
        slots
    });
    std::iter::once(first).chain(later).collect()
}

/// These slots, but the last `count` replaced.
fn rewritten(mut slots: Slots, count: usize, seed: u64) -> Slots {
    for (at, slot) in slots.iter_mut().enumerate().skip(20 - count) {
        *slot = seed + at as u64;
    }
    slots
}

fn texts_of(pieces: &[Vec<Slots>]) -> Vec<String> {
    pieces.iter().flatten().copied().map(text_of).collect()
}

fn first_slots(seed: u64) -> Slots {
    std::array::from_fn(|at| seed + at as u64)
}

/// A history of twelve versions, what became of it when it was rewritten at its end, and a document that began in its
/// midst.
fn history_and_branch() -> [Vec<Slots>; 3] {
    let old = history(first_slots(1_000), 0..11, 2_000);
    let new = history(rewritten(old[11], 8, 3_000), 11..16, 4_000);
    let branch = history(rewritten(old[5], 7, 5_000), 8..10, 6_000);
    [old, new, branch]
}

#[test]
fn a_piece_that_was_left_out_is_named_once_after_another_was_joined() {
    let family = family_of(&texts_of(&history_and_branch()));
    assert_eq!(family.len(), 18);
    assert_eq!(
        family.edges.iter().filter(|edge| edge.across_gap).count(),
        1
    );
    let [miss] = &family.near_misses[..] else {
        panic!("{:?}", family.near_misses);
    };
    assert_eq!(miss.reason, GapReason::NotSuccessive);
}

#[test]
fn a_piece_is_joined_within_the_limit_alone() {
    let [old, new, _] = history_and_branch();
    let texts = texts_of(&[old, new]);
    for (limit, versions, is_cut) in [
        (18, 18, false),
        (17, 12, true),
        (12, 12, true),
        (8, 8, true),
    ] {
        let family = limited_family_of(&texts, limit);
        assert_eq!((family.len(), family.is_cut), (versions, is_cut), "{limit}");
        assert!(family.near_misses.is_empty(), "{:?}", family.near_misses);
    }
}

/// Pieces of one history, each rewritten at its end. What a piece keeps of the one before is replaced in it by and by.
fn pieces(count: u64) -> Vec<Vec<Slots>> {
    let mut pieces = vec![history(first_slots(1_000), 0..12, 2_000)];
    for at in 1..count {
        let last = *pieces[at as usize - 1].last().unwrap();
        let seed = 10_000 * at;
        pieces.push(history(rewritten(last, 8, seed), 0..12, seed + 1_000));
    }
    pieces
}

#[test]
fn a_search_across_gaps_reads_and_looks_up_in_proportion_to_the_pieces() {
    let cost = |count: u64| {
        let family = family_of(&texts_of(&pieces(count)));
        let across = family.edges.iter().filter(|edge| edge.across_gap);
        assert_eq!(
            (family.len() as u64, across.count() as u64),
            (13 * count, count - 1)
        );
        [family.verified, family.candidates]
    };
    let [few, many] = [3, 12].map(cost);
    for (few, many) in few.into_iter().zip(many) {
        assert!(many <= 5 * few, "{few} became {many}");
    }
}

#[test]
fn unlike_pieces_beyond_those_that_are_named_are_not_searched() {
    let old = history(first_slots(1_000), 0..11, 2_000);
    let branch = |at: usize| {
        let seed = 10_000 * (at as u64 + 1);
        history(rewritten(old[4 + at % 4], 8, seed), 8..11, seed + 1_000)
    };
    let mut all = vec![old.clone()];
    all.extend((0..24).map(branch));
    let family = family_of(&texts_of(&all));
    assert_eq!((family.len(), family.near_misses.len()), (12, 8));
}

/// The second version resembles the first so much that it is not asked about, and the third is linked to it alone; too
/// long to be taken for a neighbour of the first. The first leads to the fourth, and that to the fifth, with which the
/// limit is reached.
#[test]
fn a_version_that_only_one_not_asked_about_leads_to_is_added_within_the_limit_alone() {
    let text = |slots: &mut dyn Iterator<Item = u64>| {
        let words: Vec<String> = slots.flat_map(|slot| words(&mut { slot }, 800)).collect();
        words.join(" ")
    };
    let texts = [
        text(&mut (1_000..1_040)),
        text(&mut (1_000..1_038).chain(2_000..2_002)),
        text(&mut (1_000..1_021).chain(2_000..2_002).chain(3_000..3_005)),
        text(&mut (1_017..1_040).chain(4_000..4_004)),
        text(&mut (1_027..1_040).chain(4_000..4_004).chain(5_000..5_003)),
    ];
    for (limit, versions, is_cut) in [(5, 5, false), (4, 4, true)] {
        let family = limited_family_of(&texts, limit);
        assert_eq!((family.len(), family.is_cut), (versions, is_cut), "{limit}");
    }
}

/// The last two resemble the first version by less than a link demands; the last is linked to the second, which
/// resembles the first so much that it is not asked about. The one before has the lower id, and begins their piece.
#[test]
fn a_piece_of_which_a_version_is_linked_to_one_not_asked_about_is_no_gap() {
    let first = first_slots(1_000);
    let mut second = first;
    second[19] = 2_000;
    let mut last = second;
    last[..6].copy_from_slice(&[3_000, 3_001, 3_002, 3_003, 3_004, 3_005]);
    let mut before = last;
    before[19] = 4_000;
    let family = family_of(&texts_of(&[vec![first, second, before, last]]));
    assert_eq!((family.len(), family.near_misses.len()), (4, 0));
    assert!(family.edges.iter().all(|edge| !edge.across_gap));
}
