//! The files of a report: `manifest.json`, `diffs.jsonl`, `findings.jsonl`, `changes.jsonl`, `unread.jsonl`. `groups.jsonl` holds
//! [`super::Group`].

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{Counts, JsonPath, JudgeModel, Scheme};
use crate::completeness::Completeness;
use crate::promise::Promise;

/// A document that differs from its group's principal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Diff {
    /// Number of the group.
    pub group: u64,
    /// File of the report with the unified diff; null if there is none, for the reason in `left_out`.
    pub diff: Option<String>,
    /// Why there is no diff: `text-not-kept` or `too-many-lines`; absent if there is one.
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
    /// Number of places at which the texts differ.
    pub places: Option<usize>,
    /// Lines of the principal that are missing from this document.
    pub lines_removed: Option<usize>,
    /// Lines of this document that are missing from the principal.
    pub lines_added: Option<usize>,
    /// Whether the search for common lines was cut short: the diff is correct, but longer than necessary.
    pub cut_short: Option<bool>,
    /// File of the report with the difference by words, one [`Operation`](super::Operation) per line; null if there is
    /// none.
    #[serde(default)]
    pub operations: Option<String>,
    /// Words of the principal that are missing from this document.
    #[serde(default)]
    pub words_removed: Option<u64>,
    /// Words of this document that are missing from the principal.
    #[serde(default)]
    pub words_added: Option<u64>,
    /// Words in blocks that moved.
    #[serde(default)]
    pub words_moved: Option<u64>,
    /// Whether the search for common words was cut short, so that fewer words may differ.
    #[serde(default)]
    pub words_cut_short: Option<bool>,
}

/// A file that was not read, or only in part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnreadFile {
    /// Path of the file.
    #[serde(flatten)]
    pub path: JsonPath,
    /// Code of its state.
    pub state: String,
    /// Code that refines the state.
    pub reason: Option<String>,
}

impl UnreadFile {
    /// A file with its state and the reason that refines it, which may be empty.
    pub fn new(path: &[u8], state: &str, reason: &str) -> Self {
        Self {
            path: JsonPath::new(path),
            state: state.to_owned(),
            reason: (!reason.is_empty()).then(|| reason.to_owned()),
        }
    }
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
    /// Numeric id of its owner.
    pub owner: Option<u32>,
    /// The owner's name on the daemon's machine.
    pub owner_name: Option<String>,
    /// Relation of the file to `of`: a relation, `superseded` or `hard-link`.
    pub relation: String,
    /// The file beside which it was found: the queried one, the one kept, or the next version.
    pub of: String,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_bytes: Option<String>,
    /// Whether that file is not in the index: its bytes were sent with the question. Absent if it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_not_indexed: bool,
    /// The last version in the same line of versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_bytes: Option<String>,
    /// Hash of its document, in hexadecimal.
    pub document: Option<String>,
    /// BLAKE3 of its bytes, in hexadecimal.
    pub content: Option<String>,
    /// Length in bytes.
    pub bytes: Option<u64>,
    /// Its last modification according to the file system or to its container (RFC 3339).
    pub modified: Option<String>,
    /// The date of a version (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Source of that date: `sent`, `modified`, `created`, `file` or `mail-sent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_source: Option<String>,
    /// Resemblance to `of`; null if nothing was counted.
    pub resemblance: Option<f64>,
    /// Share of the file found in `of`.
    pub containment: Option<f64>,
    /// Share of `of` found in the file.
    pub containment_of_other: Option<f64>,
    /// Whether these numbers were counted on all shingles; null if nothing was counted.
    pub verified: Option<bool>,
}

/// A change of a group, or of one of its files, since an earlier report.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// `group-new`, `group-gone`, `file-joined`, `file-left` or `file-changed`; the last means that its text changed.
    pub change: &'static str,
    /// Number of the group.
    pub group: u64,
    /// Path of its principal, which identifies it in both reports.
    pub principal: String,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal_bytes: Option<String>,
    /// Number of files of a new or gone group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Path of the file; absent if the group is new or gone.
    #[serde(flatten)]
    pub path: Option<JsonPath>,
    /// Hash of its document, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Hash of its document in the earlier report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_before: Option<String>,
}

/// A change of a finding of a compliance question since an earlier report.
#[derive(Clone, Debug, Serialize)]
pub struct FindingChange {
    /// `finding-new`, `finding-gone` or `finding-changed`.
    pub change: &'static str,
    /// Names of the fields that changed; absent if the file is new or gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<&'static str>,
    /// The line of the later report or, for a finding that is gone, of the earlier one.
    #[serde(flatten)]
    pub finding: Finding,
    /// The line of the earlier report; absent if the finding is new or gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Finding>,
}

/// Counts of changes between two reports of groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangeTotals {
    /// Groups that are new.
    pub groups_new: u64,
    /// Groups that are gone.
    pub groups_gone: u64,
    /// Groups whose files changed.
    pub groups_changed: u64,
    /// Files that joined a group.
    pub files_joined: u64,
    /// Files that left a group.
    pub files_left: u64,
    /// Files whose text changed within the same group.
    pub files_changed: u64,
}

/// Counts of changes between two reports of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Totals {
    /// Changes between reports of groups.
    Groups(ChangeTotals),
    /// Changes between reports of findings.
    Findings(FindingTotals),
}

impl Totals {
    /// Each count with its name.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        match self {
            Self::Groups(totals) => vec![
                ("groups_new", totals.groups_new),
                ("groups_gone", totals.groups_gone),
                ("groups_changed", totals.groups_changed),
                ("files_joined", totals.files_joined),
                ("files_left", totals.files_left),
                ("files_changed", totals.files_changed),
            ],
            Self::Findings(totals) => vec![
                ("findings_new", totals.findings_new),
                ("findings_gone", totals.findings_gone),
                ("findings_changed", totals.findings_changed),
            ],
        }
    }

    /// Totals from counts by name; those that are missing are 0.
    pub fn from_counts(counts: &HashMap<String, u64>) -> Self {
        let count = |name: &str| counts.get(name).copied().unwrap_or(0);
        match counts.contains_key("findings_new") {
            true => Self::Findings(FindingTotals {
                findings_new: count("findings_new"),
                findings_gone: count("findings_gone"),
                findings_changed: count("findings_changed"),
            }),
            false => Self::Groups(ChangeTotals {
                groups_new: count("groups_new"),
                groups_gone: count("groups_gone"),
                groups_changed: count("groups_changed"),
                files_joined: count("files_joined"),
                files_left: count("files_left"),
                files_changed: count("files_changed"),
            }),
        }
    }
}

/// Counts of changes between two reports of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FindingTotals {
    /// Files newly found.
    pub findings_new: u64,
    /// Files no longer found.
    pub findings_gone: u64,
    /// Files whose findings changed.
    pub findings_changed: u64,
}

/// Summary of the changes since an earlier report.
#[derive(Clone, Debug, Serialize)]
pub struct Changes {
    /// The file with one line per change.
    #[serde(flatten)]
    pub out: JsonPath,
    /// The BLAKE3 at the end of the earlier report's manifest, in hexadecimal.
    pub since: String,
    /// Counts of changes.
    #[serde(flatten)]
    pub totals: Totals,
    /// Names of the reasons why some changes may not come from the files ([`Caveat`](crate::changes::Caveat)).
    pub caveats: Vec<&'static str>,
}

/// The earlier report of a comparison, and counts of changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EarlierReport {
    /// Path of the earlier report.
    #[serde(flatten)]
    pub report: JsonPath,
    /// The BLAKE3 at the end of its manifest, in hexadecimal.
    pub manifest: String,
    /// Counts of changes.
    #[serde(flatten)]
    pub totals: Totals,
    /// Names of the reasons why some changes may not come from the files ([`Caveat`](crate::changes::Caveat)).
    pub caveats: Vec<&'static str>,
}

/// A file that is not in the index, and whose bytes were sent with the question.
#[derive(Clone, Debug, Serialize)]
pub struct SentFile {
    /// Its path as the client stated it; the daemon knows no file there.
    #[serde(flatten)]
    pub path: JsonPath,
    /// Length in bytes.
    pub bytes: u64,
    /// BLAKE3 of its bytes, in hexadecimal.
    pub content: String,
}

/// The parameters of a report's question.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Question {
    /// The queried files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<JsonPath>>,
    /// Those of them that are not in the index; absent if all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_indexed: Option<Vec<SentFile>>,
    /// The protected roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected: Option<Vec<JsonPath>>,
    /// The minimum age.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older_than_seconds: Option<u64>,
    /// The least containment, where texts are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containment: Option<f64>,
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
    /// When the state of the index was taken (RFC 3339).
    pub created: String,
    /// Time the report took.
    pub seconds: f64,
    /// The trees covered.
    pub roots: Vec<JsonPath>,
    /// Those of them that could not be reached: what was last known of them is reported. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale_roots: Vec<JsonPath>,
    /// Least resemblance of a near-duplicate; `None` for cores, which use none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The signature scheme by which documents were compared.
    pub scheme: SchemeInUse,
    /// Counts of the report.
    #[serde(flatten)]
    pub counts: Counts,
    /// How rarely the report lacks a pair of near-duplicates; `None` for questions and cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise: Option<Promise>,
    /// What the index lacked when the report was written.
    #[serde(flatten)]
    pub completeness: Completeness,
    /// The parameters of a compliance question, or the files whose groups are reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// For cores: least number of fingerprints, of 100 from each document, that all documents of a core share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<u32>,
    /// How many of these files are in no group; absent if the report covers all groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_in_no_group: Option<Vec<JsonPath>>,
    /// For `copies-of`: the files asked about whose text was not compared, so that only files with the same bytes were
    /// found; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_not_compared: Vec<UnreadFile>,
    /// The report's totals, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<BTreeMap<&'static str, u64>>,
    /// The earlier report whose changes are in `changes.jsonl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<EarlierReport>,
    /// The model that judged the files of groups, if judgements were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_model: Option<JudgeModel>,
    /// Groups with a file that is judged neither the same as the principal nor a version of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups_judged_apart: Option<u64>,
    /// Diffs in the report.
    pub diffs: u64,
    /// Documents without a diff because a text is not kept.
    pub documents_without_text: u64,
}

/// The signature scheme of a report.
#[derive(Clone, Debug, Serialize)]
pub struct SchemeInUse {
    /// The scheme, with the least n in use: one shingle in n is kept; of a sketch, the n smallest are.
    #[serde(flatten)]
    pub scheme: Scheme,
    /// The greatest n in use.
    pub n_most: u64,
}
