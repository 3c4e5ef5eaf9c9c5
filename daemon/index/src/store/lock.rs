//! The lock of a store directory and the mark of a clean close. Both stand beside the engine's own
//! files: the engine's lock is taken too late to guard what recovery does before it opens.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::StoreError;
use super::durable::sync_dir;
use super::generation::Generation;
use crate::safe_fs;

const LOCK: &str = "LOCK";
const CLEAN: &str = "CLEAN";
/// A daemon that was killed is gone a little before its probe is: so long the lock is asked for.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// Exclusive use of a store directory, until dropped. An advisory `flock`, so it ends with the
/// process however the process ends.
#[derive(Debug)]
pub(super) struct DirLock {
    _file: File,
    anchor: Anchor,
}

/// Which file stood under a name when the store was opened. People restore and exchange directories; what
/// works by path must not work on what they put there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anchor {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl Anchor {
    /// Of the file that stands there now.
    pub(super) fn of(path: &Path) -> Result<Self, StoreError> {
        let found = std::fs::symlink_metadata(path).map_err(StoreError::io("examine", path))?;
        Ok(Self {
            path: path.into(),
            device: found.dev(),
            inode: found.ino(),
        })
    }

    /// # Errors
    /// [`StoreError::Replaced`] where another file stands there by now, or none.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let is_here = match std::fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            found => {
                let found = found.map_err(StoreError::io("examine", &self.path))?;
                (found.dev(), found.ino()) == (self.device, self.inode)
            }
        };
        let path = self.path.clone();
        is_here.then_some(()).ok_or(StoreError::Replaced { path })
    }
}

impl DirLock {
    /// Locks `dir`, which must exist; waits for [`GRACE`] at most.
    pub(super) fn acquire(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(LOCK);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let file = safe_fs::open(&path, &mut options).map_err(StoreError::io("open", &path))?;
        let deadline = Instant::now() + GRACE;
        let locked = loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                tried => break tried,
            }
        };
        let anchor = Anchor::of(&path);
        match locked {
            Ok(()) if is_still_at(&file, &path) => Ok(Self {
                _file: file,
                anchor: anchor?,
            }),
            // The holder set the directory aside meanwhile: what we locked is not in use any more.
            Ok(()) | Err(TryLockError::WouldBlock) => Err(StoreError::Locked { dir: dir.into() }),
            Err(TryLockError::Error(source)) => Err(StoreError::io("lock", path)(source)),
        }
    }
}

impl DirLock {
    /// The file that is locked.
    pub(super) fn anchor(&self) -> &Anchor {
        &self.anchor
    }
}

/// Keeps others from opening the store while it is looked at, until dropped. Writes nothing: files
/// that are not there are not locked.
#[derive(Debug)]
pub(super) struct Watch {
    _files: Vec<File>,
}

impl Watch {
    /// A shared lock on our file and on the engine's, which whoever opens the store locks alone.
    pub(super) fn of(dir: &Path) -> Result<Self, StoreError> {
        let mut files = Vec::new();
        files.extend(lock_shared(dir, &dir.join(LOCK))?);
        // Once ours is locked the generation stays the same.
        files.extend(lock_shared(dir, &Generation::current(dir)?.db())?);
        Ok(Self { _files: files })
    }
}

/// A shared lock on a file of the store in `dir`; none where there is no such file.
fn lock_shared(dir: &Path, path: &Path) -> Result<Option<File>, StoreError> {
    let file = match safe_fs::open_read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(StoreError::io("open", path))?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked { dir: dir.into() }),
        Err(TryLockError::Error(source)) => Err(StoreError::io("lock", path)(source)),
    }
}

fn is_still_at(file: &File, path: &Path) -> bool {
    let id = |m: std::fs::Metadata| (m.dev(), m.ino());
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(ours), Ok(theirs)) => id(ours) == id(theirs),
        _ => false,
    }
}

/// Waits until nobody holds a lock on `path`, at most `limit`; says whether that came true. The
/// engine's background threads let go of its file a little after its handles are dropped.
pub(super) fn wait_unlocked(path: &Path, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    loop {
        match safe_fs::open_read(path).map(|file| file.try_lock()) {
            Ok(Err(TryLockError::WouldBlock)) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Ok(Err(TryLockError::WouldBlock)) => return false,
            _ => return true,
        }
    }
}

/// Whether the store was closed cleanly and not opened since.
pub(super) fn closed_cleanly(dir: &Path) -> bool {
    std::fs::symlink_metadata(clean_path(dir)).is_ok_and(|mark| mark.is_file())
}

/// Takes the mark of a clean close away, power-safe, before anything else is touched.
pub(super) fn unmark_clean(dir: &Path) -> Result<(), StoreError> {
    let path = clean_path(dir);
    match std::fs::remove_file(&path) {
        Ok(()) => sync_dir(dir),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io("remove", path)(error)),
    }
}

/// Marks a clean close, power-safe. Everything else must be synced already.
pub(super) fn mark_clean(dir: &Path) -> Result<(), StoreError> {
    let path = clean_path(dir);
    let mut options = OpenOptions::new();
    let mark = safe_fs::open(&path, options.write(true).create(true).truncate(true));
    let mark = mark.map_err(StoreError::io("create", &path))?;
    mark.sync_all().map_err(StoreError::io("sync", &path))?;
    sync_dir(dir)
}

fn clean_path(dir: &Path) -> PathBuf {
    dir.join(CLEAN)
}
