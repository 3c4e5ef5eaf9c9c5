//! When a hint is due: a pure state machine over (time, path), without a clock of its own.
//!
//! A hint for a path is sent once the path was quiet for `debounce`, and `max_delay` after its first
//! event even if it never is. For a path that changes again and again (a log that is appended
//! forever) the gap between two hints doubles up to `hot_delay`; a calm period of twice the gap
//! resets it. More paths than `limit` collapse into one rescan.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::hint::WalkCause;
use super::settings::WatchSettings;

/// A deadline is met at most this late; it limits how often the table is scanned.
const TICK: Duration = Duration::from_millis(20);

/// The hints that are to be sent now.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DueHints {
    pub(super) paths: Vec<PathBuf>,
    pub(super) rescan: Option<WalkCause>,
}

pub(super) struct Debouncer {
    debounce: Duration,
    max_delay: Duration,
    hot_delay: Duration,
    limit: usize,
    pending: HashMap<PathBuf, Burst>,
    last_hints: HashMap<PathBuf, LastHint>,
    rescan: Option<(WalkCause, Burst)>,
    last_rescan: Option<Instant>,
    /// No deadline is before this; deadlines only ever move later.
    wake: Option<Instant>,
}

/// Events of one path for which no hint was sent yet.
struct Burst {
    first: Instant,
    last: Instant,
    not_before: Instant,
}

/// When a hint for a path was last sent, and how long the path has to wait after that.
struct LastHint {
    at: Instant,
    gap: Duration,
}

impl Debouncer {
    pub(super) fn new(settings: &WatchSettings) -> Self {
        Self {
            debounce: settings.debounce,
            max_delay: settings.max_delay,
            hot_delay: settings.hot_delay,
            limit: settings.pending_limit,
            pending: HashMap::new(),
            last_hints: HashMap::new(),
            rescan: None,
            last_rescan: None,
            wake: None,
        }
    }

    /// Records an event at `path`.
    pub(super) fn touch(&mut self, now: Instant, path: PathBuf) {
        if let Some(burst) = self.pending.get_mut(&path) {
            burst.last = now;
            return;
        }
        if self.pending.len() >= self.limit {
            return self.want_rescan(now, WalkCause::Overflow);
        }
        let not_before = self
            .last_hints
            .get(&path)
            .map_or(now, |last| last.at + last.gap);
        let burst = Burst {
            first: now,
            last: now,
            not_before,
        };
        self.wake_by(self.deadline(&burst));
        self.pending.insert(path, burst);
    }

    /// Requests a rescan because something was missed: its hint is sent like that of a path, at most once in
    /// `max_delay`. The first of several causes is sent, except that [`WalkCause::WatcherError`] replaces every other: it
    /// is the only one for which the watches are re-armed.
    pub(super) fn want_rescan(&mut self, now: Instant, cause: WalkCause) {
        if let Some((kept, burst)) = &mut self.rescan {
            burst.last = now;
            if cause == WalkCause::WatcherError {
                *kept = cause;
            }
            return;
        }
        let not_before = self.last_rescan.map_or(now, |at| at + self.max_delay);
        let burst = Burst {
            first: now,
            last: now,
            not_before,
        };
        self.wake_by(self.deadline(&burst));
        self.rescan = Some((cause, burst));
    }

    /// Makes all paths due now, those that keep changing too: a caller waits for what was touched.
    pub(super) fn flush(&mut self, now: Instant) {
        let Some(quiet) = now.checked_sub(self.debounce) else {
            return;
        };
        for burst in self.pending.values_mut() {
            burst.last = burst.last.min(quiet);
            burst.not_before = burst.not_before.min(now);
        }
        self.wake = Some(now);
    }

    /// Takes the hints that are due, in no order.
    pub(super) fn due(&mut self, now: Instant) -> DueHints {
        if self.wake.is_none_or(|wake| now < wake) {
            return DueHints::default();
        }
        let (debounce, max_delay) = (self.debounce, self.max_delay);
        let ripe = |burst: &Burst| burst.deadline(debounce, max_delay) <= now;
        let paths: Vec<_> = self
            .pending
            .extract_if(|_, burst| ripe(burst))
            .map(|(p, _)| p)
            .collect();
        self.remember(now, &paths);
        let rescan = self
            .rescan
            .take_if(|(_, burst)| ripe(burst))
            .map(|(cause, _)| cause);
        if rescan.is_some() {
            self.last_rescan = Some(now);
        }
        let waiting = self
            .pending
            .values()
            .chain(self.rescan.iter().map(|(_, burst)| burst));
        let next = waiting
            .map(|burst| burst.deadline(debounce, max_delay))
            .min();
        self.wake = next.map(|next| next.max(now + TICK));
        DueHints { paths, rescan }
    }

    /// When to call [`Debouncer::due`] again; `None` until the next event.
    pub(super) fn wake(&self) -> Option<Instant> {
        self.wake
    }

    /// Drops what is pending: its root is gone.
    pub(super) fn clear(&mut self) {
        self.pending.clear();
        self.last_hints.clear();
        self.rescan = None;
        self.wake = None;
    }

    fn remember(&mut self, now: Instant, paths: &[PathBuf]) {
        let calm = |last: &LastHint| now > last.at + last.gap * 2 + self.debounce;
        self.last_hints.retain(|_, last| !calm(last));
        for path in paths {
            let before = self.last_hints.get(path).map(|last| last.gap);
            if before.is_none() && self.last_hints.len() >= self.limit {
                continue;
            }
            let gap = before
                .map_or(self.debounce * 2, |gap| gap * 2)
                .min(self.hot_delay);
            self.last_hints
                .insert(path.clone(), LastHint { at: now, gap });
        }
    }

    fn deadline(&self, burst: &Burst) -> Instant {
        burst.deadline(self.debounce, self.max_delay)
    }

    fn wake_by(&mut self, deadline: Instant) {
        self.wake = Some(self.wake.map_or(deadline, |wake| wake.min(deadline)));
    }
}

impl Burst {
    fn deadline(&self, debounce: Duration, max_delay: Duration) -> Instant {
        (self.last + debounce)
            .min(self.first + max_delay)
            .max(self.not_before)
    }
}

#[cfg(test)]
mod tests;
