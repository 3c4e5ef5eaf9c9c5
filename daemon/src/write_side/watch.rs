//! Watches roots: reports where something may have changed.
//!
//! A [`RootWatcher`] turns the kernel's events for one root into a few debounced [`Hint`]s; the dispatcher
//! responds to each by ingesting a path or by a walk ([`walk`]), and decides by [`stat`] and content. Whatever may have
//! been missed (an overflow, a share without events, a root that came back) ends in [`Hint::WalkRoot`], so a lost
//! event costs time but never correctness.
//!
//! * [`walk`], [`temporary_names`], [`stat`]: what is under a root, what is skipped, what is unchanged;
//! * [`anchor`], `mount`: an opened root, from which everything below is reached, and mount points below it;
//! * [`open`]: opening a file without leaving its root;
//! * [`loss`]: the guard against a mass loss that never happened;
//! * [`probe`]: which file systems report changes;
//! * `hint`, `mode`, `settings`: what a watcher sends, how it watches, and at what times;
//! * `debounce`, `native`, `root_thread`: when a hint is due, notify, and the thread of one root.

pub mod anchor;
mod debounce;
mod hint;
pub mod loss;
mod mode;
mod mount;
mod native;
pub mod open;
pub mod probe;
mod root_thread;
mod settings;
pub mod stat;
pub mod temporary_names;
pub mod walk;
mod watched;

use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::config::RootMode;
use crate::host::lifecycle::Lifecycle;
pub use hint::{Hint, WalkCause};
pub use mode::ChosenMode;
use mode::choose;
use native::{Inbox, RootNote};
use root_thread::RootThread;
pub use settings::WatchSettings;

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
    const MAX_WAIT: Duration = Duration::from_secs(5);

    /// Starts watching `path`. Hints arrive at `sink`, first a rescan ([`WalkCause::Start`] once the watches are in
    /// place, or [`WalkCause::RootGone`]); a full `sink` delays and merges hints, but the watcher never waits for
    /// it. Returns the intended mode: arming may still fall back to polling, which [`RootWatcher::chosen`] then
    /// reports. A panic of the thread ends the engine.
    pub fn start(
        lifecycle: &Arc<Lifecycle>,
        root: u32,
        path: &Path,
        mode: RootMode,
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
                mode: RootMode::Poll,
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
        while !thread.is_finished() && since.elapsed() < Self::MAX_WAIT {
            std::thread::sleep(Duration::from_millis(5));
        }
        if thread.is_finished() {
            // The thread itself logs its panic.
            let _ = thread.join();
        } else {
            tracing::warn!("a watcher is blocked in its file system; it is abandoned");
        }
    }
}

#[cfg(test)]
mod tests;
