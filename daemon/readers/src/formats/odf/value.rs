//! The values of cells (ISO/IEC 26300-3 §19.385).
//!
//! A cell of a spreadsheet gives its value as the cells of other workbooks do ([`cells`](super::super::ooxml::cells)),
//! with the signs of its display and without its colour or rounding: so a sheet saved in either format gives the same
//! text. A table in a text or on a slide is text: its cells give what they display.

use jiff::civil::{DateTime, Time};
use quick_xml::events::BytesStart;

use super::super::ooxml::cells;
use super::super::ooxml::general_number::general;
use super::super::ooxml::number_format::{with_signs, without_digits};
use super::super::ooxml::strings::shown_run;
use super::super::package::attribute;
use crate::formats::text_style::TextStyle;

/// Attributes with a cell's value if it has no text.
const VALUES: [&str; 5] = [
    "office:string-value",
    "office:value",
    "office:date-value",
    "office:time-value",
    "office:boolean-value",
];

/// Longest sign before or behind a number.
const MAX_SIGN_BYTES: usize = 64;

/// The value that a cell states.
#[derive(Debug)]
pub(super) enum Value {
    /// The value itself, however it is displayed.
    Stated(String),
    /// A number, which the cell displays with signs; its unit if it displays nothing.
    Number(f64, Unit),
    /// Text, as the cell displays it; this value is used if the cell displays none.
    Shown(Option<String>),
}

/// What a number counts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unit {
    None,
    Percent,
    Currency(String),
}

impl Value {
    /// The text of a cell of this style and value that displays `shown`, where it has its style already. In a sheet
    /// letters are signs of the font.
    pub(super) fn said(self, shown: String, style: TextStyle, is_sheet: bool) -> String {
        match self {
            Self::Stated(value) => style.apply(&value).into_owned(),
            Self::Number(value, unit) if shown.trim().is_empty() => {
                let text = signed(value, &unit, "");
                style.apply(&text).into_owned()
            }
            Self::Number(value, unit) => signed(value, &unit, shown.trim()),
            Self::Shown(_) if !shown.trim().is_empty() => shown,
            Self::Shown(value) if is_sheet => {
                shown_run(&value.unwrap_or_default(), style).into_owned()
            }
            Self::Shown(value) => style.apply(&value.unwrap_or_default()).into_owned(),
        }
    }
}

/// The type and value that a cell states (§19.385); a number is shown divided.
pub(super) fn value(tag: &BytesStart<'_>, divisor: f64) -> Value {
    let kind = attribute(tag, "office:value-type").unwrap_or_default();
    let stated = match kind.as_str() {
        "float" | "percentage" | "currency" => {
            let value = attribute(tag, "office:value").and_then(|value| value.parse::<f64>().ok());
            return value.map_or_else(
                || shown(tag),
                |value| Value::Number(value / divisor, unit(tag, &kind)),
            );
        }
        "date" => attribute(tag, "office:date-value").and_then(|date| moment(&date)),
        "time" => attribute(tag, "office:time-value").and_then(|time| span(&time)),
        "boolean" => attribute(tag, "office:boolean-value").map(|truth| truth.to_uppercase()),
        _ => None,
    };
    match stated {
        Some(stated) => Value::Stated(stated),
        None => shown(tag),
    }
}

/// What a cell displays, or the value that it states if it displays nothing.
pub(super) fn shown(tag: &BytesStart<'_>) -> Value {
    Value::Shown(VALUES.iter().find_map(|name| attribute(tag, name)))
}

fn unit(tag: &BytesStart<'_>, kind: &str) -> Unit {
    match kind {
        "percentage" => Unit::Percent,
        "currency" => attribute(tag, "office:currency").map_or(Unit::None, Unit::Currency),
        _ => Unit::None,
    }
}

/// A number with the signs that stand around the digits of its display.
fn signed(value: f64, unit: &Unit, shown: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    let is_one_line = !shown.contains('\n');
    let hundreds = if *unit == Unit::Percent { 100.0 } else { 1.0 };
    let digits = shown.find(is_digit).zip(shown.rfind(is_digit));
    match digits.filter(|_| is_one_line) {
        Some((first, last)) => {
            let point = |c| matches!(c, '.' | ',');
            let (before, after) = (shown[..first].trim_end_matches(point), &shown[last + 1..]);
            let is_percent = before.contains('%') || after.contains('%');
            let value = if is_percent { value * hundreds } else { value };
            let is_short = before.len().max(after.len()) <= MAX_SIGN_BYTES;
            let after = if after.chars().all(point) { "" } else { after };
            let (before, after) = if is_short { (before, after) } else { ("", "") };
            with_signs(value, before, after)
        }
        None if is_one_line && !shown.is_empty() => without_digits(shown, value),
        None => match unit {
            Unit::None => general(value),
            Unit::Percent => with_signs(value * hundreds, "", "%"),
            Unit::Currency(code) => with_signs(value, "", &format!(" {code}")),
        },
    }
}

/// A date and perhaps a time, to the second; midnight is left out.
fn moment(value: &str) -> Option<String> {
    let moment = value.parse::<DateTime>().ok()?;
    let moment = moment.round(jiff::Unit::Second).ok()?;
    Some(match moment.time() == Time::midnight() {
        true => moment.date().to_string(),
        false => format!("{} {}", moment.date(), moment.time()),
    })
}

/// A duration in clock format: `PT06H30M00S` (XML Schema Part 2 §3.2.6, without days).
fn span(value: &str) -> Option<String> {
    let mut rest = value.strip_prefix("PT")?;
    let mut part = |end: char| {
        let found = rest.split_once(end);
        let (number, behind) = found.unwrap_or(("0", rest));
        rest = behind;
        number.parse::<f64>().ok().filter(|number| *number >= 0.0)
    };
    let (hours, minutes, seconds) = (part('H')?, part('M')?, part('S')?);
    cells::clocked(hours * 3600.0 + minutes * 60.0 + seconds)
}
