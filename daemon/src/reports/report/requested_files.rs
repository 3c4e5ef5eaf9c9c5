//! The files whose groups a report covers, if it does not cover all groups.

use simdex_proto::lines::{JsonPath, Question};

/// Files that a report of groups is asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestedFiles {
    /// Absolute paths of all of them, as bytes, ascending.
    pub files: Vec<Vec<u8>>,
    /// Those that are in no group.
    pub in_no_group: Vec<Vec<u8>>,
}

impl RequestedFiles {
    /// Whether the report was asked about this file.
    pub(super) fn names(&self, path: &[u8]) -> bool {
        let found = self
            .files
            .binary_search_by(|file| file.as_slice().cmp(path));
        found.is_ok()
    }

    /// The question, for a manifest.
    pub(super) fn question(&self) -> Question {
        Question {
            files: Some(paths(&self.files)),
            ..Question::default()
        }
    }

    /// The files in no group, for a manifest.
    pub(super) fn ungrouped(&self) -> Vec<JsonPath> {
        paths(&self.in_no_group)
    }
}

fn paths(files: &[Vec<u8>]) -> Vec<JsonPath> {
    files.iter().map(|file| JsonPath::new(file)).collect()
}
