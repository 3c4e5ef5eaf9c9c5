//! The family in a terminal: one row per version, 80 columns wide unless full names are wanted. Lanes that do not fit
//! are folded: their versions stand in the last lane that does, marked, and without the lines to their parents.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::layout::{Row, rows};
use super::{Family, ending};

/// Columns of the terminal that a row fits into.
const WIDTH: usize = 80;
/// Least width of a name in columns, however many lanes there are.
const MIN_NAME_WIDTH: usize = 10;
/// Width of the number, the day and its source, the relation to its parent, and the evidence, with the gaps between.
const NUMBERS: usize = 4 + 2 + 10 + 2 + 8 + 2 + 15 + 2 + 10 + 2;

/// Lanes that fit, of two columns each.
const LANES: usize = (WIDTH - NUMBERS - MIN_NAME_WIDTH) / 2;
/// A version in a lane that does not fit.
const FOLDED: &str = "○";
/// How all lanes are drawn.
const ALL: &str = "--wide draws all lanes";

/// Writes a family as a tree; nothing if it is empty.
pub(crate) fn tree(family: &Family, out: &mut impl Write) -> io::Result<()> {
    let rows = rows(family);
    let Some(deepest) = rows.iter().map(|row| row.lane).max() else {
        return Ok(());
    };
    let folder = family.folder();
    if !folder.is_empty() {
        writeln!(out, "{}", name_within(family, folder, WIDTH))?;
    }
    let drawn = match family.wide {
        true => deepest + 1,
        false => LANES.min(deepest + 1),
    };
    let lanes = 2 * drawn;
    let head = format!("{:lanes$}{:>4}", "", "NO");
    writeln!(
        out,
        "{head}  {:10}  {:8}  {:15}  {:10}  FILE",
        "DATE", "DATED BY", "HOW", "TOLD BY"
    )?;
    let mut open = vec![false; deepest + 1];
    for row in &rows {
        version(family, row, folder, drawn, &mut open, out)?;
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

fn version(
    family: &Family,
    row: &Row,
    folder: &str,
    drawn: usize,
    open: &mut [bool],
    out: &mut impl Write,
) -> io::Result<()> {
    let version = &family.versions[row.version];
    let graph = graph(row, version.is_query, drawn, open);
    open[row.lane] = row.goes_on;
    let lanes = 2 * drawn;
    let room = WIDTH.saturating_sub(lanes + NUMBERS).max(MIN_NAME_WIDTH);
    let name = |file: &str| {
        let below = file.strip_prefix(folder).unwrap_or(file);
        name_within(family, below, room)
    };
    let mut files = version.files.iter();
    let first = files.next().map(|file| name(file)).unwrap_or_default();
    let graph = padded(&graph, lanes);
    let (number, day, source) = (row.version + 1, version.day(), version.source());
    let (kind, evidence) = (version.kind(), version.evidence());
    writeln!(
        out,
        "{graph}{number:>4}  {day:10}  {source:8}  {kind:15}  {evidence:10}  {first}"
    )?;
    let graph = padded(&rails(&open[..drawn.min(row.lane + 1)]), lanes);
    let mut below = |sign: &str, name: &str| {
        let line = format!("{graph}{:width$}{sign} {name}", "", width = NUMBERS - 2);
        writeln!(out, "{}", line.trim_end())
    };
    if let Some(merged) = version.merged() {
        below("+", &name(&merged))?;
    }
    for names in version.renamings() {
        below("~", &name(&names))?;
    }
    for file in files {
        below("=", &name(file))?;
    }
    match version.unnamed() {
        0 => Ok(()),
        more => below("=", &name(&format!("{more} more"))),
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

fn name_within(family: &Family, name: &str, width: usize) -> String {
    match family.wide {
        true => name.to_owned(),
        false => ending(name, width),
    }
}
