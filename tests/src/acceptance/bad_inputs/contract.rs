//! The table of FORMAT.md, "What does bad input get?".

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context, Result, bail, ensure};

use crate::acceptance::named;

const FORMAT: &str = include_str!("../../../../schema/FORMAT.md");
const HEADING: &str = "\n## What does bad input get?\n";
/// Inputs the table must name.
const INPUTS: std::ops::RangeInclusive<u32> = 1..=64;
/// In the last column where this check is meant.
const HERE: &str = "here";

/// One row: an input, where it may end, where that is checked.
pub(super) struct Row {
    pub(super) number: u32,
    pub(super) input: String,
    states: BTreeSet<String>,
    reasons: BTreeSet<String>,
    /// File and name of the test, where it is another than this check.
    pub(super) test: Option<(String, String)>,
}

impl Row {
    pub(super) fn is(&self, number: u32, input: &str) -> bool {
        self.number == number && self.input == input
    }

    /// Whether a file may end with this state and reason.
    pub(super) fn allows(&self, (state, reason): &(String, String)) -> bool {
        self.states.contains(state) && self.reasons.contains(reason)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (states, reasons) = (&self.states, &self.reasons);
        write!(f, "{} {}: {states:?} {reasons:?}", self.number, self.input)
    }
}

/// All rows, in their order.
pub(super) fn rows() -> Result<Vec<Row>> {
    let start = FORMAT
        .find(HEADING)
        .context("FORMAT.md has no table of bad inputs")?;
    let body = &FORMAT[start + HEADING.len()..];
    let body = &body[..body.find("\n## ").unwrap_or(body.len())];
    let lines = body
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| number"));
    let rows: Vec<Row> = lines.map(row).collect::<Result<_>>()?;
    let named: BTreeSet<u32> = rows.iter().map(|row| row.number).collect();
    ensure!(
        named == INPUTS.collect(),
        "the inputs that have rows are not 1 to 64: {named:?}"
    );
    Ok(rows)
}

fn row(line: &str) -> Result<Row> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [number, input, states, reasons, place] = cells[..] else {
        bail!("not five cells: {line}");
    };
    let several = |cell: &str| {
        let one = |word: &str| word.trim_matches('`').to_owned();
        cell.split(" or ").map(one).collect()
    };
    let test = (place != HERE).then(|| {
        let place = place.trim_matches('`');
        place
            .split_once("::")
            .map(|(file, name)| (file.to_owned(), name.to_owned()))
    });
    Ok(Row {
        number: number.parse().with_context(|| line.to_owned())?,
        input: input.to_owned(),
        states: several(states),
        reasons: several(reasons),
        test: test
            .map(|test| test.with_context(|| line.to_owned()))
            .transpose()?,
    })
}

/// A row that leaves the proof to another test names one that exists and is run.
pub(super) fn named_tests_exist(rows: &[Row]) -> Result<()> {
    for row in rows {
        if let Some((file, name)) = &row.test {
            named::exists(file, name).with_context(|| format!("which {row} names"))?;
        }
    }
    Ok(())
}
