//! Shares the spool budget between roots and users. The waiter that holds the fewest bytes is served first, so that a
//! root full of large files, or one whose share hangs while they are copied, delays only itself.
//!
//! A waiter that holds bytes is admitted while the total in use stays within half of the budget, one that holds nothing
//! while it stays within three quarters, so that one root that holds all it may does not keep others out. An owner that
//! timed out is remembered for ten minutes or until it is served; meanwhile each owner is limited to an equal share of
//! half of the budget.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use crate::queue_key::QueueKey;

/// How long an owner that timed out is remembered: longer than the longest pause before it is retried.
const REMEMBERED: Duration = Duration::from_secs(600);

/// The root or user that holds bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    Root(u64),
    User(u32),
}

impl From<QueueKey> for Owner {
    fn from(key: QueueKey) -> Self {
        match key {
            QueueKey::Folder { root, .. } => Self::Root(root),
            QueueKey::User(uid) => Self::User(uid),
        }
    }
}

/// How much of the budget each owner holds, and the owners that wait for some of it.
#[derive(Debug, Default)]
pub(super) struct Shares {
    used: u64,
    held: BTreeMap<Owner, u64>,
    /// The waiting requests, in the order of their arrival.
    queue: VecDeque<Waiting>,
    /// Number of requests that have waited so far.
    next_number: u64,
    /// Owners that held nothing and timed out, and until when that is remembered.
    timed_out: BTreeMap<Owner, Instant>,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    number: u64,
    owner: Owner,
    bytes: u64,
}

impl Shares {
    /// Bytes reserved now.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    pub(super) fn take(&mut self, owner: Owner, bytes: u64) {
        self.used += bytes;
        *self.held.entry(owner).or_default() += bytes;
    }

    pub(super) fn give_back(&mut self, owner: Owner, bytes: u64) {
        self.used = self.used.saturating_sub(bytes);
        let left = self.held(owner).saturating_sub(bytes);
        match left {
            0 => self.held.remove(&owner),
            left => self.held.insert(owner, left),
        };
    }

    /// Adds a request for this many bytes to the queue; returns its number.
    pub(super) fn enqueue(&mut self, owner: Owner, bytes: u64) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        self.queue.push_back(Waiting {
            number,
            owner,
            bytes,
        });
        number
    }

    pub(super) fn leave(&mut self, number: u64) {
        self.queue.retain(|waiting| waiting.number != number);
    }

    /// Forgets that this owner timed out, since it was served.
    pub(super) fn note_served(&mut self, owner: Owner) {
        self.timed_out.remove(&owner);
    }

    /// Remembers that this owner timed out, if it holds nothing.
    pub(super) fn note_gave_up(&mut self, owner: Owner, now: Instant) {
        if self.held(owner) == 0 {
            self.timed_out.insert(owner, now + REMEMBERED);
        }
    }

    /// Number of waiting requests.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Whether the request with this number is the next, and has room.
    pub(super) fn has_room_for(&self, number: u64, limit: u64, now: Instant) -> bool {
        let share = self.share(limit, now);
        let may = |waiting: &&Waiting| {
            let held = self.held(waiting.owner);
            held == 0 || share.is_none_or(|share| held.saturating_add(waiting.bytes) <= share)
        };
        let order = |waiting: &&Waiting| (self.held(waiting.owner), waiting.number);
        let next = self.queue.iter().filter(may).min_by_key(order);
        next.is_some_and(|next| next.number == number && self.fits(next, limit))
    }

    fn fits(&self, waiting: &Waiting, limit: u64) -> bool {
        let bound = match self.held(waiting.owner) {
            0 => limit - limit / 4,
            _ => limit / 2,
        };
        self.used == 0 || self.used.saturating_add(waiting.bytes) <= bound
    }

    /// What an owner may hold while another is remembered to have timed out; `None` if there is no such limit.
    fn share(&self, limit: u64, now: Instant) -> Option<u64> {
        let timed_out = self.timed_out.iter().filter(|(_, until)| now < **until);
        let timed_out: BTreeSet<Owner> = timed_out.map(|(owner, _)| *owner).collect();
        if timed_out.is_empty() {
            return None;
        }
        let waiting = self.queue.iter().map(|waiting| waiting.owner);
        let holding = self.held.keys().copied();
        let owners: BTreeSet<Owner> = timed_out
            .into_iter()
            .chain(waiting)
            .chain(holding)
            .collect();
        Some(limit / 2 / owners.len() as u64)
    }

    fn held(&self, owner: Owner) -> u64 {
        self.held.get(&owner).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 400;
    const GREEDY: Owner = Owner::Root(1);
    const OTHER: Owner = Owner::Root(2);

    impl Shares {
        /// Reserves the bytes of a waiting request, if it has room.
        fn enter(&mut self, number: u64, now: Instant) -> bool {
            let has_room = self.has_room_for(number, LIMIT, now);
            if has_room {
                let at = self
                    .queue
                    .iter()
                    .position(|waiting| waiting.number == number);
                let waiting = self.queue.remove(at.unwrap()).unwrap();
                self.note_served(waiting.owner);
                self.take(waiting.owner, waiting.bytes);
            }
            has_room
        }

        fn wants(&mut self, owner: Owner, bytes: u64, now: Instant) -> bool {
            let number = self.enqueue(owner, bytes);
            self.enter(number, now) || {
                self.leave(number);
                false
            }
        }
    }

    #[test]
    fn a_root_that_holds_all_it_may_keeps_no_other_out() {
        let (mut shares, now) = (Shares::default(), Instant::now());
        for _ in 0..4 {
            assert!(shares.wants(GREEDY, 50, now), "alone it may use all");
        }
        assert!(!shares.wants(GREEDY, 1, now), "the rest is for growth");
        // Its share hangs: it never returns anything, and others continue one by one.
        for owner in [OTHER, Owner::Root(3), Owner::User(7), OTHER] {
            assert!(shares.wants(owner, 100, now), "{owner:?}");
            assert!(!shares.wants(owner, 1, now), "{owner:?}");
            shares.give_back(owner, 100);
        }
        assert_eq!(shares.used(), 200);
    }

    #[test]
    fn room_goes_to_the_root_that_holds_the_least_of_it_and_then_to_who_came_first() {
        let (mut shares, now) = (Shares::default(), Instant::now());
        assert!(shares.wants(GREEDY, 60, now) && shares.wants(GREEDY, 60, now));
        let [more, first] = [60, 60].map(|bytes| shares.enqueue(GREEDY, bytes));
        let large = shares.enqueue(OTHER, 200);
        let second = shares.enqueue(OTHER, 60);
        for number in [more, first, large, second] {
            assert!(!shares.enter(number, now), "the large one waits for room");
        }
        shares.give_back(GREEDY, 60);
        assert!(!shares.enter(more, now), "it would fit");
        assert!(shares.enter(large, now));
        shares.give_back(OTHER, 200);
        assert!(!shares.enter(more, now) && shares.enter(second, now));
        shares.give_back(GREEDY, 60);
        assert!(!shares.enter(first, now) && shares.enter(more, now));
    }

    #[test]
    fn who_waited_in_vain_finds_room_when_it_comes_again() {
        let (mut shares, now) = (Shares::default(), Instant::now());
        assert!((0..4).all(|_| shares.wants(GREEDY, 50, now)));
        let number = shares.enqueue(OTHER, 200);
        assert!(!shares.enter(number, now));
        shares.leave(number);
        shares.note_gave_up(OTHER, now);
        // Its files end one by one, and others of its own take their place up to an equal share.
        for _ in 0..4 {
            shares.give_back(GREEDY, 50);
            shares.wants(GREEDY, 50, now);
        }
        assert_eq!(shares.used(), 100);
        assert!(shares.wants(OTHER, 200, now));
        shares.give_back(OTHER, 200);
        assert!(shares.wants(GREEDY, 50, now), "it has come");
        // One that never comes again is forgotten.
        shares.note_gave_up(OTHER, now);
        assert!(!shares.wants(GREEDY, 50, now));
        assert!(shares.wants(GREEDY, 50, now + REMEMBERED));
    }
}
