//! What labels say of judgements.

use serde::Serialize;

use super::{JudgeModel, completeness, judged_class};
use crate::completeness::Completeness;
use crate::v1;

/// Judgements held against labels.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluation {
    /// What was labelled.
    pub labels: LabelCounts,
    /// Each signal alone, cheapest first.
    pub alone: Vec<SignalFigures>,
    /// Each signal together with all cheaper ones; the last is all together.
    pub cumulative: Vec<SignalFigures>,
    /// The model in force.
    pub model: Option<JudgeModel>,
    /// Figures of that model on the same pairs.
    pub in_force: JudgedFigures,
    /// Precision by recall of all signals together.
    pub curve: Vec<CurvePoint>,
    /// Figures of all signals together, on pairs in a language that is known; null of none.
    pub known_language: Option<PartFigures>,
    /// Figures on pairs of which a text is in another one; null of none.
    pub other_languages: Option<PartFigures>,
    /// Agreement of raters who labelled a pair both; of two made ones where nobody did.
    pub agreements: Vec<RaterAgreement>,
    /// Rules of a model trained on all of the labels.
    pub rules: Vec<JudgeRule>,
    /// What the index lacked when it was asked.
    #[serde(flatten)]
    pub completeness: Completeness,
}

/// A model that was trained.
#[derive(Clone, Debug, Serialize)]
pub struct TrainedModel {
    /// What was labelled.
    pub labels: LabelCounts,
    /// The model that was made.
    pub model: Option<JudgeModel>,
    /// Pairs are judged by it now.
    pub in_force: bool,
    /// Figures of models made in the same way, on held-out folds.
    pub learned: JudgedFigures,
    /// Figures of the shipped model on the same pairs.
    pub shipped: JudgedFigures,
    /// The rules of that model.
    pub rules: Vec<JudgeRule>,
    /// The model as its file has it.
    pub file: String,
    /// What the index lacked when it was asked.
    #[serde(flatten)]
    pub completeness: Completeness,
}

/// The shipped model judges again.
#[derive(Clone, Debug, Serialize)]
pub struct ResetModel {
    /// The model that was in force before.
    pub before: Option<JudgeModel>,
    /// The one in force now.
    pub model: Option<JudgeModel>,
}

/// How many labels there are of what.
#[derive(Clone, Debug, Serialize)]
pub struct LabelCounts {
    /// As they were sent.
    pub labels: u64,
    /// People who gave them.
    pub raters: u64,
    /// Pairs that are judged.
    pub pairs: u64,
    /// Those labelled same.
    pub same: u64,
    /// Those labelled version.
    pub version: u64,
    /// Those labelled template-only.
    pub template_only: u64,
    /// Those labelled unrelated.
    pub unrelated: u64,
    /// The share of pairs that are the same or versions; null of none.
    pub base_rate: Option<f64>,
    /// Left out: raters disagree without a majority.
    pub disputed: u64,
    /// Left out: a document is not known any more, or has no text.
    pub unknown: u64,
    /// Left out: both files carry one text.
    pub identical: u64,
    /// Groups of documents, as folds part them.
    pub sources: u64,
}

/// A median with its quartiles.
#[derive(Clone, Debug, Serialize)]
pub struct Spread {
    /// A quarter lies below.
    pub lower: f64,
    /// Half lies below.
    pub median: f64,
    /// A quarter lies above.
    pub upper: f64,
}

/// How well duplicates are told.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedFigures {
    /// Null where no pair was judged a duplicate.
    pub precision: Option<Spread>,
    /// The share of duplicates found.
    pub recall: Option<Spread>,
    /// The harmonic mean of both.
    pub f1: Option<Spread>,
    /// Pairs wrongly judged duplicates, in the run of the median F1.
    pub false_hits: u64,
    /// Duplicates that were not found, in that run.
    pub missed: u64,
    /// The share of pairs judged to be of their very class, in that run.
    pub accuracy: f64,
    /// Precision of pairs within one root, in that run.
    pub precision_within_root: Option<f64>,
    /// Precision of pairs across two roots, in that run.
    pub precision_across_roots: Option<f64>,
}

/// Figures of one signal.
#[derive(Clone, Debug, Serialize)]
pub struct SignalFigures {
    /// Name of the signal, such as `resemblance`.
    pub signal: String,
    /// How well duplicates are told with it.
    #[serde(flatten)]
    pub figures: JudgedFigures,
    /// Mean time for a pair, with that of all cheaper signals where they are together; null of none.
    pub microseconds: Option<f64>,
}

/// How well duplicates are told among some of the pairs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PartFigures {
    /// How many pairs there are.
    pub pairs: u64,
    /// Null where no pair was judged a duplicate.
    pub precision: Option<f64>,
    /// Null where no pair is one.
    pub recall: Option<f64>,
    /// Null where neither is.
    pub f1: Option<f64>,
}

/// A point of a precision-recall curve.
#[derive(Clone, Debug, Serialize)]
pub struct CurvePoint {
    /// The share of duplicates found.
    pub recall: f64,
    /// The share of pairs found that are duplicates.
    pub precision: f64,
}

/// How two raters agree.
#[derive(Clone, Debug, Serialize)]
pub struct RaterAgreement {
    /// One of them.
    pub rater_a: String,
    /// The other of them.
    pub rater_b: String,
    /// Pairs that both labelled.
    pub pairs: u64,
    /// The share with one label from both.
    pub same: f64,
    /// Cohen's kappa over all classes.
    pub kappa: f64,
    /// Agreement on each class that either gave.
    pub classes: Vec<ClassAgreement>,
    /// Both raters are made of the labels, for nobody labelled a pair of another.
    pub is_made: bool,
}

/// How two raters agree on one class.
#[derive(Clone, Debug, Serialize)]
pub struct ClassAgreement {
    /// `same`, `version`, `template-only` or `unrelated`.
    pub class: Option<&'static str>,
    /// Of the pairs to which either gave it, the share to which both did.
    pub share: f64,
    /// Cohen's kappa of it against all others.
    pub kappa: f64,
}

/// A rule of a model.
#[derive(Clone, Debug, Serialize)]
pub struct JudgeRule {
    /// Number of the rule in its model, from 1.
    pub number: u32,
    /// What the signals have to be.
    pub rule: String,
    /// What pairs are judged to be then.
    pub class: Option<&'static str>,
    /// The probability of that.
    pub probability: f64,
    /// Labelled pairs that came under it.
    pub pairs: u64,
}

impl From<&v1::EvaluateLabelsReply> for Evaluation {
    fn from(reply: &v1::EvaluateLabelsReply) -> Self {
        Self {
            labels: (&reply.counts.unwrap_or_default()).into(),
            alone: reply.alone.iter().map(Into::into).collect(),
            cumulative: reply.cumulative.iter().map(Into::into).collect(),
            model: reply.model.as_ref().map(Into::into),
            in_force: (&reply.in_force.unwrap_or_default()).into(),
            curve: reply.curve.iter().map(Into::into).collect(),
            known_language: reply.known_language.map(Into::into),
            other_languages: reply.other_languages.map(Into::into),
            agreements: reply.agreements.iter().map(Into::into).collect(),
            rules: reply.rules.iter().map(Into::into).collect(),
            completeness: completeness(reply.completeness.as_ref()),
        }
    }
}

impl From<&v1::TrainModelReply> for TrainedModel {
    fn from(reply: &v1::TrainModelReply) -> Self {
        Self {
            labels: (&reply.counts.unwrap_or_default()).into(),
            model: reply.model.as_ref().map(Into::into),
            in_force: reply.in_force,
            learned: (&reply.learned.unwrap_or_default()).into(),
            shipped: (&reply.shipped.unwrap_or_default()).into(),
            rules: reply.rules.iter().map(Into::into).collect(),
            file: reply.file.clone(),
            completeness: completeness(reply.completeness.as_ref()),
        }
    }
}

impl From<&v1::ResetModelReply> for ResetModel {
    fn from(reply: &v1::ResetModelReply) -> Self {
        Self {
            before: reply.before.as_ref().map(Into::into),
            model: reply.model.as_ref().map(Into::into),
        }
    }
}

impl From<&v1::LabelCounts> for LabelCounts {
    fn from(counts: &v1::LabelCounts) -> Self {
        let duplicates = counts.same + counts.version;
        let pairs = duplicates + counts.template_only + counts.unrelated;
        Self {
            labels: counts.labels,
            raters: counts.raters,
            pairs,
            same: counts.same,
            version: counts.version,
            template_only: counts.template_only,
            unrelated: counts.unrelated,
            base_rate: (pairs > 0).then(|| duplicates as f64 / pairs as f64),
            disputed: counts.disputed,
            unknown: counts.unknown,
            identical: counts.identical,
            sources: counts.sources,
        }
    }
}

impl From<v1::PartFigures> for PartFigures {
    fn from(part: v1::PartFigures) -> Self {
        Self {
            pairs: part.pairs,
            precision: part.precision,
            recall: part.recall,
            f1: part.f1,
        }
    }
}

impl From<v1::Spread> for Spread {
    fn from(spread: v1::Spread) -> Self {
        Self {
            lower: spread.lower,
            median: spread.median,
            upper: spread.upper,
        }
    }
}

impl From<&v1::JudgedFigures> for JudgedFigures {
    fn from(figures: &v1::JudgedFigures) -> Self {
        Self {
            precision: figures.precision.map(Into::into),
            recall: figures.recall.map(Into::into),
            f1: figures.f1.map(Into::into),
            false_hits: figures.false_hits,
            missed: figures.missed,
            accuracy: figures.accuracy,
            precision_within_root: figures.precision_within_root,
            precision_across_roots: figures.precision_across_roots,
        }
    }
}

impl From<&v1::SignalFigures> for SignalFigures {
    fn from(signal: &v1::SignalFigures) -> Self {
        Self {
            signal: signal.signal.clone(),
            figures: (&signal.figures.unwrap_or_default()).into(),
            microseconds: signal.microseconds,
        }
    }
}

impl From<&v1::CurvePoint> for CurvePoint {
    fn from(point: &v1::CurvePoint) -> Self {
        Self {
            recall: point.recall,
            precision: point.precision,
        }
    }
}

impl From<&v1::RaterAgreement> for RaterAgreement {
    fn from(agreement: &v1::RaterAgreement) -> Self {
        let classes = agreement.classes.iter().map(|of| ClassAgreement {
            class: judged_class(of.class),
            share: of.share,
            kappa: of.kappa,
        });
        Self {
            rater_a: agreement.rater_a.clone(),
            rater_b: agreement.rater_b.clone(),
            pairs: agreement.pairs,
            same: agreement.same,
            kappa: agreement.kappa,
            classes: classes.collect(),
            is_made: agreement.is_made,
        }
    }
}

impl From<&v1::JudgeRule> for JudgeRule {
    fn from(rule: &v1::JudgeRule) -> Self {
        Self {
            number: rule.number,
            rule: rule.rule.clone(),
            class: judged_class(rule.class),
            probability: rule.probability,
            pairs: rule.pairs,
        }
    }
}
