//! Files and directories of a store: what is there, how large it is, and its way to stable storage.

use std::fs::{DirEntry, File, FileType};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

use super::StoreError;
use crate::safe_fs;

/// Fsyncs one file; no error if sled removed it meanwhile.
pub(in crate::store) fn sync_file(path: &Path) -> Result<(), StoreError> {
    let file = match safe_fs::open_read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        file => file.map_err(StoreError::io("open", path))?,
    };
    file.sync_all().map_err(StoreError::io("sync", path))
}

/// Fsyncs a directory, so that creations, renames and removals in it are durable.
pub(in crate::store) fn sync_dir(path: &Path) -> Result<(), StoreError> {
    let dir = File::open(path).map_err(StoreError::io("open", path))?;
    dir.sync_all().map_err(StoreError::io("sync", path))
}

/// The kind of file at a path, following no link; `None` if nothing is there. It is an error if that cannot be
/// determined: a failing disk does not make its content superfluous.
pub(in crate::store) fn kind_at(path: &Path) -> Result<Option<FileType>, StoreError> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => Ok(Some(
            found.map_err(StoreError::io("examine", path))?.file_type(),
        )),
    }
}

/// The length of the file at a path, following no link; `None` if there is none.
pub(in crate::store) fn len_at(path: &Path) -> Result<Option<u64>, StoreError> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => Ok(Some(found.map_err(StoreError::io("examine", path))?.len())),
    }
}

/// The regular files directly in `dir` with their lengths; none if there is no such directory.
pub(in crate::store) fn files(dir: &Path) -> Result<Vec<(PathBuf, u64)>, StoreError> {
    let mut found = Vec::new();
    for entry in entries(dir)? {
        let entry = entry.map_err(StoreError::io("list", dir))?;
        // A file sled removed since the listing needs no sync.
        if let Ok(metadata) = entry.metadata()
            && metadata.is_file()
        {
            found.push((entry.path(), metadata.len()));
        }
    }
    Ok(found)
}

/// The directories directly in `dir`, none if there is no such directory.
///
/// # Errors
/// If anything else is there too.
pub(in crate::store) fn folders(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = Vec::new();
    for entry in entries(dir)? {
        let entry = entry.map_err(StoreError::io("list", dir))?;
        let kind = entry.file_type();
        if !kind.is_ok_and(|kind| kind.is_dir()) {
            let stray = std::io::Error::other("it is not a directory; move it away");
            return Err(StoreError::io("use", entry.path())(stray));
        }
        found.push(entry.path());
    }
    Ok(found)
}

/// The entries directly in `dir`; none if there is no such directory.
pub(in crate::store) fn entries(
    dir: &Path,
) -> Result<impl Iterator<Item = std::io::Result<DirEntry>>, StoreError> {
    let entries = match std::fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        entries => Some(entries.map_err(StoreError::io("list", dir))?),
    };
    Ok(entries.into_iter().flatten())
}

/// Bytes of disk allocated to `dir` and everything below it. Files that vanish meanwhile do not count.
pub(in crate::store) fn allocated_bytes(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return 0;
    };
    let size = |entry: DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => allocated_bytes(&entry.path()),
        _ => allocated_to(&entry.path()),
    };
    entries.flatten().map(size).sum()
}

/// Bytes of disk allocated to one file; zero if it vanished.
pub(in crate::store) fn allocated_to(path: &Path) -> u64 {
    // POSIX counts blocks of 512 bytes whatever the file system's block size.
    std::fs::symlink_metadata(path).map_or(0, |file| file.blocks() * 512)
}

/// Removes a directory of sled; no error if there is none. sled may still be working in it and create a file again, so
/// this is retried.
pub(in crate::store) fn remove_dir(dir: &Path) -> Result<(), StoreError> {
    const ATTEMPTS: usize = 3;
    let mut tried = Ok(());
    for _ in 0..ATTEMPTS {
        tried = match std::fs::remove_dir_all(dir) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
        if tried.is_ok() {
            break;
        }
    }
    tried.map_err(StoreError::io("remove", dir))
}

/// Checks that this many bytes are free in a directory.
pub(in crate::store) fn check_room(dir: &Path, needed: u64) -> Result<(), StoreError> {
    let space = statvfs(dir).map_err(|error| StoreError::io("examine", dir)(error.into()))?;
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    match needed > free {
        true => Err(StoreError::NoRoom {
            dir: dir.into(),
            needed,
            free,
        }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_looked_at_is_not_taken_for_missing() {
        let temp = tempfile::tempdir().unwrap();
        assert!(kind_at(temp.path()).unwrap().is_some());
        assert!(kind_at(&temp.path().join("missing")).unwrap().is_none());
        let refused = kind_at(&temp.path().join("x".repeat(300)));
        assert!(matches!(
            refused,
            Err(StoreError::Io {
                action: "examine",
                ..
            })
        ));
    }
}
