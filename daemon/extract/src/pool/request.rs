//! The request for one document, and its result.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use crate::protocol::Request;
use crate::read_marks::Mark;
use crate::{Extraction, MemberPolicy, SpoolBudget};

/// One document, as it is requested from a worker.
pub(crate) struct DocumentRequest<'a> {
    pub(crate) document: BorrowedFd<'a>,
    pub(crate) request: Request,
    pub(crate) members: MemberPolicy,
    /// Where its members are kept.
    pub(crate) space: SpoolBudget,
}

/// The result for a document that is recorded as under way.
#[derive(Debug)]
pub struct MarkedRead<'a> {
    /// Text or reason.
    pub extraction: Extraction,
    /// Kept until the caller has finished with the text; `None` if nothing is recorded.
    pub mark: Option<Mark<'a>>,
    /// The time it spent at workers and programs; waiting for one is not included.
    pub took: Duration,
}
