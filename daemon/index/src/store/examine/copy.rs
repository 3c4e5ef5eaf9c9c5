//! Copies a store, to examine the copy in its place: opening a store writes to it, and verifying must not change
//! anything.

use std::fs::OpenOptions;
use std::path::Path;

use rustix::fs::ioctl_ficlone;

use crate::safe_fs;
use crate::store::StoreError;
use crate::store::directory::RUNS;
use crate::store::directory::generation::{self, BLOBS, Generation};
use crate::store::directory::lock::Watch;
use crate::store::files::{self, check_room, files};
use crate::store::sled_support::recovery::check_kinds;

/// Bytes to leave free besides a copy: sled writes a snapshot and some log.
const MARGIN: u64 = 64 << 20;

/// Keeps a store from being opened, until dropped, while it or its copy is examined.
#[derive(Debug)]
pub struct Observed {
    _watch: Watch,
}

/// Copies the store in `from` into the directory `to`, which must exist and be empty. `from` is not changed, and nobody
/// can open it before the result is dropped. If the file system supports it, the copy shares the blocks of the original
/// and takes no space.
///
/// # Errors
/// [`StoreError::Locked`] if it is in use; [`StoreError::NoRoom`] if the copy would not fit.
pub fn copy_aside(from: &Path, to: &Path) -> Result<Observed, StoreError> {
    check_kinds(from)?;
    let watch = Watch::of(from)?;
    let mut folders = vec![(from.to_owned(), to.to_owned())];
    for run in files::folders(&from.join(RUNS))? {
        let name = run.file_name().unwrap_or_default().to_owned();
        folders.push((run, to.join(RUNS).join(name)));
    }
    // Everything that may hold the records, with their marks: opening the copy must choose as opening the original
    // would.
    let records = from.join(generation::DIR);
    for candidate in Generation::candidates(from)? {
        if let Ok(below) = candidate.dir().strip_prefix(&records) {
            folders.push((candidate.dir(), to.join(generation::DIR).join(below)));
        }
    }
    for at in 0..folders.len() {
        let (source, target) = &folders[at];
        folders.push((source.join(BLOBS), target.join(BLOBS)));
    }
    folders.push((records, to.join(generation::DIR)));
    for (_, target) in &folders {
        safe_fs::create_dir(target).map_err(StoreError::io("create", target))?;
    }
    let mut copies = Vec::new();
    for (source, target) in &folders {
        for (path, len) in files(source)? {
            let name = path.file_name().unwrap_or_default().to_owned();
            copies.push((path, target.join(name), len));
        }
    }
    // The mark belongs to the original: without it sled recovers, as it would there.
    let mut left: u64 = copies.iter().map(|(_, _, len)| len).sum();
    for (source, target, len) in &copies {
        copy(source, target, left)?;
        left -= len;
    }
    Ok(Observed { _watch: watch })
}

/// Copies one file; `left` bytes are still to be copied, including this file.
fn copy(source: &Path, target: &Path, left: u64) -> Result<(), StoreError> {
    let mut from = safe_fs::open_read(source).map_err(StoreError::io("open", source))?;
    let mut options = OpenOptions::new();
    let to = safe_fs::open(target, options.write(true).create_new(true));
    let mut to = to.map_err(StoreError::io("create", target))?;
    if ioctl_ficlone(&to, &from).is_ok() {
        return Ok(());
    }
    let dir = target.parent().unwrap_or(target);
    check_room(dir, left.saturating_add(MARGIN))?;
    let copied = std::io::copy(&mut from, &mut to);
    copied.map_err(StoreError::io("copy", source))?;
    Ok(())
}
