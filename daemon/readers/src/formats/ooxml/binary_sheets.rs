//! Binary sheets [MS-XLSB]: the parts of a workbook as records instead of XML, read as a stream.

use std::collections::BTreeMap;

use super::super::Reading;
use super::cells::{CellStyle, NumberKind, Rows};
use super::flow::Flow;
use super::parts::Parts;
use super::sheet_asides::THREAD_AUTHOR;
use super::strings::{Strings, styled};
use super::workbook::{self, Contents, Notation, Styles};
use crate::formats::script::Script;
use crate::formats::symbol_font::SymbolFont;
use crate::formats::text_style::TextStyle;
use crate::input::Input;
use crate::sink::Sink;

mod records;
mod sheet;

use records::each_record;
use sheet::Sheet;

/// Numbers of records (§2.3.2).
const SHARED_STRING: u32 = 19;
const FONT: u32 = 43;
const FORMAT: u32 = 44;
const STYLE: u32 = 47;
const WORKBOOK_PROPERTIES: u32 = 153;
const SHEET: u32 = 156;
const BEGIN_STYLES: u32 = 617;
const END_STYLES: u32 = 618;
/// The flag of fonts that strike through (§2.5.52).
const STRUCK: u16 = 1 << 3;
/// Bytes of a font between its position and its name (§2.4.149).
const OF_FONT: usize = 13;
const COMMENT_AUTHOR: u32 = 632;
const BEGIN_COMMENT: u32 = 635;
const COMMENT_TEXT: u32 = 637;

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    workbook::read::<Binary>(input, sink)
}

/// Workbooks in records.
struct Binary;

impl Notation for Binary {
    const MAIN: &[&str] = &["ms-excel.sheet.binary.macroEnabled.main"];

    fn contents(parts: &mut Parts<'_>, main: &str, contents: &mut Contents) -> Reading {
        parts.stream(main, |reader| {
            each_record(
                reader,
                &[WORKBOOK_PROPERTIES, SHEET],
                |record, mut fields| {
                    if record == WORKBOOK_PROPERTIES {
                        contents.since_1904 = fields.u32()? & 1 == 1;
                    } else {
                        let (state, _number) = (fields.u32()?, fields.u32()?);
                        contents.sheets.push(fields.wide_string()?);
                        contents.hidden += u64::from(state != 0);
                    }
                    Some(true)
                },
            )
        })
    }

    fn styles(parts: &mut Parts<'_>, name: &str) -> Styles {
        styles(parts, name)
    }

    fn strings(parts: &mut Parts<'_>, name: &str, fonts: &[TextStyle]) -> Strings {
        strings(parts, name, fonts)
    }

    fn sheet(parts: &mut Parts<'_>, name: &str, rows: &mut Rows<'_>) -> Vec<String> {
        let mut sheet = Sheet::new(rows);
        parts.optional_stream(name, |reader| {
            each_record(reader, sheet::RECORDS, |record, fields| {
                sheet.take(record, fields)
            })
        });
        sheet.running
    }

    fn comments(parts: &mut Parts<'_>, name: &str, sink: &mut Sink) -> u64 {
        write_comments(parts, name, sink)
    }
}

fn strings(parts: &mut Parts<'_>, name: &str, fonts: &[TextStyle]) -> Strings {
    let mut strings = Strings::default();
    parts.optional_stream(name, |reader| {
        each_record(reader, &[SHARED_STRING], |_, mut fields| {
            let (text, runs) = fields.rich_string()?;
            strings.push_runs(&text, &styled(&runs, fonts));
            strings.end();
            Some(true)
        })
    });
    strings
}

/// The styles of cells and their fonts.
fn styles(parts: &mut Parts<'_>, name: &str) -> Styles {
    let (mut codes, mut styles, mut in_styles) = (BTreeMap::new(), Styles::default(), false);
    let kinds = [FONT, FORMAT, BEGIN_STYLES, STYLE, END_STYLES];
    parts.optional_stream(name, |reader| {
        each_record(reader, &kinds, |record, mut fields| {
            match record {
                FONT => {
                    let (_height, flags, _weight) = (fields.u16()?, fields.u16()?, fields.u16()?);
                    styles.fonts.push(TextStyle {
                        script: Script::of_number(fields.u16()?),
                        is_struck: flags & STRUCK != 0,
                        symbols: fields
                            .behind(OF_FONT)
                            .and_then(|mut name| SymbolFont::named(&name.wide_string()?)),
                    });
                }
                FORMAT => {
                    let id = u32::from(fields.u16()?);
                    codes.insert(id, NumberKind::of(id, Some(&fields.wide_string()?)));
                }
                BEGIN_STYLES => in_styles = true,
                STYLE if in_styles => {
                    fields.u16()?;
                    let id = u32::from(fields.u16()?);
                    let kind = codes.get(&id).cloned();
                    let font = fields.u16().map(usize::from);
                    styles.cells.push(CellStyle {
                        number: kind.unwrap_or_else(|| NumberKind::of(id, None)),
                        text: font
                            .and_then(|font| styles.fonts.get(font).copied())
                            .unwrap_or_default(),
                    });
                }
                STYLE => {}
                _ => return Some(false),
            }
            Some(true)
        })
    });
    styles
}

/// Writes the comments of a part; returns their number.
fn write_comments(parts: &mut Parts<'_>, name: &str, sink: &mut Sink) -> u64 {
    let (mut flow, mut threads, mut is_thread) = (Flow::toward(sink), Vec::new(), false);
    let mut count = 0;
    parts.optional_stream(name, |reader| {
        let kinds = [COMMENT_AUTHOR, BEGIN_COMMENT, COMMENT_TEXT];
        each_record(reader, &kinds, |record, mut fields| {
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
