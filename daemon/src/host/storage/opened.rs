//! Which store a daemon has open: people move stores away and restore others while it runs, and a store that they
//! are still copying must be neither replaced nor set aside.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use simdex_index::store::{Damage, FileId};
use walkdir::WalkDir;

use super::damage_note;
use crate::base::lock::lock;

/// The store that was in a data directory when this process first saw it, or that it opened there last.
#[derive(Debug)]
pub struct OpenedStore {
    state: Mutex<State>,
    /// The store that was set aside last, if the index that was begun in its place may still lack some of its files.
    damage: Mutex<Option<Damage>>,
    rest: Duration,
}

#[derive(Debug, Default)]
struct State {
    /// Its lock file; while it is held no other file gets its inode.
    lock: Option<File>,
    /// Whether part of the store was found to be another's, whatever its lock file is.
    is_other: bool,
    /// The state (see [`look`]) of another store in its place when it was last to be opened, and since when.
    seen: Option<(u64, Instant)>,
    /// The state of the store when it was opened and found not to be whole: as long as that stays the same, it
    /// is not tried again.
    refused: Option<u64>,
}

/// How long the replacement of a store must stay unchanged before it is opened: a copy from a slow file system may
/// stall.
const REST: Duration = Duration::from_secs(60);

impl Default for OpenedStore {
    fn default() -> Self {
        Self::resting(REST)
    }
}

impl OpenedStore {
    /// The store in a data directory before it is opened; none if the directory is new.
    pub fn found(data_dir: &Path) -> Self {
        Self::found_resting(data_dir, REST)
    }

    /// The store at its place, with the time that a replacement must stay unchanged; for tests.
    pub fn found_resting(data_dir: &Path, rest: Duration) -> Self {
        let store = Self::resting(rest);
        store.state().lock = lock_of(data_dir);
        *lock(&store.damage) = damage_note::read(data_dir);
        store
    }

    fn resting(rest: Duration) -> Self {
        Self {
            state: Mutex::default(),
            damage: Mutex::default(),
            rest,
        }
    }

    /// Notes the store that was opened in a data directory and has this lock.
    pub(super) fn note(&self, data_dir: &Path, opened: FileId) {
        let lock = lock_of(data_dir);
        let mut state = self.state();
        match lock.as_ref().and_then(id_of) {
            Some(id) if id == opened => {
                *state = State {
                    lock,
                    ..State::default()
                };
            }
            // Another has been put in its place.
            _ => state.is_other = true,
        }
    }

    /// Notes that a file of the store is not the one that was opened.
    pub(crate) fn mark_exchanged(&self) {
        self.state().is_other = true;
    }

    /// Notes that the store was set aside: we may create a new one in its place.
    pub(super) fn forget(&self, damage: &Damage) {
        *self.state() = State::default();
        damage_note::write(damage);
        *lock(&self.damage) = Some(damage.clone());
    }

    /// The damaged store that was set aside, by this process or an earlier one, until [`OpenedStore::forget_damage`] is
    /// called.
    pub(crate) fn damage(&self) -> Option<Damage> {
        lock(&self.damage).clone()
    }

    /// Notes that the index has been filled again.
    pub(crate) fn forget_damage(&self) {
        if let Some(mended) = lock(&self.damage).take() {
            damage_note::remove(&mended);
        }
    }

    /// Whether another store is there now, or none.
    pub(super) fn is_exchanged(&self, data_dir: &Path) -> bool {
        let state = self.state();
        let is_at_its_place = |lock: &File| {
            let there = std::fs::symlink_metadata(path_of_lock(data_dir));
            there.ok().map(|found| FileId::of(&found)) == id_of(lock)
        };
        state.is_other || !state.lock.as_ref().is_none_or(is_at_its_place)
    }

    /// Whether the store there has stopped changing: it looks as it did when this was first asked, some time ago.
    pub(super) fn is_at_rest(&self, data_dir: &Path) -> bool {
        let (looks, now) = (look(data_dir), Instant::now());
        let mut state = self.state();
        if let (Some(looks), Some((seen, since))) = (looks, state.seen)
            && looks == seen
        {
            let is_new = state.refused != Some(looks);
            return is_new && now.saturating_duration_since(since) >= self.rest;
        }
        state.seen = looks.map(|looks| (looks, now));
        false
    }

    /// Notes that the store there was opened and is not whole; the attempt itself has changed it. It is tried again
    /// once somebody else changes it.
    pub(super) fn refuse(&self, data_dir: &Path) {
        let looks = look(data_dir);
        let mut state = self.state();
        state.seen = looks.map(|looks| (looks, Instant::now()));
        state.refused = looks;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn path_of_lock(data_dir: &Path) -> PathBuf {
    data_dir.join("store/LOCK")
}

/// The lock file of the store that is there.
fn lock_of(data_dir: &Path) -> Option<File> {
    let mut options = File::options();
    let flags = OFlags::PATH | OFlags::NOFOLLOW;
    // Opened as a path only, whatever is there: it is neither read nor waited for.
    let options = options.read(true).custom_flags(flags.bits() as i32);
    options.open(path_of_lock(data_dir)).ok()
}

fn id_of(lock: &File) -> Option<FileId> {
    lock.metadata().ok().map(|found| FileId::of(&found))
}

/// A hash of names, sizes and times of everything below store and texts; `None` if something disappeared during the
/// look, or cannot be read.
fn look(data_dir: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    for folder in ["store", "text"] {
        let walk = WalkDir::new(data_dir.join(folder)).sort_by_file_name();
        for entry in walk {
            let entry = match entry {
                Err(error) if error.depth() == 0 && is_missing(&error) => continue,
                entry => entry.ok()?,
            };
            entry.path().hash(&mut hasher);
            let found = entry.metadata().ok()?;
            let found = (found.ino(), found.len(), found.mtime(), found.mtime_nsec());
            found.hash(&mut hasher);
        }
    }
    Some(hasher.finish())
}

fn is_missing(error: &walkdir::Error) -> bool {
    let source = error.io_error();
    source.is_some_and(|source| source.kind() == ErrorKind::NotFound)
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
        let opened = OpenedStore::found_resting(dir.path(), Duration::ZERO);
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
        note(&opened, dir.path());
        assert!(!opened.is_exchanged(dir.path()));
    }

    fn note(opened: &OpenedStore, data_dir: &Path) {
        let lock = fs::metadata(path_of_lock(data_dir)).unwrap();
        opened.note(data_dir, FileId::of(&lock));
    }

    fn with_store() -> (tempfile::TempDir, OpenedStore) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("store")).unwrap();
        fs::write(path_of_lock(dir.path()), "").unwrap();
        let opened = OpenedStore::found_resting(dir.path(), Duration::from_secs(3_600));
        (dir, opened)
    }

    #[test]
    fn a_store_of_which_a_file_was_exchanged_is_another_until_it_is_opened_again() {
        let (dir, opened) = with_store();
        opened.mark_exchanged();
        assert!(
            opened.is_exchanged(dir.path()),
            "though its lock is the same"
        );
        note(&opened, dir.path());
        assert!(!opened.is_exchanged(dir.path()));
    }

    #[test]
    fn what_came_to_the_place_of_a_store_while_it_was_opened_is_not_noted_for_it() {
        let (dir, opened) = with_store();
        let lock = FileId::of(&fs::metadata(path_of_lock(dir.path())).unwrap());
        fs::rename(dir.path().join("store"), dir.path().join("away")).unwrap();
        fs::create_dir(dir.path().join("store")).unwrap();
        fs::write(path_of_lock(dir.path()), "").unwrap();
        opened.note(dir.path(), lock);
        assert!(opened.is_exchanged(dir.path()));
        // Nor once somebody else has opened it in turn.
        fs::remove_dir_all(dir.path().join("store")).unwrap();
        fs::rename(dir.path().join("away"), dir.path().join("store")).unwrap();
        assert!(opened.is_exchanged(dir.path()));
        opened.note(dir.path(), lock);
        assert!(!opened.is_exchanged(dir.path()));
    }

    #[test]
    fn a_store_that_was_set_aside_by_ourselves_was_exchanged_by_nobody() {
        let (dir, opened) = with_store();
        fs::rename(dir.path().join("store"), dir.path().join("store.damaged-1")).unwrap();
        let damage = Damage {
            set_aside: dir.path().join("store.damaged-1"),
            reason: "a page is damaged".to_owned(),
        };
        opened.forget(&damage);
        assert!(!opened.is_exchanged(dir.path()));
        assert_eq!(opened.damage(), Some(damage.clone()));
        // After a restart as well.
        let again = OpenedStore::found(dir.path());
        assert_eq!(again.damage(), Some(damage));
        again.forget_damage();
        assert_eq!(again.damage(), None);
        assert_eq!(OpenedStore::found(dir.path()).damage(), None);
        // The administrator may remove it before that.
        fs::remove_dir_all(dir.path().join("store.damaged-1")).unwrap();
        opened.forget_damage();
        assert_eq!(opened.damage(), None);
    }

    #[test]
    fn a_note_of_damage_that_is_damaged_itself_is_as_none() {
        let (dir, opened) = with_store();
        let set_aside = dir.path().join("store.damaged-1");
        fs::rename(dir.path().join("store"), &set_aside).unwrap();
        let reason = "a page is damaged".to_owned();
        opened.forget(&Damage {
            set_aside: set_aside.clone(),
            reason,
        });
        let note = set_aside.join("set-aside-because");
        let text = fs::read_to_string(&note).unwrap();
        fs::write(&note, text.replace("page", "text")).unwrap();
        assert_eq!(OpenedStore::found(dir.path()).damage(), None);
    }

    #[test]
    fn a_store_that_is_not_whole_is_not_tried_again_until_it_changes() {
        let (dir, _) = with_store();
        let opened = OpenedStore::found_resting(dir.path(), Duration::ZERO);
        opened.mark_exchanged();
        assert!(!opened.is_at_rest(dir.path()) && opened.is_at_rest(dir.path()));
        // The attempt itself writes to it.
        fs::write(dir.path().join("store/db"), "opened").unwrap();
        opened.refuse(dir.path());
        for _ in 0..3 {
            assert!(!opened.is_at_rest(dir.path()));
        }
        fs::create_dir(dir.path().join("text")).unwrap();
        assert!(!opened.is_at_rest(dir.path()) && opened.is_at_rest(dir.path()));
    }

    #[test]
    fn what_cannot_be_looked_at_or_did_not_rest_for_long_enough_may_still_change() {
        let (dir, opened) = with_store();
        for _ in 0..3 {
            assert!(!opened.is_at_rest(dir.path()));
        }
        assert!(look(dir.path()).is_some(), "texts may be missing");
        let since = opened.state().seen;
        assert!(since.is_some());
        opened.is_at_rest(dir.path());
        assert_eq!(
            opened.state().seen,
            since,
            "it rests from the first look on"
        );
    }
}
