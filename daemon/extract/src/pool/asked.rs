//! The request for one document, and its result.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use crate::protocol::Request;
use crate::underway::Mark;
use crate::{Extraction, MemberPolicy, SpoolBudget};

/// One document, as a worker is asked to read it.
pub(crate) struct DocumentRequest<'a> {
    pub(crate) document: BorrowedFd<'a>,
    pub(crate) request: Request,
    pub(crate) members: MemberPolicy,
    /// Where its members are kept.
    pub(crate) space: SpoolBudget,
}

/// The result for a document that is written down as under way.
#[derive(Debug)]
pub struct MarkedRead<'a> {
    /// Text or reason.
    pub extraction: Extraction,
    /// Kept until its text is done with; none where nothing is written down.
    pub mark: Option<Mark<'a>>,
    /// The time that it was at workers and programs; waiting for one is not in it.
    pub took: Duration,
}
