//! A file that a question of compliance found, with what is told of it.

use std::io;

use simdex_schema::{ContentHash, DocumentHash};

/// A file that a question found.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// Absolute path, as bytes.
    pub path: Vec<u8>,
    /// Path of its root.
    pub root: Vec<u8>,
    /// Who owns it, by number.
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
    /// What it is to `of`, such as `near-duplicate`.
    pub relation: &'static str,
    /// Path of the file it was found beside: that asked about, that kept, the next version.
    pub of: Vec<u8>,
    /// Path of the last version of its line.
    pub newest: Option<Vec<u8>>,
    /// The date of a version, seconds since 1970, and where it is from.
    pub date: Option<(i64, &'static str)>,
    /// Resemblance to `of`; none where it was not measured.
    pub resemblance: Option<f64>,
    /// Share of this file found in `of`.
    pub containment: Option<f64>,
    /// Share of `of` found in this file.
    pub containment_of_other: Option<f64>,
    /// The numbers were counted on all shingles; absent where there are none.
    pub verified: Option<bool>,
}

/// Takes one finding.
pub type TakeFinding<'a> = dyn FnMut(&Finding) -> io::Result<()> + 'a;

/// Sums over all findings, by name.
pub type Sums = std::collections::BTreeMap<&'static str, u64>;
