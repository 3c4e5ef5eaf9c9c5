//! Results of evaluating judgements against labels, as text.

mod tables;

use std::io::{self, Write};

use simdex_client::lines::{LabelCounts, hex};
use simdex_client::text::counted;
use simdex_client::wire;

use crate::output::Printer;
use crate::output::text::{UNKNOWN, measured, ratio};
pub(super) use tables::{PrecisionAtBaseRate, Row};

/// The name of the shipped model, which no other has.
const SHIPPED: &str = "shipped";
/// Approximate number of points shown of a curve.
const SHOWN_POINTS: usize = 10;

impl<W: Write> Printer<W> {
    /// The evaluation of judgements against labels.
    pub(crate) fn evaluation(&mut self, reply: &wire::EvaluateLabelsReply) -> io::Result<()> {
        self.label_counts(reply.counts.as_ref())?;
        self.heading(
            "The model in force, on all of these pairs, which it may have been trained on:",
        )?;
        let of_model = ("the model in force".to_owned(), reply.in_force, None);
        self.figures([of_model].into_iter())?;
        writeln!(self)?;
        self.fields(&[("in force", known(reply.model.as_ref()))])?;
        self.section(&reply.confusion)?;
        self.heading(match reply.agreements.iter().any(|raters| raters.is_made) {
            true => {
                "No two raters labelled the same pair. Two simulated raters, each of whom errs in one pair of twenty, \
                 which says nothing about these labels:"
            }
            false => "The raters:",
        })?;
        self.section(&reply.agreements)?;
        if !reply.not_trained.is_empty() {
            return Ok(());
        }
        self.signals_compared(reply)?;
        self.heading("Rules that `simctl judge train` would make of these labels:")?;
        self.section(&reply.rules)
    }

    /// Figures of models trained on a part of the labels and tested on the others.
    fn signals_compared(&mut self, reply: &wire::EvaluateLabelsReply) -> io::Result<()> {
        let of = |signal: &wire::SignalFigures, name: String| {
            (name, signal.figures, signal.microseconds)
        };
        self.heading("Models trained on nine tenths of these labels, tested on the others, nothing withheld; each signal alone:")?;
        let alone = reply.alone.iter();
        self.figures(alone.map(|signal| of(signal, signal.signal.clone())))?;
        self.heading("Each signal with all cheaper ones:")?;
        let cumulative = reply.cumulative.iter();
        let with = |signal: &wire::SignalFigures| of(signal, format!("+ {}", signal.signal));
        let combined = reply.cumulative.last().and_then(|signal| signal.figures);
        let last = ("all together".to_owned(), combined, None);
        self.figures(cumulative.map(with).chain([last]))?;
        self.heading("All together:")?;
        let step = reply.curve.len().div_ceil(SHOWN_POINTS).max(1);
        let points = reply.curve.iter().rev().step_by(step).copied();
        let mut points: Vec<_> = points.collect();
        points.reverse();
        self.section(&points)?;
        let counts = LabelCounts::from(&reply.counts.unwrap_or_default());
        self.section(&PrecisionAtBaseRate::of(
            &counts,
            &combined.unwrap_or_default(),
        ))?;
        writeln!(self)?;
        self.fields(&[
            ("in a known language", part(reply.known_language.as_ref())),
            ("in another one", part(reply.other_languages.as_ref())),
        ])
    }

    /// A trained model, beside the shipped one.
    pub(crate) fn trained_model(&mut self, reply: &wire::TrainModelReply) -> io::Result<()> {
        self.label_counts(reply.counts.as_ref())?;
        let learned = ("learned, on held-out folds".to_owned(), reply.learned, None);
        let shipped = ("shipped".to_owned(), reply.shipped, None);
        let before = reply.before.as_ref().filter(|model| model.name != SHIPPED);
        let before = before.map(|model| {
            let name = format!("{}, in force before; it may know the pairs", model.name);
            (name, reply.of_before, None)
        });
        self.figures([learned, shipped].into_iter().chain(before))?;
        self.heading("Rules of the trained model:")?;
        self.section(&reply.rules)?;
        writeln!(self)?;
        let what = match reply.in_force {
            true => "in force",
            false => "not in force",
        };
        self.fields(&[(what, known(reply.model.as_ref()))])
    }

    /// The shipped model, back in force.
    pub(crate) fn reset_model(&mut self, reply: &wire::ResetModelReply) -> io::Result<()> {
        self.fields(&[
            ("before", known(reply.before.as_ref())),
            ("in force", known(reply.model.as_ref())),
        ])
    }

    /// A line above tables, which says what they are about.
    fn heading(&mut self, heading: &str) -> io::Result<()> {
        writeln!(self)?;
        writeln!(self, "{heading}")
    }

    fn label_counts(&mut self, counts: Option<&wire::LabelCounts>) -> io::Result<()> {
        let counts = LabelCounts::from(&counts.copied().unwrap_or_default());
        let labels = format!(
            "{} by {}",
            counted(counts.labels, "label"),
            counted(counts.raters, "rater")
        );
        let pairs = format!(
            "{}: {} same, {} version, {} template-only, {} unrelated",
            counted(counts.pairs, "pair"),
            counts.same,
            counts.version,
            counts.template_only,
            counts.unrelated
        );
        let left_out = format!(
            "{} disputed, {} of unknown texts, {} of one text",
            counts.disputed, counts.unknown, counts.identical
        );
        let base_rate = match counts.base_rate {
            Some(rate) => format!(
                "{} are the same or versions, and count as duplicates",
                ratio(rate)
            ),
            None => UNKNOWN.to_owned(),
        };
        self.fields(&[
            ("labels", labels),
            ("labelled", pairs),
            ("left out", left_out),
            ("base rate", base_rate),
            ("sources", counts.sources.to_string()),
        ])
    }

    fn figures(&mut self, rows: impl Iterator<Item = NamedFigures>) -> io::Result<()> {
        writeln!(self)?;
        let mut list = self.list::<Row<'_>>();
        for (name, figures, microseconds) in rows {
            let row = Row {
                name,
                figures: figures.as_ref(),
                microseconds,
            };
            list.rows(&row)?;
        }
        list.end()
    }
}

/// Figures with their name, and the signals' cost.
type NamedFigures = (String, Option<wire::JudgedFigures>, Option<f64>);

/// How well duplicates are recognised among a subset of the pairs; unknown if it is empty.
fn part(figures: Option<&wire::PartFigures>) -> String {
    let Some(figures) = figures else {
        return "unknown: no labelled pair is".to_owned();
    };
    format!(
        "{}: precision {}, recall {}, F1 {}",
        counted(figures.pairs, "pair"),
        measured(figures.precision),
        measured(figures.recall),
        measured(figures.f1)
    )
}

/// A model that may not be known.
fn known(known: Option<&wire::JudgeModel>) -> String {
    known.map_or_else(|| UNKNOWN.to_owned(), model)
}

/// A model's name and the beginning of its hash.
pub(super) fn model(model: &wire::JudgeModel) -> String {
    let digits = hex(&model.hash).unwrap_or_default();
    let note = match model.note.as_str() {
        "" => String::new(),
        note => format!(": {note}"),
    };
    format!(
        "{} ({}){note}",
        model.name,
        digits.get(..12).unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Tabular as _;

    #[test]
    fn what_is_not_known_is_no_number() {
        let row = Row {
            name: "mcd".to_owned(),
            figures: None,
            microseconds: None,
        };
        let cells = row.rows().remove(0);
        assert_eq!(cells, ["mcd", "-", "-", "-", "-", "0", "0", "-", "-", "-"]);
        assert_eq!(part(None), "unknown: no labelled pair is");
        assert_eq!(known(None), "-");
        let named = wire::JudgeModel {
            name: "ours".to_owned(),
            hash: vec![0xab; 32],
            note: "20 pairs".to_owned(),
        };
        assert_eq!(model(&named), "ours (abababababab): 20 pairs");
    }
}
