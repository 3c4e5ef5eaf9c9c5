//! Documents that wait, with the epoch in which each was queued; and those that are taken in rounds.
//!
//! A million of them take some hundred kilobytes: they are kept as bitmaps, one for all and one for each epoch. There
//! are as many epochs as steps of the settler since the oldest waiting document was queued, some thousands while a
//! collection is loaded; an epoch whose id range excludes the document is skipped.

use std::collections::BTreeMap;
use std::ops::{Bound, RangeInclusive};

use roaring::RoaringTreemap;
use simdex_schema::DocId;

use super::Epoch;

/// Documents that are taken in rounds.
#[derive(Default)]
pub(super) struct RoundQueue {
    pub(super) queue: Queue,
    /// Documents of this round that were not taken yet, the first at the end; may contain documents that are no longer
    /// queued.
    pub(super) round: Vec<DocId>,
}

impl RoundQueue {
    /// The documents of the next round, if this one is over.
    pub(super) fn next_round(&mut self) -> Option<RoaringTreemap> {
        while let Some(id) = self.round.last()
            && !self.queue.contains(*id)
        {
            self.round.pop();
        }
        (self.round.is_empty() && !self.queue.is_empty()).then(|| self.queue.all.clone())
    }

    /// Takes at most `limit` of this round.
    pub(super) fn take(&mut self, limit: usize) -> Vec<DocId> {
        let mut documents = Vec::new();
        while documents.len() < limit
            && let Some(id) = self.round.pop()
        {
            documents.extend(Some(id).filter(|id| self.queue.contains(*id)));
        }
        documents
    }
}

/// Documents, each with the epoch in which it was queued.
#[derive(Default)]
pub(super) struct Queue {
    all: RoaringTreemap,
    /// Each document of `all` is in one of them; none is empty.
    epochs: BTreeMap<Epoch, QueuedInEpoch>,
}

/// Documents that were queued in one epoch.
#[derive(Default)]
struct QueuedInEpoch {
    ids: RoaringTreemap,
    /// All ids that were ever in it are in this range; `None` if there were none.
    range: Option<RangeInclusive<u64>>,
}

impl QueuedInEpoch {
    /// Notes that ids from `first` to `last` were added.
    fn widen(&mut self, first: u64, last: u64) {
        let range = self.range.take().unwrap_or(first..=last);
        self.range = Some(first.min(*range.start())..=last.max(*range.end()));
    }

    fn contains(&self, id: DocId) -> bool {
        self.range
            .as_ref()
            .is_some_and(|range| range.contains(&id.0))
            && self.ids.contains(id.0)
    }
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.all.len() as usize
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn contains(&self, id: DocId) -> bool {
        self.all.contains(id.0)
    }

    /// All documents, by id.
    pub(super) fn ids(&self) -> impl Iterator<Item = DocId> + '_ {
        self.all.iter().map(DocId)
    }

    /// The documents from this id on.
    pub(super) fn ids_from(&self, from: DocId) -> impl Iterator<Item = DocId> + '_ {
        let mut ids = self.all.iter();
        ids.advance_to(from.0);
        ids.map(DocId)
    }

    /// How many of these are queued here.
    pub(super) fn shared_with(&self, ids: &RoaringTreemap) -> usize {
        self.all.intersection_len(ids) as usize
    }

    /// Approximate bytes of memory in use.
    pub(super) fn bytes(&self) -> usize {
        let epochs = self.epochs.values();
        let of_epoch = |queued: &QueuedInEpoch| queued.ids.serialized_size() + 64;
        self.all.serialized_size() + epochs.map(of_epoch).sum::<usize>()
    }

    /// The epoch of the documents that were queued first.
    pub(super) fn oldest(&self) -> Option<Epoch> {
        self.epochs.keys().next().copied()
    }

    /// The epoch in which a document was queued, if it is.
    pub(super) fn since(&self, id: DocId) -> Option<Epoch> {
        let mut epochs = self.epochs.iter();
        let queued = self
            .contains(id)
            .then(|| epochs.find(|(_, of)| of.contains(id)));
        queued.flatten().map(|(epoch, _)| *epoch)
    }

    /// Queues a document; one that is already queued keeps the earlier epoch. Returns whether it is new.
    pub(super) fn insert(&mut self, id: DocId, since: Epoch) -> bool {
        let is_new = self.all.insert(id.0);
        let later = (!is_new).then(|| self.later_epoch(id, since)).flatten();
        if let Some(later) = later {
            self.leave(later, id);
        }
        if is_new || later.is_some() {
            let queued = self.epochs.entry(since).or_default();
            queued.ids.insert(id.0);
            queued.widen(id.0, id.0);
        }
        is_new
    }

    /// Queues those documents that are not queued yet, and returns them.
    pub(super) fn insert_all(&mut self, ids: &RoaringTreemap, since: Epoch) -> RoaringTreemap {
        let new = ids - &self.all;
        if let Some((first, last)) = new.min().zip(new.max()) {
            self.all |= &new;
            let queued = self.epochs.entry(since).or_default();
            queued.ids |= &new;
            queued.widen(first, last);
        }
        new
    }

    /// The epoch of a queued document if that is later than this one.
    fn later_epoch(&self, id: DocId, than: Epoch) -> Option<Epoch> {
        let after = (Bound::Excluded(than), Bound::Unbounded);
        let mut later = self.epochs.range(after);
        later
            .find(|(_, of)| of.contains(id))
            .map(|(epoch, _)| *epoch)
    }

    fn leave(&mut self, epoch: Epoch, id: DocId) {
        if let Some(queued) = self.epochs.get_mut(&epoch) {
            queued.ids.remove(id.0);
            if queued.ids.is_empty() {
                self.epochs.remove(&epoch);
            }
        }
    }

    /// From now on barriers do not wait for this document.
    pub(super) fn stop_awaiting(&mut self, id: DocId) {
        if self.remove(id).is_some() {
            self.insert(id, Epoch::UNAWAITED);
        }
    }

    /// Takes a document out; returns the epoch in which it was queued.
    pub(super) fn remove(&mut self, id: DocId) -> Option<Epoch> {
        let since = self.since(id)?;
        self.all.remove(id.0);
        self.leave(since, id);
        Some(since)
    }

    /// All documents, each with its epoch, by id.
    #[cfg(test)]
    pub(super) fn entries(&self) -> BTreeMap<DocId, Epoch> {
        let of_epoch = |(epoch, queued): (&Epoch, &QueuedInEpoch)| {
            let ids = queued.ids.iter();
            let epoch = *epoch;
            ids.map(move |id| (DocId(id), epoch)).collect::<Vec<_>>()
        };
        self.epochs.iter().flat_map(of_epoch).collect()
    }
}
