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
    /// Files in the first and all folders in it.
    pub files_a: u64,
    /// Those of the other.
    pub files_b: u64,
    /// Files of the first that are the same as one of the other, or a revision of one.
    pub shared_a: u64,
    /// Files of the other that are the same as one of the first, or a revision of one.
    pub shared_b: u64,
    /// Those among them, as many of each, that are a revision of one file and the same as none.
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
    /// How many pairs there are.
    pub pairs: u64,
    /// Files that were looked at.
    pub files: u64,
    /// Some pairs may be missing.
    pub truncated: bool,
    /// Texts and names that more than eight files carry: folders that have only such in common are not listed.
    pub too_common: u64,
    /// Time the answer took.
    pub seconds: f64,
    /// What the index lacked when it was asked.
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
