//! The messages between daemon and worker over a Unix stream socket (the worker's stdin).
//!
//! Every message is a frame: length (u32, little-endian), then that many bytes of JSON.
//!
//! ```text
//! daemon  Setup                              once, before the worker confines itself
//! worker  Hello                              once, confined
//! daemon  Request + read-only descriptor     SCM_RIGHTS on the frame's length bytes
//! worker  Member, then its bytes in chunks    as often as there are members
//! worker  Reply + text_bytes bytes of UTF-8
//! ```
//!
//! The bytes of a member are chunks (u32 length, that many bytes) until a chunk of length 0, then a
//! frame with `MemberEnd`. A member whose bytes cannot be read consists of its frame only.
//!
//! The worker may have been compromised by a document, so the daemon bounds every length before it allocates and
//! accepts only known words.

mod answer;
mod frame;

use serde::{Deserialize, Serialize};

pub(crate) use self::answer::{Answers, receive_reply};
pub(crate) use self::frame::{receive, receive_with_descriptor, send, send_with_descriptor};
use crate::member::Member;
use crate::{Budgets, ExtractedText, Extraction, Facts, Outcome, Reader, Reason};

/// Longest media type or name of a parser.
const MAX_NAME: usize = 128;
/// Maximum number of warnings in a reply.
const MAX_WARNINGS: usize = 16;
const MAX_WARNING_BYTES: usize = 800;

/// First frame: the limits that the worker sets for its whole life.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setup {
    pub(crate) address_space: u64,
    pub(crate) cpu_seconds: u64,
    pub(crate) output_bytes: u64,
    pub(crate) budgets: Budgets,
}

/// The worker's first frame: it is ready, and confined this way.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hello {
    pub(crate) extractor_version: u32,
    /// Readers built into the worker.
    pub(crate) readers: Vec<Reader>,
    pub(crate) enforced: Vec<String>,
    pub(crate) missing: Vec<String>,
}

/// One document; its descriptor is sent with the frame.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    pub(crate) nonce: u64,
    pub(crate) length: u64,
    pub(crate) name: Option<String>,
    pub(crate) task: Task,
}

/// The task of a worker for one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Detect its kind and read it.
    Read,
    /// Make one text of the pages that an external tool printed: UTF-8, each page ended by a form feed.
    JoinPages,
}

/// The outcomes that a worker may state. Only the daemon states time-outs and crashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    Text,
    Container,
    NoText,
    Encrypted,
    Unsupported,
    TooLarge,
    Failed,
}

/// The answer to one request; `text_bytes` bytes follow the frame.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    pub(crate) nonce: u64,
    pub(crate) status: Status,
    pub(crate) reason: Option<Reason>,
    pub(crate) media_type: String,
    pub(crate) reader: Option<Reader>,
    pub(crate) parser: String,
    pub(crate) warnings: Vec<String>,
    pub(crate) facts: Facts,
    pub(crate) text_bytes: u64,
    /// The worker ends after this answer and wants to be replaced.
    pub(crate) last: bool,
}

impl Reply {
    /// Splits an extraction into reply and text. Outcomes a worker cannot state become failures.
    pub(crate) fn of(extraction: Extraction, nonce: u64, last: bool) -> (Self, String) {
        let reason = extraction.outcome.reason();
        let (status, text) = match extraction.outcome {
            Outcome::Text { text, .. } => (Status::Text, text.into_string()),
            Outcome::Container(_) => (Status::Container, String::new()),
            Outcome::NoText(_) => (Status::NoText, String::new()),
            Outcome::Encrypted(_) => (Status::Encrypted, String::new()),
            Outcome::Unsupported(_) => (Status::Unsupported, String::new()),
            Outcome::TooLarge(_) => (Status::TooLarge, String::new()),
            Outcome::Failed(_) | Outcome::TimedOut(_) | Outcome::Crashed(_) => {
                (Status::Failed, String::new())
            }
        };
        let reply = Self {
            nonce,
            status,
            reason,
            media_type: extraction.media_type,
            reader: extraction.reader,
            parser: extraction.parser,
            warnings: extraction.warnings,
            facts: extraction.facts,
            text_bytes: text.len() as u64,
            last,
        };
        (reply, text)
    }

    /// Whether the reply is within the bounds and answers `nonce`.
    pub(crate) fn is_sound(&self, nonce: u64, output_bytes: u64) -> bool {
        let needs_reason = !matches!(self.status, Status::Text | Status::Container);
        self.nonce == nonce
            && (self.status == Status::Text || self.text_bytes == 0)
            && (self.reason.is_some() || !needs_reason)
            && self.reason.is_none_or(Reason::may_come_from_reader)
            && self.facts.is_sound()
            && self.text_bytes <= output_bytes
            && is_plain(&self.parser)
            && is_plain(&self.media_type)
            && !self.media_type.contains(' ')
            && self.warnings.len() <= MAX_WARNINGS
            && self
                .warnings
                .iter()
                .all(|w| w.len() <= MAX_WARNING_BYTES && !w.chars().any(char::is_control))
    }

    /// Joins a valid reply and its text; `None` if status and reason do not match.
    pub(crate) fn into_extraction(self, text: String, members: Vec<Member>) -> Option<Extraction> {
        let outcome = match (self.status, self.reason) {
            (Status::Text, partial) => Outcome::Text {
                text: ExtractedText::new(text),
                partial,
            },
            (Status::Container, partial) => Outcome::Container(partial),
            (Status::NoText, Some(reason)) => Outcome::NoText(reason),
            (Status::Encrypted, Some(reason)) => Outcome::Encrypted(reason),
            (Status::Unsupported, Some(reason)) => Outcome::Unsupported(reason),
            (Status::TooLarge, Some(reason)) => Outcome::TooLarge(reason),
            (Status::Failed, Some(reason)) => Outcome::Failed(reason),
            (_, None) => return None,
        };
        Some(Extraction {
            outcome,
            media_type: self.media_type,
            reader: self.reader,
            parser: self.parser,
            warnings: self.warnings,
            facts: self.facts,
            members,
        })
    }
}

/// Printable ASCII of a reasonable length.
fn is_plain(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(|b| matches!(b, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply() -> Reply {
        Reply {
            nonce: 7,
            status: Status::Text,
            reason: None,
            media_type: "text/plain".into(),
            reader: Some(Reader::Plain),
            parser: "plain 1".into(),
            warnings: vec![],
            facts: Facts::default(),
            text_bytes: 3,
            last: false,
        }
    }

    #[test]
    fn soundness_is_nonce_bounds_and_plain_names() {
        assert!(reply().is_sound(7, 3));
        assert!(!reply().is_sound(8, 3), "another nonce");
        assert!(!reply().is_sound(7, 2), "longer than allowed");
        let unsound = [
            Reply {
                reason: Some(Reason::Killed),
                ..reply()
            },
            Reply {
                media_type: "a\nb".into(),
                ..reply()
            },
            Reply {
                media_type: String::new(),
                ..reply()
            },
            Reply {
                parser: "x".repeat(MAX_NAME + 1),
                ..reply()
            },
            Reply {
                warnings: vec![String::new(); MAX_WARNINGS + 1],
                ..reply()
            },
            Reply {
                warnings: vec!["\u{1b}[2J".into()],
                ..reply()
            },
            Reply {
                status: Status::NoText,
                reason: Some(Reason::EmptyFile),
                ..reply()
            },
            Reply {
                status: Status::Failed,
                text_bytes: 0,
                ..reply()
            },
        ];
        for bad in unsound {
            assert!(!bad.is_sound(7, 3), "{bad:?}");
        }
    }

    #[test]
    fn a_worker_cannot_claim_a_time_out_or_unknown_words() {
        let known = serde_json::to_string(&reply()).unwrap();
        assert!(serde_json::from_str::<Reply>(&known).is_ok());
        for (word, other) in [("\"text\"", "\"timed-out\""), ("\"last\"", "\"path\"")] {
            assert!(serde_json::from_str::<Reply>(&known.replace(word, other)).is_err());
        }
    }
}
