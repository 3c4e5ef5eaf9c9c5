//! Passes documents that our readers did not read well to external tools.

use std::os::fd::BorrowedFd;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Pool;
use super::permit::WorkerPermit;
use super::queue::Lane;
use super::result::unread;
use crate::document_request::DocumentRequest;
use crate::external_tools::Source;
use crate::protocol::{Request, Task};
use crate::{Extraction, Fact, MemberPolicy, Outcome, ReadOptions, Reason, SpoolBudget};

impl Pool {
    /// Passes a document that our readers did not read well to an external tool, queued like a huge one: such
    /// programs are slow.
    pub(super) fn improve(
        &self,
        extraction: Extraction,
        document: BorrowedFd<'_>,
        options: &ReadOptions,
        took: &mut Duration,
    ) -> Extraction {
        let code = extraction.outcome.reason().map_or("", Reason::code);
        let tried = extraction.facts.get(Fact::ProgramsTried);
        let tools = self.external_tools.as_ref().filter(|tools| {
            tools.could_improve(&extraction.media_type, code, tried.unwrap_or_default())
        });
        let Some(tools) = tools else {
            return extraction;
        };
        let Ok(permit) = self.acquire_worker(Lane::Huge, options.queue_key, &options.keep_going)
        else {
            return extraction;
        };
        let space = self.space.charged_to(options.queue_key);
        let source = Source {
            document,
            space: &space,
            join: &|pages| self.join_pages(&permit, &space, pages),
            keep_going: &|| !self.is_closed() && options.keep_going.check(),
        };
        let start = Instant::now();
        let improved = tools.improve(extraction, &source);
        *took += start.elapsed();
        improved
    }

    /// Has a worker make one text of the pages that an external tool printed.
    fn join_pages(
        &self,
        permit: &WorkerPermit<'_>,
        space: &SpoolBudget,
        pages: BorrowedFd<'_>,
    ) -> Extraction {
        let length = rustix::fs::fstat(pages).map(|stat| stat.st_size);
        let Ok(length) = length.map(|length| u64::try_from(length).unwrap_or(0)) else {
            return unread(Outcome::Failed(Reason::ReadError), pages);
        };
        let document_request = DocumentRequest {
            document: pages,
            request: Request {
                nonce: self.nonce.fetch_add(1, Ordering::Relaxed),
                length,
                name: None,
                task: Task::JoinPages,
            },
            members: MemberPolicy::Discard,
            space: space.clone(),
        };
        // The program that printed them is timed as a whole.
        let joined = self.read_with_respawn(permit, &document_request, &mut Duration::default());
        joined.unwrap_or_else(|outcome| unread(outcome, pages))
    }
}
