//! Decides who gets the next worker: small documents before huge ones, then the root or user with the fewest documents
//! under way, then the folder, and among equals the caller that has waited longest. Queries come before the backlog,
//! but never twice in a row while it waits: one of any two places goes to the backlog, unless it already holds all of
//! them.
//!
//! Queries are distinguished by user, the backlog by root and folder ([`QueueKey`]), so that a folder of slow documents
//! delays only itself: however many of them wait, the next free place goes to another root, then to another folder, and
//! one extra place is open to the first in the queue, if its folder has nothing under way.
//!
//! A document that keeps its worker for long no longer counts against the places, so that one more worker may be
//! started: files that hang delay themselves, never their neighbours. The total is bounded: the places, at most as many
//! slow documents, the extra place, and one more that only queries may take.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::queue_key::{QueueKey, Urgency};

/// A document that has had its worker for this long no longer counts against the places.
pub(super) const SLOW_AFTER: Duration = Duration::from_secs(2);

/// Longest document that is read before the huge ones, in bytes.
const SMALL_BYTES: u64 = 8 << 20;

/// Lanes of the queue, in the order in which they are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lane {
    Question,
    Small,
    Huge,
}

impl Lane {
    /// The lane of a document of this many bytes.
    pub(super) fn of(urgency: Urgency, bytes: u64) -> Self {
        match urgency {
            Urgency::Question => Self::Question,
            Urgency::Backlog if bytes <= SMALL_BYTES => Self::Small,
            Urgency::Backlog => Self::Huge,
        }
    }
}

/// The number of a waiting caller.
pub(super) type WaiterId = u64;

/// The waiting and the served documents.
#[derive(Debug, Default)]
pub(super) struct Queue {
    next: WaiterId,
    waiting: BTreeMap<WaiterId, (Lane, QueueKey)>,
    busy: BTreeMap<WaiterId, ServedDocument>,
    /// Whether the last place went to a question.
    question_was_last: bool,
}

/// A document that a worker has, and since when.
#[derive(Debug)]
struct ServedDocument {
    lane: Lane,
    key: QueueKey,
    since: Instant,
}

impl ServedDocument {
    fn is_slow(&self, now: Instant) -> bool {
        now.duration_since(self.since) >= SLOW_AFTER
    }
}

impl Queue {
    /// Adds a caller at the end of its lane.
    pub(super) fn join(&mut self, lane: Lane, key: QueueKey) -> WaiterId {
        let waiter = self.next;
        self.next += 1;
        self.waiting.insert(waiter, (lane, key));
        waiter
    }

    /// Takes one of `places`, if it is this one's turn.
    pub(super) fn enter(&mut self, waiter: WaiterId, places: usize, now: Instant) -> bool {
        let Some(&(lane, key)) = self.waiting.get(&waiter) else {
            return false;
        };
        let slow = self.busy.values().filter(|busy| busy.is_slow(now));
        let slow = slow.count().min(places);
        // A guest in the reserve must not keep the next question out.
        let reserve = match lane {
            Lane::Question => 2,
            _ if self.under_way(key).1 == 0 => 1,
            _ => 0,
        };
        let is_next = self.next(places, now) == Some(waiter);
        if !is_next || self.busy.len() - slow >= places + reserve {
            return false;
        }
        self.leave(waiter);
        self.question_was_last = lane == Lane::Question;
        let since = now;
        self.busy
            .insert(waiter, ServedDocument { lane, key, since });
        true
    }

    /// The caller whose turn it is. Nothing is owed to a backlog that holds all places with its own documents.
    fn next(&self, places: usize, now: Instant) -> Option<WaiterId> {
        let question = self.first(|lane| lane == Lane::Question);
        let backlog = self.first(|lane| lane != Lane::Question);
        let of_backlog = |busy: &&ServedDocument| busy.lane != Lane::Question && !busy.is_slow(now);
        let is_owed =
            self.question_was_last && self.busy.values().filter(of_backlog).count() < places;
        match is_owed {
            true => backlog.or(question),
            false => question.or(backlog),
        }
    }

    /// The first caller that waits in these lanes.
    fn first(&self, among: impl Fn(Lane) -> bool) -> Option<WaiterId> {
        let turn = |(waiter, (lane, key)): (&WaiterId, &(Lane, QueueKey))| {
            (*lane, self.under_way(*key), *waiter)
        };
        self.waiting
            .iter()
            .filter(|(_, (lane, _))| among(*lane))
            .map(turn)
            .min()
            .map(|(.., waiter)| waiter)
    }

    /// Documents under way of the same root or user, and of the same folder.
    fn under_way(&self, key: QueueKey) -> (usize, usize) {
        let of_root = self.busy.values().filter(|busy| busy.key.has_root_of(key));
        let of_folder = of_root.clone().filter(|busy| busy.key == key);
        (of_root.count(), of_folder.count())
    }

    /// Leaves the queue.
    pub(super) fn leave(&mut self, waiter: WaiterId) {
        self.waiting.remove(&waiter);
    }

    /// Returns the place.
    pub(super) fn done(&mut self, waiter: WaiterId) {
        self.busy.remove(&waiter);
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

    const HERE: QueueKey = QueueKey::Folder { root: 1, folder: 1 };
    const BESIDE: QueueKey = QueueKey::Folder { root: 1, folder: 2 };
    const ELSEWHERE: QueueKey = QueueKey::Folder { root: 2, folder: 1 };

    #[test]
    fn the_one_who_waits_longest_is_first_and_questions_before_all() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let (first, second) = (queue.join(Small, HERE), queue.join(Small, HERE));
        assert!(!queue.enter(second, 1, now), "out of turn");
        let question = queue.join(Question, HERE);
        assert!(!queue.enter(first, 1, now), "a question waits");
        assert!(queue.enter(question, 1, now));
        queue.done(question);
        assert!(queue.enter(first, 1, now));
        assert!(!queue.enter(second, 1, now), "no place is left");
        queue.done(first);
        assert!(queue.enter(second, 1, now));
    }

    #[test]
    fn a_question_finds_a_place_when_the_backlog_has_all_and_a_guest_the_reserve() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        for key in [HERE, ELSEWHERE] {
            let busy = queue.join(Small, key);
            assert!(queue.enter(busy, 1, now));
        }
        let (waiting, question) = (queue.join(Small, HERE), queue.join(Question, HERE));
        assert!(queue.enter(question, 1, now));
        assert!(!queue.enter(waiting, 1, now));
        let another = queue.join(Question, HERE);
        assert!(!queue.enter(another, 1, now), "one more, not all");
    }

    /// Questions that never end: as soon as one is done, another waits.
    #[test]
    fn of_two_places_in_a_row_one_goes_to_the_backlog() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let user = QueueKey::User(7);
        let questions = std::iter::repeat_n((Question, user), 12);
        let backlog = std::iter::repeat_n((Small, HERE), 8);
        let mut waiting: Vec<(WaiterId, bool)> = Vec::new();
        for (lane, key) in questions.chain(backlog) {
            waiting.push((queue.join(lane, key), lane == Question));
        }
        let (mut busy, mut given) = (Vec::new(), Vec::new());
        while given.len() < 16 {
            let entered = waiting
                .iter()
                .position(|(waiter, _)| queue.enter(*waiter, 2, now));
            match entered {
                Some(at) => {
                    let (waiter, is_question) = waiting.remove(at);
                    given.push(is_question);
                    busy.push(waiter);
                    if is_question {
                        waiting.push((queue.join(Question, user), true));
                    }
                }
                None => queue.done(busy.remove(0)),
            }
        }
        let two_questions = given.windows(2).any(|pair| pair == [true, true]);
        assert!(!two_questions, "{given:?}");
    }

    #[test]
    fn a_backlog_that_fills_its_places_keeps_no_question_waiting() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let first = queue.join(Question, QueueKey::User(7));
        assert!(queue.enter(first, 1, now));
        queue.done(first);
        let busy = queue.join(Small, HERE);
        assert!(queue.enter(busy, 1, now));
        let _waiting = queue.join(Small, HERE);
        for _ in 0..2 {
            let question = queue.join(Question, QueueKey::User(7));
            assert!(queue.enter(question, 1, now));
        }
    }

    #[test]
    fn the_user_who_has_the_fewest_questions_under_way_is_next() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let [greedy, other] = [7, 1].map(QueueKey::User);
        let under_way = queue.join(Question, greedy);
        assert!(queue.enter(under_way, 1, now));
        let again = queue.join(Question, greedy);
        let newcomer = queue.join(Question, other);
        assert!(!queue.enter(again, 1, now));
        assert!(queue.enter(newcomer, 1, now) && queue.enter(again, 1, now));
    }

    #[test]
    fn whoever_has_the_least_under_way_is_next_by_root_and_then_by_folder() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let busy: Vec<WaiterId> = (0..2).map(|_| queue.join(Small, HERE)).collect();
        assert!(busy.iter().all(|waiter| queue.enter(*waiter, 2, now)));
        let here = queue.join(Small, HERE);
        let beside = queue.join(Small, BESIDE);
        let elsewhere = queue.join(Small, ELSEWHERE);
        assert!(!queue.enter(beside, 2, now), "another root has nothing yet");
        assert!(queue.enter(elsewhere, 2, now), "as a guest");
        assert!(!queue.enter(beside, 2, now), "one guest at a time");
        queue.done(busy[0]);
        assert!(!queue.enter(here, 2, now) && queue.enter(beside, 2, now));
        queue.done(busy[1]);
        assert!(queue.enter(here, 3, now));
    }

    #[test]
    fn slow_documents_make_room_for_as_many_others_and_no_more() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let hang = |queue: &mut Queue, at| {
            let waiter = queue.join(Small, HERE);
            queue.enter(waiter, 1, at)
        };
        assert!(hang(&mut queue, now));
        let waiter = queue.join(Small, HERE);
        assert!(!queue.enter(waiter, 1, now + SLOW_AFTER / 2));
        assert!(queue.enter(waiter, 1, now + SLOW_AFTER));
        assert!(
            !hang(&mut queue, now + 9 * SLOW_AFTER),
            "both are slow: enough"
        );
    }

    #[test]
    fn huge_documents_wait_for_small_ones() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let lane = |bytes| Lane::of(Urgency::Backlog, bytes);
        assert_eq!((lane(SMALL_BYTES), lane(SMALL_BYTES + 1)), (Small, Huge));
        assert_eq!(Lane::of(Urgency::Question, u64::MAX), Question);
        let (huge, small) = (queue.join(Huge, HERE), queue.join(Small, HERE));
        assert!(!queue.enter(huge, 2, now));
        assert!(queue.enter(small, 2, now) && queue.enter(huge, 2, now));
    }

    #[test]
    fn who_leaves_holds_up_nobody() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let (gone, next) = (queue.join(Small, HERE), queue.join(Small, HERE));
        queue.leave(gone);
        assert!(queue.enter(next, 1, now));
    }
}
