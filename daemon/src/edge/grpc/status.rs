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
use crate::read_side::calibrating::CalibrationError;
use crate::read_side::clusters::ClusterError;
use crate::read_side::findings::FindingError;
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
            QueryError::UnknownFile { .. } | QueryError::UnknownDocument(_) => Code::NotFound,
            QueryError::Invalid(_)
            | QueryError::SignatureTooLong { .. }
            | QueryError::NoContainment(_) => Code::InvalidArgument,
            QueryError::SchemeOff(_) | QueryError::NoText(_) => Code::FailedPrecondition,
            QueryError::NotRead(_) => Code::Unavailable,
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
        let refused = Self::new(Code::Unavailable, &reopening.to_string());
        refused.advised(Some(Reopening::ADVICE))
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
        let code = match error.0.damaged {
            0 => Code::FailedPrecondition,
            _ => Code::DataLoss,
        };
        Self::new(code, &error.to_string()).advised(Some(&error.0.advice()))
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

impl From<LostEvents> for Refused {
    fn from(error: LostEvents) -> Self {
        const ADVICE: &str = "list files and groups again, then watch without a position";
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
        ReportError::NoRoom { .. } => Code::ResourceExhausted,
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
pub(super) fn too_many(count: usize, what: &str) -> Status {
    Status::invalid_argument(format!("the request lists {count} {what}, far too many"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_proto::completeness::Pending;
    use simdex_schema::{DocumentHash, Reason};
    use simdex_signature::SchemeKind;

    fn status(refused: impl Into<Refused>) -> (Code, String) {
        let Refused(status) = refused.into();
        (status.code(), status.message().to_owned())
    }

    fn unknown_file(path: &str, queued: Option<u64>) -> QueryError {
        QueryError::UnknownFile {
            path: path.to_owned(),
            pending: queued.map(|queued| Pending {
                queued,
                ..Pending::default()
            }),
        }
    }

    #[test]
    fn every_query_error_has_its_code() {
        let unknown = DocumentHash([7; 32]);
        let table = [
            (unknown_file("/a", None), Code::NotFound),
            (QueryError::UnknownDocument(unknown), Code::NotFound),
            (QueryError::Invalid("no".into()), Code::InvalidArgument),
            (
                QueryError::SchemeOff(SchemeKind::MinN),
                Code::FailedPrecondition,
            ),
            (
                QueryError::NoContainment(SchemeKind::SketchN),
                Code::InvalidArgument,
            ),
            (
                QueryError::NoText("/a has no text".into()),
                Code::FailedPrecondition,
            ),
            (QueryError::NotRead(Reason::SpoolFailed), Code::Unavailable),
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
    fn a_group_in_the_making_may_be_asked_for_again() {
        let unsettled = ListError::Unsettled(simdex_schema::GroupId(7));
        let said = (Code::Unavailable, "group 7 is not settled".to_owned());
        assert_eq!(status(unsettled), said);
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
    fn an_answer_that_would_not_be_complete_is_refused_with_its_reasons_and_a_way_out() {
        let mut pending = Pending {
            queued: 2,
            ..Pending::default()
        };
        let Refused(refused) = Incomplete(pending.clone()).into();
        assert_eq!(refused.code(), Code::FailedPrecondition);
        assert_eq!(
            refused.message(),
            "the index is not complete: 2 changes queued"
        );
        let bytes = refused.metadata().get_bin(ERROR_DETAIL).unwrap();
        let detail = ErrorDetail::decode(bytes.to_bytes().unwrap()).unwrap();
        assert_eq!(detail.advice, "`--wait` waits until it is");
        pending.damaged = 1;
        assert_eq!(status(Incomplete(pending)).0, Code::DataLoss);
    }

    #[test]
    fn a_message_names_the_thing_whatever_it_is_called_and_advice_goes_beside_it() {
        let table: [(Refused, &str, &str); 5] = [
            (
                unknown_file("/a; b", None).into(),
                "/a; b is not a file the index knows",
                "name a file below a watched root as `simctl files` lists it",
            ),
            (
                unknown_file("/a", Some(2)).into(),
                "/a is not a file the index knows; the index is not complete: 2 changes queued",
                "`--wait` waits until it is",
            ),
            (
                QueryError::NoText("/x; y.bin has no text to compare: its state is failed".into())
                    .into(),
                "/x; y.bin has no text to compare: its state is failed",
                "compare copies that hold readable text",
            ),
            (
                EngineError::Unsynced {
                    reason: "the root /a; b is stale".into(),
                    advice: "mount it".into(),
                }
                .into(),
                "the root /a; b is stale",
                "mount it",
            ),
            (
                Reopening("a; b".into()).into(),
                "the index is being reopened (a; b)",
                "ask again later",
            ),
        ];
        for (Refused(status), message, advice) in table {
            assert_eq!(status.message(), message);
            let bytes = status.metadata().get_bin(ERROR_DETAIL).unwrap();
            let detail = ErrorDetail::decode(bytes.to_bytes().unwrap()).unwrap();
            assert_eq!(detail.advice, advice);
        }
        let Refused(plain) = QueryError::Invalid("no".into()).into();
        assert!(plain.metadata().get_bin(ERROR_DETAIL).is_none());
    }

    #[test]
    fn a_long_message_keeps_its_beginning_and_its_end() {
        let name = "é".repeat(1 << 20);
        let why = QueryError::NoText(format!("/{name} has no text to compare"));
        let (_, message) = status(why);
        assert!(message.len() <= MESSAGE, "{}", message.len());
        assert!(message.starts_with("/é") && message.ends_with("has no text to compare"));
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
