//! Known histories, and brute-force twins of the algorithms.

use std::convert::Infallible;

use proptest::prelude::*;

use super::*;

/// How alike versions are, pair by pair.
struct Table(Vec<Vec<Option<f64>>>);

impl Likeness for Table {
    fn row(&self, of: usize) -> Vec<Option<f64>> {
        self.0[of].clone()
    }
}

/// Sets of numbers stand for texts.
fn table(texts: &[Vec<u32>]) -> Table {
    let resemblance = |a: &Vec<u32>, b: &Vec<u32>| {
        let shared = a.iter().filter(|x| b.contains(x)).count();
        let ratio = shared as f64 / (a.len() + b.len() - shared) as f64;
        (ratio >= 0.5).then_some(ratio)
    };
    let row = |a: &Vec<u32>| texts.iter().map(|b| resemblance(a, b)).collect();
    Table(texts.iter().map(row).collect())
}

fn version(name: u8, shingles: usize, date: Option<i64>) -> Version {
    Version {
        name: [name; 32],
        shingles: shingles as u64,
        date: date.map(|seconds| VersionDate {
            seconds,
            kind: DateKind::Stated,
        }),
        written: None,
    }
}

fn placed(versions: &[Version], alike: &impl Likeness) -> Vec<PlacedVersion> {
    let Ok(placed) = arrange(versions, alike, &mut || Ok::<_, Infallible>(()));
    placed
}

/// Pairs of parent and child, by the names of the versions.
fn edges(versions: &[Version], placed: &[PlacedVersion]) -> Vec<(u8, u8)> {
    let name = |at: usize| versions[at].name[0];
    let edge = |placed: &PlacedVersion| Some((name(placed.parent?.0), name(placed.version)));
    placed.iter().filter_map(edge).collect()
}

/// A history of texts that grow by `step` numbers each.
fn history(versions: u32, step: u32) -> Vec<Vec<u32>> {
    (0..versions)
        .map(|at| (0..100 + at * step).collect())
        .collect()
}

fn as_versions(texts: &[Vec<u32>], date: impl Fn(usize) -> Option<i64>) -> Vec<Version> {
    let text = |(at, text): (usize, &Vec<u32>)| version(at as u8, text.len(), date(at));
    texts.iter().enumerate().map(text).collect()
}

#[test]
fn a_history_is_a_chain_with_dates_and_without() {
    let texts = history(12, 4);
    let chain: Vec<_> = (0..11).map(|at| (at, at + 1)).collect();
    let dated = as_versions(&texts, |at| Some(at as i64 * 100));
    let found = placed(&dated, &table(&texts));
    assert_eq!(edges(&dated, &found), chain);
    assert!(
        found[1..]
            .iter()
            .all(|p| p.parent.unwrap().1 == Direction::InnerDate)
    );
    let undated = as_versions(&texts, |_| None);
    let found = placed(&undated, &table(&texts));
    assert_eq!(edges(&undated, &found), chain);
    assert!(
        found[1..]
            .iter()
            .all(|p| p.parent.unwrap().1 == Direction::Text)
    );
}

#[test]
fn dates_win_over_growth() {
    let texts = history(6, 4);
    let shrinking = as_versions(&texts, |at| Some(-(at as i64)));
    let found = placed(&shrinking, &table(&texts));
    assert_eq!(
        edges(&shrinking, &found),
        [(5, 4), (4, 3), (3, 2), (2, 1), (1, 0)]
    );
}

#[test]
fn a_planted_fork_is_a_fork() {
    let mut texts = history(6, 4);
    // Two that were derived from version 2 and diverged.
    let forked = |more: std::ops::Range<u32>| texts[2].iter().copied().chain(more).collect();
    let (first, second) = (forked(1000..1003), forked(1000..1006));
    texts.extend([first, second]);
    for dates in [true, false] {
        let versions = as_versions(&texts, |at| dates.then_some(at as i64 * 100));
        let mut found = edges(&versions, &placed(&versions, &table(&texts)));
        found.sort_unstable();
        assert_eq!(
            found,
            [(0, 1), (1, 2), (2, 3), (2, 6), (3, 4), (4, 5), (6, 7)]
        );
    }
}

#[test]
fn a_written_date_directs_what_lies_beyond_it() {
    // Texts of one length, so that growth says nothing.
    let texts: Vec<Vec<u32>> = (0..6).map(|at| (at * 4..100 + at * 4).collect()).collect();
    let mut versions = as_versions(&texts, |_| None);
    versions[2].written = Some(2_000);
    versions[3].written = Some(1_000);
    let found = placed(&versions, &table(&texts));
    let told: Vec<_> = found
        .iter()
        .filter_map(|p| Some((p.parent?.0, p.version, p.parent?.1)))
        .collect();
    for expected in [
        (3, 2, Direction::InnerDate),
        (2, 1, Direction::Text),
        (1, 0, Direction::Text),
    ] {
        assert!(told.contains(&expected), "{expected:?} {told:?}");
    }
    let unknown = told.iter().filter(|edge| edge.2 == Direction::Unknown);
    assert_eq!(unknown.count(), 2);
}

/// Along the line 0 – 1 – 2 – 3 the dates rise to 1 and fall to 2: no root directs both edges correctly.
#[test]
fn written_dates_that_rise_and_fall_along_a_line_direct_each_edge() {
    let texts = history(4, 4);
    let mut versions = as_versions(&texts, |_| None);
    for (version, written) in versions.iter_mut().zip([1_000, 3_000, 2_000, 4_000]) {
        version.written = Some(written);
    }
    let found = placed(&versions, &table(&texts));
    let edge = |p: &PlacedVersion| Some((p.parent?.0, p.version, p.parent?.1));
    let told: Vec<_> = found.iter().filter_map(edge).collect();
    let by_date = |parent, version| (parent, version, Direction::InnerDate);
    assert_eq!(told, [by_date(0, 2), by_date(2, 1), by_date(2, 3)]);
}

#[test]
fn a_version_without_a_written_date_stands_beside_the_one_it_is_nearest_to() {
    let texts = history(6, 4);
    let mut versions = as_versions(&texts, |_| None);
    // Dated backwards, against the growth; 3 is more similar to 4 than to 2.
    for (version, written) in versions.iter_mut().zip(0..) {
        version.written = (version.name[0] != 3).then_some(-written);
    }
    let found = placed(&versions, &table(&texts));
    assert_eq!(
        edges(&versions, &found),
        [(5, 4), (4, 3), (3, 2), (2, 1), (1, 0)]
    );
    let told: Vec<_> = found[1..].iter().map(|p| p.parent.unwrap().1).collect();
    let (date, text) = (Direction::InnerDate, Direction::Text);
    assert_eq!(told, [date, text, text, date, date]);
}

#[test]
fn texts_of_one_length_say_nothing_of_direction() {
    let texts = [(0..100).collect::<Vec<_>>(), (3..103).collect()];
    let versions = as_versions(&texts, |_| None);
    let found = placed(&versions, &table(&texts));
    assert_eq!(found[1].parent.unwrap().1, Direction::Unknown);
}

#[test]
fn versions_without_a_date_stand_last_and_the_texts_alone_direct_them() {
    let texts = history(8, 4);
    // Without its date the first would stand first by its text.
    let versions = as_versions(&texts, |at| (at != 0 && at != 5).then_some(at as i64 * 100));
    let found = placed(&versions, &table(&texts));
    let order: Vec<_> = found.iter().map(|p| p.version).collect();
    assert_eq!(order, [1, 2, 3, 4, 6, 7, 5, 0]);
    let (parent, direction) = found[6].parent.unwrap();
    assert!([4, 6].contains(&parent), "the nearest: {parent}");
    let by_text = [Direction::Unknown, Direction::Text][usize::from(parent == 4)];
    assert_eq!(direction, by_text);
    assert_eq!(
        found[7].parent,
        Some((1, Direction::Unknown)),
        "it is the shorter"
    );
}

#[test]
fn what_resembles_no_earlier_version_begins_a_line_of_its_own() {
    let texts = [
        (0..100).collect::<Vec<_>>(),
        (900..1000).collect(),
        (0..104).collect(),
    ];
    let versions = as_versions(&texts, |at| Some(at as i64 * 100));
    let found = placed(&versions, &table(&texts));
    assert_eq!(edges(&versions, &found), [(0, 2)]);
    assert_eq!(found.len(), 3);
}

#[test]
fn a_version_without_a_date_that_is_near_to_none_stands_last() {
    let texts = [
        (900..1000).collect::<Vec<_>>(),
        (0..100).collect(),
        (0..104).collect(),
    ];
    let versions = as_versions(&texts, |at| (at != 0).then_some(at as i64 * 100));
    let found = placed(&versions, &table(&texts));
    let order: Vec<_> = found.iter().map(|p| p.version).collect();
    assert_eq!((order, found[2].parent), (vec![1, 2, 0], None));
}

#[test]
fn times_of_files_that_were_copied_together_order_nothing() {
    let texts = history(10, 4);
    let of_files = |apart: i64, kind: DateKind| {
        let mut versions = as_versions(&texts, |at| Some((9 - at as i64) * apart));
        for version in &mut versions {
            version.date.as_mut().unwrap().kind = kind;
        }
        versions
    };
    // Two of them and all; seconds apart, and a minute less than an hour.
    for (apart, count) in [(1, 10), (1, 2), (3_540, 10), (3_540, 2)] {
        let versions = &of_files(apart, DateKind::File)[..count];
        let found = placed(versions, &table(&texts[..count]));
        assert_eq!(edges(versions, &found)[0], (0, 1));
        assert_eq!(found[1].parent.unwrap().1, Direction::Text);
    }
    for (apart, kind, direction) in [
        (3_600, DateKind::File, Direction::ModificationTime),
        (1, DateKind::Stated, Direction::InnerDate),
    ] {
        let two = &of_files(apart, kind)[..2];
        let found = placed(two, &table(&texts[..2]));
        assert_eq!(edges(two, &found), [(1, 0)]);
        assert_eq!(found[1].parent.unwrap().1, direction);
    }
}

#[test]
fn a_modification_time_is_no_evidence_within_an_hour_of_a_stated_date() {
    let texts = history(2, 4);
    for (apart, direction) in [
        (3_599, Direction::Unknown),
        (3_600, Direction::ModificationTime),
    ] {
        let mut versions = as_versions(&texts, |at| Some(at as i64 * apart));
        versions[1].date.as_mut().unwrap().kind = DateKind::File;
        let found = placed(&versions, &table(&texts));
        assert_eq!(found[1].parent, Some((0, direction)));
    }
}

/// Dates of versions, some of them missing.
type Dates = Vec<Option<i64>>;

/// Texts with some of their numbers flipped, and dates that may be missing.
fn families() -> impl Strategy<Value = (Vec<Vec<u32>>, Dates, Dates)> {
    let text = proptest::collection::btree_set(0..24_u32, 10..22);
    let of = |date| proptest::collection::vec(proptest::option::of(0..date), 9);
    (proptest::collection::vec(text, 2..9), of(6_i64), of(3)).prop_map(|(texts, dates, written)| {
        let texts = texts.into_iter().map(|text| text.into_iter().collect());
        (texts.collect(), dates, written)
    })
}

fn family(texts: &[Vec<u32>], dates: &[Option<i64>], written: &[Option<i64>]) -> Vec<Version> {
    let mut versions = as_versions(texts, |at| dates[at]);
    for (version, written) in versions.iter_mut().zip(written) {
        version.written = *written;
    }
    versions
}

proptest! {
    #[test]
    fn the_order_in_which_versions_come_does_not_matter(
        (texts, dates, written) in families(),
        turn in 0..8_usize,
    ) {
        let versions = family(&texts, &dates, &written);
        let found = edges(&versions, &placed(&versions, &table(&texts)));
        let (mut turned, mut turned_texts) = (versions.clone(), texts.clone());
        turned.rotate_left(turn % texts.len());
        turned_texts.rotate_left(turn % texts.len());
        turned.reverse();
        turned_texts.reverse();
        prop_assert_eq!(edges(&turned, &placed(&turned, &table(&turned_texts))), found);
    }

    #[test]
    fn with_dates_each_parent_is_the_nearest_of_all_earlier((texts, _, _) in families()) {
        let date = |at: usize| Some(at as i64 * 7);
        let mut written = as_versions(&texts, |_| None);
        written.iter_mut().zip(0..).for_each(|(version, at)| version.written = date(at));
        let table = table(&texts);
        for versions in [as_versions(&texts, date), written] {
            for placed in placed(&versions, &table) {
                let child = placed.version;
                let nearest = (0..child)
                    .filter(|earlier| table.0[child][*earlier].is_some())
                    .max_by(|a, b| table.0[child][*a].partial_cmp(&table.0[child][*b]).unwrap().then(a.cmp(b)));
                prop_assert_eq!(placed.parent.map(|(parent, _)| parent), nearest);
            }
        }
    }

    /// The twin tries every set of edges that is a tree, and every root.
    #[test]
    fn without_dates_no_tree_is_more_alike_and_no_root_explains_more((texts, _, _) in families()) {
        let texts = &texts[..texts.len().min(5)];
        let versions = as_versions(texts, |_| None);
        let table = table(texts);
        let found = placed(&versions, &table);
        let weight = |edges: &[(usize, usize)]| -> f64 {
            edges.iter().map(|(a, b)| table.0[*a][*b].unwrap()).sum()
        };
        let chosen: Vec<_> = found.iter().filter_map(|p| Some((p.parent?.0, p.version))).collect();
        let pairs: Vec<_> = (0..texts.len())
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .filter(|(a, b)| table.0[*a][*b].is_some())
            .collect();
        let mut best = 0.0_f64;
        for bits in 0..1_u32 << pairs.len() {
            let some: Vec<_> = (0..pairs.len()).filter(|at| bits >> at & 1 == 1).map(|at| pairs[at]).collect();
            if is_forest(texts.len(), &some) {
                best = best.max(weight(&some));
            }
        }
        prop_assert!((weight(&chosen) - best).abs() < 1e-9, "{} {best}", weight(&chosen));
        let rises = |root: usize| explained(&versions, &chosen, root);
        for p in found.iter().filter(|p| p.parent.is_none()) {
            let own = rises(p.version);
            for other in reached(&chosen, p.version) {
                prop_assert!(rises(other) <= own + 1e-9);
            }
        }
    }

    #[test]
    fn counts_on_samples_equal_those_of_the_sets((texts, _, _) in families()) {
        let rule = LinkRule { resemblance: 0.5, containment: 2.0 };
        let words: Vec<_> = texts.iter().map(|text| shingles(text)).collect();
        let mut samples = Samples::new(1 << 20);
        words.iter().for_each(|set| samples.add(set));
        let counted = samples.counted(rule);
        for (at, a) in words.iter().enumerate() {
            for (other, (b, found)) in words.iter().zip(counted.row(at)).enumerate() {
                if other == at {
                    continue;
                }
                let exact = a.resemblance(b).map(|ratio| ratio.get()).filter(|ratio| *ratio >= 0.5);
                prop_assert_eq!(found, exact);
            }
        }
    }
}

/// The shingles of a text in which each number is a line of its own.
fn shingles(numbers: &[u32]) -> simdex_signature::ShingleSet {
    use simdex_signature::{CanonicalText, ShingleSet, Window};
    let line = |number: &u32| format!("line {number} of {number} and {}\n", number * 7919);
    let text: String = numbers.iter().map(line).collect();
    ShingleSet::new(&CanonicalText::from_extracted(&text), Window::DEFAULT)
}

#[test]
fn samples_grow_coarser_and_stay_within_their_bound() {
    let mut samples = Samples::new(2_000);
    for at in 0..40 {
        let numbers: Vec<_> = (0..60 + at).collect();
        samples.add(&shingles(&numbers));
        assert!(samples.total() <= 2_000);
    }
    let counted = samples.counted(LinkRule {
        resemblance: 0.5,
        containment: 0.8,
    });
    let row = counted.row(0);
    assert!(row[1].unwrap() > 0.9 && row.len() == 40, "{row:?}");
}

fn is_forest(versions: usize, edges: &[(usize, usize)]) -> bool {
    let mut tree: Vec<usize> = (0..versions).collect();
    edges.iter().all(|(a, b)| {
        let (a, b) = (tree[*a], tree[*b]);
        tree.iter_mut()
            .filter(|at| **at == a)
            .for_each(|at| *at = b);
        a != b
    })
}

fn reached(edges: &[(usize, usize)], from: usize) -> Vec<usize> {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(at) = reached.get(next).copied() {
        next += 1;
        for (a, b) in edges {
            for (here, there) in [(a, b), (b, a)] {
                if *here == at && !reached.contains(there) {
                    reached.push(*there);
                }
            }
        }
    }
    reached
}

/// The sum of the rises along all edges of a tree, directed away from a root.
fn explained(versions: &[Version], edges: &[(usize, usize)], root: usize) -> f64 {
    let order = reached(edges, root);
    let place = |at: usize| order.iter().position(|other| *other == at);
    let directed = edges.iter().filter_map(|(a, b)| {
        let (from, to) = if place(*a)? < place(*b)? {
            (*a, *b)
        } else {
            (*b, *a)
        };
        let [from, to] = [from, to].map(|at| &versions[at]);
        Some((to.shingles as f64 / from.shingles as f64).ln())
    });
    directed.sum()
}
