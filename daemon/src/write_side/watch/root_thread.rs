//! The thread of one root: takes notes, decides which hints to send and when, and checks the root itself.

mod classify;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::anchor::{Anchor, RootRefusal};
use super::debounce::Debouncer;
use super::hint::{Hint, WalkCause};
use super::mode::{ChosenMode, choose};
use super::native::{ArmError, Inbox, NativeWatches, RootNote};
use super::probe::InodeId;
use super::settings::WatchSettings;
use crate::config::RootMode;
use crate::host::lifecycle::Backoff;

/// Notes taken at once, so that deadlines are checked in between.
const BATCH: usize = 4_096;
/// How soon sending to a full sink is retried.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// The shortest wait of any timer, whatever the config says.
const SHORTEST: Duration = Duration::from_millis(10);
/// The longest sleep.
const MAX_SLEEP: Duration = Duration::from_secs(1);

/// The root to watch, how to watch it, and where its hints are sent.
pub(super) struct RootThreadSetup {
    pub(super) root: u32,
    pub(super) path: PathBuf,
    pub(super) mode: RootMode,
    pub(super) settings: WatchSettings,
    pub(super) sink: SyncSender<Hint>,
}

pub(super) struct RootThread {
    setup: RootThreadSetup,
    inbox: Inbox,
    notes: Receiver<RootNote>,
    chosen: Arc<Mutex<ChosenMode>>,
    native: Option<NativeWatches>,
    /// When native watching is retried, if it failed.
    next_try: Option<Instant>,
    /// The waits between retries: each sets as many watches as the kernel allows.
    waits: Backoff,
    /// The root as last seen; `None` while it is gone.
    present: Option<InodeId>,
    pending: Debouncer,
    /// Hints for which the sink had no room. While one waits here only rescans are added, so it
    /// holds at most what one round of the debouncer returned.
    outbox: VecDeque<Hint>,
    next_check: Instant,
    next_rescan: Instant,
    /// The flush that a caller waits for, which sends hints for all that was touched by now.
    flush: Option<u64>,
}

/// The sink is closed: nobody listens any more.
struct SinkClosed;

/// The directory at a root's path, compared with the known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RootPresence {
    /// The known directory.
    Same,
    /// Another directory, or one where there was none; with the cause for a walk.
    New(InodeId, WalkCause),
    /// Nothing usable, where there was a directory.
    Gone,
    /// Nothing usable, as before.
    StillGone,
}

impl RootThread {
    pub(super) fn new(
        setup: RootThreadSetup,
        (inbox, notes): (Inbox, Receiver<RootNote>),
        chosen: Arc<Mutex<ChosenMode>>,
    ) -> Self {
        let now = Instant::now();
        Self {
            pending: Debouncer::new(&setup.settings),
            next_try: None,
            waits: waits(&setup.settings),
            setup,
            inbox,
            notes,
            chosen,
            native: None,
            present: None,
            outbox: VecDeque::new(),
            next_check: now,
            next_rescan: now,
            flush: None,
        }
    }

    /// Runs until stopped, or until nobody listens.
    pub(super) fn run(mut self) {
        match usable(&self.setup.path) {
            Ok(root) => self.adopt_root(root, WalkCause::Start),
            Err(_) => self.mark_root_gone(),
        }
        while !self.inbox.stopped() {
            if self.deliver().is_err() {
                return;
            }
            self.receive();
            self.run_due_work();
        }
    }

    /// Waits for a note or the next deadline, then takes the notes that are there.
    fn receive(&mut self) {
        let now = Instant::now();
        let rescan = self.present.map(|_| self.next_rescan);
        let until = [self.pending.wake(), Some(self.next_check), rescan];
        let wait = until
            .into_iter()
            .flatten()
            .min()
            .map_or(MAX_SLEEP, |at| at - now.min(at));
        let wait = if self.outbox.is_empty() {
            wait.min(MAX_SLEEP)
        } else {
            RETRY_INTERVAL
        };
        let Ok(first) = self.notes.recv_timeout(wait) else {
            return;
        };
        self.handle_note(first);
        for _ in 0..BATCH {
            let Ok(note) = self.notes.try_recv() else {
                return;
            };
            self.handle_note(note);
        }
    }

    fn handle_note(&mut self, note: RootNote) {
        let now = Instant::now();
        match note {
            RootNote::Wake => {}
            RootNote::RetryWalk => {
                let soon = now + self.setup.settings.check_every.max(SHORTEST);
                self.next_rescan = self.next_rescan.min(soon);
            }
            RootNote::Flush(number) => self.flush = self.flush.max(Some(number)),
            // Ignore late notes once the root is gone.
            _ if self.present.is_none() => {}
            RootNote::Touched(path) => self.pending.touch(now, path),
            RootNote::Missed(cause) => self.pending.want_rescan(now, cause),
        }
    }

    /// Does what is due: the check of the root, its periodic rescan, and hints.
    fn run_due_work(&mut self) {
        let now = Instant::now();
        if self.inbox.take_overflow() && self.present.is_some() {
            self.pending.want_rescan(now, WalkCause::Overflow);
        }
        if now >= self.next_check {
            self.check_root();
        }
        if self.present.is_some() && now >= self.next_rescan {
            self.extend_watches_and_rescan(WalkCause::Timer);
        }
        if self.outbox.is_empty() {
            let flush = self.flush.take();
            if flush.is_some() {
                self.pending.flush(now);
            }
            self.emit_due_hints(now);
            self.outbox.extend(flush.map(Hint::Flushed));
        }
    }

    /// Probes the root and applies the result; returns true if it is the known directory.
    fn check_root(&mut self) -> bool {
        self.next_check = Instant::now() + self.setup.settings.check_every.max(SHORTEST);
        let found = self.probe_root();
        self.apply_root_state(found);
        found == RootPresence::Same
    }

    /// Compares the directory at the root's path with the known one.
    fn probe_root(&self) -> RootPresence {
        match (self.present, usable(&self.setup.path)) {
            (Some(known), Ok(found)) if known == found => RootPresence::Same,
            (Some(_), Ok(found)) => RootPresence::New(found, WalkCause::RootReplaced),
            (None, Ok(found)) => RootPresence::New(found, WalkCause::RootBack),
            (Some(_), Err(_)) => RootPresence::Gone,
            (None, Err(_)) => RootPresence::StillGone,
        }
    }

    /// Adopts a root that appeared, and releases one that disappeared.
    fn apply_root_state(&mut self, found: RootPresence) {
        match found {
            RootPresence::New(root, cause) => self.adopt_root(root, cause),
            RootPresence::Gone => self.mark_root_gone(),
            RootPresence::Same | RootPresence::StillGone => {}
        }
    }

    fn adopt_root(&mut self, root: InodeId, cause: WalkCause) {
        self.drop_pending();
        self.present = Some(root);
        self.waits = waits(&self.setup.settings);
        self.choose_and_arm();
        self.queue_rescan(cause);
    }

    fn mark_root_gone(&mut self) {
        self.drop_pending();
        self.present = None;
        self.native = None;
        self.queue_rescan(WalkCause::RootGone);
    }

    /// Drops everything pending for the root in its previous state: the rescan that follows covers it.
    fn drop_pending(&mut self) {
        self.pending.clear();
        self.outbox.clear();
    }

    /// Has the root walked, after completing the watches: a lost event may have announced a new directory.
    fn extend_watches_and_rescan(&mut self, cause: WalkCause) {
        if self.next_try.is_some_and(|at| at <= Instant::now()) {
            self.retry_native();
        } else if cause == WalkCause::WatcherError && self.native.is_some() {
            self.arm();
        } else {
            self.extend(&self.setup.path.clone());
        }
        self.queue_rescan(cause);
    }

    fn extend(&mut self, directory: &Path) {
        if let Some(native) = &mut self.native
            && let Err(error) = native.extend(directory)
        {
            self.fall_back(&error);
        }
    }

    fn choose_and_arm(&mut self) {
        let chosen = self.choose();
        let native = chosen.mode == RootMode::Native;
        (self.native, self.next_try) = (None, None);
        self.set_chosen(chosen);
        if native {
            self.arm();
        }
    }

    fn choose(&self) -> ChosenMode {
        choose(self.setup.mode, &self.setup.path)
    }

    fn arm(&mut self) {
        let replaced = self.native.take().is_some();
        let mut armed = self.new_native();
        if replaced && matches!(armed, Err(ArmError::Limit)) {
            // The old watches count towards the limit until notify's thread has dropped them.
            std::thread::sleep(MAX_SLEEP);
            armed = self.new_native();
        }
        match armed {
            Ok(native) => self.native = Some(native),
            Err(error) => self.fall_back(&error),
        }
    }

    fn new_native(&self) -> Result<NativeWatches, ArmError> {
        NativeWatches::arm(&self.setup.path, self.inbox.clone())
    }

    fn fall_back(&mut self, error: &ArmError) {
        tracing::warn!(
            root = self.setup.root,
            %error,
            "a root can no longer be watched and is polled"
        );
        self.poll_for_now(error);
        self.queue_rescan(WalkCause::FellBackToPolling);
    }

    fn poll_for_now(&mut self, error: &ArmError) {
        self.native = None;
        let wait = self.waits.pause();
        self.next_try = Some(Instant::now() + wait);
        self.set_chosen(ChosenMode {
            mode: RootMode::Poll,
            why: format!("polled in place of native: {error}; tried again at each rescan"),
        });
    }

    /// Retries native watching after it failed. A walk of the root after this misses nothing.
    fn retry_native(&mut self) {
        match self.new_native() {
            Ok(native) => {
                tracing::info!(
                    root = self.setup.root,
                    "a root that was polled is watched again"
                );
                (self.native, self.next_try) = (Some(native), None);
                self.set_chosen(self.choose());
            }
            Err(error) => self.poll_for_now(&error),
        }
    }

    fn set_chosen(&self, chosen: ChosenMode) {
        *self.chosen.lock().unwrap_or_else(PoisonError::into_inner) = chosen;
    }

    /// Queues one rescan, and sets the time of the next.
    fn queue_rescan(&mut self, cause: WalkCause) {
        let settings = &self.setup.settings;
        let every = if self.native.is_some() {
            settings.rescan_every
        } else {
            settings.poll_every
        };
        self.next_rescan = Instant::now() + every.max(SHORTEST);
        let hint = Hint::WalkRoot(cause);
        if !self.outbox.contains(&hint) {
            self.outbox.push_back(hint);
        }
    }

    /// Queues the hints that are due, after completing the watches: a new directory is watched before it is walked.
    fn emit_due_hints(&mut self, now: Instant) {
        let due = self.pending.due(now);
        let hints = classify::hints_for(due.paths);
        // Checked after the paths: if the root is gone, every file looks deleted.
        if !hints.is_empty() && !self.check_root() {
            return;
        }
        for hint in hints {
            match (&hint, &mut self.native) {
                (Hint::Subtree(directory), _) => self.extend(directory),
                (Hint::Removed(gone), Some(native)) => native.forget(gone),
                _ => {}
            }
            self.outbox.push_back(hint);
        }
        if let Some(cause) = due.rescan {
            self.extend_watches_and_rescan(cause);
        }
    }

    /// Sends waiting hints, as far as there is room.
    fn deliver(&mut self) -> Result<(), SinkClosed> {
        while let Some(hint) = self.outbox.pop_front() {
            match self.setup.sink.try_send(hint) {
                Ok(()) => {}
                Err(TrySendError::Full(hint)) => {
                    self.outbox.push_front(hint);
                    return Ok(());
                }
                Err(TrySendError::Disconnected(_)) => return Err(SinkClosed),
            }
        }
        Ok(())
    }
}

/// How long to wait before native watching is retried.
fn waits(settings: &WatchSettings) -> Backoff {
    let first = settings.poll_every.max(SHORTEST);
    Backoff::between(first, settings.rescan_every.max(first))
}

/// The directory at a root's path, if it can be listed.
fn usable(root: &Path) -> Result<InodeId, RootRefusal> {
    Anchor::open_listable(root).map(|anchor| anchor.inode())
}

#[cfg(test)]
mod tests;
