//! One file of the roots, as described in a report.

use std::io;

use simdex_schema::{ContentHash, DocumentHash};

/// Visits every file, in the order of their paths.
pub type AllFiles<'a> = dyn Fn(&mut VisitFile<'_>) -> io::Result<()> + 'a;

/// Takes one file.
pub type VisitFile<'a> = dyn FnMut(&ReportFile<'_>) -> io::Result<()> + 'a;

/// One file of the roots.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportFile<'a> {
    /// Absolute path, as bytes.
    pub path: &'a [u8],
    /// Path of its root.
    pub root: &'a [u8],
    /// Path of its container, one level up; `None` for a file on disk.
    pub container: Option<&'a [u8]>,
    /// Name of its state.
    pub state: &'static str,
    /// Reason code that refines the state; empty if there is none.
    pub reason: &'a str,
    /// Whether it was not read, or only in part.
    pub is_unread: bool,
    /// BLAKE3 of its bytes, if they were read.
    pub content: Option<ContentHash>,
    /// The document it carries.
    pub document: Option<DocumentHash>,
    /// Kind, by its content; empty if unknown.
    pub media_type: &'a str,
    /// Length in bytes.
    pub bytes: Option<u64>,
    /// Modification time, seconds since 1970-01-01 UTC.
    pub modified: Option<i64>,
    /// Its owner's user number.
    pub owner: Option<u32>,
    /// The name of that user on this machine.
    pub owner_name: Option<&'a str>,
    /// What the document states of itself: code and value.
    pub facts: &'a [(&'a str, &'a str)],
}

impl ReportFile<'_> {
    /// What the document states of itself under this code; empty if nothing.
    pub(super) fn fact(&self, code: &str) -> &str {
        let fact = self.facts.iter().find(|(name, _)| *name == code);
        fact.map_or("", |(_, value)| value)
    }

    /// The last part of its path.
    pub(super) fn name(&self) -> &[u8] {
        self.path
            .rsplit(|byte| *byte == b'/')
            .next()
            .unwrap_or_default()
    }
}
