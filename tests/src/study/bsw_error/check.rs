//! Checks the table on documents from which it was not made.

use std::collections::BTreeMap;

use anyhow::Result;
use simdex_signature::{BswError, CONFIDENCE, clopper_pearson};

use super::{MOST_TRIALS, Measured, PAIRS, measure};
use crate::figure::Figures;

/// How often intervals hold the truth, and how wide they are beside binomial ones.
#[derive(Default)]
struct Held {
    estimates: f64,
    given: f64,
    held: f64,
    width: f64,
    binomial: f64,
    binomial_held: f64,
}

impl Held {
    fn add(&mut self, errors: &BswError, measured: &Measured) {
        let Measured {
            ratio,
            n,
            shared,
            trials,
            truth,
        } = *measured;
        self.estimates += 1.0;
        let Some(interval) = errors.interval(ratio, n, (shared, trials)) else {
            return;
        };
        let holds = |low: f64, high: f64| f64::from(low <= truth && truth <= high);
        let (low, high) = (interval.low.get(), interval.high.get());
        self.given += 1.0;
        self.held += holds(low, high);
        self.width += high - low;
        let (low, high) = clopper_pearson(shared, trials, CONFIDENCE);
        self.binomial += high.get() - low.get();
        self.binomial_held += holds(low.get(), high.get());
    }

    fn columns(&self) -> [(&'static str, f64, &'static str); 5] {
        [
            ("given", 100.0 * self.given / self.estimates, "%"),
            ("hold the truth", 100.0 * self.held / self.given, "%"),
            ("width", 100.0 * self.width / self.given, "points"),
            ("binomial", 100.0 * self.binomial / self.given, "points"),
            ("holds", 100.0 * self.binomial_held / self.given, "%"),
        ]
    }
}

/// A row for each change, each n and each number of entries, of documents that the table was not made of.
pub(super) fn check(errors: &BswError, texts: &[String], figures: &mut Figures<'_>) -> Result<()> {
    let (mut by_change, mut by_n) = (BTreeMap::new(), BTreeMap::new());
    let (mut by_trials, mut all) = (BTreeMap::new(), Held::default());
    measure(texts, PAIRS[1], 1, |change, measured| {
        let trials = 1_u64 << measured.trials.max(1).ilog2();
        let of = [
            by_change.entry(change).or_insert_with(Held::default),
            by_n.entry(measured.n).or_insert_with(Held::default),
            by_trials
                .entry(trials.min(MOST_TRIALS))
                .or_insert_with(Held::default),
            &mut all,
        ];
        of.into_iter().for_each(|held| held.add(errors, measured));
    })?;
    for (change, held) in by_change {
        figures.row(&format!("{change:?}").to_lowercase(), &held.columns())?;
    }
    for (n, held) in by_n {
        figures.row(&format!("n = {n}"), &held.columns())?;
    }
    for (trials, held) in by_trials.into_iter().filter(|(_, held)| held.given > 0.0) {
        figures.row(&format!("from {trials} entries"), &held.columns())?;
    }
    Ok(figures.row("all", &all.columns())?)
}
