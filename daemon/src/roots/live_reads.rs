//! Files that are read for questions where they lie: few at a time of one root. A share that hangs keeps whoever
//! reads it, past every deadline; so it keeps that few, and all other questions are answered.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Reads of one root that are under way at once.
const MOST: usize = 2;
/// How long the next one waits for those before it, which are over by then where nothing hangs: what is answered
/// without it may be of another file that carries the same document.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 50 } else { 10_000 });

/// The reads of one root.
#[derive(Default)]
pub struct LiveReads {
    under_way: Mutex<usize>,
    ended: Condvar,
}

/// A read under way, until it is dropped.
pub struct LiveRead<'a>(&'a LiveReads);

impl LiveReads {
    /// Begins a read; none where as many as may be have not ended for a while.
    pub fn begin(&self) -> Option<LiveRead<'_>> {
        let full = |under_way: &mut usize| *under_way >= MOST;
        let waited = self.ended.wait_timeout_while(self.lock(), PATIENCE, full);
        let mut under_way = waited.unwrap_or_else(PoisonError::into_inner).0;
        if full(&mut under_way) {
            return None;
        }
        *under_way += 1;
        Some(LiveRead(self))
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LiveRead<'_> {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
        self.0.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_that_hang_keep_no_more_than_few_who_read() {
        let reads = LiveReads::default();
        let hanging: Vec<_> = (0..MOST).map(|_| reads.begin().unwrap()).collect();
        // None of them waits for what hangs.
        assert!((0..MOST).all(|_| reads.begin().is_none()));
        drop(hanging);
        assert!(reads.begin().is_some());
    }
}
