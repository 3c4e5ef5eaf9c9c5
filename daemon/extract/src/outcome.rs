//! The outcome of reading one document: its text, or the reason why there is none.

use std::fmt;
use std::ops::Deref;

use crate::{Facts, Member, Reader, Reason};

/// The answer for one document.
#[derive(Debug, Clone)]
pub struct Extraction {
    /// Text or reason.
    pub outcome: Outcome,
    /// Kind found in the bytes, such as `application/pdf`; `application/octet-stream` if unknown.
    pub media_type: String,
    /// The reader that answered, or would have if it were built in; `None` if a worker was lost before it could say.
    pub reader: Option<Reader>,
    /// Parser that read it, such as `pdf-extract 0.12.1`. Texts of different parsers may order words
    /// differently.
    pub parser: String,
    /// Remarks for people: at most 16, of at most 200 characters.
    pub warnings: Vec<String>,
    /// Facts that the document states about itself, and facts about how it was read.
    pub facts: Facts,
    /// Files inside, in their container's order, one level deep.
    pub members: Vec<Member>,
}

/// Text or no text, by cause. Every variant without text says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Text was read; `partial` says why it is incomplete.
    Text {
        /// The text read, without NUL characters.
        text: ExtractedText,
        /// `None` if the text is complete.
        partial: Option<Reason>,
    },
    /// It holds other files and no text of its own; the reason says why not all of them were read.
    Container(Option<Reason>),
    /// Read without trouble, but there is no text.
    NoText(Reason),
    /// A password is needed.
    Encrypted(Reason),
    /// Not a kind that is read.
    Unsupported(Reason),
    /// It exceeds a size limit; nothing was read.
    TooLarge(Reason),
    /// The bytes, or the machine, did not allow it.
    Failed(Reason),
    /// Stopped for taking too long.
    TimedOut(Reason),
    /// The worker exited without an answer, or sent an invalid one.
    Crashed(Reason),
}

impl Outcome {
    /// The reason, if the outcome has one.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Text { partial, .. } | Self::Container(partial) => *partial,
            Self::NoText(reason)
            | Self::Encrypted(reason)
            | Self::Unsupported(reason)
            | Self::TooLarge(reason)
            | Self::Failed(reason)
            | Self::TimedOut(reason)
            | Self::Crashed(reason) => Some(*reason),
        }
    }
}

/// Text as a worker read it: lines and case unchanged, never with a NUL.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct ExtractedText(String);

impl ExtractedText {
    /// Takes `text`, dropping NUL characters.
    #[must_use]
    pub fn new(mut text: String) -> Self {
        if text.contains('\0') {
            text.retain(|c| c != '\0');
        }
        Self(text)
    }

    /// The text, borrowed; it contains no NUL characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, owned.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for ExtractedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Text of documents does not belong in logs: only the length is shown.
impl fmt::Debug for ExtractedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExtractedText({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracted_text_holds_no_nul_and_hides_itself_from_logs() {
        let text = ExtractedText::new("a\0b".into());
        assert_eq!(text.as_str(), "ab");
        assert_eq!(format!("{text:?}"), "ExtractedText(2 bytes)");
    }
}
