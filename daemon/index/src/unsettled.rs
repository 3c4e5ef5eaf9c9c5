//! The queues of the settler: documents that need a place among the groups; documents whose files changed, for which it
//! must be checked whether they still belong where they are; and documents whose groups changed, so that these need
//! their ids. The number of documents that wait for a place or a check is maintained, so asking for it costs nothing.
//!
//! Documents are placed in rounds: all that wait when a round begins, the longest first, so that a family has its
//! principal from the beginning, whatever order it came in. A document that must be compared with many principals is
//! deferred, by its [`Effort`]: a few of these are placed after each round of the others, and all once no other waits.
//!
//! Every entry has the epoch in which it was queued, and what follows from it is queued in the same epoch: so a caller
//! can wait for all that was queued before its call, however much comes after. No entry starves, as each is part of the
//! next round. Barriers do not wait for crowded documents, nor for the groups that these hold up: such documents could
//! make every caller wait for hours.

use roaring::RoaringTreemap;
use simdex_schema::DocId;

mod queue;

use queue::{Queue, RoundQueue};

/// Between two rounds, one in this many of the documents placed at once is a deferred one.
const DEFERRED_SHARE: usize = 8;

/// The time between two barriers, with what was queued in it. Later ones are greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(u64);

impl Epoch {
    /// The epoch of what follows from a crowded document.
    const UNAWAITED: Self = Self(u64::MAX);
}

/// Documents that are not settled, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnsettledCounts {
    /// Documents whose place is still to be found, or whose files changed since it was; at least one while groups wait
    /// for their ids. Crowded ones are not included.
    pub awaited: u64,
    /// Documents whose place is still to be found and that no barrier waits for, since each must be compared with very
    /// many others: they are placed while no other waits.
    pub crowded: u64,
}

/// How much work it takes to find the place of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effort {
    #[default]
    Usual,
    /// It must be compared with many principals: deferred.
    High,
    /// It must be compared with so many that barriers do not wait for it.
    Crowded,
}

impl Effort {
    /// The effort whose documents are placed after those of this one, if any such waits.
    fn next(self) -> Self {
        match self {
            Self::Usual => Self::High,
            Self::High => Self::Crowded,
            Self::Crowded => Self::Usual,
        }
    }
}

/// Documents that are not settled.
#[derive(Default)]
pub(crate) struct Unsettled {
    /// Documents that need a place: by effort, each in one of the queues.
    to_place: [RoundQueue; 3],
    /// The effort of the documents placed last.
    last: Effort,
    /// Documents whose files changed.
    to_check: Queue,
    /// Documents that need both a place and a check, without crowded ones.
    both: usize,
    /// Documents whose groups changed, and that have their places or need none.
    to_regroup: Queue,
    /// Documents whose groups changed, and that need a place first: such a document may carry an id into its future
    /// group.
    regroup_placed: Queue,
    /// The present epoch.
    epoch: Epoch,
    /// The most documents that were checked under one lock.
    #[cfg(test)]
    pub(crate) largest_part: usize,
    /// The most documents so far whose groups were looked at under one lock.
    #[cfg(test)]
    pub(crate) largest_regrouping: usize,
}

/// Documents to be placed next, in order of rank.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PlacementBatch {
    pub(crate) documents: Vec<DocId>,
    /// The effort that was known for all of them before.
    pub(crate) effort: Effort,
}

impl Unsettled {
    /// Documents that need a place or a check, without crowded ones; at least one while groups wait for their ids
    /// because of others.
    fn awaited(&self) -> usize {
        let [usual, high, _] = &self.to_place;
        let documents = usual.queue.len() + high.queue.len() + self.to_check.len() - self.both;
        let groups = [&self.to_regroup, &self.regroup_placed];
        let mut oldest = groups.into_iter().filter_map(Queue::oldest);
        documents.max(usize::from(oldest.any(|since| since < Epoch::UNAWAITED)))
    }

    /// Documents that need a place and that no barrier waits for.
    fn crowded(&self) -> usize {
        self.queue_of(Effort::Crowded).queue.len()
    }

    /// How many documents barriers wait for, and how many crowded ones they do not.
    pub(crate) fn counts(&self) -> UnsettledCounts {
        UnsettledCounts {
            awaited: self.awaited() as u64,
            crowded: self.crowded() as u64,
        }
    }

    /// Whether nothing is queued.
    pub(crate) fn is_empty(&self) -> bool {
        let nothing_to_place = self.to_place.iter().all(|rounds| rounds.queue.is_empty());
        let others = [&self.to_check, &self.to_regroup, &self.regroup_placed];
        nothing_to_place && others.into_iter().all(Queue::is_empty)
    }

    /// Documents that wait until others have their places, since each takes more work.
    pub(crate) fn deferred(&self) -> usize {
        let deferred = self.to_place[Effort::High as usize..].iter();
        deferred.map(|rounds| rounds.queue.len()).sum()
    }

    fn queue_of(&self, effort: Effort) -> &RoundQueue {
        &self.to_place[effort as usize]
    }

    fn queue_mut(&mut self, effort: Effort) -> &mut RoundQueue {
        &mut self.to_place[effort as usize]
    }

    /// Ends the present epoch and returns it: what is queued from now on belongs to later ones, except for what follows
    /// from something queued before.
    pub(crate) fn end_epoch(&mut self) -> Epoch {
        let ended = self.epoch;
        self.epoch.0 += 1;
        ended
    }

    /// Whether nothing that barriers wait for was queued in this epoch or before.
    pub(crate) fn is_settled_through(&self, epoch: Epoch) -> bool {
        let [usual, high, _] = &self.to_place;
        let places = [&usual.queue, &high.queue];
        let others = [&self.to_check, &self.to_regroup, &self.regroup_placed];
        let mut oldest = places.into_iter().chain(others).map(Queue::oldest);
        oldest.all(|oldest| oldest.is_none_or(|oldest| oldest > epoch))
    }

    /// Begins a step: returns whose turn it is and, if a round begins too, its documents. The caller must pass these to
    /// [`Unsettled::begin_round`] in order of rank: they may be a million, too many to sort while the state is locked.
    pub(crate) fn begin_step(&mut self) -> (Effort, Option<RoaringTreemap>) {
        self.end_epoch();
        let effort = self.turn();
        (effort, self.queue_mut(effort).next_round())
    }

    /// Begins a round of these documents, the first one first.
    pub(crate) fn begin_round(&mut self, effort: Effort, mut documents: Vec<DocId>) {
        documents.reverse();
        self.queue_mut(effort).round = documents;
    }

    /// The documents to be placed in a step that was begun: at most `limit` of this round. Between two rounds those of
    /// each higher effort have a turn: at most `few`, and fewer if others wait.
    pub(crate) fn take(&mut self, effort: Effort, limit: usize, few: usize) -> PlacementBatch {
        self.last = effort;
        let limit = match effort {
            Effort::Usual => limit,
            _ if !self.any_easier_than(effort) => few,
            _ => few.div_ceil(DEFERRED_SHARE),
        };
        let documents = self.queue_mut(effort).take(limit);
        PlacementBatch { documents, effort }
    }

    /// Whether documents of less effort than this need a place.
    pub(crate) fn any_easier_than(&self, effort: Effort) -> bool {
        let easier = &self.to_place[..effort as usize];
        easier.iter().any(|rounds| !rounds.queue.is_empty())
    }

    /// The effort whose turn it is.
    fn turn(&self) -> Effort {
        if self.last == Effort::Usual && !self.is_round_over() {
            return Effort::Usual;
        }
        let turns = std::iter::successors(Some(self.last.next()), |effort| Some(effort.next()));
        let mut waiting = turns
            .take(3)
            .filter(|e| !self.queue_of(*e).queue.is_empty());
        waiting.next().unwrap_or_default()
    }

    /// Whether all that waited when the last round began have their place, except those that were deferred.
    pub(crate) fn is_round_over(&self) -> bool {
        let usual = self.queue_of(Effort::Usual);
        usual.round.is_empty() || usual.queue.is_empty()
    }

    /// Finding the place of this document takes this effort, more than was known.
    pub(crate) fn defer(&mut self, id: DocId, effort: Effort) {
        let Some(known) = self.effort_of(id).filter(|known| *known < effort) else {
            return;
        };
        if let Some(since) = self.queue_mut(known).queue.remove(id) {
            self.queue_mut(effort).queue.insert(id, since);
            let leaves = effort == Effort::Crowded && self.to_check.contains(id);
            self.both -= usize::from(leaves);
        }
        if effort == Effort::Crowded {
            self.regroup_placed.stop_awaiting(id);
        }
    }

    /// The known effort of a document that needs a place.
    fn effort_of(&self, id: DocId) -> Option<Effort> {
        let efforts = [Effort::Usual, Effort::High, Effort::Crowded];
        efforts
            .into_iter()
            .find(|e| self.queue_of(*e).queue.contains(id))
    }

    /// Whether a document needs a place, and barriers wait for it.
    fn is_awaited(&self, id: DocId) -> bool {
        self.effort_of(id).is_some_and(|e| e < Effort::Crowded)
    }

    pub(crate) fn needs_placement(&self, id: DocId) -> bool {
        self.effort_of(id).is_some()
    }

    pub(crate) fn needs_file_check(&self, id: DocId) -> bool {
        self.to_check.contains(id)
    }

    /// Queues a document that needs a place.
    pub(crate) fn queue_placement(&mut self, id: DocId) {
        self.queue_placement_since(id, self.epoch);
    }

    /// Queues a document to be placed, because of something queued in that epoch.
    pub(crate) fn queue_placement_since(&mut self, id: DocId, since: Epoch) {
        let known = self.effort_of(id);
        let queue = &mut self.queue_mut(known.unwrap_or_default()).queue;
        queue.insert(id, since);
        if known.is_none() && self.to_check.contains(id) {
            self.both += 1;
        }
        if let Some(since) = self.to_regroup.remove(id) {
            self.queue_regrouping(id, since);
        }
    }

    /// Notes that a document has its place, or no longer needs one. Returns the epoch of what follows from it: the
    /// present epoch if it did not wait.
    pub(crate) fn clear_placement(&mut self, id: DocId) -> Epoch {
        let follows = self.placement_since(id);
        let Some(effort) = self.effort_of(id) else {
            return follows;
        };
        if self.is_awaited(id) && self.to_check.contains(id) {
            self.both -= 1;
        }
        self.queue_mut(effort).queue.remove(id);
        if let Some(since) = self.regroup_placed.remove(id) {
            self.queue_regrouping(id, since);
        }
        follows
    }

    /// The epoch of what follows from placing this document: the present epoch if it needs no place.
    pub(crate) fn placement_since(&self, id: DocId) -> Epoch {
        let since = |effort| self.queue_of(effort).queue.since(id);
        match self.effort_of(id) {
            None => self.epoch,
            Some(Effort::Crowded) => Epoch::UNAWAITED,
            Some(effort) => since(effort).unwrap_or(self.epoch),
        }
    }

    /// Queues a document whose files changed: it must be checked whether it still belongs where it is.
    pub(crate) fn queue_file_check(&mut self, id: DocId) {
        self.queue_file_check_since(id, self.epoch);
    }

    /// Queues a document whose files are to be checked, because of something queued in that epoch.
    pub(crate) fn queue_file_check_since(&mut self, id: DocId, since: Epoch) {
        if self.to_check.insert(id, since) && self.is_awaited(id) {
            self.both += 1;
        }
    }

    /// Notes that the files of this document were checked. Returns the epoch since which it waited; the present epoch
    /// if it did not.
    pub(crate) fn clear_file_check(&mut self, id: DocId) -> Epoch {
        let since = self.to_check.remove(id);
        if since.is_some() && self.is_awaited(id) {
            self.both -= 1;
        }
        since.unwrap_or(self.epoch)
    }

    /// The epoch since which this document waits for a check: the present epoch if it does not.
    pub(crate) fn check_since(&self, id: DocId) -> Epoch {
        self.to_check.since(id).unwrap_or(self.epoch)
    }

    /// Queues these documents for a check, in the present epoch.
    pub(crate) fn queue_file_checks(&mut self, ids: &RoaringTreemap) {
        let new = self.to_check.insert_all(ids, self.epoch);
        let [usual, high, _] = &self.to_place;
        let placed_too = [usual, high].map(|rounds| rounds.queue.shared_with(&new));
        self.both += placed_too.iter().sum::<usize>();
    }

    /// Documents whose files changed, by id, from this id on.
    pub(crate) fn to_check_from(&self, from: DocId) -> impl Iterator<Item = DocId> + '_ {
        self.to_check.ids_from(from)
    }

    /// Documents whose files changed, by id: at most `limit` of those from this id on.
    pub(crate) fn file_checks_from(&mut self, from: DocId, limit: usize) -> Vec<DocId> {
        let ids: Vec<DocId> = self.to_check.ids_from(from).take(limit).collect();
        #[cfg(test)]
        {
            self.largest_part = self.largest_part.max(ids.len());
        }
        ids
    }

    /// Whether a document that needs a place waited already when this one was queued for a check, or came in the same
    /// epoch; deferred ones do not count.
    pub(crate) fn any_to_place_before_check_of(&self, id: DocId) -> bool {
        let check = self.to_check.since(id);
        let oldest = self.queue_of(Effort::Usual).queue.oldest();
        check
            .zip(oldest)
            .is_some_and(|(check, oldest)| oldest <= check)
    }

    /// Queues a document whose group changed, because of something queued in that epoch.
    pub(crate) fn queue_regrouping(&mut self, id: DocId, since: Epoch) {
        match self.effort_of(id) {
            None => self.to_regroup.insert(id, since),
            Some(Effort::Crowded) => self.regroup_placed.insert(id, Epoch::UNAWAITED),
            Some(_) => self.regroup_placed.insert(id, since),
        };
    }

    /// Number of documents whose groups changed and that need no place.
    pub(crate) fn regroupings(&self) -> usize {
        self.to_regroup.len()
    }

    /// The ids of the documents whose groups changed and that need no place, in order.
    pub(crate) fn regrouping_ids(&self) -> Vec<DocId> {
        self.to_regroup.ids().collect()
    }

    /// Notes that the group of this document, which needs no place, has its id.
    pub(crate) fn clear_regrouping(&mut self, id: DocId) {
        self.to_regroup.remove(id);
    }

    /// Approximate bytes of memory that the queues take.
    pub(crate) fn bytes(&self) -> usize {
        let places = self.to_place.iter();
        let of_round =
            |of: &RoundQueue| of.queue.bytes() + of.round.capacity() * size_of::<DocId>();
        let others = [&self.to_check, &self.to_regroup, &self.regroup_placed];
        places.map(of_round).sum::<usize>() + others.map(Queue::bytes).iter().sum::<usize>()
    }

    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests;
