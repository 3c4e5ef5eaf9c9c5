//! Documents that wait, with the epoch in which each was queued; and those that are taken in rounds.

use std::collections::BTreeMap;

use simdex_schema::DocId;

use super::Epoch;
use crate::groups::Rank;

/// Documents that are taken in rounds.
#[derive(Default)]
pub(super) struct RoundQueue {
    pub(super) queue: Queue,
    /// Those of this round that were not taken yet, the first at the end; some may wait no more.
    pub(super) round: Vec<DocId>,
}

impl RoundQueue {
    /// Takes at most so many of this round, or of the next where it is over.
    pub(super) fn next(&mut self, most: usize, rank: &dyn Fn(DocId) -> Rank) -> Vec<DocId> {
        let mut documents = Vec::new();
        while documents.is_empty() && !self.queue.is_empty() {
            if self.round.is_empty() {
                self.round = self.queue.since.keys().copied().collect();
                let last_first = |id: &DocId| std::cmp::Reverse(rank(*id));
                self.round.sort_by_cached_key(last_first);
            }
            while documents.len() < most
                && let Some(id) = self.round.pop()
            {
                documents.extend(Some(id).filter(|id| self.queue.contains(*id)));
            }
        }
        documents
    }
}

/// Documents, each with the epoch in which it was queued.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) since: BTreeMap<DocId, Epoch>,
    /// How many there are of each epoch.
    sizes: BTreeMap<Epoch, usize>,
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.since.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.since.is_empty()
    }

    pub(super) fn contains(&self, id: DocId) -> bool {
        self.since.contains_key(&id)
    }

    /// The epoch of those that were queued first.
    pub(super) fn oldest(&self) -> Option<Epoch> {
        self.sizes.keys().next().copied()
    }

    /// Queues a document; one that is queued already keeps the earlier epoch. Says whether it is new.
    pub(super) fn insert(&mut self, id: DocId, since: Epoch) -> bool {
        let earlier = self.since.get(&id).copied();
        if earlier.is_none_or(|earlier| earlier > since) {
            self.remove(id);
            self.since.insert(id, since);
            *self.sizes.entry(since).or_default() += 1;
        }
        earlier.is_none()
    }

    /// From now on nobody waits for this document.
    pub(super) fn stop_awaiting(&mut self, id: DocId) {
        if self.remove(id).is_some() {
            self.insert(id, Epoch::UNAWAITED);
        }
    }

    /// Takes a document out; returns since when it was queued.
    pub(super) fn remove(&mut self, id: DocId) -> Option<Epoch> {
        let since = self.since.remove(&id)?;
        if let Some(size) = self.sizes.get_mut(&since) {
            *size -= 1;
            if *size == 0 {
                self.sizes.remove(&since);
            }
        }
        Some(since)
    }
}
