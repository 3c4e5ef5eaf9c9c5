//! Labels that people give to pairs: sampling pairs to label, evaluating judgements, learning models.
//!
//! `labels → pairs (`[`pairs`]`) → signals (`[`measure`]`) → figures or a model`
//!
//! A label is about two documents. A file that was moved is found by its document; a file that carries another
//! document than when it was labelled is not found. Of several labels by one rater for one pair the last counts;
//! if raters disagree, the majority decides. Folds separate groups of documents that are linked by labelled pairs
//! or by groups of the index, so that no model is tested on versions of what it has learned from.
//!
//! What is learned are thresholds of signals and counts of pairs: a model contains nothing about any document.

mod measure;
mod pairs;
mod sample;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use simdex_index::{IndexError, MemoryAccount};
use simdex_judge::evaluation::{
    Agreement, Evaluation, Figures, Quality, SourcedPair, Validated, check_enough,
    evaluate as all_figures, nine_seeds,
};
use simdex_judge::training::{Growth, LabelledSignals, TrainingError, train as grow};
use simdex_judge::{Class, Counts, Model, ModelError, Signal};
use simdex_proto::completeness::Completeness;
use simdex_schema::DocumentHash;
use thiserror::Error;

use crate::engine::{CompletenessCheck, Engine, Incomplete};
use crate::read_side::query::QueryError;
use pairs::Pairs;

pub use measure::SignalTimes;
pub use sample::{SampleRequest, SampledPair, sample};

/// Most raters of one request: agreement is reported for every two of them.
pub const MAX_RATERS: usize = 50;
/// Bytes that a label takes while it is held: signals and the learner's copies of them.
const LABEL_BYTES: u64 = 2 << 10;

/// A file and the document that it carried when it was labelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledFile {
    /// Its absolute path, in its displayed form.
    pub path: PathBuf,
    /// Hash of the document that it carried then.
    pub document: DocumentHash,
}

/// A rater's verdict on two files.
#[derive(Clone, Debug)]
pub struct Label {
    /// The two files that were compared.
    pub sides: [LabelledFile; 2],
    /// What they are to each other.
    pub verdict: Class,
    /// The rater's name.
    pub rater: String,
}

/// Labels, and how to treat those that do not apply any more.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Labels in the order in which they were made.
    pub labels: Vec<Label>,
    /// Whether labels of unknown documents are left out and counted; otherwise they are refused.
    pub skip_unknown: bool,
}

/// Counts of labels and pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelCounts {
    /// Number of labels given.
    pub labels: u64,
    /// The number of raters.
    pub raters: u64,
    /// Pairs that are judged, by class.
    pub classes: Counts,
    /// Pairs left out because raters disagree without a majority.
    pub disputed: u64,
    /// Pairs left out because a document is not known any more, or has no text.
    pub unknown: u64,
    /// Pairs left out because both files carry one text.
    pub identical: u64,
    /// Groups of documents that folds keep together.
    pub sources: u64,
}

/// How two raters agree.
#[derive(Clone, Debug, PartialEq)]
pub struct RaterPair {
    /// Their names, in alphabetical order.
    pub raters: [String; 2],
    /// Agreement on the pairs that both labelled.
    pub agreement: Agreement,
    /// Whether both raters are synthetic, made from the labels, because no two people labelled the same pair.
    pub is_made: bool,
}

/// An evaluation of judgements against labels.
pub struct Evaluated {
    /// What was labelled.
    pub counts: LabelCounts,
    /// Figures of the model in force on the same pairs.
    pub in_force: Figures,
    /// The model in force.
    pub model: Arc<Model>,
    /// Agreement of raters who labelled the same pair; of two synthetic ones if no pair was labelled twice.
    pub agreements: Vec<RaterPair>,
    /// What models trained on these labels would be like, or why the labels do not suffice to train any.
    pub trained: Result<TrainedFigures, TrainingError>,
    /// Completeness of the index at the time of the request.
    pub completeness: Completeness,
}

/// What models trained on labels would be like: the model in force plays no part in it.
pub struct TrainedFigures {
    /// Figures of the signals and of their combination, by cross-validation.
    pub evaluation: Evaluation,
    /// Figures of all signals together, on pairs of texts in a language that the table of common words knows, and on
    /// the others; `None` if there is no such pair.
    pub languages: [Option<Quality>; 2],
    /// Time that each signal took; `None` if there is no pair.
    pub microseconds: Option<SignalTimes>,
    /// A model trained on all of the labels.
    pub learned: Model,
}

/// A model that is learned from labels.
pub struct Trained {
    /// What was labelled.
    pub counts: LabelCounts,
    /// The model, trained on all of the labels.
    pub model: Model,
    /// Whether pairs are judged by it now.
    pub is_in_force: bool,
    /// Figures of models made in the same way, on folds that they have not seen.
    pub learned: Figures,
    /// Figures of the shipped model on the same pairs.
    pub shipped: Figures,
    /// The model in force before.
    pub before: Arc<Model>,
    /// Figures of that model on the same pairs, which it may have been trained on.
    pub of_before: Figures,
    /// Completeness of the index at the time of the request.
    pub completeness: Completeness,
}

/// Why labels are refused; the model in force stays.
#[derive(Debug, Error)]
pub enum LabelError {
    /// No file of the view carries the document.
    #[error("{path} is labelled, and no indexed file has the labelled text any more")]
    Unknown {
        /// The file, as it was labelled.
        path: String,
    },
    /// The file has no text to compare.
    #[error("{path} is labelled, and has no text to compare")]
    NoText {
        /// The file, as it was labelled.
        path: String,
    },
    /// Raters contradict each other.
    #[error("the labels of {a} and {b} contradict each other: {verdicts}")]
    Contradiction {
        /// Path of one file, as it was labelled.
        a: String,
        /// Path of the other file.
        b: String,
        /// The verdicts, with their raters.
        verdicts: String,
    },
    /// The labels do not suffice.
    #[error(transparent)]
    Training(TrainingError),
    /// The shipped model cannot be read.
    #[error(transparent)]
    Shipped(#[from] ModelError),
    /// The model cannot be stored.
    #[error("the model cannot be written into the data directory")]
    Write(#[source] std::io::Error),
    /// The index is being changed in a way that allows no answer.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
    /// A document cannot be read.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The index failed, or the client disconnected.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl LabelError {
    /// What to do about it, if that is known.
    pub fn advice(&self) -> Option<Cow<'static, str>> {
        let advice = match self {
            Self::Unknown { .. } | Self::NoText { .. } => {
                "label the pair again, or leave out such labels with `--skip-unknown`"
            }
            Self::Contradiction { .. } => {
                "have a third rater label the pair, or one of them label it again: the last label of a rater counts"
            }
            Self::Training(error) => advice_on_training(error)?,
            Self::Write(_) => "see to the data directory and train again",
            Self::Query(error) => return error.advice(),
            Self::Index(error) => error.advice()?,
            Self::Shipped(_) | Self::Incomplete(_) => return None,
        };
        Some(advice.into())
    }
}

/// What to do about labels that do not suffice to train a model, if that is known.
pub fn advice_on_training(error: &TrainingError) -> Option<&'static str> {
    match error {
        TrainingError::TooFew { .. } => {
            Some("label more such pairs with `simctl judge label`, or leave their labels out")
        }
        TrainingError::NoPairs | TrainingError::OneClass(_) | TrainingError::TooFewSources(_) => {
            Some("label more pairs with `simctl judge label`")
        }
        TrainingError::TooMany(_) => Some("send fewer labels"),
        TrainingError::Cancelled | TrainingError::Learner(_) => None,
    }
}

impl From<TrainingError> for LabelError {
    fn from(error: TrainingError) -> Self {
        match error {
            TrainingError::Cancelled => IndexError::Cancelled.into(),
            error => Self::Training(error),
        }
    }
}

/// Evaluates judgements against labels. The model in force is evaluated on any number of labels; signals are compared
/// only where labels suffice to train models on; the agreement of raters is known where they agree on no pair too.
///
/// # Errors
/// Unknown files, no pair to judge; see [`LabelError`].
pub fn evaluate(
    engine: &Engine,
    labels: &Labels,
    account: &MemoryAccount,
) -> Result<Evaluated, LabelError> {
    let check = CompletenessCheck::begin(engine, &engine.roots.view(), false)?;
    let _held = account.take_large(labels.labels.len() as u64 * LABEL_BYTES)?;
    let pairs = Pairs::of(&labels.labels);
    let found = measure::measured(engine, &pairs, labels, account)?;
    let measured = &found.pairs;
    let agreements = agreements(&pairs, measured);
    let trained = match check_enough(measured) {
        Ok(()) => Ok(trained_figures(&found, account)?),
        Err(no_pair) if agreements.is_empty() => return Err(no_pair.into()),
        Err(too_few) => Err(too_few),
    };
    let model = engine.models.in_force();
    Ok(Evaluated {
        in_force: Figures::of(&[Validated::of(&model, measured)], measured),
        model,
        agreements,
        trained,
        counts: found.counts,
        completeness: check.verdict()?,
    })
}

/// Compares signals by cross-validation on labels that suffice for it.
fn trained_figures(
    found: &measure::Measured,
    account: &MemoryAccount,
) -> Result<TrainedFigures, LabelError> {
    let go_on = || account.cancel().check().is_ok();
    let evaluation = all_figures(&found.pairs, &Signal::ALL, &go_on)?;
    Ok(TrainedFigures {
        languages: by_language(found, &evaluation.judged),
        microseconds: found.microseconds,
        learned: learned(&found.pairs, "evaluated")?,
        evaluation,
    })
}

/// Agreements of raters, two by two; of two synthetic ones if no pair was labelled by two, none if there is no pair.
fn agreements(pairs: &Pairs<'_>, measured: &[SourcedPair]) -> Vec<RaterPair> {
    let agreements = pairs.agreements();
    if !agreements.is_empty() || measured.is_empty() {
        return agreements;
    }
    let labels: Vec<Class> = measured.iter().map(|pair| pair.pair.class).collect();
    vec![RaterPair {
        raters: ["simulated rater 1", "simulated rater 2"].map(str::to_owned),
        agreement: Agreement::of_made_raters(&labels),
        is_made: true,
    }]
}

/// Quality of the judgements of pairs in a known language, and of the others.
fn by_language(found: &measure::Measured, judged: &[Class]) -> [Option<Quality>; 2] {
    let mut parts = [Quality::default(); 2];
    for ((pair, is_foreign), judged) in found.pairs.iter().zip(&found.is_foreign).zip(judged) {
        parts[usize::from(*is_foreign)].add(pair.pair.class, *judged);
    }
    parts.map(|part| (part.pairs() > 0).then_some(part))
}

/// Learns a model, and judges by it from then on unless `is_trial`.
///
/// # Errors
/// Those of [`evaluate`], and labels that contradict each other. The model in force then stays.
pub fn train(
    engine: &Engine,
    labels: &Labels,
    name: &str,
    is_trial: bool,
    account: &MemoryAccount,
) -> Result<Trained, LabelError> {
    let check = CompletenessCheck::begin(engine, &engine.roots.view(), false)?;
    let _held = account.take_large(labels.labels.len() as u64 * LABEL_BYTES)?;
    let pairs = Pairs::of(&labels.labels);
    pairs.check_agreed()?;
    let found = measure::measured(engine, &pairs, labels, account)?;
    let (measured, counts) = (found.pairs, found.counts);
    let go_on = || account.cancel().check().is_ok();
    let runs = nine_seeds(&measured, &Growth::with_places(), &go_on)?;
    let before = engine.models.in_force();
    let of = |model: &Model| Figures::of(&[Validated::of(model, &measured)], &measured);
    let (shipped, of_before) = (of(&Model::shipped()?), of(&before));
    let model = learned(&measured, name)?;
    let completeness = check.verdict()?;
    account.cancel().check()?;
    if !is_trial {
        engine
            .models
            .replace(model.clone())
            .map_err(LabelError::Write)?;
    }
    Ok(Trained {
        counts,
        model,
        is_in_force: !is_trial,
        learned: Figures::of(&runs, &measured),
        shipped,
        before,
        of_before,
        completeness,
    })
}

/// A model of all these pairs. The result is deterministic: equal pairs make an equal model with an equal hash.
fn learned(pairs: &[SourcedPair], name: &str) -> Result<Model, TrainingError> {
    let sources: std::collections::BTreeSet<u64> = pairs.iter().map(|pair| pair.source).collect();
    let note = format!("{} pairs of {} sources", pairs.len(), sources.len());
    let pairs: Vec<LabelledSignals> = pairs.iter().map(|sourced| sourced.pair).collect();
    grow(&pairs, &Growth::with_places(), name, &note)
}
