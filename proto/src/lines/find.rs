//! Matches of a query, and the record that closes them.

use serde::Serialize;

use super::{
    JsonPath, Judgement, LastRead, LeftOutLines, Scheme, completeness, date, exact, filled, hex,
    lossy, not_judged, relation,
};
use crate::completeness::Completeness;
use crate::promise::Promise;
use crate::v1;

/// A file that answers a query.
#[derive(Clone, Debug, Serialize)]
pub struct Match {
    /// Absolute path of the file.
    #[serde(flatten)]
    pub path: JsonPath,
    /// Hash of its document, in hexadecimal.
    pub document: Option<String>,
    /// Relation of the query to this file: `contains` if the query contains the file's text.
    pub relation: Option<&'static str>,
    /// Resemblance: shingles in both texts as a share of those in either.
    pub resemblance: Option<f64>,
    /// Lower end of its 99 % interval.
    pub resemblance_low: Option<f64>,
    /// Upper end of its 99 % interval.
    pub resemblance_high: Option<f64>,
    /// Share of the query found in this document.
    pub containment_of_query: Option<f64>,
    /// Share of this document found in the query.
    pub containment_in_query: Option<f64>,
    /// Shingles that both texts share if verified, otherwise fingerprints that both signatures share.
    pub shared_fingerprints: u64,
    /// Whether the numbers were counted on all shingles of both texts, rather than estimated.
    pub verified: bool,
    /// Scheme on which the numbers are based.
    pub scheme: Option<Scheme>,
    /// If folding was requested: the better file that this one is a copy or near-duplicate of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folded_under: Option<String>,
    /// Base64 of `folded_under`, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folded_under_bytes: Option<String>,
    /// The judgement of the pair; null if it was not judged.
    pub judgement: Option<Judgement>,
    /// Why a requested judgement is missing, such as `divided`, `time` or `no-text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_judged: Option<&'static str>,
    /// Set only in families of versions.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
}

impl From<&v1::Match> for Match {
    fn from(found: &v1::Match) -> Self {
        let resemblance = found.resemblance.unwrap_or_default();
        let is_folded = !found.folded_under.is_empty();
        Self {
            path: JsonPath::new(&found.path),
            document: hex(&found.document),
            relation: relation(found.relation),
            resemblance: resemblance.value,
            resemblance_low: resemblance.low,
            resemblance_high: resemblance.high,
            containment_of_query: found.containment_of_query.and_then(|ratio| ratio.value),
            containment_in_query: found.containment_in_query.and_then(|ratio| ratio.value),
            shared_fingerprints: found.shared_fingerprints,
            verified: found.verified,
            scheme: found.scheme.as_ref().map(Into::into),
            folded_under: is_folded.then(|| lossy(&found.folded_under)),
            folded_under_bytes: exact(&found.folded_under).filter(|_| is_folded),
            judgement: found.judgement.as_ref().map(Into::into),
            not_judged: not_judged(found.not_judged),
            version: None,
        }
    }
}

/// Fields of a match in a family of versions. Dates are RFC 3339.
#[derive(Clone, Debug, Serialize)]
pub struct Version {
    /// Last modification according to the file system.
    pub modified: Option<String>,
    /// Best known date.
    pub date: Option<String>,
    /// Source of that date: `sent`, `modified` or `created` in the document, `file`, or `mail-sent` for the mail that
    /// contains it.
    pub date_source: Option<String>,
    /// Whether this is the file that was queried.
    pub is_query: bool,
    /// Number of its version, earliest first; files with the same number are copies of one text.
    pub number: u32,
    /// The latest full date written in its text.
    pub written: Option<String>,
    /// Path of its container, if it is inside another file.
    pub container: Option<String>,
    /// Base64 of `container`, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_bytes: Option<String>,
}

impl Match {
    /// A file of a family; `None` if the message has none.
    pub fn in_family(file: &v1::VersionFile) -> Option<Self> {
        let found = file.r#match.as_ref()?;
        let container = (!file.container.is_empty()).then_some(&file.container);
        let version = Version {
            modified: date(found.modified),
            date: date(found.date),
            date_source: filled(&found.date_source),
            is_query: found.is_query,
            number: file.version,
            written: date(file.written),
            container: container.map(|path| lossy(path)),
            container_bytes: container.and_then(|path| exact(path)),
        };
        Some(Self {
            version: Some(version),
            ..found.into()
        })
    }
}

/// Closes the matches of one query.
#[derive(Clone, Debug, Serialize)]
pub struct QuerySummary {
    /// The queried file; null for standard input.
    pub path: Option<String>,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// Hash of its document, in hexadecimal.
    pub document: Option<String>,
    /// State of the query itself.
    pub state: Option<String>,
    /// Code that refines the state.
    pub reason: Option<String>,
    /// Documents that share a fingerprint with the query.
    pub candidates: u64,
    /// Candidates counted on all shingles.
    pub verified: u64,
    /// Posting lists that found no further documents, as `common_lists`.
    pub suppressed: u64,
    /// Posting lists that were only used to count on documents found by other fingerprints.
    pub common_lists: u64,
    /// Candidates that were not verified, so that files may be missing.
    pub unverified: u64,
    /// `text`, `raw-bytes`, `signature`, `nothing` or `whole-text`.
    pub compared_by: Option<&'static str>,
    /// Time the daemon took.
    pub seconds: f64,
    /// Whether more files reach the threshold than were listed.
    pub truncated: bool,
    /// With `versions`: the number of the latest version, if dates tell that all others are earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest: Option<u32>,
    /// With judgements: matches that were not judged because time ran out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<u64>,
    /// How rarely the answer lacks a file that reaches the threshold; `None` from an older daemon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise: Option<Promise>,
    /// Template lines that were left out of the query's text; `None` if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOutLines>,
    /// If the file asked about differs from what the index has of it, when that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_read: Option<LastRead>,
    /// What the index lacked at the time.
    #[serde(flatten)]
    pub completeness: Completeness,
}

impl QuerySummary {
    /// Closes the matches of the file at `path`, or of standard input.
    pub fn new(path: Option<&[u8]>, query: &v1::QuerySummary) -> Self {
        Self {
            path: path.map(lossy),
            path_bytes: path.and_then(exact),
            document: hex(&query.document),
            state: filled(&query.state),
            reason: filled(&query.reason),
            candidates: query.candidates,
            verified: query.verified,
            suppressed: query.suppressed,
            common_lists: query.common_lists,
            unverified: query.unverified,
            compared_by: compared_by(query.compared_by),
            seconds: query.seconds,
            truncated: query.truncated,
            latest: None,
            unjudged: query.unjudged,
            promise: query.promise.as_ref().map(Into::into),
            left_out: query.left_out.as_ref().map(Into::into),
            last_read: query.last_read.as_ref().map(Into::into),
            completeness: completeness(query.completeness.as_ref()),
        }
    }
}

/// The part of a query that was compared; `None` if an older daemon does not state it.
fn compared_by(value: i32) -> Option<&'static str> {
    use v1::ComparedBy;
    Some(match ComparedBy::try_from(value).ok()? {
        ComparedBy::Unspecified => return None,
        ComparedBy::Text => "text",
        ComparedBy::RawBytes => "raw-bytes",
        ComparedBy::Signature => "signature",
        ComparedBy::Nothing => "nothing",
        ComparedBy::WholeText => "whole-text",
        ComparedBy::WholeBytes => "whole-bytes",
    })
}
