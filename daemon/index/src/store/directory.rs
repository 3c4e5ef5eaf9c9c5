//! What is in a store's directory besides its databases: the lock, the marks of creation and of a clean close, the
//! witness of commits, and leftovers.

pub(super) mod begun;
pub(super) mod clean;
pub(super) mod lock;
pub(super) mod strays;
pub(super) mod witness;
