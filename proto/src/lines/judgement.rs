//! Judgements of pairs.

use serde::Serialize;

use super::{filled, hex};
use crate::v1;

/// A judgement of two documents, beside their numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// `same`, `version`, `template-only` or `unrelated`.
    pub class: Option<&'static str>,
    /// Probability of that class (of `same` or `version` for `version`), from the pairs on which the model was trained; of
    /// several rules, where a signal cannot be told, by their weights.
    pub probability: f64,
    /// The number of the rule that fired, of several that of the greatest weight; 0 if both files have the same text.
    pub rule_number: u32,
    /// The conditions of that rule; null if there is none.
    pub rule: Option<String>,
    /// The signals that the tree asked for, in order of computation.
    pub signals: Vec<SignalValue>,
    /// The model that judged; null if both files have the same text.
    pub model: Option<JudgeModel>,
}

/// A model by which pairs are judged.
#[derive(Clone, Debug, Serialize)]
pub struct JudgeModel {
    /// `shipped`, or the name given in training.
    pub name: String,
    /// BLAKE3 of its file.
    pub hash: Option<String>,
    /// Its training data; null in judgements.
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
    /// Its value; null if it cannot be computed for this pair.
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

/// Why a requested judgement is missing; `None` if it is present or was not requested. It is withheld as `contradicted`,
/// `divided`, `numbers-differ`, `quoting` or `unsure`, or was not made: `time`, `no-text`, `beyond-first`.
pub fn not_judged(value: i32) -> Option<&'static str> {
    use v1::NotJudged;
    Some(match NotJudged::try_from(value).ok()? {
        NotJudged::Unspecified => return None,
        NotJudged::Contradicted => "contradicted",
        NotJudged::Divided => "divided",
        NotJudged::NumbersDiffer => "numbers-differ",
        NotJudged::Quoting => "quoting",
        NotJudged::Unsure => "unsure",
        NotJudged::Time => "time",
        NotJudged::NoText => "no-text",
        NotJudged::BeyondFirst => "beyond-first",
    })
}

/// The name of a class; `None` if it is unspecified or newer than this program.
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
