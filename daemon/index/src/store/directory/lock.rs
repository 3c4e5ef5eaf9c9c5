//! The lock of a store directory. It is separate from sled's own lock, which is taken too late to guard what recovery
//! does before sled opens.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::safe_fs;
use crate::store::StoreError;
use crate::store::directory::generation::Generation;

const LOCK: &str = "LOCK";
/// A daemon that was killed ends a little before its probe does, and a process that is being started has the
/// descriptors of its parent for a moment: the lock is tried for this long.
pub(in crate::store) const GRACE: Duration = Duration::from_secs(2);

/// Exclusive use of a store directory, until dropped. An advisory `flock`, so it ends with the process in any case.
#[derive(Debug)]
pub(in crate::store) struct DirLock {
    _file: File,
    anchor: Anchor,
}

/// Which file had a name when the store was opened. People restore and exchange directories; operations by path must
/// not be applied to what they put there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Anchor {
    path: PathBuf,
    file: FileId,
}

/// Which file it is: device and inode, which no other file has while this one is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId(u64, u64);

impl FileId {
    /// The id of a file whose metadata these are.
    pub fn of(found: &Metadata) -> Self {
        Self(found.dev(), found.ino())
    }
}

impl Anchor {
    /// The id of the file at this path now.
    pub(in crate::store) fn of(path: &Path) -> Result<Self, StoreError> {
        let found = std::fs::symlink_metadata(path).map_err(StoreError::io("examine", path))?;
        Ok(Self {
            path: path.into(),
            file: FileId::of(&found),
        })
    }

    /// The id of that file.
    pub(in crate::store) fn file(&self) -> FileId {
        self.file
    }

    /// # Errors
    /// [`StoreError::Replaced`] if another file is there by now, or none.
    pub(in crate::store) fn check(&self) -> Result<(), StoreError> {
        let is_here = match std::fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            found => {
                let found = found.map_err(StoreError::io("examine", &self.path))?;
                FileId::of(&found) == self.file
            }
        };
        let path = self.path.clone();
        is_here.then_some(()).ok_or(StoreError::Replaced { path })
    }
}

impl DirLock {
    /// Locks `dir`, which must exist; waits for at most [`GRACE`].
    pub(in crate::store) fn acquire(dir: &Path) -> Result<Self, StoreError> {
        let (file, path) = lock_file(dir)?;
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
            // The holder set the directory aside meanwhile: what we locked is no longer in use.
            Ok(()) | Err(TryLockError::WouldBlock) => Err(StoreError::Locked { dir: dir.into() }),
            Err(TryLockError::Error(source)) => Err(StoreError::io("lock", path)(source)),
        }
    }

    /// The file that is locked.
    pub(in crate::store) fn anchor(&self) -> &Anchor {
        &self.anchor
    }
}

/// Keeps others from opening the store while it is examined, until dropped. Writes nothing: missing files are not
/// locked.
#[derive(Debug)]
pub(in crate::store) struct Watch {
    _files: Vec<File>,
}

impl Watch {
    /// A shared lock on our file and on sled's, both of which every process that opens the store locks exclusively.
    pub(in crate::store) fn of(dir: &Path) -> Result<Self, StoreError> {
        let mut files = Vec::new();
        files.extend(lock_shared(dir, &dir.join(LOCK))?);
        // Once ours is locked, the generation stays the same.
        files.extend(lock_shared(dir, &Generation::current(dir)?.db())?);
        Ok(Self { _files: files })
    }
}

/// A shared lock on a file of the store in `dir`; `None` if there is no such file.
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

/// The lock file of a store, created if missing, and its path.
fn lock_file(dir: &Path) -> Result<(File, PathBuf), StoreError> {
    let path = dir.join(LOCK);
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    let file = safe_fs::open(&path, &mut options).map_err(StoreError::io("open", &path))?;
    Ok((file, path))
}

fn is_still_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(ours), Ok(theirs)) => FileId::of(&ours) == FileId::of(&theirs),
        _ => false,
    }
}

/// A store that is being examined. This may take minutes, and the result must not be applied to another store that is
/// in its place by then.
#[derive(Debug)]
pub(in crate::store) struct Suspect {
    dir: PathBuf,
    anchor: Anchor,
    /// While it is open, no other file gets its inode.
    _lock: File,
}

impl Suspect {
    /// The store that is in a directory now.
    pub(in crate::store) fn of(dir: &Path) -> Result<Self, StoreError> {
        let (file, path) = lock_file(dir)?;
        let found = file.metadata().map_err(StoreError::io("examine", &path))?;
        let anchor = Anchor {
            path,
            file: FileId::of(&found),
        };
        Ok(Self {
            dir: dir.into(),
            anchor,
            _lock: file,
        })
    }

    /// The directory in which it was when it was first examined.
    pub(in crate::store) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Locks the directory.
    ///
    /// # Errors
    /// [`StoreError::Replaced`] if another store is there by now.
    pub(in crate::store) fn lock(&self) -> Result<DirLock, StoreError> {
        // Before anything is created in what may be another store.
        self.anchor.check()?;
        let lock = DirLock::acquire(&self.dir)?;
        self.anchor.check()?;
        Ok(lock)
    }

    /// Checks that a store that was opened here is this one.
    ///
    /// # Errors
    /// [`StoreError::Replaced`] if it is another.
    pub(in crate::store) fn check(&self, opened: FileId) -> Result<(), StoreError> {
        let path = self.anchor.path.clone();
        let is_it = opened == self.anchor.file;
        is_it.then_some(()).ok_or(StoreError::Replaced { path })
    }

    /// Whether it is in this directory now.
    pub(in crate::store) fn lies_in(&self, dir: &Path) -> bool {
        let there = std::fs::symlink_metadata(dir.join(LOCK));
        there.is_ok_and(|there| FileId::of(&there) == self.anchor.file)
    }
}

/// Waits until nobody holds a lock on `path`, for at most `limit`; returns whether that happened. sled's background
/// threads release its file a little after its handles are dropped.
pub(in crate::store) fn wait_unlocked(path: &Path, limit: Duration) -> bool {
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
