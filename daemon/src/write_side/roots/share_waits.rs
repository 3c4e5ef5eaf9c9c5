//! Threads that wait for the share of a root: for a stat, an open or a read of one file, which no deadline ends.
//! If that takes minutes, the root's status says so, and for which file.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A wait this long is reported.
const LONG: Duration = Duration::from_secs(300);

/// The waits of one root.
#[derive(Default)]
pub struct ShareWaits(Mutex<State>);

#[derive(Default)]
struct State {
    next: u64,
    /// Paths below the root with the time each wait began, in the order of beginning.
    waits: BTreeMap<u64, (Vec<u8>, Instant)>,
}

/// A wait in progress, until it is dropped.
pub struct ShareWait<'a> {
    waits: &'a ShareWaits,
    number: u64,
}

impl ShareWaits {
    /// Begins a wait for the share at this path below the root.
    pub fn begin(&self, below: &[u8]) -> ShareWait<'_> {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.waits.insert(number, (below.to_vec(), Instant::now()));
        let waits = self;
        ShareWait { waits, number }
    }

    /// A note about waits that are long by now; empty if there are none.
    pub(super) fn note(&self, now: Instant) -> String {
        let state = self.lock();
        let lasts = |since: Instant| now.saturating_duration_since(since);
        let mut long = state
            .waits
            .values()
            .filter(|(_, since)| lasts(*since) >= LONG);
        let Some((path, since)) = long.next() else {
            return String::new();
        };
        let (path, minutes) = (String::from_utf8_lossy(path), lasts(*since).as_secs() / 60);
        let others = match long.count() {
            0 => String::new(),
            others => format!(", and {others} more"),
        };
        format!(
            "the share has not answered for {minutes} minutes ({}{others})",
            path.escape_debug()
        )
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ShareWait<'_> {
    fn drop(&mut self) {
        self.waits.lock().waits.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_does_not_answer_is_told_of_until_it_does() {
        let waits = ShareWaits::default();
        let first = waits.begin(b"a/hangs");
        let second = waits.begin(b"b");
        let now = Instant::now();
        assert_eq!(waits.note(now), "", "it may still answer");
        let later = now + LONG + Duration::from_secs(60);
        let note = "the share has not answered for 6 minutes (a/hangs, and 1 more)";
        assert_eq!(waits.note(later), note);
        drop(first);
        assert!(waits.note(later).ends_with("(b)"));
        drop(second);
        assert_eq!(waits.note(later), "");
    }
}
