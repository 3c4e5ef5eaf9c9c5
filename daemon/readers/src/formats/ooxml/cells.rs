//! The text of cells: numbers, dates, shared strings. It is the same for sheets in XML and in binary.
//!
//! Values are written with all their digits, and with the signs that their format adds ([`NumberFormat`]), without
//! colours, rounding and separators of thousands: so the same table gives the same words wherever it was saved. Dates
//! and times, which would mean nothing as numbers, are formatted (ISO 8601).

use std::rc::Rc;

use super::flow::Flow;
use super::general_number::general;
use super::number_format::NumberFormat;
use super::strings::{RichText, Strings, shown_run, styled};
use crate::formats::text_style::TextStyle;
use crate::sink::Sink;

/// Days from 0000-03-01 to the day before the first of the 1900 and of the 1904 system.
const BEFORE_1900: i64 = 693_899;
const DAYS_1900_TO_1904: i64 = 1462;
/// The first day after 9999-12-31.
const END_OF_DATES: f64 = 2_958_466.0;
const DAY_SECONDS: i64 = 86_400;

/// How a cell's number is interpreted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::formats) enum NumberKind {
    #[default]
    Number,
    /// A number with signs.
    Signed(Rc<NumberFormat>),
    /// A date, a time, or both.
    Moment,
    /// Hours that do not end with the day.
    Span,
}

impl NumberKind {
    /// The kind of a built-in format, or of a `code` (ECMA-376 Part 1 §18.8.30 and §18.8.31).
    pub(in crate::formats) fn of(id: u32, code: Option<&str>) -> Self {
        match (id, code) {
            (_, Some(code)) => Self::of_code(code),
            (9 | 10, _) => Self::of_code("0%"),
            (46, _) => Self::Span,
            (14..=22 | 27..=36 | 45 | 47 | 50..=58, _) => Self::Moment,
            _ => Self::Number,
        }
    }

    fn of_code(code: &str) -> Self {
        let mut chars = code.chars();
        let mut kind = Self::Number;
        while let Some(next) = chars.next() {
            match next.to_ascii_lowercase() {
                // Only the section for positive numbers.
                ';' => break,
                '"' => drop(chars.by_ref().find(|c| *c == '"')),
                '\\' | '_' | '*' => drop(chars.next()),
                '[' => {
                    let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                    let is_span = |c: char| matches!(c, 'h' | 'H' | 'm' | 'M' | 's' | 'S');
                    if !inside.is_empty() && inside.chars().all(is_span) {
                        return Self::Span;
                    }
                }
                'd' | 'm' | 'y' | 'h' | 's' => kind = Self::Moment,
                _ => {}
            }
        }
        match (kind, NumberFormat::of_code(code)) {
            (Self::Number, Some(format)) => Self::Signed(Rc::new(format)),
            (kind, _) => kind,
        }
    }
}

/// What the style of a cell says of its value.
#[derive(Debug, Clone, Default)]
pub(in crate::formats) struct CellStyle {
    pub(in crate::formats) number: NumberKind,
    pub(in crate::formats) text: TextStyle,
}

/// What all sheets of a workbook share.
#[derive(Debug, Default)]
pub(in crate::formats) struct Book {
    pub(in crate::formats) strings: Strings,
    /// Styles of cells by their number.
    pub(in crate::formats) styles: Vec<CellStyle>,
    /// Fonts by their number, as runs name them in binary.
    pub(in crate::formats) fonts: Vec<TextStyle>,
    pub(in crate::formats) since_1904: bool,
}

/// The rows of one sheet.
pub(in crate::formats) struct Rows<'a> {
    book: &'a Book,
    flow: Flow,
    /// Cells that may still be read.
    left: u64,
    /// Number of non-empty cells.
    pub(in crate::formats) cells: u64,
}

impl<'a> Rows<'a> {
    pub(in crate::formats) fn new(book: &'a Book, left: u64, sink: &Sink) -> Self {
        Self {
            book,
            flow: Flow::toward(sink),
            left,
            cells: 0,
        }
    }

    pub(in crate::formats) fn row(&mut self) {
        self.flow.end_row();
    }

    /// Adds a cell's text; empty cells count too.
    pub(in crate::formats) fn cell(&mut self, text: &str) {
        self.left = self.left.saturating_sub(1);
        let text = text.trim();
        if !text.is_empty() {
            self.cells += 1;
            self.flow.push(text);
            self.flow.end_cell();
        }
    }

    /// Adds a cell with a string of its own.
    pub(in crate::formats) fn text(&mut self, text: &RichText, style: usize) {
        let text = text.shown(self.text_style(style));
        self.cell(&text);
    }

    /// Adds a cell with a string that it refers to.
    pub(in crate::formats) fn shared(&mut self, index: usize, style: usize) {
        let book = self.book;
        self.cell(&book.strings.shown(index, self.text_style(style)));
    }

    /// Adds a cell with a string that has no runs.
    pub(in crate::formats) fn string(&mut self, string: &str, style: usize) {
        let text = shown_run(string, self.text_style(style));
        self.cell(&text);
    }

    /// Adds a cell with a value that is no string.
    pub(in crate::formats) fn word(&mut self, word: &str, style: usize) {
        let text = self.text_style(style).apply(word);
        self.cell(&text);
    }

    /// Where runs begin, with the styles of their fonts.
    pub(super) fn styled(&self, runs: &[(u16, u16)]) -> Vec<(usize, Option<TextStyle>)> {
        styled(runs, &self.book.fonts)
    }

    fn text_style(&self, style: usize) -> TextStyle {
        let style = self.book.styles.get(style);
        style.map(|style| style.text).unwrap_or_default()
    }

    pub(in crate::formats) fn number(&mut self, value: f64, style: usize) {
        let kind = self.book.styles.get(style).map(|style| &style.number);
        let kind = kind.unwrap_or(&NumberKind::Number);
        self.word(&number(value, kind, self.book.since_1904), style);
    }

    pub(in crate::formats) fn truth(&mut self, value: bool, style: usize) {
        self.word(if value { "TRUE" } else { "FALSE" }, style);
    }

    /// Whether there were more cells than may be read.
    pub(in crate::formats) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Whether reading further gives nothing.
    pub(in crate::formats) fn is_full(&self) -> bool {
        self.is_spent() || self.flow.is_full()
    }

    /// Writes the rows; returns how many cells may still be read.
    pub(in crate::formats) fn write(self, sink: &mut Sink) -> u64 {
        self.flow.write(sink);
        self.left
    }
}

/// A number, formatted by its kind.
fn number(value: f64, kind: &NumberKind, since_1904: bool) -> String {
    match kind {
        NumberKind::Signed(format) => format.shown(value),
        NumberKind::Moment if (0.0..END_OF_DATES).contains(&value) => moment(value, since_1904),
        NumberKind::Span => clocked(value * DAY_SECONDS as f64).unwrap_or_else(|| general(value)),
        _ => general(value),
    }
}

/// A date if there are whole days, a time if there is a fraction.
fn moment(value: f64, since_1904: bool) -> String {
    let days = whole(value.floor());
    let seconds = whole((value - value.floor()) * DAY_SECONDS as f64);
    let (days, seconds) = (days + seconds / DAY_SECONDS, seconds % DAY_SECONDS);
    let time = clock(seconds / 3600, seconds);
    match (days, seconds) {
        (0, _) if !since_1904 => time,
        (_, 0) => date(days, since_1904),
        _ => format!("{} {time}", date(days, since_1904)),
    }
}

fn clock(hours: i64, seconds: i64) -> String {
    format!("{hours:02}:{:02}:{:02}", seconds / 60 % 60, seconds % 60)
}

/// The 1900 system counts a 29 February 1900 that did not exist.
fn date(days: i64, since_1904: bool) -> String {
    let leap = i64::from(!since_1904 && days < 60);
    let offset = if since_1904 { DAYS_1900_TO_1904 } else { 0 };
    let days = BEFORE_1900 + offset + leap + days;
    // Years begin in March, so that leap days are last; 400 years have 146,097 days.
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + next)
}

/// Seconds as hours that do not end with the day; `None` if there are too many.
pub(in crate::formats) fn clocked(seconds: f64) -> Option<String> {
    let in_range = (0.0..END_OF_DATES * DAY_SECONDS as f64).contains(&seconds);
    let seconds = in_range.then(|| whole(seconds))?;
    Some(clock(seconds / 3600, seconds))
}

/// Rounded; for numbers that fit.
#[expect(clippy::cast_possible_truncation, reason = "callers keep to dates")]
fn whole(value: f64) -> i64 {
    value.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_from_1900_with_its_false_leap_day_or_from_1904() {
        let cases = [
            (1.0, false, "1900-01-01"),
            (59.0, false, "1900-02-28"),
            (61.0, false, "1900-03-01"),
            (36_526.0, false, "2000-01-01"),
            (45_351.5, false, "2024-02-29 12:00:00"),
            (0.25, false, "06:00:00"),
            (36_525.999_999_9, false, "2000-01-01"),
            (2_958_465.0, false, "9999-12-31"),
            (0.0, true, "1904-01-01"),
            (35_064.0, true, "2000-01-01"),
        ];
        for (value, since_1904, expected) in cases {
            assert_eq!(number(value, &NumberKind::Moment, since_1904), expected);
        }
        assert_eq!(number(-1.0, &NumberKind::Moment, false), "-1");
        assert_eq!(number(1e300, &NumberKind::Moment, false), "1E+300");
        assert_eq!(number(1.5, &NumberKind::Span, false), "36:00:00");
    }

    #[test]
    fn formats_tell_dates_from_numbers() {
        let signed = |code| NumberKind::Signed(Rc::new(NumberFormat::of_code(code).unwrap()));
        let cases = [
            ("General", NumberKind::Number),
            ("0.00E+00", NumberKind::Number),
            ("#,##0 \"days\"", signed("#,##0 \"days\"")),
            ("[Red]0.0;[Blue]-0.0", signed("0;-0")),
            ("0\\h", signed("0\\h")),
            ("_-* #,##0_-;d", signed("#,##0;d")),
            ("[$-409]d/m/yy h:mm AM/PM;@", NumberKind::Moment),
            ("mm:ss.0", NumberKind::Moment),
            ("[h]:mm:ss", NumberKind::Span),
        ];
        for (code, expected) in cases {
            assert_eq!(NumberKind::of(164, Some(code)), expected, "{code}");
        }
        assert_eq!(
            [14, 2, 10].map(|id| NumberKind::of(id, None)),
            [NumberKind::Moment, NumberKind::Number, signed("0.00%")]
        );
    }
}
