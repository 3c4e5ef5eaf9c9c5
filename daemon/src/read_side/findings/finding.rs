//! A file found by a compliance question, with what is reported of it.

use std::io;

use simdex_schema::{ContentHash, DocumentHash, StoredReason};

/// A file that a question found.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// Absolute path, as bytes.
    pub path: Vec<u8>,
    /// Path of its root.
    pub root: Vec<u8>,
    /// Its owner's user number.
    pub owner: Option<u32>,
    /// The name of that user on this machine.
    pub owner_name: Option<String>,
    /// The document it carries.
    pub document: Option<DocumentHash>,
    /// BLAKE3 of its bytes.
    pub content: Option<ContentHash>,
    /// Length in bytes.
    pub bytes: Option<u64>,
    /// Modification time, seconds since 1970-01-01 UTC.
    pub modified: Option<i64>,
    /// Its relation to `of`, such as `near-duplicate`.
    pub relation: &'static str,
    /// Path of the file it was found for: the file asked about, the file kept, or the next version.
    pub of: Vec<u8>,
    /// Whether the index lacks that file, and its bytes were sent with the question.
    pub of_sent_file: bool,
    /// Path of the last version of its line.
    pub newest: Option<Vec<u8>>,
    /// The date of a version, seconds since 1970, and its source.
    pub date: Option<(i64, &'static str)>,
    /// Resemblance to `of`; `None` if it was not measured.
    pub resemblance: Option<f64>,
    /// Share of this file found in `of`.
    pub containment: Option<f64>,
    /// Share of `of` found in this file.
    pub containment_of_other: Option<f64>,
    /// Whether the numbers were counted on all shingles; `None` if there are no numbers.
    pub verified: Option<bool>,
}

/// Takes one finding.
pub type TakeFinding<'a> = dyn FnMut(&Finding) -> io::Result<()> + 'a;

/// Sums over all findings, by name.
pub type Sums = std::collections::BTreeMap<&'static str, u64>;

/// What a question found in all.
#[derive(Clone, Debug, Default)]
pub struct FindingsSummary {
    /// Sums over all findings.
    pub sums: Sums,
    /// The files asked about whose text was not compared.
    pub not_compared: Vec<NotCompared>,
}

/// A file asked about whose text was not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCompared {
    /// Its path, as bytes.
    pub path: Vec<u8>,
    /// Name of the state that reading it ended in.
    pub state: &'static str,
    /// The reason that refines it; may be empty.
    pub reason: StoredReason,
}

impl From<Sums> for FindingsSummary {
    fn from(sums: Sums) -> Self {
        Self {
            sums,
            not_compared: Vec::new(),
        }
    }
}
