//! Requests answered in full: one function for each request of the edge, which returns everything that the reply says.
//!
//! The edge decodes a request into the parameters of one of these functions, calls it, and encodes what it returns.
//! Which records are read, what is searched for, whether it is judged and how complete the index was are decided here.
//! Lists that are not judged are in [`lists`](crate::read_side::lists).

mod comparison;
mod family;
mod folders;
mod judged_lists;
mod lookup;
mod query;
mod staleness;
mod subject_source;
mod templates;

use std::time::Instant;

use simdex_extract::QueueKey;
use simdex_index::{Cancel, MemoryAccount};
use simdex_proto::completeness::Completeness;

use crate::engine::{CompletenessCheck, Incomplete};
use crate::read_side::compare::LastRead;

pub use comparison::{Compared, ComparisonRequest, compare_sides};
pub use family::{FamilyItem, FamilyRequest, FamilySummary, ListedNearMiss, VersionFile, family};
pub use folders::{FolderCopiesRequest, folder_copies};
pub use judged_lists::{
    GroupsRequest, JudgedItems, ListedGroup, ListedPair, ListedPairStep, PairsRequest, groups,
    pairs,
};
pub use lookup::{
    DocumentRequest, DocumentSource, FoundDocument, GroupReply, GroupRequest, GroupSource,
    LookupError, document, file, group,
};
pub use query::{QueryRequest, run_query};
pub use subject_source::{SubjectSource, Uploaded};
pub use templates::{FoundTemplate, TemplatesRequest, TemplatesSummary, templates};

/// Who waits for an answer, and what it may use.
pub struct Requester<'a> {
    /// The account from which all permits are taken; valid until the request is cancelled.
    pub account: &'a MemoryAccount,
    /// The key under which documents that are read for the request queue for workers.
    pub queue_key: QueueKey,
    /// When the request arrived.
    pub started: Instant,
}

impl Requester<'_> {
    fn cancel(&self) -> &Cancel {
        self.account.cancel()
    }
}

/// What an answer rests on, reported beside what was found.
#[derive(Clone, Debug, Default)]
pub struct AnswerContext {
    /// Completeness of the index at the time of the answer.
    pub completeness: Completeness,
    /// Time the answer took.
    pub seconds: f64,
    /// If the query is a file that differs from what the index has of it.
    pub last_read: Option<LastRead>,
}

impl AnswerContext {
    /// The context of an answer that was begun at `started` and is found now.
    fn of(check: &CompletenessCheck<'_>, started: Instant) -> Result<Self, Incomplete> {
        Ok(Self {
            completeness: check.verdict()?,
            seconds: started.elapsed().as_secs_f64(),
            last_read: None,
        })
    }
}
