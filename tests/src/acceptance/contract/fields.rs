//! The fields of every type of line, as the design documents them.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// What a field may hold.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    /// A path; beside it, where it is no UTF-8, a field NAME_bytes in base64.
    Path,
    /// 64 hexadecimal digits.
    Hash,
    /// A whole number.
    Count,
    /// A number of seconds.
    Seconds,
    /// A number from 0 to 1.
    Ratio,
    Bool,
    Is(&'static str),
    /// State to count.
    Counts,
    /// A list of texts.
    Texts,
    /// Name to text.
    Named,
    Object(Fields),
    List(Fields),
    /// Null, or this.
    Maybe(&'static Kind),
}

use Kind::{
    Bool, Count, Counts, Hash, Is, List, Maybe, Named, Object, Path, Ratio, Seconds, Text, Texts,
};

/// Names and kinds; every one must be there.
pub(super) type Fields = &'static [(&'static str, Kind)];

const SCHEME: Fields = &[
    ("name", Text),
    ("n", Count),
    ("window", Count),
    ("unit", Text),
    ("canonical", Count),
];

const MEMBER: Fields = &[
    ("path", Path),
    ("document", Hash),
    ("relation", Text),
    ("resemblance", Ratio),
    ("containment_of_member", Ratio),
    ("containment_of_principal", Ratio),
];

const SUMMARY: Fields = &[
    ("files_on_disk", Count),
    ("members", Count),
    ("states", Counts),
    ("documents", Count),
    ("groups", Count),
    ("suppressed", Count),
    ("seconds", Seconds),
    ("complete", Bool),
];

/// Beside a `complete` that is false.
const PENDING: Fields = &[
    ("queued", Count),
    ("unsettled", Count),
    ("crowded", Count),
    ("retrying", Count),
    ("stale_roots", Count),
    ("held_losses", Count),
    ("damaged", Count),
];

const ROOT: Fields = &[
    ("id", Count),
    ("path", Path),
    ("mode", Text),
    ("configured_mode", Text),
    ("state", Text),
    ("detail", Maybe(&Text)),
    ("files", Count),
    ("pending_loss", Count),
];

const ESTIMATE: Fields = &[
    ("scheme", Object(SCHEME)),
    ("resemblance", Maybe(&Ratio)),
    ("resemblance_low", Maybe(&Ratio)),
    ("resemblance_high", Maybe(&Ratio)),
    ("containment_of_a", Maybe(&Ratio)),
    ("containment_of_a_low", Maybe(&Ratio)),
    ("containment_of_a_high", Maybe(&Ratio)),
    ("containment_of_b", Maybe(&Ratio)),
    ("containment_of_b_low", Maybe(&Ratio)),
    ("containment_of_b_high", Maybe(&Ratio)),
    ("not_given", Texts),
];

const JUDGEMENT: Fields = &[
    ("class", Text),
    ("probability", Ratio),
    ("rule_number", Count),
    ("rule", Maybe(&Text)),
    ("signals", List(&[("name", Text), ("value", Maybe(&Ratio))])),
];

const SPAN: Fields = &[("offset_a", Count), ("offset_b", Count), ("length", Count)];

const USAGE: Fields = &[
    ("scheme", Object(SCHEME)),
    ("postings", Count),
    ("bytes", Count),
    ("sign_seconds", Seconds),
    ("n_most", Count),
    ("unmerged", Count),
];

const MEMORY: Fields = &[
    ("holder", Text),
    ("bytes", Maybe(&Count)),
    ("limit", Maybe(&Count)),
];

const SCHEDULE: Fields = &[
    ("name", Text),
    ("next", Maybe(&Text)),
    ("last", Maybe(&Text)),
    ("report", Maybe(&Path)),
    ("error", Maybe(&Text)),
];

/// Every type of line that a scan or a verb prints, `type` and `v` apart.
pub(super) const LINES: &[(&str, Fields)] = &[
    (
        "file",
        &[
            ("path", Path),
            ("state", Text),
            ("reason", Maybe(&Text)),
            ("document", Maybe(&Hash)),
            ("content", Maybe(&Hash)),
            ("media_type", Maybe(&Text)),
            ("bytes", Maybe(&Count)),
            ("chars", Maybe(&Count)),
            ("engine", Maybe(&Text)),
            ("extractor", Maybe(&Count)),
            ("warnings", Texts),
            ("facts", Named),
            ("container", Maybe(&Path)),
            ("role", Maybe(&Text)),
            ("ordinal", Maybe(&Count)),
            ("last_read", Maybe(&Text)),
            ("modified", Maybe(&Text)),
            ("owner", Maybe(&Count)),
            ("group", Maybe(&Count)),
        ],
    ),
    (
        "match",
        &[
            ("path", Path),
            ("document", Hash),
            ("relation", Text),
            ("resemblance", Maybe(&Ratio)),
            ("resemblance_low", Maybe(&Ratio)),
            ("resemblance_high", Maybe(&Ratio)),
            ("containment_of_query", Maybe(&Ratio)),
            ("containment_in_query", Maybe(&Ratio)),
            ("shared_fingerprints", Count),
            ("verified", Bool),
            ("scheme", Object(SCHEME)),
            ("judgement", Maybe(&Object(JUDGEMENT))),
        ],
    ),
    (
        "version-edge",
        &[
            ("version", Count),
            ("parent", Count),
            ("kind", Text),
            ("resemblance", Ratio),
            ("containment_of_version", Ratio),
            ("containment_of_parent", Ratio),
            ("direction", Text),
        ],
    ),
    (
        "query",
        &[
            ("path", Maybe(&Path)),
            ("document", Maybe(&Hash)),
            ("state", Maybe(&Text)),
            ("reason", Maybe(&Text)),
            ("candidates", Count),
            ("verified", Count),
            ("suppressed", Count),
            ("common_lists", Count),
            ("unverified", Count),
            ("compared_by", Text),
            ("seconds", Seconds),
            ("truncated", Bool),
            ("complete", Bool),
        ],
    ),
    (
        "pair",
        &[
            ("a", Path),
            ("b", Path),
            ("document_a", Hash),
            ("document_b", Hash),
            ("relation", Text),
            ("resemblance", Ratio),
            ("containment_of_a", Ratio),
            ("containment_of_b", Ratio),
            ("verified", Bool),
        ],
    ),
    (
        "group",
        &[
            ("id", Count),
            ("kind", Is("star")),
            ("principal", Path),
            ("members", List(MEMBER)),
        ],
    ),
    ("summary", SUMMARY),
    (
        "comparison",
        &[
            ("a", Maybe(&Path)),
            ("b", Maybe(&Path)),
            ("relation", Text),
            ("resemblance", Ratio),
            ("containment_of_a", Ratio),
            ("containment_of_b", Ratio),
            ("shared_shingles", Count),
            ("shingles_a", Count),
            ("shingles_b", Count),
            ("chars_a", Count),
            ("chars_b", Count),
            ("judgement", Maybe(&Object(JUDGEMENT))),
            ("estimates", List(ESTIMATE)),
            ("spans", List(SPAN)),
            ("diff", Maybe(&Text)),
            ("complete", Bool),
        ],
    ),
    (
        "status",
        &[
            ("version", Text),
            ("format", Count),
            ("data_dir", Path),
            ("new_index", Bool),
            ("uptime_seconds", Seconds),
            ("queued", Count),
            ("threshold", Ratio),
            ("store_bytes", Count),
            ("text_bytes", Count),
            ("max_message_bytes", Count),
            ("sandbox", Text),
            ("resident_bytes", Maybe(&Count)),
            ("memory", List(MEMORY)),
            ("schemes", List(USAGE)),
            ("roots", List(ROOT)),
            ("summary", Object(SUMMARY)),
            ("complete", Bool),
        ],
    ),
    ("completeness", &[("complete", Bool)]),
    ("root", ROOT),
    ("rescan", &[("roots", Count)]),
    ("sync", &[("seconds", Seconds), ("files", Count)]),
    (
        "report",
        &[
            ("out", Path),
            ("manifest", Hash),
            ("summary", Object(SUMMARY)),
        ],
    ),
];

/// Checks a line: `type`, `v` and exactly these fields. A match that is a version has its dates;
/// a summary `pairs`; a file that is shown by itself `complete`; and what is not complete has `pending`.
pub(super) fn check(line: &Value, fields: Fields) -> Result<()> {
    ensure!(line["v"] == 1, "v is {}", line["v"]);
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
    if line["type"] == "match" {
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
    }
    object(&Value::Object(own), fields)
}

fn object(value: &Value, fields: Fields) -> Result<()> {
    let object = value.as_object().context("no object")?;
    let mut wanted = BTreeSet::new();
    if object.get("complete") == Some(&Value::Bool(false)) {
        let pending = object.get("pending").context("pending is missing")?;
        self::object(pending, PENDING).context("pending")?;
        wanted.insert("pending".to_owned());
    }
    for (name, kind) in fields {
        let found = object
            .get(*name)
            .with_context(|| format!("{name} is missing"))?;
        holds(found, *kind).with_context(|| format!("{name} is {found}"))?;
        wanted.insert((*name).to_owned());
        let is_path = matches!(kind, Path | Maybe(Path));
        if is_path && found.as_str().is_some_and(|path| path.contains('\u{FFFD}')) {
            let bytes = format!("{name}_bytes");
            ensure!(
                object.get(&bytes).is_some_and(is_base64),
                "{bytes} is no base64"
            );
            wanted.insert(bytes);
        }
    }
    let further: Vec<_> = object
        .keys()
        .filter(|name| !wanted.contains(*name))
        .collect();
    ensure!(further.is_empty(), "not documented: {further:?}");
    Ok(())
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
        Object(fields) => return object(value, fields),
        List(fields) => {
            let list = value.as_array().context("no list")?;
            return list.iter().try_for_each(|item| object(item, fields));
        }
        Maybe(_) if value.is_null() => true,
        Maybe(kind) => return holds(value, *kind),
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

#[cfg(test)]
mod tests;
