//! The result for one document.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use crate::crash_journal::JournalEntry;
use crate::{Extraction, Facts, Outcome};

/// The result for a document that is recorded as under way.
#[derive(Debug)]
pub struct JournaledRead<'a> {
    /// Text or reason.
    pub extraction: Extraction,
    /// Kept until the caller has finished with the text; `None` if nothing is recorded.
    pub entry: Option<JournalEntry<'a>>,
    /// The time it spent at workers and programs; waiting for one is not included.
    pub took: Duration,
}

/// A result that no worker returned. A PDF that killed its worker is still known to be a PDF.
pub(super) fn unread(outcome: Outcome, document: BorrowedFd<'_>) -> Extraction {
    let mut start = [0; 5];
    let is_pdf = rustix::io::pread(document, &mut start, 0).is_ok_and(|read| read == 5)
        && start == *b"%PDF-";
    let media_type = if is_pdf {
        "application/pdf"
    } else {
        "application/octet-stream"
    };
    Extraction {
        outcome,
        media_type: media_type.to_owned(),
        reader: None,
        parser: "none".to_owned(),
        warnings: Vec::new(),
        facts: Facts::default(),
        members: Vec::new(),
    }
}
