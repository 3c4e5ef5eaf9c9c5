//! Settings chosen on counts made by hand.

use super::*;

#[test]
fn the_lowest_cut_that_is_precise_misses_least() {
    let truth = [0.9, 0.62, 0.61, 0.6, 0.6, 0.5, 0.2];
    let by_cut = |sample: [f64; 7]| CUTS.map(|cut| counted(&truth, &sample, cut));
    let blurred = [0.9, 0.66, 0.57, 0.61, 0.6, 0.45, 0.1];
    let (chosen, found) = lowest(4, &by_cut(blurred)).unwrap();
    assert!(
        (CUTS[chosen.cut] - 0.4).abs() < 1e-12,
        "five of six are similar"
    );
    assert_eq!((chosen.n, found.recall()), (4, 1.0));
    let drowned = [0.9, 0.5, 0.5, 0.5, 0.5, 0.9, 0.9];
    assert!(lowest(4, &by_cut(drowned)).is_none());
}

#[test]
fn versions_of_one_document_are_in_one_half_and_what_is_chosen_on_the_other_is_scored() {
    let text = |name: &str| Text {
        name: name.to_owned(),
        text: String::new(),
    };
    let versions = (0..9)
        .map(|at| text(&format!("versions/a/{at}.md")))
        .collect();
    let [first, second] = halves(Groups::from([(0, versions)]));
    assert!(first.is_empty() || second.is_empty());
    let notes = (0..99)
        .map(|at| text(&format!("short/a/{at}.md")))
        .collect();
    let [first, second] = halves(Groups::from([(0, notes)]));
    assert!(first[&0].len() > 30 && second[&0].len() > 30);

    let half = |at_16| half(&[(0, at_16)]);
    let (all, poor) = (found(2, 2), found(2, 1));
    let chosen = by_group(&half(all), UNBOUNDED);
    assert_eq!(chosen[&0].n, 16);
    assert_eq!(
        by_group(&half(poor), UNBOUNDED)[&0].n,
        1,
        "half is not complete"
    );
    let score = Score::of(&half(poor), &chosen);
    assert_eq!((score.short.recall(), score.kept), (0.5, 1.0 / 16.0));
}

/// So many similar pairs, and so many of them found.
fn found(similar: usize, found: usize) -> PairCounts {
    let mut counts = PairCounts::default();
    (0..similar).for_each(|at| counts.add_pair(true, at < found));
    counts
}

/// Groups with what is found at 1/16, whatever the cut; all is found without sampling.
fn half(groups: &[(usize, PairCounts)]) -> Half {
    let measured = groups.iter().map(|(group, at_16)| {
        let by_ratio = [(16, *at_16), (1, found(2, 2))];
        let by_ratio = by_ratio.map(|(n, counts)| (n, vec![counts; CUTS.len()]));
        (*group, BTreeMap::from(by_ratio))
    });
    Half {
        measured: measured.collect(),
        sizes: groups.iter().map(|(group, _)| (*group, 160.0)).collect(),
    }
}

/// Ratios to 1/16, however many shingles they keep.
const UNBOUNDED: Limits = Limits {
    coarsest: 16,
    kept: 100.0,
};

#[test]
fn a_setting_with_most_to_spare_is_taken_of_those_that_keep_few_enough() {
    let of = |short, long, kept| {
        let half = half(&[(0, short), (3, long)]);
        let setting = at_mix(&half, Limits { kept, ..UNBOUNDED });
        Some((setting.get(&0)?.n, setting.get(&3)?.n))
    };
    let (all, poor) = (found(100, 100), found(100, 90));
    // 1/16 of each is 6.25 %; all shingles of short documents and 1/16 of the others are 22.2 %.
    assert_eq!(of(all, all, 6.25), Some((16, 16)));
    assert_eq!(of(all, all, 6.2), None);
    // A recall of 0.9 of either is too little, and the rest of the mix does not make up for it.
    assert_eq!(of(poor, all, 22.2), Some((1, 16)));
    assert_eq!(of(poor, all, 22.1), None);
    assert_eq!(of(all, poor, 99.0), Some((16, 1)));
    // One of 0.95 for a third of the documents leaves 0.984, which is enough where no more is affordable.
    assert_eq!(of(all, found(100, 95), 8.0), Some((16, 16)));
    assert_eq!(of(all, found(100, 95), 99.0), Some((16, 1)));
    assert!(
        at_mix(&half(&[(0, all)]), UNBOUNDED).is_empty(),
        "nothing is known of the others"
    );
}
