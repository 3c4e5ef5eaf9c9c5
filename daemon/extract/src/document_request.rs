//! The request for one document, as the pool passes it to a worker.

use std::os::fd::BorrowedFd;

use crate::member_spool::MemberPolicy;
use crate::protocol::Request;
use crate::spool_budget::SpoolBudget;

/// One document, as it is requested from a worker.
pub(crate) struct DocumentRequest<'a> {
    pub(crate) document: BorrowedFd<'a>,
    pub(crate) request: Request,
    pub(crate) members: MemberPolicy,
    /// Where its members are kept.
    pub(crate) space: SpoolBudget,
}
