//! Folders that are copies of each other.

use serde::Serialize;

use super::completeness;
use super::list::Sides;
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
        }
    }
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
    /// Texts and names that more than eight files have: folders that share only such files are not listed.
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
