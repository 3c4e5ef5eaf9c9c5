//! The position of the background reading: the last file it passed, kept across restarts.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use simdex_index::safe_fs;
use simdex_schema::{FileKey, RootId};

/// The file in the data directory. It holds the root's number (4 bytes, big-endian), then the path.
const NAME: &str = "recheck";
/// Longer than any path.
const LONGEST: usize = 1 << 16;

/// The last file passed; nothing at the start of a round.
pub(super) struct Cursor {
    directory: PathBuf,
    passed: Option<FileKey>,
    written: Option<FileKey>,
}

impl Cursor {
    /// Reads the saved position; the start if there is none that is usable.
    pub(super) fn read(directory: PathBuf) -> Self {
        let bytes = read_bounded(&directory.join(NAME)).unwrap_or_default();
        let passed = match bytes.split_first_chunk::<4>() {
            Some((root, path)) if path.len() <= LONGEST => Some(FileKey {
                root: RootId(u32::from_be_bytes(*root)),
                path: path.to_vec(),
            }),
            _ => None,
        };
        Self {
            directory,
            written: passed.clone(),
            passed,
        }
    }

    /// Whether all files of a root are passed, judging by the order of roots alone.
    pub(super) fn has_passed(&self, root: RootId) -> bool {
        self.passed
            .as_ref()
            .is_some_and(|passed| passed.root > root)
    }

    /// Where to continue in a root: after this name.
    pub(super) fn from(&self, root: RootId) -> FileKey {
        let passed = self.passed.clone().filter(|passed| passed.root == root);
        passed.unwrap_or(FileKey {
            root,
            path: Vec::new(),
        })
    }

    /// Notes that this file is passed.
    pub(super) fn pass(&mut self, key: FileKey) {
        self.passed = Some(key);
    }

    /// Starts again: all files are passed.
    pub(super) fn restart(&mut self) {
        self.passed = None;
    }

    /// Saves the position if it changed. It is only an optimisation: failures are ignored.
    pub(super) fn write(&mut self) {
        if self.passed == self.written {
            return;
        }
        let bytes = self.passed.as_ref().map_or_else(Vec::new, |passed| {
            [&passed.root.0.to_be_bytes()[..], &passed.path].concat()
        });
        let new = tempfile::NamedTempFile::new_in(&self.directory);
        let written = new.and_then(|mut new| {
            new.write_all(&bytes)?;
            Ok(new.persist(self.directory.join(NAME))?)
        });
        match written {
            Ok(_) => self.written.clone_from(&self.passed),
            Err(error) => tracing::debug!(%error, "the position of the recheck could not be saved"),
        }
    }
}

/// The bytes of the file, up to the greatest valid length.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    safe_fs::open_read(path)?
        .take(LONGEST as u64 + 5)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(root: u32, path: &str) -> FileKey {
        FileKey {
            root: RootId(root),
            path: path.into(),
        }
    }

    #[test]
    fn it_goes_on_where_it_was_after_a_restart_and_from_the_start_after_a_round() {
        let dir = tempfile::tempdir().unwrap();
        let mut cursor = Cursor::read(dir.path().to_owned());
        assert_eq!(cursor.from(RootId(1)), key(1, ""));
        cursor.pass(key(2, "a/b"));
        cursor.write();
        let mut next = Cursor::read(dir.path().to_owned());
        assert!(next.has_passed(RootId(1)) && !next.has_passed(RootId(2)));
        assert_eq!(next.from(RootId(2)), key(2, "a/b"));
        assert_eq!(next.from(RootId(3)), key(3, ""));
        next.restart();
        next.write();
        let again = Cursor::read(dir.path().to_owned());
        assert_eq!(again.from(RootId(1)), key(1, ""));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn odd_bytes_are_the_start() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(NAME);
        std::fs::write(&path, b"xyz").unwrap();
        let cursor = Cursor::read(dir.path().to_owned());
        assert_eq!(cursor.from(RootId(1)), key(1, ""));
        // Reading such a file to its end would keep the daemon from starting.
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let cursor = Cursor::read(dir.path().to_owned());
        assert_eq!(cursor.from(RootId(1)), key(1, ""));
    }
}
