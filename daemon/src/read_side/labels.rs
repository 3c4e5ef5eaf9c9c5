//! What people say of pairs: pairs to be labelled, labels held against judgements, models learned from labels.
//!
//! `labels → pairs (`[`pairs`]`) → signals (`[`measure`]`) → figures or a model`
//!
//! A label is of two documents. A file that was moved is found by its document; one that carries another document
//! than when it was labelled is not. Of several labels of one rater for one pair the last counts; where raters
//! disagree, what most of them say. Folds part groups of documents that labelled pairs or groups of the index
//! link, so that no model is tested on versions of what it has learned from.
//!
//! What was learned are thresholds of signals and counts of pairs: a model says nothing of any document.

mod measure;
mod pairs;
mod sample;

use std::path::PathBuf;
use std::sync::Arc;

use simdex_index::{IndexError, MemoryAccount};
use simdex_judge::evaluation::{
    Agreement, Evaluation, Figures, Quality, SourcedPair, Validated, evaluate as all_figures,
    nine_seeds,
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

/// Most labels of one request.
pub const MOST_LABELS: usize = 20_000;
/// Most raters of one request: how they agree is told of every two of them.
pub const MOST_RATERS: usize = 50;
/// What a label takes while it is held: signals and the learner's copies of them.
const LABEL_BYTES: u64 = 2 << 10;

/// A file and the document that it carried when it was labelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledFile {
    /// Its absolute path, as it is shown.
    pub path: PathBuf,
    /// Hash of the document that it carried then.
    pub document: DocumentHash,
}

/// What a rater says of two files.
#[derive(Clone, Debug)]
pub struct Label {
    /// The two files that were compared.
    pub sides: [LabelledFile; 2],
    /// What they are to each other.
    pub verdict: Class,
    /// Who says so.
    pub rater: String,
}

/// Labels, and what becomes of those that say nothing any more.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Labels in the order in which they were made.
    pub labels: Vec<Label>,
    /// Labels of unknown documents are left out and counted; they are refused otherwise.
    pub skip_unknown: bool,
}

/// How many labels there are of what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelCounts {
    /// As they were given.
    pub labels: u64,
    /// People who gave them.
    pub raters: u64,
    /// Pairs that are judged, by class.
    pub classes: Counts,
    /// Pairs left out since raters disagree without a majority.
    pub disputed: u64,
    /// Pairs left out since a document is not known any more, or has no text.
    pub unknown: u64,
    /// Pairs left out since both files carry one text.
    pub identical: u64,
    /// Groups of documents, as folds part them.
    pub sources: u64,
}

/// How two raters agree.
#[derive(Clone, Debug, PartialEq)]
pub struct RaterPair {
    /// Their names, by the alphabet.
    pub raters: [String; 2],
    /// Agreement on the pairs that both labelled.
    pub agreement: Agreement,
    /// Nobody labelled a pair of another: both are made, of the labels.
    pub is_made: bool,
}

/// Labels held against judgements.
pub struct Evaluated {
    /// What was labelled.
    pub counts: LabelCounts,
    /// Signals and their combination.
    pub evaluation: Evaluation,
    /// The model in force on the same pairs.
    pub in_force: Figures,
    /// The model in force.
    pub model: Arc<Model>,
    /// Figures of all signals together, on pairs of texts whose language the table of common words knows, and on others; none
    /// where there is no such pair.
    pub languages: [Option<Quality>; 2],
    /// What each signal took; nothing where there is no pair.
    pub microseconds: Option<SignalTimes>,
    /// Agreement of raters who labelled a pair both; of two made ones where nobody did.
    pub agreements: Vec<RaterPair>,
    /// A model trained on all of the labels.
    pub learned: Model,
    /// What the index lacked when it was asked.
    pub completeness: Completeness,
}

/// A model that is learned from labels.
pub struct Trained {
    /// What was labelled.
    pub counts: LabelCounts,
    /// The model, trained on all of the labels.
    pub model: Model,
    /// Pairs are judged by it now.
    pub is_in_force: bool,
    /// Figures of models made in the same way, on folds that they have not seen.
    pub learned: Figures,
    /// Figures of the shipped model on the same pairs.
    pub shipped: Figures,
    /// What the index lacked when it was asked.
    pub completeness: Completeness,
}

/// Labels that are refused; the model in force stays.
#[derive(Debug, Error)]
pub enum LabelError {
    /// No file of the view carries the document.
    #[error("{path} is labelled, and the index knows no file that carries its text of then")]
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
    /// Raters say different things.
    #[error("the labels of {a} and {b} contradict each other: {verdicts}")]
    Contradiction {
        /// Path of one file, as it was labelled.
        a: String,
        /// Path of the other file.
        b: String,
        /// Who says what.
        verdicts: String,
    },
    /// The labels do not suffice.
    #[error(transparent)]
    Training(TrainingError),
    /// The shipped model does not read.
    #[error(transparent)]
    Shipped(#[from] ModelError),
    /// The model cannot be kept.
    #[error("the model cannot be written into the data directory")]
    Write(#[source] std::io::Error),
    /// The index is being changed in a way that answers nothing.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
    /// A document cannot be read.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The index failed, or the asker went away.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl LabelError {
    /// What to do about it, where that is known.
    pub fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::Unknown { .. } | Self::NoText { .. } => {
                "label the pair anew, or leave out such labels with `--skip-unknown`"
            }
            Self::Contradiction { .. } => {
                "have a third rater label the pair, or one of them label it again: the last label of a rater counts"
            }
            Self::Training(TrainingError::TooFew { .. } | TrainingError::TooFewSources(_)) => {
                "label more pairs with `simctl judge label`"
            }
            Self::Training(TrainingError::TooMany(_)) => "send fewer labels",
            Self::Write(_) => "see to the data directory and train again",
            Self::Query(error) => return error.advice(),
            Self::Index(error) => return error.advice(),
            Self::Training(_) | Self::Shipped(_) | Self::Incomplete(_) => return None,
        })
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

/// Holds labels against judgements.
///
/// # Errors
/// Unknown files, too few labels; see [`LabelError`].
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
    let go_on = || account.cancel().check().is_ok();
    let evaluation = all_figures(measured, &Signal::ALL, &go_on)?;
    let model = engine.models.in_force();
    Ok(Evaluated {
        languages: by_language(&found, &evaluation.judged),
        microseconds: found.microseconds,
        counts: found.counts,
        evaluation,
        in_force: Figures::of(&[Validated::of(&model, measured)], measured),
        model,
        agreements: agreements(&pairs, measured),
        learned: learned(measured, "evaluated")?,
        completeness: check.verdict()?,
    })
}

/// Of raters, two by two; of two made ones where no pair was labelled by two.
fn agreements(pairs: &Pairs<'_>, measured: &[SourcedPair]) -> Vec<RaterPair> {
    let agreements = pairs.agreements();
    if !agreements.is_empty() {
        return agreements;
    }
    let labels: Vec<Class> = measured.iter().map(|pair| pair.pair.class).collect();
    vec![RaterPair {
        raters: ["made rater 1", "made rater 2"].map(str::to_owned),
        agreement: Agreement::of_made_raters(&labels),
        is_made: true,
    }]
}

/// Judgements of pairs in a known language, and of others.
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
/// As of [`evaluate`], and labels that contradict each other. The model in force stays then.
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
    let shipped = Validated::of(&Model::shipped()?, &measured);
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
        shipped: Figures::of(&[shipped], &measured),
        completeness,
    })
}

/// A model of all these pairs. The same pairs make the same model, and the same hash.
fn learned(pairs: &[SourcedPair], name: &str) -> Result<Model, TrainingError> {
    let sources: std::collections::BTreeSet<u64> = pairs.iter().map(|pair| pair.source).collect();
    let note = format!("{} pairs of {} sources", pairs.len(), sources.len());
    let pairs: Vec<LabelledSignals> = pairs.iter().map(|sourced| sourced.pair).collect();
    grow(&pairs, &Growth::with_places(), name, &note)
}
