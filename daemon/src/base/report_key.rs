//! Authenticates the reports that this daemon wrote, so that reports below a watched root are not indexed.
//!
//! A mark that anybody could set would hide files from the index. So it is a keyed BLAKE3 of the
//! manifest, and the key never leaves the data directory: without it nobody can make a manifest that
//! counts, and a manifest that counts names each file by its own BLAKE3.
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde::Deserialize;
use simdex_index::safe_fs;

use simdex_proto::manifest::{FileEntry, split_mark};

/// The file in the data directory.
const NAME: &str = "report-key";

/// The key of a data directory.
pub struct ReportKey([u8; 32]);

/// The files of a report by name, each with the hash of its bytes.
pub type FileHashes = HashMap<String, [u8; 32]>;

impl ReportKey {
    /// Opens the key of a data directory; makes a new one if there is none, or only part of one.
    ///
    /// # Errors
    /// If it can neither be read nor made.
    pub fn open(data_dir: &Path) -> io::Result<Self> {
        let path = data_dir.join(NAME);
        match safe_fs::open_read(&path) {
            Ok(file) => {
                let mut bytes = Vec::new();
                file.take(64).read_to_end(&mut bytes)?;
                match bytes.try_into() {
                    Ok(key) => Ok(Self(key)),
                    // There was a crash while it was made: no report bears it.
                    Err(_) => Self::make(data_dir, &path),
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::make(data_dir, &path),
            Err(error) => Err(error),
        }
    }

    fn make(data_dir: &Path, path: &Path) -> io::Result<Self> {
        let mut key = [0; 32];
        File::open("/dev/urandom")?.read_exact(&mut key)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        let mut file = safe_fs::open(path, &mut options)?;
        file.write_all(&key)?;
        file.sync_all()?;
        File::open(data_dir)?.sync_all()?;
        Ok(Self(key))
    }

    /// The mark of a manifest, computed over all lines before it.
    pub(crate) fn mark(&self, lines: &str) -> blake3::Hash {
        blake3::keyed_hash(&self.0, lines.as_bytes())
    }

    /// What a manifest lists, if it bears the mark of this key.
    pub fn listed(&self, text: &str) -> Option<FileHashes> {
        #[derive(Deserialize)]
        struct Manifest {
            files: Vec<FileEntry>,
        }
        let (lines, mark) = split_mark(text)?;
        // Compared in constant time.
        if self.mark(lines) != blake3::Hash::from_hex(mark).ok()? {
            return None;
        }
        let manifest: Manifest = serde_json::from_str(text).ok()?;
        let listed = manifest.files.into_iter().map(|file| {
            let hash = blake3::Hash::from_hex(&file.blake3).ok()?;
            Some((file.path, *hash.as_bytes()))
        });
        listed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_key_stays_the_same_and_is_its_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let first = ReportKey::open(dir.path()).unwrap();
        assert_eq!(ReportKey::open(dir.path()).unwrap().0, first.0);
        let path = dir.path().join(NAME);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::write(&path, b"cut").unwrap();
        let second = ReportKey::open(dir.path()).unwrap();
        assert_ne!(second.0, first.0);
        assert_eq!(ReportKey::open(dir.path()).unwrap().0, second.0);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert!(ReportKey::open(dir.path()).is_err());
        std::fs::remove_file(&path).unwrap();
        // Opening one that blocks would keep the daemon from starting.
        let mode = rustix::fs::Mode::from(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(ReportKey::open(dir.path()).is_err());
    }
}
