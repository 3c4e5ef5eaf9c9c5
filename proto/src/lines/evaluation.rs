//! The evaluation of judgements against labels.

use serde::Serialize;

use super::{JudgeModel, completeness, filled, judged_class};
use crate::completeness::Completeness;
use crate::v1;

/// Judgements compared with labels.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluation {
    /// Counts of the labels.
    pub labels: LabelCounts,
    /// Each signal alone, cheapest first.
    pub alone: Vec<SignalFigures>,
    /// Each signal combined with all cheaper ones; the last row combines all signals.
    pub cumulative: Vec<SignalFigures>,
    /// The model in force.
    pub model: Option<JudgeModel>,
    /// Figures of that model on the same pairs.
    pub in_force: JudgedFigures,
    /// Answers of that model for the pairs of each labelled class.
    pub confusion: Vec<LabelledClass>,
    /// Precision by recall of all signals together.
    pub curve: Vec<CurvePoint>,
    /// Figures of all signals together, on pairs in known languages; null if there are none.
    pub known_language: Option<PartFigures>,
    /// Figures on pairs with a text in an unknown language; null if there are none.
    pub other_languages: Option<PartFigures>,
    /// Agreement of raters who labelled the same pair; of two synthetic raters if there are none.
    pub agreements: Vec<RaterAgreement>,
    /// Rules of a model trained on all of the labels.
    pub rules: Vec<JudgeRule>,
    /// Why the labels do not suffice to train models on; null if they do. Otherwise the tables of signals, the curve,
    /// the rules and the figures by language are empty or null.
    pub not_trained: Option<String>,
    /// What the index lacked at the time.
    #[serde(flatten)]
    pub completeness: Completeness,
}

/// Counts of the labels.
#[derive(Clone, Debug, Serialize)]
pub struct LabelCounts {
    /// Number of labels sent.
    pub labels: u64,
    /// Number of raters.
    pub raters: u64,
    /// Pairs that are judged.
    pub pairs: u64,
    /// Pairs labelled same.
    pub same: u64,
    /// Pairs labelled version.
    pub version: u64,
    /// Pairs labelled template-only.
    pub template_only: u64,
    /// Pairs labelled unrelated.
    pub unrelated: u64,
    /// The share of pairs labelled same or version; null if there are no pairs.
    pub base_rate: Option<f64>,
    /// Pairs left out because raters disagree without a majority.
    pub disputed: u64,
    /// Pairs left out because a document is no longer known or has no text.
    pub unknown: u64,
    /// Pairs left out because both files have the same text.
    pub identical: u64,
    /// Groups of documents that folds keep together.
    pub sources: u64,
}

/// A median with its quartiles.
#[derive(Clone, Debug, Serialize)]
pub struct Spread {
    /// The lower quartile.
    pub lower: f64,
    /// The median itself.
    pub median: f64,
    /// The upper quartile.
    pub upper: f64,
}

/// How well duplicates are recognised.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedFigures {
    /// Null where no pair was judged a duplicate.
    pub precision: Option<Spread>,
    /// The share of duplicates found; null where no pair is one.
    pub recall: Option<Spread>,
    /// The harmonic mean of both; null where no pair is a duplicate.
    pub f1: Option<Spread>,
    /// Pairs wrongly judged duplicates, in the run of the median F1.
    pub false_hits: u64,
    /// Duplicates that were missed, in that run.
    pub missed: u64,
    /// The share of pairs judged to be of exactly their class, in that run; null if none has a judgement.
    pub accuracy: Option<f64>,
    /// Precision of pairs within one root, in that run.
    pub precision_within_root: Option<f64>,
    /// Precision of pairs across two roots, in that run.
    pub precision_across_roots: Option<f64>,
    /// Pairs whose judgement is withheld, in that run.
    pub withheld: u64,
}

/// Answers for the pairs labelled with one class.
#[derive(Clone, Debug, Serialize)]
pub struct LabelledClass {
    /// The labelled class.
    pub class: Option<&'static str>,
    /// Pairs judged to be the same.
    pub same: u64,
    /// Pairs judged to be versions.
    pub version: u64,
    /// Pairs judged to share a template.
    pub template_only: u64,
    /// Pairs judged to be unrelated.
    pub unrelated: u64,
    /// Pairs whose judgement is withheld.
    pub withheld: u64,
}

/// Figures of one signal.
#[derive(Clone, Debug, Serialize)]
pub struct SignalFigures {
    /// Name of the signal, such as `resemblance`.
    pub signal: String,
    /// How well duplicates are recognised with it.
    #[serde(flatten)]
    pub figures: JudgedFigures,
    /// Mean time per pair; for combined signals, including that of all cheaper ones; null if there are no pairs.
    pub microseconds: Option<f64>,
}

/// How well duplicates are recognised among a subset of the pairs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PartFigures {
    /// Number of pairs.
    pub pairs: u64,
    /// Null if no pair was judged a duplicate.
    pub precision: Option<f64>,
    /// Null if no pair is a duplicate.
    pub recall: Option<f64>,
    /// Null if no pair is a duplicate and none was judged one.
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

/// The agreement of two raters.
#[derive(Clone, Debug, Serialize)]
pub struct RaterAgreement {
    /// The first rater.
    pub rater_a: String,
    /// The second rater.
    pub rater_b: String,
    /// Pairs labelled by both.
    pub pairs: u64,
    /// The share of pairs with the same label from both.
    pub share: f64,
    /// Cohen's kappa over all classes.
    pub kappa: f64,
    /// Agreement on each class used by at least one of them.
    pub classes: Vec<ClassAgreement>,
    /// Whether both raters are synthetic, because no pair was labelled by two raters.
    pub is_made: bool,
}

/// The agreement of two raters on one class.
#[derive(Clone, Debug, Serialize)]
pub struct ClassAgreement {
    /// `same`, `version`, `template-only` or `unrelated`.
    pub class: Option<&'static str>,
    /// Among the pairs to which at least one rater gave the class, the share to which both did.
    pub share: f64,
    /// Cohen's kappa of this class against all others.
    pub kappa: f64,
}

/// A rule of a model.
#[derive(Clone, Debug, Serialize)]
pub struct JudgeRule {
    /// Number of the rule in its model, from 1.
    pub number: u32,
    /// Conditions on the signals.
    pub rule: String,
    /// The resulting judgement.
    pub class: Option<&'static str>,
    /// Probability of that judgement.
    pub probability: f64,
    /// Labelled pairs to which the rule applied.
    pub pairs: u64,
    /// Why no pair is judged by it (`divided`, `unsure`); null if pairs are.
    pub withheld: Option<String>,
}

impl From<&v1::EvaluateLabelsReply> for Evaluation {
    fn from(reply: &v1::EvaluateLabelsReply) -> Self {
        Self {
            labels: (&reply.counts.unwrap_or_default()).into(),
            alone: reply.alone.iter().map(Into::into).collect(),
            cumulative: reply.cumulative.iter().map(Into::into).collect(),
            model: reply.model.as_ref().map(Into::into),
            in_force: (&reply.in_force.unwrap_or_default()).into(),
            confusion: reply.confusion.iter().map(Into::into).collect(),
            curve: reply.curve.iter().map(Into::into).collect(),
            known_language: reply.known_language.map(Into::into),
            other_languages: reply.other_languages.map(Into::into),
            agreements: reply.agreements.iter().map(Into::into).collect(),
            rules: reply.rules.iter().map(Into::into).collect(),
            not_trained: filled(&reply.not_trained),
            completeness: completeness(reply.completeness.as_ref()),
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
            withheld: figures.withheld,
        }
    }
}

impl From<&v1::LabelledClass> for LabelledClass {
    fn from(labelled: &v1::LabelledClass) -> Self {
        Self {
            class: judged_class(labelled.class),
            same: labelled.same,
            version: labelled.version,
            template_only: labelled.template_only,
            unrelated: labelled.unrelated,
            withheld: labelled.withheld,
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
            share: agreement.share,
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
            withheld: filled(&rule.withheld),
        }
    }
}
