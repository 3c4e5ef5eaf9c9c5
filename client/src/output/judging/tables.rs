//! The tables of an evaluation.

use simdex_client::lines::{LabelCounts, judged_class};
use simdex_client::wire;

use crate::output::Tabular;
use crate::output::table::{Column, left, right, text};
use crate::output::text::{UNKNOWN, measured, ratio};

/// Shares of duplicates among all pairs for which precision is shown.
const BASE_RATES: [f64; 4] = [0.5, 0.2, 0.05, 0.01];

/// The precision of all signals together at this share of duplicates.
#[derive(Debug, PartialEq)]
pub(in crate::output) struct PrecisionAtBaseRate {
    base_rate: f64,
    precision: Option<f64>,
}

impl PrecisionAtBaseRate {
    /// Labelled pairs are selected and hold more duplicates than the pairs judged in use. Recall and the share of false
    /// hits among other pairs stay the same, while precision falls. Empty if the labels lack duplicates or others.
    pub(in crate::output) fn of(counts: &LabelCounts, figures: &wire::JudgedFigures) -> Vec<Self> {
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
pub(in crate::output) struct Row<'a> {
    pub(in crate::output) name: String,
    pub(in crate::output) figures: Option<&'a wire::JudgedFigures>,
    pub(in crate::output) microseconds: Option<f64>,
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
        let all = row("all", self.pairs.to_string(), self.share, self.kappa);
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
        left("WITHHELD"),
        text("WHERE"),
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        vec![vec![
            self.number.to_string(),
            judged_class(self.class).unwrap_or(UNKNOWN).to_owned(),
            ratio(self.probability),
            self.pairs.to_string(),
            named(&self.withheld),
            self.rule.clone(),
        ]]
    }
}

/// A name that may be missing.
fn named(name: &str) -> String {
    match name {
        "" => UNKNOWN.to_owned(),
        name => name.to_owned(),
    }
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
}
