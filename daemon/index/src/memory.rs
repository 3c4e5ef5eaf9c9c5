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
//! * **Cancellable.** Every wait ends with the account's [`Cancel`].
//!
//! Never wait for a permit under a lock that a holder needs in order to continue.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{Cancel, IndexError};

mod growing;

pub use growing::GrowingPermit;

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

#[derive(Debug, Default)]
struct State {
    used: u64,
    /// Bytes held, by account; only accounts that hold a permit are present.
    held: HashMap<u64, HeldBytes>,
    /// Bytes held by lasting accounts.
    lasting: u64,
    /// Bytes held, by user.
    of_users: HashMap<u32, u64>,
    /// Accounts that wait for their first permit, the next one first, and the bytes they wait for.
    queue: VecDeque<(AccountUser, u64)>,
    /// The account that was allowed to exceed the budget or its user's share, while that is exceeded.
    overdrawn: Option<AccountUser>,
    accounts: u64,
    /// Accounts that wait, in the queue or for the overdraft.
    waiting: usize,
}

/// An account and its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AccountUser {
    account: u64,
    user: Option<u32>,
    is_lasting: bool,
}

/// The permits of an account, and their bytes.
#[derive(Debug, Default)]
struct HeldBytes {
    permits: usize,
    bytes: u64,
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
        self.inner.lock().used
    }

    /// Requests that wait for a permit.
    pub fn waiting(&self) -> usize {
        self.inner.lock().waiting
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
        let mut state = self.inner.lock();
        state.accounts += 1;
        let holder = AccountUser {
            account: state.accounts,
            user,
            is_lasting,
        };
        MemoryAccount {
            holder,
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
        self.cancel.check()?;
        let mut state = self.inner.lock();
        // A second permit does not wait in the queue: those before it may wait for the first.
        let is_first = !state.held.contains_key(&self.holder.account);
        let bytes = match is_first {
            true => bytes.min(self.total()),
            false => bytes,
        };
        if is_first {
            state.queue.push_back((self.holder, bytes));
        }
        state.waiting += 1;
        let mut taken = Ok(());
        while !state.admits(self.holder, bytes, self.inner.total) {
            let (waited, _) = self
                .inner
                .changed
                .wait_timeout(state, POLL_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner);
            state = waited;
            taken = self.cancel.check();
            if taken.is_err() {
                break;
            }
        }
        state.waiting -= 1;
        state.queue.retain(|(waiting, _)| *waiting != self.holder);
        if taken.is_ok() {
            state.add(self.holder, bytes, self.inner.total);
        }
        drop(state);
        // The next in line may fit as well.
        self.inner.changed.notify_all();
        taken.map(|()| MemoryPermit {
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
        let state = self.inner.lock();
        let held = state.held.get(&self.holder.account);
        held.map_or(0, |held| held.bytes)
    }

    /// Whether it was allowed to exceed the budget or the share of its user: until it returns those bytes, no other
    /// account may do so, and most wait for it.
    pub fn is_overdrawn(&self) -> bool {
        self.inner.lock().overdrawn == Some(self.holder)
    }

    /// The most it may hold in its first permit: the budget, or the share of its user.
    pub fn total(&self) -> u64 {
        match self.holder.user {
            Some(_) => share(self.inner.total),
            None => self.inner.total,
        }
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

/// What the accounts of one user may hold.
fn share(total: u64) -> u64 {
    total - total / 4
}

impl State {
    fn admits(&self, holder: AccountUser, bytes: u64, total: u64) -> bool {
        let fits = self.fits(holder, bytes, total);
        if self.held.contains_key(&holder.account) {
            return fits || self.overdrawn.is_none_or(|other| other == holder);
        }
        fits && self.is_next(holder, total)
    }

    /// Whether no account before it in the queue holds it up.
    fn is_next(&self, holder: AccountUser, total: u64) -> bool {
        let mut waits_for_lasting = false;
        let before = self.queue.iter().take_while(|(other, _)| *other != holder);
        for (other, bytes) in before {
            // A caller that waits for the others of one user holds up nobody.
            if !self.within_share(*other, *bytes, total) {
                continue;
            }
            // A lasting permit waits behind other lasting ones that wait.
            let waits = self.lasting.saturating_add(*bytes) > total
                || (waits_for_lasting && other.is_lasting);
            waits_for_lasting |= waits;
            if holder.is_lasting || !waits {
                return false;
            }
        }
        true
    }

    fn fits(&self, holder: AccountUser, bytes: u64, total: u64) -> bool {
        self.used.saturating_add(bytes) <= total && self.within_share(holder, bytes, total)
    }

    fn within_share(&self, holder: AccountUser, bytes: u64, total: u64) -> bool {
        let Some(user) = holder.user else { return true };
        let held = self.of_users.get(&user).copied().unwrap_or(0);
        held.saturating_add(bytes) <= share(total)
    }

    fn add(&mut self, holder: AccountUser, bytes: u64, total: u64) {
        self.used = self.used.saturating_add(bytes);
        let held = self.held.entry(holder.account).or_default();
        held.permits += 1;
        held.bytes = held.bytes.saturating_add(bytes);
        if holder.is_lasting {
            self.lasting = self.lasting.saturating_add(bytes);
        }
        if let Some(user) = holder.user {
            let of_user = self.of_users.entry(user).or_default();
            *of_user = of_user.saturating_add(bytes);
        }
        if !self.fits(holder, 0, total) {
            self.overdrawn = Some(holder);
        }
    }

    /// Takes back bytes, and the permit itself if it is dropped.
    fn give_back(&mut self, holder: AccountUser, bytes: u64, permits: usize, total: u64) {
        self.used = self.used.saturating_sub(bytes);
        if let Some(held) = self.held.get_mut(&holder.account) {
            held.bytes = held.bytes.saturating_sub(bytes);
            held.permits = held.permits.saturating_sub(permits);
            if held.permits == 0 {
                self.held.remove(&holder.account);
            }
        }
        if holder.is_lasting {
            self.lasting = self.lasting.saturating_sub(bytes);
        }
        if let Some(user) = holder.user
            && let Some(of_user) = self.of_users.get_mut(&user)
        {
            *of_user = of_user.saturating_sub(bytes);
            if *of_user == 0 {
                self.of_users.remove(&user);
            }
        }
        if self.overdrawn.is_some_and(|past| self.fits(past, 0, total)) {
            self.overdrawn = None;
        }
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
