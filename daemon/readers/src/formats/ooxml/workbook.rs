//! What workbooks in XML and in binary have in common: which parts they have, and their order.

use std::collections::BTreeSet;

use simdex_extract::{Fact, Outcome, Reason};

use super::super::Reading;
use super::cells::{Book, CellStyle, Rows};
use super::parts::{Parts, Relation, by_id};
use super::sheet_asides;
use super::strings::Strings;
use crate::formats::text_style::TextStyle;
use crate::input::Input;
use crate::sink::Sink;

/// The notation of a workbook's parts.
pub(super) trait Notation {
    /// Ends of the main part's content types.
    const MAIN: &[&str];

    /// Reads the main part.
    fn contents(parts: &mut Parts<'_>, main: &str, contents: &mut Contents) -> Reading;

    /// Reads the styles.
    fn styles(parts: &mut Parts<'_>, name: &str) -> Styles;

    /// The strings that cells share, whatever count is stated; `fonts` are those of the styles.
    fn strings(parts: &mut Parts<'_>, name: &str, fonts: &[TextStyle]) -> Strings;

    /// Reads the cells of a sheet into `rows`; returns its headers and footers with their codes.
    fn sheet(parts: &mut Parts<'_>, name: &str, rows: &mut Rows<'_>) -> Vec<String>;

    /// Writes the comments of a part; returns their number.
    fn comments(parts: &mut Parts<'_>, name: &str, sink: &mut Sink) -> u64;
}

/// The styles of a workbook.
#[derive(Debug, Default)]
pub(super) struct Styles {
    pub(super) fonts: Vec<TextStyle>,
    pub(super) cells: Vec<CellStyle>,
}

/// The content of the main part.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Ids of the sheets, in their order.
    pub(super) sheets: Vec<String>,
    pub(super) hidden: u64,
    pub(super) since_1904: bool,
}

pub(super) fn read<N: Notation>(input: &Input, sink: &mut Sink) -> Reading {
    super::read(input, sink, |parts, sink| {
        let main = parts.main(N::MAIN)?;
        let mut contents = Contents::default();
        let reason = N::contents(parts, &main, &mut contents)?;
        parts.note(reason);
        sink.count(Fact::Sheets, contents.sheets.len() as u64);
        sink.count(Fact::HiddenSheets, contents.hidden);
        let relations = parts.relations(&main);
        let book = book::<N>(parts, &relations, contents.since_1904);
        let mut running = BTreeSet::new();
        let mut left = sink.budgets().cells;
        let relations = by_id(&relations);
        for to in contents.sheets.iter().filter_map(|id| relations.get(&**id)) {
            if sink.is_full() || left == 0 {
                break;
            }
            if parts.begin(&to.target) {
                left = write::<N>(
                    parts,
                    &to.target,
                    Rows::new(&book, left, sink),
                    sink,
                    &mut running,
                );
            }
        }
        Ok::<_, Outcome>(())
    })
}

fn book<N: Notation>(parts: &mut Parts<'_>, relations: &[Relation], since_1904: bool) -> Book {
    let of_kind = |kind| relations.iter().find(|to: &&Relation| to.kind == kind);
    let styles = of_kind("styles").map(|to| N::styles(parts, &to.target));
    let Styles { fonts, cells } = styles.unwrap_or_default();
    let strings = of_kind("sharedStrings").map(|to| N::strings(parts, &to.target, &fonts));
    Book {
        strings: strings.unwrap_or_default(),
        styles: cells,
        fonts,
        since_1904,
    }
}

/// Writes a sheet and what belongs to it; returns how many cells may still be read.
fn write<N: Notation>(
    parts: &mut Parts<'_>,
    name: &str,
    mut rows: Rows<'_>,
    sink: &mut Sink,
    running: &mut BTreeSet<String>,
) -> u64 {
    let codes = N::sheet(parts, name, &mut rows);
    parts.note(rows.is_spent().then_some(Reason::CellsLimit));
    sink.count(Fact::Cells, rows.cells);
    let left = rows.write(sink);
    sheet_asides::write_running(&codes, running, sink);
    let relations = parts.relations(name);
    sheet_asides::write(parts, &relations, sink, N::comments);
    left
}
