//! The one table from errors to the status a client gets.
//!
//! A message is one fragment that states the thing and the cause, without a full stop. What to do
//! about it is sent separately as [`ErrorDetail`], so that no client has to take a sentence apart.
//! Failures of the daemon itself are logged here, where their code is chosen.

use prost::Message;
use simdex_index::IndexError;
use simdex_index::store::StoreError;
use simdex_index::text::TextError;
use simdex_proto::v1::{ERROR_DETAIL, ErrorDetail};
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

use crate::base::causes::causes;
use crate::base::events::LostEvents;
use crate::engine::Incomplete;
use crate::engine::slot::Reopening;
use crate::error::EngineError;
use crate::read_side::answering::LookupError;
use crate::read_side::calibrating::CalibrationError;
use crate::read_side::clusters::ClusterError;
use crate::read_side::findings::FindingError;
use crate::read_side::labels::LabelError;
use crate::read_side::lists::ListError;
use crate::read_side::query::QueryError;
use crate::reports::maker::ReportingError;
use crate::reports::report::ReportError;

/// Bytes kept of the beginning and of the end of a message that is too long.
const END: usize = 200;
/// Longest message made from one of our errors, bytes; the middle of a longer one is left out.
const MESSAGE: usize = 1 << 10;

/// Leaves out the middle of a message that is too long for a header.
fn bounded(message: &str) -> String {
    if message.len() <= MESSAGE {
        return message.to_owned();
    }
    let head = message.floor_char_boundary(END);
    let tail = message.ceil_char_boundary(message.len() - END);
    format!("{} … {}", &message[..head], &message[tail..])
}

/// The status of a refused request. It is a type of its own so that errors convert into it with `?`.
#[derive(Debug)]
pub(super) struct Refused(pub(super) Status);

impl Refused {
    /// A refusal whose message is cut to fit into a header.
    pub(super) fn new(code: Code, message: &str) -> Self {
        Self(Status::new(code, bounded(message)))
    }

    /// A refusal because the index is closed, with what to do about it.
    pub(super) fn unavailable(message: &str, advice: &str) -> Self {
        Self::new(Code::Unavailable, message).advised(Some(advice))
    }

    /// Adds what to do about it, as an [`ErrorDetail`].
    pub(super) fn advised(mut self, advice: Option<&str>) -> Self {
        if let Some(advice) = advice {
            let advice = bounded(advice);
            let detail = ErrorDetail { advice }.encode_to_vec();
            let metadata = self.0.metadata_mut();
            metadata.insert_bin(ERROR_DETAIL, MetadataValue::from_bytes(&detail));
        }
        self
    }
}

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
            QueryError::Incomplete(error) => return error.into(),
            QueryError::UnknownFile { .. } | QueryError::UnknownDocument(_) => Code::NotFound,
            QueryError::Invalid(_)
            | QueryError::SignatureTooLong { .. }
            | QueryError::NoContainment(_)
            | QueryError::NoEstimate(_) => Code::InvalidArgument,
            QueryError::SchemeOff(_) | QueryError::NoText(_) => Code::FailedPrecondition,
            QueryError::NotRead(_) => Code::Unavailable,
            QueryError::DamagedText { .. } => {
                tracing::error!(%error, "the index failed");
                Code::DataLoss
            }
        };
        Self::new(code, &error.to_string()).advised(error.advice().as_deref())
    }
}

impl From<IndexError> for Refused {
    fn from(error: IndexError) -> Self {
        let code = match &error {
            // A client that disconnected reads no status: a client that reads this one ran out of time.
            IndexError::Cancelled => {
                return Self(Status::deadline_exceeded(
                    "the answer took longer than the deadline",
                ));
            }
            IndexError::TooMuchMemory { .. } => {
                return Self::new(Code::ResourceExhausted, &error.to_string())
                    .advised(error.advice());
            }
            IndexError::UnknownDocument(_) => Code::NotFound,
            IndexError::Damaged(_)
            | IndexError::Record { .. }
            | IndexError::Format { .. }
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
        Self::new(code, &reason).advised(error.advice())
    }
}

impl From<Reopening> for Refused {
    fn from(reopening: Reopening) -> Self {
        Self::unavailable(&reopening.to_string(), Reopening::ADVICE)
    }
}

impl From<EngineError> for Refused {
    fn from(error: EngineError) -> Self {
        let code = match error {
            EngineError::Index(error) => return error.into(),
            EngineError::Unsynced { .. } | EngineError::NothingHeld(_) => Code::FailedPrecondition,
            EngineError::NotApplied(_) | EngineError::Failed(_) => Code::Unavailable,
            _ => {
                tracing::error!(%error, "the engine failed");
                Code::Internal
            }
        };
        Self::new(code, &error.to_string()).advised(error.advice().as_deref())
    }
}

impl From<Incomplete> for Refused {
    fn from(error: Incomplete) -> Self {
        let code = match error.pending.damaged {
            0 => Code::FailedPrecondition,
            _ => Code::DataLoss,
        };
        Self::new(code, &error.to_string()).advised(Some(&error.pending.advice()))
    }
}

impl From<ListError> for Refused {
    fn from(error: ListError) -> Self {
        match error {
            ListError::Incomplete(error) => error.into(),
            ListError::Unsettled(_) => Self::new(Code::Unavailable, &error.to_string())
                .advised(Some("ask again once `simctl sync` has returned")),
            ListError::Clusters(error) => error.into(),
            ListError::Index(error) => error.into(),
        }
    }
}

impl From<LookupError> for Refused {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Query(error) => error.into(),
            LookupError::List(error) => error.into(),
            LookupError::NoText { .. } => Self::new(Code::FailedPrecondition, &error.to_string()),
            LookupError::UnknownGroup(_) | LookupError::TemporaryGroup(_) => {
                Self::new(Code::NotFound, &error.to_string()).advised(error.advice())
            }
        }
    }
}

impl From<ClusterError> for Refused {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Index(error) => error.into(),
            ClusterError::TooMany { .. } => {
                Self::new(Code::ResourceExhausted, &error.to_string()).advised(error.advice())
            }
        }
    }
}

impl From<CalibrationError> for Refused {
    fn from(error: CalibrationError) -> Self {
        match error {
            CalibrationError::Incomplete(error) => error.into(),
            CalibrationError::Index(error) => error.into(),
            CalibrationError::TooFew { .. } => {
                Self::new(Code::FailedPrecondition, &error.to_string()).advised(error.advice())
            }
        }
    }
}

impl From<ReportingError> for Refused {
    fn from(error: ReportingError) -> Self {
        match error {
            ReportingError::Incomplete(error) => error.into(),
            ReportingError::Clusters(error) => error.into(),
            ReportingError::Index(error) | ReportingError::Finding(FindingError::Index(error)) => {
                error.into()
            }
            ReportingError::Finding(FindingError::Query(error)) => error.into(),
            ReportingError::Finding(error @ FindingError::Indexed(_)) => {
                Self::new(Code::FailedPrecondition, &error.to_string())
                    .advised(Some("ask again, and name it without its bytes"))
            }
            ReportingError::Finding(error @ FindingError::Write(_)) => {
                Self::new(Code::Internal, &error.to_string())
            }
            ReportingError::Report(ReportError::Cancelled) => IndexError::Cancelled.into(),
            ReportingError::Report(ReportError::Memory(error)) => error.into(),
            ReportingError::Report(error) => {
                Self::new(of_report(&error), &error.to_string()).advised(error.advice())
            }
        }
    }
}

impl From<LabelError> for Refused {
    fn from(error: LabelError) -> Self {
        let code = match error {
            LabelError::Incomplete(error) => return error.into(),
            LabelError::Query(error) => return error.into(),
            LabelError::Index(error) => return error.into(),
            LabelError::Unknown { .. } => Code::NotFound,
            LabelError::NoText { .. }
            | LabelError::Contradiction { .. }
            | LabelError::Training(_) => Code::FailedPrecondition,
            LabelError::Shipped(_) | LabelError::Write(_) => Code::Internal,
        };
        let reason = causes(&error);
        if code == Code::Internal {
            tracing::error!(reason, "the model in force is kept");
        }
        Self::new(code, &reason).advised(error.advice().as_deref())
    }
}

impl From<LostEvents> for Refused {
    fn from(error: LostEvents) -> Self {
        const ADVICE: &str = "watch without a position, then list files and groups again";
        Self::new(Code::OutOfRange, &error.to_string()).advised(Some(ADVICE))
    }
}

fn of_report(error: &ReportError) -> Code {
    match error {
        ReportError::Exists { .. } => Code::AlreadyExists,
        ReportError::TooMany { .. } | ReportError::Share { .. } => Code::ResourceExhausted,
        ReportError::NoName => Code::InvalidArgument,
        ReportError::Directory { .. }
        | ReportError::NotWritable { .. }
        | ReportError::Within { .. }
        | ReportError::Write { .. } => Code::FailedPrecondition,
        ReportError::NoRoom { .. } | ReportError::DirectoryFull { .. } => Code::ResourceExhausted,
        ReportError::Earlier { .. } => Code::FailedPrecondition,
        ReportError::Text { .. } => Code::DataLoss,
        ReportError::Memory(_) => Code::ResourceExhausted,
        ReportError::NoPrincipal { .. } | ReportError::Cancelled => Code::Internal,
    }
}

/// The status for a blocking task that did not return.
pub(super) fn lost_thread(error: &tokio::task::JoinError) -> Status {
    if error.is_cancelled() {
        return Status::unavailable("the daemon is stopping");
    }
    panicked()
}

/// The status for a request whose work panicked.
pub(super) fn panicked() -> Status {
    tracing::error!("a thread that answered a request failed");
    Status::internal("the request could not be answered")
}

/// The status of a request that names too many things.
pub(super) fn too_many(count: usize, what: &str, most: usize) -> Status {
    Status::invalid_argument(format!(
        "the request lists {count} {what}; at most {most} may be named at once"
    ))
}

#[cfg(test)]
mod tests;
