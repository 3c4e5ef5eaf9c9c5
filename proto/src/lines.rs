//! The JSON lines of `simctl --json`, of `simdexd scan --json` and of reports: their fields are a contract.
//!
//! Each line is an object with its `type` and `v`, the version of that type. A number that was not measured, or a name
//! that does not exist, is null. In a path that is not UTF-8, invalid bytes are replaced by U+FFFD; its exact bytes are
//! in an extra field (`path_bytes`, `a_bytes`, …) in base64.
//!
//! Lines are made from wire messages: the daemon prints the encoding that it also sends.

mod admin;
mod calibration;
mod common;
mod compare;
mod evaluation;
mod event;
mod family;
mod file;
mod find;
mod folders;
mod judgement;
mod label;
mod list;
mod operation;
mod report;
mod template;
mod trained_model;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::completeness::Completeness;
use crate::v1;

pub use crate::text::hex;

pub use admin::{Alarm, ConfirmedLoss, Rescan, Root, SavedReport, SchemeUsage, Status, Sync};
pub use calibration::{
    Calibration, EstimateWidth, SampleQuality, Sampling, SamplingGroup, SizeGroup,
};
pub use common::{JsonPath, LastRead, LeftOutLines, Scheme};
pub use compare::{Comparison, Estimate, Span, WordCounts};
pub use evaluation::{
    ClassAgreement, CurvePoint, Evaluation, JudgeRule, JudgedFigures, LabelCounts, LabelledClass,
    RaterAgreement, SignalFigures, Spread,
};
pub use event::Event;
pub use family::{NearMiss, Renaming, VersionEdge};
pub use file::{DescribedFile, File};
pub use find::{Match, QuerySummary, Version};
pub use folders::{FolderCopies, FolderCopiesSummary};
pub use judgement::{JudgeModel, Judgement, SignalValue, judged_class, not_judged};
pub use label::{InvalidLabel, Label, LabelledPair, Verdict};
pub use list::{Counts, Group, GroupSummary, Member, Pair, Sides, Summary};
pub use operation::{Op, Operation};
pub use report::{
    Change, ChangeTotals, Changes, Diff, EarlierReport, Finding, FindingChange, FindingTotals,
    Manifest, Question, SchemeInUse, SentFile, Totals, UnreadFile,
};
pub use template::{Template, TemplatesSummary};
pub use trained_model::{ResetModel, TrainedModel};

/// The fields of a line, beside `type` and `v`.
pub trait Body: Serialize {
    /// The `type`, which distinguishes the lines.
    const TYPE: &'static str;
    /// The `v`: raised when a field changes its meaning or is removed.
    const VERSION: u32 = 1;
}

/// One line: `type` and `v`, followed by the fields of its body.
#[derive(Serialize)]
pub struct Line<'a, T> {
    r#type: &'static str,
    v: u32,
    #[serde(flatten)]
    body: &'a T,
}

impl<'a, T: Body> Line<'a, T> {
    /// The line with this body.
    pub fn of(body: &'a T) -> Self {
        Self {
            r#type: T::TYPE,
            v: T::VERSION,
            body,
        }
    }
}

macro_rules! bodies {
    ($($body:ident = $name:literal),* $(,)?) => {
        $(impl Body for $body { const TYPE: &'static str = $name; })*
    };
}

bodies! {
    File = "file",
    DescribedFile = "file",
    Match = "match",
    VersionEdge = "version-edge",
    NearMiss = "near-miss",
    QuerySummary = "query",
    Pair = "pair",
    Summary = "summary",
    FolderCopies = "folders",
    FolderCopiesSummary = "folder-copies",
    Template = "template",
    TemplatesSummary = "templates",
    Comparison = "comparison",
    Calibration = "calibration",
    Sampling = "sampling",
    Label = "label",
    Evaluation = "evaluation",
    TrainedModel = "trained-model",
    ResetModel = "reset-model",
    Status = "status",
    Root = "root",
    Rescan = "rescan",
    ConfirmedLoss = "confirmed-loss",
    Sync = "sync",
    SavedReport = "report",
    GroupSummary = "completeness",
    Diff = "diff",
    Operation = "operation",
    Event = "event",
    UnreadFile = "unread",
    Finding = "finding",
    Change = "change",
    FindingChange = "finding-change",
    Changes = "changes",
}

impl<M: Serialize> Body for Group<M> {
    const TYPE: &'static str = "group";
}

impl Body for Manifest {
    const TYPE: &'static str = "manifest";
    const VERSION: u32 = 2;
}

/// A path as a JSON string.
pub fn lossy(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// The exact bytes, in base64, of a path that [`lossy`] changes.
pub fn exact(path: &[u8]) -> Option<String> {
    let is_text = std::str::from_utf8(path).is_ok();
    (!is_text).then(|| base64(path))
}

/// The bytes of a path as [`lossy`] and [`exact`] state it; `None` if the latter is not in base64.
pub(crate) fn path_bytes(shown: &str, exact: Option<&str>) -> Option<Vec<u8>> {
    match exact {
        Some(exact) => STANDARD.decode(exact).ok(),
        None => Some(shown.as_bytes().to_vec()),
    }
}

/// Bytes in base64.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Seconds since 1970 as RFC 3339 in UTC; `None` beyond the years a calendar has.
pub fn date(seconds: Option<i64>) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds?).ok()?;
    Some(time.to_string())
}

/// Whether a text is a time as [`date`] writes it: RFC 3339 in UTC, in whole seconds.
pub(crate) fn is_date(text: &str) -> bool {
    let time = text.parse::<jiff::Timestamp>().ok();
    let written = time.and_then(|time| date(Some(time.as_second())));
    written.is_some_and(|written| written == text)
}

/// Microseconds since 1970 as RFC 3339 in UTC; `None` beyond the years a calendar has.
pub fn date_of_micros(micros: i64) -> Option<String> {
    let time = jiff::Timestamp::from_microsecond(micros).ok()?;
    Some(time.to_string())
}

/// The name of a relation; `None` for one that is unspecified or newer than this program.
pub fn relation(value: i32) -> Option<&'static str> {
    use v1::Relation;
    Some(match Relation::try_from(value).ok()? {
        Relation::Unspecified => return None,
        Relation::IdenticalBytes => "identical-bytes",
        Relation::IdenticalText => "identical-text",
        Relation::NearDuplicate => "near-duplicate",
        Relation::Contains => "contains",
        Relation::ContainedIn => "contained-in",
        Relation::Overlaps => "overlaps",
        Relation::NothingShared => "nothing-shared",
    })
}

/// An optional text of the wire, where empty means absent.
fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// The completeness in a reply. A reply without it is not known to be complete.
fn completeness(completeness: Option<&v1::Completeness>) -> Completeness {
    completeness.map(Into::into).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_not_utf8_keeps_its_bytes() {
        assert_eq!(exact("/ü".as_bytes()), None);
        assert_eq!(lossy(b"/a\xff"), "/a\u{fffd}");
        assert_eq!(exact(b"/a\xff").as_deref(), Some("L2H/"));
    }

    #[test]
    fn a_date_is_given_in_utc_or_not_at_all() {
        assert_eq!(date(Some(0)).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(date(Some(-1)).as_deref(), Some("1969-12-31T23:59:59Z"));
        assert_eq!(date(Some(i64::MAX)), None);
        assert_eq!(date(None), None);
    }

    #[test]
    fn a_date_is_recognised_in_the_form_in_which_it_is_written_and_in_no_other() {
        let [first, last] =
            [jiff::Timestamp::MIN, jiff::Timestamp::MAX].map(|time| time.as_second());
        let leap_day = 951_782_400;
        for seconds in [first, -1, 0, 1, leap_day, 1_795_402_800, last] {
            let written = date(Some(seconds)).unwrap();
            assert!(is_date(&written), "{written}");
        }
        for other in [
            "",
            "yesterday",
            "2026-11-23",
            "2026-11-23T03:00:00",
            "2026-11-23T03:00Z",
            "2026-11-23 03:00:00Z",
            "2026-11-23t03:00:00z",
            "2026-11-23T03:00:00.5Z",
            "2026-11-23T03:00:00+00:00",
            "2026-11-23T04:00:00+01:00",
            "2026-11-23T03:00:00Z ",
            "2026-02-30T03:00:00Z",
            "1795402800",
        ] {
            assert!(!is_date(other), "{other}");
        }
    }

    #[test]
    fn a_relation_from_a_newer_daemon_is_unknown_and_not_another() {
        assert_eq!(relation(3), Some("near-duplicate"));
        assert_eq!(relation(0), None);
        assert_eq!(relation(99), None);
    }
}
