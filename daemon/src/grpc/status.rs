//! The one table from what went wrong to the status a client gets.
//!
//! A message is one fragment that names the thing and the cause, without a full stop: simctl adds
//! the way out, so ours is cut off where an error carries one. Failures of the daemon itself are
//! logged here, where their code is chosen.

use simdex_index::IndexError;
use simdex_index::store::StoreError;
use simdex_index::text::TextError;
use tonic::{Code, Status};

use crate::causes::causes;
use crate::engine::EngineError;
use crate::query::QueryError;
use crate::report::ReportError;
use crate::reporting::ReportingError;

/// A request that is not answered, with the status that says why.
#[derive(Debug)]
pub(super) struct Refused(pub(super) Status);

impl From<Status> for Refused {
    fn from(status: Status) -> Self {
        Self(status)
    }
}

impl From<Refused> for Status {
    fn from(refused: Refused) -> Self {
        refused.0
    }
}

impl From<QueryError> for Refused {
    fn from(error: QueryError) -> Self {
        let code = match error {
            QueryError::Index(error) => return error.into(),
            QueryError::UnknownFile(_) | QueryError::UnknownDocument(_) => Code::NotFound,
            QueryError::Invalid(_) => Code::InvalidArgument,
            QueryError::SchemeOff | QueryError::NoText(_) => Code::FailedPrecondition,
        };
        Self(Status::new(code, cause(&error.to_string())))
    }
}

impl From<IndexError> for Refused {
    fn from(error: IndexError) -> Self {
        let code = match &error {
            // A client that went away reads no status: whoever reads this one ran out of time.
            IndexError::Cancelled => {
                return Self(Status::deadline_exceeded(
                    "the answer took longer than the deadline",
                ));
            }
            IndexError::UnknownDocument(_) => Code::NotFound,
            IndexError::Damaged(_)
            | IndexError::LostTexts(_)
            | IndexError::Record { .. }
            | IndexError::Store(StoreError::Corrupt { .. } | StoreError::Damaged { .. })
            | IndexError::Text(TextError::Corrupt { .. } | TextError::NoSegment { .. }) => {
                Code::DataLoss
            }
            _ => Code::Internal,
        };
        let reason = causes(&error);
        if code != Code::NotFound {
            tracing::error!(reason, "the index failed");
        }
        Self(Status::new(code, reason))
    }
}

impl From<EngineError> for Refused {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Index(error) => error.into(),
            // The whole sentence: it names what to do about this very root.
            error @ EngineError::Unsynced(_) => {
                Self(Status::failed_precondition(error.to_string()))
            }
            error @ (EngineError::NotApplied(_) | EngineError::Failed(_)) => {
                Self(Status::unavailable(cause(&error.to_string())))
            }
            other => {
                tracing::error!(error = %other, "the engine failed");
                Self(Status::internal(cause(&other.to_string())))
            }
        }
    }
}

impl From<ReportingError> for Refused {
    fn from(error: ReportingError) -> Self {
        let code = match &error {
            ReportingError::Relative(_) => Code::InvalidArgument,
            ReportingError::Report(error) => of_report(error),
            ReportingError::Index(_) => Code::Internal,
        };
        match error {
            ReportingError::Index(error) => error.into(),
            other => Self(Status::new(code, cause(&other.to_string()))),
        }
    }
}

fn of_report(error: &ReportError) -> Code {
    match error {
        ReportError::Exists { .. } => Code::AlreadyExists,
        ReportError::NoName { .. } => Code::InvalidArgument,
        ReportError::NoParent { .. } | ReportError::Write { .. } => Code::FailedPrecondition,
        ReportError::Text { .. } => Code::DataLoss,
        ReportError::NoPrincipal { .. } => Code::Internal,
    }
}

/// A blocking thread that did not come back.
pub(super) fn lost_thread(error: &tokio::task::JoinError) -> Status {
    if error.is_cancelled() {
        return Status::unavailable("the daemon is stopping");
    }
    tracing::error!("a thread that answered a request failed");
    Status::internal("the request could not be answered")
}

/// The message without the way out that follows its last semicolon.
fn cause(message: &str) -> String {
    message
        .rsplit_once("; ")
        .map_or(message, |(cause, _)| cause)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_schema::DocumentHash;

    fn status(refused: impl Into<Refused>) -> (Code, String) {
        let Refused(status) = refused.into();
        (status.code(), status.message().to_owned())
    }

    #[test]
    fn every_query_error_has_its_code() {
        let unknown = DocumentHash([7; 32]);
        let table = [
            (QueryError::UnknownFile("/a".into()), Code::NotFound),
            (QueryError::UnknownDocument(unknown), Code::NotFound),
            (QueryError::Invalid("no".into()), Code::InvalidArgument),
            (QueryError::SchemeOff, Code::FailedPrecondition),
            (
                QueryError::NoText("/a has no text".into()),
                Code::FailedPrecondition,
            ),
            (IndexError::Cancelled.into(), Code::DeadlineExceeded),
            (IndexError::Damaged("a".into()).into(), Code::DataLoss),
            (IndexError::TooLong("a".into()).into(), Code::Internal),
        ];
        for (error, code) in table {
            let said = error.to_string();
            assert_eq!(status(error).0, code, "{said}");
        }
    }

    #[test]
    fn stored_damage_is_told_from_a_daemon_that_fails() {
        let corrupt = StoreError::Corrupt {
            tree: "records",
            key: "00".into(),
        };
        assert_eq!(status(IndexError::from(corrupt)).0, Code::DataLoss);
        assert_eq!(
            status(IndexError::from(StoreError::SyncFailed)).0,
            Code::Internal
        );
    }

    #[test]
    fn a_message_names_the_thing_and_leaves_the_way_out_to_the_client() {
        let (_, message) = status(QueryError::UnknownFile("/a; b".into()));
        assert_eq!(message, "/a; b is not a file the index knows");
        let (code, message) = status(EngineError::Unsynced("the root /a is stale".into()));
        assert_eq!(
            (code, message.as_str()),
            (Code::FailedPrecondition, "the root /a is stale")
        );
    }

    #[test]
    fn a_report_that_exists_is_not_called_a_failure() {
        let exists = ReportError::Exists { path: "/r".into() };
        let (code, message) = status(ReportingError::Report(exists));
        assert_eq!(
            (code, message.as_str()),
            (Code::AlreadyExists, "/r exists already")
        );
    }
}
