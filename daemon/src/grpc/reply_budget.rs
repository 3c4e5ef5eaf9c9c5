//! Bounds the bytes of replies that were made and not read yet, shared out by user.
//!
//! The memory that a query needs is given back with its slot; its reply lasts as long as its client takes to
//! read it. So replies are counted apart, from the moment they are made, and no user holds more than half of
//! the budget: a user who does not read is refused, and no other waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tonic::Status;

use super::limits::PIECE;

/// Bytes that the replies of all users may take until they are read.
#[derive(Debug)]
pub(super) struct ReplyBudget {
    most: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    all: u64,
    by_user: HashMap<u32, u64>,
}

/// The part of a [`ReplyBudget`] that one user draws on.
#[derive(Clone, Debug)]
pub(super) struct UserReplyBudget {
    budget: Arc<ReplyBudget>,
    uid: u32,
}

/// Bytes of one reply, given back when dropped.
#[derive(Debug)]
pub(super) struct ReplyPermit {
    of: UserReplyBudget,
    bytes: u64,
}

impl ReplyBudget {
    /// A budget of `most` bytes.
    pub(super) fn new(most: u64) -> Arc<Self> {
        let state = Mutex::default();
        Arc::new(Self { most, state })
    }

    /// The part of one user.
    pub(super) fn of(self: &Arc<Self>, uid: u32) -> UserReplyBudget {
        let budget = Arc::clone(self);
        UserReplyBudget { budget, uid }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UserReplyBudget {
    /// Counts a reply of `length` bytes; returns none if there is no room for it. Replies that fit into one
    /// piece are not counted: the number of requests bounds them, and a refusal must get through.
    pub(super) fn reserve(&self, length: usize) -> Option<ReplyPermit> {
        let bytes = match length {
            small if small < PIECE => 0,
            length => length as u64,
        };
        let mut state = self.budget.lock();
        let own = state.by_user.get(&self.uid).copied().unwrap_or(0) + bytes;
        let fits = state.all + bytes <= self.budget.most && own <= self.budget.most / 2;
        if bytes > 0 {
            if !fits {
                return None;
            }
            state.all += bytes;
            state.by_user.insert(self.uid, own);
        }
        drop(state);
        let of = self.clone();
        Some(ReplyPermit { of, bytes })
    }
}

impl Drop for ReplyPermit {
    fn drop(&mut self) {
        let mut state = self.of.budget.lock();
        state.all = state.all.saturating_sub(self.bytes);
        if let Some(own) = state.by_user.get_mut(&self.of.uid) {
            *own = own.saturating_sub(self.bytes);
            if *own == 0 {
                state.by_user.remove(&self.of.uid);
            }
        }
    }
}

/// The status of a request whose reply has no room.
pub(super) fn too_much() -> Status {
    Status::resource_exhausted(
        "replies that wait to be read take as much memory as they may (grpc.max_unread_mib)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: usize = 4 * PIECE;

    #[test]
    fn no_user_holds_more_than_half_of_all_replies_that_are_not_read() {
        let budget = ReplyBudget::new(4 * LARGE as u64);
        let (greedy, other, third) = (budget.of(1), budget.of(2), budget.of(3));
        let held: Vec<_> = (0..2).filter_map(|_| greedy.reserve(LARGE)).collect();
        assert_eq!(held.len(), 2);
        assert!(greedy.reserve(PIECE).is_none());
        assert!(greedy.reserve(PIECE - 1).is_some(), "what is small goes on");
        let others: Vec<_> = (0..2).filter_map(|_| other.reserve(LARGE)).collect();
        assert_eq!(others.len(), 2);
        assert!(third.reserve(LARGE).is_none(), "all of it is taken");
        drop(held);
        assert!(third.reserve(LARGE).is_some() && greedy.reserve(LARGE).is_some());
        drop(others);
        let state = budget.lock();
        assert_eq!((state.all, state.by_user.len()), (0, 0));
    }

    #[test]
    fn a_reply_of_any_length_is_counted_without_overflow() {
        let budget = ReplyBudget::new(u64::MAX / 4);
        assert!(budget.of(1).reserve(usize::MAX / 2).is_none());
    }
}
