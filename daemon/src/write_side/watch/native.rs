//! The kernel's events, received through notify.
//!
//! One watch per directory is added here, instead of using notify's recursive mode: that gives up the
//! whole tree at the first directory it may not read, enters mounts, and leaves new directories
//! unwatched after an overflow. notify's thread must never wait, so it only puts notes into a bounded
//! inbox; a full inbox is remembered as an overflow.
//!
//! The kernel does not report everything: a write through one hard link is an event at that path
//! only, and a write through a memory map is no event at all. The periodic rescan finds both, except
//! writes that leave no trace in the times of the file: the recheck finds those.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Config, ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher};
use rustix::io::Errno;
use walkdir::WalkDir;

use super::hint::WalkCause;
use super::mount::MountPoints;
use super::walk::MAX_DEPTH;
use super::watched::{WatchedDirectories, WatchedInode};

/// Notes that may wait; as many as the kernel's own queue holds by default.
pub(super) const INBOX: usize = 16_384;

/// A message to the thread of a root.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RootNote {
    /// Something happened at this path.
    Touched(PathBuf),
    /// Events were missed.
    Missed(WalkCause),
    /// A walk could not use the root: have it walked again soon.
    RetryWalk,
    /// Send hints for all that was touched by now, then report that all were sent.
    Flush(u64),
    /// Check whether to stop.
    Wake,
}

/// The sending side of a root's notes; sending never waits.
#[derive(Clone)]
pub(super) struct Inbox {
    notes: SyncSender<RootNote>,
    overflowed: Arc<AtomicBool>,
    stopped: Arc<AtomicBool>,
}

impl Inbox {
    pub(super) fn new(capacity: usize) -> (Self, Receiver<RootNote>) {
        let (notes, receiver) = sync_channel(capacity);
        (
            Self {
                notes,
                overflowed: Arc::default(),
                stopped: Arc::default(),
            },
            receiver,
        )
    }

    pub(super) fn put(&self, note: RootNote) {
        if let Err(TrySendError::Full(_)) = self.notes.try_send(note) {
            self.overflowed.store(true, Ordering::Release);
        }
    }

    /// Whether notes were lost since the last call.
    pub(super) fn take_overflow(&self) -> bool {
        self.overflowed.swap(false, Ordering::AcqRel)
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    pub(super) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }
}

/// Why native watching does not work here.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArmError {
    #[error("the limit on watches is reached (sysctl fs.inotify.max_user_watches)")]
    Limit,
    #[error("the thread that reads the kernel's events has ended")]
    Ended,
    #[error("{0}")]
    Notify(notify::Error),
}

impl From<notify::Error> for ArmError {
    fn from(error: notify::Error) -> Self {
        match error.kind {
            ErrorKind::MaxFilesWatch => Self::Limit,
            _ => Self::Notify(error),
        }
    }
}

/// The watches of one root.
pub(super) struct NativeWatches {
    watcher: Option<RecommendedWatcher>,
    root: PathBuf,
    inbox: Inbox,
    watched: WatchedDirectories,
    /// Walks made so far: what the last one did not find is watched no more.
    walks: u64,
    /// Set once this is dropped: its thread may then end.
    retired: Arc<AtomicBool>,
    /// Set once its thread has ended.
    ended: Arc<AtomicBool>,
}

impl NativeWatches {
    /// Watches every directory of `root`. A walk of the root after this misses nothing: changes
    /// after the walk are reported by events.
    pub(super) fn arm(root: &Path, inbox: Inbox) -> Result<Self, ArmError> {
        let config = Config::default().with_follow_symlinks(false);
        let [retired, ended] = <[Arc<AtomicBool>; 2]>::default();
        let heartbeat = Heartbeat {
            inbox: inbox.clone(),
            retired: Arc::clone(&retired),
            ended: Arc::clone(&ended),
        };
        let watcher = RecommendedWatcher::new(move |event| read(event, &heartbeat.inbox), config)?;
        let mut native = Self {
            watcher: Some(watcher),
            root: root.to_owned(),
            inbox,
            watched: WatchedDirectories::default(),
            walks: 0,
            retired,
            ended,
        };
        native.watch(root)?;
        native.extend(root)?;
        Ok(native)
    }

    /// Watches `start` and every directory below it. Each is watched before it is listed, so a
    /// directory created meanwhile is either listed or reported by an event.
    pub(super) fn extend(&mut self, start: &Path) -> Result<(), ArmError> {
        if start != self.root && !start.symlink_metadata().is_ok_and(|m| m.is_dir()) {
            return Ok(());
        }
        let mounts = MountPoints::below(&self.root);
        let above = start
            .strip_prefix(&self.root)
            .map_or(0, |p| p.components().count());
        self.walks += 1;
        let mut is_whole = true;
        let mut entries = WalkDir::new(start).into_iter();
        while let Some(entry) = entries.next() {
            if self.inbox.stopped() {
                return Ok(());
            }
            let Ok(entry) = entry else {
                is_whole = false;
                continue;
            };
            if entry.depth() > 0 && !entry.file_type().is_dir() {
                continue;
            }
            let below = above + entry.depth();
            let is_mount_point = below > 0 && mounts.has(entry.path());
            if is_mount_point || below > MAX_DEPTH {
                entries.skip_current_dir();
            } else {
                self.watch(entry.path())?;
            }
        }
        if is_whole {
            self.unwatch_older_than(start, self.walks);
        }
        Ok(())
    }

    /// Removes the watches at and below a path where nothing is any more.
    pub(super) fn forget(&mut self, gone: &Path) {
        self.unwatch_older_than(gone, u64::MAX);
    }

    fn unwatch_older_than(&mut self, start: &Path, walk: u64) {
        for path in self.watched.older_than(start, walk) {
            self.unwatch(&path);
        }
    }

    /// A flag that is set once this is dropped.
    #[cfg(test)]
    pub(super) fn retired(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.retired)
    }

    /// A directory that vanished or may not be read affects only itself; an event of its parent
    /// reports when that changes. Any other error would leave a directory silently unwatched.
    fn watch(&mut self, directory: &Path) -> Result<(), ArmError> {
        let Some(inode) = WatchedInode::at(directory) else {
            return Ok(());
        };
        if let Some(old) = self.watched.other_path(directory, inode) {
            self.unwatch(&old);
        }
        let watcher = self.watcher().ok_or(ArmError::Ended)?;
        match watcher.watch(directory, RecursiveMode::NonRecursive) {
            Err(error) if !is_of_directory(&error) => return Err(error.into()),
            _ => self.watched.insert(directory, inode, self.walks),
        }
        if WatchedInode::at(directory) != Some(inode) {
            // It was replaced meanwhile, which an event reports; either of the two may be watched.
            self.unwatch(directory);
        }
        Ok(())
    }

    /// Removes the watch at a path, if there is one.
    fn unwatch(&mut self, directory: &Path) {
        self.watched.remove(directory);
        if let Some(watcher) = self.watcher() {
            // notify may have removed it by itself.
            let _ = watcher.unwatch(directory);
        }
    }

    /// The watcher, while its thread lives.
    fn watcher(&mut self) -> Option<&mut RecommendedWatcher> {
        let alive = !self.ended.load(Ordering::Acquire);
        self.watcher.as_mut().filter(|_| alive)
    }
}

impl Drop for NativeWatches {
    fn drop(&mut self) {
        self.retired.store(true, Ordering::Release);
        if self.ended.load(Ordering::Acquire) {
            // notify panics if its thread is not there to be stopped.
            std::mem::forget(self.watcher.take());
        }
    }
}

/// Whether an error is caused by the directory, and not by the watcher or the machine.
fn is_of_directory(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => matches!(
            Errno::from_io_error(error),
            Some(
                Errno::NOENT
                    | Errno::NOTDIR
                    | Errno::ACCESS
                    | Errno::PERM
                    | Errno::LOOP
                    | Errno::NAMETOOLONG
            )
        ),
        _ => false,
    }
}

/// Lives in notify's thread, and reports if that ends by itself.
struct Heartbeat {
    inbox: Inbox,
    retired: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        if !self.retired.load(Ordering::Acquire) {
            self.inbox.put(RootNote::Missed(WalkCause::WatcherError));
        }
    }
}

/// Puts a note about an event into the inbox. Reading is not a change; any other event only says
/// where to look, since its kind is outdated by the time anyone looks.
fn read(event: notify::Result<Event>, inbox: &Inbox) {
    match event {
        Err(_) => inbox.put(RootNote::Missed(WalkCause::WatcherError)),
        Ok(event) if event.need_rescan() || event.paths.is_empty() => {
            inbox.put(RootNote::Missed(WalkCause::Overflow));
        }
        Ok(event) if is_change(&event.kind) => {
            event
                .paths
                .into_iter()
                .for_each(|path| inbox.put(RootNote::Touched(path)));
        }
        Ok(_) => {}
    }
}

fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(access) => *access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
