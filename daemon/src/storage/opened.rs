//! Which store a daemon has open: people move stores away and restore others while it runs, and what they have not done
//! with must be neither begun anew nor set aside under their hands.

use std::fs::{File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::OFlags;
use walkdir::WalkDir;

/// The store that was in a data directory when this process first saw it, or that it opened there last.
#[derive(Debug, Default)]
pub struct OpenedStore(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Its lock file; while it is held no other file gets its inode.
    lock: Option<File>,
    /// What another in its place looked like when it was last to be opened.
    seen: Option<u64>,
}

impl OpenedStore {
    /// The store that lies in a data directory before it is opened; none where it is new.
    pub fn found(data_dir: &Path) -> Self {
        let store = Self::default();
        store.note(data_dir);
        store
    }

    /// Notes the store that was opened in a data directory.
    pub(super) fn note(&self, data_dir: &Path) {
        let mut options = File::options();
        let flags = OFlags::PATH | OFlags::NOFOLLOW;
        // A path alone, whatever stands there: it is neither read nor waited for.
        let options = options.read(true).custom_flags(flags.bits() as i32);
        // One that was moved away again leaves what was known before.
        if let Ok(lock) = options.open(lock_of(data_dir)) {
            let lock = Some(lock);
            *self.state() = State { lock, seen: None };
        }
    }

    /// Whether another store lies there by now, or none.
    pub(super) fn is_exchanged(&self, data_dir: &Path) -> bool {
        let of = |found: Metadata| (found.dev(), found.ino());
        let Some(lock) = &self.state().lock else {
            return false;
        };
        let there = std::fs::symlink_metadata(lock_of(data_dir));
        there.ok().map(of) != lock.metadata().ok().map(of)
    }

    /// Whether what lies there changes no more: it looks as it did when this was asked last.
    pub(super) fn is_at_rest(&self, data_dir: &Path) -> bool {
        let seen = Some(look(data_dir));
        std::mem::replace(&mut self.state().seen, seen) == seen
    }

    /// Takes what lies there now for what was seen: an attempt to open it has changed it.
    pub(super) fn look_again(&self, data_dir: &Path) {
        let _as_before = self.is_at_rest(data_dir);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock_of(data_dir: &Path) -> PathBuf {
    data_dir.join("store/LOCK")
}

/// Names, sizes and times of all that lies below store and texts.
fn look(data_dir: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    for folder in ["store", "text"] {
        let walk = WalkDir::new(data_dir.join(folder)).sort_by_file_name();
        for entry in walk.into_iter().flatten() {
            entry.path().hash(&mut hasher);
            let found = entry.metadata().ok();
            let found =
                found.map(|found| (found.ino(), found.len(), found.mtime(), found.mtime_nsec()));
            found.hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_store_is_exchanged_where_another_lies_there_and_at_rest_once_nothing_changes() {
        let dir = tempfile::tempdir().unwrap();
        let (store, away) = (dir.path().join("store"), dir.path().join("away"));
        let of_new = OpenedStore::found(dir.path());
        fs::create_dir(&store).unwrap();
        fs::write(store.join("LOCK"), "").unwrap();
        assert!(!of_new.is_exchanged(dir.path()), "it is the first");
        let opened = OpenedStore::found(dir.path());
        assert!(!opened.is_exchanged(dir.path()));
        fs::rename(&store, &away).unwrap();
        assert!(opened.is_exchanged(dir.path()));
        fs::remove_dir_all(&away).unwrap();
        fs::create_dir(&store).unwrap();
        fs::write(store.join("LOCK"), "").unwrap();
        assert!(opened.is_exchanged(dir.path()), "not by the same inode");
        assert!(!opened.is_at_rest(dir.path()));
        assert!(opened.is_at_rest(dir.path()));
        fs::write(store.join("db"), "half of it").unwrap();
        assert!(!opened.is_at_rest(dir.path()));
        opened.note(dir.path());
        assert!(!opened.is_exchanged(dir.path()));
    }
}
