//! Whether the operating system can read everything that sled is about to read.
//!
//! If sled cannot read something when it opens (a failing disk, a file that may not be opened, no descriptor left), it
//! mistakes it for the end of its log, overwrites what follows and reports nothing. So its log is read to its end
//! beforehand, and each large value: a failure is an error then, and nothing is changed. That costs about as much as it
//! saves, as the kernel keeps the pages, which opening reads next in the order of its log and not of the file.

use std::fs::File;
use std::io::{BufReader, ErrorKind, copy, sink};
use std::path::Path;

use crate::safe_fs;
use crate::store::StoreError;
use crate::store::directory::generation::{BLOBS, Generation};
use crate::store::files::entries;

/// Bytes read at once.
const CHUNK: usize = 1 << 20;
/// Descriptors that sled needs besides the one for a large value: its log, a snapshot and its listing, and one to
/// spare.
const DESCRIPTORS: usize = 4;

/// What is checked before sled opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Precheck {
    /// Everything that it is about to read.
    ReadAll,
    /// Only the descriptors that it needs: this process has just written the database and read it.
    DescriptorsOnly,
}

/// Checks the database of a generation, if there is one. The caller holds the lock of the store.
///
/// # Errors
/// [`StoreError::Io`] if something cannot be read, or there are too few descriptors.
pub(in crate::store) fn check(
    generation: &Generation,
    precheck: Precheck,
) -> Result<(), StoreError> {
    let path = generation.db();
    let db = match safe_fs::open_read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        db => db.map_err(StoreError::io("open", &path))?,
    };
    let held: Result<Vec<_>, _> = (0..DESCRIPTORS).map(|_| db.try_clone()).collect();
    let _held = held.map_err(StoreError::io("open", &path))?;
    if precheck == Precheck::DescriptorsOnly {
        return Ok(());
    }
    read(&db, &path)?;
    let blobs = generation.dir().join(BLOBS);
    for entry in entries(&blobs)? {
        let path = entry.map_err(StoreError::io("list", &blobs))?.path();
        let blob = safe_fs::open_read(&path).map_err(StoreError::io("open", &path))?;
        read(&blob, &path)?;
    }
    Ok(())
}

fn read(file: &File, path: &Path) -> Result<(), StoreError> {
    let all = copy(&mut BufReader::with_capacity(CHUNK, file), &mut sink());
    all.map(drop).map_err(StoreError::io("read", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_disk_refuses_is_an_error() {
        // A regular file that cannot be read at its beginning.
        let path = Path::new("/proc/self/mem");
        let refused = read(&File::open(path).unwrap(), path).unwrap_err();
        assert!(
            matches!(refused, StoreError::Io { action: "read", .. }),
            "{refused}"
        );
    }
}
