//! What all sheets of a workbook share [MS-XLS] §2.1.7.20.3: strings, formats, dates.

use std::collections::BTreeMap;

use encoding_rs::{Encoding, WINDOWS_1252};
use simdex_extract::{Fact, Outcome, Reason};

use super::super::super::ooxml::cells::{Book, CellStyle, NumberKind};
use super::super::super::ooxml::strings::styled;
use super::super::codepage;
use super::malformed;
use super::records::{Record, Records, Text, kind};
use crate::formats::script::Script;
use crate::formats::symbol_font::SymbolFont;
use crate::formats::text_style::TextStyle;
use crate::sink::Sink;

/// Version in the first record of Excel 97 and later.
const EXCEL_97: u16 = 0x0600;
/// The flag of fonts that strike through (§2.4.122), and the number that no font has (§2.5.129).
const STRUCK: u16 = 1 << 3;
const NO_FONT: usize = 4;
/// Where the name of a font is in its record.
const FONT_NAME: usize = 14;

pub(super) struct Globals {
    pub(super) book: Book,
    /// Whether strings are Unicode.
    pub(super) is_unicode: bool,
    encoding: &'static Encoding,
}

impl Globals {
    /// Reads the substream that comes first.
    pub(super) fn read(records: &mut Records<'_>, sink: &mut Sink) -> Result<Self, Outcome> {
        let first = records.next().filter(|record| record.kind == kind::BOF);
        let version = first
            .and_then(|record| record.word(0))
            .ok_or_else(malformed)?;
        let mut globals = Self {
            book: Book::default(),
            is_unicode: version >= EXCEL_97,
            encoding: WINDOWS_1252,
        };
        let (mut formats, mut styles) = (BTreeMap::new(), Vec::new());
        while records.depth() > 0 {
            let Some(record) = records.next() else { break };
            match record.kind {
                kind::FILE_PASS => return Err(Outcome::Encrypted(Reason::PasswordNeeded)),
                kind::FORMAT | kind::FORMAT_OLD => formats.extend(globals.format(&record)),
                kind::XF => styles.extend(record.word(0).zip(record.word(2))),
                kind::BOUND_SHEET => count_sheet(&record, sink),
                _ => globals.take(&record, sink),
            }
        }
        let fonts = &globals.book.fonts;
        let style = |(font, format): &(u16, u16)| {
            let number = formats.get(format).cloned();
            CellStyle {
                number: number.unwrap_or_else(|| NumberKind::of((*format).into(), None)),
                text: fonts.get(usize::from(*font)).copied().unwrap_or_default(),
            }
        };
        globals.book.styles = styles.iter().map(style).collect();
        Ok(globals)
    }

    /// A string with its own count, in the form used by this workbook.
    pub(super) fn string(&self, mut text: Text<'_>, is_long: bool) -> Option<String> {
        if self.is_unicode {
            text.string(is_long)
        } else {
            text.old_string(is_long, self.encoding)
        }
    }

    fn take(&mut self, record: &Record<'_>, sink: &mut Sink) {
        match record.kind {
            kind::CODE_PAGE => self.encoding = codepage::encoding(record.word(0).unwrap_or(0)),
            kind::DATE_1904 => self.book.since_1904 = record.word(0) == Some(1),
            kind::FONT => self.font(record),
            kind::SST => self.strings(record),
            // Counts and marks of references within this workbook are four bytes long.
            kind::SUP_BOOK if record.bytes.len() > 4 => sink.count(Fact::External, 1),
            _ => {}
        }
    }

    /// The strings that cells share, whatever count is stated.
    fn strings(&mut self, record: &Record<'_>) {
        let mut text = record.text_at(8);
        while let Some((string, runs)) = text.rich_string(true) {
            let runs = styled(&runs, &self.book.fonts);
            self.book.strings.push_runs(&string, &runs);
            self.book.strings.end();
        }
    }

    /// Adds a font; none has the number 4.
    fn font(&mut self, record: &Record<'_>) {
        let name = self.string(record.text_at(FONT_NAME), false);
        let fonts = &mut self.book.fonts;
        if fonts.len() == NO_FONT {
            fonts.push(TextStyle::default());
        }
        fonts.push(TextStyle {
            script: record.word(8).and_then(Script::of_number),
            is_struck: record.word(2).is_some_and(|flags| flags & STRUCK != 0),
            symbols: name.as_deref().and_then(SymbolFont::named),
        });
    }

    fn format(&self, record: &Record<'_>) -> Option<(u16, NumberKind)> {
        let code = self.string(record.text_at(2), self.is_unicode)?;
        let id = record.word(0)?;
        Some((id, NumberKind::of(id.into(), Some(&code))))
    }
}

fn count_sheet(record: &Record<'_>, sink: &mut Sink) {
    let [is_hidden, kind] = [4, 5].map(|at| record.bytes.get(at).copied().unwrap_or(0));
    sink.count(Fact::Sheets, 1);
    sink.count(Fact::HiddenSheets, u64::from(is_hidden & 3 != 0));
    // Macros of Excel 4 have separate sheets.
    sink.count(Fact::Scripts, u64::from(kind == 1));
}
