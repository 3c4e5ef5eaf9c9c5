//! Searches for the partners of documents whose order is known: of many by a join, or of a few one by one.

use std::sync::atomic::Ordering;

use simdex_schema::DocId;
use simdex_signature::SchemeKind;

use super::{Ahead, MAX_TURNS, NextDocuments, PAIRS_AT_ONCE, PairSearch};
use crate::join::{JoinRequest, Joined, join};
use crate::postings::Postings;
use crate::shared::IndexState;
use crate::{GrowingPermit, IndexError, MemoryAccount};

/// Documents searched for one by one before the pairs of all of them are counted: one at first, then twice as many each
/// time, up to this number.
const SEARCHED_AT_ONCE: usize = 256;
/// Bytes that a document that is searched for ahead takes here.
const TURN: u64 = 40;

impl PairSearch<'_> {
    /// Searches for the partners of the next documents one by one.
    pub(super) fn search_next(
        &self,
        ahead: &mut Ahead,
        next: &NextDocuments<'_>,
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        let mut documents = next(ahead.singly.min(ahead.searched_at_once))?;
        documents.retain(|id| self.found.get(id).is_none());
        self.pass(ahead);
        self.find(ahead, documents, account, |ahead, order| {
            self.search_in_order(ahead, order, account)
        })?;
        ahead.singly = ahead.singly.saturating_sub(ahead.order.len().max(1));
        ahead.searched_at_once = (2 * ahead.searched_at_once).min(SEARCHED_AT_ONCE);
        Ok(())
    }

    /// Searches for documents one by one, until they have as many pairs as are counted at once.
    fn search_in_order(
        &self,
        ahead: &Ahead,
        order: &[DocId],
        account: &MemoryAccount,
    ) -> Result<Joined, IndexError> {
        let (mut partners, mut pairs) = (Vec::new(), 0);
        let mut held = GrowingPermit::of(account);
        // A file that came meanwhile may carry a document that would not have been asked for again.
        let knows_past = self.shared.file_changes.load(Ordering::SeqCst) == self.file_changes;
        for (at, id) in order.iter().enumerate() {
            if pairs >= PAIRS_AT_ONCE[1] {
                break;
            }
            account.cancel().check()?;
            let is_later = |other: &DocId| {
                let turn = ahead.turns.get(other);
                let is_past = knows_past && ahead.past.contains(other.0);
                !is_past && turn.is_none_or(|turn| *turn as usize > at)
            };
            let mut found = Vec::new();
            if let Some(document) = self.finder.load(*id, account)? {
                let admits = |_: &IndexState, other| is_later(&other);
                let partners = self.finder.find_partners(&document, &admits, account)?;
                found.reserve_exact(partners.len());
                found.extend(partners.into_iter().map(|partner| partner.id));
            }
            pairs += found.len();
            held.add(size_of_val(&found[..]) as u64)?;
            partners.push(found);
        }
        Ok(Joined {
            partners,
            // The finder counts them.
            common_lists_skipped: 0,
            held,
        })
    }

    /// Searches for the partners of the next documents by a join, if there are enough of them.
    pub(super) fn join_next(
        &self,
        ahead: &mut Ahead,
        next: &NextDocuments<'_>,
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        let reading = Postings::of(self.shared).count(SchemeKind::ModN);
        let worth = usize::try_from(reading / ahead.limits.postings_as_one);
        let worth = worth.unwrap_or(usize::MAX).saturating_add(1);
        // The documents may take a quarter of what may be held, the join another quarter.
        let room = (account.total() / (4 * TURN)) as usize;
        let documents = next(ahead.max_documents.max(worth).min(room).min(MAX_TURNS))?;
        if ahead.is_unpaid(documents.len(), reading) {
            ahead.singly = documents.len().max(1);
            return self.search_next(ahead, next, account);
        }
        self.pass(ahead);
        #[cfg(test)]
        {
            ahead.joins += 1;
        }
        self.find(ahead, documents, account, |ahead, order| {
            self.join_in_order(ahead, order, account)
        })?;
        let done = ahead.partners.len();
        ahead.max_documents = done.saturating_mul(4);
        if ahead.is_unpaid(done, reading) {
            ahead.pause();
        }
        Ok(())
    }

    /// Searches for the partners of the first documents, as many as the function returns partners for.
    fn find(
        &self,
        ahead: &mut Ahead,
        documents: Vec<DocId>,
        account: &MemoryAccount,
        search: impl FnOnce(&Ahead, &[DocId]) -> Result<Joined, IndexError>,
    ) -> Result<(), IndexError> {
        let mut held = GrowingPermit::of(account);
        held.add(TURN * documents.len() as u64)?;
        let mut order = Vec::new();
        for id in documents {
            let turn = order.len() as u32;
            if self.visible.contains(id.0) && *ahead.turns.entry(id).or_insert(turn) == turn {
                // A document that was past is not, if a file later in the order carries it by now.
                ahead.past.remove(id.0);
                order.push(id);
            }
        }
        let joined = search(ahead, &order)?;
        let done = joined.partners.len() as u32;
        ahead.turns.retain(|_, turn| *turn < done);
        ahead.partners = joined.partners;
        ahead.common_lists_skipped += joined.common_lists_skipped;
        order.truncate(ahead.partners.len());
        held.add(self.add_earlier(ahead, &order))?;
        ahead.order = order;
        ahead.held = vec![held, joined.held];
        Ok(())
    }

    fn join_in_order(
        &self,
        ahead: &Ahead,
        order: &[DocId],
        account: &MemoryAccount,
    ) -> Result<Joined, IndexError> {
        let to_come = |id: &u64| !ahead.past.contains(*id);
        let mut among = self.visible.iter().filter(to_come).map(DocId);
        let second = self.shared.second_thread();
        let request = JoinRequest {
            turns: order,
            among: &mut among,
            cuts: self.finder.cuts(),
            second_thread: second.as_ref(),
            limits: ahead.limits,
        };
        join(Postings::of(self.shared), request, account)
    }

    /// Notes which documents that had a turn are past: all except those whose turn is still to come and those that
    /// several files carry, which are asked for again.
    fn pass(&self, ahead: &mut Ahead) {
        let turns_begun = ahead.turns_begun;
        let turns = std::mem::take(&mut ahead.turns).into_iter();
        let past = turns.filter(|(id, turn)| *turn < turns_begun && !self.is_copied(*id));
        ahead.past.extend(past.map(|(id, _)| id.0));
        ahead.forget();
    }

    /// A document that several files carry is asked for again after its partners, so it is added as a partner of each
    /// of them as well. Returns how many bytes that takes.
    fn add_earlier(&self, ahead: &mut Ahead, order: &[DocId]) -> u64 {
        let mut earlier = Vec::new();
        for (id, partners) in order.iter().zip(&ahead.partners) {
            if !partners.is_empty() && self.is_copied(*id) {
                let turns = partners.iter().filter_map(|other| ahead.turns.get(other));
                earlier.extend(turns.map(|turn| (*turn, *id)));
            }
        }
        for (turn, id) in &earlier {
            ahead.partners[*turn as usize].push(*id);
        }
        size_of_val(&earlier[..]) as u64
    }
}
