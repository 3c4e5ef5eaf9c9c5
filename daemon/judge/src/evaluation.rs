//! How well a model judges: precision and recall of duplicates, cross-validation, precision-recall curves.
//!
//! As in Huffman et al. 2007 a pair is positive that is one document ([`Class::is_duplicate`]); precision,
//! recall and F1 are of that. Ten folds, nine times with other seeds; figures are medians with quartiles
//! (ibid., §5). Folds part sources and not pairs: a history or a template whose pairs lay on both sides would
//! have been seen in training.

use std::collections::BTreeMap;

use simdex_signature::Fingerprint;

use crate::class::Class;
use crate::training::{Growth, Labelled, TrainingError, train};

/// Folds of a cross-validation.
pub const FOLDS: u64 = 10;
/// Seeds of a cross-validation.
pub const SEEDS: u64 = 9;

/// Judgements held against labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// Pairs judged and labelled duplicates.
    pub hits: u32,
    /// Pairs judged duplicates that are none.
    pub false_hits: u32,
    /// Duplicates that were judged none.
    pub missed: u32,
    /// Pairs rightly judged no duplicates.
    pub rejected: u32,
    /// Pairs judged to be of the very class they are labelled.
    pub exact: u32,
}

impl Quality {
    /// Adds a judgement.
    pub fn add(&mut self, label: Class, judged: Class) {
        let count = match (label.is_duplicate(), judged.is_duplicate()) {
            (true, true) => &mut self.hits,
            (false, true) => &mut self.false_hits,
            (true, false) => &mut self.missed,
            (false, false) => &mut self.rejected,
        };
        *count += 1;
        self.exact += u32::from(label == judged);
    }

    /// All pairs.
    pub fn pairs(&self) -> u32 {
        self.hits + self.false_hits + self.missed + self.rejected
    }

    /// Wrong judgements.
    pub fn errors(&self) -> u32 {
        self.false_hits + self.missed
    }

    /// The share of pairs judged duplicates that are; 0 where none was.
    pub fn precision(&self) -> f64 {
        share(self.hits, self.hits + self.false_hits)
    }

    /// The share of duplicates that were found; 0 where there are none.
    pub fn recall(&self) -> f64 {
        share(self.hits, self.hits + self.missed)
    }

    /// The harmonic mean of both.
    pub fn f1(&self) -> f64 {
        share(2 * self.hits, 2 * self.hits + self.errors())
    }

    /// The share of pairs judged to be of their very class.
    pub fn accuracy(&self) -> f64 {
        share(self.exact, self.pairs())
    }
}

fn share(part: u32, whole: u32) -> f64 {
    match whole {
        0 => 0.0,
        whole => f64::from(part) / f64::from(whole),
    }
}

/// A labelled pair with where it comes from: all pairs of one source fall into one fold.
#[derive(Clone, Debug, PartialEq)]
pub struct Sourced {
    /// The pair.
    pub pair: Labelled,
    /// A history, a template family, a text that others were made of.
    pub source: u64,
}

/// What one cross-validation came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validated {
    /// Over all folds.
    pub quality: Quality,
    /// The probability of a duplicate, and whether the pair is one, for every pair.
    pub scores: Vec<(f64, bool)>,
}

/// The fold of a source under a seed.
fn fold(source: u64, seed: u64) -> u64 {
    Fingerprint(source ^ Fingerprint(seed.wrapping_add(1)).mixed()).mixed() % FOLDS
}

/// Ten-fold cross-validation by source, under one seed.
///
/// # Errors
/// Too few pairs of a class outside a fold.
pub fn cross_validate(
    pairs: &[Sourced],
    growth: &Growth,
    seed: u64,
) -> Result<Validated, TrainingError> {
    let mut validated = Validated::default();
    for held_out in 0..FOLDS {
        let is_out = |pair: &&Sourced| fold(pair.source, seed) == held_out;
        let (tested, learned): (Vec<&Sourced>, Vec<&Sourced>) = pairs.iter().partition(is_out);
        if tested.is_empty() {
            continue;
        }
        let learned: Vec<Labelled> = learned.into_iter().map(|sourced| sourced.pair).collect();
        let model = train(&learned, growth, "", "")?;
        for Sourced { pair, .. } in tested {
            let (class, counts) = model.classify(&pair.values);
            validated.quality.add(pair.class, class);
            let of = |class: &Class| counts.probability(*class);
            let duplicate = Class::ALL
                .iter()
                .filter(|class| class.is_duplicate())
                .map(of);
            validated
                .scores
                .push((duplicate.sum(), pair.class.is_duplicate()));
        }
    }
    Ok(validated)
}

/// The middle of several figures, and the quartiles beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// A quarter of the figures lies below.
    pub lower: f64,
    /// Half of them does.
    pub median: f64,
    /// A quarter lies above.
    pub upper: f64,
}

impl Spread {
    /// Of figures in any order; zeros of none.
    pub fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let last = figures.len().saturating_sub(1) as f64;
            figures
                .get((last * share).round() as usize)
                .copied()
                .unwrap_or(0.0)
        };
        Self {
            lower: at(0.25),
            median: at(0.5),
            upper: at(0.75),
        }
    }
}

/// Cross-validations under all seeds, that of the median F1 first.
///
/// # Errors
/// As of [`cross_validate`].
pub fn nine_seeds(pairs: &[Sourced], growth: &Growth) -> Result<Vec<Validated>, TrainingError> {
    let each = (0..SEEDS).map(|seed| cross_validate(pairs, growth, seed));
    let mut each: Vec<Validated> = each.collect::<Result<_, _>>()?;
    each.sort_by(|a, b| a.quality.f1().total_cmp(&b.quality.f1()));
    let median = each.len() / 2;
    each[..=median].rotate_right(1);
    Ok(each)
}

/// Precision at each recall that some cut of the scores reaches, from the strictest cut on.
pub fn precision_recall(scores: &[(f64, bool)]) -> Vec<(f64, f64)> {
    let mut by_score: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
    for (score, is_duplicate) in scores {
        // Positive numbers are ordered as their bits are.
        let cut = by_score.entry(score.max(0.0).to_bits()).or_default();
        cut.0 += u32::from(*is_duplicate);
        cut.1 += 1;
    }
    let all = scores
        .iter()
        .filter(|(_, is_duplicate)| *is_duplicate)
        .count();
    let (mut hits, mut taken) = (0, 0);
    let points = by_score.into_values().rev().map(|(of_cut, with_it)| {
        hits += of_cut;
        taken += with_it;
        (share(hits, all as u32), share(hits, taken))
    });
    points.collect()
}

/// Cohen's kappa and the agreement by class of pairs that two people labelled: of the pairs to which either
/// gave a class, the share to which both did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Pairs labelled twice.
    pub pairs: u32,
    /// The share with one label from both.
    pub same: f64,
    /// Agreement beyond chance.
    pub kappa: f64,
    /// By class; `None` of a class nobody gave.
    pub by_class: [Option<f64>; Class::ALL.len()],
}

impl Agreement {
    /// Of two labels for each pair.
    pub fn of(labels: &[(Class, Class)]) -> Self {
        let pairs = labels.len() as u32;
        let count = |is: &dyn Fn(Class, Class) -> bool| {
            labels.iter().filter(|(a, b)| is(*a, *b)).count() as u32
        };
        let same = share(count(&|a, b| a == b), pairs);
        let by_chance: f64 = Class::ALL
            .map(|class| {
                let first = share(count(&|a, _| a == class), pairs);
                first * share(count(&|_, b| b == class), pairs)
            })
            .iter()
            .sum();
        let kappa = match by_chance < 1.0 {
            true => (same - by_chance) / (1.0 - by_chance),
            false => 1.0,
        };
        let by_class = Class::ALL.map(|class| {
            let either = count(&|a, b| a == class || b == class);
            let both = count(&|a, b| a == class && b == class);
            (either > 0).then(|| share(both, either))
        });
        Self {
            pairs,
            same,
            kappa,
            by_class,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::{Signal, Values};

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
        assert_eq!(Quality::default().f1(), 0.0);
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
        let pairs: Vec<Sourced> = (0..600)
            .map(|at: u64| {
                let resemblance = (at * 617 % 1000) as f64 / 1000.0;
                let mut values = Values([0.5; 15]);
                values.0[Signal::Resemblance.index()] = resemblance;
                let class = match resemblance > 0.5 {
                    true => Class::Version,
                    false => Class::Unrelated,
                };
                let pair = Labelled { values, class };
                Sourced {
                    pair,
                    source: at / 6,
                }
            })
            .collect();
        let each = nine_seeds(&pairs, &Growth::default()).unwrap();
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
        assert_eq!((agreement.pairs, agreement.same), (4, 0.75));
        assert_eq!(agreement.by_class, [Some(0.5), None, None, Some(2.0 / 3.0)]);
        assert!((agreement.kappa - 0.5).abs() < 1e-12, "{}", agreement.kappa);
        assert_eq!(Agreement::of(&[]).pairs, 0);
    }
}
