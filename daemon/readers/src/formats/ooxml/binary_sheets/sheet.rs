//! One binary sheet's cells, headers and footers [MS-XLSB] §2.1.7.62.

use super::super::cells::Rows;
use super::super::strings::RichText;
use super::records::Fields;

const ROW: u32 = 0;
/// Cells, by their content; formulas with their results.
const BLANK: u32 = 1;
const RK: u32 = 2;
const ERROR: u32 = 3;
const TRUTH: u32 = 4;
const REAL: u32 = 5;
const TEXT: u32 = 6;
const SHARED: u32 = 7;
const FORMULA_TEXT: u32 = 8;
const FORMULA_REAL: u32 = 9;
const FORMULA_TRUTH: u32 = 10;
const FORMULA_ERROR: u32 = 11;
/// The first and last record type of cells that do not state their column; they are numbered after those above.
const SHORT_BLANK: u32 = 12;
const SHORT_SHARED: u32 = 18;
const RICH_TEXT: u32 = 62;
const RUNNING: u32 = 479;

pub(super) const RECORDS: &[u32] = &[
    ROW,
    BLANK,
    RK,
    ERROR,
    TRUTH,
    REAL,
    TEXT,
    SHARED,
    FORMULA_TEXT,
    FORMULA_REAL,
    FORMULA_TRUTH,
    FORMULA_ERROR,
    12,
    13,
    14,
    15,
    16,
    17,
    SHORT_SHARED,
    RICH_TEXT,
    RUNNING,
];

/// Headers and footers of odd, even and first pages.
const RUNNING_TEXTS: usize = 6;

pub(super) struct Sheet<'r, 'b> {
    rows: &'r mut Rows<'b>,
    /// Headers and footers with their codes.
    pub(super) running: Vec<String>,
}

impl<'r, 'b> Sheet<'r, 'b> {
    pub(super) fn new(rows: &'r mut Rows<'b>) -> Self {
        Self {
            rows,
            running: Vec::new(),
        }
    }

    /// Processes one of [`RECORDS`]; returns false when there is enough, `None` if it is damaged.
    pub(super) fn take(&mut self, record: u32, mut fields: Fields<'_>) -> Option<bool> {
        match record {
            ROW => self.rows.row(),
            RUNNING => {
                fields.u16()?;
                for _ in self.running.len()..RUNNING_TEXTS {
                    self.running.push(fields.wide_string()?);
                }
            }
            SHORT_BLANK..=SHORT_SHARED => self.cell(record - SHORT_BLANK + BLANK, fields)?,
            _ => {
                fields.u32()?;
                self.cell(record, fields)?;
            }
        }
        Some(!self.rows.is_full())
    }

    /// Processes a cell after its column.
    fn cell(&mut self, record: u32, mut fields: Fields<'_>) -> Option<()> {
        let style = usize::try_from(fields.u32()? & 0xff_ffff).ok()?;
        match record {
            RK => self.rows.number(fields.rk()?, style),
            REAL | FORMULA_REAL => self.rows.number(fields.f64()?, style),
            ERROR | FORMULA_ERROR => self.rows.word(error(fields.u8()?), style),
            TRUTH | FORMULA_TRUTH => self.rows.truth(fields.u8()? != 0, style),
            SHARED => self
                .rows
                .shared(usize::try_from(fields.u32()?).ok()?, style),
            TEXT | FORMULA_TEXT => self.rows.string(&fields.wide_string()?, style),
            RICH_TEXT => {
                let (string, runs) = fields.rich_string()?;
                let mut text = RichText::default();
                text.push_runs(&string, &self.rows.styled(&runs));
                self.rows.text(&text, style);
            }
            _ => self.rows.cell(""),
        }
        Some(())
    }
}

/// Names of errors (§2.5.97.2).
fn error(code: u8) -> &'static str {
    match code {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x0f => "#VALUE!",
        0x17 => "#REF!",
        0x1d => "#NAME?",
        0x24 => "#NUM!",
        0x2a => "#N/A",
        0x2b => "#GETTING_DATA",
        _ => "",
    }
}
