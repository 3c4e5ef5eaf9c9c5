//! From the bytes of a content to its record and document, and its members.

use std::io::{Read, Seek};
use std::path::Path;
use std::time::Duration;

use simdex_extract::{
    EXTRACTOR_VERSION, JournaledRead, Member, MemberPolicy, Pool, PrivateFile, QueueKey,
    ReadOptions, SpoolBudget, Urgency,
};
use simdex_index::{IndexError, IndexReader, MemoryAccount, NewContent, NewDocument, canonicalise};
use simdex_schema::{ContentHash, ContentRecord, DocumentHash, DocumentKind, Reason, State};

use super::raw_document::raw_document;
use super::reader_version::version_of;
use super::worker_answer::WorkerAnswer;
use crate::base::account_waits::{keep_going_of, wait_policy_of};

/// Has contents read by workers, and makes records and signed documents of the answers.
pub(super) struct ContentProcessor<'a> {
    pub(super) index: &'a IndexReader,
    pub(super) pool: &'a Pool,
    /// The key under which its documents queue for workers.
    pub(super) queue_key: QueueKey,
    /// Permits for what is held of a file and its members until they are applied.
    pub(super) account: MemoryAccount,
    /// Longest content without text that is compared by its raw bytes.
    pub(super) raw_bytes: u64,
}

/// A content that a worker has just read, with its document signed.
pub(super) struct SignedContent {
    /// Its record and document.
    pub(super) content: NewContent,
    /// Its members, not yet read.
    pub(super) members: Vec<Member>,
    /// A transient fault of the system: nothing here then says anything about the content.
    pub(super) transient: Option<Reason>,
    /// The time it spent at workers, not counting the wait for one.
    pub(super) took: Duration,
}

/// The bytes of a content.
pub(super) struct ContentBytes<'a> {
    /// Private, read-only copy.
    pub(super) private: &'a PrivateFile,
    /// Its content hash: BLAKE3 of the copy, or that of a cut content.
    pub(super) hash: ContentHash,
    /// Length in bytes.
    pub(super) length: u64,
}

impl ContentProcessor<'_> {
    /// Where to keep further bytes of the same root or user.
    pub(super) fn space(&self) -> SpoolBudget {
        self.pool.space().charged_to(self.queue_key)
    }

    /// Has a worker read a content and signs the result. `cut` is the reason why `bytes` are only a part of the content.
    pub(super) fn process(
        &self,
        bytes: &ContentBytes<'_>,
        name: Option<String>,
        old: Option<ContentRecord>,
        cut: Option<Reason>,
    ) -> SignedContent {
        // Kept until the text is signed: a crash of the daemon before that counts against the content.
        let journaled = self.read_in_pool(bytes.private, bytes.hash, name);
        let (took, _entry) = (journaled.took, journaled.entry);
        let mut answer = WorkerAnswer::of(journaled.extraction);
        if let (Some(cut), State::Indexed) = (cut, answer.state) {
            (answer.state, answer.reason) = (State::Partial, cut.into());
        }
        let document = match answer.text.take() {
            Some(text) => self.text_document(text, &mut answer),
            None => self.document_of_raw_bytes(bytes, &answer),
        };
        // The only error is that the daemon stops.
        let document = document.unwrap_or_else(|_| {
            answer.interrupt();
            None
        });
        let strikes = answer.strikes(old);
        let state = answer.state_with(strikes, document.is_some());
        let record = ContentRecord {
            state,
            reason: answer.reason,
            document: None,
            media_type: answer.media_type,
            parser: answer.parser,
            extractor: EXTRACTOR_VERSION,
            strikes,
            bytes: bytes.length,
            warnings: answer.warnings,
            facts: answer.facts,
            reader: answer.reader.map(version_of),
        };
        SignedContent {
            content: NewContent { record, document },
            members: answer.members,
            transient: answer.transient,
            took,
        }
    }

    /// Has a worker read a content; the entry in the crash journal is dropped once the result needs no further
    /// processing.
    pub(super) fn read_in_pool(
        &self,
        private: &PrivateFile,
        hash: ContentHash,
        name: Option<String>,
    ) -> JournaledRead<'_> {
        let options = ReadOptions {
            name,
            urgency: Urgency::Backlog,
            queue_key: self.queue_key,
            members: MemberPolicy::Keep,
            keep_going: keep_going_of(&self.account),
        };
        let wait_policy = wait_policy_of(&self.account);
        self.pool
            .extract_journaled(private, hash.0, &options, wait_policy)
    }

    /// The document of a text; `None` if the text is shorter than one shingle. An error if the
    /// daemon stops before there is memory for it.
    fn text_document(
        &self,
        text: String,
        answer: &mut WorkerAnswer,
    ) -> Result<Option<NewDocument>, IndexError> {
        // The permit covers the text, which stays in memory until the change is applied, and all signatures while they
        // are sorted. Short texts need one too: a container may have thousands.
        let bytes = text.len() as u64;
        let signer = self.index.signer();
        let of_fixed_size = signer.fixed_size_bytes();
        let mut permit = self.account.take(bytes + bytes / 2 + of_fixed_size)?;
        let (canonical, _of_canonical) = canonicalise(&text, &self.account)?;
        let length = canonical.as_bytes().len() as u64;
        if length < u64::from(signer.window().width()) {
            return Ok(None);
        }
        answer.note_cut(&canonical);
        let (signed_text, _of_signed) = signer.signed_text(&canonical, &self.account)?;
        let signatures = signer.sign(&signed_text, length);
        let signed = signatures
            .iter()
            .map(|signature| 8 * signature.len() as u64);
        permit.shrink_to(bytes + signed.sum::<u64>());
        Ok(Some(NewDocument {
            hash: DocumentHash(canonical.hash()),
            kind: DocumentKind::Text,
            length,
            chars: canonical.chars(),
            signatures,
            text: Some(text),
            permit: Some(permit),
        }))
    }

    /// The document of raw bytes, for a content without text; `None` if it is empty or too long, or
    /// must not be processed. An error if the daemon stops before there is memory for it.
    fn document_of_raw_bytes(
        &self,
        bytes: &ContentBytes<'_>,
        answer: &WorkerAnswer,
    ) -> Result<Option<NewDocument>, IndexError> {
        let is_fit = (1..=self.raw_bytes).contains(&bytes.length);
        if !is_fit || answer.state.has_text() || answer.state == State::Quarantined {
            return Ok(None);
        }
        let _held = self.account.take_large(bytes.length)?;
        let (mut file, mut raw) = (bytes.private.file(), Vec::new());
        let rewound = file.rewind();
        let whole = rewound.and_then(|()| file.take(self.raw_bytes).read_to_end(&mut raw));
        Ok(whole.ok().map(|_| raw_document(&raw, self.index.ladder())))
    }
}

/// The name of a file, as a hint for the reader.
pub(super) fn file_name(path: &Path) -> Option<String> {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
}
