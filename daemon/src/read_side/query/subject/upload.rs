//! Bytes as the subject of a query: those that a client sent, or a snapshot of a file.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use simdex_extract::{Fact, MemberPolicy, Pool, QueueKey, ReadOptions, Urgency};
use simdex_index::{IndexReader, MemoryAccount, NewDocument};
use simdex_schema::{ContentHash, Reason, State, StoredReason};

use super::{Body, QueryError, Subject};
use crate::base::account_waits::{keep_going_of, wait_policy_of};
use crate::write_side::ingest::{WorkerAnswer, hash_all, raw_document};

impl Subject {
    /// Bytes that need not be in the index: extracted for this request, not indexed; `hashed` is their hash and length
    /// ([`hash_whole`]). They are read more than once: for a file of a share, pass a snapshot. Memory for the longest text
    /// that they may yield is taken before a worker is, so that no worker waits for memory and no text is held without a
    /// permit.
    ///
    /// # Errors
    /// [`QueryError::NotRead`] if a local failure kept them from being read: nothing is then known of them,
    /// and the result of a raw comparison would be no answer.
    pub fn from_upload(
        index: &IndexReader,
        pool: &Pool,
        asker: QueueKey,
        mut file: File,
        hashed: (ContentHash, u64),
        name: &Path,
        account: &MemoryAccount,
    ) -> Result<Self, QueryError> {
        let (hash, length) = hashed;
        let rewound = file.rewind();
        rewound.map_err(|_| QueryError::NotRead(Reason::ReadError))?;
        let options = ReadOptions {
            name: name.file_name().map(|n| n.to_string_lossy().into_owned()),
            urgency: Urgency::Question,
            queue_key: asker,
            // Nobody asks for them: they must not take the room that files are read in.
            members: MemberPolicy::Discard,
            keep_going: keep_going_of(account),
        };
        let mut permit = account.take(pool.longest_text())?;
        // The entry records the document as in progress, for recovery from a crash, until its text is
        // canonical.
        let read = pool.extract_journaled(&file, hash.0, &options, wait_policy_of(account));
        let _entry = read.entry;
        let is_quoting = read.extraction.facts.number(Fact::QuotedLines) > 0;
        let read = WorkerAnswer::of(read.extraction);
        if let Some(fault) = read.transient {
            account.cancel().check()?;
            return Err(QueryError::NotRead(fault));
        }
        permit.shrink_to(read.text.as_ref().map_or(0, |text| text.len() as u64));
        let subject = match read.text {
            Some(text) => Self::from_held_text(index, text, Some(permit), account)?,
            // The daemon crashed on these bytes: they are not processed any further.
            None if read.state == State::Quarantined => {
                Self::new(Body::Nothing, read.state, StoredReason::None, account)
            }
            None => Self::from_raw_file(index, &mut file, length, account)?,
        };
        let canonical = (subject.state, subject.reason.clone());
        let (state, reason) = outcome((read.state, read.reason), canonical);
        Ok(Self {
            state,
            reason,
            content: Some(hash),
            subject_path: Some(name.to_owned()),
            is_quoting,
            ..subject
        })
    }

    fn from_raw_file(
        index: &IndexReader,
        file: &mut File,
        length: u64,
        account: &MemoryAccount,
    ) -> Result<Self, QueryError> {
        let _held = account.take_large(length)?;
        let mut raw = Vec::new();
        let whole = file.rewind().and_then(|()| file.read_to_end(&mut raw));
        whole.map_err(|_| QueryError::NotRead(Reason::ReadError))?;
        let document = raw_document(&raw, index.ladder());
        Ok(Self::from_raw(document, account))
    }

    fn from_raw(document: NewDocument, account: &MemoryAccount) -> Self {
        let is_empty = document.length == 0;
        let first = document.signatures.into_iter().next();
        let signature = first.filter(|_| !is_empty);
        let body = match signature {
            Some(signature) => Body::Signature {
                signature,
                document: Some(document.hash),
            },
            None => Body::Nothing,
        };
        Self::new(body, State::NoText, StoredReason::None, account)
    }
}

/// The hash and length of a file, from its beginning.
pub fn hash_whole(file: &mut File) -> Result<(ContentHash, u64), QueryError> {
    let hashed = file.rewind().and_then(|()| hash_all(&*file));
    hashed.map_err(|_| QueryError::NotRead(Reason::ReadError))
}

/// The state and reason of bytes that were extracted and whose text was made canonical. Those of the
/// extraction have priority; but a text may be too short however well it was read, and only the canonical
/// form shows that a text read whole was cut.
pub(super) fn outcome(
    extracted: (State, StoredReason),
    canonical: (State, StoredReason),
) -> (State, StoredReason) {
    match (extracted.0, canonical.0) {
        (State::Quarantined, _) => extracted,
        (_, State::TooShort) => (State::TooShort, extracted.1),
        (State::Indexed, State::Partial) => canonical,
        _ => extracted,
    }
}
