//! How long a document waits for a worker, by the memory account of its caller.

use simdex_extract::{KeepGoing, WaitPolicy};
use simdex_index::MemoryAccount;

/// Lets a document be read until the account of its caller is cancelled.
pub(crate) fn keep_going_of(account: &MemoryAccount) -> KeepGoing {
    let cancel = account.cancel().clone();
    KeepGoing::asking(move || cancel.check().is_ok())
}

/// Whether the holder of an account may wait for others: not while it holds memory that others may wait for.
pub(crate) fn wait_policy_of(account: &MemoryAccount) -> WaitPolicy {
    match account.held() {
        0 => WaitPolicy::MayWait,
        _ => WaitPolicy::MustGoOn,
    }
}
