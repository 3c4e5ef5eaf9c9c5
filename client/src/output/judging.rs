//! Results of evaluating judgements against labels, as text.

use std::io::{self, Write};

use simdex_client::lines::{LabelCounts, hex, judged_class};
use simdex_client::text::counted;
use simdex_client::wire;

use crate::output::table::{Column, left, right, text};
use crate::output::text::{UNKNOWN, measured, ratio};
use crate::output::{Printer, Tabular};

/// Approximate number of points shown of a curve.
const SHOWN_POINTS: usize = 10;

/// Shares of duplicates among all pairs for which precision is shown.
const BASE_RATES: [f64; 4] = [0.5, 0.2, 0.05, 0.01];

/// The precision of all signals together at this share of duplicates.
#[derive(Debug, PartialEq)]
pub(super) struct PrecisionAtBaseRate {
    base_rate: f64,
    precision: Option<f64>,
}

impl PrecisionAtBaseRate {
    /// Labelled pairs are selected and hold more duplicates than the pairs judged in use. Recall and the share of false
    /// hits among other pairs stay the same, while precision falls. Empty if the labels lack duplicates or others.
    fn of(counts: &LabelCounts, figures: &wire::JudgedFigures) -> Vec<Self> {
        let duplicates = counts.same + counts.version;
        let others = counts.template_only + counts.unrelated;
        if duplicates == 0 || others == 0 {
            return Vec::new();
        }
        let recall = 1.0 - figures.missed as f64 / duplicates as f64;
        let fallout = figures.false_hits as f64 / others as f64;
        let at = |base_rate: f64| {
            let (found, wrong) = (base_rate * recall, (1.0 - base_rate) * fallout);
            Self {
                base_rate,
                precision: (found + wrong > 0.0).then(|| found / (found + wrong)),
            }
        };
        BASE_RATES.into_iter().map(at).collect()
    }
}

impl Tabular for PrecisionAtBaseRate {
    const COLUMNS: &'static [Column] = &[left("AT A BASE RATE OF"), left("PRECISION")];

    fn rows(&self) -> Vec<Vec<String>> {
        vec![vec![ratio(self.base_rate), measured(self.precision)]]
    }
}

/// Figures with their name.
pub(super) struct Row<'a> {
    name: String,
    figures: Option<&'a wire::JudgedFigures>,
    microseconds: Option<f64>,
}

impl Tabular for Row<'_> {
    const COLUMNS: &'static [Column] = &[
        text("SIGNALS"),
        left("PRECISION"),
        left("RECALL"),
        left("F1"),
        left("F1 QUARTILES"),
        right("ERRORS"),
        right("WITHHELD"),
        left("WITHIN A ROOT"),
        left("ACROSS ROOTS"),
        right("µs A PAIR"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let figures = self.figures.copied().unwrap_or_default();
        let median = |spread: Option<wire::Spread>| measured(spread.map(|spread| spread.median));
        let quartiles = figures.f1.map_or_else(
            || UNKNOWN.to_owned(),
            |f1| format!("{} to {}", ratio(f1.lower), ratio(f1.upper)),
        );
        vec![vec![
            self.name.clone(),
            median(figures.precision),
            median(figures.recall),
            median(figures.f1),
            quartiles,
            (figures.false_hits + figures.missed).to_string(),
            figures.withheld.to_string(),
            measured(figures.precision_within_root),
            measured(figures.precision_across_roots),
            self.microseconds
                .map_or_else(|| UNKNOWN.to_owned(), |taken| format!("{taken:.0}")),
        ]]
    }
}

impl Tabular for wire::LabelledClass {
    const COLUMNS: &'static [Column] = &[
        text("LABELLED"),
        right("JUDGED SAME"),
        right("VERSION"),
        right("TEMPLATE-ONLY"),
        right("UNRELATED"),
        right("WITHHELD"),
        left("RIGHT"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let judged = [self.same, self.version, self.template_only, self.unrelated];
        let is_class = Some(self.class).filter(|class| *class > 0);
        let right = is_class.and_then(|class| judged.get(class as usize - 1));
        let given: u64 = judged.iter().sum();
        let share = right
            .filter(|_| given > 0)
            .map(|right| *right as f64 / given as f64);
        let counts = judged.into_iter().chain([self.withheld]);
        let class = judged_class(self.class).unwrap_or(UNKNOWN).to_owned();
        let cells = std::iter::once(class).chain(counts.map(|count| count.to_string()));
        vec![cells.chain([measured(share)]).collect()]
    }
}

impl Tabular for wire::RaterAgreement {
    const COLUMNS: &'static [Column] = &[
        text("RATERS"),
        left("CLASS"),
        right("PAIRS"),
        left("AGREED"),
        left("KAPPA"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let raters = format!("{} and {}", self.rater_a, self.rater_b);
        let row = |class: &str, pairs: String, share: f64, kappa: f64| {
            let (class, agreed) = (class.to_owned(), ratio(share));
            vec![raters.clone(), class, pairs, agreed, format!("{kappa:.3}")]
        };
        let all = row("all", self.pairs.to_string(), self.same, self.kappa);
        let classes = self.classes.iter().map(|of| {
            let class = judged_class(of.class).unwrap_or(UNKNOWN);
            row(class, String::new(), of.share, of.kappa)
        });
        std::iter::once(all).chain(classes).collect()
    }
}

impl Tabular for wire::CurvePoint {
    const COLUMNS: &'static [Column] = &[left("AT A RECALL OF"), left("PRECISION")];

    fn rows(&self) -> Vec<Vec<String>> {
        vec![vec![ratio(self.recall), ratio(self.precision)]]
    }
}

impl Tabular for wire::JudgeRule {
    const COLUMNS: &'static [Column] = &[
        right("RULE"),
        left("JUDGED"),
        left("PROBABILITY"),
        right("PAIRS"),
        text("WHERE"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        vec![vec![
            self.number.to_string(),
            judged_class(self.class).unwrap_or(UNKNOWN).to_owned(),
            ratio(self.probability),
            self.pairs.to_string(),
            self.rule.clone(),
        ]]
    }
}

impl<W: Write> Printer<W> {
    /// The evaluation of judgements against labels.
    pub(crate) fn evaluation(&mut self, reply: &wire::EvaluateLabelsReply) -> io::Result<()> {
        self.label_counts(reply.counts.as_ref())?;
        let of = |signal: &wire::SignalFigures, name: String| {
            (name, signal.figures, signal.microseconds)
        };
        let alone = reply.alone.iter();
        self.figures(alone.map(|signal| of(signal, signal.signal.clone())))?;
        let cumulative = reply.cumulative.iter();
        let with = |signal: &wire::SignalFigures| of(signal, format!("+ {}", signal.signal));
        let combined = reply.cumulative.last().and_then(|signal| signal.figures);
        let last = [
            ("all together".to_owned(), combined, None),
            ("the model in force".to_owned(), reply.in_force, None),
        ];
        self.figures(cumulative.map(with).chain(last))?;
        writeln!(self)?;
        self.fields(&[("in force", known(reply.model.as_ref()))])?;
        self.section(&reply.confusion)?;
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
        ])?;
        self.section(&reply.agreements)?;
        if reply.agreements.iter().any(|raters| raters.is_made) {
            writeln!(self)?;
            let unknown = "unknown: nobody labelled a pair of another. The raters above are made, to show the figures: \
                           each errs in one pair of twenty";
            self.fields(&[("agreement", unknown.to_owned())])?;
        }
        self.section(&reply.rules)
    }

    /// A trained model, beside the shipped one.
    pub(crate) fn trained_model(&mut self, reply: &wire::TrainModelReply) -> io::Result<()> {
        self.label_counts(reply.counts.as_ref())?;
        let figures = [
            ("learned, on held-out folds".to_owned(), reply.learned, None),
            ("shipped".to_owned(), reply.shipped, None),
        ];
        self.figures(figures.into_iter())?;
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
        self.fields(&[
            ("labels", labels),
            ("judged", pairs),
            ("left out", left_out),
            ("base rate", measured(counts.base_rate)),
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

    #[test]
    fn precision_falls_with_the_share_of_duplicates() {
        let counts = LabelCounts::from(&wire::LabelCounts {
            version: 40,
            template_only: 20,
            ..wire::LabelCounts::default()
        });
        let figures = wire::JudgedFigures {
            missed: 8,
            false_hits: 2,
            ..wire::JudgedFigures::default()
        };
        let told = PrecisionAtBaseRate::of(&counts, &figures);
        assert_eq!(told.len(), BASE_RATES.len());
        // 200 pairs hold 100 duplicates; 80 of these are found, and 10 of the others are false hits.
        let precision = |at: usize| told[at].precision.unwrap();
        assert!((precision(0) - 80.0 / 90.0).abs() < 1e-12);
        // One of 100 pairs is a duplicate: 0.8 found, 9.9 false.
        assert!((precision(3) - 0.8 / 10.7).abs() < 1e-12);
        let none = LabelCounts::from(&wire::LabelCounts::default());
        assert_eq!(PrecisionAtBaseRate::of(&none, &figures), []);
    }

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
