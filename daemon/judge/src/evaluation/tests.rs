//! Figures compared with values computed by hand and with slow reference implementations.

use proptest::prelude::*;

use super::*;
use crate::measure::Values;
use crate::signal::Signal;
use crate::training::MIN_PAIRS_OF_CLASS;

/// A pair of which only resemblance and the root are known.
fn pair(resemblance: f64, same_root: f64, class: Class, source: u64) -> SourcedPair {
    let mut values = Values::unknown();
    values.0[Signal::Resemblance.index()] = Some(resemblance);
    values.0[Signal::SameRoot.index()] = Some(same_root);
    let pair = LabelledSignals { values, class };
    SourcedPair {
        pair,
        source,
        caveats: Caveats::default(),
    }
}

/// Pairs whose resemblance shows versions; every tenth of one root is labelled wrongly.
fn pairs(count: u64) -> Vec<SourcedPair> {
    let made = (0..count).map(|at| {
        let resemblance = (at * 617 % 1000) as f64 / 1000.0;
        let same_root = (at % 2) as f64;
        let is_wrong = at % 20 == 1;
        let class = match (resemblance > 0.5) != is_wrong {
            true => Class::Version,
            false => Class::Unrelated,
        };
        pair(resemblance, same_root, class, at / 6)
    });
    made.collect()
}

#[test]
fn quality_by_hand() {
    let mut quality = Quality::default();
    quality.add(Class::Same, Class::Version);
    quality.add(Class::Same, Class::Same);
    quality.add(Class::Version, Class::Unrelated);
    quality.add(Class::TemplateOnly, Class::Version);
    quality.add(Class::TemplateOnly, Class::Unrelated);
    assert_eq!((quality.pairs(), quality.errors()), (5, 2));
    assert_eq!(
        (quality.precision(), quality.recall()),
        (2.0 / 3.0, 2.0 / 3.0)
    );
    assert_eq!((quality.f1(), quality.accuracy()), (2.0 / 3.0, 0.2));
    assert_eq!(quality.confusion[Class::Same.index()], [1, 1, 0, 0]);
    assert_eq!(Quality::default().f1(), 0.0);
    // At the base rate of the pairs themselves it is their precision.
    assert!((quality.precision_at(0.6) - quality.precision()).abs() < 1e-12);
    // One of 100 pairs is a duplicate, found in two of three cases; half of the 99 others are false hits.
    let rare = (0.01 * 2.0 / 3.0) / (0.01 * 2.0 / 3.0 + 0.99 / 2.0);
    assert!((quality.precision_at(0.01) - rare).abs() < 1e-12);
    assert_eq!(Quality::default().precision_at(0.5), 0.0);
}

#[test]
fn a_withheld_judgement_finds_nothing_and_claims_nothing() {
    let mut quality = Quality::default();
    quality.add(Class::Same, Class::Same);
    quality.add_answer(Class::Version, Class::Version, Some(Doubt::NumbersDiffer));
    quality.add_answer(Class::TemplateOnly, Class::Same, Some(Doubt::Divided));
    assert_eq!((quality.pairs(), quality.errors()), (3, 1));
    assert_eq!((quality.precision(), quality.recall()), (1.0, 0.5));
    assert_eq!(quality.withheld, [0, 1, 1, 0]);
    assert_eq!(quality.accuracy(), 1.0);
}

#[test]
fn the_model_in_force_withholds_as_answers_do() {
    let model = "simdex-judge 3\nname a\nnote b\nresemblance <= 0.5\n  template-only 0 9 7 0\n  version 0 9 0 0\n";
    let model = Model::parse(model).unwrap();
    let numbered = SourcedPair {
        caveats: Caveats {
            numbers_differ: true,
            ..Caveats::default()
        },
        ..pair(0.9, 1.0, Class::TemplateOnly, 1)
    };
    let divided = pair(0.1, 1.0, Class::Version, 2);
    let given = pair(0.9, 0.0, Class::Version, 3);
    let pairs = [numbered, divided, given];
    let found = Validated::of(&model, &pairs);
    assert_eq!(
        found.doubts,
        [Some(Doubt::NumbersDiffer), Some(Doubt::Divided), None]
    );
    assert_eq!((found.quality.false_hits, found.quality.hits), (0, 1));
    let figures = Figures::of(&[found], &pairs);
    assert_eq!(figures.within_root.all_withheld(), 2);
    assert_eq!(figures.across_roots.hits, 1);
}

#[test]
fn sources_stay_together_and_seeds_part_them_anew() {
    let folds = |seed| {
        (0..200)
            .map(|source| fold(source, seed))
            .collect::<Vec<_>>()
    };
    assert_ne!(folds(0), folds(1));
    for of in 0..FOLDS {
        assert!(folds(0).contains(&of));
    }
}

#[test]
fn a_rule_that_holds_everywhere_is_validated() {
    let made = |at: u64| {
        let resemblance = (at * 617 % 1000) as f64 / 1000.0;
        let class = match resemblance > 0.5 {
            true => Class::Version,
            false => Class::Unrelated,
        };
        pair(resemblance, 0.5, class, at / 6)
    };
    let pairs: Vec<SourcedPair> = (0..600).map(made).collect();
    let each = nine_seeds(&pairs, &Growth::default(), &|| true).unwrap();
    assert_eq!(each.len(), 9);
    assert!(each.iter().all(|each| each.quality.pairs() == 600));
    assert!(each[0].quality.f1() > 0.98, "{:?}", each[0].quality);
    let curve = precision_recall(&each[0].scores);
    assert_eq!(curve.last().unwrap().0, 1.0);
}

#[test]
fn curves_and_spreads_by_hand() {
    let scores = [
        (0.9, true),
        (0.9, true),
        (0.5, false),
        (0.5, true),
        (0.1, false),
    ];
    assert_eq!(
        precision_recall(&scores),
        [(2.0 / 3.0, 1.0), (1.0, 0.75), (1.0, 0.6)]
    );
    let spread = Spread::of(vec![5.0, 1.0, 2.0, 4.0, 3.0]);
    assert_eq!((spread.lower, spread.median, spread.upper), (2.0, 3.0, 4.0));
    assert_eq!(Spread::of(Vec::new()), Spread::default());
}

#[test]
fn agreement_by_hand() {
    use Class::{Same, Unrelated};
    let labels = [
        (Same, Same),
        (Same, Unrelated),
        (Unrelated, Unrelated),
        (Unrelated, Unrelated),
    ];
    let agreement = Agreement::of(&labels);
    assert_eq!((agreement.pairs, agreement.share), (4, 0.75));
    let [same, version, template, unrelated] = agreement.by_class;
    assert_eq!((version, template), (None, None));
    assert_eq!(same.map(|same| same.share), Some(0.5));
    assert_eq!(unrelated.map(|of| of.share), Some(2.0 / 3.0));
    assert!((agreement.kappa - 0.5).abs() < 1e-12, "{}", agreement.kappa);
    assert_eq!(Agreement::of(&[]).pairs, 0);
}

#[test]
fn figures_are_those_of_the_runs_and_of_the_median_run_by_root() {
    let pairs = pairs(400);
    let signals = [Signal::LengthDistance, Signal::Resemblance];
    let evaluation = evaluate(&pairs, &signals, &|| true).unwrap();
    let [(_, useless), (_, alone)] = evaluation.alone[..] else {
        panic!("two signals");
    };
    let together = evaluation.combined();
    let f1 = |figures: Figures| figures.f1.unwrap();
    assert!(
        f1(alone).median > f1(useless).median + 0.2,
        "{alone:?} {useless:?}"
    );
    assert_eq!(together, evaluation.cumulative[1].1);
    let Spread {
        lower,
        median,
        upper,
    } = f1(together);
    assert!(lower <= median && median <= upper);
    let parts = together.within_root.pairs() + together.across_roots.pairs();
    assert_eq!((parts, together.quality.pairs()), (400, 400));
    // The wrong labels are all within one root.
    assert!(together.within_root.precision() < together.across_roots.precision());
    let runs = nine_seeds(&pairs, &Growth::of(signals.to_vec()), &|| true).unwrap();
    assert_eq!(Figures::of(&runs, &pairs), together);
    assert_eq!(evaluation.curve, precision_recall(&runs[0].scores));
    assert_eq!(Figures::of(&[], &[]).precision, None);
}

#[test]
fn nobody_is_tested_on_what_was_learned() {
    // Each source is labelled at random, and all its pairs alike, with a value of its own: a model that has seen a pair
    // of it knows the others, and one that has not knows nothing.
    let made = (0..1_200_u64).map(|at| {
        let source = at / 12;
        let class = match Fingerprint(source).mixed() % 2 {
            0 => Class::Version,
            _ => Class::Unrelated,
        };
        pair(source as f64 / 100.0, 0.5, class, source)
    });
    let made: Vec<SourcedPair> = made.collect();
    // With a model that requires precision, less would be seen.
    let growth = Growth::of(Growth::default().signals);
    let of_sources = cross_validate(&made, &growth, 0, &|| true).unwrap();
    let parted: Vec<SourcedPair> = (0..)
        .zip(&made)
        .map(|(source, sourced)| SourcedPair {
            source,
            ..sourced.clone()
        })
        .collect();
    let of_pairs = cross_validate(&parted, &growth, 0, &|| true).unwrap();
    assert!(
        of_sources.quality.accuracy() < 0.7,
        "{:?}",
        of_sources.quality
    );
    assert!(of_pairs.quality.accuracy() > of_sources.quality.accuracy() + 0.1);
}

#[test]
fn what_cannot_be_validated_is_refused() {
    let refused = |pairs: &[SourcedPair], go_on: bool| {
        let refused = cross_validate(pairs, &Growth::default(), 0, &|| go_on);
        refused.unwrap_err()
    };
    assert_eq!(refused(&pairs(400), false), TrainingError::Cancelled);
    assert_eq!(refused(&pairs(54), true), TrainingError::TooFewSources(9));
    let mut few = pairs(400);
    let copies = u64::from(MIN_PAIRS_OF_CLASS) - 1;
    few.extend((0..copies).map(|at| pair(0.9, 0.5, Class::Same, 1_000 + at)));
    let said = refused(&few, true).to_string();
    assert!(said.contains("pairs labelled same: 9"), "{said}");
}

fn class() -> impl Strategy<Value = Class> {
    prop::sample::select(Class::ALL.to_vec())
}

proptest! {
    /// Kappa from pairs of pairs: agreement by chance is how often the label that one rater gave to some pair equals
    /// the label that the other gave to some pair.
    #[test]
    fn kappa_is_that_of_a_slow_twin(labels in prop::collection::vec((class(), class()), 1..40)) {
        let count = labels.len() as f64;
        let slow = |same: &dyn Fn(Class, Class) -> bool| {
            let agreed = labels.iter().filter(|(a, b)| same(*a, *b)).count() as f64 / count;
            let all = labels.iter().flat_map(|(a, _)| labels.iter().map(move |(_, b)| (*a, *b)));
            let chance = all.filter(|(a, b)| same(*a, *b)).count() as f64 / (count * count);
            if chance < 1.0 { (agreed - chance) / (1.0 - chance) } else { 1.0 }
        };
        let agreement = Agreement::of(&labels);
        prop_assert!((agreement.kappa - slow(&|a, b| a == b)).abs() < 1e-9);
        for class in Class::ALL {
            let found = agreement.by_class[class.index()];
            let is_given = labels.iter().any(|(a, b)| *a == class || *b == class);
            prop_assert_eq!(found.is_some(), is_given);
            if let Some(found) = found {
                let twin = slow(&|a, b| (a == class) == (b == class));
                prop_assert!((found.kappa - twin).abs() < 1e-9, "{} {}", found.kappa, twin);
                prop_assert!((0.0..=1.0).contains(&found.share));
            }
        }
    }

    /// Each point of the curve from one pass over all scores at its cut.
    #[test]
    fn the_curve_is_that_of_a_slow_twin(scores in prop::collection::vec((0_u8..8, any::<bool>()), 0..60)) {
        let scores: Vec<(f64, bool)> = scores.iter().map(|(at, is)| (f64::from(*at) / 8.0, *is)).collect();
        let mut cuts: Vec<f64> = scores.iter().map(|(score, _)| *score).collect();
        cuts.sort_by(|a, b| b.total_cmp(a));
        cuts.dedup();
        let of = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let all = scores.iter().filter(|(_, is)| *is).count();
        let slow = cuts.iter().map(|cut| {
            let taken: Vec<_> = scores.iter().filter(|(score, _)| score >= cut).collect();
            let hits = taken.iter().filter(|(_, is)| *is).count();
            (of(hits, all), of(hits, taken.len()))
        });
        prop_assert_eq!(precision_recall(&scores), slow.collect::<Vec<_>>());
    }
}
