//! Who gets the next worker: questions before backlog, small before huge, and among equals whoever
//! waits longest.
//!
//! A document that keeps its worker for long gives up its claim to a place, so that one more worker
//! may be started: files that hang hold up themselves, never their neighbours. What runs beside
//! them is bounded: at most as many slow documents as there are places, and one place that only
//! questions may take.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// After so long a document no longer counts against the places.
pub(super) const SLOW: Duration = Duration::from_secs(2);

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Urgency {
    /// The walk over the shares; it has time.
    #[default]
    Backlog,
    /// Somebody waits for the answer.
    Question,
}

/// Longest document that is read before the huge ones, in bytes.
const SMALL_BYTES: u64 = 8 << 20;

/// Lines, the first to be served first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    Question,
    Small,
    Huge,
}

impl Lane {
    /// Where a document of so many bytes lines up.
    pub(super) fn of(urgency: Urgency, bytes: u64) -> Self {
        match urgency {
            Urgency::Question => Self::Question,
            Urgency::Backlog if bytes <= SMALL_BYTES => Self::Small,
            Urgency::Backlog => Self::Huge,
        }
    }
}

/// A place in the queue.
pub(super) type Ticket = u64;

/// Waiting and served.
#[derive(Debug, Default)]
pub(super) struct Queue {
    next: Ticket,
    waiting: [VecDeque<Ticket>; 3],
    /// Since when each document under way has had its worker.
    busy: BTreeMap<Ticket, Instant>,
}

impl Queue {
    /// Lines up.
    pub(super) fn join(&mut self, lane: Lane) -> Ticket {
        let ticket = self.next;
        self.next += 1;
        self.waiting[lane as usize].push_back(ticket);
        ticket
    }

    /// Takes a place of `places`, if it is this one's turn.
    pub(super) fn enter(
        &mut self,
        ticket: Ticket,
        lane: Lane,
        places: usize,
        now: Instant,
    ) -> bool {
        let (before, own) = self.waiting.split_at(lane as usize);
        let first = before.iter().all(VecDeque::is_empty) && own[0].front() == Some(&ticket);
        let is_slow = |since: &&Instant| now.duration_since(**since) >= SLOW;
        let slow = self.busy.values().filter(is_slow).count().min(places);
        let reserve = usize::from(lane == Lane::Question);
        if !first || self.busy.len() - slow >= places + reserve {
            return false;
        }
        self.leave(ticket, lane);
        self.busy.insert(ticket, now);
        true
    }

    /// Steps out of the line.
    pub(super) fn leave(&mut self, ticket: Ticket, lane: Lane) {
        self.waiting[lane as usize].retain(|waiting| *waiting != ticket);
    }

    /// Gives the place back.
    pub(super) fn done(&mut self, ticket: Ticket) {
        self.busy.remove(&ticket);
    }

    /// Whether no document is under way.
    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        self.busy.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Lane::{Huge, Question, Small};
    use super::*;

    #[test]
    fn the_one_who_waits_longest_is_first_and_questions_before_all() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let (first, second) = (queue.join(Small), queue.join(Small));
        assert!(!queue.enter(second, Small, 2, now), "out of turn");
        let question = queue.join(Question);
        assert!(!queue.enter(first, Small, 2, now), "a question waits");
        assert!(queue.enter(question, Question, 2, now));
        assert!(queue.enter(first, Small, 2, now));
        assert!(!queue.enter(second, Small, 2, now), "no place is left");
        queue.done(question);
        assert!(queue.enter(second, Small, 2, now));
    }

    #[test]
    fn a_question_finds_a_place_when_the_backlog_has_all() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let busy = queue.join(Small);
        assert!(queue.enter(busy, Small, 1, now));
        let (waiting, question) = (queue.join(Small), queue.join(Question));
        assert!(queue.enter(question, Question, 1, now));
        assert!(!queue.enter(waiting, Small, 1, now));
        let another = queue.join(Question);
        assert!(!queue.enter(another, Question, 1, now), "one more, not all");
    }

    #[test]
    fn slow_documents_make_room_for_as_many_others_and_no_more() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let hang = |queue: &mut Queue, at| {
            let ticket = queue.join(Small);
            queue.enter(ticket, Small, 1, at)
        };
        assert!(hang(&mut queue, now));
        let ticket = queue.join(Small);
        assert!(!queue.enter(ticket, Small, 1, now + SLOW / 2));
        assert!(queue.enter(ticket, Small, 1, now + SLOW));
        assert!(!hang(&mut queue, now + 9 * SLOW), "both are slow: enough");
    }

    #[test]
    fn huge_documents_wait_for_small_ones() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let lane = |bytes| Lane::of(Urgency::Backlog, bytes);
        assert_eq!((lane(SMALL_BYTES), lane(SMALL_BYTES + 1)), (Small, Huge));
        assert_eq!(Lane::of(Urgency::Question, u64::MAX), Question);
        let (huge, small) = (queue.join(Huge), queue.join(Small));
        assert!(!queue.enter(huge, Huge, 2, now));
        assert!(queue.enter(small, Small, 2, now) && queue.enter(huge, Huge, 2, now));
    }

    #[test]
    fn who_leaves_holds_up_nobody() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let (gone, next) = (queue.join(Small), queue.join(Small));
        queue.leave(gone, Small);
        assert!(queue.enter(next, Small, 1, now));
    }
}
