//! Output of one JSON object a line, and the fields it must have.

use anyhow::{Context, Result};
use serde_json::Value;

/// Every line as JSON.
pub fn parse(bytes: &[u8]) -> Result<Vec<Value>> {
    let text = std::str::from_utf8(bytes).context("the output is not UTF-8")?;
    let line = |line| serde_json::from_str(line).with_context(|| format!("not JSON: {line}"));
    text.lines().map(line).collect()
}

/// The lines of one `type`, in their order.
pub fn of_type(lines: Vec<Value>, kind: &str) -> Vec<Value> {
    lines
        .into_iter()
        .filter(|line| line["type"] == kind)
        .collect()
}

/// A line without some of its fields.
pub fn without(line: &Value, fields: &[&str]) -> Result<Value> {
    let mut line = line.clone();
    let own = line.as_object_mut().context("a line is no object")?;
    for field in fields {
        own.remove(*field);
    }
    Ok(line)
}

/// A text that must be there.
pub fn text<'a>(line: &'a Value, field: &str) -> Result<&'a str> {
    line[field]
        .as_str()
        .with_context(|| format!("{field} is no text in {line}"))
}

/// A number that must be there.
pub fn number(line: &Value, field: &str) -> Result<f64> {
    line[field]
        .as_f64()
        .with_context(|| format!("{field} is no number in {line}"))
}

/// A list that must be there.
pub fn list<'a>(line: &'a Value, field: &str) -> Result<&'a [Value]> {
    let list = line[field]
        .as_array()
        .with_context(|| format!("{field} is no list in {line}"));
    list.map(Vec::as_slice)
}
