//! Who holds and who waits for the bytes of a budget, and who is admitted next.

use std::collections::{HashMap, VecDeque};

/// The permits of a budget, and those that are waited for.
#[derive(Debug, Default)]
pub(super) struct State {
    used: u64,
    /// Bytes held, by account; only accounts that hold a permit are present.
    held: HashMap<u64, HeldBytes>,
    /// Bytes held by lasting accounts.
    lasting: u64,
    /// Bytes held, by user.
    of_users: HashMap<u32, u64>,
    /// Permits that are waited for, the next one first. Those of accounts that hold permits are passed over: they wait
    /// for the overdraft. They are here in case another thread returns what the account holds meanwhile.
    queue: VecDeque<Waiter>,
    /// The account that was allowed to exceed the budget or its user's share, while that is exceeded.
    overdrawn: Option<AccountUser>,
    accounts: u64,
    tickets: u64,
}

/// An account and its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AccountUser {
    account: u64,
    user: Option<u32>,
    is_lasting: bool,
}

/// A permit that is waited for. Threads of one account may wait for several.
#[derive(Clone, Copy, Debug)]
struct Waiter {
    ticket: Ticket,
    holder: AccountUser,
    bytes: u64,
}

/// Identifies a permit that is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket(u64);

/// The permits of an account, and their bytes.
#[derive(Debug, Default)]
struct HeldBytes {
    permits: usize,
    bytes: u64,
}

impl AccountUser {
    /// The most that it may hold in its first permit.
    pub(super) fn most(self, total: u64) -> u64 {
        match self.user {
            Some(_) => share(total),
            None => total,
        }
    }
}

/// What the accounts of one user may hold.
fn share(total: u64) -> u64 {
    total - total / 4
}

impl State {
    /// Opens an account.
    pub(super) fn open(&mut self, user: Option<u32>, is_lasting: bool) -> AccountUser {
        self.accounts += 1;
        AccountUser {
            account: self.accounts,
            user,
            is_lasting,
        }
    }

    /// Bytes held by all accounts.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// Bytes held by one account.
    pub(super) fn held_by(&self, holder: AccountUser) -> u64 {
        let held = self.held.get(&holder.account);
        held.map_or(0, |held| held.bytes)
    }

    /// Permits that are waited for.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Whether this account was allowed to exceed the budget or its user's share.
    pub(super) fn is_overdrawn_by(&self, holder: AccountUser) -> bool {
        self.overdrawn == Some(holder)
    }

    /// Begins to wait for a permit.
    pub(super) fn enqueue(&mut self, holder: AccountUser, bytes: u64) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.queue.push_back(Waiter {
            ticket,
            holder,
            bytes,
        });
        ticket
    }

    /// Ends the wait for a permit.
    pub(super) fn dequeue(&mut self, ticket: Ticket) {
        self.queue.retain(|waiter| waiter.ticket != ticket);
    }

    /// The bytes that are admitted now for a permit that is waited for; `None` if it must wait on. If the account holds
    /// nothing they are at most all that it may hold, since more would never be free.
    pub(super) fn admits(&self, ticket: Ticket, total: u64) -> Option<u64> {
        let mut waiters = self.queue.iter();
        let waiter = *waiters.find(|waiter| waiter.ticket == ticket)?;
        let Waiter { holder, bytes, .. } = waiter;
        if self.held.contains_key(&holder.account) {
            // A second permit does not wait for those before it, who may wait for the first.
            let may_overdraw = self.overdrawn.is_none_or(|other| other == holder);
            return (may_overdraw || self.fits(holder, bytes, total)).then_some(bytes);
        }
        let bytes = waiter.first_bytes(total);
        (self.fits(holder, bytes, total) && self.is_next(waiter, total)).then_some(bytes)
    }

    /// Whether nobody before this one in the queue holds it up.
    fn is_next(&self, this: Waiter, total: u64) -> bool {
        let mut waits_for_lasting = false;
        let before = self.queue.iter();
        let before = before.take_while(|other| other.ticket != this.ticket);
        for other in before {
            let bytes = other.first_bytes(total);
            // A caller that waits for the overdraft, or for the others of one user, holds up nobody.
            if self.held.contains_key(&other.holder.account)
                || !self.within_share(other.holder, bytes, total)
            {
                continue;
            }
            // A lasting permit waits behind other lasting ones that wait.
            let waits = self.lasting.saturating_add(bytes) > total
                || (waits_for_lasting && other.holder.is_lasting);
            waits_for_lasting |= waits;
            if this.holder.is_lasting || !waits {
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

    /// Adds a permit.
    pub(super) fn add(&mut self, holder: AccountUser, bytes: u64, total: u64) {
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
    pub(super) fn give_back(
        &mut self,
        holder: AccountUser,
        bytes: u64,
        permits: usize,
        total: u64,
    ) {
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

impl Waiter {
    /// What it waits for while its account holds nothing.
    fn first_bytes(&self, total: u64) -> u64 {
        self.bytes.min(self.holder.most(total))
    }
}
