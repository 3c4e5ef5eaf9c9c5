//! Adaptive sampling: how coarsely texts of each size may be sampled.
//!
//! Source: Ye, Wen and Ma 2008, "A systematic study on parameter correlations in large-scale duplicate
//! document detection", §4.4 and §6. Small texts lose precision first when they are sampled, so each group
//! of sizes gets the coarsest sample whose pairs, found at a threshold and not verified, still are what
//! they seem to be as often as required. What is required is found out on pairs of the collection
//! itself ([`PairTrials`]); whether it holds is seen on other pairs ([`Calibration::quality`]).
//!
//! Departures:
//! - Samples are those of Mod_n at n = 1, 2, 4, … 64, which nest, so that texts of different groups stay
//!   comparable: a pair is compared at the coarser step of both. It belongs to the group of its longer
//!   text, and no group's step is coarser than that of a group of longer texts: so that step is the
//!   group's own.
//! - All pairs of a group count as one list. The paper averages over the precisions of n trials, which
//!   have no precision where nothing was found.
//! - Groups are not given: sizes double from class to class, and neighbouring classes are joined until
//!   each has several times [`least_pairs`] similar pairs. A step is taken only if all finer ones meet what is
//!   required, too: by chance a coarse one may.
//! - What must reach the required precision is the lower end of its interval, not the precision found: the
//!   coarsest step that seems precise enough is the one that was luckiest. Pairs count as independent, which
//!   those of one family are not, so that the interval is narrow where families are large and few.

mod trials;

pub use trials::{PairTrials, STEPS};

use crate::binomial::clopper_pearson;
use crate::ladder::Ladder;
use crate::ratio::Ratio;
use crate::rung::Rung;
use crate::sampling::{BadSampling, Sampling, SizeStep};

/// Similar pairs that a half must have, whatever the required precision.
pub const MIN_PAIRS: u64 = 30;

/// The confidence of the intervals of a precision.
pub const PRECISION_CONFIDENCE: f64 = 0.95;

/// Neighbouring sizes are joined until they have this many times the least number of similar pairs: on the
/// least number itself a single wrong pair would keep a group from being sampled at all.
const PAIRS_OF_A_GROUP: u64 = 4;

/// Groups that there are pairs for once there are [`enough_pairs`].
const USUAL_GROUPS: u64 = 4;

/// Similar pairs that are always worth being measured: the interval of a precision of 0.9 is 0.03 wide to both sides
/// then.
const WORTHWHILE_PAIRS: u64 = 400;

/// Classes of sizes, from 2^k bytes on each.
const CLASSES: usize = u64::BITS as usize;

/// Why a collection cannot be calibrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{pairs} similar pairs in one half of them, and this precision cannot be shown on fewer than {least}"
)]
pub struct TooFewPairs {
    /// Pairs that are similar.
    pub pairs: u64,
    /// How many are necessary.
    pub least: u64,
}

/// How many documents there are of each size.
#[derive(Clone, Debug)]
pub struct Sizes {
    classes: [SizeTotals; CLASSES],
}

/// What a class of sizes, or a group of classes, holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SizeTotals {
    /// Number of documents.
    pub documents: u64,
    /// Bytes of their canonical texts: about as many as they have shingles.
    pub bytes: u64,
}

/// What was measured of pairs, by the size of the longer text.
#[derive(Clone, Debug)]
pub struct Measurements {
    classes: [Tally; CLASSES],
}

/// Sums over the pairs of a class of sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    /// Pairs that are similar.
    pairs: u64,
    /// Pairs that are similar, by weight.
    similar: f64,
    /// Pairs found by step, each counted once whatever its weight: the size of the evidence.
    evidence: [f64; STEPS],
    /// Pairs found by step, by weight; in part where some trials find them.
    found: [f64; STEPS],
    /// How many of these are similar, by weight.
    right: [f64; STEPS],
}

/// What a [`Tally`] has of one step.
#[derive(Clone, Copy, Debug, Default)]
struct StepSums {
    evidence: f64,
    found: f64,
    right: f64,
    similar: f64,
}

/// Precision and recall of what is found by sampling, not verified.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// The share of pairs found that are similar; `None` if none was found.
    pub precision: Option<f64>,
    /// The interval of that share with a confidence of [`PRECISION_CONFIDENCE`].
    pub interval: Option<(f64, f64)>,
    /// The share of similar pairs that are found; `None` if there is none.
    pub recall: Option<f64>,
}

/// Texts of neighbouring sizes, and how they may be sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Bytes of the shortest text it may have.
    pub from: u64,
    /// Documents of these sizes in the collection.
    pub held: SizeTotals,
    /// Similar pairs it was measured on.
    pub pairs: u64,
    /// What each step of the ladder comes to, the finest first.
    pub steps: [Quality; STEPS],
    /// The step it should be sampled at.
    pub rung: Rung,
}

/// A setting for each group of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The groups, shortest texts first; together they hold texts of any length.
    pub groups: Vec<Group>,
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            classes: [SizeTotals::default(); CLASSES],
        }
    }
}

impl Sizes {
    /// Counts a document of so many bytes of canonical text.
    pub fn add(&mut self, length: u64) {
        let class = &mut self.classes[class(length)];
        class.documents += 1;
        class.bytes += length;
    }
}

impl Default for Measurements {
    fn default() -> Self {
        Self {
            classes: [Tally::default(); CLASSES],
        }
    }
}

impl Measurements {
    /// Counts a pair with its weight: the number of pairs that it represents, more than 1 if only a sample of its kind
    /// is measured.
    pub fn add(&mut self, pair: &PairTrials, weight: f64) {
        let tally = &mut self.classes[class(pair.longer)];
        tally.pairs += u64::from(pair.is_similar);
        let similar = if pair.is_similar { weight } else { 0.0 };
        tally.similar += similar;
        for (step, share) in pair.found.iter().enumerate() {
            tally.evidence[step] += share;
            tally.found[step] += weight * share;
            tally.right[step] += similar * share;
        }
    }

    /// Pairs that are similar.
    pub fn pairs(&self) -> u64 {
        self.classes.iter().map(|tally| tally.pairs).sum()
    }
}

/// Similar pairs without which a precision cannot be shown: if all that are found are right, the lower end of the
/// interval reaches it. At least [`MIN_PAIRS`].
pub fn least_pairs(precision: Ratio) -> u64 {
    // All of m are right: the lower end is the m-th root of the lower tail.
    let tail = (1.0 - PRECISION_CONFIDENCE) / 2.0;
    let least = (tail.ln() / precision.get().ln()).ceil();
    MIN_PAIRS.max(least as u64)
}

/// Similar pairs of a half beyond which more would change little: enough for several groups of sizes.
pub fn enough_pairs(precision: Ratio) -> u64 {
    let of_groups = least_pairs(precision).saturating_mul(PAIRS_OF_A_GROUP * USUAL_GROUPS);
    of_groups.max(WORTHWHILE_PAIRS)
}

impl Calibration {
    /// The coarsest setting that is shown to reach `precision` on what was measured.
    ///
    /// # Errors
    /// [`TooFewPairs`] if there are fewer similar pairs than [`least_pairs`].
    pub fn new(
        precision: Ratio,
        sizes: &Sizes,
        measured: &Measurements,
    ) -> Result<Self, TooFewPairs> {
        let least = least_pairs(precision);
        let pairs = measured.pairs();
        if pairs < least {
            return Err(TooFewPairs { pairs, least });
        }
        let mut joined: Vec<(u64, SizeTotals, Tally)> = Vec::new();
        let mut open = (0, SizeTotals::default(), Tally::default());
        for (at, (held, tally)) in sizes.classes.iter().zip(&measured.classes).enumerate() {
            open.1.add(held);
            open.2.add(tally);
            if open.2.pairs >= least.saturating_mul(PAIRS_OF_A_GROUP) {
                joined.push(open);
                open = (
                    2 << at.min(CLASSES - 2),
                    SizeTotals::default(),
                    Tally::default(),
                );
            }
        }
        // The longest texts, of which there are few, are like those before them.
        match joined.last_mut() {
            Some(last) => {
                last.1.add(&open.1);
                last.2.add(&open.2);
            }
            None => joined.push(open),
        }
        let mut groups: Vec<Group> = joined
            .into_iter()
            .map(|(from, held, tally)| Group::new(from, held, &tally, precision))
            .collect();
        let mut coarsest = Rung::MAX_DOCUMENT;
        for group in groups.iter_mut().rev() {
            coarsest = coarsest.min(group.rung);
            group.rung = coarsest;
        }
        Ok(Self { groups })
    }

    /// What an index is told to sample as recommended.
    pub fn sampling(&self) -> Result<Sampling, BadSampling> {
        let groups = self.groups.iter().map(|group| SizeStep {
            from: group.from,
            rung: group.rung,
        });
        Sampling::new(&groups.collect::<Vec<_>>())
    }

    /// The ladder of an index that samples as recommended; by length alone if the index cannot be told so.
    pub fn ladder(&self, in_force: Ladder) -> Ladder {
        Ladder {
            sampling: self.sampling().ok(),
            ..in_force
        }
    }

    /// What these pairs come to in an index with this setting, which samples long texts more coarsely than their group
    /// and short ones more finely.
    pub fn quality(&self, in_force: Ladder, measured: &Measurements) -> Quality {
        let ladder = self.ladder(in_force);
        let mut sums = StepSums::default();
        for (at, tally) in measured.classes.iter().enumerate() {
            // The middle of the class: the bounds of the ladder are those of classes, or a little above.
            let middle = (1_u64 << at) + (1 << at) / 2;
            let step = usize::from(ladder.rung_of_text(middle).get());
            sums.add(&tally.at(step.min(STEPS - 1)));
        }
        Quality::of(&sums)
    }
}

impl Group {
    fn new(from: u64, held: SizeTotals, tally: &Tally, required: Ratio) -> Self {
        let steps = std::array::from_fn(|step| Quality::of(&tally.at(step)));
        let meets = |quality: &&Quality| {
            let interval = quality.interval;
            interval.is_some_and(|(low, _)| low >= required.get())
        };
        let met = steps.iter().take_while(meets).count();
        let rungs = Rung::all().take(met);
        Self {
            from,
            held,
            pairs: tally.pairs,
            steps,
            rung: rungs.last().unwrap_or(Rung::ZERO),
        }
    }
}

impl SizeTotals {
    fn add(&mut self, other: &Self) {
        self.documents += other.documents;
        self.bytes += other.bytes;
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.similar += other.similar;
        for step in 0..STEPS {
            self.evidence[step] += other.evidence[step];
            self.found[step] += other.found[step];
            self.right[step] += other.right[step];
        }
    }

    fn at(&self, step: usize) -> StepSums {
        StepSums {
            evidence: self.evidence[step],
            found: self.found[step],
            right: self.right[step],
            similar: self.similar,
        }
    }
}

impl StepSums {
    fn add(&mut self, other: &Self) {
        self.evidence += other.evidence;
        self.found += other.found;
        self.right += other.right;
        self.similar += other.similar;
    }
}

impl Quality {
    fn of(sums: &StepSums) -> Self {
        let precision = (sums.found > 0.0).then(|| sums.right / sums.found);
        let interval = precision.map(|precision| {
            let trials = sums.evidence.round();
            let right = (precision * trials).round() as u64;
            let (low, high) = clopper_pearson(right, trials as u64, PRECISION_CONFIDENCE);
            // Both counts are rounded.
            (low.get().min(precision), high.get().max(precision))
        });
        Self {
            precision,
            interval,
            recall: (sums.similar > 0.0).then(|| sums.right / sums.similar),
        }
    }
}

/// The class of a text by its length in bytes: ⌊log₂ length⌋, 0 of an empty text.
fn class(length: u64) -> usize {
    length.max(1).ilog2() as usize
}

#[cfg(test)]
mod tests;
