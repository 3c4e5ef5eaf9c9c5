//! Files that a client sends with a question, because the index lacks them: read for this question, and not indexed.

use simdex_extract::QueueKey;
use simdex_schema::{Reason, State, StoredReason};

use super::{FindingError, ReportScope};
use crate::base::user_budget::UserPermit;
use crate::read_side::answering::Uploaded;
use crate::read_side::query::{QueryError, Subject};

/// All files sent with one question.
#[derive(Debug, Default)]
pub struct SentFiles {
    /// In the order in which they were sent; their names are the paths that the client stated.
    pub(crate) files: Vec<Uploaded>,
    /// The key under which they queue for workers.
    queue_key: QueueKey,
    /// Counts the descriptors that they take; `None` if there are none.
    _descriptors: Option<UserPermit>,
}

impl SentFiles {
    pub(crate) fn new(files: Vec<Uploaded>, queue_key: QueueKey, descriptors: UserPermit) -> Self {
        Self {
            files,
            queue_key,
            _descriptors: Some(descriptors),
        }
    }

    /// The subject of a query about one of the files, with the state that reading it ended in. A fault of the machine
    /// that keeps one file from being read does not end the question about the others.
    pub(super) fn subject(
        &self,
        sent: &Uploaded,
        scope: &ReportScope<'_>,
    ) -> Result<(Option<Subject>, State, StoredReason), FindingError> {
        let not_read = |reason: Reason| Ok((None, State::Failed, reason.into()));
        let Ok(file) = sent.file.try_clone() else {
            return not_read(Reason::ReadError);
        };
        let (index, pool) = (scope.engine.index.reader(), &scope.engine.pool);
        let (key, hashed) = (self.queue_key, (sent.content, sent.bytes));
        match Subject::from_upload(index, pool, key, file, hashed, &sent.name, scope.account) {
            Err(QueryError::NotRead(fault)) => not_read(fault),
            Err(error) => Err(error.into()),
            Ok(subject) => {
                let (state, reason) = (subject.state(), subject.reason());
                Ok((Some(subject), state, reason))
            }
        }
    }
}
