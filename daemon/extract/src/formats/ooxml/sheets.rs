//! Sheets (ECMA-376 Part 1 §18): cells row by row, as they are stored. A sheet is never spread out:
//! one cell in its last row costs one cell.

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::events::{BytesStart, Event};

use super::super::Reading;
use super::super::xml::decoded;
use super::cells::{Book, Look, Rows, Strings};
use super::parts::{Parts, Relation, attribute, is_true, relation_id};
use super::sheet_asides;
use crate::input::Input;
use crate::sink::Sink;
use crate::{Fact, Outcome, Reason};

mod sheet;

use sheet::Sheet;

/// Main content types: workbook, template, with macros or without.
const MAIN: &[&str] = &[
    "spreadsheetml.sheet.main+xml",
    "spreadsheetml.template.main+xml",
    "ms-excel.sheet.macroEnabled.main+xml",
    "ms-excel.template.macroEnabled.main+xml",
    "ms-excel.addin.macroEnabled.main+xml",
];

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    super::read(input, sink, |parts, sink| {
        let main = parts.main(MAIN)?;
        let (sheets, since_1904) = sheets(parts, &main, sink)?;
        let relations = parts.relations(&main);
        let of_kind = |kind| relations.iter().find(|to: &&Relation| to.kind == kind);
        let book = Book {
            strings: of_kind("sharedStrings")
                .map_or_else(Strings::default, |to| strings(parts, &to.target)),
            looks: of_kind("styles").map_or_else(Vec::new, |to| looks(parts, &to.target)),
            since_1904,
        };
        let mut running = BTreeSet::new();
        let mut left = sink.budgets().cells;
        for id in sheets {
            if let Some(to) = relations.iter().find(|to| to.id == id) {
                left = write(parts, &to.target, &book, left, &mut running, sink);
            }
            if sink.is_full() || left == 0 {
                break;
            }
        }
        Ok(())
    })
}

/// Ids of the sheets in their order, and which day is day 0.
fn sheets(
    parts: &mut Parts<'_>,
    main: &str,
    sink: &mut Sink,
) -> Result<(Vec<String>, bool), Outcome> {
    let (mut ids, mut since_1904) = (Vec::new(), false);
    let limit = sink.budgets().entries as usize;
    let reason = parts.xml(main, |event| {
        if let Event::Start(tag) | Event::Empty(tag) = event {
            match tag.local_name().into_inner() {
                "sheet" => {
                    sink.count(Fact::Sheets, 1);
                    let is_hidden = attribute(tag, "state").is_some_and(|state| state != "visible");
                    sink.count(Fact::HiddenSheets, u64::from(is_hidden));
                    ids.extend(relation_id(tag, "id"));
                }
                "workbookPr" => {
                    since_1904 = attribute(tag, "date1904").is_some_and(|value| is_true(&value));
                }
                _ => {}
            }
        }
        ids.len() < limit
    })?;
    parts.note(reason);
    Ok((ids, since_1904))
}

/// Writes a sheet and what belongs to it; gives back how many cells may still be read.
fn write(
    parts: &mut Parts<'_>,
    name: &str,
    book: &Book,
    left: u64,
    running: &mut BTreeSet<String>,
    sink: &mut Sink,
) -> u64 {
    let relations = parts.relations(name);
    let mut sheet = Sheet::new(Rows::new(book, left, sink));
    parts.optional_xml(name, |event| sheet.take(event));
    parts.note(sheet.rows.is_spent().then_some(Reason::CellsLimit));
    sink.count(Fact::Cells, sheet.rows.cells);
    let left = sheet.rows.write(sink);
    sheet_asides::write_running(&sheet.running, running, sink);
    sheet_asides::write(parts, &relations, sink, sheet_asides::write_xml_comments);
    left
}

/// The shared strings (§18.4), however many there are said to be.
fn strings(parts: &mut Parts<'_>, name: &str) -> Strings {
    let mut strings = Strings::default();
    let (mut in_text, mut in_reading) = (false, false);
    parts.optional_xml(name, |event| {
        match event {
            Event::Start(tag) => match tag.local_name().into_inner() {
                "t" => in_text = !in_reading,
                "rPh" => in_reading = true,
                _ => {}
            },
            Event::Empty(tag) if tag.local_name().into_inner() == "si" => strings.end(),
            Event::End(tag) => match tag.local_name().into_inner() {
                "t" => in_text = false,
                "rPh" => in_reading = false,
                "si" => strings.end(),
                _ => {}
            },
            Event::Text(text) if in_text => strings.push(&unescaped(&text.xml10_content())),
            Event::CData(text) if in_text => strings.push(&text.xml10_content()),
            Event::GeneralRef(entity) if in_text => {
                strings.push(&decoded(entity).unwrap_or_default());
            }
            _ => {}
        }
        true
    });
    strings
}

/// Looks by number of style (§18.8).
fn looks(parts: &mut Parts<'_>, name: &str) -> Vec<Look> {
    let (mut codes, mut looks, mut in_styles) = (BTreeMap::new(), Vec::new(), false);
    let id = |tag: &BytesStart<'_>| attribute(tag, "numFmtId")?.parse::<u32>().ok();
    parts.optional_xml(name, |event| {
        match event {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().into_inner() {
                "numFmt" if !in_styles => {
                    let code = attribute(tag, "formatCode");
                    codes.extend(
                        id(tag)
                            .zip(code)
                            .map(|(id, code)| (id, Look::of(id, Some(&code)))),
                    );
                }
                "cellXfs" => in_styles = true,
                "xf" if in_styles => {
                    let id = id(tag).unwrap_or(0);
                    let look = codes.get(&id).copied();
                    looks.push(look.unwrap_or_else(|| Look::of(id, None)));
                }
                _ => {}
            },
            Event::End(tag) if tag.local_name().into_inner() == "cellXfs" => return false,
            _ => {}
        }
        true
    });
    looks
}

/// Characters that XML cannot hold are written as `_xHHHH_` (§22.9.2.19).
pub(super) fn unescaped(text: &str) -> String {
    let mut pieces = text.split("_x");
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let code = piece.get(..5).and_then(|code| code.strip_suffix('_'));
        let character = code
            .and_then(|code| u32::from_str_radix(code, 16).ok())
            .and_then(char::from_u32);
        match character {
            Some(character) => {
                whole.push(character);
                whole.push_str(&piece[5..]);
            }
            None => {
                whole.push_str("_x");
                whole.push_str(piece);
            }
        }
    }
    whole
}

#[cfg(test)]
mod tests;
