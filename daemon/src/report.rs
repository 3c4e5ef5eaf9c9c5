//! The report: a directory that a tool or a person can act on, written whole or not at all.
//!
//! ```text
//! manifest.json   what, when, with which parameters; counts; every file with its BLAKE3
//! groups.jsonl    one line a group, as `simctl groups --json` prints them, by principal path
//! diffs.jsonl     one line a document that differs from its principal: its diff, its files
//! diffs/G/D.diff  unified, the principal's extracted text to document D's, in group G
//! text/D.txt      extracted text of document D, named by its hash
//! report.html     the same for people, self-contained
//! ```
//!
//! Two reports over the same state differ in `created` and `seconds` alone, and so in the bytes of
//! `report.html`, which shows them.
mod format;
mod html;
mod lines;
mod manifest;
mod stage;
#[cfg(test)]
mod tests;
mod verify;
mod view;
mod write;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use verify::{Verified, VerifyError, verify};

/// A document: the BLAKE3 hash of its canonical text.
pub type DocumentHash = [u8; 32];

/// Where extracted texts come from; `None` where text is not kept.
pub type TextOf<'a> = dyn Fn(&DocumentHash) -> io::Result<Option<String>> + 'a;

/// Everything a report says.
pub struct ReportInput<'a> {
    /// When the state was taken.
    pub created: jiff::Timestamp,
    /// The product's version.
    pub version: &'a str,
    /// Least resemblance of a near-duplicate, 0 to 1.
    pub threshold: f64,
    /// How documents were signed.
    pub scheme: SchemeLine,
    /// The folders watched or scanned.
    pub roots: Vec<PathBuf>,
    /// What was seen.
    pub summary: Summary,
    /// The groups, in any order.
    pub groups: Vec<ReportGroup>,
    /// Extracted text of a document.
    pub text_of: &'a TextOf<'a>,
}

/// A signature scheme with its parameters.
#[derive(Clone, Debug, serde::Serialize)]
pub struct SchemeLine {
    /// For instance `mod_n`.
    pub name: String,
    /// The coarsest sampling in use: one shingle in `n_max` is kept.
    pub n_max: u32,
    /// Length of a shingle, in `unit`s.
    pub window: u32,
    /// `byte` or `word`.
    pub unit: String,
    /// Version of the canonical text.
    pub canonical: u32,
}

/// Counts over everything seen; the same as the last line of `scan --json`.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Files on disk; the states add up to it.
    pub files_on_disk: u64,
    /// Members of containers, counted apart.
    pub members: u64,
    /// Files by state.
    pub states: BTreeMap<String, u64>,
    /// Distinct documents.
    pub documents: u64,
    /// Groups found.
    pub groups: u64,
    /// Postings left out of the search.
    pub suppressed: u64,
    /// How long it took.
    pub seconds: f64,
}

/// Near-duplicates and copies around their principal.
#[derive(Clone, Debug)]
pub struct ReportGroup {
    /// The group's handle, unique in a report.
    pub id: u64,
    /// `star`.
    pub kind: &'static str,
    /// Path of the principal, as bytes; one of the members.
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
    /// Relation to the principal, such as `near-duplicate`.
    pub relation: String,
    /// Exact resemblance; `None` where it was not measured, like the containments.
    pub resemblance: Option<f64>,
    /// Share of this member found in the principal.
    pub containment_of_member: Option<f64>,
    /// Share of the principal found in this member.
    pub containment_of_principal: Option<f64>,
    /// Modification time, seconds since 1970-01-01 UTC.
    pub modified: Option<i64>,
    /// Size of the file.
    pub bytes: Option<u64>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The report.
    pub path: PathBuf,
    /// Files in it.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Diffs among them.
    pub diffs: u64,
    /// Documents that differ from their principal and have no diff, because text is not kept.
    pub without_text: u64,
}

/// Why there is no report. Nothing is left at its place then.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The place is taken.
    #[error("{} exists already; name a folder that does not exist, or move this one away", path.display())]
    Exists {
        /// The place.
        path: PathBuf,
    },
    /// The folder above is missing.
    #[error("{} cannot be created because the folder {} does not exist; create it first", path.display(), parent.display())]
    NoParent {
        /// The place.
        path: PathBuf,
        /// The folder above.
        parent: PathBuf,
    },
    /// The path names no new folder (`/`, `..`).
    #[error("{} names no new folder; give the report a name of its own", path.display())]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// Writing failed.
    #[error("{} cannot be written: {source}; see to it and ask for the report again", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A text could not be read from the store.
    #[error(
        "the text of document {document} cannot be read: {source}; `simdexd verify` checks the store"
    )]
    Text {
        /// The document, in hexadecimal.
        document: String,
        /// The cause.
        source: io::Error,
    },
    /// A group whose principal is none of its members.
    #[error("group {id} lacks its principal among its members")]
    NoPrincipal {
        /// The group.
        id: u64,
    },
}

/// Writes a report to `out`, which must not exist; its parent folder must.
///
/// It is made in a hidden sibling folder, every file synced, and renamed at the end. Folders have
/// mode 0700, files 0600. Memory holds two texts at a time.
///
/// # Errors
/// See [`ReportError`]; nothing is left behind then.
pub fn write(out: &Path, input: &ReportInput<'_>) -> Result<Written, ReportError> {
    write::report(out, input)
}

/// A document's name in files: the hash in hexadecimal.
fn hex(document: &DocumentHash) -> String {
    blake3::Hash::from_bytes(*document).to_hex().to_string()
}
