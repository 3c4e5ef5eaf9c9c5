//! The report: a directory for tools and people, written completely or not at all.
//!
//! ```text
//! manifest.json   what, when, with which parameters; counts; every file with its BLAKE3
//! groups.jsonl    one line per group by principal path, with the fields of `simctl groups --json`;
//!                 its members by path, the principal first
//! diffs.jsonl     one line per document that differs from its principal: its diff, its files
//! diffs/G/D.diff  unified, the principal's extracted text to document D's, in group G
//! diffs/G/D.jsonl the same by words, one line per operation, with what moved
//! text/D.txt      extracted text of document D, named by its hash
//! load/           where it was asked for: a load file for review platforms, one row per file ([`LoadFile`])
//! changes.jsonl   where it was asked for: what changed since an earlier report, one line per change ([`changes`])
//! unread.jsonl    one line per file that was not read, or not whole: its path, state and reason
//! report.html     the same for people, self-contained; report-0002.html and so on hold further groups ([`pages`])
//! ```
//!
//! A report of components or cores lacks the differences, the texts and the load file: [`clusters`]. A report of a
//! compliance question consists of other files: [`findings`].
//!
//! Two reports over the same state differ in `created` and `seconds`, in `report.html`, which shows when it was
//! made, and in the hashes that cover these: that of the page, `daemon_mark` and `manifest_blake3`.
mod changes;
mod check_files;
mod clusters;
mod facts;
mod file;
mod findings;
mod format;
mod html;
mod json_lines;
mod judged;
mod load;
mod manifest;
mod page_plan;
mod pages;
mod report_dir;
mod requested_files;
mod side_by_side;
mod sink;
mod sorted_group;
mod survey;
mod table_rows;
mod tallies;
#[cfg(test)]
mod tests;
mod texts;
mod write;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use simdex_index::{Cancel, HeldText, IndexError, MemoryAccount};
use simdex_judge::Model;
use simdex_proto::completeness::Completeness;
use simdex_proto::lines::{self as json, SchemeInUse};
use simdex_schema::{DocumentHash, RootId};
use thiserror::Error;

use crate::base::report_key::ReportKey;
use crate::read_side::findings::{NotCompared, Sums};
use crate::read_side::lists::ListSummary;

pub use changes::EarlierReport;
pub use check_files::{Verified, VerifyError, verify};
pub use clusters::ClusterTerms;
pub use facts::{Findings, VisitFindings};
pub use file::{AllFiles, ReportFile, VisitFile};
pub use load::{LoadFile, LoadFileError};
pub use report_dir::{PendingReport, ReportDir};
pub use requested_files::RequestedFiles;
pub use sink::{Sink, SinkFile};

/// Longest of our manifests that is read, bytes.
const LONGEST_MANIFEST: u64 = 512 << 20;

/// Where extracted texts come from; `None` if text is not kept.
pub type TextOf<'a> = dyn Fn(&DocumentHash) -> io::Result<Option<HeldText>> + 'a;

/// Everything a report is made of.
pub struct ReportInput<'a> {
    /// When the state was captured.
    pub created: jiff::Timestamp,
    /// The product's version.
    pub version: &'a str,
    /// Least resemblance of a near-duplicate, 0 to 1.
    pub threshold: f64,
    /// The scheme that documents were signed with.
    pub scheme: SchemeInUse,
    /// The folders watched or scanned.
    pub roots: Vec<PathBuf>,
    /// Those of them that are missing, unreadable or replaced: what was last known of them is reported.
    pub stale_roots: Vec<PathBuf>,
    /// Counts, and the completeness at the beginning.
    pub summary: ListSummary,
    /// The completeness so far: damaged texts may be found while the report is written.
    pub completeness: &'a dyn Fn() -> Completeness,
    /// Seconds spent on the report until now.
    pub seconds: &'a dyn Fn() -> f64,
    /// The groups, in any order; empty for a compliance question.
    pub groups: Vec<ReportGroup>,
    /// The files whose groups these are, if not all groups were requested.
    pub requested_files: Option<RequestedFiles>,
    /// The kind of the groups, if they are components or cores.
    pub clusters: Option<ClusterTerms>,
    /// The findings of a compliance question; the report is then about these, and not about groups.
    pub findings: Option<Findings<'a>>,
    /// Visits every file.
    pub files: &'a AllFiles<'a>,
    /// The load file to write, if any.
    pub load: Option<LoadFile>,
    /// The earlier report of this kind to compare with, if any.
    pub since: Option<&'a EarlierReport>,
    /// The model that judges the files of groups, if requested.
    pub judge: Option<Arc<Model>>,
    /// Key of the mark by which this daemon recognises its reports.
    pub key: &'a ReportKey,
    /// Extracted text of a document.
    pub text_of: &'a TextOf<'a>,
    /// Counts the memory held while the report is written; cancelled once nobody waits for it.
    pub account: &'a MemoryAccount,
}

/// Near-duplicates and copies around their principal.
#[derive(Clone, Debug)]
pub struct ReportGroup {
    /// The group's id, unique in a report.
    pub id: u64,
    /// Kind of the group: `star`, `component` or `core`.
    pub kind: &'static str,
    /// For a core: the number of fingerprints that all its documents share.
    pub common: Option<u32>,
    /// Path of the principal, as bytes; one of the members. For a component or core, a file of its longest document.
    pub principal: Vec<u8>,
    /// Every file of the group, the principal among them.
    pub members: Vec<ReportMember>,
}

/// One file of a group, compared with the principal.
#[derive(Clone, Debug)]
pub struct ReportMember {
    /// Absolute path, as bytes.
    pub path: Vec<u8>,
    /// The document the file carries.
    pub document: DocumentHash,
    /// Relation to the principal, such as `near-duplicate`; `None` if it was not determined.
    pub relation: Option<&'static str>,
    /// Exact resemblance; `None` if it was not measured, as for the containments.
    pub resemblance: Option<f64>,
    /// Share of this member found in the principal.
    pub containment_of_member: Option<f64>,
    /// Share of the principal found in this member.
    pub containment_of_principal: Option<f64>,
    /// Modification time, seconds since 1970-01-01 UTC.
    pub modified: Option<i64>,
    /// Size of the file in bytes.
    pub bytes: Option<u64>,
    /// Whether it is one of the files whose groups were requested.
    pub is_requested: bool,
    /// Further data for its judgement; `None` if no judgement was requested.
    pub on_record: Option<Box<OnRecord>>,
}

impl ReportMember {
    /// Bytes that it holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        let on_record = self.on_record.as_deref();
        let author = on_record
            .and_then(|it| it.author.as_ref())
            .map_or(0, String::len);
        self.path.len() + author + on_record.map_or(0, size_of_val)
    }
}

/// What is recorded of a file, for its judgement.
#[derive(Clone, Debug)]
pub struct OnRecord {
    /// The root it lies under.
    pub root: RootId,
    /// The author or sender that it states.
    pub author: Option<String>,
    /// Whether quoted lines were left out of its text.
    pub is_quoting: bool,
    /// Bytes of its canonical text.
    pub length: u64,
}

/// Counts of a written report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// BLAKE3 of the manifest's lines, in hexadecimal.
    pub manifest: String,
    /// Files of the report, the manifest included.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// Files below `diffs/`.
    pub diffs: u64,
    /// Documents that differ from their principal and have no diff because text is not kept.
    pub without_text: u64,
    /// Files that were not judged because time ran out; `None` if none were to be judged.
    pub unjudged: Option<u64>,
    /// The totals of a compliance question.
    pub sums: Option<Sums>,
    /// The files asked about whose text was not compared.
    pub not_compared: Vec<NotCompared>,
    /// What changed since an earlier report.
    pub since: Option<json::EarlierReport>,
}

/// Why a report could not be written. Nothing is left in its place.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The directory for reports cannot be used.
    #[error("the report directory {} cannot be opened ({source})", path.display())]
    Directory {
        /// The directory for reports.
        path: PathBuf,
        /// Why it cannot be opened.
        source: io::Error,
    },
    /// No report can be made in the directory.
    #[error("no report can be written in the report directory {} ({source})", path.display())]
    NotWritable {
        /// The directory for reports.
        path: PathBuf,
        /// The cause, such as missing rights.
        source: io::Error,
    },
    /// The directory is where reports would do harm.
    #[error("the report directory {} lies in {}", path.display(), other.display())]
    Within {
        /// The directory for reports.
        path: PathBuf,
        /// The data directory or root that holds it.
        other: PathBuf,
    },
    /// Something is already at the report's path.
    #[error("{} exists already", path.display())]
    Exists {
        /// The path of the new report.
        path: PathBuf,
    },
    /// The limit of kept reports is reached.
    #[error("{} holds as many reports as it may ({max_reports})", path.display())]
    TooMany {
        /// The directory for reports.
        path: PathBuf,
        /// How many reports it may hold.
        max_reports: u32,
    },
    /// The limit of one user's kept reports is reached.
    #[error(
        "{} holds as many reports that this user asked for as it may ({share}, half of {max_reports})",
        path.display()
    )]
    Share {
        /// The directory for reports.
        path: PathBuf,
        /// How many one user may have.
        share: u32,
        /// How many in all.
        max_reports: u32,
    },
    /// The name cannot be used for a new folder.
    #[error("a report is named by one part of a path that does not begin with a dot")]
    NoName,
    /// A file or folder of it cannot be written.
    #[error("{name} of the report cannot be written: {source}")]
    Write {
        /// The file or folder.
        name: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The disk has no room for it beyond what is kept free there.
    #[error("the disk of the report directory has no room for {name} of the report")]
    NoRoom {
        /// The file or folder.
        name: String,
    },
    /// The disk of the directory has no room for a report beyond what is kept free there.
    #[error("the disk of {} has no room for a report", path.display())]
    DirectoryFull {
        /// The directory for reports.
        path: PathBuf,
    },
    /// An earlier report cannot be compared.
    #[error("the earlier report cannot be compared: {source}")]
    Earlier {
        /// Why it cannot be read.
        source: io::Error,
    },
    /// It needs more memory than it may have.
    #[error(transparent)]
    Memory(IndexError),
    /// Nobody waits for it any more.
    #[error("the report was cancelled")]
    Cancelled,
    /// A text could not be read from the store.
    #[error("the text of document {document} cannot be read: {source}")]
    Text {
        /// The document, in hexadecimal.
        document: String,
        /// Why the store does not return it.
        source: io::Error,
    },
    /// A group whose principal is not one of its members.
    #[error("group {id} lacks its principal among its members")]
    NoPrincipal {
        /// Id of the group.
        id: u64,
    },
}

/// Memory that could not be obtained.
impl From<IndexError> for ReportError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Cancelled => Self::Cancelled,
            error => Self::Memory(error),
        }
    }
}

impl ReportError {
    /// A file or folder that cannot be written.
    fn writing(name: &str, source: io::Error) -> Self {
        let name = name.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull => Self::NoRoom { name },
            _ => Self::Write { name, source },
        }
    }

    /// What to do about it, if that is known.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Directory { .. } => {
                Some("choose an existing directory, by a path without symlinks")
            }
            Self::NotWritable { .. } => {
                Some("let the user that simdexd runs as write there, or name another directory")
            }
            Self::Within { .. } => Some("name one outside the data directory and all roots"),
            Self::Exists { .. } => Some("give the report another name, or move this one away"),
            Self::TooMany { .. } => {
                Some("remove reports there that are no longer needed, or raise store.kept_reports")
            }
            Self::Share { .. } => Some(
                "have reports of yours there removed that are no longer needed, or store.kept_reports raised",
            ),
            Self::NoName => Some("name it like 2026-11"),
            Self::Write { .. } => Some("see to it and ask for the report again"),
            Self::NoRoom { .. } | Self::DirectoryFull { .. } => {
                Some("remove reports there that are no longer needed, or make room on the disk")
            }
            Self::Earlier { .. } => Some("name another, or none"),
            Self::Text { .. } => Some("`simdexd verify` checks the store"),
            Self::Memory(error) => error.advice(),
            Self::Cancelled | Self::NoPrincipal { .. } => None,
        }
    }
}

/// Writes the files of a report, the manifest last. Memory holds all groups of the input, two texts at a time, and
/// what the manifest, a load file and the sums of a question need of each file, which is counted.
///
/// # Errors
/// See [`ReportError`]; the sink must discard what was written until then.
pub fn write(sink: &dyn Sink, input: &ReportInput<'_>) -> Result<Written, ReportError> {
    let written = match &input.findings {
        Some(found) => findings::write_findings(sink, input, found),
        None => write::write_groups(sink, input),
    };
    // A cancelled sink returns an I/O error; report cancellation instead.
    check(input.account.cancel())?;
    written
}

fn check(cancel: &Cancel) -> Result<(), ReportError> {
    cancel.check().map_err(|_| ReportError::Cancelled)
}

/// Path of a document's text in the report.
fn text_path(document: &DocumentHash) -> String {
    format!("text/{document}.txt")
}

/// Path of the diff of a document of a group in the report. It contains the whole hash: somebody could construct
/// two documents with equal partial hashes.
fn diff_path(group: u64, document: &DocumentHash) -> String {
    format!("diffs/{group}/{document}.diff")
}

/// Path of the operations that belong to a diff.
fn operations_path(diff: &str) -> String {
    let name = diff.strip_suffix(".diff").unwrap_or(diff);
    format!("{name}.jsonl")
}
