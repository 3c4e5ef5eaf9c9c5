//! What is in a store's directory besides its databases: the lock, the marks of creation and of a clean close, the
//! witness of commits, and leftovers; and which database holds the records.

pub(super) mod begun;
pub(super) mod clean;
pub(super) mod generation;
pub(super) mod lock;
pub(super) mod strays;
pub(super) mod witness;

/// Name of the directory of runs in a store.
pub(super) const RUNS: &str = "runs";
