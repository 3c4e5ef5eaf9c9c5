//! A permit for data that grows while it is found.

use super::{MemoryAccount, MemoryPermit, SMALL};
use crate::IndexError;

/// Bytes counted as they come, in permits of one account, until it is dropped. Keep it together with the data that it
/// covers.
///
/// Less than [`SMALL`] needs no permit. Growth beyond the most that an account may hold is refused, however much others
/// leave free.
#[derive(Debug)]
pub struct GrowingPermit {
    account: MemoryAccount,
    permits: Vec<MemoryPermit>,
    permitted: u64,
    bytes: u64,
}

impl GrowingPermit {
    /// Counts nothing yet.
    pub fn of(account: &MemoryAccount) -> Self {
        Self {
            account: account.clone(),
            permits: Vec::new(),
            permitted: 0,
            bytes: 0,
        }
    }

    /// Counts this many more bytes, before they are allocated; waits until they may be held.
    ///
    /// # Errors
    /// [`IndexError::TooMuchMemory`] above the most that the account may hold; [`IndexError::Cancelled`].
    pub fn add(&mut self, bytes: u64) -> Result<(), IndexError> {
        let grown = self.bytes.saturating_add(bytes);
        if grown >= SMALL && grown > self.permitted {
            let more = (grown - self.permitted).max(SMALL);
            let max_bytes = self.account.total();
            let most = max_bytes.max(more.min(SMALL));
            self.permits.push(self.account.take_within(more, most)?);
            self.permitted = self.permitted.saturating_add(more);
        }
        self.bytes = grown;
        Ok(())
    }

    /// Returns everything above this many bytes: some of it is no longer held.
    pub fn shrink_to(&mut self, bytes: u64) {
        self.bytes = self.bytes.min(bytes);
        while let Some(last) = self.permits.last()
            && self.permitted.saturating_sub(last.bytes()) >= self.bytes
        {
            self.permitted = self.permitted.saturating_sub(last.bytes());
            self.permits.pop();
        }
    }

    /// The account that its permits belong to.
    pub fn account(&self) -> &MemoryAccount {
        &self.account
    }

    /// Bytes counted so far, with a permit or without.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
