//! Why a query cannot be answered, and what to do about it.

use std::borrow::Cow;

use simdex_index::IndexError;
use simdex_proto::completeness::Pending;
use simdex_schema::{DocumentHash, Reason};
use simdex_signature::SchemeKind;
use thiserror::Error;

use crate::engine::Incomplete;

/// Why a query cannot be answered.
#[derive(Debug, Error)]
pub enum QueryError {
    /// No such file in the view, which may only mean that it was not read yet.
    #[error("{path} is not a file the index knows{}", Incomplete::clause(.pending.as_ref()))]
    UnknownFile {
        /// The path as it is shown.
        path: String,
        /// What keeps the index from being complete, if anything does.
        pending: Option<Pending>,
    },
    /// No such document in the view.
    #[error("no document {0} is in the index")]
    UnknownDocument(DocumentHash),
    /// The request contradicts itself.
    #[error("{0}")]
    Invalid(String),
    /// The requested scheme is not indexed.
    #[error("{} is not indexed: signature.schemes of the config does not list it", .0.name())]
    SchemeOff(SchemeKind),
    /// The requested kind is found by containment, and the scheme gives none.
    #[error("{} gives no containment, since its signatures have one size for all texts", .0.name())]
    NoContainment(SchemeKind),
    /// The scheme tells candidates of queries, and two texts are to be compared by it.
    #[error("{} tells which documents may resemble each other, and gives no estimate of two", .0.name())]
    NoEstimate(SchemeKind),
    /// A signature this long cannot be held.
    #[error("at n = {n} a signature of these texts is too long to be held; the least n is {min_n}")]
    SignatureTooLong {
        /// The n that was requested.
        n: u64,
        /// The least n that would be accepted.
        min_n: u64,
    },
    /// A side has no text to compare.
    #[error("{0}")]
    NoText(String),
    /// A local failure kept the document that was sent from being read.
    #[error("the document that was sent could not be read: {}", .0.code())]
    NotRead(Reason),
    /// The text of what the request names is damaged.
    #[error("the text of {name} is damaged: {source}")]
    DamagedText {
        /// Path of one of its files as it is shown, or the document's hash if no file of it is visible.
        name: String,
        /// What was found damaged.
        source: IndexError,
    },
    /// The answer would rest on an index that is not complete, and only a complete one was requested.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
    /// The index failed, or the client disconnected.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl QueryError {
    /// The error of a request about one document, which it names if the text of that document is damaged.
    pub(in crate::read_side) fn naming(self, name: impl FnOnce() -> String) -> Self {
        match self {
            Self::Index(source) if source.is_damaged_text() => Self::DamagedText {
                name: name(),
                source,
            },
            other => other,
        }
    }

    /// What to do about it, if that is known.
    pub fn advice(&self) -> Option<Cow<'static, str>> {
        let advice = match self {
            Self::UnknownFile {
                pending: Some(pending),
                ..
            } => return Some(pending.advice().into()),
            Self::Incomplete(error) => return Some(error.pending.advice().into()),
            Self::Index(error) | Self::DamagedText { source: error, .. } => {
                return error.advice().map(Cow::Borrowed);
            }
            other => other.fixed_advice()?,
        };
        Some(advice.into())
    }

    fn fixed_advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::UnknownFile { .. } => {
                "name a file below a watched root as `simctl files` lists it; the `\\n`, `\\t` and `\\\\` of its tables \
                 stand for one character each"
            }
            Self::UnknownDocument(_) => "ask by path, or send the text",
            Self::SchemeOff(_) => {
                "ask by mod_n, or name it in signature.schemes and start the daemon again"
            }
            Self::NoContainment(SchemeKind::SuperShingles) => {
                "use mod_n for containment; this scheme serves find-similar"
            }
            Self::NoContainment(_) => {
                "use mod_n for containment; this scheme serves find-similar and compare"
            }
            Self::NoEstimate(_) => {
                "compare by mod_n, bsw_n, min_n or sketch_n; the exact numbers need no scheme"
            }
            Self::SignatureTooLong { .. } => "ask for a greater n, or leave it out",
            Self::NoText(_) => "compare copies that hold readable text",
            Self::NotRead(_) => "ask again; where that fails too, the log of the daemon says why",
            Self::Invalid(_) | Self::DamagedText { .. } | Self::Incomplete(_) | Self::Index(_) => {
                return None;
            }
        })
    }
}
