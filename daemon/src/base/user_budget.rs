//! Something that is counted, such as bytes or descriptors, of which the clients of all users may take so much together,
//! shared out by user: no user holds more than half of it. A user who finds no room is refused, and nobody else waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How much of one thing all users may take together: bytes, or descriptors.
#[derive(Debug)]
pub(crate) struct UserBudget {
    most: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    all: u64,
    by_user: HashMap<u32, u64>,
}

/// The part of a [`UserBudget`] that one user draws on.
#[derive(Clone, Debug)]
pub(crate) struct UserShare {
    budget: Arc<UserBudget>,
    uid: u32,
}

/// What a user has taken of a budget, given back when dropped.
#[derive(Debug)]
pub(crate) struct UserPermit {
    of: UserShare,
    taken: u64,
}

impl UserBudget {
    /// A budget of which `most` may be taken.
    pub(crate) fn new(most: u64) -> Arc<Self> {
        let state = Mutex::default();
        Arc::new(Self { most, state })
    }

    /// The part of one user.
    pub(crate) fn for_user(self: &Arc<Self>, uid: u32) -> UserShare {
        let budget = Arc::clone(self);
        UserShare { budget, uid }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UserShare {
    /// A permit for nothing yet.
    pub(crate) fn nothing(&self) -> UserPermit {
        let of = self.clone();
        UserPermit { of, taken: 0 }
    }

    /// A permit for this many; `None` if there is no room for them.
    pub(crate) fn reserve(&self, count: u64) -> Option<UserPermit> {
        let mut permit = self.nothing();
        permit.grow(count).then_some(permit)
    }
}

impl UserPermit {
    /// Takes this many more; returns false, and takes none, if there is no room for them.
    pub(crate) fn grow(&mut self, more: u64) -> bool {
        if more == 0 {
            return true;
        }
        let UserShare { budget, uid } = &self.of;
        let mut state = budget.lock();
        let own = state.by_user.get(uid).copied().unwrap_or(0) + more;
        if state.all + more > budget.most || own > budget.most / 2 {
            return false;
        }
        state.all += more;
        state.by_user.insert(*uid, own);
        self.taken += more;
        true
    }
}

impl Drop for UserPermit {
    fn drop(&mut self) {
        let mut state = self.of.budget.lock();
        state.all = state.all.saturating_sub(self.taken);
        if let Some(own) = state.by_user.get_mut(&self.of.uid) {
            *own = own.saturating_sub(self.taken);
            if *own == 0 {
                state.by_user.remove(&self.of.uid);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_user_holds_more_than_half_and_what_is_dropped_is_free_again() {
        let budget = UserBudget::new(8);
        let (greedy, other, third) = (budget.for_user(1), budget.for_user(2), budget.for_user(3));
        let mut held = greedy.reserve(3).unwrap();
        assert!(!held.grow(2) && held.grow(1) && !held.grow(1));
        assert!(greedy.reserve(1).is_none());
        assert!(greedy.reserve(0).is_some());
        let others = other.reserve(4).unwrap();
        assert!(third.reserve(1).is_none(), "all of it is taken");
        drop(held);
        assert!(third.reserve(4).is_some() && greedy.reserve(4).is_some());
        drop(others);
        let state = budget.lock();
        assert_eq!((state.all, state.by_user.len()), (0, 0));
    }

    #[test]
    fn any_number_is_counted_without_overflow() {
        let budget = UserBudget::new(u64::MAX / 4);
        assert!(budget.for_user(1).reserve(u64::MAX / 2).is_none());
    }
}
