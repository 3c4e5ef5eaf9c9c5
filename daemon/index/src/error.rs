//! What can go wrong in the index.

use crate::store::StoreError;
use crate::text::TextError;
use simdex_schema::{DecodeError, DocId};
use thiserror::Error;

/// An index that cannot do what was asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The text segments refused or failed.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A record does not decode.
    #[error("record {what}: {source}")]
    Record {
        /// Which record, as in "of a file".
        what: String,
        /// Why its bytes do not decode.
        source: DecodeError,
    },
    /// Another version of the program wrote the index, in a format that this one does not read.
    #[error("the index is of stored format {found}, and this program reads 1 to {newest}")]
    Format {
        /// The format of the index.
        found: u32,
        /// The newest that this program reads.
        newest: u32,
    },
    /// Stored data contradicts itself; rebuild the index.
    #[error("{0} is damaged")]
    Damaged(String),
    /// More postings than a bucket has room for: some 80 million documents share one fingerprint. No input is at fault;
    /// changes wait until there are fewer.
    #[error("{0} is too long")]
    TooLong(String),
    /// An index was not opened, because the texts of this many documents cannot be read.
    #[error("texts that are missing or damaged: {0}")]
    UnreadTexts(u64),
    /// The list of template lines that the index was made with was not given.
    #[error(
        "the index leaves template lines out, and their list is not named; name the config that names it with --config"
    )]
    NoTemplateLines,
    /// A thread of the index panicked; its work is lost.
    #[error("the {0} thread panicked")]
    WorkerPanicked(&'static str),
    /// A document that is not (or no longer) known.
    #[error("document {} is not known", .0.0)]
    UnknownDocument(DocId),
    /// Something outside the index could not be used because the machine lacks a resource that it may have again later:
    /// descriptors, memory.
    #[error("{what}: {source}")]
    Shortage {
        /// What could not be done, and on which path or object.
        what: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// What was found takes more memory than one request may hold.
    #[error("what was found takes more than {} MiB of memory, the limit for one query", max_bytes >> 20)]
    TooMuchMemory {
        /// The most it may hold, in bytes.
        max_bytes: u64,
    },
    /// The caller disconnected, or the deadline passed.
    #[error("the query was cancelled or ran out of time")]
    Cancelled,
}

impl IndexError {
    /// What to do about it, if that is known.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Format { found, newest } if found > newest => Some(
                "start a program at least as new as the one that wrote it: nothing leads back to an older format; or \
                 name another directory with --data-dir, where the index is made anew from the roots",
            ),
            Self::Format { .. } => Some(
                "older formats become the present one when `simdexd serve` opens them, and from this one nothing does; \
                 name another directory with --data-dir, where the index is made anew from the roots",
            ),
            Self::TooMuchMemory { .. } => Some("name fewer roots, or raise store.memory_mib"),
            _ => self
                .is_damaged_text()
                .then_some("`simctl sync` reads their files again, then ask again"),
        }
    }

    /// Whether it concerns only one document, which was removed or whose text is damaged (the index notes that): a
    /// caller that reads many documents continues without this one.
    pub fn concerns_one_document(&self) -> bool {
        matches!(self, Self::UnknownDocument(_)) || self.is_damaged_text()
    }

    /// Whether it says that a text is damaged, rather than that it could not be read now.
    pub fn is_damaged_text(&self) -> bool {
        matches!(
            self,
            Self::Text(TextError::Corrupt { .. } | TextError::NoSegment { .. })
        )
    }
}

/// A record that does not decode; `what` says which, as in "of a file".
pub(crate) fn decode_error(what: &str, source: DecodeError) -> IndexError {
    match source {
        DecodeError::Version { found, wanted } => IndexError::Format {
            found,
            newest: wanted,
        },
        source => IndexError::Record {
            what: what.to_owned(),
            source,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_format_is_named_with_what_can_be_done() {
        let refused = |found| {
            let wanted = simdex_schema::FORMAT_VERSION;
            decode_error("meta", DecodeError::Version { found, wanted })
        };
        let newer = refused(simdex_schema::FORMAT_VERSION + 1);
        let reads = format!(
            "and this program reads 1 to {}",
            simdex_schema::FORMAT_VERSION
        );
        assert!(newer.to_string().ends_with(&reads), "{newer}");
        assert!(newer.advice().unwrap().starts_with("start a program"));
        assert!(refused(0).advice().unwrap().contains("simdexd serve"));
    }
}
