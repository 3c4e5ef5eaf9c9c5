//! Checks a line against the fields of its type.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};

use super::{Fields, Kind, PENDING, PROMISE, SCHEDULE, TEMPLATE_LIST};
use Kind::{
    Bool, Count, Counts, Flattened, Hash, Is, List, Maybe, Named, Number, Object, Optional, Path,
    Ratio, Seconds, Text, Texts,
};

/// Checks a line: `type`, `v` and exactly these fields. A match that is a version has its dates; a star the numbers
/// of its members; a summary `pairs`; a file that is shown by itself `complete`; and what is not complete has `pending`.
pub(in crate::acceptance::contract) fn check(line: &Value, fields: Fields) -> Result<()> {
    let expected = if line["type"] == "manifest" { 2 } else { 1 };
    ensure!(line["v"] == expected, "v is {}", line["v"]);
    let mut own = line
        .as_object()
        .context("a line that is no object")?
        .clone();
    own.remove("type");
    own.remove("v");
    if line["type"] == "summary" {
        // Only what sought pairs counts them.
        let pairs = own.remove("pairs");
        ensure!(pairs.is_none_or(|pairs| pairs.is_u64()), "pairs");
    }
    if line["type"] == "comparison" {
        let why = own.remove("difference_left_out");
        ensure!(
            why.is_some_and(|why| why.is_string()) == line["diff"].is_null(),
            "difference_left_out"
        );
        for name in ["last_read_a", "last_read_b"] {
            // Of a file that was not read again.
            let told = own.remove(name);
            let why = told.map(|told| told["why"].is_string());
            ensure!(why != Some(false), "{name}");
        }
    }
    if line["type"] == "status"
        && let Some(schedules) = own.remove("schedules")
    {
        // Of a daemon that has any.
        holds(&schedules, List(SCHEDULE)).context("schedules")?;
    }
    if line["type"] == "file" {
        let complete = own.get("complete").is_none_or(Value::is_boolean);
        ensure!(complete, "complete");
        own.remove("complete");
    }
    if line["type"] == "group" && line["kind"] == "star" {
        star(line)?;
    }
    ensure!(!has_promise(line) || own.contains_key("promise"), "promise");
    if line["type"] == "match" {
        version(&mut own)?;
    }
    object(&Value::Object(own), fields)
}

/// Each member of a star was counted against its principal.
fn star(line: &Value) -> Result<()> {
    let members = line["members"].as_array().context("no members")?;
    let is_counted = |member: &Value| {
        let mut fields = member.as_object().into_iter().flatten();
        fields.all(|(_, value)| !value.is_null())
    };
    ensure!(members.iter().all(is_counted), "a star that is not counted");
    Ok(())
}

/// Takes out of a match what versions alone have: all of it, or nothing.
fn version(own: &mut Map<String, Value>) -> Result<()> {
    let is_version = own.contains_key("is_query");
    for name in ["modified", "date", "date_source", "written", "container"] {
        let said = own.remove(name);
        let holds = said.is_some_and(|date| date.is_string() || date.is_null());
        ensure!(holds == is_version, "{name}");
    }
    let number = own.remove("number");
    let holds = number.is_some_and(|number| number.is_u64());
    ensure!(holds == is_version, "number");
    let marked = own.remove("is_query");
    ensure!(marked.is_none_or(|mark| mark.is_boolean()), "is_query");
    Ok(())
}

/// Whether what a line closes was found by a threshold.
fn has_promise(line: &Value) -> bool {
    match line["type"].as_str() {
        Some("query" | "completeness") => true,
        Some("summary") => line["pairs"].is_u64(),
        _ => false,
    }
}

fn object(value: &Value, fields: Fields) -> Result<()> {
    let object = value.as_object().context("no object")?;
    let mut wanted = BTreeSet::new();
    if object.get("complete") == Some(&Value::Bool(false)) {
        let pending = object.get("pending").context("pending is missing")?;
        self::object(pending, PENDING).context("pending")?;
        wanted.insert("pending".to_owned());
    }
    if object.contains_key("template_lines") {
        known(object, TEMPLATE_LIST, &mut wanted)?;
    }
    if let Some(promise) = object.get("promise") {
        self::promise(promise).context("promise")?;
        wanted.insert("promise".to_owned());
    }
    known(object, fields, &mut wanted)?;
    let further: Vec<_> = object
        .keys()
        .filter(|name| !wanted.contains(*name))
        .collect();
    ensure!(further.is_empty(), "not documented: {further:?}");
    Ok(())
}

/// Checks the values of these fields, and adds their names to those that are wanted.
fn known(object: &Map<String, Value>, fields: Fields, wanted: &mut BTreeSet<String>) -> Result<()> {
    for (name, kind) in fields {
        if let Flattened(fields) = kind {
            known(object, fields, wanted).context(*name)?;
            continue;
        }
        let found = object.get(*name);
        if found.is_none() && matches!(kind, Optional(_)) {
            continue;
        }
        let found = found.with_context(|| format!("{name} is missing"))?;
        holds(found, *kind).with_context(|| format!("{name} is {found}"))?;
        wanted.insert((*name).to_owned());
        let is_path = matches!(kind, Path | Maybe(Path) | Optional(Path));
        if is_path && found.as_str().is_some_and(|path| path.contains('\u{FFFD}')) {
            let bytes = format!("{name}_bytes");
            ensure!(
                object.get(&bytes).is_some_and(is_base64),
                "{bytes} is no base64"
            );
            wanted.insert(bytes);
        }
    }
    Ok(())
}

/// Why nothing is promised is said where nothing is, and there alone.
fn promise(value: &Value) -> Result<()> {
    let mut own = value.as_object().context("no object")?.clone();
    let why = own.remove("none");
    let is_none = own.get("missed_at_most").is_some_and(Value::is_null);
    let is_said = why.as_ref().is_some_and(Value::is_string);
    ensure!(is_said == is_none, "none is {why:?}");
    object(&Value::Object(own), PROMISE)
}

fn holds(value: &Value, kind: Kind) -> Result<()> {
    let text = value.as_str();
    let holds = match kind {
        Text => text.is_some(),
        Path => text.is_some_and(|path| path.starts_with('/')),
        Hash => text.is_some_and(|hash| hash.len() == 64 && hash.bytes().all(is_lower_hex)),
        Is(constant) => text == Some(constant),
        Count => value.is_u64(),
        Seconds => value.as_f64().is_some_and(|seconds| seconds >= 0.0),
        Ratio => value
            .as_f64()
            .is_some_and(|ratio| (0.0..=1.0).contains(&ratio)),
        Number => value.is_number(),
        Bool => value.is_boolean(),
        Counts => value
            .as_object()
            .is_some_and(|counts| counts.values().all(Value::is_u64)),
        Texts => value
            .as_array()
            .is_some_and(|texts| texts.iter().all(Value::is_string)),
        Named => value
            .as_object()
            .is_some_and(|named| named.values().all(Value::is_string)),
        Object(fields) | Flattened(fields) => return object(value, fields),
        List(fields) => {
            let list = value.as_array().context("no list")?;
            return list.iter().try_for_each(|item| object(item, fields));
        }
        Maybe(_) if value.is_null() => true,
        Maybe(kind) | Optional(kind) => return holds(value, *kind),
    };
    ensure!(holds, "not of its type");
    Ok(())
}

fn is_lower_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

fn is_base64(value: &Value) -> bool {
    let is_digit = |b: u8| b.is_ascii_alphanumeric() || b"+/=".contains(&b);
    value
        .as_str()
        .is_some_and(|text| text.len() % 4 == 0 && text.bytes().all(is_digit))
}
