//! Converts characters with their positions to lines in reading order.
//!
//! A content stream (ISO 32000-2, 9.4) may draw a page in any order: some writers put the bold words
//! of a page after all others. So characters on one baseline form a line, columns are recognised by the gap between
//! them, and the order is that of the page.

mod bracket_evidence;
mod brackets;
mod cells;
mod piece;
mod rows;
mod run;

use std::collections::BTreeMap;

use super::super::paging::LINE_IN_CELL;
use super::rules::Rules;
use bracket_evidence::brackets_of;
use piece::pieces;
use rows::rows;
pub(super) use run::{Place, is_leftward};
use run::{Run, run};

/// Gap that separates pieces of a line: cells, columns.
const PIECE_GAP: f64 = 1.2;
/// Smallest gap between narrowly spaced columns; words of one line may be as far apart.
const NARROW_GAP: f64 = 0.8;
/// Distance of lines above which an empty line is put between them.
const PARAGRAPH_GAP: f64 = 1.7;
/// Maximum number of runs of a page; what is drawn after them is left out.
const MAX_RUNS: usize = 200_000;

/// The characters of one page.
#[derive(Debug, Default)]
pub(super) struct Layout {
    runs: Vec<Run>,
    /// The lines that the page draws.
    rules: Rules,
    /// How many more characters were drawn than stand here, as other text stands for them.
    pub(super) replaced: usize,
}

impl Layout {
    /// Adds the next character of the content stream. One without text leaves a gap: it may be a space.
    pub(super) fn push(&mut self, text: &str, place: Place) {
        // No text has this noncharacter, except one that is to mislead.
        if text.contains(LINE_IN_CELL) {
            return self.push(&text.replace(LINE_IN_CELL, ""), place);
        }
        let run = run(text, place).filter(|_| !text.is_empty());
        let Some(run) = run else { return };
        let full = self.runs.len() >= MAX_RUNS;
        match self.runs.last_mut() {
            Some(last) if last.ends_in(&run) => {}
            Some(last) if last.takes(&run) => last.take(&run),
            _ if full => {}
            _ => self.runs.push(run),
        }
    }

    /// This page with the lines that it draws.
    pub(super) fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The lines of the page in reading order; an empty one between paragraphs.
    pub(super) fn lines(mut self) -> Vec<String> {
        let brackets = brackets_of(&self.runs);
        for run in &mut self.runs {
            run.brackets = brackets;
        }
        let mut order: Vec<i16> = Vec::new();
        let mut turned: BTreeMap<i16, Vec<Run>> = BTreeMap::new();
        for run in self
            .runs
            .into_iter()
            .filter(|run| !run.text.trim().is_empty())
        {
            if !turned.contains_key(&run.degrees) {
                order.push(run.degrees);
            }
            turned.entry(run.degrees).or_default().push(run);
        }
        let mut lines = Vec::new();
        for degrees in order {
            let mut runs = turned.remove(&degrees).unwrap_or_default();
            if degrees == 0 {
                runs = cells::with_rows(runs, &self.rules);
            }
            write_columns(pieces_of(runs), MAX_COLUMNS_DEPTH, &mut lines);
        }
        lines
    }
}

/// The pieces of a page's lines.
fn pieces_of(runs: Vec<Run>) -> Vec<Run> {
    let rows = rows(runs);
    let parted = |gap: f64| -> Vec<Run> {
        let rows = rows.iter().cloned();
        rows.flat_map(|row| pieces(row, gap)).collect()
    };
    let usual = parted(PIECE_GAP);
    if gutter(&usual).is_none() {
        let narrow = parted(NARROW_GAP);
        if gutter(&narrow).is_some() {
            return narrow;
        }
    }
    usual
}

/// Maximum nesting of columns.
const MAX_COLUMNS_DEPTH: usize = 3;
/// Maximum number of positions checked for a gutter.
const MAX_GUTTERS: usize = 16;
/// Minimum number of lines of a column.
const MIN_COLUMN_LINES: usize = 5;
/// Minimum width of the lines of a column, in font sizes: cells are narrower.
const MIN_COLUMN_WIDTH: f64 = 12.0;
/// Maximum height of the labels of a figure, relative to the text beside it.
const LABEL_SIZE: f64 = 0.7;

/// Writes the pieces of a page, column by column if there are columns.
fn write_columns(pieces: Vec<Run>, depth: usize, lines: &mut Vec<String>) {
    let gutter = (depth > 0).then(|| gutter(&pieces)).flatten();
    let Some(gutter) = gutter else {
        return write_rows(pieces, lines);
    };
    // Pieces that cross the gutter separate the columns above from those below.
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut across = Vec::new();
    for piece in rows(pieces).into_iter().flatten() {
        if piece.left < gutter && piece.right > gutter {
            write_columns(std::mem::take(&mut left), depth - 1, lines);
            write_columns(std::mem::take(&mut right), depth - 1, lines);
            across.push(piece);
        } else {
            write_rows(std::mem::take(&mut across), lines);
            if piece.left < gutter {
                &mut left
            } else {
                &mut right
            }
            .push(piece);
        }
    }
    write_columns(left, depth - 1, lines);
    write_columns(right, depth - 1, lines);
    write_rows(across, lines);
}

/// The middle of the gap between two columns of running text.
fn gutter(pieces: &[Run]) -> Option<f64> {
    // Where pieces to the right of something begin.
    let mut starts: Vec<f64> = pieces.iter().map(|piece| piece.left).collect();
    starts.sort_by(f64::total_cmp);
    let candidates = starts.chunk_by(|a, b| b - a < 1.0);
    let mut candidates: Vec<_> = candidates
        .filter(|chunk| chunk.len() >= MIN_COLUMN_LINES)
        .collect();
    candidates.sort_by_key(|chunk| std::cmp::Reverse(chunk.len()));
    let mut best: Option<(usize, f64)> = None;
    for chunk in candidates.into_iter().take(MAX_GUTTERS) {
        let at = chunk[0] - 0.5;
        if let Some(across) = columns_at(pieces, at)
            && best.is_none_or(|(fewest, _)| across < fewest)
        {
            best = Some((across, at));
        }
    }
    best.map(|(_, at)| at)
}

/// Number of pieces that cross `at`, if there is running text on both sides of it.
fn columns_at(pieces: &[Run], at: f64) -> Option<usize> {
    let left: Vec<_> = pieces.iter().filter(|piece| piece.right <= at).collect();
    let right: Vec<_> = pieces.iter().filter(|piece| piece.left >= at).collect();
    let across = pieces.len() - left.len() - right.len();
    let (high_left, low_left) = running_text(&left)?;
    let (high_right, low_right) = running_text(&right)?;
    let shared = high_left.min(high_right) - low_left.max(low_right);
    let size = right.first()?.size;
    let few = across * 3 <= left.len().min(right.len()) * 2;
    (few && shared >= size * MIN_COLUMN_LINES as f64).then_some(across)
}

/// The vertical extent of `pieces`, if they are lines of text rather than cells.
fn running_text(pieces: &[&Run]) -> Option<(f64, f64)> {
    let long = |piece: &&&Run| piece.right - piece.left >= MIN_COLUMN_WIDTH * piece.size;
    let long: Vec<_> = pieces.iter().filter(long).collect();
    // Labels of a figure are smaller than the text, and many.
    let size = long.iter().map(|piece| piece.size).fold(0.0, f64::max);
    let labels = pieces.iter().filter(|piece| piece.size < LABEL_SIZE * size);
    if long.len() < MIN_COLUMN_LINES || long.len() * 2 < pieces.len() - labels.count() {
        return None;
    }
    let high = long.iter().map(|piece| piece.base).reduce(f64::max)?;
    let low = long.iter().map(|piece| piece.base).reduce(f64::min)?;
    Some((high, low))
}

/// Writes rows from the top down, their pieces separated by tabs.
fn write_rows(pieces_of_block: Vec<Run>, lines: &mut Vec<String>) {
    let mut above: Option<(f64, f64)> = None;
    for row in rows(pieces_of_block) {
        let size = row.iter().map(|piece| piece.size).fold(0.0, f64::max);
        let base = row[0].base;
        if above.is_some_and(|(high, tall)| high - base > PARAGRAPH_GAP * size.max(tall)) {
            lines.push(String::new());
        }
        let bottoms = row.iter().filter_map(|piece| piece.bottom);
        above = Some((bottoms.fold(base, f64::min), size));
        let mut cells = pieces(row, PIECE_GAP);
        piece::turn(&mut cells);
        let cells: Vec<_> = cells
            .into_iter()
            .map(|piece| piece.text.trim().to_owned())
            .collect();
        lines.push(cells.join("\t"));
    }
}

#[cfg(test)]
mod tests;
