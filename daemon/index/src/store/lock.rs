//! The lock of a store directory and the mark of a clean close. Both stand beside the engine's own
//! files: the engine's lock is taken too late to guard what recovery does before it opens.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::StoreError;
use super::durable::{sync_dir, sync_file};

const LOCK: &str = "LOCK";
const CLEAN: &str = "CLEAN";
/// A daemon that was killed is gone a little before its probe is: so long the lock is asked for.
const GRACE: Duration = Duration::from_millis(500);

/// Exclusive use of a store directory, until dropped. An advisory `flock`, so it ends with the
/// process however the process ends.
#[derive(Debug)]
pub(super) struct DirLock {
    _file: File,
}

impl DirLock {
    /// Locks `dir`, which must exist; waits for [`GRACE`] at most.
    pub(super) fn acquire(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(LOCK);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(StoreError::io("open", &path))?;
        let deadline = Instant::now() + GRACE;
        let locked = loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                tried => break tried,
            }
        };
        match locked {
            Ok(()) if is_still_at(&file, &path) => Ok(Self { _file: file }),
            // The holder set the directory aside meanwhile: what we locked is not in use any more.
            Ok(()) | Err(TryLockError::WouldBlock) => Err(StoreError::Locked { dir: dir.into() }),
            Err(TryLockError::Error(source)) => Err(StoreError::io("lock", path)(source)),
        }
    }
}

fn is_still_at(file: &File, path: &Path) -> bool {
    let id = |m: std::fs::Metadata| (m.dev(), m.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(ours), Ok(theirs)) => id(ours) == id(theirs),
        _ => false,
    }
}

/// Waits until nobody holds a lock on `path`, at most `limit`; says whether that came true. The
/// engine's background threads let go of its file a little after its handles are dropped.
pub(super) fn wait_unlocked(path: &Path, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    loop {
        match File::open(path).map(|file| file.try_lock()) {
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
    clean_path(dir).exists()
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
    File::create(&path).map_err(StoreError::io("create", &path))?;
    sync_file(&path)?;
    sync_dir(dir)
}

fn clean_path(dir: &Path) -> PathBuf {
    dir.join(CLEAN)
}
