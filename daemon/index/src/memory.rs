//! Memory budgets: permits over bytes, so that texts and shingles are held only while there is room.
//!
//! A [`MemoryBudget`] is a weighted semaphore. A caller that needs memory opens a [`MemoryAccount`] and takes permits
//! from it before allocating. A permit returns its bytes when it is dropped.
//!
//! * **Fair.** Accounts that hold nothing wait in one queue, first come, first served: small requests never overtake a
//!   large one that came before them. There are two exceptions. A user whose accounts hold that user's share, three
//!   quarters, is overtaken by others. A *lasting* account, which may hold its bytes for hours, is overtaken by those
//!   that do not last. It overtakes no others itself, except those of a user who is at the user share, so the bytes
//!   that a waiter needs are always released.
//! * **No deadlock.** A request above the whole budget is taken as the whole. An account that already holds permits
//!   never waits in the queue: if nothing is free, one account at a time may overdraw the budget, or the share of its
//!   user. It waits for nobody, so it finishes and returns its bytes, and then the next may overdraw. A caller that
//!   sends what it found to a client must therefore not wait for that client while its account
//!   [overdraws](MemoryAccount::is_overdrawn). Use is therefore at most the budget plus what one account takes after
//!   its first permit.
//! * **Shared by threads.** Threads that take from one account at the same time wait each in its own place, and become
//!   holders, or first in line again, as the account's other permits come and go. Two first permits that are admitted
//!   together count as a first and a second.
//! * **Cancellable.** Every wait ends with the account's [`Cancel`].
//!
//! Never wait for a permit under a lock that a holder needs in order to continue.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{Cancel, IndexError};

mod growing;
mod state;

pub use growing::GrowingPermit;
use state::{AccountUser, State};

/// How often a waiter checks whether it is cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Requests for less than this, in bytes, are not counted.
const SMALL: u64 = 1 << 20;

/// Bytes shared by all holders of its permits. Clones share one budget.
#[derive(Clone, Debug)]
pub struct MemoryBudget {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    total: u64,
    state: Mutex<State>,
    changed: Condvar,
}

impl MemoryBudget {
    /// A budget of this many bytes, at least 1.
    pub fn new(bytes: u64) -> Self {
        let inner = Inner {
            total: bytes.max(1),
            state: Mutex::default(),
            changed: Condvar::new(),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The whole budget, in bytes.
    pub fn total(&self) -> u64 {
        self.inner.total
    }

    /// Bytes held in permits; above [`total`](Self::total) while an account overdraws.
    pub fn used(&self) -> u64 {
        self.inner.lock().used()
    }

    /// Requests that wait for a permit.
    pub fn waiting(&self) -> usize {
        self.inner.lock().waiting()
    }

    /// Opens an account: one for each file, request or comparison that takes permits. Its waits end
    /// with `cancel`.
    pub fn account(&self, cancel: &Cancel) -> MemoryAccount {
        self.open(None, false, cancel)
    }

    /// Opens an account of a user. All accounts of one user together hold at most three quarters of the budget.
    pub fn account_of(&self, user: u32, cancel: &Cancel) -> MemoryAccount {
        self.open(Some(user), false, cancel)
    }

    /// Opens an account for work that lasts for hours, or as long as its client reads; for a user or for none. Other
    /// accounts do not wait behind its waiters.
    pub fn lasting_account_of(&self, user: Option<u32>, cancel: &Cancel) -> MemoryAccount {
        self.open(user, true, cancel)
    }

    fn open(&self, user: Option<u32>, is_lasting: bool, cancel: &Cancel) -> MemoryAccount {
        MemoryAccount {
            holder: self.inner.lock().open(user, is_lasting),
            inner: Arc::clone(&self.inner),
            cancel: cancel.clone(),
        }
    }

    /// Takes one permit from an account of its own. A caller that may need a second permit while it holds the first
    /// opens an [`account`](Self::account) instead.
    ///
    /// # Errors
    /// [`IndexError::Cancelled`] if `cancel` ends the wait.
    pub fn acquire(&self, bytes: u64, cancel: &Cancel) -> Result<MemoryPermit, IndexError> {
        self.account(cancel).take(bytes)
    }
}

/// Takes permits from one budget; the permits outlive it. Clones are the same account.
#[derive(Clone, Debug)]
pub struct MemoryAccount {
    holder: AccountUser,
    inner: Arc<Inner>,
    cancel: Cancel,
}

impl MemoryAccount {
    /// Waits until this many bytes may be held.
    ///
    /// # Errors
    /// [`IndexError::Cancelled`] if the account is cancelled first.
    pub fn take(&self, bytes: u64) -> Result<MemoryPermit, IndexError> {
        self.take_within(bytes, u64::MAX)
    }

    /// Waits until this many bytes may be held, unless the account would then hold more than `most`.
    ///
    /// # Errors
    /// [`IndexError::TooMuchMemory`] as soon as it would; [`IndexError::Cancelled`].
    fn take_within(&self, bytes: u64, most: u64) -> Result<MemoryPermit, IndexError> {
        self.cancel.check()?;
        let mut state = self.inner.lock();
        let ticket = state.enqueue(self.holder, bytes);
        let admitted = loop {
            // Its other threads may have taken or returned permits since the last look.
            if state.held_by(self.holder).saturating_add(bytes) > most {
                break Err(IndexError::TooMuchMemory { max_bytes: most });
            }
            if let Some(admitted) = state.admits(ticket, self.inner.total) {
                break Ok(admitted);
            }
            let waited = self.inner.changed.wait_timeout(state, POLL_INTERVAL);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if let Err(cancelled) = self.cancel.check() {
                break Err(cancelled);
            }
        };
        state.dequeue(ticket);
        if let Ok(bytes) = admitted {
            state.add(self.holder, bytes, self.inner.total);
        }
        drop(state);
        // The next in line may fit as well.
        self.inner.changed.notify_all();
        admitted.map(|bytes| MemoryPermit {
            holder: self.holder,
            inner: Arc::clone(&self.inner),
            bytes,
        })
    }

    /// Takes a permit if `bytes` is large, none if it is small. There are few threads, so what each of them holds below
    /// [`SMALL`] need not be counted.
    ///
    /// # Errors
    /// [`IndexError::Cancelled`] if the account is cancelled first.
    pub fn take_large(&self, bytes: u64) -> Result<Option<MemoryPermit>, IndexError> {
        match bytes < SMALL {
            true => Ok(None),
            false => self.take(bytes).map(Some),
        }
    }

    /// Bytes held in permits of this account.
    pub fn held(&self) -> u64 {
        self.inner.lock().held_by(self.holder)
    }

    /// Whether it was allowed to exceed the budget or the share of its user: until it returns those bytes, no other
    /// account may do so, and most wait for it.
    pub fn is_overdrawn(&self) -> bool {
        self.inner.lock().is_overdrawn_by(self.holder)
    }

    /// The most it may hold in its first permit: the budget, or the share of its user.
    pub fn total(&self) -> u64 {
        self.holder.most(self.inner.total)
    }

    /// The flag and deadline that end its waits.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

impl Inner {
    // Every change to the state is complete before the lock is released.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that may be held until this is dropped.
#[derive(Debug)]
pub struct MemoryPermit {
    holder: AccountUser,
    inner: Arc<Inner>,
    bytes: u64,
}

impl MemoryPermit {
    /// Bytes that may be held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns everything above this many bytes: a peak is over.
    pub fn shrink_to(&mut self, bytes: u64) {
        let freed = self.bytes.saturating_sub(bytes);
        if freed > 0 {
            self.bytes = bytes;
            self.free(freed, 0);
        }
    }

    fn free(&self, bytes: u64, permits: usize) {
        let mut state = self.inner.lock();
        state.give_back(self.holder, bytes, permits, self.inner.total);
        drop(state);
        self.inner.changed.notify_all();
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        self.free(self.bytes, 1);
    }
}

/// The budgets for documents being worked on, split so that the backlog never starves requests.
#[derive(Clone, Debug)]
pub struct Memory {
    /// For files being read and edges being searched for.
    pub backlog: MemoryBudget,
    /// For requests, comparisons and reports.
    pub requests: MemoryBudget,
}

impl Memory {
    /// One half for the backlog, the other for requests.
    pub fn new(bytes: u64) -> Self {
        Self {
            backlog: MemoryBudget::new(bytes / 2),
            requests: MemoryBudget::new(bytes - bytes / 2),
        }
    }
}

#[cfg(test)]
mod tests;
