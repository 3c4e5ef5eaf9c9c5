//! What lies beside the databases of a store in its directory: the lock, the marks of a beginning and of a clean
//! close, the witness of commits, and strays.

pub(super) mod begun;
pub(super) mod clean;
pub(super) mod lock;
pub(super) mod strays;
pub(super) mod witness;
