//! A model that was trained on labels, and the return to the shipped one.

use serde::Serialize;

use super::evaluation::{JudgeRule, JudgedFigures, LabelCounts};
use super::{JudgeModel, completeness};
use crate::completeness::Completeness;
use crate::v1;

/// A model that was trained.
#[derive(Clone, Debug, Serialize)]
pub struct TrainedModel {
    /// Counts of the labels.
    pub labels: LabelCounts,
    /// The trained model.
    pub model: Option<JudgeModel>,
    /// Whether pairs are judged by it now.
    pub in_force: bool,
    /// Figures on held-out folds, of models trained in the same way.
    pub learned: JudgedFigures,
    /// Figures of the shipped model on the same pairs.
    pub shipped: JudgedFigures,
    /// The model in force before.
    pub before: Option<JudgeModel>,
    /// Figures of that model on the same pairs, which it may have been trained on.
    pub of_before: JudgedFigures,
    /// The rules of that model.
    pub rules: Vec<JudgeRule>,
    /// The content of the model's file.
    pub file: String,
    /// What the index lacked at the time.
    #[serde(flatten)]
    pub completeness: Completeness,
}

/// The shipped model judges again.
#[derive(Clone, Debug, Serialize)]
pub struct ResetModel {
    /// The model previously in force.
    pub before: Option<JudgeModel>,
    /// The model now in force.
    pub model: Option<JudgeModel>,
}

impl From<&v1::TrainModelReply> for TrainedModel {
    fn from(reply: &v1::TrainModelReply) -> Self {
        Self {
            labels: (&reply.counts.unwrap_or_default()).into(),
            model: reply.model.as_ref().map(Into::into),
            in_force: reply.in_force,
            learned: (&reply.learned.unwrap_or_default()).into(),
            shipped: (&reply.shipped.unwrap_or_default()).into(),
            before: reply.before.as_ref().map(Into::into),
            of_before: (&reply.of_before.unwrap_or_default()).into(),
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
