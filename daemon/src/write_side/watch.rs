//! Watching roots: events are hints, the walk is the truth.
//!
//! A [`RootWatcher`] turns the kernel's events for one root into a few debounced [`Hint`]s; the dispatcher
//! responds to each by ingesting a path or by a walk ([`walk`]), and decides by [`stat`] and content. Whatever may have
//! been missed (an overflow, a share without events, a root that came back) ends in [`Hint::Rescan`], so a lost
//! event costs time but never correctness.
//!
//! * [`walk`], [`temporary_names`], [`stat`]: what is under a root, what is skipped, what is unchanged;
//! * [`anchor`], `mount`: an opened root, from which everything below is reached, and mount points below it;
//! * [`open`]: opening a file without leaving its root;
//! * [`loss`]: the guard against a mass loss that never happened;
//! * [`probe`]: which file systems report changes;
//! * `debounce`, `native`, `root_thread`: when a hint is due, notify, and the thread of one root.

pub mod anchor;
mod debounce;
pub mod loss;
mod mount;
mod native;
pub mod open;
pub mod probe;
mod root_thread;
pub mod stat;
pub mod temporary_names;
pub mod walk;

use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::config::{RootMode, WatchConfig};
use crate::host::lifecycle::Lifecycle;
use native::{Inbox, RootNote};
use root_thread::RootThread;

/// How a root is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Native if the file system reports changes, otherwise polled.
    #[default]
    Auto,
    /// Watched by the kernel's events, with a periodic rescan.
    Native,
    /// Watched by rescans alone.
    Poll,
}

impl From<RootMode> for Mode {
    fn from(mode: RootMode) -> Self {
        match mode {
            RootMode::Auto => Self::Auto,
            RootMode::Native => Self::Native,
            RootMode::Poll => Self::Poll,
        }
    }
}

/// The mode chosen for [`Mode::Auto`], or instead of a mode that does not work here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenMode {
    /// [`Mode::Native`] or [`Mode::Poll`].
    pub mode: Mode,
    /// The reason, for people.
    pub why: String,
}

/// A change that may have happened below a root; the dispatcher finds out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A path that is not a directory and may be new or changed.
    Path(PathBuf),
    /// A directory that is new, was moved here or changed its permissions: walk it.
    Subtree(PathBuf),
    /// Walk the whole root. Merge it with one already waiting.
    Rescan(Cause),
    /// A delete or a move away was seen and nothing is at the path now: it was a file, or a directory with everything
    /// under it. The root itself still existed. The path may never have been known.
    Removed(PathBuf),
    /// All hints of what was seen before [`RootWatcher::flush`] was called with this number have been sent.
    Flushed(u64),
}

/// Why the whole root must be walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The watcher has just started; native watches are already armed.
    Start,
    /// A periodic rescan is due.
    Timer,
    /// Events were lost: the kernel's queue, ours, or the table of pending paths was full.
    Overflow,
    /// The native watcher failed and was re-armed.
    WatcherError,
    /// Native watching could not be armed, whatever the error: from now on the root is polled
    /// ([`RootWatcher::chosen`] says why).
    FellBackToPolling,
    /// The root is missing or unreadable: it is stale and nothing in it counts as deleted.
    RootGone,
    /// The root is there again.
    RootBack,
    /// Another directory is at the root's path: a mount came or went, or it was replaced. Losses
    /// found now are suspect at any size.
    RootReplaced,
}

impl Cause {
    /// A short code for logs and status.
    pub fn code(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Timer => "timer",
            Self::Overflow => "overflow",
            Self::WatcherError => "watcher-error",
            Self::FellBackToPolling => "polled-instead",
            Self::RootGone => "root-gone",
            Self::RootBack => "root-back",
            Self::RootReplaced => "root-replaced",
        }
    }
}

/// The times and bounds of a watcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchSettings {
    /// A path must be quiet for this long before its hint is sent.
    pub debounce: Duration,
    /// The hint for a path that is never quiet is sent after this long.
    pub max_delay: Duration,
    /// Hints for a path that changes again and again become less frequent, down to one in this time.
    pub hot_delay: Duration,
    /// Interval of rescans of a native root.
    pub rescan_every: Duration,
    /// Interval of rescans of a polled root.
    pub poll_every: Duration,
    /// How often to check that the root still exists.
    pub check_every: Duration,
    /// Most paths held back; if there are more, a rescan replaces them.
    pub pending_limit: usize,
}

impl WatchSettings {
    /// The configured settings; the others have their defaults.
    pub fn of(config: &WatchConfig) -> Self {
        Self {
            debounce: Duration::from_millis(config.debounce_ms),
            max_delay: Duration::from_secs(config.max_delay_seconds),
            rescan_every: Duration::from_secs(config.rescan_seconds.max(1)),
            poll_every: Duration::from_secs(config.poll_seconds.max(1)),
            ..Self::default()
        }
    }
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            debounce: Duration::from_millis(500),
            max_delay: Duration::from_secs(5),
            hot_delay: Duration::from_secs(60),
            rescan_every: Duration::from_secs(3_600),
            poll_every: Duration::from_secs(30),
            check_every: Duration::from_secs(5),
            pending_limit: 100_000,
        }
    }
}

/// Why a watcher does not start. A missing root is not an error: the watcher waits for it.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// Paths in hints start with the root, so it must be absolute.
    #[error("the root {} is not an absolute path", .0.display())]
    NotAbsolute(PathBuf),
    /// No thread could be started.
    #[error("the watcher's thread could not be started")]
    Thread(#[source] std::io::Error),
}

/// Watches one root on a thread of its own until dropped.
pub struct RootWatcher {
    inbox: Inbox,
    chosen: Arc<Mutex<ChosenMode>>,
    thread: Option<JoinHandle<()>>,
}

impl RootWatcher {
    /// Dropping waits this long for the thread; one that hangs in a dead share is left behind.
    const PATIENCE: Duration = Duration::from_secs(5);

    /// Starts watching `path`. Hints arrive at `sink`, first a rescan ([`Cause::Start`] once the watches are in
    /// place, or [`Cause::RootGone`]); a full `sink` delays and merges hints, but the watcher never waits for
    /// it. Returns the intended mode: arming may still fall back to polling, which [`RootWatcher::chosen`] then
    /// reports. A panic of the thread ends the engine.
    pub fn start(
        lifecycle: &Arc<Lifecycle>,
        root: u32,
        path: &Path,
        mode: Mode,
        settings: &WatchSettings,
        sink: SyncSender<Hint>,
    ) -> Result<(Self, ChosenMode), WatchError> {
        if !path.is_absolute() {
            return Err(WatchError::NotAbsolute(path.to_owned()));
        }
        let first = choose(mode, path);
        let chosen = Arc::new(Mutex::new(first.clone()));
        let (inbox, notes) = Inbox::new(native::INBOX);
        let thread = RootThread::new(
            root_thread::RootThreadSetup {
                root,
                path: path.to_owned(),
                mode,
                settings: settings.clone(),
                sink,
            },
            (inbox.clone(), notes),
            Arc::clone(&chosen),
        );
        let thread = lifecycle
            .spawn(format!("watch-{root}"), move || thread.run())
            .map_err(WatchError::Thread)?;
        Ok((
            Self {
                inbox,
                chosen,
                thread: Some(thread),
            },
            first,
        ))
    }

    /// Has the root walked again at the next check, since a walk could not use it: the watcher itself may
    /// never have noticed anything.
    pub fn retry_walk_soon(&self) {
        self.inbox.put(RootNote::RetryWalk);
    }

    /// Sends the hints of all paths touched until now, and then [`Hint::Flushed`] with this number. It is lost,
    /// like all that is pending, if the root vanishes or is replaced.
    pub fn flush(&self, number: u64) {
        self.inbox.put(RootNote::Flush(number));
    }

    /// How the root is watched right now.
    pub fn chosen(&self) -> ChosenMode {
        if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            let why = "its watcher has ended and is restarted";
            return ChosenMode {
                mode: Mode::Poll,
                why: why.to_owned(),
            };
        }
        self.chosen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for RootWatcher {
    fn drop(&mut self) {
        self.inbox.stop();
        self.inbox.put(RootNote::Wake);
        let Some(thread) = self.thread.take() else {
            return;
        };
        let since = Instant::now();
        while !thread.is_finished() && since.elapsed() < Self::PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        if thread.is_finished() {
            // The thread itself logs its panic.
            let _ = thread.join();
        } else {
            tracing::warn!("a watcher hangs in its file system and is abandoned");
        }
    }
}

/// Decides how `path` can be watched, by the type of its file system: a share is not ours, so no
/// probe file is written to it.
fn choose(mode: Mode, path: &Path) -> ChosenMode {
    let (mode, why) = match mode {
        Mode::Native => (Mode::Native, "native by config".to_owned()),
        Mode::Poll => (Mode::Poll, "poll by config".to_owned()),
        Mode::Auto => match probe::FileSystem::of(path) {
            Ok(fs) if fs.events => (Mode::Native, format!("{} reports changes", fs.name)),
            Ok(fs) if fs.name == "unknown" => (
                Mode::Poll,
                format!("unknown file system type {:#x}", fs.magic),
            ),
            Ok(fs) => (
                Mode::Poll,
                format!("{} does not report all changes", fs.name),
            ),
            Err(_) => (
                Mode::Poll,
                "the root cannot be read; how to watch it is decided when it can be".to_owned(),
            ),
        },
    };
    ChosenMode { mode, why }
}

#[cfg(test)]
mod tests;
