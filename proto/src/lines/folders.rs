//! Folders that are copies of each other.

use serde::Serialize;

use super::list::Sides;
use super::{JsonPath, completeness};
use crate::completeness::Completeness;
use crate::v1;

/// Two folders, archives or roots that hold the same files, or revisions of them.
#[derive(Clone, Debug, Serialize)]
pub struct FolderCopies {
    /// Paths of both folders.
    #[serde(flatten)]
    pub sides: Sides,
    /// Files in the first folder and its subfolders.
    pub files_a: u64,
    /// Files in the second folder and its subfolders.
    pub files_b: u64,
    /// Files of the first that are the same as a file of the other, or a revision of one.
    pub shared_a: u64,
    /// Files of the other that are the same as a file of the first, or a revision of one.
    pub shared_b: u64,
    /// How many of those, counted equally on both sides, are only a revision of a file and the same as none.
    pub revised: u64,
    /// The share of the files of both that have a counterpart in the other.
    pub share: f64,
    /// How many folders hold exactly the same files, including these two; absent if these two differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<u64>,
    /// The other folders that hold the same files, by path, 100 at most; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<JsonPath>,
    /// Files of the first without a counterpart in the other, as many as were requested; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alone_a: Vec<JsonPath>,
    /// Files of the other without a counterpart in the first, likewise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alone_b: Vec<JsonPath>,
}

impl From<&v1::FolderCopies> for FolderCopies {
    fn from(folders: &v1::FolderCopies) -> Self {
        Self {
            sides: Sides::new(&folders.a, &folders.b),
            files_a: folders.files_a,
            files_b: folders.files_b,
            shared_a: folders.shared_a,
            shared_b: folders.shared_b,
            revised: folders.revised,
            share: share(folders),
            copies: folders.copies,
            further: paths(&folders.further),
            alone_a: paths(&folders.alone_a),
            alone_b: paths(&folders.alone_b),
        }
    }
}

fn share(folders: &v1::FolderCopies) -> f64 {
    let all = folders.files_a.saturating_add(folders.files_b);
    let shared = folders.shared_a.saturating_add(folders.shared_b);
    shared as f64 / all.max(1) as f64
}

fn paths(paths: &[Vec<u8>]) -> Vec<JsonPath> {
    paths.iter().map(|path| JsonPath::new(path)).collect()
}

/// Closes a list of folders.
#[derive(Clone, Debug, Serialize)]
pub struct FolderCopiesSummary {
    /// Number of pairs.
    pub pairs: u64,
    /// Number of files examined.
    pub files: u64,
    /// Whether some pairs may be missing.
    pub truncated: bool,
    /// Texts and names that more than eight files carry. Among folders that differ and have only such texts and names
    /// in common, not every pair is listed.
    pub too_common: u64,
    /// Time the answer took.
    pub seconds: f64,
    /// What the index lacked at the time.
    #[serde(flatten)]
    pub completeness: Completeness,
}

impl From<&v1::FolderCopiesSummary> for FolderCopiesSummary {
    fn from(summary: &v1::FolderCopiesSummary) -> Self {
        Self {
            pairs: summary.pairs,
            files: summary.files,
            truncated: summary.truncated,
            too_common: summary.too_common,
            seconds: summary.seconds,
            completeness: completeness(summary.completeness.as_ref()),
        }
    }
}
