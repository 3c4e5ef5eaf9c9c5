//! The family in a terminal: one row per version, as wide as lines may be. Lanes that do not fit are folded: their
//! versions stand in the last lane that does, marked, and without the lines to their parents.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::layout::{Row, rows};
use super::{Family, ending};
use crate::output::text::{beginning, wrapped};

/// Least width of a name in columns, however many lanes there are.
const MIN_NAME_WIDTH: usize = 10;
/// Width of the number, the day and its source, the relation to its parent, and the evidence, with the gaps between.
const NUMBERS: usize = 4 + 2 + 10 + 2 + 8 + 2 + 15 + 2 + 10 + 2;

/// Where notes of how a version was made begin, behind the lanes: below the relation to its parent.
const NOTES: usize = 4 + 2 + 10 + 2 + 8 + 2;

/// A version in a lane that does not fit.
const FOLDED: &str = "○";
/// How all lanes are drawn.
const ALL: &str = "--wide draws all lanes";

/// Writes a family as a tree, in lines of at most `width` cells if that is given; nothing if it is empty.
pub(crate) fn tree(family: &Family, width: Option<usize>, out: &mut impl Write) -> io::Result<()> {
    let rows = rows(family);
    let Some(deepest) = rows.iter().map(|row| row.lane).max() else {
        return Ok(());
    };
    let width = width.unwrap_or(usize::MAX);
    let folder = family.folder();
    if !folder.is_empty() {
        writeln!(out, "{}", ending(folder, width))?;
    }
    // Lanes are of two columns each.
    let fitting = width.saturating_sub(NUMBERS + MIN_NAME_WIDTH) / 2;
    let drawn = fitting.clamp(1, deepest + 1);
    let lanes = 2 * drawn;
    let head = format!("{:lanes$}{:>4}", "", "NO");
    writeln!(
        out,
        "{head}  {:10}  {:8}  {:15}  {:10}  FILE",
        "DATE", "DATED BY", "HOW", "EVIDENCE"
    )?;
    let mut open = vec![false; deepest + 1];
    let place = Place {
        folder,
        drawn,
        width,
    };
    for row in &rows {
        version(family, row, &place, &mut open, out)?;
    }
    match deepest + 1 - drawn {
        0 => Ok(()),
        1 => writeln!(out, "{FOLDED} in 1 further lane that does not fit; {ALL}"),
        folded => writeln!(
            out,
            "{FOLDED} in {folded} further lanes that do not fit; {ALL}"
        ),
    }
}

/// Where the rows of a family are drawn.
struct Place<'a> {
    /// The folder of all files, which their names lack.
    folder: &'a str,
    /// Lanes that are drawn.
    drawn: usize,
    /// Cells of a line.
    width: usize,
}

impl Place<'_> {
    /// The end of a file's name that fits.
    fn name(&self, file: &str) -> String {
        let room = self.width.saturating_sub(2 * self.drawn + NUMBERS);
        let below = file.strip_prefix(self.folder).unwrap_or(file);
        ending(below, room.max(MIN_NAME_WIDTH))
    }

    /// The lines of a note of how a version was made, whose sign takes two cells.
    fn note(&self, note: &str) -> Vec<String> {
        let room = self.width.saturating_sub(2 * self.drawn + NOTES + 2);
        let room = room.max(MIN_NAME_WIDTH);
        let lines = wrapped(note, room).into_iter();
        lines.map(|line| beginning(&line, room)).collect()
    }
}

fn version(
    family: &Family,
    row: &Row,
    place: &Place<'_>,
    open: &mut [bool],
    out: &mut impl Write,
) -> io::Result<()> {
    let version = &family.versions[row.version];
    let graph = graph(row, version.is_query, place.drawn, open);
    open[row.lane] = row.goes_on;
    let lanes = 2 * place.drawn;
    let mut files = version.files.iter();
    let first = files.next().map(|file| place.name(file));
    let first = first.unwrap_or_default();
    let graph = padded(&graph, lanes);
    let (number, day, source) = (row.version + 1, version.day(), version.source());
    let (kind, evidence) = (version.kind(), version.evidence());
    writeln!(
        out,
        "{graph}{number:>4}  {day:10}  {source:8}  {kind:15}  {evidence:10}  {first}"
    )?;
    let graph = padded(&rails(&open[..place.drawn.min(row.lane + 1)]), lanes);
    let mut below = |column: usize, sign: &str, text: &str| {
        let line = format!("{graph}{:column$}{sign} {text}", "");
        writeln!(out, "{}", line.trim_end())
    };
    let merged = version.merged().map(|merged| ("+", merged));
    let renamings = version.renamings().map(|names| ("~", names));
    for (sign, note) in merged.into_iter().chain(renamings) {
        for (at, line) in place.note(&note).iter().enumerate() {
            below(NOTES, if at == 0 { sign } else { " " }, line)?;
        }
    }
    for file in files {
        below(NUMBERS - 2, "=", &place.name(file))?;
    }
    match version.unnamed() {
        0 => Ok(()),
        more => below(NUMBERS - 2, "=", &format!("{more} more")),
    }
}

/// A version in its lane, with the lines of the lanes before it.
fn graph(row: &Row, is_query: bool, drawn: usize, open: &[bool]) -> String {
    let is_folded = row.lane >= drawn;
    let dot = match (is_query, is_folded) {
        (true, _) => "◉",
        (false, true) => FOLDED,
        (false, false) => "●",
    };
    let before = match (is_folded, row.branches) {
        (true, _) => rails(&open[..drawn - 1]),
        (false, true) => format!("{}├─", rails(&open[..row.lane - 1])),
        (false, false) => rails(&open[..row.lane]),
    };
    format!("{before}{dot}")
}

/// Draws a line for each lane that continues.
fn rails(open: &[bool]) -> String {
    let rail = |goes_on: &bool| if *goes_on { "│ " } else { "  " };
    open.iter().map(rail).collect()
}

fn padded(graph: &str, width: usize) -> String {
    let blank = width.saturating_sub(graph.width());
    format!("{graph}{}", " ".repeat(blank))
}
