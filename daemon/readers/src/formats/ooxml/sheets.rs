//! Sheets (ECMA-376 Part 1 §18): cells row by row, as they are stored. A sheet is never expanded: one cell in its last
//! row costs one cell.

use std::borrow::Cow;
use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};

use super::super::Reading;
use super::super::xml::decoded;
use super::cell_font::{font_property, run_property};
use super::cells::{CellStyle, NumberKind, Rows};
use super::parts::{Parts, attribute, is_true, relation_id};
use super::strings::Strings;
use super::workbook::{Contents, Notation, Styles};
use super::{sheet_asides, workbook};
use crate::formats::text_style::TextStyle;
use crate::input::Input;
use crate::sink::Sink;

mod sheet;

use sheet::Sheet;

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    workbook::read::<Xml>(input, sink)
}

/// Workbooks in XML.
struct Xml;

impl Notation for Xml {
    /// Main content types: workbook, template, with macros or without.
    const MAIN: &[&str] = &[
        "spreadsheetml.sheet.main+xml",
        "spreadsheetml.template.main+xml",
        "ms-excel.sheet.macroEnabled.main+xml",
        "ms-excel.template.macroEnabled.main+xml",
        "ms-excel.addin.macroEnabled.main+xml",
    ];

    fn contents(parts: &mut Parts<'_>, main: &str, contents: &mut Contents) -> Reading {
        parts.xml(main, |event| {
            if let Event::Start(tag) | Event::Empty(tag) = event {
                take_content(tag, contents);
            }
            true
        })
    }

    fn styles(parts: &mut Parts<'_>, name: &str) -> Styles {
        styles(parts, name)
    }

    fn strings(parts: &mut Parts<'_>, name: &str, _: &[TextStyle]) -> Strings {
        strings(parts, name)
    }

    fn sheet(parts: &mut Parts<'_>, name: &str, rows: &mut Rows<'_>) -> Vec<String> {
        let mut sheet = Sheet::new(rows);
        parts.optional_xml(name, |event| sheet.take(event));
        sheet.running
    }

    fn comments(parts: &mut Parts<'_>, name: &str, sink: &mut Sink) -> u64 {
        sheet_asides::write_xml_comments(parts, name, sink)
    }
}

fn take_content(tag: &BytesStart<'_>, contents: &mut Contents) {
    match tag.local_name().into_inner() {
        "sheet" => {
            let is_hidden = attribute(tag, "state").is_some_and(|state| state != "visible");
            contents.hidden += u64::from(is_hidden);
            contents.sheets.extend(relation_id(tag, "id"));
        }
        "workbookPr" => {
            let since_1904 = attribute(tag, "date1904");
            contents.since_1904 = since_1904.is_some_and(|value| is_true(&value));
        }
        _ => {}
    }
}

/// The shared strings (§18.4), whatever count is stated.
fn strings(parts: &mut Parts<'_>, name: &str) -> Strings {
    let mut strings = Strings::default();
    let (mut in_text, mut in_reading, mut style) = (false, false, None);
    parts.optional_xml(name, |event| {
        match event {
            Event::Start(tag) => match tag.local_name().into_inner() {
                "t" => in_text = !in_reading,
                "rPh" => in_reading = true,
                name => run_property(&mut style, name, tag),
            },
            Event::Empty(tag) => match tag.local_name().into_inner() {
                "si" => strings.end(),
                name => run_property(&mut style, name, tag),
            },
            Event::End(tag) => match tag.local_name().into_inner() {
                "t" => in_text = false,
                "r" => style = None,
                "rPh" => in_reading = false,
                "si" => strings.end(),
                _ => {}
            },
            Event::Text(text) if in_text => {
                let text = text.xml10_content();
                strings.push(&unescaped(&text), style);
            }
            Event::CData(text) if in_text => strings.push(&text.xml10_content(), style),
            Event::GeneralRef(entity) if in_text => {
                strings.push(&decoded(entity).unwrap_or_default(), style);
            }
            _ => {}
        }
        true
    });
    strings
}

/// The styles of cells and their fonts (§18.8).
fn styles(parts: &mut Parts<'_>, name: &str) -> Styles {
    let (mut codes, mut styles, mut in_styles) = (BTreeMap::new(), Styles::default(), false);
    let font = |tag: &BytesStart<'_>| attribute(tag, "fontId")?.parse::<usize>().ok();
    let id = |tag: &BytesStart<'_>| attribute(tag, "numFmtId")?.parse::<u32>().ok();
    parts.optional_xml(name, |event| {
        match event {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().into_inner() {
                "numFmt" if !in_styles => {
                    let code = attribute(tag, "formatCode");
                    codes.extend(
                        id(tag)
                            .zip(code)
                            .map(|(id, code)| (id, NumberKind::of(id, Some(&code)))),
                    );
                }
                "font" => styles.fonts.push(TextStyle::default()),
                "cellXfs" => in_styles = true,
                "xf" if in_styles => {
                    let id = id(tag).unwrap_or(0);
                    let kind = codes.get(&id).cloned();
                    let text = font(tag).and_then(|font| styles.fonts.get(font).copied());
                    styles.cells.push(CellStyle {
                        number: kind.unwrap_or_else(|| NumberKind::of(id, None)),
                        text: text.unwrap_or_default(),
                    });
                }
                name => {
                    if let Some(font) = styles.fonts.last_mut() {
                        font_property(font, name, tag);
                    }
                }
            },
            Event::End(tag) if tag.local_name().into_inner() == "cellXfs" => return false,
            _ => {}
        }
        true
    });
    styles
}

/// Characters that XML cannot hold are written as `_xHHHH_` (§22.9.2.19).
fn unescaped(text: &str) -> Cow<'_, str> {
    let Some((before, mut rest)) = text.split_once("_x") else {
        return text.into();
    };
    let mut whole = before.to_owned();
    loop {
        let code = rest.get(..5).and_then(|code| code.strip_suffix('_'));
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        match code.and_then(char::from_u32) {
            Some(character) => {
                whole.push(character);
                rest = &rest[5..];
            }
            None => whole.push_str("_x"),
        }
        let Some((before, behind)) = rest.split_once("_x") else {
            whole.push_str(rest);
            return whole.into();
        };
        whole.push_str(before);
        rest = behind;
    }
}

#[cfg(test)]
pub(in crate::formats) mod tests;
