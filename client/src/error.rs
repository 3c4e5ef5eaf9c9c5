//! What can go wrong between a question and its answer, and the one map from gRPC status to it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use prost::Message;
use tonic::{Code, Status};

use crate::wire::{ERROR_DETAIL, ErrorDetail};

/// A request that was not answered. Displays as a lower-case fragment without a full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nobody listens on the socket, or it may not be opened.
    #[error("no daemon answers at {} ({cause})", socket.display())]
    NoDaemon {
        /// The socket that was tried.
        socket: PathBuf,
        /// What the operating system said.
        cause: String,
        /// A daemon may well listen there, and the caller may not open the socket.
        is_denied: bool,
    },
    /// A local file could not be opened or read.
    #[error("cannot read {} ({})", path.display(), cause(source))]
    Unreadable {
        /// Path of the local file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A directory, device, FIFO or socket was named where a document is wanted.
    #[error("{} is not a regular file", path.display())]
    NotRegular {
        /// What was named.
        path: PathBuf,
    },
    /// A report could not be written where it was wanted.
    #[error("cannot write {} ({})", path.display(), cause(source))]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A line of a labels file is not a valid label.
    #[error("{}: line {line} is no label", path.display())]
    NoLabel {
        /// Path of the labels file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
    },
    /// Somebody else appends to a labels file.
    #[error("{} is being labelled into by another process", path.display())]
    LabelsInUse {
        /// Path of the labels file.
        path: PathBuf,
    },
    /// What was named is no report that another can be compared with.
    #[error("{} is no report to compare with: {why}", path.display())]
    NoEarlierReport {
        /// What was named.
        path: PathBuf,
        /// What is wrong.
        why: &'static str,
    },
    /// What the daemon sent is no whole report; nothing of it was kept.
    #[error("the report that was received is not whole: {0}")]
    BadReport(&'static str),
    /// A file that neither the daemon nor the caller's file system knows.
    #[error("{} is unknown to the daemon and does not exist here", path.display())]
    NoSuchFile {
        /// The file, absolute.
        path: PathBuf,
    },
    /// A document too large to be sent in one message.
    #[error("{} holds more than the {limit} bytes the daemon takes in a comparison", path.display())]
    TooLarge {
        /// Path of the document.
        path: PathBuf,
        /// Bytes the daemon takes.
        limit: u64,
    },
    /// A path that is not the path of a watched root.
    #[error("{} is not a watched root", path.display())]
    NoSuchRoot {
        /// The path asked for.
        path: PathBuf,
        /// The roots there are.
        known: Vec<PathBuf>,
    },
    /// The daemon kept silent for longer than the limit.
    #[error("no answer within {} s", .0.as_secs_f64())]
    Late(Duration),
    /// The answer stopped before the record that closes it.
    #[error("the answer broke off before its end")]
    Incomplete,
    /// The daemon refused or failed.
    #[error("{message}")]
    Status {
        /// Its gRPC status.
        code: Code,
        /// Its words: the thing and the cause.
        message: String,
        /// What to do about it, where the daemon knows.
        advice: Option<String>,
    },
}

impl Error {
    /// True where the daemon does not know what the request names.
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

/// What a status says is to be done about it.
fn advice(status: &Status) -> Option<String> {
    let bytes = status.metadata().get_bin(ERROR_DETAIL)?.to_bytes().ok()?;
    let detail = ErrorDetail::decode(bytes).ok()?;
    (!detail.advice.is_empty()).then_some(detail.advice)
}

/// The cause of an I/O error in words, without the number of the system call's error.
pub fn cause(error: &io::Error) -> String {
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
