//! Two files side by side.

use serde::Serialize;

use super::{
    Judgement, LastRead, LeftOutLines, Operation, Scheme, completeness, exact, filled, lossy,
    not_judged, relation,
};
use crate::completeness::Completeness;
use crate::v1;

/// Two files side by side.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Path of the first; null for standard input.
    pub a: Option<String>,
    /// Exact bytes of the first path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_bytes: Option<String>,
    /// Path of the second; null for standard input.
    pub b: Option<String>,
    /// Exact bytes of the second path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b_bytes: Option<String>,
    /// Relation of the first to the second.
    pub relation: Option<&'static str>,
    /// Resemblance of both texts, exact.
    pub resemblance: f64,
    /// Share of the first found in the second, exact.
    pub containment_of_a: f64,
    /// Share of the second found in the first, exact.
    pub containment_of_b: f64,
    /// Shingles in both texts.
    pub shared_shingles: u64,
    /// Shingles of the first.
    pub shingles_a: u64,
    /// Shingles of the second.
    pub shingles_b: u64,
    /// Characters of the first canonical text.
    pub chars_a: u64,
    /// Characters of the second canonical text.
    pub chars_b: u64,
    /// The judgement of the pair; null if it was not judged.
    pub judgement: Option<Judgement>,
    /// Why a requested judgement is missing, such as `divided`, `time` or `no-text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_judged: Option<&'static str>,
    /// The estimates of each scheme.
    pub estimates: Vec<Estimate>,
    /// Runs that occur in both canonical texts.
    pub spans: Vec<Span>,
    /// Upper bound of the shared shingles outside these runs.
    pub shared_shingles_outside_spans: u64,
    /// Template lines that were left out of the first before counting, so that spans refer to the rest; `None` if there
    /// were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out_a: Option<LeftOutLines>,
    /// Template lines that were left out of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out_b: Option<LeftOutLines>,
    /// The unified difference; null if it was left out.
    pub diff: Option<String>,
    /// Why it was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_left_out: Option<String>,
    /// How many words differ; null if no difference was requested or the words could not be aligned.
    pub words: Option<WordCounts>,
    /// The operations that turn the first text into the second; null if they were left out.
    pub operations: Option<Vec<Operation>>,
    /// Why it was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations_left_out: Option<String>,
    /// Why the first was compared as last read instead of being read again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_read_a: Option<LastRead>,
    /// Why the second was compared as last read instead of being read again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_read_b: Option<LastRead>,
    /// What the index lacked at the time.
    #[serde(flatten)]
    pub completeness: Completeness,
}

impl Comparison {
    /// The comparison of the files at `a` and `b`; `None` is standard input.
    pub fn new(a: Option<&[u8]>, b: Option<&[u8]>, reply: v1::CompareReply) -> Self {
        let (words, operations, operations_left_out) = words(reply.words);
        Self {
            a: a.map(lossy),
            a_bytes: a.and_then(exact),
            b: b.map(lossy),
            b_bytes: b.and_then(exact),
            relation: relation(reply.relation),
            resemblance: reply.resemblance,
            containment_of_a: reply.containment_of_a,
            containment_of_b: reply.containment_of_b,
            shared_shingles: reply.shared_shingles,
            shingles_a: reply.shingles_a,
            shingles_b: reply.shingles_b,
            chars_a: reply.chars_a,
            chars_b: reply.chars_b,
            judgement: reply.judgement.as_ref().map(Into::into),
            not_judged: not_judged(reply.not_judged),
            estimates: reply.estimates.iter().map(Into::into).collect(),
            spans: reply.spans.iter().map(Into::into).collect(),
            shared_shingles_outside_spans: reply.shared_shingles_outside_spans,
            left_out_a: reply.left_out_a.as_ref().map(Into::into),
            left_out_b: reply.left_out_b.as_ref().map(Into::into),
            diff: reply.difference_left_out.is_empty().then_some(reply.diff),
            difference_left_out: filled(&reply.difference_left_out),
            words,
            operations,
            operations_left_out,
            last_read_a: reply.last_read_a.as_ref().map(Into::into),
            last_read_b: reply.last_read_b.as_ref().map(Into::into),
            completeness: completeness(reply.completeness.as_ref()),
        }
    }
}

/// How many words of two texts differ, regardless of line breaks.
#[derive(Clone, Debug, Serialize)]
pub struct WordCounts {
    /// Words of the first that are missing from the second.
    pub removed: u64,
    /// Words of the second that are missing from the first.
    pub added: u64,
    /// Words in blocks that moved.
    pub moved: u64,
    /// Number of blocks that moved.
    pub blocks_moved: u64,
    /// Whether the search for common words was cut short, so that fewer words may differ.
    pub cut_short: bool,
    /// Bytes of the first extracted text.
    pub bytes_a: u64,
    /// Bytes of the second.
    pub bytes_b: u64,
}

/// The counts, the operations, and why these were left out.
fn words(
    words: Option<v1::WordDifference>,
) -> (Option<WordCounts>, Option<Vec<Operation>>, Option<String>) {
    let Some(words) = words else {
        return (None, None, Some(NOT_REQUESTED.to_owned()));
    };
    let counts = WordCounts {
        removed: words.words_removed,
        added: words.words_added,
        moved: words.words_moved,
        blocks_moved: words.blocks_moved,
        cut_short: words.cut_short,
        bytes_a: words.bytes_a,
        bytes_b: words.bytes_b,
    };
    let counts = (!words.not_aligned).then_some(counts);
    let left_out = filled(&words.operations_left_out);
    let operations = words.operations.into_iter().map(Operation::of);
    let operations: Option<Vec<_>> = operations.collect();
    match (left_out, operations) {
        (Some(why), _) => (counts, None, Some(why)),
        (None, None) => (counts, None, Some(NEWER.to_owned())),
        (None, operations) => (counts, operations, None),
    }
}

/// The reason if operations are missing and the daemon gives none.
const NOT_REQUESTED: &str = "it was not requested";
const NEWER: &str = "some are newer than this program";

/// The estimates of one scheme in a comparison; low and high are the ends of the 99 % interval.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// The scheme by which both texts were signed.
    pub scheme: Option<Scheme>,
    /// Resemblance of both texts.
    pub resemblance: Option<f64>,
    /// Lower end of its interval.
    pub resemblance_low: Option<f64>,
    /// Upper end of its interval.
    pub resemblance_high: Option<f64>,
    /// Share of the first found in the second.
    pub containment_of_a: Option<f64>,
    /// Lower end of its interval.
    pub containment_of_a_low: Option<f64>,
    /// Upper end of its interval.
    pub containment_of_a_high: Option<f64>,
    /// Share of the second found in the first.
    pub containment_of_b: Option<f64>,
    /// Lower end of its interval.
    pub containment_of_b_low: Option<f64>,
    /// Upper end of its interval.
    pub containment_of_b_high: Option<f64>,
    /// Values that the scheme does not define: `containment`, `interval`.
    pub not_given: Vec<&'static str>,
}

impl From<&v1::SchemeEstimate> for Estimate {
    fn from(estimate: &v1::SchemeEstimate) -> Self {
        let resemblance = estimate.resemblance.unwrap_or_default();
        let of_a = estimate.containment_of_a.unwrap_or_default();
        let of_b = estimate.containment_of_b.unwrap_or_default();
        Self {
            scheme: estimate.scheme.as_ref().map(Into::into),
            resemblance: resemblance.value,
            resemblance_low: resemblance.low,
            resemblance_high: resemblance.high,
            containment_of_a: of_a.value,
            containment_of_a_low: of_a.low,
            containment_of_a_high: of_a.high,
            containment_of_b: of_b.value,
            containment_of_b_low: of_b.low,
            containment_of_b_high: of_b.high,
            not_given: estimate.not_given().filter_map(not_given).collect(),
        }
    }
}

/// The name of a value that a scheme does not define; `None` if it is newer than this program.
fn not_given(what: v1::NotGiven) -> Option<&'static str> {
    match what {
        v1::NotGiven::Unspecified => None,
        v1::NotGiven::Containment => Some("containment"),
        v1::NotGiven::Interval => Some("interval"),
    }
}

/// A run of bytes that two canonical texts have in common.
#[derive(Clone, Debug, Serialize)]
pub struct Span {
    /// Offset in the first text, in bytes.
    pub offset_a: u64,
    /// Offset in the second text, in bytes.
    pub offset_b: u64,
    /// Its length in bytes.
    pub length: u64,
}

impl From<&v1::Span> for Span {
    fn from(span: &v1::Span) -> Self {
        Self {
            offset_a: span.offset_a,
            offset_b: span.offset_b,
            length: span.length,
        }
    }
}
