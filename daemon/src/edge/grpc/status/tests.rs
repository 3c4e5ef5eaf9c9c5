//! Codes, messages and advice of refusals.

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
            QueryError::NoEstimate(SchemeKind::SuperShingles),
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

fn incomplete(pending: Pending) -> Incomplete {
    let (pending, damaged) = (Box::new(pending), None);
    Incomplete { pending, damaged }
}

#[test]
fn an_answer_that_would_not_be_complete_is_refused_with_its_reasons_and_a_way_out() {
    let mut pending = Pending {
        queued: 2,
        ..Pending::default()
    };
    let Refused(refused) = incomplete(pending.clone()).into();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(
        refused.message(),
        "the index is not complete: 2 changes queued"
    );
    let bytes = refused.metadata().get_bin(ERROR_DETAIL).unwrap();
    let detail = ErrorDetail::decode(bytes.to_bytes().unwrap()).unwrap();
    assert_eq!(detail.advice, "`--wait` waits until it is");
    pending.damaged = 1;
    assert_eq!(status(incomplete(pending.clone())).0, Code::DataLoss);
    let (pending, damaged) = (Box::new(pending), Some("/share/a.txt".to_owned()));
    let Refused(refused) = Incomplete { pending, damaged }.into();
    assert_eq!(
        refused.message(),
        "the index is not complete: 2 changes queued, 1 text damaged; one damaged text is that of /share/a.txt"
    );
}

#[test]
fn a_message_names_the_thing_whatever_it_is_called_and_advice_goes_beside_it() {
    let table: [(Refused, &str, &str); 5] = [
        (
            unknown_file("/a; b", None).into(),
            "/a; b is not a file the index knows",
            "name a file below a watched root as `simctl files` lists it; the `\\n`, `\\t` and `\\\\` of its tables \
             stand for one character each",
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
