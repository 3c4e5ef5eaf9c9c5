//! Partners found by joins, for a caller that asks for one document after another in an order that is known ahead.

use std::ops::Range;
use std::sync::{Arc, MutexGuard, PoisonError};

use roaring::RoaringTreemap;
use rustc_hash::FxHashMap;
use simdex_schema::{DocId, EdgeRecord};
use simdex_signature::SchemeKind;

use super::PairSearch;
use super::counting::Turn;
use crate::join::{JoinLimits, JoinRequest, Joined, join};
use crate::postings::Postings;
use crate::two_threads::{SecondThread, each_on_two_threads};
use crate::{GrowingPermit, IndexError, MemoryAccount, MemoryPermit};

/// Documents searched for one by one before the first join, so that the first pairs do not wait for it.
const FIRST_SINGLY: usize = 64;
/// Documents searched for one by one after the first join that did not pay off; twice as many after each further one.
const NEXT_SINGLY: usize = 1_024;
/// Maximum number of documents in one join.
const MAX_TURNS: usize = 1 << 22;
/// Bytes that a document of a join takes here.
const TURN: u64 = 40;
/// Pairs that are counted at once: few at first, so that they do not wait, and at most so many, so that partners which
/// many documents have in common are read few times.
const PAIRS_AT_ONCE: [usize; 2] = [1 << 14, 1 << 18];
/// Documents whose pairs are counted at once.
const TURNS_AT_ONCE: usize = 1 << 14;

/// Partners with exact counts.
pub(super) type Edges = Arc<Vec<(DocId, EdgeRecord)>>;

/// The results of the last join.
pub(super) struct Ahead {
    pub(super) limits: JoinLimits,
    /// Documents that are still searched for one by one before the next join.
    pub(super) singly: usize,
    /// As many are after the next join that does not pay off.
    next_singly: usize,
    /// Maximum number of documents in the next join, unless more are needed for it to pay off.
    max_documents: usize,
    /// Turns of the last join: the position of each document in its order.
    turns: FxHashMap<DocId, u32>,
    /// The documents by turn.
    order: Vec<DocId>,
    /// Possible partners by turn.
    partners: Vec<Vec<DocId>>,
    held: Vec<GrowingPermit>,
    /// Number of turns that were asked for, or came before one that was.
    turns_begun: u32,
    /// Documents asked for since the last join that have no turn in it.
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

    /// How many pairs are counted next; more at each call.
    fn pairs_at_once(&mut self, account: &MemoryAccount) -> usize {
        // They may take an eighth of what may be held.
        let room = account.total() / (8 * size_of::<(DocId, EdgeRecord)>() as u64);
        let pairs = self.pairs_at_once.min(room as usize);
        self.pairs_at_once = (4 * pairs).clamp(PAIRS_AT_ONCE[0], PAIRS_AT_ONCE[1]);
        pairs
    }

    /// Searches for documents one by one after a join that did not pay off.
    fn pause(&mut self) {
        self.singly = self.next_singly;
        self.next_singly = self.next_singly.saturating_mul(2);
    }

    /// Releases what the last join found.
    fn forget(&mut self) {
        *self = Self {
            limits: self.limits,
            singly: self.singly,
            next_singly: self.next_singly,
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
    /// Searches for the partners of a document and of many that come after it by one join, if that is cheaper than a
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
        if !self.visible.contains(id.0) {
            return Ok(());
        }
        if ahead.singly > 0 {
            ahead.singly -= 1;
            return Ok(());
        }
        // The join did not know it, since a file was added to it meanwhile: most of what the join found is still to
        // come.
        if (ahead.turns_begun as usize) < ahead.partners.len() && ahead.strays < FIRST_SINGLY {
            ahead.strays += 1;
            return Ok(());
        }
        let joined = self.join_next(&mut ahead, id, next, account);
        if joined.is_err() {
            ahead.forget();
        }
        match joined {
            Err(IndexError::TooMuchMemory { .. }) => {
                ahead.pause();
                Ok(())
            }
            joined => joined,
        }
    }

    /// Searches for the partners of the next documents by a join, if there are enough of them.
    fn join_next(
        &self,
        ahead: &mut Ahead,
        id: DocId,
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
            return Ok(());
        }
        self.pass(ahead);
        self.join(ahead, documents, account)?;
        let done = ahead.partners.len();
        ahead.turns_begun = ahead.turns.get(&id).map_or(0, |turn| turn + 1);
        ahead.max_documents = done.saturating_mul(4);
        if ahead.is_unpaid(done, reading) {
            ahead.pause();
        }
        Ok(())
    }

    /// Searches for the partners of the first documents by a join.
    fn join(
        &self,
        ahead: &mut Ahead,
        documents: Vec<DocId>,
        account: &MemoryAccount,
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
        let joined = self.join_in_order(ahead, &order, account)?;
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
        let second = SecondThread::of(self.shared);
        let request = JoinRequest {
            turns: order,
            among: &mut among,
            cuts: self.finder.cuts(),
            second_thread: second.is_some(),
            limits: ahead.limits,
        };
        join(Postings::of(self.shared), request, account)
    }

    /// Notes which documents of the last join are past: all except those whose turn is still to come and those that
    /// several files carry, which are asked for again.
    fn pass(&self, ahead: &mut Ahead) {
        let turns_begun = ahead.turns_begun;
        let turns = std::mem::take(&mut ahead.turns).into_iter();
        let past = turns.filter(|(id, turn)| *turn < turns_begun && !self.is_copied(*id));
        ahead.past.extend(past.map(|(id, _)| id.0));
        ahead.forget();
        #[cfg(test)]
        {
            ahead.joins += 1;
        }
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

    /// The partners of a document that a join has found ahead, with exact counts; `None` if none did. Pairs of many
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
            false => {
                let pairs = ahead.pairs_at_once(account);
                turn..turn + turns_at_once(&ahead.partners[turn..], pairs)
            }
        };
        let (edges, permit) = self.count(&ahead, turns.clone(), account)?;
        let found = edges.first().cloned();
        if turn >= ahead.counted.start {
            ahead.counted = turns;
            ahead.edges = edges;
            ahead.of_edges = permit;
        }
        if let Some(found) = &found
            && self.is_copied(id)
        {
            self.keep_found(id, found);
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
        let second = SecondThread::of(self.shared);
        each_on_two_threads(
            "pairs-2",
            second,
            self.families(&mut items),
            &|mut family| self.count_family(&mut family, account),
        )?;
        let edges = items.into_iter().map(|turn| Arc::new(turn.edges));
        Ok((edges.collect(), permit))
    }

    /// The possible partners of a document, if a join has found them ahead.
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

/// How many of the next documents are counted at once, at least one, so that they have about this many pairs.
fn turns_at_once(partners: &[Vec<DocId>], max_pairs: usize) -> usize {
    let mut pairs = 0;
    let turns = partners.iter().take(TURNS_AT_ONCE).take_while(|partners| {
        let is_within = pairs < max_pairs;
        pairs += partners.len();
        is_within
    });
    turns.count()
}
