//! The files of a report: `manifest.json`, `diffs.jsonl`, `findings.jsonl`, `changes.jsonl`, `unread.jsonl`. `groups.jsonl` holds
//! [`super::Group`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Counts, JudgeModel, exact, lossy};
use crate::changes::Totals;
use crate::completeness::Completeness;

/// A path as an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonPath {
    /// Absolute path; bytes that are not UTF-8 are replaced.
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
    /// File of the report with the unified diff; null where `left_out` says why there is none.
    pub diff: Option<String>,
    /// Why there is no diff: `text-not-kept` or `too-many-lines`; absent where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
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
    /// The search for common lines was ended in some place: the diff is correct, and longer than need be.
    pub cut_short: Option<bool>,
    /// File of the report with the difference by words, an [`Operation`](super::Operation) a line; null where there is
    /// none.
    #[serde(default)]
    pub operations: Option<String>,
    /// Words of the principal that this document lacks.
    #[serde(default)]
    pub words_removed: Option<u64>,
    /// Words of this document that the principal lacks.
    #[serde(default)]
    pub words_added: Option<u64>,
    /// Words that stand in another place, in blocks.
    #[serde(default)]
    pub words_moved: Option<u64>,
    /// The search for common words was ended in some place: fewer may differ.
    #[serde(default)]
    pub words_cut_short: Option<bool>,
}

/// A file that was not read, or not whole.
#[derive(Clone, Debug, Serialize)]
pub struct UnreadFile {
    /// Path of the file.
    #[serde(flatten)]
    pub path: JsonPath,
    /// Code of the state it is in.
    pub state: String,
    /// Code that refines the state.
    pub reason: Option<String>,
}

/// A file that a compliance question found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The question: `copies-of`, `stale-versions`, `leak` or `duplicates`.
    pub kind: String,
    /// Path of the file.
    #[serde(flatten)]
    pub path: JsonPath,
    /// Path of the root that holds it.
    pub root: String,
    /// Numeric id of the user who owns it.
    pub owner: Option<u32>,
    /// The name of that user on the daemon's machine.
    pub owner_name: Option<String>,
    /// What the file is to `of`: a relation, `superseded` or `hard-link`.
    pub relation: String,
    /// The file it was found beside: that asked about, that kept, the next version.
    pub of: String,
    /// Its exact bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_bytes: Option<String>,
    /// The last version of its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// Its exact bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_bytes: Option<String>,
    /// Hash of its document, in hexadecimal.
    pub document: Option<String>,
    /// BLAKE3 of its bytes, in hexadecimal.
    pub content: Option<String>,
    /// Length in bytes.
    pub bytes: Option<u64>,
    /// Its last modification by the file system or its container (RFC 3339).
    pub modified: Option<String>,
    /// The date of a version (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Where that date is from: `sent`, `modified`, `created`, `file` or `mail-sent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_source: Option<String>,
    /// Resemblance to `of`; null where nothing was counted.
    pub resemblance: Option<f64>,
    /// Share of the file found in `of`.
    pub containment: Option<f64>,
    /// Share of `of` found in the file.
    pub containment_of_other: Option<f64>,
    /// Whether these were counted on all shingles; null where nothing was counted.
    pub verified: Option<bool>,
}

/// What became of a group, or of one of its files, since an earlier report.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// `group-new`, `group-gone`, `file-joined`, `file-left` or `file-changed`: it carries another text.
    pub change: &'static str,
    /// Number of the group.
    pub group: u64,
    /// Path of its principal, by which it is known in both reports.
    pub principal: String,
    /// Its exact bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal_bytes: Option<String>,
    /// Files of a group that is new or gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Path of the file; absent where the group is new or gone.
    #[serde(flatten)]
    pub path: Option<JsonPath>,
    /// Hash of the document that it carries, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Hash of the document that it carried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_before: Option<String>,
}

/// What became of a file that a compliance question found, since an earlier report.
#[derive(Clone, Debug, Serialize)]
pub struct FindingChange {
    /// `finding-new`, `finding-gone` or `finding-changed`.
    pub change: &'static str,
    /// Names of the fields that changed; absent where the file is new or gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<&'static str>,
    /// The line of the later report; of one that is gone, that of the earlier.
    #[serde(flatten)]
    pub finding: Finding,
    /// The line of the earlier report; absent where the file is new or gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Finding>,
}

/// What changed since an earlier report, in sum.
#[derive(Clone, Debug, Serialize)]
pub struct Changes {
    /// The file with a line for each change.
    #[serde(flatten)]
    pub out: JsonPath,
    /// BLAKE3 that the earlier report's manifest ends with, in hexadecimal.
    pub since: String,
    /// How much changed.
    #[serde(flatten)]
    pub totals: Totals,
    /// Why part of it may not be of the files, by name ([`Caveat`](crate::changes::Caveat)).
    pub caveats: Vec<&'static str>,
}

/// The earlier report that one is compared with, and how much changed.
#[derive(Clone, Debug, Serialize)]
pub struct EarlierReport {
    /// Where it was.
    #[serde(flatten)]
    pub report: JsonPath,
    /// BLAKE3 that its manifest ends with, in hexadecimal.
    pub manifest: String,
    /// How much changed.
    #[serde(flatten)]
    pub totals: Totals,
    /// Why part of it may not be of the files, by name ([`Caveat`](crate::changes::Caveat)).
    pub caveats: Vec<&'static str>,
}

/// What a report was asked about.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Question {
    /// The files asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<JsonPath>>,
    /// The protected roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected: Option<Vec<JsonPath>>,
    /// The age that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_than_seconds: Option<u64>,
}

/// The head of a manifest; its files, its mark and its hash follow (see [`crate::manifest`]).
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// The constant `simdex`.
    pub product: &'static str,
    /// Version of the daemon that wrote it.
    pub version: String,
    /// `groups`, `components`, `cores`, or the name of a compliance question.
    pub kind: &'static str,
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
    /// What the index lacked when it was written.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// What a compliance question asked, or of which files the groups are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// Of cores: the least fingerprints that all documents of one share, of 100 of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<u32>,
    /// Of these files those that are in no group; absent where the report is of all groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_in_no_group: Option<Vec<JsonPath>>,
    /// What it came to, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<BTreeMap<&'static str, u64>>,
    /// The earlier report whose changes are in `changes.jsonl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<EarlierReport>,
    /// The model that judged the files of groups, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_model: Option<JudgeModel>,
    /// Groups of which a file is judged neither the same as the principal nor a version of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups_judged_apart: Option<u64>,
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
