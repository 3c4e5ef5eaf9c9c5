//! Who gets the next worker: questions before backlog, small before huge, then whoever has the fewest
//! documents under way, and among equals whoever waits longest.
//!
//! Shares of the backlog are told apart by root and folder ([`Share`]), so that a folder of slow
//! documents delays itself: however many of them wait, the next free place goes to another root,
//! then to another folder, and one place more stands open to whoever is first, if its folder has nothing
//! under way.
//!
//! A document that keeps its worker for long gives up its claim to a place, so that one more worker
//! may be started: files that hang hold up themselves, never their neighbours. What runs beside
//! them is bounded: at most as many slow documents as there are places, the guest's place, and one
//! that only questions may take.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A document that has had its worker for this long no longer counts against the places.
pub(super) const SLOW: Duration = Duration::from_secs(2);

/// How soon the caller needs the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Urgency {
    /// The walk over the shares; it has time.
    #[default]
    Backlog,
    /// Somebody waits for the answer.
    Question,
}

/// Whose document it is: places are shared out between roots first, then between the folders of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Number of the root.
    pub root: u64,
    /// Number of the folder in it, such as a hash of its path.
    pub folder: u64,
}

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
    waiting: BTreeMap<Ticket, (Lane, Share)>,
    busy: BTreeMap<Ticket, Busy>,
}

/// A document under way.
#[derive(Debug)]
struct Busy {
    share: Share,
    since: Instant,
}

impl Queue {
    /// Adds a caller at the end of its lane.
    pub(super) fn join(&mut self, lane: Lane, share: Share) -> Ticket {
        let ticket = self.next;
        self.next += 1;
        self.waiting.insert(ticket, (lane, share));
        ticket
    }

    /// Takes a place of `places`, if it is this one's turn.
    pub(super) fn enter(&mut self, ticket: Ticket, places: usize, now: Instant) -> bool {
        let Some(&(lane, share)) = self.waiting.get(&ticket) else {
            return false;
        };
        let is_slow = |busy: &&Busy| now.duration_since(busy.since) >= SLOW;
        let slow = self.busy.values().filter(is_slow).count().min(places);
        // A guest in the reserve must not keep the next question out.
        let reserve = match lane {
            Lane::Question => 2,
            _ if self.under_way(share).1 == 0 => 1,
            _ => 0,
        };
        if self.first() != Some(ticket) || self.busy.len() - slow >= places + reserve {
            return false;
        }
        self.leave(ticket);
        self.busy.insert(ticket, Busy { share, since: now });
        true
    }

    /// Whose turn it is.
    fn first(&self) -> Option<Ticket> {
        let turn = |(ticket, (lane, share)): (&Ticket, &(Lane, Share))| {
            (*lane, self.under_way(*share), *ticket)
        };
        self.waiting
            .iter()
            .map(turn)
            .min()
            .map(|(.., ticket)| ticket)
    }

    /// Documents under way of the same root, and of the same folder.
    fn under_way(&self, share: Share) -> (usize, usize) {
        let of_root = self
            .busy
            .values()
            .filter(|busy| busy.share.root == share.root);
        let of_folder = of_root.clone().filter(|busy| busy.share == share);
        (of_root.count(), of_folder.count())
    }

    /// Steps out of the line.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.waiting.remove(&ticket);
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

    const HERE: Share = Share { root: 1, folder: 1 };
    const BESIDE: Share = Share { root: 1, folder: 2 };
    const ELSEWHERE: Share = Share { root: 2, folder: 1 };

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
        for share in [HERE, ELSEWHERE] {
            let busy = queue.join(Small, share);
            assert!(queue.enter(busy, 1, now));
        }
        let (waiting, question) = (queue.join(Small, HERE), queue.join(Question, HERE));
        assert!(queue.enter(question, 1, now));
        assert!(!queue.enter(waiting, 1, now));
        let another = queue.join(Question, HERE);
        assert!(!queue.enter(another, 1, now), "one more, not all");
    }

    #[test]
    fn whoever_has_the_least_under_way_is_next_by_root_and_then_by_folder() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let busy: Vec<Ticket> = (0..2).map(|_| queue.join(Small, HERE)).collect();
        assert!(busy.iter().all(|ticket| queue.enter(*ticket, 2, now)));
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
            let ticket = queue.join(Small, HERE);
            queue.enter(ticket, 1, at)
        };
        assert!(hang(&mut queue, now));
        let ticket = queue.join(Small, HERE);
        assert!(!queue.enter(ticket, 1, now + SLOW / 2));
        assert!(queue.enter(ticket, 1, now + SLOW));
        assert!(!hang(&mut queue, now + 9 * SLOW), "both are slow: enough");
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
