//! Directories that are set aside whole, for people to examine: `store.damaged-2`, and the texts that belonged to it,
//! `text.damaged-2`. Only the administrator removes them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Stands between the name of a directory and its number.
const DAMAGED: &str = ".damaged-";

/// The highest number that anything beside `dir` was set aside under; 0 if nothing was.
pub(crate) fn last_number(dir: &Path) -> Result<u32> {
    let mut last = 0;
    for entry in std::fs::read_dir(parent(dir))? {
        last = last.max(number_of(&entry?.file_name()).unwrap_or(0));
    }
    Ok(last)
}

/// The path of the copy of `dir` that was set aside last, if it is still there.
///
/// # Errors
/// The directory beside which it would lie cannot be read.
pub fn last_of(dir: &Path) -> Result<Option<PathBuf>> {
    let name = dir.file_name().unwrap_or_default();
    let mut last = None;
    for entry in std::fs::read_dir(parent(dir))? {
        let found = entry?.file_name();
        let number = number_of(&found).filter(|number| path(name.as_ref(), *number) == found);
        last = last.max(number);
    }
    Ok(last.map(|number| path(dir, number)))
}

/// Whether a path belongs to something that was set aside.
pub(crate) fn is_set_aside(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| number_of(name).is_some())
}

fn number_of(name: &OsStr) -> Option<u32> {
    name.to_str()?.rsplit_once(DAMAGED)?.1.parse().ok()
}

/// The path of `dir` once it is set aside under a number.
pub(crate) fn path(dir: &Path, number: u32) -> PathBuf {
    let mut name = OsString::from(dir);
    name.push(format!("{DAMAGED}{number}"));
    name.into()
}

/// Renames `dir`, power-safe.
pub(crate) fn set_aside(dir: &Path, number: u32) -> Result<PathBuf> {
    let target = path(dir, number);
    // A rename would replace an empty directory.
    match std::fs::symlink_metadata(&target) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(_) => return Err(ErrorKind::AlreadyExists.into()),
    }
    std::fs::rename(dir, &target)?;
    File::open(parent(dir))?.sync_all()?;
    Ok(target)
}

fn parent(dir: &Path) -> &Path {
    match dir.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_over_all_that_was_set_aside_and_nothing_is_replaced() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("store");
        assert_eq!(last_number(&dir).unwrap(), 0);
        assert_eq!(last_of(&dir).unwrap(), None);
        for name in [
            "store",
            "store.damaged-2",
            "text.damaged-9",
            "text.damaged-x",
        ] {
            std::fs::create_dir(temp.path().join(name)).unwrap();
        }
        assert_eq!(last_number(&dir).unwrap(), 9);
        assert_eq!(last_of(&dir).unwrap(), Some(path(&dir, 2)));
        assert!(is_set_aside(&path(&dir, 2)) && !is_set_aside(&dir));
        assert!(set_aside(&dir, 2).is_err());
        assert_eq!(set_aside(&dir, 10).unwrap(), path(&dir, 10));
        assert!(!dir.exists() && path(&dir, 10).is_dir());
    }
}
