//! Checks the table on documents from which it was not made.

use std::collections::BTreeMap;

use anyhow::Result;
use simdex_signature::{BswError, CONFIDENCE, clopper_pearson};

use super::change::Change;
use super::words::length;
use super::{MOST_TRIALS, Measured, PAIRS, SEED, Signers, measure};
use crate::corpus::Random;
use crate::figure::Figures;

/// Ledgers that the table is checked on, in every order.
const LEDGERS: u64 = 200;
/// Accounts of a ledger.
const ACCOUNTS: u64 = 60;

/// How often intervals hold the truth, and how wide they are beside binomial ones.
#[derive(Default)]
struct Held {
    estimates: f64,
    given: f64,
    held: f64,
    width: f64,
    binomial: f64,
    binomial_held: f64,
    /// How far beyond an interval the truth lay at most.
    beyond: f64,
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
        self.beyond = self.beyond.max(low - truth).max(truth - high);
        let (low, high) = clopper_pearson(shared, trials, CONFIDENCE);
        self.binomial += high.get() - low.get();
        self.binomial_held += holds(low.get(), high.get());
    }

    fn columns(&self) -> [(&'static str, f64, &'static str); 6] {
        [
            ("given", 100.0 * self.given / self.estimates, "%"),
            ("hold the truth", 100.0 * self.held / self.given, "%"),
            ("missed by at most", 100.0 * self.beyond, "points"),
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
        figures.row(change.name(), &held.columns())?;
    }
    for (n, held) in by_n {
        figures.row(&format!("n = {n}"), &held.columns())?;
    }
    for (trials, held) in by_trials.into_iter().filter(|(_, held)| held.given > 0.0) {
        figures.row(&format!("from {trials} entries"), &held.columns())?;
    }
    figures.row("all", &all.columns())?;
    for change in [Change::Shuffle, Change::Sort] {
        let name = format!("ledgers, {}", format!("{change:?}").to_lowercase());
        figures.row(&name, &ledgers(errors, change)?.columns())?;
    }
    Ok(())
}

/// Ledgers, whose rows are few and recur, in another order of rows.
fn ledgers(errors: &BswError, change: Change) -> Result<Held> {
    let (signers, mut held) = (Signers::new()?, Held::default());
    for number in 0..LEDGERS {
        let random = &mut Random::new(SEED, (2 << 32) + number);
        let rows = rows(random);
        let text: Vec<&str> = rows.iter().map(String::as_str).collect();
        let mut copy = text.clone();
        if change == Change::Sort {
            copy.sort_unstable();
        } else {
            (1..copy.len()).for_each(|at| copy.swap(at, random.below(at as u64 + 1) as usize));
        }
        signers.measure([&text, &copy], |measured| held.add(errors, measured))?;
    }
    Ok(held)
}

fn rows(random: &mut Random) -> Vec<String> {
    let mut number = |from: u64, to: u64| from + random.below(to - from);
    let accounts: Vec<[u64; 2]> = (0..ACCOUNTS)
        .map(|_| [number(1_000, 10_000), number(100, 1_000)])
        .collect();
    let (mut rows, mut bytes) = (Vec::new(), 0);
    let length = length(random);
    while bytes < length {
        let [account, customer] = accounts[random.below(ACCOUNTS) as usize];
        let amount = [10, 20, 50, 100][random.below(4) as usize];
        let row = format!("account {account} of customer {customer} debit {amount}.00 EUR");
        bytes += row.len() + 1;
        rows.push(row);
    }
    rows
}
