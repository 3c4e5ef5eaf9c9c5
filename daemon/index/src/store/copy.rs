//! A copy of a store to be examined in its place: opening a store writes to it, and whoever verifies
//! one must change nothing.

use std::fs::OpenOptions;
use std::path::Path;

use rustix::fs::{ioctl_ficlone, statvfs};

use super::StoreError;
use super::durable::files;
use super::lock::Watch;
use super::recovery::check_kinds;
use crate::private;

/// What must be left free beside a copy: the engine writes a snapshot and some log.
const MARGIN: u64 = 64 << 20;

/// Keeps a store from being opened, until dropped, while it or its copy is looked at.
#[derive(Debug)]
pub struct Observed {
    _watch: Watch,
}

/// Copies the store in `from` into the directory `to`, which must exist and be empty. Nothing of
/// `from` is changed, and nobody opens it before the answer is dropped. Where the file system can, a
/// copy shares the blocks of the original and takes no space.
///
/// # Errors
/// [`StoreError::Locked`] if it is in use; [`StoreError::NoRoom`] where the copy would not fit.
pub fn copy_aside(from: &Path, to: &Path) -> Result<Observed, StoreError> {
    check_kinds(from)?;
    let watch = Watch::of(from)?;
    let folders = [
        (from.to_owned(), to.to_owned()),
        (from.join("blobs"), to.join("blobs")),
    ];
    private::create_dir(&folders[1].1).map_err(StoreError::io("create", &folders[1].1))?;
    let mut copies = Vec::new();
    for (source, target) in &folders {
        for (path, len) in files(source)? {
            let name = path.file_name().unwrap_or_default().to_owned();
            copies.push((path, target.join(name), len));
        }
    }
    // The mark is of the original: where there is none the engine recovers, as it would there.
    let mut left: u64 = copies.iter().map(|(_, _, len)| len).sum();
    for (source, target, len) in &copies {
        copy(source, target, left)?;
        left -= len;
    }
    Ok(Observed { _watch: watch })
}

/// Copies one file; `left` bytes are still to be copied, this file's among them.
fn copy(source: &Path, target: &Path, left: u64) -> Result<(), StoreError> {
    let mut from = private::read(source).map_err(StoreError::io("open", source))?;
    let mut options = OpenOptions::new();
    let to = private::open(target, options.write(true).create_new(true));
    let mut to = to.map_err(StoreError::io("create", target))?;
    if ioctl_ficlone(&to, &from).is_ok() {
        return Ok(());
    }
    check_room(target, left)?;
    let copied = std::io::copy(&mut from, &mut to);
    copied.map_err(StoreError::io("copy", source))?;
    Ok(())
}

fn check_room(target: &Path, left: u64) -> Result<(), StoreError> {
    let dir = target.parent().unwrap_or(target);
    let space = statvfs(dir).map_err(|error| StoreError::io("examine", dir)(error.into()))?;
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    match left.saturating_add(MARGIN) {
        needed if needed > free => Err(StoreError::NoRoom {
            dir: dir.into(),
            needed,
            free,
        }),
        _ => Ok(()),
    }
}
