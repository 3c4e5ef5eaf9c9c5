//! What became of one document: its text, or the reason why there is none.

use std::fmt;
use std::ops::Deref;

use crate::codes::codes;
use crate::{Facts, Member, Reader};

/// The answer for one document.
#[derive(Debug, Clone)]
pub struct Extraction {
    /// Text or reason.
    pub outcome: Outcome,
    /// Kind found in the bytes, such as `application/pdf`; `application/octet-stream` if unknown.
    pub media_type: String,
    /// Which reader answered; none where a worker was lost before it could say.
    pub reader: Option<Reader>,
    /// Who read it, such as `pdf-extract 0.12.1`. Texts of different engines may order words
    /// differently.
    pub engine: String,
    /// Remarks for people: at most 16, of at most 200 characters.
    pub warnings: Vec<String>,
    /// What the document says of itself, and what reading it came to.
    pub facts: Facts,
    /// Files inside, in their container's order, one level deep.
    pub members: Vec<Member>,
}

/// Text or no text, by cause. Every variant without text says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Text was read; `partial` says why it is not all of it.
    Text {
        /// The text.
        text: ExtractedText,
        /// `None` when the text is whole.
        partial: Option<Reason>,
    },
    /// Holds other files and no text of its own; the reason says why not all of them were read.
    Container(Option<Reason>),
    /// Read without trouble, and there is no text.
    NoText(Reason),
    /// A password is needed.
    Encrypted(Reason),
    /// Not a kind that is read.
    Unsupported(Reason),
    /// Beyond a size limit, nothing was read.
    TooLarge(Reason),
    /// The bytes, or the machine, did not allow it.
    Failed(Reason),
    /// Stopped for taking too long.
    TimedOut(Reason),
    /// The worker died or lied.
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

/// Text as a worker read it: lines and case as they are, never a NUL.
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

    /// The text.
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

/// Document text does not belong into logs: only the length is shown.
impl fmt::Debug for ExtractedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExtractedText({} bytes)", self.0.len())
    }
}

codes! {
    /// Why a document has no text, or not all of it.
    Reason {
        /// The text is longer than the output limit and was cut there
        OutputLimit = "output-limit",
        /// The file is longer than the input limit, or than its kind can be read
        InputLimit = "input-limit",
        /// The file unpacks to more than the limits allow
        InflateLimit = "inflate-limit",
        /// Elements or messages are nested deeper than the limit
        DepthLimit = "depth-limit",
        /// The file has more parts or entries than the limit
        PartsLimit = "parts-limit",
        /// Some pages could not be read
        PagesFailed = "pages-failed",
        /// Some parts could not be read
        PartsFailed = "parts-failed",
        /// The sheets have more cells than the limit
        CellsLimit = "cells-limit",
        /// Much of the text is garbled: fonts without a character table, perhaps
        LowQuality = "low-quality",
        /// Entries of the archive overlap, as they do in bombs
        OverlappingEntries = "overlapping-entries",
        /// The file breaks off or is damaged; what stands before was read
        Damaged = "damaged",
        /// The file is empty
        EmptyFile = "empty-file",
        /// The file was read and holds no words
        NoWords = "no-words",
        /// The pages hold no text, only pictures perhaps: text recognition is needed
        NeedsOcr = "needs-ocr",
        /// A password is needed to read the file
        PasswordNeeded = "password-needed",
        /// The kind is known but not read
        KindNotRead = "kind-not-read",
        /// Neither a known kind nor text
        Binary = "binary",
        /// The file does not follow the rules of its kind
        Malformed = "malformed",
        /// The parser gave up on an unforeseen construct
        ParserPanic = "parser-panic",
        /// Reading the file would take more memory than allowed
        MemoryLimit = "memory-limit",
        /// The file could not be read, or is no regular file opened for reading only
        ReadError = "read-error",
        /// Reading the file took more CPU time than allowed
        CpuLimit = "cpu-limit",
        /// Reading the file took more wall clock time than allowed
        WallLimit = "wall-limit",
        /// The parser overflowed its stack
        StackOverflow = "stack-overflow",
        /// The worker was killed by a signal
        Signal = "signal",
        /// The worker ended without an answer
        NoReply = "no-reply",
        /// The worker's answer breaks the protocol
        BadReply = "bad-reply",
        /// The worker was killed from outside: by the kernel for want of memory, or by somebody
        Killed = "killed",
        /// The machine had no room, or no way, to keep the bytes that were to be read
        SpoolFailed = "spool-failed",
        /// The daemon crashed twice while it worked on these bytes
        DaemonCrashed = "daemon-crashed",
        /// No worker could be started
        NoWorker = "no-worker",
        /// The pool was shut down meanwhile
        ShuttingDown = "shutting-down",
    }
}

impl Reason {
    /// Whether this is a fault of the machine, which says nothing about the document: it is tried
    /// again, and never given up for it.
    #[must_use]
    pub const fn is_machines(self) -> bool {
        matches!(
            self,
            Self::Killed
                | Self::SpoolFailed
                | Self::ReadError
                | Self::NoWorker
                | Self::ShuttingDown
        )
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
