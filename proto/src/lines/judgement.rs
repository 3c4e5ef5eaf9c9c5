//! What a pair is judged to be.

use serde::Serialize;

use super::{filled, hex};
use crate::v1;

/// A judgement of two documents, beside their numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// `same`, `version`, `template-only` or `unrelated`.
    pub class: Option<&'static str>,
    /// Probability of that class, by the pairs that the model was trained on.
    pub probability: f64,
    /// The number of the rule that fired; 0 where both files carry one text.
    pub rule_number: u32,
    /// What the signals had to be for that rule; null where there is none.
    pub rule: Option<String>,
    /// The signals computed, in that order.
    pub signals: Vec<SignalValue>,
    /// The model that judged; null where both files carry one text.
    pub model: Option<JudgeModel>,
}

/// A model that pairs are judged by.
#[derive(Clone, Debug, Serialize)]
pub struct JudgeModel {
    /// `shipped`, or as whoever trained it says.
    pub name: String,
    /// BLAKE3 of its file.
    pub hash: Option<String>,
    /// What it was trained on; null in judgements.
    pub note: Option<String>,
}

impl From<&v1::JudgeModel> for JudgeModel {
    fn from(model: &v1::JudgeModel) -> Self {
        Self {
            name: model.name.clone(),
            hash: hex(&model.hash),
            note: filled(&model.note),
        }
    }
}

/// A signal that was computed.
#[derive(Clone, Debug, Serialize)]
pub struct SignalValue {
    /// Name of the signal, such as `resemblance`.
    pub name: String,
    /// Its value; null where it says nothing of this pair.
    pub value: Option<f64>,
}

impl From<&v1::Judgement> for Judgement {
    fn from(judged: &v1::Judgement) -> Self {
        let signals = judged.signals.iter().map(|signal| SignalValue {
            name: signal.name.clone(),
            value: signal.value,
        });
        Self {
            class: judged_class(judged.class),
            probability: judged.probability,
            rule_number: judged.rule_number,
            rule: filled(&judged.rule),
            signals: signals.collect(),
            model: judged.model.as_ref().map(Into::into),
        }
    }
}

/// Why a pair that was to be judged is not: `withheld`, `time` or `no-text`; `None` where it is judged, or was not to be.
pub fn not_judged(value: i32) -> Option<&'static str> {
    use v1::NotJudged;
    Some(match NotJudged::try_from(value).ok()? {
        NotJudged::Unspecified => return None,
        NotJudged::Withheld => "withheld",
        NotJudged::Time => "time",
        NotJudged::NoText => "no-text",
    })
}

/// The name of a class; `None` for one that is unspecified or newer than this program.
pub fn judged_class(value: i32) -> Option<&'static str> {
    use v1::JudgedClass;
    Some(match JudgedClass::try_from(value).ok()? {
        JudgedClass::Unspecified => return None,
        JudgedClass::Same => "same",
        JudgedClass::Version => "version",
        JudgedClass::TemplateOnly => "template-only",
        JudgedClass::Unrelated => "unrelated",
    })
}
