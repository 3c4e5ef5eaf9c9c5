//! Memory budgets: permits over bytes, so that texts and shingles are held only while there is room.
//!
//! A [`MemoryBudget`] is a weighted semaphore. A caller that needs memory opens a [`MemoryAccount`] and takes
//! permits of it before allocating; a permit gives its bytes back when it is dropped.
//!
//! * **Fair.** Accounts that hold nothing wait in one line, first come, first served: a large request is
//!   never passed by small ones that came later. Two lines are passed all the same: where the accounts of one
//!   user hold that user's share, three quarters, by those of others; and what waits for *lasting* accounts, which
//!   may hold for hours, by those that do not last. No lasting account passes anybody but a user at his share, so
//!   that the bytes waited for do come free.
//! * **No deadlock.** A request above the whole budget is taken as the whole. An account that holds
//!   permits already never waits in line: where nothing is free, one account at a time may overdraw the
//!   budget, or the share of its user. It waits for nobody, so it ends and gives back, and then the next
//!   may overdraw. A caller that sends what it found to a client must therefore not wait for that client while its
//!   account [overdraws](MemoryAccount::is_overdrawn). Use is therefore at most the budget and what one account takes beyond its first permit.
//! * **Cancellable.** Every wait ends with the account's [`Cancel`].
//!
//! A permit must not be waited for under a lock that a holder needs in order to go on.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{Cancel, IndexError};

mod growing;

pub use growing::GrowingPermit;

/// A waiter asks this often whether it is cancelled.
const PATIENCE: Duration = Duration::from_millis(20);

/// What takes less than this, in bytes, is not counted.
const SMALL: u64 = 1 << 20;

/// Bytes shared by all who hold permits of it. Clones share one budget.
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
    /// Bytes held, by account; only of accounts that hold a permit.
    held: HashMap<u64, Holding>,
    /// Bytes held by lasting accounts.
    lasting: u64,
    /// Bytes held, by user.
    of_users: HashMap<u32, u64>,
    /// Accounts that wait for their first permit, the next one first, and what they wait for.
    line: VecDeque<(Holder, u64)>,
    /// The account that was let past the budget or its user's share, while that is exceeded.
    overdrawn: Option<Holder>,
    accounts: u64,
    /// Accounts that wait, in line or for the overdraft.
    waiting: usize,
}

/// An account, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Holder {
    account: u64,
    user: Option<u32>,
    is_lasting: bool,
}

#[derive(Debug, Default)]
struct Holding {
    permits: usize,
    bytes: u64,
}

impl MemoryBudget {
    /// A budget of so many bytes, at least 1.
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

    /// Opens an account: one for each file, question or comparison that takes permits. Its waits end
    /// with `cancel`.
    pub fn account(&self, cancel: &Cancel) -> MemoryAccount {
        self.open(None, false, cancel)
    }

    /// Opens an account of a user, all of whose accounts hold three quarters of the budget at most.
    pub fn account_of(&self, user: u32, cancel: &Cancel) -> MemoryAccount {
        self.open(Some(user), false, cancel)
    }

    /// Opens an account of work that lasts for hours, or as long as its client reads; of a user or of nobody. Others
    /// do not wait behind those who wait for it.
    pub fn lasting_account_of(&self, user: Option<u32>, cancel: &Cancel) -> MemoryAccount {
        self.open(user, true, cancel)
    }

    fn open(&self, user: Option<u32>, is_lasting: bool, cancel: &Cancel) -> MemoryAccount {
        let mut state = self.inner.lock();
        state.accounts += 1;
        let holder = Holder {
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

    /// One permit of an account of its own. A caller that may need a second permit while it holds the first
    /// opens an [`account`](Self::account) instead.
    ///
    /// # Errors
    /// [`IndexError::Cancelled`] where that came first.
    pub fn acquire(&self, bytes: u64, cancel: &Cancel) -> Result<MemoryPermit, IndexError> {
        self.account(cancel).take(bytes)
    }
}

/// Takes permits of one budget; the permits outlive it. Clones are the same account.
#[derive(Clone, Debug)]
pub struct MemoryAccount {
    holder: Holder,
    inner: Arc<Inner>,
    cancel: Cancel,
}

impl MemoryAccount {
    /// Waits until so many bytes may be held.
    ///
    /// # Errors
    /// [`IndexError::Cancelled`] where that came first.
    pub fn take(&self, bytes: u64) -> Result<MemoryPermit, IndexError> {
        self.cancel.check()?;
        let mut state = self.inner.lock();
        // A second permit does not wait in line: those before it may wait for the first.
        let is_first = !state.held.contains_key(&self.holder.account);
        let bytes = match is_first {
            true => bytes.min(self.total()),
            false => bytes,
        };
        if is_first {
            state.line.push_back((self.holder, bytes));
        }
        state.waiting += 1;
        let mut taken = Ok(());
        while !state.admits(self.holder, bytes, self.inner.total) {
            let (waited, _) = self
                .inner
                .changed
                .wait_timeout(state, PATIENCE)
                .unwrap_or_else(PoisonError::into_inner);
            state = waited;
            taken = self.cancel.check();
            if taken.is_err() {
                break;
            }
        }
        state.waiting -= 1;
        state.line.retain(|(waiting, _)| *waiting != self.holder);
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

    /// Takes a permit for what may be large; none where it is small. Threads are few, so that what each of them
    /// holds below [`SMALL`] needs no count.
    ///
    /// # Errors
    /// [`IndexError::Cancelled`] where that came first.
    pub fn take_large(&self, bytes: u64) -> Result<Option<MemoryPermit>, IndexError> {
        match bytes < SMALL {
            true => Ok(None),
            false => self.take(bytes).map(Some),
        }
    }

    /// Bytes in permits of this account.
    pub fn held(&self) -> u64 {
        let state = self.inner.lock();
        let held = state.held.get(&self.holder.account);
        held.map_or(0, |held| held.bytes)
    }

    /// Whether it was let past the budget or the share of its user: until it gives back, no other account may
    /// be, and most wait for it.
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

    /// The flag and deadline its waits end with.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

impl Inner {
    // Every change to the state is whole before the lock is given back.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the accounts of one user may hold.
fn share(total: u64) -> u64 {
    total - total / 4
}

impl State {
    fn admits(&self, holder: Holder, bytes: u64, total: u64) -> bool {
        let fits = self.fits(holder, bytes, total);
        if self.held.contains_key(&holder.account) {
            return fits || self.overdrawn.is_none_or(|other| other == holder);
        }
        fits && self.is_next(holder, total)
    }

    /// Whether nobody before an account in the line holds it up.
    fn is_next(&self, holder: Holder, total: u64) -> bool {
        let mut waits_for_lasting = false;
        let before = self.line.iter().take_while(|(other, _)| *other != holder);
        for (other, bytes) in before {
            // A caller that waits for the others of one user holds up nobody.
            if !self.within_share(*other, *bytes, total) {
                continue;
            }
            // A permit that lasts waits behind those that wait for its like.
            let waits = self.lasting.saturating_add(*bytes) > total
                || (waits_for_lasting && other.is_lasting);
            waits_for_lasting |= waits;
            if holder.is_lasting || !waits {
                return false;
            }
        }
        true
    }

    fn fits(&self, holder: Holder, bytes: u64, total: u64) -> bool {
        self.used.saturating_add(bytes) <= total && self.within_share(holder, bytes, total)
    }

    fn within_share(&self, holder: Holder, bytes: u64, total: u64) -> bool {
        let Some(user) = holder.user else { return true };
        let held = self.of_users.get(&user).copied().unwrap_or(0);
        held.saturating_add(bytes) <= share(total)
    }

    fn add(&mut self, holder: Holder, bytes: u64, total: u64) {
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

    /// Takes bytes back, and the permit itself where it is dropped.
    fn give_back(&mut self, holder: Holder, bytes: u64, permits: usize, total: u64) {
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
    holder: Holder,
    inner: Arc<Inner>,
    bytes: u64,
}

impl MemoryPermit {
    /// Bytes that may be held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives back what is above so many bytes: a peak is over.
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

/// What is held at once for documents, split so that the backlog never starves questions.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Files being read and edges being sought.
    pub backlog: MemoryBudget,
    /// Questions, comparisons and reports.
    pub requests: MemoryBudget,
}

impl Memory {
    /// One half for the backlog, the other for questions.
    pub fn new(bytes: u64) -> Self {
        Self {
            backlog: MemoryBudget::new(bytes / 2),
            requests: MemoryBudget::new(bytes - bytes / 2),
        }
    }
}

#[cfg(test)]
mod tests;
