//! Another setting for how coarsely texts are sampled, and signing documents anew by it, one after another, while all
//! is answered.
//!
//! A document is shown with its other signature in one step: its record says so in one batch, its postings in the
//! buffers go, those in runs do not count from then on, and the new ones are in the buffer. Samples nest, so that
//! documents that are signed anew and others compare as ever, at the coarser rung. What its neighbours are depends on
//! its rung, though, in one case of a thousand; so it leaves its group, with those that it leads, and is placed
//! again as if it were new: groups are those of an index that was signed so from the beginning.
//!
//! Nothing is stored of how far this came: a document whose rung is not that of the setting waits.

use std::sync::{RwLockWriteGuard, TryLockError};

use simdex_schema::{DocId, DocumentRecord, MetaRecord, key};
use simdex_signature::{Ladder, Sampling, Signature};

use super::settle::PART;
use super::{WriterState, with_signatures};
use crate::batch::Batch;
use crate::buffer::Buffer;
use crate::index::put_meta;
use crate::runs::{changes_with_rung, make_stale};
use crate::shared::SCHEMES;
use crate::table::DocumentStats;
use crate::{Cancel, IndexError, IndexWriter, MemoryAccount};

/// Documents that are signed anew in one step, so that few are out of their groups at a time; and crowded ones that may
/// wait for their places meanwhile: each step may make as many more, which are placed slowly.
const AT_ONCE: usize = 16;

/// Documents whose places are taken in one step, with those that were signed: beyond that it ends, so that most have
/// their places at any time. One document may lead more.
const OUT_AT_ONCE: usize = 512;

/// What a step of signing anew came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignStep {
    /// No document waits.
    Nothing,
    /// Some were signed, or given up.
    Signed,
    /// None may be signed now: somebody counts all postings, a merge failed, or crowded documents have no place yet.
    Busy,
}

/// The signatures that a document is to have, and the ladder that asks for them.
struct NewSignatures {
    signatures: Vec<Signature>,
    ladder: Ladder,
}

impl IndexWriter {
    /// Has texts sampled as was chosen, or by the length alone where nothing is; power-safe when it returns. Documents
    /// that are signed otherwise wait from then on: returns how many.
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
        let waiting = self.shared.state().table.signed_otherwise(ladder);
        let count = waiting.len();
        self.shared.state_mut().resigning.begin(ladder, waiting);
        self.commit()?;
        Ok(count)
    }

    /// Whether documents wait to be signed anew.
    pub fn has_to_sign(&self) -> bool {
        !self.shared.state().resigning.is_empty()
    }

    /// Signs some of the documents that wait. They have no place among the groups then, until they are settled. Only
    /// the thread that settles may call it. What was signed before an error stays so.
    pub fn sign_some_anew(&self, cancel: &Cancel) -> Result<SignStep, IndexError> {
        let (ids, crowded) = {
            let state = self.shared.state();
            (
                state.resigning.next(AT_ONCE),
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
            // Lists have other principals now, and what does not count any more is left out where it is much.
            self.shared.principal_lists.clear();
            self.merge()?;
        }
        Ok(step)
    }

    /// Signs a document anew, or gives it up: returns how many lost their places; none where that must wait.
    fn sign_anew(&self, id: DocId, cancel: &Cancel) -> Result<Option<usize>, IndexError> {
        let account = self.shared.memory.backlog.account(cancel);
        let Some(signed) = self.signed(id, &account)? else {
            self.shared.state_mut().resigning.give_up(id);
            return Ok(Some(0));
        };
        if self.while_no_join().is_none() || self.shared.state().is_leaving_groups(id) {
            return Ok(None);
        }
        let members = self.leave_members(id)?;
        Ok(self.show_signed(id, &signed)?.then_some(members + 1))
    }

    /// Whether a merge that failed set postings aside, or one is under way: what is set aside cannot be taken out of, so
    /// that one run would hold postings of two signatures.
    fn is_left_over(&self) -> bool {
        let merging = &self.shared.state().merging;
        !merging.iter().all(|held| held.is_empty())
    }

    /// The signatures that a document is to have; none where it has no text that can be read, which costs no other its
    /// own.
    fn signed(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<NewSignatures>, IndexError> {
        let signer = self.reader.signer();
        let Some(length) = self.reader.stats(id).map(|stats| stats.length) else {
            return Ok(None);
        };
        let _of_sketches = account.take_large(signer.fixed_size_bytes())?;
        let (text, _permit) = match self.reader.held_signed_text(id, account) {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(None),
            Err(error) if error.is_of_one_text() => {
                tracing::warn!(document = id.0, %error, "a document is not signed anew");
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        Ok(Some(NewSignatures {
            signatures: signer.sign(&text, length),
            ladder: signer.ladder(),
        }))
    }

    /// Takes the places of those that a document leads, some at a time, so that changes are applied in between; returns
    /// how many they were.
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

    /// Shows a document that leads nobody with other signatures, and takes its place; false where that must wait.
    fn show_signed(&self, id: DocId, signed: &NewSignatures) -> Result<bool, IndexError> {
        let mut writer = self.lock();
        let Some(_no_join) = self.while_no_join() else {
            return Ok(false);
        };
        // No merge is under way while the writer is held: one that failed since this was asked first.
        if self.is_left_over() || self.shared.state().is_leaving_groups(id) {
            return Ok(false);
        }
        let Some(old) = self.registry.document(id)? else {
            // It was purged meanwhile.
            self.shared.state_mut().resigning.give_up(id);
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

    /// Keeps joins from beginning; none while one is under way.
    fn while_no_join(&self) -> Option<RwLockWriteGuard<'_, ()>> {
        match self.shared.joining.try_write() {
            Ok(held) => Some(held),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Stores the record with that of the index, which tells that the run it names is not made yet.
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
        Ok(batch.apply()?)
    }

    /// Shows all of it at one moment.
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
            state.regroup(id, since);
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
        let signed_anew = state.resigning.next_change();
        state.insert_document(
            id,
            DocumentStats {
                signed_anew,
                ..DocumentStats::from(record)
            },
        );
        let changed = |signature: &&Signature| changes_with_rung(signature.scheme().kind);
        state.buffer(id, signed.signatures.iter().filter(changed));
        state.resigning.count_done(id, signed.ladder);
    }

    /// Settles and signs everything that waits, and can be signed now, as the settler does by turns.
    #[cfg(test)]
    pub(crate) fn sign_all_anew(&self, cancel: &Cancel) -> Result<(), IndexError> {
        self.settle(cancel)?;
        while self.sign_some_anew(cancel)? == SignStep::Signed {
            self.settle(cancel)?;
        }
        Ok(())
    }
}
