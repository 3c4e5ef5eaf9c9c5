//! Locks whose contents are whole also after a panic of a thread that held them.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex; for contents that no panic leaves half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
