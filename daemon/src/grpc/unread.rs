//! Bytes of replies that are made and not read yet, shared out by user.
//!
//! What a question needs while it is answered is given back with its place; its reply lasts as long as
//! its client takes to read it. So replies are counted apart, from the moment they are made, and no user
//! holds more than half of what all may: whoever does not read is refused, and nobody else waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tonic::Status;

use super::limits::PIECE;

/// All replies that wait to be read.
#[derive(Debug)]
pub(super) struct Unread {
    most: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    all: u64,
    by_user: HashMap<u32, u64>,
}

/// The replies of one user.
#[derive(Clone, Debug)]
pub(super) struct UserReplies {
    unread: Arc<Unread>,
    uid: u32,
}

/// Bytes of one reply, given back when dropped.
#[derive(Debug)]
pub(super) struct Held {
    of: UserReplies,
    bytes: u64,
}

impl Unread {
    /// At most so many bytes.
    pub(super) fn new(most: u64) -> Arc<Self> {
        let state = Mutex::default();
        Arc::new(Self { most, state })
    }

    /// Those of one user.
    pub(super) fn of(self: &Arc<Self>, uid: u32) -> UserReplies {
        let unread = Arc::clone(self);
        UserReplies { unread, uid }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UserReplies {
    /// Counts a reply of so many bytes; none where there is no room for it. What fits into one piece is
    /// not counted: the number of requests bounds it, and whoever is refused all else hears why.
    pub(super) fn hold(&self, length: usize) -> Option<Held> {
        let bytes = match length {
            small if small < PIECE => 0,
            length => length as u64,
        };
        let mut state = self.unread.lock();
        let own = state.by_user.get(&self.uid).copied().unwrap_or(0) + bytes;
        let fits = state.all + bytes <= self.unread.most && own <= self.unread.most / 2;
        if bytes > 0 {
            if !fits {
                return None;
            }
            state.all += bytes;
            state.by_user.insert(self.uid, own);
        }
        drop(state);
        let of = self.clone();
        Some(Held { of, bytes })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.of.unread.lock();
        state.all = state.all.saturating_sub(self.bytes);
        if let Some(own) = state.by_user.get_mut(&self.of.uid) {
            *own = own.saturating_sub(self.bytes);
            if *own == 0 {
                state.by_user.remove(&self.of.uid);
            }
        }
    }
}

/// What is said to whoever has no room for one more reply.
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
        let unread = Unread::new(4 * LARGE as u64);
        let (greedy, other, third) = (unread.of(1), unread.of(2), unread.of(3));
        let held: Vec<_> = (0..2).filter_map(|_| greedy.hold(LARGE)).collect();
        assert_eq!(held.len(), 2);
        assert!(greedy.hold(PIECE).is_none());
        assert!(greedy.hold(PIECE - 1).is_some(), "what is small goes on");
        let others: Vec<_> = (0..2).filter_map(|_| other.hold(LARGE)).collect();
        assert_eq!(others.len(), 2);
        assert!(third.hold(LARGE).is_none(), "all of it is taken");
        drop(held);
        assert!(third.hold(LARGE).is_some() && greedy.hold(LARGE).is_some());
        drop(others);
        let state = unread.lock();
        assert_eq!((state.all, state.by_user.len()), (0, 0));
    }

    #[test]
    fn a_reply_of_any_length_is_counted_without_overflow() {
        let unread = Unread::new(u64::MAX / 4);
        assert!(unread.of(1).hold(usize::MAX / 2).is_none());
    }
}
