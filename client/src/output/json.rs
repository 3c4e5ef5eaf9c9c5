//! The JSON objects of `--json`, one a line: their fields are a contract.
//!
//! Every line carries `type` and `v`. A number that was not measured, or a name that does not
//! exist, is null. A path that is not UTF-8 stands there lossily, beside its bytes in base64.

use std::collections::BTreeMap;

use serde::Serialize;
use simdex_client::completeness::Completeness;

/// Version of the objects below; raised when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// A body that is written as a line of its own.
pub(crate) trait Body: Serialize {
    /// Its `type`.
    const TYPE: &'static str;
}

/// One line.
#[derive(Serialize)]
pub(crate) struct Line<'a, T> {
    r#type: &'static str,
    v: u32,
    #[serde(flatten)]
    body: &'a T,
}

impl<'a, T: Body> Line<'a, T> {
    pub(crate) fn of(body: &'a T) -> Self {
        Self {
            r#type: T::TYPE,
            v: VERSION,
            body,
        }
    }
}

/// Gives bodies their `type`.
macro_rules! body {
    ($($body:ident = $name:literal),* $(,)?) => {
        $(impl Body for $body { const TYPE: &'static str = $name; })*
    };
}

body! {
    File = "file",
    ShownFile = "file",
    Match = "match",
    Query = "query",
    Pair = "pair",
    Group = "group",
    Summary = "summary",
    Comparison = "comparison",
    Status = "status",
    Root = "root",
    Rescan = "rescan",
    ConfirmedLoss = "confirmed-loss",
    Sync = "sync",
    Report = "report",
    Completeness = "completeness",
}

#[derive(Serialize)]
pub(crate) struct File {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path_bytes: Option<String>,
    pub(crate) state: String,
    pub(crate) reason: Option<String>,
    pub(crate) document: Option<String>,
    pub(crate) content: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) bytes: Option<u64>,
    pub(crate) chars: Option<u64>,
    pub(crate) engine: Option<String>,
    pub(crate) extractor: Option<u32>,
    pub(crate) warnings: Vec<String>,
    pub(crate) facts: BTreeMap<String, String>,
    pub(crate) container: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) container_bytes: Option<String>,
    pub(crate) role: Option<String>,
    pub(crate) ordinal: Option<u32>,
    /// When its bytes were last read (RFC 3339).
    pub(crate) last_read: Option<String>,
    /// Its last modification by the file system, or by the container that holds it (RFC 3339).
    pub(crate) modified: Option<String>,
    /// Id of the group it is in.
    pub(crate) group: Option<u64>,
}

/// A file by itself, with what its record rests on.
#[derive(Serialize)]
pub(crate) struct ShownFile {
    #[serde(flatten)]
    pub(crate) file: File,
    #[serde(flatten)]
    pub(crate) completeness: Completeness,
}

#[derive(Serialize)]
pub(crate) struct Scheme {
    pub(crate) name: String,
    pub(crate) n: u64,
    pub(crate) window: u32,
    pub(crate) unit: String,
    pub(crate) canonical: u32,
}

#[derive(Serialize)]
pub(crate) struct Match {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path_bytes: Option<String>,
    pub(crate) document: Option<String>,
    pub(crate) relation: Option<&'static str>,
    pub(crate) resemblance: Option<f64>,
    pub(crate) resemblance_low: Option<f64>,
    pub(crate) resemblance_high: Option<f64>,
    pub(crate) containment_of_query: Option<f64>,
    pub(crate) containment_in_query: Option<f64>,
    pub(crate) shared_fingerprints: u64,
    pub(crate) verified: bool,
    pub(crate) scheme: Option<Scheme>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<Version>,
}

/// What is said of a version only. Dates are RFC 3339, null where unknown.
#[derive(Serialize)]
pub(crate) struct Version {
    /// Of the file, by the file system.
    pub(crate) modified: Option<String>,
    /// The best one known, by which versions are listed.
    pub(crate) date: Option<String>,
    /// What that was taken from: `sent`, `modified` or `created` in the document, or `file`.
    pub(crate) date_source: Option<String>,
    /// The very file asked about.
    pub(crate) is_query: bool,
}

/// Closes the matches: what became of the query itself.
#[derive(Serialize)]
pub(crate) struct Query {
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path_bytes: Option<String>,
    pub(crate) document: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) candidates: u64,
    pub(crate) verified: u64,
    /// The sum of `common_lists` and `unverified`.
    pub(crate) suppressed: u64,
    /// Posting lists that only added counts to documents found by other fingerprints.
    pub(crate) common_lists: u64,
    /// Candidates not verified: files may be missing.
    pub(crate) unverified: u64,
    /// `text`, `raw-bytes`, `signature` or `nothing`.
    pub(crate) compared_by: Option<&'static str>,
    pub(crate) seconds: f64,
    pub(crate) truncated: bool,
    #[serde(flatten)]
    pub(crate) completeness: Completeness,
}

#[derive(Serialize)]
pub(crate) struct Pair {
    pub(crate) a: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) a_bytes: Option<String>,
    pub(crate) b: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) b_bytes: Option<String>,
    pub(crate) document_a: Option<String>,
    pub(crate) document_b: Option<String>,
    pub(crate) relation: Option<&'static str>,
    pub(crate) resemblance: Option<f64>,
    pub(crate) containment_of_a: Option<f64>,
    pub(crate) containment_of_b: Option<f64>,
    pub(crate) verified: bool,
}

#[derive(Serialize)]
pub(crate) struct Group {
    pub(crate) id: u64,
    pub(crate) kind: String,
    pub(crate) principal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) principal_bytes: Option<String>,
    pub(crate) members: Vec<Member>,
}

#[derive(Serialize)]
pub(crate) struct Member {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path_bytes: Option<String>,
    pub(crate) document: Option<String>,
    pub(crate) relation: Option<&'static str>,
    pub(crate) resemblance: Option<f64>,
    pub(crate) containment_of_member: Option<f64>,
    pub(crate) containment_of_principal: Option<f64>,
}

#[derive(Serialize)]
pub(crate) struct Summary {
    pub(crate) files_on_disk: u64,
    pub(crate) members: u64,
    pub(crate) states: BTreeMap<String, u64>,
    pub(crate) documents: u64,
    pub(crate) groups: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pairs: Option<u64>,
    pub(crate) suppressed: u64,
    pub(crate) seconds: f64,
    #[serde(flatten)]
    pub(crate) completeness: Completeness,
}

#[derive(Serialize)]
pub(crate) struct Comparison {
    pub(crate) a: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) a_bytes: Option<String>,
    pub(crate) b: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) b_bytes: Option<String>,
    pub(crate) relation: Option<&'static str>,
    pub(crate) resemblance: f64,
    pub(crate) containment_of_a: f64,
    pub(crate) containment_of_b: f64,
    pub(crate) shared_shingles: u64,
    pub(crate) shingles_a: u64,
    pub(crate) shingles_b: u64,
    pub(crate) chars_a: u64,
    pub(crate) chars_b: u64,
    pub(crate) estimates: Vec<Estimate>,
    pub(crate) spans: Vec<Span>,
    /// Null where it was left out.
    pub(crate) diff: Option<String>,
    /// Why it was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) difference_left_out: Option<String>,
    #[serde(flatten)]
    pub(crate) completeness: Completeness,
}

#[derive(Serialize)]
pub(crate) struct Estimate {
    pub(crate) scheme: Option<Scheme>,
    pub(crate) resemblance: Option<f64>,
    pub(crate) resemblance_low: Option<f64>,
    pub(crate) resemblance_high: Option<f64>,
    pub(crate) containment_of_a: Option<f64>,
    pub(crate) containment_of_a_low: Option<f64>,
    pub(crate) containment_of_a_high: Option<f64>,
    pub(crate) containment_of_b: Option<f64>,
    pub(crate) containment_of_b_low: Option<f64>,
    pub(crate) containment_of_b_high: Option<f64>,
}

#[derive(Serialize)]
pub(crate) struct Span {
    pub(crate) offset_a: u64,
    pub(crate) offset_b: u64,
    pub(crate) length: u64,
}

#[derive(Serialize)]
pub(crate) struct Status {
    pub(crate) version: String,
    pub(crate) format: u32,
    pub(crate) data_dir: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data_dir_bytes: Option<String>,
    /// It was new and empty when the daemon started.
    pub(crate) new_index: bool,
    pub(crate) uptime_seconds: f64,
    pub(crate) queued: u64,
    pub(crate) threshold: f64,
    pub(crate) store_bytes: u64,
    pub(crate) text_bytes: u64,
    pub(crate) max_message_bytes: u64,
    pub(crate) sandbox: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) alarm: Option<Alarm>,
    pub(crate) schemes: Vec<SchemeUsage>,
    pub(crate) roots: Vec<Root>,
    pub(crate) summary: Option<Summary>,
    #[serde(flatten)]
    pub(crate) completeness: Completeness,
}

/// What keeps changes from being applied.
#[derive(Serialize)]
pub(crate) struct Alarm {
    pub(crate) reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_attempt: Option<String>,
    pub(crate) answering: bool,
}

#[derive(Serialize)]
pub(crate) struct SchemeUsage {
    pub(crate) scheme: Option<Scheme>,
    pub(crate) postings: u64,
    pub(crate) bytes: u64,
    pub(crate) sign_seconds: f64,
    /// The greatest n in use; that of the scheme is the least.
    pub(crate) n_most: u64,
    /// Postings not in the store yet.
    pub(crate) unmerged: u64,
}

#[derive(Serialize)]
pub(crate) struct Root {
    pub(crate) id: u32,
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path_bytes: Option<String>,
    pub(crate) mode: String,
    pub(crate) configured_mode: String,
    pub(crate) state: String,
    pub(crate) detail: Option<String>,
    pub(crate) files: u64,
    pub(crate) pending_loss: u64,
}

#[derive(Serialize)]
pub(crate) struct Rescan {
    pub(crate) roots: u32,
}

#[derive(Serialize)]
pub(crate) struct ConfirmedLoss {
    pub(crate) root: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) root_bytes: Option<String>,
    pub(crate) removed: u64,
}

#[derive(Serialize)]
pub(crate) struct Sync {
    pub(crate) seconds: f64,
    pub(crate) files: u64,
}

#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) out: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) out_bytes: Option<String>,
    pub(crate) manifest: String,
    pub(crate) summary: Option<Summary>,
}
