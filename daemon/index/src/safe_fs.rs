//! Opens files and makes folders in the data directory safely: for their owner only, and only if they are what they
//! should be. A symbolic link is never followed and a FIFO never waited for, so that something planted under one of our
//! names neither redirects a write nor hangs a start.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Opens a regular file with the given access; a file that is created gets mode 0600.
///
/// # Errors
/// If it cannot be opened, or is a link, a FIFO or anything else but a regular file.
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    // The flags fit: they are constants of the kernel's `int`.
    let options = options.custom_flags(flags.bits() as i32).mode(0o600);
    let file = options.open(path).map_err(explained)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(not_regular()),
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// Those of [`open`].
pub fn open_read(path: &Path) -> Result<File> {
    open(path, OpenOptions::new().read(true))
}

/// Makes a directory and its missing parents, for their owner only. An existing one must not be a symbolic link.
pub(crate) fn create_dir(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    match std::fs::symlink_metadata(path)?.is_dir() {
        true => Ok(()),
        false => Err(Error::new(
            ErrorKind::NotADirectory,
            "it is a symbolic link; put the directory itself there, or a mount",
        )),
    }
}

/// Explains in words the kernel's error for a link or a FIFO opened this way.
fn explained(error: Error) -> Error {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::LOOP) => Error::new(
            ErrorKind::InvalidInput,
            "it is a symbolic link, which is not followed here; move it away",
        ),
        Some(Errno::NXIO | Errno::ISDIR) => not_regular(),
        _ => error,
    }
}

fn not_regular() -> Error {
    Error::new(
        ErrorKind::InvalidInput,
        "it is not a regular file; move it away",
    )
}

/// Makes a FIFO that no process has open at its other end.
#[cfg(test)]
pub(crate) fn make_fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode};
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::from(0o600), 0).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn links_and_fifos_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        let (fifo, folder) = (dir.path().join("fifo"), dir.path().join("folder"));
        symlink(&target, &link).unwrap();
        std::fs::create_dir(&folder).unwrap();
        make_fifo(&fifo);
        for path in [&link, &fifo, &folder] {
            for options in [
                OpenOptions::new().read(true),
                OpenOptions::new().write(true).create(true),
            ] {
                let refused = open(path, options).unwrap_err();
                assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{path:?}");
            }
        }
        assert!(!target.exists(), "nothing is made through a link");
        symlink(&folder, dir.path().join("linked")).unwrap();
        assert!(create_dir(&dir.path().join("linked")).is_err());
    }

    #[test]
    fn what_is_made_is_its_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, path) = (dir.path().join("a"), dir.path().join("a/b"));
        create_dir(&folder).unwrap();
        open(&path, OpenOptions::new().write(true).create(true)).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
    }
}
