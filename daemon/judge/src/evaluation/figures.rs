//! All figures of one set of labelled pairs: each signal alone, combinations by cumulative cost, and all together.

use super::{GoOn, Quality, SourcedPair, Validated, nine_seeds, precision_recall};
use crate::class::Class;
use crate::signal::Signal;
use crate::training::{Growth, TrainingError};

/// The median of several figures, and its quartiles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// A quarter of the figures is below.
    pub lower: f64,
    /// Half of them is below.
    pub median: f64,
    /// A quarter is above.
    pub upper: f64,
}

impl Spread {
    /// The spread of figures in any order; zeros if there are none.
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

/// How well duplicates are recognised, over several cross-validations of the same pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// The share of pairs judged duplicates that are; `None` if no run judged any so.
    pub precision: Option<Spread>,
    /// The share of duplicates that are found; `None` if no pair is one.
    pub recall: Option<Spread>,
    /// The harmonic mean of both; `None` if no pair is a duplicate.
    pub f1: Option<Spread>,
    /// Judgements of the run with the median F1.
    pub quality: Quality,
    /// Judgements of pairs within one root.
    pub within_root: Quality,
    /// Judgements of pairs across two roots.
    pub across_roots: Quality,
}

impl Figures {
    /// Figures of runs over these pairs, the one with the median F1 first, as [`nine_seeds`] returns them.
    pub fn of(runs: &[Validated], pairs: &[SourcedPair]) -> Self {
        let spread = |figure: fn(&Quality) -> f64, evidence: fn(&Quality) -> u32| {
            let runs = runs.iter().map(|run| &run.quality);
            let known: Vec<f64> = runs.filter(|run| evidence(run) > 0).map(figure).collect();
            (!known.is_empty()).then(|| Spread::of(known))
        };
        let mut figures = Self {
            precision: spread(Quality::precision, |run| run.hits + run.false_hits),
            recall: spread(Quality::recall, |run| run.hits + run.missed),
            f1: spread(Quality::f1, |run| run.hits + run.missed),
            ..Self::default()
        };
        let Some(median) = runs.first() else {
            return figures;
        };
        figures.quality = median.quality;
        let judged = median.judged.iter().zip(&median.doubts);
        for (SourcedPair { pair, .. }, (judged, doubt)) in pairs.iter().zip(judged) {
            let same_root = pair.values.get(Signal::SameRoot);
            let part = match same_root {
                Some(1.0) => &mut figures.within_root,
                Some(_) => &mut figures.across_roots,
                // A text that is no file.
                None => continue,
            };
            part.add_answer(pair.class, *judged, *doubt);
        }
        figures
    }
}

/// What labelled pairs show about signals and their combination.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Each signal alone, cheapest first.
    pub alone: Vec<(Signal, Figures)>,
    /// Each signal together with all cheaper ones; the last is the combination of all.
    pub cumulative: Vec<(Signal, Figures)>,
    /// Recall and precision of the combination's median run as its cut is lowered.
    pub curve: Vec<(f64, f64)>,
    /// The judged class of each pair in that run.
    pub judged: Vec<Class>,
}

impl Evaluation {
    /// All signals together.
    pub fn combined(&self) -> Figures {
        let last = self.cumulative.last();
        last.map(|(_, figures)| *figures).unwrap_or_default()
    }
}

/// Computes all figures by cross-validation. Each leaf takes the class of most of its pairs ([`Growth::of`]), so that
/// signals are compared by the information they carry; a model for judging claims less. Time: 2 · signals · seeds ·
/// folds trainings.
///
/// # Errors
/// Those of [`nine_seeds`].
pub fn evaluate(
    pairs: &[SourcedPair],
    signals: &[Signal],
    go_on: GoOn<'_>,
) -> Result<Evaluation, TrainingError> {
    let (mut alone, mut cumulative) = (Vec::new(), Vec::new());
    let (mut curve, mut judged) = (Vec::new(), Vec::new());
    for (at, signal) in signals.iter().enumerate() {
        let runs = nine_seeds(pairs, &Growth::of(vec![*signal]), go_on)?;
        alone.push((*signal, Figures::of(&runs, pairs)));
        let runs = nine_seeds(pairs, &Growth::of(signals[..=at].to_vec()), go_on)?;
        cumulative.push((*signal, Figures::of(&runs, pairs)));
        if let Some(median) = runs.into_iter().next() {
            curve = precision_recall(&median.scores);
            judged = median.judged;
        }
    }
    Ok(Evaluation {
        alone,
        cumulative,
        curve,
        judged,
    })
}
