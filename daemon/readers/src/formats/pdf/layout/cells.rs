//! Rows of a ruled table: read line by line, words of cells with several lines would be mixed, and a table on a page of
//! columns would be cut at the gap between these.
//!
//! A row is what stands between two lines across, of which the lower is the next below and as wide as the upper, with at
//! least one line down from the one to the other. Tables without such lines are read line by line, as before: where
//! their rows end cannot be told from their text.

use std::ops::Range;

use super::super::super::paging::LINE_IN_CELL;
use super::super::rules::{Rule, Rules};
use super::piece::{is_leftward_text, pieces, turn};
use super::rows::rows;
use super::run::Run;

/// Maximum number of lines of a cell: a column of text between rules is none.
const MAX_LINES: usize = 15;
/// Maximum number of rows times runs of a page: each row may have to look at each run.
const MAX_LOOKS: usize = 20_000_000;
/// How far the ends of lines may be apart that form a grid, in points.
const MAX_OFF: f64 = 4.0;
/// Minimum height of a row: a line may be drawn twice.
const MIN_HEIGHT: f64 = 5.0;
/// How far a word may reach over a line of its cell.
const OVERHANG: f64 = 2.0;
/// Where the middle of a run is above its baseline, in font sizes.
const MIDDLE: f64 = 0.3;

/// A row of a table.
#[derive(Debug)]
struct Row {
    /// From the bottom to the top.
    high: Range<f64>,
    /// Where cells begin and end, from left to right.
    bounds: Vec<f64>,
}

/// The runs of a page with one run for each row of a ruled table.
pub(super) fn with_rows(mut runs: Vec<Run>, rules: &Rules) -> Vec<Run> {
    let table_rows = table_rows(rules);
    if table_rows.is_empty() || table_rows.len().saturating_mul(runs.len()) > MAX_LOOKS {
        return runs;
    }
    // From the bottom up.
    runs.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    let heights: Vec<f64> = runs.iter().map(middle).collect();
    let mut runs: Vec<Option<Run>> = runs.into_iter().map(Some).collect();
    let mut whole = Vec::new();
    for row in &table_rows {
        let below = |end: f64| heights.partition_point(|height| *height < end);
        let range = below(row.high.start)..below(row.high.end);
        whole.extend(row.take(&mut runs[range]));
    }
    runs.into_iter().flatten().chain(whole).collect()
}

fn middle(run: &Run) -> f64 {
    run.base + MIDDLE * run.size
}

/// The rows of all tables.
fn table_rows(rules: &Rules) -> Vec<Row> {
    let across = rules.across.iter().enumerate();
    let rows = across.filter_map(|(at, top)| {
        let meets = |below: &&Rule| below.from < top.to - MAX_OFF && below.to > top.from + MAX_OFF;
        let bottom = rules.across[at + 1..].iter().find(meets)?;
        let is_as_wide =
            (top.from - bottom.from).abs() <= MAX_OFF && (top.to - bottom.to).abs() <= MAX_OFF;
        let is_row = is_as_wide && top.at - bottom.at >= MIN_HEIGHT;
        is_row.then(|| Row {
            high: bottom.at..top.at,
            bounds: bounds(top, bottom, &rules.down),
        })
    });
    rows.filter(|row| row.bounds.len() > 2).collect()
}

/// Where the cells between two lines begin and end.
fn bounds(top: &Rule, bottom: &Rule, down: &[Rule]) -> Vec<f64> {
    let mut bounds = vec![top.from];
    let reaches = |rule: &&Rule| rule.from <= bottom.at + MAX_OFF && rule.to >= top.at - MAX_OFF;
    for rule in down.iter().filter(reaches) {
        let last = bounds.last().copied().unwrap_or(top.from);
        if rule.at > last + MAX_OFF && rule.at < top.to - MAX_OFF {
            bounds.push(rule.at);
        }
    }
    bounds.push(top.to);
    bounds
}

impl Row {
    /// Takes the runs of this row out of those of its height, as one run, if they are in several cells.
    fn take(&self, runs: &mut [Option<Run>]) -> Option<Run> {
        let is_within = |run: &Run| run.right > self.bounds[0] && run.left < self.end();
        let found = runs
            .iter_mut()
            .filter(|run| run.as_ref().is_some_and(is_within));
        let found: Vec<&mut Option<Run>> = found.collect();
        let cells: Option<Vec<(usize, &Run)>> = found
            .iter()
            .filter_map(|run| run.as_ref())
            .map(|run| Some((self.cell(run)?, run)))
            .collect();
        let row = self.joined(cells?)?;
        found.into_iter().for_each(|run| *run = None);
        Some(row)
    }

    fn end(&self) -> f64 {
        self.bounds.last().copied().unwrap_or(f64::INFINITY)
    }

    /// The cell that a run is in, unless it crosses a line.
    fn cell(&self, run: &Run) -> Option<usize> {
        let at = self
            .bounds
            .partition_point(|bound| bound + OVERHANG < run.right);
        let cell = at.checked_sub(1)?;
        (run.left >= self.bounds[cell] - OVERHANG && at < self.bounds.len()).then_some(cell)
    }

    /// The text of the row as one run.
    fn joined(&self, runs: Vec<(usize, &Run)>) -> Option<Run> {
        let mut cells = vec![Vec::new(); self.bounds.len() - 1];
        for (cell, run) in runs {
            cells[cell].push(run.clone());
        }
        let cells = cells.into_iter().filter(|runs| !runs.is_empty());
        let cells: Vec<Vec<Run>> = cells.map(lines).collect();
        let most = cells.iter().map(Vec::len).max()?;
        if cells.len() < 2 || !(1..=MAX_LINES).contains(&most) {
            return None;
        }
        let all = || cells.iter().flatten();
        // With its own size, not the largest: the row would reach into the line above.
        let higher = |a: &&Run, b: &&Run| a.base.total_cmp(&b.base).then(a.size.total_cmp(&b.size));
        let highest = all().max_by(higher)?.clone();
        let bottom = all().map(|line| line.base).reduce(f64::min);
        let mut texts: Vec<Run> = cells.iter().filter_map(|lines| text(lines)).collect();
        turn(&mut texts);
        let leftward = is_leftward_text(&texts);
        let texts: Vec<&str> = texts.iter().map(|run| run.text.as_str()).collect();
        Some(Run {
            text: texts.join("\t"),
            left: self.bounds[0],
            right: self.end(),
            leftward,
            bottom,
            ..highest
        })
    }
}

/// The lines of a cell, from the top down.
fn lines(runs: Vec<Run>) -> Vec<Run> {
    let rows = rows(runs).into_iter();
    rows.flat_map(|row| pieces(row, f64::INFINITY)).collect()
}

/// The text of a cell as one run.
fn text(lines: &[Run]) -> Option<Run> {
    let texts: Vec<&str> = lines.iter().map(|line| line.text.trim()).collect();
    Some(Run {
        text: texts.join(&LINE_IN_CELL.to_string()),
        leftward: is_leftward_text(lines),
        ..lines.first()?.clone()
    })
}
