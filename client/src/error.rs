//! Errors of requests, and the only mapping from gRPC status to them.

use std::error::Error as _;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use prost::Message;
use simdex_proto::lines::InvalidLabel;
use simdex_proto::text::{escaped, grouped};
use tonic::{Code, Status};

use crate::wire::{ERROR_DETAIL, ErrorDetail};

/// A path as tables show it, with what cannot be printed escaped.
pub(crate) fn shown(path: &Path) -> String {
    escaped(path.as_os_str().as_bytes())
}

/// A request that was not answered. Displays as a lower-case fragment without a full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing listens on the socket, or the caller may not open it.
    #[error("cannot reach a daemon at {}: {cause}", shown(socket))]
    NoDaemon {
        /// The socket that was tried.
        socket: PathBuf,
        /// The operating system's error.
        cause: String,
        /// The caller lacks permission to open the socket; a daemon may well be listening.
        is_denied: bool,
    },
    /// A local file could not be opened or read.
    #[error("cannot read {} ({})", shown(path), cause(source))]
    Unreadable {
        /// Path of the local file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The path is a directory, device, FIFO or socket instead of a document.
    #[error("{} is not a regular file", shown(path))]
    NotRegular {
        /// The path given.
        path: PathBuf,
    },
    /// A report could not be written to its destination.
    #[error("cannot write {} ({})", shown(path), cause(source))]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A line of a labels file is not a valid label.
    #[error("{}: line {line} is no label: {reason}", shown(path))]
    NoLabel {
        /// Path of the labels file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: InvalidLabel,
    },
    /// A line of a file of pairs does not name one.
    #[error("{}: line {line} names no pair", shown(path))]
    NoPair {
        /// Path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
    },
    /// Another process is appending to the labels file.
    #[error("{} is being written by another `judge label`", shown(path))]
    LabelsInUse {
        /// Path of the labels file.
        path: PathBuf,
    },
    /// There are more labels than one request may hold.
    #[error("{} labels are more than the {} that one request may hold", grouped(*count), grouped(*most))]
    TooManyLabels {
        /// Number of the labels.
        count: u64,
        /// Most labels of one request.
        most: u64,
    },
    /// The labels are too large for one message.
    #[error(
        "the labels take {} bytes, more than the {} that the daemon accepts in a request",
        grouped(*bytes),
        grouped(*limit)
    )]
    LabelsTooLarge {
        /// Size of the request, in bytes.
        bytes: u64,
        /// Size of the largest message, in bytes.
        limit: u64,
    },
    /// The path does not hold a report to compare with.
    #[error("{} is no report to compare with: {why}", shown(path))]
    NoEarlierReport {
        /// The path given.
        path: PathBuf,
        /// What is wrong.
        why: &'static str,
    },
    /// The daemon sent an incomplete or invalid report; nothing of it was kept.
    #[error("the report that was received is not whole: {0}")]
    BadReport(&'static str),
    /// Neither the daemon nor the caller's file system knows the file.
    #[error("{} is unknown to the daemon and does not exist here", shown(path))]
    NoSuchFile {
        /// The file, absolute.
        path: PathBuf,
    },
    /// The document is too large for one message.
    #[error(
        "{} is larger than the {} bytes that the daemon accepts in a comparison",
        shown(path),
        grouped(*limit)
    )]
    TooLarge {
        /// Path of the document.
        path: PathBuf,
        /// Limit of the daemon, in bytes.
        limit: u64,
    },
    /// The path is not that of a watched root.
    #[error("{} is not a watched root", shown(path))]
    NoSuchRoot {
        /// The path asked for.
        path: PathBuf,
        /// The watched roots.
        known: Vec<PathBuf>,
    },
    /// The connection broke before the answer ended.
    #[error("the connection to the daemon was lost ({cause})")]
    Disconnected {
        /// What the transport reported.
        cause: String,
    },
    /// The daemon sent nothing for longer than the limit.
    #[error("no answer within {} s", .0.as_secs_f64())]
    Late(Duration),
    /// The answer stopped before its summary.
    #[error("the answer broke off before its end")]
    Incomplete,
    /// The daemon refused or failed.
    #[error("{message}")]
    Status {
        /// Its gRPC status.
        code: Code,
        /// Its message: the thing and the cause.
        message: String,
        /// Advice, if the daemon has any.
        advice: Option<String>,
    },
}

impl Error {
    /// Whether the daemon does not know what the request names.
    pub fn is_not_found(&self) -> bool {
        matches!(
            self,
            Self::Status {
                code: Code::NotFound,
                ..
            }
        )
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        // A status that the daemon sent has no source. This one has, so it was made here, from a connection error.
        if let (Code::Internal | Code::Unknown, Some(_)) = (status.code(), status.source()) {
            let cause = status.message().to_owned();
            return Self::Disconnected { cause };
        }
        let message = match status.message() {
            "" => status.code().description().to_lowercase(),
            words => words.to_owned(),
        };
        Self::Status {
            code: status.code(),
            message,
            advice: advice(&status),
        }
    }
}

/// The advice in a status.
fn advice(status: &Status) -> Option<String> {
    let bytes = status.metadata().get_bin(ERROR_DETAIL)?.to_bytes().ok()?;
    let detail = ErrorDetail::decode(bytes).ok()?;
    (!detail.advice.is_empty()).then_some(detail.advice)
}

/// The cause of an I/O error in words, without the system call's error number.
pub fn cause(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::AlreadyExists {
        return "it exists already".to_owned();
    }
    let words = error.to_string();
    let plain = words.split(" (os error").next().unwrap_or(&words);
    let mut letters = plain.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_words_alone() {
        assert_eq!(
            cause(&io::Error::from_raw_os_error(111)),
            "connection refused"
        );
        assert_eq!(
            cause(&io::Error::from_raw_os_error(2)),
            "no such file or directory"
        );
        assert_eq!(cause(&io::Error::other("Own words")), "own words");
    }

    #[test]
    fn a_status_without_words_says_what_its_code_means() {
        let error = Error::from(Status::new(Code::Unavailable, ""));
        assert_eq!(error.to_string(), "the service is currently unavailable");
        assert!(Error::from(Status::not_found("x")).is_not_found());
    }

    #[test]
    fn a_connection_that_broke_is_told_from_what_the_daemon_says() {
        let broken = io::Error::new(io::ErrorKind::BrokenPipe, "broken pipe");
        let error = Error::from(Status::from_error(Box::new(broken)));
        let said = "the connection to the daemon was lost (broken pipe)";
        assert_eq!(error.to_string(), said);
        let error = Error::from(Status::internal("the request could not be answered"));
        assert_eq!(error.to_string(), "the request could not be answered");
    }

    #[test]
    fn a_status_brings_its_advice_and_noise_in_its_place_is_none() {
        let told = |bytes: &[u8]| {
            let mut status = Status::not_found("a; b");
            let value = tonic::metadata::MetadataValue::from_bytes(bytes);
            status.metadata_mut().insert_bin(ERROR_DETAIL, value);
            match Error::from(status) {
                Error::Status {
                    message, advice, ..
                } => (message, advice),
                other => unreachable!("{other}"),
            }
        };
        let advice = "look elsewhere".to_owned();
        let detail = ErrorDetail { advice }.encode_to_vec();
        let expected = ("a; b".to_owned(), Some("look elsewhere".to_owned()));
        assert_eq!(told(&detail), expected);
        assert_eq!(told(b"\xff\xff").1, None);
        assert_eq!(told(b"").1, None);
    }
}
