//! Bounds the bytes of replies that were made and not read yet, shared out by user.
//!
//! The memory that a query needs is released with its slot, but its reply lasts until its client has read
//! it. So replies are counted separately from the moment they are made, and no user holds more than half of
//! the budget: a user who does not read is refused, and nobody else waits.

use std::sync::Arc;

use tonic::Status;

use super::limits::PIECE;
use crate::base::user_budget::{UserBudget, UserPermit, UserShare};

/// Bytes that the replies of all users may take until they are read.
#[derive(Debug)]
pub(super) struct ReplyBudget(Arc<UserBudget>);

/// The part of a [`ReplyBudget`] that one user draws on.
#[derive(Clone, Debug)]
pub(super) struct UserReplyBudget(UserShare);

/// Bytes of one reply, given back when dropped.
pub(super) type ReplyPermit = UserPermit;

impl ReplyBudget {
    /// A budget of `max_bytes` bytes.
    pub(super) fn new(max_bytes: u64) -> Self {
        Self(UserBudget::new(max_bytes))
    }

    /// The part of one user.
    pub(super) fn for_user(&self, uid: u32) -> UserReplyBudget {
        UserReplyBudget(self.0.for_user(uid))
    }
}

impl UserReplyBudget {
    /// Counts a reply of `length` bytes; returns none if there is no room for it. Replies that fit into one
    /// piece are not counted: the number of requests bounds them, and a refusal must get through.
    pub(super) fn reserve(&self, length: usize) -> Option<ReplyPermit> {
        self.0.reserve(match length {
            small if small < PIECE => 0,
            length => length as u64,
        })
    }
}

/// The status of a request whose reply has no room.
pub(super) fn too_much() -> Status {
    Status::resource_exhausted(
        "unread replies take as much memory as they may (grpc.max_unread_mib)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_user_holds_more_than_half_of_all_replies_that_are_not_read() {
        let budget = ReplyBudget::new(4 * PIECE as u64);
        let (greedy, other) = (budget.for_user(1), budget.for_user(2));
        let held = greedy.reserve(2 * PIECE);
        assert!(held.is_some() && greedy.reserve(PIECE).is_none());
        assert!(greedy.reserve(PIECE - 1).is_some(), "what is small goes on");
        assert!(other.reserve(2 * PIECE).is_some());
        drop(held);
        assert!(greedy.reserve(PIECE).is_some());
    }
}
