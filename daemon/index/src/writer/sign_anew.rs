//! Changes how coarsely texts are sampled, and signs documents again by the new sampling, one after another, while
//! queries are answered.
//!
//! A document gets its new signature in one step: one batch changes its record, its postings in the buffers are
//! removed, those in runs no longer count, and the new ones are added to the buffer. Samples nest, so documents that
//! are signed again and others are compared as usual, at the coarser rung. In one case of a thousand, though, its
//! neighbours depend on its rung. So it leaves its group, with its members, and is placed again as if it were new: the
//! groups are those of an index that was signed this way from the beginning.
//!
//! Progress is not stored: a document whose rung is not that of the sampling waits.

use std::sync::{RwLockWriteGuard, TryLockError};

use simdex_schema::{DocId, DocumentRecord, MetaRecord, key};
use simdex_signature::{Ladder, Sampling, Signature};

use super::settle::PART;
use super::{WriterState, with_signatures};
use crate::batch::Batch;
use crate::buffer::Buffer;
use crate::runs::{changes_with_rung, make_stale};
use crate::shared::SCHEMES;
use crate::stored_records::put_meta;
use crate::table::DocumentStats;
use crate::{Cancel, IndexError, IndexWriter, MemoryAccount};

/// Documents signed again in one step, so that few are out of their groups at a time. Also the limit of crowded
/// documents that may wait for their places meanwhile: each step may make as many more, which are placed slowly.
const AT_ONCE: usize = 16;

/// Documents whose places are taken in one step, including those that were signed: at this many the step ends, so that
/// most have their places at any time. One document may have more members.
const OUT_AT_ONCE: usize = 512;

/// The result of a step of signing again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignStep {
    /// No document waits.
    Nothing,
    /// Some were signed, or given up.
    Signed,
    /// None may be signed now: a join counts all postings, a merge failed, or crowded documents have no place yet.
    Busy,
}

/// The new signatures of a document, and the ladder they follow.
struct NewSignatures {
    signatures: Vec<Signature>,
    ladder: Ladder,
}

impl IndexWriter {
    /// Sets how coarsely texts are sampled; `None` goes by their length only. Power-safe when it returns. Documents
    /// that are signed with another sampling wait from then on: returns how many.
    pub fn set_sampling(&self, sampling: Option<Sampling>) -> Result<u64, IndexError> {
        let mut writer = self.lock();
        let meta = MetaRecord {
            sampling,
            ..writer.meta.clone()
        };
        put_meta(&*self.shared.store, &meta)?;
        writer.meta = meta;
        self.shared.set_sampling(sampling);
        let ladder = self.shared.ladder();
        // The writer is held: no document comes or goes between the two.
        let waiting = self.shared.state().table.signed_by_other_ladder(ladder);
        let count = waiting.len();
        self.shared
            .state_mut()
            .awaiting_signature
            .begin(ladder, waiting);
        // Released first: the commit waits for the disk.
        drop(writer);
        self.commit()?;
        Ok(count)
    }

    /// Whether documents wait to be signed again.
    pub fn has_to_sign(&self) -> bool {
        !self.shared.state().awaiting_signature.is_empty()
    }

    /// Signs some of the documents that wait. They have no place among the groups then, until they are settled. Only
    /// the thread that settles may call it. What was signed before an error stays so.
    pub fn sign_some_anew(&self, cancel: &Cancel) -> Result<SignStep, IndexError> {
        let (ids, crowded) = {
            let state = self.shared.state();
            (
                state.awaiting_signature.next(AT_ONCE),
                state.unsettled.counts().crowded,
            )
        };
        if ids.is_empty() {
            return Ok(SignStep::Nothing);
        }
        if crowded > AT_ONCE as u64 {
            return Ok(SignStep::Busy);
        }
        if self.is_left_over() || self.shared.buffered() >= self.shared.options.buffer_postings {
            self.merge()?;
        }
        let (mut step, mut out) = (SignStep::Busy, 0);
        for id in ids {
            cancel.check()?;
            let Some(left) = self.sign_anew(id, cancel)? else {
                return Ok(step);
            };
            step = SignStep::Signed;
            out += left;
            if out >= OUT_AT_ONCE {
                break;
            }
        }
        if !self.has_to_sign() {
            // Lists have other principals now, and postings that no longer count are dropped if they are many.
            self.shared.principal_lists.clear();
            self.merge()?;
        }
        Ok(step)
    }

    /// Signs a document again, or gives it up. Returns how many lost their places; `None` if it must wait.
    fn sign_anew(&self, id: DocId, cancel: &Cancel) -> Result<Option<usize>, IndexError> {
        let account = self.shared.memory.backlog.account(cancel);
        let Some(signed) = self.signed(id, &account)? else {
            self.shared.state_mut().awaiting_signature.give_up(id);
            return Ok(Some(0));
        };
        if self.while_no_join().is_none() || self.shared.state().is_leaving_groups(id) {
            return Ok(None);
        }
        let members = self.leave_members(id)?;
        Ok(self.show_signed(id, &signed)?.then_some(members + 1))
    }

    /// Whether a merge that failed set postings aside, or one is running: postings cannot be removed from what is set
    /// aside, so one run would hold postings of two signatures.
    fn is_left_over(&self) -> bool {
        let merging = &self.shared.state().merging;
        !merging.iter().all(|held| held.is_empty())
    }

    /// The new signatures of a document; `None` if it has no readable text, which does not affect the others.
    fn signed(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<NewSignatures>, IndexError> {
        let signer = self.reader.signer();
        let Some(length) = self.reader.documents().stats(id).map(|stats| stats.length) else {
            return Ok(None);
        };
        let _of_sketches = account.take_large(signer.fixed_size_bytes())?;
        let (text, _permit) = match self.reader.texts().signed(id, account) {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(None),
            Err(error) if error.is_of_one_text() => {
                tracing::warn!(document = id.0, %error, "a document could not be signed again");
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        Ok(Some(NewSignatures {
            signatures: signer.sign(&text, length),
            ladder: signer.ladder(),
        }))
    }

    /// Takes the places of a document's members, some at a time, so that other changes are applied in between; returns
    /// how many there were.
    fn leave_members(&self, id: DocId) -> Result<usize, IndexError> {
        let members: Vec<DocId> = {
            let stars = &self.shared.state().stars;
            stars.members(id).map(|(member, _)| member).collect()
        };
        for some in members.chunks(PART) {
            let _writer = self.lock();
            let since = self.shared.state().unsettled.placement_since(id);
            self.take_places(some, since)?;
        }
        Ok(members.len())
    }

    /// Publishes other signatures of a document without members, and takes its place; returns false if that must wait.
    fn show_signed(&self, id: DocId, signed: &NewSignatures) -> Result<bool, IndexError> {
        let mut writer = self.lock();
        let Some(_no_join) = self.while_no_join() else {
            return Ok(false);
        };
        // No merge is running while the writer is held: this finds one that failed since the first check.
        if self.is_left_over() || self.shared.state().is_leaving_groups(id) {
            return Ok(false);
        }
        let Some(old) = self.registry.document(id)? else {
            // It was purged meanwhile.
            self.shared.state_mut().awaiting_signature.give_up(id);
            return Ok(true);
        };
        let record = DocumentRecord {
            first_run: writer.meta.next_run,
            ..with_signatures(old, &signed.signatures)
        };
        self.store_signed(&mut writer, id, &record)?;
        self.publish_signed(&mut writer, id, &record, signed);
        Ok(true)
    }

    /// Keeps joins from beginning; `None` while one is running.
    fn while_no_join(&self) -> Option<RwLockWriteGuard<'_, ()>> {
        match self.shared.joining.try_write() {
            Ok(held) => Some(held),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Stores the record together with the meta record, which says that the run it names is not made yet.
    fn store_signed(
        &self,
        writer: &mut WriterState,
        id: DocId,
        record: &DocumentRecord,
    ) -> Result<(), IndexError> {
        let mut batch = Batch::new(self.shared.store.records());
        {
            let stars = &self.shared.state().stars;
            if stars.contains(id) {
                batch.delete(key::edge(id, stars.principal(id)));
                batch.put(key::unsettled(id), Vec::new());
            }
        }
        batch.put(key::document(id), record.encode());
        batch.put(key::meta(), writer.meta.encode());
        Ok(batch.write()?)
    }

    /// Publishes all of it at one moment.
    fn publish_signed(
        &self,
        writer: &mut WriterState,
        id: DocId,
        record: &DocumentRecord,
        signed: &NewSignatures,
    ) {
        let mut state = self.shared.state_mut();
        if state.stars.contains(id) {
            let since = state.unsettled.placement_since(id);
            state.note_regrouping(id, since);
            let displaced = state.unplace(id);
            debug_assert!(displaced.is_empty(), "it led somebody");
            state.unsettled.queue_placement_since(id, since);
        }
        let changing = |at: usize| changes_with_rung(SCHEMES[at]);
        let mut were_buffered = false;
        for buffer in (0..SCHEMES.len()).filter(|at| changing(*at)) {
            were_buffered |= Buffer::forget(&mut state.buffers[buffer], id);
        }
        if let Some(old) = state.table.get(id).filter(|_| !were_buffered) {
            writer.meta.dead_postings += u64::from(old.kept()) + u64::from(old.bsw_count);
        }
        make_stale(&mut state.runs, id);
        let signed_anew = state.awaiting_signature.next_change();
        state.insert_document(
            id,
            DocumentStats {
                signed_anew,
                ..DocumentStats::from(record)
            },
        );
        let changed = |signature: &&Signature| changes_with_rung(signature.scheme().kind);
        state.buffer(id, signed.signatures.iter().filter(changed));
        state.awaiting_signature.count_done(id, signed.ladder);
    }

    /// Settles and signs everything that waits and can be signed now, in turns as the settler does.
    #[cfg(test)]
    pub(crate) fn sign_all_anew(&self, cancel: &Cancel) -> Result<(), IndexError> {
        self.settle(cancel)?;
        while self.sign_some_anew(cancel)? == SignStep::Signed {
            self.settle(cancel)?;
        }
        Ok(())
    }
}
