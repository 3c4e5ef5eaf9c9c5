//! Binary sheets [MS-XLSB]: the parts of a workbook as records instead of XML, read as a stream.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Reading;
use super::cells::{Book, Look, Rows, Strings};
use super::flow::Flow;
use super::parts::{Parts, Relation};
use super::sheet_asides::{self, THREAD_AUTHOR};
use crate::input::Input;
use crate::sink::Sink;
use crate::{Fact, Outcome, Reason};

mod records;
mod sheet;

use records::{Fields, each_record};
use sheet::Sheet;

const MAIN: &[&str] = &["ms-excel.sheet.binary.macroEnabled.main"];

/// Numbers of records (§2.3.2).
const SHARED_STRING: u32 = 19;
const FORMAT: u32 = 44;
const STYLE: u32 = 47;
const WORKBOOK_PROPERTIES: u32 = 153;
const SHEET: u32 = 156;
const BEGIN_STYLES: u32 = 617;
const END_STYLES: u32 = 618;
const COMMENT_AUTHOR: u32 = 632;
const BEGIN_COMMENT: u32 = 635;
const COMMENT_TEXT: u32 = 637;

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
    let reason = parts.stream(main, |reader| {
        each_record(
            reader,
            &[WORKBOOK_PROPERTIES, SHEET],
            |record, mut fields| {
                match record {
                    WORKBOOK_PROPERTIES => since_1904 = fields.u32()? & 1 == 1,
                    _ => {
                        let state = fields.u32()?;
                        fields.u32()?;
                        ids.push(fields.wide_string()?);
                        sink.count(Fact::Sheets, 1);
                        sink.count(Fact::HiddenSheets, u64::from(state != 0));
                    }
                }
                Some(ids.len() < limit)
            },
        )
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
    parts.optional_stream(name, |reader| {
        each_record(reader, sheet::RECORDS, |record, fields| {
            sheet.take(record, fields)
        })
    });
    parts.note(sheet.rows.is_spent().then_some(Reason::CellsLimit));
    sink.count(Fact::Cells, sheet.rows.cells);
    let left = sheet.rows.write(sink);
    sheet_asides::write_running(&sheet.running, running, sink);
    sheet_asides::write(parts, &relations, sink, write_comments);
    left
}

fn strings(parts: &mut Parts<'_>, name: &str) -> Strings {
    let mut strings = Strings::default();
    parts.optional_stream(name, |reader| {
        each_record(reader, &[SHARED_STRING], |_, mut fields| {
            fields.u8()?;
            strings.push(&fields.wide_string()?);
            strings.end();
            Some(true)
        })
    });
    strings
}

/// Looks by number of style.
fn looks(parts: &mut Parts<'_>, name: &str) -> Vec<Look> {
    let (mut codes, mut looks, mut in_styles) = (BTreeMap::new(), Vec::new(), false);
    let wanted = [FORMAT, BEGIN_STYLES, STYLE, END_STYLES];
    parts.optional_stream(name, |reader| {
        each_record(reader, &wanted, |record, mut fields| {
            match record {
                FORMAT => {
                    let id = u32::from(fields.u16()?);
                    codes.insert(id, Look::of(id, Some(&fields.wide_string()?)));
                }
                BEGIN_STYLES => in_styles = true,
                STYLE if in_styles => {
                    fields.u16()?;
                    let id = u32::from(fields.u16()?);
                    let look = codes.get(&id).copied();
                    looks.push(look.unwrap_or_else(|| Look::of(id, None)));
                }
                STYLE => {}
                _ => return Some(false),
            }
            Some(true)
        })
    });
    looks
}

/// Writes the comments of a part; gives their number.
fn write_comments(parts: &mut Parts<'_>, name: &str, sink: &mut Sink) -> u64 {
    let (mut flow, mut threads, mut is_thread) = (Flow::toward(sink), Vec::new(), false);
    let mut count = 0;
    parts.optional_stream(name, |reader| {
        let wanted = [COMMENT_AUTHOR, BEGIN_COMMENT, COMMENT_TEXT];
        each_record(reader, &wanted, |record, mut fields| {
            match record {
                COMMENT_AUTHOR => threads.push(fields.wide_string()?.starts_with(THREAD_AUTHOR)),
                BEGIN_COMMENT => {
                    let author = usize::try_from(fields.u32()?).ok()?;
                    is_thread = threads.get(author).copied().unwrap_or(false);
                }
                _ if is_thread => {}
                _ => {
                    fields.u8()?;
                    flow.push(&fields.wide_string()?);
                    flow.end_line();
                    count += 1;
                }
            }
            Some(!flow.is_full())
        })
    });
    flow.write(sink);
    count
}

#[cfg(test)]
mod tests;
