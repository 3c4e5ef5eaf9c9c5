//! One content: from its bytes to a record and a document, and the members it holds.

use std::io::{Read, Seek};

use simdex_extract::{
    EXTRACTOR_VERSION, Extraction, Fact, Facts, Hint, Member, Outcome, Patience, PrivateFile,
    Reader, Urgency,
};
use simdex_index::{IndexError, MemoryAccount, NewContent, NewDocument};
use simdex_schema::{ContentHash, ContentRecord, DocumentHash, DocumentKind, Reason, State};
use simdex_signature::{CanonicalText, Chunks, Ladder};

use super::current::{is_current, version_of};
use super::{Ingest, STRIKES};

/// A content just read, with the files inside it.
pub(super) struct Unpacked {
    /// Its record and document.
    pub(super) content: NewContent,
    /// Its members, not yet read.
    pub(super) members: Vec<Member>,
    /// What of the machine failed: then nothing here says anything about the content.
    pub(super) fault: Option<&'static str>,
}

/// The bytes of a content: those that were hashed.
pub(super) struct Bytes<'a> {
    /// They themselves.
    pub(super) private: &'a PrivateFile,
    /// Their hash.
    pub(super) hash: ContentHash,
    /// How many.
    pub(super) length: u64,
}

impl Ingest<'_> {
    /// Extracts a content and signs what was read. `cut` says why `bytes` are not all of it.
    pub(super) fn content(
        &self,
        bytes: &Bytes<'_>,
        name: Option<String>,
        old: Option<ContentRecord>,
        cut: Option<&str>,
    ) -> Unpacked {
        let hint = Hint {
            name,
            urgency: Urgency::Backlog,
            share: self.share,
        };
        // The mark stays until the text is canonical and signed.
        let (extraction, _mark) = self.pool.extract_marked(
            bytes.private,
            bytes.hash.0,
            &hint,
            patience_of(&self.account),
        );
        let mut read = ReadContent::of(extraction);
        if let (Some(cut), State::Indexed) = (cut, read.state) {
            (read.state, read.reason) = (State::Partial, Reason::code(cut));
        }
        let document = match read.text.take() {
            Some(text) => self.text_document(text, &mut read),
            None => self.raw_document(bytes, &read),
        };
        let document = document.unwrap_or_else(|_| {
            read.interrupt();
            None
        });
        let strikes = read.strikes(old);
        let state = read.state_with(strikes, document.is_some());
        let record = ContentRecord {
            state,
            reason: read.reason,
            document: None,
            media_type: read.media_type,
            engine: read.engine,
            extractor: EXTRACTOR_VERSION,
            strikes,
            bytes: bytes.length,
            warnings: read.warnings,
            facts: read.facts,
            reader: read.reader.map(version_of),
        };
        Unpacked {
            content: NewContent { record, document },
            members: read.members,
            fault: read.fault,
        }
    }

    /// A document of a text; none where the text is shorter than one shingle. An error where the daemon
    /// stops before there is memory for it.
    fn text_document(
        &self,
        text: String,
        read: &mut ReadContent,
    ) -> Result<Option<NewDocument>, IndexError> {
        // The text, which is held until it is applied, and signatures, of both schemes and while they are
        // sorted. However short it is: a container may have thousands.
        let bytes = text.len() as u64;
        let mut held = self.account.take(bytes + bytes / 2)?;
        let (canonical, _of_canonical) = self.account.canonical(&text)?;
        let length = canonical.as_bytes().len() as u64;
        if length < u64::from(self.index.window().width()) {
            return Ok(None);
        }
        read.note_cut(&canonical);
        let signatures = self
            .index
            .sign_text(&canonical, self.index.ladder().rung_for(length));
        let signed = signatures
            .iter()
            .map(|signature| 8 * signature.len() as u64);
        held.shrink_to(bytes + signed.sum::<u64>());
        Ok(Some(NewDocument {
            hash: DocumentHash(canonical.hash()),
            kind: DocumentKind::Text,
            length,
            chars: canonical.chars(),
            signatures,
            text: Some(text),
            held: Some(held),
        }))
    }

    /// A document of raw bytes, for a content without text; none where it is empty or too long, or
    /// must not be worked on. An error where the daemon stops before there is memory for it.
    fn raw_document(
        &self,
        bytes: &Bytes<'_>,
        read: &ReadContent,
    ) -> Result<Option<NewDocument>, IndexError> {
        let is_fit = (1..=self.raw_bytes).contains(&bytes.length);
        if !is_fit || read.state.has_text() || read.state == State::Quarantined {
            return Ok(None);
        }
        let _held = self.account.take_large(bytes.length)?;
        let (mut file, mut raw) = (bytes.private.file(), Vec::new());
        let rewound = file.rewind();
        let whole = rewound.and_then(|()| file.take(self.raw_bytes).read_to_end(&mut raw));
        Ok(whole.ok().map(|_| raw_document(&raw, self.index.ladder())))
    }
}

/// Whether the holder of an account may wait for others: not while it holds memory that they wait for.
pub fn patience_of(account: &MemoryAccount) -> Patience {
    match account.held() {
        0 => Patience::MayWait,
        _ => Patience::MustGoOn,
    }
}

/// The raw-byte document of these bytes. Its name is BLAKE3 under a key of its own, so that no
/// text can be given the same one.
pub fn raw_document(raw: &[u8], ladder: Ladder) -> NewDocument {
    NewDocument {
        hash: DocumentHash(
            *blake3::Hasher::new_derive_key(RAW_DOCUMENT)
                .update(raw)
                .finalize()
                .as_bytes(),
        ),
        kind: DocumentKind::Raw,
        length: raw.len() as u64,
        chars: 0,
        text: None,
        signatures: vec![Chunks::sign_by(raw, ladder)],
        held: None,
    }
}

const RAW_DOCUMENT: &str = "simdex 2026 raw document";

/// An extraction in the words of the schema.
pub struct ReadContent {
    /// How it ended.
    pub state: State,
    /// Why.
    pub reason: Reason,
    /// Extracted text.
    pub text: Option<String>,
    /// Kind by content.
    pub media_type: String,
    /// Which reader answered.
    pub reader: Option<Reader>,
    /// Who read it.
    pub engine: String,
    /// Remarks.
    pub warnings: Vec<String>,
    /// Code and value.
    pub facts: Vec<(String, String)>,
    /// Files inside.
    pub members: Vec<Member>,
    /// The failure is the machine's, not the document's: it is no strike against the content.
    pub fault: Option<&'static str>,
}

impl ReadContent {
    /// Translates what the worker answered.
    pub fn of(extraction: Extraction) -> Self {
        use simdex_extract::Reason::DaemonCrashed;
        let fault = match &extraction.outcome {
            Outcome::Failed(reason) if reason.is_machines() => Some(reason.code()),
            _ => None,
        };
        let reason = extraction.outcome.reason();
        let reason = reason.map_or_else(Reason::none, |reason| Reason::code(reason.code()));
        let (state, text) = match extraction.outcome {
            Outcome::Text {
                text,
                partial: None,
            } => (State::Indexed, Some(text.into_string())),
            Outcome::Text {
                text,
                partial: Some(_),
            } => (State::Partial, Some(text.into_string())),
            Outcome::Container(_) => (State::Container, None),
            Outcome::NoText(_) => (State::NoText, None),
            Outcome::Encrypted(_) => (State::Encrypted, None),
            Outcome::Unsupported(_) => (State::Unsupported, None),
            Outcome::TooLarge(_) => (State::TooLarge, None),
            Outcome::Failed(_) => (State::Failed, None),
            Outcome::TimedOut(_) => (State::TimedOut, None),
            Outcome::Crashed(DaemonCrashed) => (State::Quarantined, None),
            Outcome::Crashed(_) => (State::Crashed, None),
        };
        let (media_type, engine) = (extraction.media_type, extraction.engine);
        Self {
            state,
            reason,
            text,
            media_type,
            reader: extraction.reader,
            engine,
            warnings: extraction.warnings,
            facts: facts_of(&extraction.facts),
            members: extraction.members,
            fault,
        }
    }

    /// Says that the canonical text is not of all the text, where nothing worse is said already.
    pub fn note_cut(&mut self, canonical: &CanonicalText) {
        if canonical.is_cut() && self.state == State::Indexed {
            (self.state, self.reason) = (State::Partial, Reason::code("too-long"));
        }
    }

    /// The daemon stops before the document is made: it is read again at the next start.
    fn interrupt(&mut self) {
        let reason = simdex_extract::Reason::ShuttingDown.code();
        (self.state, self.reason) = (State::Failed, Reason::code(reason));
        self.members.clear();
        self.fault = Some(reason);
    }

    /// Failures in a row, this one included: those of an older extractor do not count, nor do the
    /// machine's.
    fn strikes(&self, old: Option<ContentRecord>) -> u32 {
        let same = old.filter(is_current);
        match self.state {
            State::Quarantined => STRIKES,
            state if state.is_failure() && self.fault.is_none() => {
                same.map_or(0, |old| old.strikes) + 1
            }
            _ => 0,
        }
    }

    /// The state on record: given up after so many failures, and too short without a document.
    fn state_with(&self, strikes: u32, has_document: bool) -> State {
        let is_asking = |(code, _): &(String, String)| code == Fact::FramesAsked.code();
        let holds_files = !self.members.is_empty() || self.facts.iter().any(is_asking);
        match self.state.has_text() && !has_document {
            _ if strikes >= STRIKES => State::Quarantined,
            // What little text a container has of its own makes it no less one.
            true if holds_files => State::Container,
            true => State::TooShort,
            false => self.state,
        }
    }
}

fn facts_of(facts: &Facts) -> Vec<(String, String)> {
    let pair = |(fact, value): (simdex_extract::Fact, &str)| (fact.code().into(), value.into());
    facts.iter().map(pair).collect()
}
