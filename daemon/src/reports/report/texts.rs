//! The texts of documents in a report: each is written to `text/` when it is first requested.

use std::collections::HashSet;

use simdex_index::{GrowingPermit, MemoryAccount};

use super::sink::HashingSink;
use super::{ReportError, TextOf, text_path};
use simdex_index::HeldText;
use simdex_schema::DocumentHash;

/// The texts of documents, each written to `text/` when first requested.
pub(super) struct Texts<'a> {
    text_of: &'a TextOf<'a>,
    /// Documents whose text is written.
    written: HashSet<DocumentHash>,
    /// Counts the memory that `written` takes.
    held: GrowingPermit,
}

/// Bytes that a document takes in the set, with spare capacity.
const WRITTEN: u64 = 80;

impl<'a> Texts<'a> {
    pub(super) fn of(text_of: &'a TextOf<'a>, account: &MemoryAccount) -> Self {
        Self {
            text_of,
            written: HashSet::new(),
            held: GrowingPermit::of(account),
        }
    }

    /// Documents whose text is in the report.
    pub(super) fn written(&self) -> &HashSet<DocumentHash> {
        &self.written
    }

    /// The text of a document; `None` if it is not kept.
    pub(super) fn get(
        &mut self,
        sink: &mut HashingSink<'_>,
        document: &DocumentHash,
    ) -> Result<Option<HeldText>, ReportError> {
        let text = (self.text_of)(document).map_err(|source| ReportError::Text {
            document: document.to_string(),
            source,
        })?;
        if let Some(text) = &text
            && self.written.insert(*document)
        {
            self.held.add(WRITTEN)?;
            sink.write_file(&text_path(document), text.as_bytes())?;
        }
        Ok(text)
    }
}
