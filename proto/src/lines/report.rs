//! The files of a report: `manifest.json`, `diffs.jsonl`, `unread.jsonl`. `groups.jsonl` holds
//! [`super::Group`].

use serde::{Deserialize, Serialize};

use super::{Counts, exact, lossy};
use crate::completeness::Completeness;

/// A path as an object.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JsonPath {
    /// Absolute path.
    pub path: String,
    /// Its exact bytes, where they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
}

impl JsonPath {
    /// The path with these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self {
            path: lossy(bytes),
            path_bytes: exact(bytes),
        }
    }
}

/// A document that differs from its group's principal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Diff {
    /// Number of the group.
    pub group: u64,
    /// File of the report with the unified diff; null where a text is not kept.
    pub diff: Option<String>,
    /// Hash of the principal's document, in hexadecimal.
    pub from_document: String,
    /// File of the report with its text.
    pub from_text: Option<String>,
    /// Hash of this document, in hexadecimal.
    pub to_document: String,
    /// File of the report with its text.
    pub to_text: Option<String>,
    /// The files that carry this document.
    pub files: Vec<JsonPath>,
    /// Places at which the texts differ.
    pub places: Option<usize>,
    /// Lines of the principal that this document lacks.
    pub lines_removed: Option<usize>,
    /// Lines of this document that the principal lacks.
    pub lines_added: Option<usize>,
    /// The time for one diff ran out: it is correct, and longer than need be.
    pub cut_short: Option<bool>,
}

/// A file that was not read, or not whole.
#[derive(Clone, Debug, Serialize)]
pub struct UnreadFile {
    /// Its path.
    #[serde(flatten)]
    pub path: JsonPath,
    /// Code of the state it is in.
    pub state: String,
    /// Code that refines the state.
    pub reason: Option<String>,
}

/// The head of a manifest; its files, its mark and its hash follow (see [`crate::manifest`]).
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// `simdex`.
    pub product: &'static str,
    /// Version of the daemon that wrote it.
    pub version: String,
    /// When the state was taken (RFC 3339).
    pub created: String,
    /// Time the report took.
    pub seconds: f64,
    /// The trees it covers.
    pub roots: Vec<JsonPath>,
    /// Least resemblance of a near-duplicate.
    pub threshold: f64,
    /// How documents were signed.
    pub scheme: SchemeInUse,
    /// What was counted.
    #[serde(flatten)]
    pub counts: Counts,
    /// Of the index when it was written.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// Diffs in the report.
    pub diffs: u64,
    /// Documents without a diff, because a text is not kept.
    pub documents_without_text: u64,
}

/// The signature scheme of an index.
#[derive(Clone, Debug, Serialize)]
pub struct SchemeInUse {
    /// For instance `mod_n`.
    pub name: String,
    /// Coarsest sampling in use: one shingle in `n_max` is kept.
    pub n_max: u32,
    /// Length of a shingle, in units.
    pub window: u32,
    /// `byte` or `word`.
    pub unit: String,
    /// Version of the canonical text.
    pub canonical: u32,
}
