//! How well a model judges: precision and recall of duplicates, cross-validation, precision-recall curves.
//!
//! As in Huffman et al. 2007, a pair is positive if its class is `Same` or `Version` ([`Class::is_duplicate`]);
//! precision, recall and F1 refer to that. There are ten folds, nine times with other seeds; figures are medians with
//! quartiles (ibid., §5). Folds are made of sources and not of pairs: a history or a template with pairs on both sides
//! would have been seen in training.
//!
//! [`evaluate`] computes all figures of one set of labelled pairs; [`Agreement`] is that of two raters.

mod agreement;
mod figures;

use std::collections::{BTreeMap, BTreeSet};

use simdex_signature::Fingerprint;

use crate::class::{Class, Counts};
use crate::doubt::{Caveats, Doubt};
use crate::model::{Answered, Model};
use crate::training::{FOLDS, Growth, LabelledSignals, TrainingError, check, grown};

pub use agreement::{Agreement, ClassAgreement};
pub use figures::{Evaluation, Figures, Spread, evaluate};

/// Number of seeds of a cross-validation.
pub const SEEDS: u64 = 9;

/// Judgements compared with labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// Pairs judged duplicates and labelled so.
    pub hits: u32,
    /// Pairs judged duplicates that are not.
    pub false_hits: u32,
    /// Duplicates that were not judged so.
    pub missed: u32,
    /// Pairs rightly judged not to be duplicates.
    pub rejected: u32,
    /// Pairs by labelled and by judged class, in the order of [`Class::ALL`].
    pub confusion: [[u32; Class::ALL.len()]; Class::ALL.len()],
    /// Pairs whose judgement was withheld, by labelled class: duplicates among them count as missed, others as rejected.
    pub withheld: [u32; Class::ALL.len()],
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
        self.confusion[label.index()][judged.index()] += 1;
    }

    /// Adds a pair whose judgement was withheld.
    pub fn withhold(&mut self, label: Class) {
        let count = match label.is_duplicate() {
            true => &mut self.missed,
            false => &mut self.rejected,
        };
        *count += 1;
        self.withheld[label.index()] += 1;
    }

    /// Adds what was answered: a judgement, or that it is withheld.
    pub fn add_answer(&mut self, label: Class, judged: Class, doubt: Option<Doubt>) {
        match doubt {
            None => self.add(label, judged),
            Some(_) => self.withhold(label),
        }
    }

    /// How many judgements were withheld.
    pub fn all_withheld(&self) -> u32 {
        self.withheld.iter().sum()
    }

    /// How many pairs were judged.
    pub fn pairs(&self) -> u32 {
        self.hits + self.false_hits + self.missed + self.rejected
    }

    /// Pairs wrongly judged to be duplicates, or not to be.
    pub fn errors(&self) -> u32 {
        self.false_hits + self.missed
    }

    /// The share of pairs judged duplicates that are; 0 if there are none.
    pub fn precision(&self) -> f64 {
        share(self.hits, self.hits + self.false_hits)
    }

    /// The share of duplicates that were found; 0 if there are none.
    pub fn recall(&self) -> f64 {
        share(self.hits, self.hits + self.missed)
    }

    /// The harmonic mean of both.
    pub fn f1(&self) -> f64 {
        share(2 * self.hits, 2 * self.hits + self.errors())
    }

    /// The precision that the same recall and the same share of false hits would have if this share of all pairs were
    /// duplicates: labelled pairs are selected, and contain more duplicates than the pairs judged in practice. 0 if
    /// nothing is judged a duplicate.
    pub fn precision_at(&self, base_rate: f64) -> f64 {
        let found = base_rate * self.recall();
        let fallout = share(self.false_hits, self.false_hits + self.rejected);
        let judged_so = found + (1.0 - base_rate) * fallout;
        if judged_so > 0.0 {
            found / judged_so
        } else {
            0.0
        }
    }

    /// The share of pairs with a judgement that are judged to be of exactly their class.
    pub fn accuracy(&self) -> f64 {
        let exact = (0..Class::ALL.len()).map(|class| self.confusion[class][class]);
        share(exact.sum(), self.pairs() - self.all_withheld())
    }
}

fn share(part: u32, whole: u32) -> f64 {
    match whole {
        0 => 0.0,
        whole => f64::from(part) / f64::from(whole),
    }
}

/// A labelled pair with its source: all pairs of one source are in one fold.
#[derive(Clone, Debug, PartialEq)]
pub struct SourcedPair {
    /// Signals and label of the pair.
    pub pair: LabelledSignals,
    /// A history, a template family, or a text from which others were made.
    pub source: u64,
    /// What no signal tells.
    pub caveats: Caveats,
}

/// The result of one cross-validation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validated {
    /// Over all folds.
    pub quality: Quality,
    /// The probability of a duplicate, and whether the pair is one, for every pair.
    pub scores: Vec<(f64, bool)>,
    /// The judged class of every pair, in the order of the pairs.
    pub judged: Vec<Class>,
    /// Why it is withheld; `None` if it is given.
    pub doubts: Vec<Option<Doubt>>,
}

/// Whether to continue; called before each of the trainings of a cross-validation.
pub type GoOn<'a> = &'a dyn Fn() -> bool;

/// The fold of a source under a seed.
fn fold(source: u64, seed: u64) -> u64 {
    Fingerprint(source ^ Fingerprint(seed.wrapping_add(1)).mixed()).mixed() % FOLDS
}

/// The indices of the pairs to learn from and of those to test on, for each fold that any source is in.
pub fn folds(
    pairs: &[SourcedPair],
    seed: u64,
) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> + '_ {
    let parted = move |held_out: u64| {
        let is_learned = |at: &usize| fold(pairs[*at].source, seed) != held_out;
        (0..pairs.len()).partition(is_learned)
    };
    (0..FOLDS)
        .map(parted)
        .filter(|(_, tested): &(Vec<usize>, Vec<usize>)| !tested.is_empty())
}

/// Ten-fold cross-validation by source, under one seed. What answers withhold is withheld where models are grown to judge
/// ([`Growth::is_for_judging`]).
///
/// # Errors
/// Too few pairs of a class among all, too few sources, or cancelled.
pub fn cross_validate(
    pairs: &[SourcedPair],
    growth: &Growth,
    seed: u64,
    go_on: GoOn<'_>,
) -> Result<Validated, TrainingError> {
    check_enough(pairs)?;
    let mut validated = Validated::of_none(pairs.len());
    for (learned, tested) in folds(pairs, seed) {
        if !go_on() {
            return Err(TrainingError::Cancelled);
        }
        let learned: Vec<LabelledSignals> = learned.into_iter().map(|at| pairs[at].pair).collect();
        let model = Model::new("", "", grown(&learned, growth)?);
        for at in tested {
            let mut answered = model.answer(&pairs[at].pair.values, pairs[at].caveats);
            if !growth.is_for_judging() {
                answered.class = answered.likely.most();
                answered.doubt = None;
            }
            validated.add(at, &pairs[at].pair, answered);
        }
    }
    Ok(validated)
}

/// Checks that there is enough to learn from and to test on.
///
/// # Errors
/// Too few pairs of a class, pairs of one class only, or too few sources.
pub fn check_enough(pairs: &[SourcedPair]) -> Result<(), TrainingError> {
    let mut counts = Counts::default();
    pairs.iter().for_each(|pair| counts.add(pair.pair.class));
    check(&counts)?;
    let sources: BTreeSet<u64> = pairs.iter().map(|pair| pair.source).collect();
    match (sources.len() as u64) < FOLDS {
        true => Err(TrainingError::TooFewSources(sources.len())),
        false => Ok(()),
    }
}

impl Validated {
    fn of_none(pairs: usize) -> Self {
        Self {
            judged: vec![Class::Unrelated; pairs],
            doubts: vec![None; pairs],
            ..Self::default()
        }
    }

    /// Answers of a model that has seen none of these pairs.
    pub fn of(model: &Model, pairs: &[SourcedPair]) -> Self {
        let mut validated = Self::of_none(pairs.len());
        for (at, SourcedPair { pair, caveats, .. }) in pairs.iter().enumerate() {
            validated.add(at, pair, model.answer(&pair.values, *caveats));
        }
        validated
    }

    fn add(&mut self, at: usize, pair: &LabelledSignals, answered: Answered) {
        let Answered {
            class,
            likely,
            doubt,
        } = answered;
        self.quality.add_answer(pair.class, class, doubt);
        self.judged[at] = class;
        self.doubts[at] = doubt;
        let score = likely.duplicates();
        self.scores.push((score, pair.class.is_duplicate()));
    }
}

/// Cross-validations under all seeds, that of the median F1 first.
///
/// # Errors
/// Those of [`cross_validate`].
pub fn nine_seeds(
    pairs: &[SourcedPair],
    growth: &Growth,
    go_on: GoOn<'_>,
) -> Result<Vec<Validated>, TrainingError> {
    let each = (0..SEEDS).map(|seed| cross_validate(pairs, growth, seed, go_on));
    Ok(median_first(each.collect::<Result<_, _>>()?))
}

/// Cross-validations by rising F1, with the median one before all.
pub fn median_first(mut each: Vec<Validated>) -> Vec<Validated> {
    each.sort_by(|a, b| a.quality.f1().total_cmp(&b.quality.f1()));
    let median = each.len() / 2;
    if let Some(upper) = each.get_mut(..=median) {
        upper.rotate_right(1);
    }
    each
}

/// Precision at each recall that some cut of the scores reaches, from the strictest cut on.
pub fn precision_recall(scores: &[(f64, bool)]) -> Vec<(f64, f64)> {
    let mut by_score: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
    for (score, is_duplicate) in scores {
        // Positive numbers have the order of their bits.
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

#[cfg(test)]
mod tests;
