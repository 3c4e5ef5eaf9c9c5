//! The family as a picture, one row per version. It is self-contained: no script, no font, nothing is fetched. It is
//! light or dark as the reader prefers, and each version has a title with all details.

use std::io::{self, Write};

use simdex_client::text::is_xml;
use simdex_client::wire::Direction;

use super::layout::{Row, rows};
use super::{Family, Version, ending, place};

/// Height of a row, and width of a lane.
const ROW: usize = 26;
const LANE: usize = 22;
/// Position of the first lane and the first row.
const LEFT: usize = 20;
const TOP: usize = 62;
/// Columns right of the lanes: the day, the relation to its parent, the evidence of the direction, the name.
const COLUMNS: [usize; 4] = [56, 154, 284, 374];
/// Letters of a name that are shown, and the width that they need at most.
const NAME: usize = 64;
const NAME_WIDTH: usize = NAME * 8;

const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#1b1f24}\
.h{fill:#59636e}.t{font-size:15px;font-weight:600}\
path{fill:none;stroke:#59636e;stroke-width:2}.u{stroke-dasharray:3 4}.m{stroke-width:1}\
circle{fill:#0969da;stroke:#fff;stroke-width:2}.q circle{fill:#bc4c00}.q text{font-weight:600}\
rect{fill:#fff}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.h{fill:#9198a1}path{stroke:#9198a1}\
circle{fill:#4493f8;stroke:#0d1117}.q circle{fill:#f0883e}rect{fill:#0d1117}}";

/// Writes a family as a picture.
pub(crate) fn svg(family: &Family, out: &mut impl Write) -> io::Result<()> {
    let rows = rows(family);
    let deepest = rows.iter().map(|row| row.lane).max().unwrap_or(0);
    let right = LEFT + deepest * LANE;
    let (width, height) = (right + COLUMNS[3] + NAME_WIDTH, TOP + rows.len() * ROW + 8);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\">"
    )?;
    let summary = plain(&family.summary());
    writeln!(out, "<title>{summary}</title>")?;
    writeln!(out, "<style>{STYLE}</style>")?;
    writeln!(out, "<rect width=\"{width}\" height=\"{height}\"/>")?;
    writeln!(out, "<text class=\"t\" x=\"12\" y=\"24\">{summary}</text>")?;
    let folder = family.folder();
    head(right, folder, out)?;
    let mut seat = vec![(0, 0); rows.len()];
    for (at, row) in rows.iter().enumerate() {
        seat[row.version] = (LEFT + row.lane * LANE, TOP + at * ROW);
    }
    for row in &rows {
        line(family, row, &seat, out)?;
    }
    for row in &rows {
        version(
            &family.versions[row.version],
            row,
            right,
            &seat,
            folder,
            out,
        )?;
    }
    writeln!(out, "</svg>")
}

fn head(right: usize, folder: &str, out: &mut impl Write) -> io::Result<()> {
    let file = match folder {
        "" => "FILE".to_owned(),
        folder => format!("FILE in {}", plain(&ending(folder, NAME))),
    };
    for (column, name) in COLUMNS
        .into_iter()
        .zip(["DATE", "HOW", "EVIDENCE", file.as_str()])
    {
        let x = right + column;
        writeln!(out, "<text class=\"h\" x=\"{x}\" y=\"44\">{name}</text>")?;
    }
    Ok(())
}

/// The line to the parent version: down the parent's lane, then into its own.
fn line(
    family: &Family,
    row: &Row,
    seat: &[(usize, usize)],
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(edge) = &family.versions[row.version].edge else {
        return Ok(());
    };
    let ((from_x, from_y), (x, y)) = (seat[place(edge.parent)], seat[row.version]);
    let class = match edge.direction() {
        Direction::Unknown => " class=\"u\"",
        _ => "",
    };
    if let Some(second) = &family.versions[row.version].second {
        // A straight line behind the others: it may pass lanes between.
        let (from_x, from_y) = seat[place(second.parent)];
        writeln!(out, "<path class=\"m\" d=\"M{from_x} {from_y}L{x} {y}\"/>")?;
    }
    let bend = y - ROW / 2;
    let way = match row.branches {
        true => format!("M{from_x} {from_y}V{bend}Q{from_x} {y} {x} {y}"),
        false => format!("M{from_x} {from_y}V{y}"),
    };
    writeln!(out, "<path{class} d=\"{way}\"/>")
}

fn version(
    version: &Version,
    row: &Row,
    right: usize,
    seat: &[(usize, usize)],
    folder: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let (x, y) = seat[row.version];
    let class = if version.is_query { " class=\"q\"" } else { "" };
    let number = row.version + 1;
    let (day, kind, evidence) = (version.day(), version.kind(), version.evidence());
    writeln!(out, "<g{class}>")?;
    let lines = version.merged().into_iter().chain(version.renamings());
    let lines = lines.chain(version.files.iter().cloned());
    let files = lines.collect::<Vec<_>>().join("\n");
    let all = format!("version {number}, {day}, {kind}, evidence: {evidence}\n{files}");
    writeln!(out, "<title>{}</title>", plain(&all))?;
    writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\"/>")?;
    let base = y + 5;
    let end = right + COLUMNS[0] - 10;
    writeln!(
        out,
        "<text class=\"h\" x=\"{end}\" y=\"{base}\" text-anchor=\"end\">{number}</text>"
    )?;
    let first = version.files.first().map_or("", |file| file.as_str());
    let mut name = ending(first.strip_prefix(folder).unwrap_or(first), NAME);
    match version.count {
        0 | 1 => {}
        2 => name.push_str(" (and a copy)"),
        count => name.push_str(&format!(" (and {} copies)", count - 1)),
    }
    for (column, text) in COLUMNS.into_iter().zip([day, &kind, evidence, &name]) {
        let x = right + column;
        writeln!(out, "<text x=\"{x}\" y=\"{base}\">{}</text>", plain(text))?;
    }
    writeln!(out, "</g>")
}

/// Escapes text for XML 1.0, with U+FFFD for characters that it cannot hold.
fn plain(text: &str) -> String {
    let allowed = text.replace(|letter| !is_xml(letter), "\u{fffd}");
    let quoted = allowed.replace('&', "&amp;").replace('<', "&lt;");
    quoted.replace('>', "&gt;").replace('"', "&quot;")
}
