//! The fields of lines about labels and models.

use super::Fields;
use super::Kind::{Bool, Count, Hash, Is, List, Maybe, Number, Object, Path, Ratio, Text};

/// A model that pairs are judged by.
pub(super) const MODEL: Fields = &[("name", Text), ("hash", Hash), ("note", Maybe(&Text))];

/// What a pair is judged to be.
pub(super) const JUDGEMENT: Fields = &[
    ("class", Text),
    ("probability", Ratio),
    ("rule_number", Count),
    ("rule", Maybe(&Text)),
    ("signals", List(&[("name", Text), ("value", Maybe(&Ratio))])),
    ("model", Maybe(&Object(MODEL))),
];

/// A line of a labels file.
pub(super) const LABEL: Fields = &[
    ("a", Path),
    ("b", Path),
    ("document_a", Hash),
    ("document_b", Hash),
    ("verdict", Text),
    ("rater", Text),
    ("at", Text),
];

const COUNTS: Fields = &[
    ("labels", Count),
    ("raters", Count),
    ("pairs", Count),
    ("same", Count),
    ("version", Count),
    ("template_only", Count),
    ("unrelated", Count),
    ("base_rate", Maybe(&Ratio)),
    ("disputed", Count),
    ("unknown", Count),
    ("identical", Count),
    ("sources", Count),
];

const SPREAD: Fields = &[("lower", Ratio), ("median", Ratio), ("upper", Ratio)];

const FIGURES: Fields = &[
    ("precision", Maybe(&Object(SPREAD))),
    ("recall", Maybe(&Object(SPREAD))),
    ("f1", Maybe(&Object(SPREAD))),
    ("false_hits", Count),
    ("missed", Count),
    ("accuracy", Maybe(&Ratio)),
    ("precision_within_root", Maybe(&Ratio)),
    ("precision_across_roots", Maybe(&Ratio)),
    ("withheld", Count),
];

const OF_SIGNAL: Fields = &[
    ("signal", Text),
    ("precision", Maybe(&Object(SPREAD))),
    ("recall", Maybe(&Object(SPREAD))),
    ("f1", Maybe(&Object(SPREAD))),
    ("false_hits", Count),
    ("missed", Count),
    ("accuracy", Maybe(&Ratio)),
    ("precision_within_root", Maybe(&Ratio)),
    ("precision_across_roots", Maybe(&Ratio)),
    ("withheld", Count),
    ("microseconds", Maybe(&Number)),
];

const LABELLED_CLASS: Fields = &[
    ("class", Text),
    ("same", Count),
    ("version", Count),
    ("template_only", Count),
    ("unrelated", Count),
    ("withheld", Count),
];

const PART: Fields = &[
    ("pairs", Count),
    ("precision", Maybe(&Ratio)),
    ("recall", Maybe(&Ratio)),
    ("f1", Maybe(&Ratio)),
];

const RULE: Fields = &[
    ("number", Count),
    ("rule", Text),
    ("class", Text),
    ("probability", Ratio),
    ("pairs", Count),
    ("withheld", Maybe(&Text)),
];

const AGREEMENT: Fields = &[
    ("rater_a", Text),
    ("rater_b", Text),
    ("pairs", Count),
    ("share", Ratio),
    ("kappa", Number),
    (
        "classes",
        List(&[("class", Text), ("share", Ratio), ("kappa", Number)]),
    ),
    ("is_made", Bool),
];

/// Judgements held against labels.
pub(super) const EVALUATION: Fields = &[
    ("labels", Object(COUNTS)),
    ("alone", List(OF_SIGNAL)),
    ("cumulative", List(OF_SIGNAL)),
    ("model", Object(MODEL)),
    ("in_force", Object(FIGURES)),
    ("confusion", List(LABELLED_CLASS)),
    ("curve", List(&[("recall", Ratio), ("precision", Ratio)])),
    ("known_language", Maybe(&Object(PART))),
    ("other_languages", Maybe(&Object(PART))),
    ("agreements", List(AGREEMENT)),
    ("rules", List(RULE)),
    ("not_trained", Maybe(&Text)),
    ("complete", Bool),
];

/// A model that was trained.
pub(super) const TRAINED: Fields = &[
    ("labels", Object(COUNTS)),
    ("model", Object(MODEL)),
    ("in_force", Bool),
    ("learned", Object(FIGURES)),
    ("shipped", Object(FIGURES)),
    ("before", Object(MODEL)),
    ("of_before", Object(FIGURES)),
    ("rules", List(RULE)),
    ("file", Text),
    ("complete", Bool),
];

/// The shipped model, in force again.
pub(super) const RESET: Fields = &[("before", Object(MODEL)), ("model", Object(SHIPPED))];

const SHIPPED: Fields = &[
    ("name", Is("shipped")),
    ("hash", Hash),
    ("note", Maybe(&Text)),
];
