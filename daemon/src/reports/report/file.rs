//! One file of the roots, as a report tells of it.

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
    /// Path of the file that holds it, one level up; none of a file on disk.
    pub container: Option<&'a [u8]>,
    /// Name of its state.
    pub state: &'static str,
    /// Reason code that refines the state; empty if there is none.
    pub reason: &'a str,
    /// It was not read, or not whole.
    pub is_unread: bool,
    /// BLAKE3 of its bytes, where they were read.
    pub content: Option<ContentHash>,
    /// The document it carries.
    pub document: Option<DocumentHash>,
    /// Kind, by its content; empty where that is not known.
    pub media_type: &'a str,
    /// Length in bytes.
    pub bytes: Option<u64>,
    /// Modification time, seconds since 1970-01-01 UTC.
    pub modified: Option<i64>,
    /// Who owns it, by number.
    pub owner: Option<u32>,
    /// The name of that user on this machine.
    pub owner_name: Option<&'a str>,
    /// What the document says of itself: code and value.
    pub facts: &'a [(&'a str, &'a str)],
}

impl ReportFile<'_> {
    /// What the document says of itself under this code; empty where it says nothing.
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
