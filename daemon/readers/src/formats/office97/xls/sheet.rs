//! One sheet [MS-XLS] §2.1.7.20.5: cells in stored order, row by row; headers, text boxes, comments.

use super::super::super::ooxml::cells::Rows;
use super::globals::Globals;
use super::records::{Record, Records, kind};
use crate::compound::{double_word, quad_word, word};

/// Type of the object that shows a comment.
const COMMENT_OBJECT: u16 = 0x19;
/// Maximum number of headers, footers, text boxes, comments and names that are kept for one sheet.
const MAX_ASIDES: usize = 100_000;

pub(super) struct Sheet<'a> {
    globals: &'a Globals,
    pub(super) rows: Rows<'a>,
    pub(super) running: Vec<String>,
    pub(super) boxes: Vec<String>,
    pub(super) comments: Vec<String>,
    /// Titles and names in charts.
    pub(super) charts: Vec<String>,
    row: Option<u16>,
    /// The style of the cell whose formula has the next string as its result.
    awaits_string: Option<usize>,
    /// Whether the next text belongs to a comment.
    is_comment: bool,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(globals: &'a Globals, rows: Rows<'a>) -> Self {
        Self {
            globals,
            rows,
            running: Vec::new(),
            boxes: Vec::new(),
            comments: Vec::new(),
            charts: Vec::new(),
            row: None,
            awaits_string: None,
            is_comment: false,
        }
    }

    /// Reads up to the end of the sheet whose first record was taken.
    pub(super) fn read(&mut self, records: &mut Records<'_>) {
        while records.depth() > 0 && !self.rows.is_full() {
            let Some(record) = records.next() else { return };
            // A record with too few bytes is no cell; charts are nested deeper.
            match records.depth() {
                1 => drop(self.cell(&record).or_else(|| self.aside(&record))),
                _ => drop(self.aside(&record)),
            }
        }
    }

    fn cell(&mut self, record: &Record<'_>) -> Option<()> {
        match record.kind {
            kind::LABEL_SST => {
                let index = double_word(record.bytes, 6)?;
                let style = self.start(record)?;
                self.rows.shared(index as usize, style);
            }
            kind::LABEL | kind::RSTRING => {
                let text = self.globals.string(record.text_at(6), true)?;
                let style = self.start(record)?;
                self.rows.string(&text, style);
            }
            kind::NUMBER | kind::RK | kind::MUL_RK => self.numbers(record)?,
            kind::FORMULA | kind::FORMULA_OLD => self.formula(record)?,
            kind::STRING => {
                let style = self.awaits_string.take()?;
                let text = self.globals.string(record.text_at(0), true)?;
                self.rows.string(&text, style);
            }
            kind::BOOL_ERR => {
                let (value, is_error) = (*record.bytes.get(6)?, *record.bytes.get(7)?);
                let style = self.start(record)?;
                self.truth(value, is_error != 0, style);
            }
            _ => return None,
        }
        Some(())
    }

    /// A number, or several adjacent ones.
    fn numbers(&mut self, record: &Record<'_>) -> Option<()> {
        let value = match record.kind {
            kind::NUMBER => f64::from_bits(quad_word(record.bytes, 6)?),
            _ => rk(double_word(record.bytes, 6)?),
        };
        let style = self.start(record)?;
        if record.kind != kind::MUL_RK {
            self.rows.number(value, style);
            return Some(());
        }
        // Row and first column; style and number of each; last column.
        for cell in record.bytes.get(4..)?.as_chunks::<6>().0 {
            let style = word(cell, 0)?;
            self.rows.number(rk(double_word(cell, 2)?), style.into());
        }
        Some(())
    }

    /// Begins a row, if the cell is the first one in it; returns its style.
    fn start(&mut self, record: &Record<'_>) -> Option<usize> {
        let (row, style) = (record.word(0)?, record.word(4)?);
        if self.row.replace(row) != Some(row) {
            self.rows.row();
        }
        self.awaits_string = None;
        Some(style.into())
    }

    /// The result that was stored when the workbook was saved.
    fn formula(&mut self, record: &Record<'_>) -> Option<()> {
        let value = quad_word(record.bytes, 6)?;
        let style = self.start(record)?;
        let [kind, _, value_byte, ..] = value.to_le_bytes();
        match (value >> 48, kind) {
            (0xffff, 0) => self.awaits_string = Some(style),
            (0xffff, 1) => self.truth(value_byte, false, style),
            (0xffff, 2) => self.truth(value_byte, true, style),
            (0xffff, _) => self.rows.cell(""),
            _ => self.rows.number(f64::from_bits(value), style),
        }
        Some(())
    }

    fn truth(&mut self, value: u8, is_error: bool, style: usize) {
        if is_error {
            self.rows.word(error(value), style);
        } else {
            self.rows.truth(value != 0, style);
        }
    }

    /// Records that are no cells.
    fn aside(&mut self, record: &Record<'_>) -> Option<()> {
        let lists = [&self.running, &self.boxes, &self.comments, &self.charts];
        if lists.iter().map(|list| list.len()).sum::<usize>() > MAX_ASIDES {
            return None;
        }
        match record.kind {
            kind::HEADER | kind::FOOTER => {
                let is_long = self.globals.is_unicode;
                let text = self.globals.string(record.text_at(0), is_long)?;
                self.running.push(text);
            }
            kind::OBJ => self.is_comment = record.word(4)? == COMMENT_OBJECT,
            kind::TXO => {
                let count = usize::from(record.word(10)?);
                let text = record.text_at(0).continued_characters(count);
                let list = if self.is_comment {
                    &mut self.comments
                } else {
                    &mut self.boxes
                };
                list.extend((!text.trim().is_empty()).then_some(text));
            }
            kind::SERIES_TEXT => {
                let text = self.globals.string(record.text_at(2), false)?;
                self.charts.push(text);
            }
            // Since Excel 97 the text of a comment is in its text box.
            kind::NOTE if !self.globals.is_unicode => {
                let text = self.globals.string(record.text_at(4), true)?;
                self.comments.push(text);
            }
            _ => {}
        }
        Some(())
    }
}

/// A number in 30 bits: an integer or the high bits of a float, perhaps in hundredths.
fn rk(bits: u32) -> f64 {
    let value = if bits & 2 != 0 {
        f64::from(bits.cast_signed() >> 2)
    } else {
        f64::from_bits(u64::from(bits & !3) << 32)
    };
    if bits & 1 != 0 { value / 100.0 } else { value }
}

/// Names of errors [MS-XLS] §2.5.10.
fn error(code: u8) -> &'static str {
    match code {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x0f => "#VALUE!",
        0x17 => "#REF!",
        0x1d => "#NAME?",
        0x24 => "#NUM!",
        0x2a => "#N/A",
        _ => "",
    }
}
