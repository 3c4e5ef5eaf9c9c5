//! Partners found ahead, for a caller that asks for one document after another in an order that is known: by a join, or,
//! where that does not pay, by a search for each of the next documents. Either way the pairs of many are then counted
//! at once.

use std::ops::Range;
use std::sync::{Arc, MutexGuard, PoisonError};

use roaring::RoaringTreemap;
use rustc_hash::FxHashMap;
use simdex_schema::{DocId, EdgeRecord};

use super::PairSearch;
use super::counting::Turn;
use crate::join::JoinLimits;
use crate::{GrowingPermit, IndexError, MemoryAccount, MemoryPermit};

mod finding;

/// Documents searched for one by one before the first join, so that the first pairs do not wait for it.
pub(super) const FIRST_SINGLY: usize = 64;
/// Documents searched for one by one after the first join that did not pay off; twice as many after each further one.
const NEXT_SINGLY: usize = 1_024;
/// Maximum number of documents in one join.
const MAX_TURNS: usize = 1 << 22;
/// Pairs that are counted at once: few at first, so that they do not wait, and at most so many, so that partners which
/// many documents have in common are read few times.
const PAIRS_AT_ONCE: [usize; 2] = [1 << 14, 1 << 18];
/// Documents whose pairs are counted at once.
const TURNS_AT_ONCE: usize = 1 << 14;

/// Partners with exact counts.
pub(super) type Edges = Arc<Vec<(DocId, EdgeRecord)>>;

/// What was found ahead last.
pub(super) struct Ahead {
    pub(super) limits: JoinLimits,
    /// Documents that are still searched for one by one before the next join.
    pub(super) singly: usize,
    /// As many are after the next join that does not pay off.
    next_singly: usize,
    /// Documents that are still searched for and counted one by one, and not ahead.
    pub(super) alone: usize,
    /// Number of documents that are searched for next.
    searched_at_once: usize,
    /// Maximum number of documents in the next join, unless more are needed for it to pay off.
    max_documents: usize,
    /// Turns of the documents that were searched for: the position of each in their order.
    turns: FxHashMap<DocId, u32>,
    /// The documents by turn.
    order: Vec<DocId>,
    /// Possible partners by turn.
    partners: Vec<Vec<DocId>>,
    held: Vec<GrowingPermit>,
    /// Number of turns that were asked for, or came before one that was.
    turns_begun: u32,
    /// Documents asked for since then that have no turn.
    strays: usize,
    /// Documents that will not be asked for again.
    past: RoaringTreemap,
    /// Number of pairs that are counted next.
    pairs_at_once: usize,
    /// Turns whose pairs were counted, with `edges`.
    counted: Range<usize>,
    edges: Vec<Edges>,
    of_edges: Option<MemoryPermit>,
    pub(super) common_lists_skipped: u64,
    #[cfg(test)]
    pub(super) joins: usize,
}

impl Default for Ahead {
    fn default() -> Self {
        Self {
            limits: JoinLimits::USUAL,
            singly: FIRST_SINGLY,
            next_singly: NEXT_SINGLY,
            alone: 0,
            searched_at_once: 1,
            max_documents: MAX_TURNS,
            turns: FxHashMap::default(),
            order: Vec::new(),
            partners: Vec::new(),
            held: Vec::new(),
            turns_begun: 0,
            strays: 0,
            past: RoaringTreemap::new(),
            pairs_at_once: PAIRS_AT_ONCE[0],
            counted: 0..0,
            edges: Vec::new(),
            of_edges: None,
            common_lists_skipped: 0,
            #[cfg(test)]
            joins: 0,
        }
    }
}

impl Ahead {
    /// Whether searching for this many documents one by one takes less time than reading all postings.
    fn is_unpaid(&self, documents: usize, reading: u64) -> bool {
        (documents as u64).saturating_mul(self.limits.postings_as_one) < reading
    }

    /// The next turns, which have about as many pairs as are counted at once, or fewer if no more are known.
    fn turns_at_once(&mut self, first: usize, account: &MemoryAccount) -> Range<usize> {
        // They may take an eighth of what may be held.
        let room = account.total() / (8 * size_of::<(DocId, EdgeRecord)>() as u64);
        let limit = self.pairs_at_once.min(room as usize);
        let mut pairs = 0;
        let turns = self.partners[first..].iter().take(TURNS_AT_ONCE);
        let turns = turns.take_while(|partners| {
            let is_within = pairs < limit;
            pairs += partners.len();
            is_within
        });
        let turns = first..first + turns.count();
        // Whoever asked for so many will wait for more.
        if pairs >= self.pairs_at_once {
            self.pairs_at_once = (4 * self.pairs_at_once).min(PAIRS_AT_ONCE[1]);
        }
        turns
    }

    /// Searches for documents one by one after a join that did not pay off.
    fn pause(&mut self) {
        self.singly = self.next_singly;
        self.next_singly = self.next_singly.saturating_mul(2);
    }

    /// Releases what was found last.
    fn forget(&mut self) {
        *self = Self {
            limits: self.limits,
            singly: self.singly,
            next_singly: self.next_singly,
            alone: self.alone,
            searched_at_once: self.searched_at_once,
            max_documents: self.max_documents,
            past: std::mem::take(&mut self.past),
            pairs_at_once: self.pairs_at_once,
            common_lists_skipped: self.common_lists_skipped,
            #[cfg(test)]
            joins: self.joins,
            ..Self::default()
        };
    }
}

/// The next documents in the order in which they are asked for, at most as many as the argument says; the first is the
/// present one.
pub type NextDocuments<'a> = dyn Fn(usize) -> Result<Vec<DocId>, IndexError> + 'a;

impl PairSearch<'_> {
    /// Searches for the partners of a document and of many that come after it, by one join if that is cheaper than a
    /// search for each. Of each pair only the document that is asked for first then has the other as a partner.
    pub fn look_ahead(
        &self,
        id: DocId,
        next: &NextDocuments<'_>,
        account: &MemoryAccount,
    ) -> Result<(), IndexError> {
        let mut ahead = self.ahead();
        if let Some(turn) = ahead.turns.get(&id).copied() {
            ahead.turns_begun = ahead.turns_begun.max(turn + 1);
            return Ok(());
        }
        // Of documents that several files carry it is known.
        if !self.visible.contains(id.0) || self.found.get(&id).is_some() {
            return Ok(());
        }
        // It was not known when others were searched for, since a file was added to it meanwhile: most of what was found
        // is still to come.
        if (ahead.turns_begun as usize) < ahead.partners.len() && ahead.strays < FIRST_SINGLY {
            ahead.strays += 1;
            return Ok(());
        }
        if ahead.singly > 0 && ahead.alone > 0 {
            ahead.singly -= 1;
            ahead.alone -= 1;
            return Ok(());
        }
        let searches = ahead.singly > 0;
        let found = match searches {
            true => self.search_next(&mut ahead, next, account),
            false => self.join_next(&mut ahead, next, account),
        };
        if found.is_err() {
            ahead.forget();
        }
        match found {
            // It is searched for alone.
            Err(IndexError::TooMuchMemory { .. }) if searches => {
                ahead.singly -= 1;
                ahead.searched_at_once = 1;
                Ok(())
            }
            Err(IndexError::TooMuchMemory { .. }) => {
                ahead.pause();
                Ok(())
            }
            found => {
                ahead.turns_begun = ahead.turns.get(&id).map_or(0, |turn| turn + 1);
                found
            }
        }
    }

    /// The partners of a document that were found ahead, with exact counts; `None` if they were not. Pairs of many
    /// documents are counted at once.
    pub fn partners_ahead(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Option<Edges>, IndexError> {
        let mut ahead = self.ahead();
        let Some(turn) = ahead.turns.get(&id).map(|turn| *turn as usize) else {
            return Ok(None);
        };
        if ahead.counted.contains(&turn) {
            return Ok(Some(Arc::clone(&ahead.edges[turn - ahead.counted.start])));
        }
        if let Some(found) = self.found.get(&id) {
            return Ok(Some(found));
        }
        // A document that is asked for again is no reason to count again what comes after it.
        let turns = match turn < ahead.counted.start {
            true => turn..turn + 1,
            false => ahead.turns_at_once(turn, account),
        };
        if turn >= ahead.counted.start {
            (ahead.edges, ahead.of_edges) = Default::default();
            ahead.counted = turn..turn;
        }
        let (edges, permit) = self.count(&ahead, turns.clone(), account)?;
        let found = edges.first().cloned();
        for (id, edges) in ahead.order[turns.clone()].iter().zip(&edges) {
            if !edges.is_empty() && self.is_copied(*id) {
                self.keep_found(*id, edges);
            }
        }
        if turn >= ahead.counted.start {
            ahead.counted = turns;
            ahead.edges = edges;
            ahead.of_edges = permit;
        }
        Ok(found)
    }

    /// Counts the pairs of some turns, on two threads if a second one is available.
    fn count(
        &self,
        ahead: &Ahead,
        turns: Range<usize>,
        account: &MemoryAccount,
    ) -> Result<(Vec<Edges>, Option<MemoryPermit>), IndexError> {
        let pairs: usize = ahead.partners[turns.clone()].iter().map(Vec::len).sum();
        let permit = account.take_large((pairs * size_of::<(DocId, EdgeRecord)>()) as u64)?;
        let of_turn = |turn: usize| Turn {
            id: ahead.order[turn],
            partners: &ahead.partners[turn],
            edges: Vec::new(),
        };
        let mut items: Vec<Turn<'_>> = turns.map(of_turn).collect();
        self.count_turns(&mut items, account)?;
        let edges = items.into_iter().map(|turn| Arc::new(turn.edges));
        Ok((edges.collect(), permit))
    }

    /// The possible partners of a document, if they were found ahead.
    pub(super) fn joined_partners(&self, id: DocId) -> Option<Vec<DocId>> {
        let ahead = self.ahead();
        let turn = *ahead.turns.get(&id)?;
        Some(ahead.partners[turn as usize].clone())
    }

    // Its data is replaced as a whole.
    pub(super) fn ahead(&self) -> MutexGuard<'_, Ahead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
