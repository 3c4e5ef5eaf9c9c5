//! Which database of the engine holds the records of a store: its generations.
//!
//! A log-structured engine's file does not shrink, so records are now and then copied into a database
//! anew ([`super::rewrite`]). Generation 0 lies in the directory of the store itself, each later one in a
//! directory of its own, `records/NNNNNN`. Beside one that is not finished stands its mark, the empty file
//! `records/NNNNNN.new`: written, power-safe, before the directory is made, and taken away once all in it
//! is power-safe. A mark and no other name, since the engine keeps the path of what it has open. So the
//! listing alone tells which generation is current: the highest without a mark. All others are what a
//! crash left, and are removed when the store opens.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::StoreError;
use super::durable::{allocated_bytes, allocated_to, entries, files, sync_dir, sync_file};
use super::runs::remove_dir;
use crate::safe_fs;

/// Name of the directory in the store.
pub(super) const DIR: &str = "records";
/// Name of the engine's file, which it locks.
pub(super) const DB: &str = "db";
/// Name of the engine's directory of large values.
pub(super) const BLOBS: &str = "blobs";
/// Ends the name of a mark.
const UNFINISHED: &str = "new";

/// One generation of the records of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Generation {
    store: PathBuf,
    number: u32,
}

impl Generation {
    /// The current one of a store, which may be empty or missing. Changes nothing.
    pub(super) fn current(store: &Path) -> Result<Self, StoreError> {
        let all = Self::all(store)?;
        let finished = all
            .into_iter()
            .filter(|found| found.dir().is_dir() && !found.is_marked());
        let first = Self {
            store: store.into(),
            number: 0,
        };
        Ok(finished.max_by_key(|found| found.number).unwrap_or(first))
    }

    /// The current one, once all others are removed. The caller holds the lock of the store.
    pub(super) fn alone(store: &Path) -> Result<Self, StoreError> {
        let current = Self::current(store)?;
        if store.join(DIR).exists() {
            // Before what came earlier goes.
            sync_dir(&store.join(DIR))?;
        }
        for other in Self::all(store)? {
            if other != current {
                other.remove()?;
            }
        }
        if current.number > 0 {
            let first = Self {
                number: 0,
                ..current.clone()
            };
            first.remove()?;
        }
        Ok(current)
    }

    /// Those with a directory or a mark of their own.
    fn all(store: &Path) -> Result<Vec<Self>, StoreError> {
        let dir = store.join(DIR);
        let mut all = Vec::new();
        for entry in entries(&dir)? {
            let entry = entry.map_err(StoreError::io("list", &dir))?;
            let name = entry.file_name();
            let number = Path::new(&name).file_stem().and_then(|stem| stem.to_str());
            if let Some(number @ 1..) = number.and_then(|stem| stem.parse().ok()) {
                let store = store.into();
                all.push(Self { store, number });
            }
        }
        Ok(all)
    }

    /// The one that follows.
    pub(super) fn next(&self) -> Self {
        Self {
            number: self.number + 1,
            ..self.clone()
        }
    }

    /// The directory of the store.
    pub(super) fn store(&self) -> &Path {
        &self.store
    }

    /// The directory of its database.
    pub(super) fn dir(&self) -> PathBuf {
        match self.number {
            0 => self.store.clone(),
            number => self.store.join(DIR).join(format!("{number:06}")),
        }
    }

    /// The file that the engine locks.
    pub(super) fn db(&self) -> PathBuf {
        self.dir().join(DB)
    }

    fn mark(&self) -> PathBuf {
        self.dir().with_extension(UNFINISHED)
    }

    fn is_marked(&self) -> bool {
        self.mark().exists()
    }

    /// Bytes of disk allocated to it.
    pub(super) fn allocated(&self) -> u64 {
        let files = self.files().unwrap_or_default();
        let files: u64 = files.iter().map(|path| allocated_to(path)).sum();
        files + allocated_bytes(&self.dir().join(BLOBS))
    }

    /// Begins one that is not finished, with nothing in its directory.
    pub(super) fn begin(&self) -> Result<(), StoreError> {
        self.remove()?;
        let records = self.store.join(DIR);
        safe_fs::create_dir(&records).map_err(StoreError::io("create", &records))?;
        sync_dir(&self.store)?;
        let mark = self.mark();
        let mut options = OpenOptions::new();
        safe_fs::open(&mark, options.write(true).create(true).truncate(false))
            .map_err(StoreError::io("create", &mark))?;
        sync_file(&mark)?;
        sync_dir(&records)?;
        let dir = self.dir();
        safe_fs::create_dir(&dir).map_err(StoreError::io("create", &dir))
    }

    /// Makes it the current one. All in it must be power-safe.
    ///
    /// # Errors
    /// [`Unfinished::AsBefore`] where nothing was changed; else the next opening decides.
    pub(super) fn finish(&self) -> Result<(), Unfinished> {
        let mark = self.mark();
        let removed = std::fs::remove_file(&mark).map_err(StoreError::io("remove", &mark));
        match removed {
            Err(error) if self.is_marked() => return Err(Unfinished::AsBefore(error)),
            Err(_) => return Err(Unfinished::Unknown),
            Ok(()) => {}
        }
        sync_dir(&self.store.join(DIR)).map_err(|_| Unfinished::Unknown)
    }

    /// Removes one that did not get finished, and never one that did.
    pub(super) fn abandon(&self) {
        if !self.is_marked() {
            return;
        }
        // One that failed is never closed, and must give its room back all the same.
        let mut options = OpenOptions::new();
        if let Ok(db) = safe_fs::open(&self.db(), options.write(true)) {
            let _ = db.set_len(0);
        }
        if let Err(error) = self.remove() {
            let dir = self.dir();
            tracing::warn!(%error, dir = %dir.display(), "it is removed at the next start");
        }
    }

    /// Removes it, which is not current or not finished; no error if there is none.
    pub(super) fn remove(&self) -> Result<(), StoreError> {
        let dir = self.dir();
        if self.number == 0 {
            for path in self.files()? {
                unless_missing(std::fs::remove_file(&path))
                    .map_err(StoreError::io("remove", &path))?;
            }
            return remove_dir(&dir.join(BLOBS));
        }
        remove_dir(&dir)?;
        let mark = self.mark();
        if self.is_marked() {
            // Without its mark what is left of it would be taken for finished.
            sync_dir(&self.store.join(DIR))?;
            unless_missing(std::fs::remove_file(&mark)).map_err(StoreError::io("remove", &mark))?;
        }
        Ok(())
    }

    /// The engine's files, but for large values.
    fn files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let is_of_engine = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let starts = ["conf", "snap.", "aside.snap."];
            name == DB || starts.iter().any(|start| name.starts_with(start))
        };
        let found = files(&self.dir())?.into_iter().map(|(path, _)| path);
        Ok(found.filter(is_of_engine).collect())
    }
}

/// Why a generation did not become the current one.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// The one before is still current.
    AsBefore(StoreError),
    /// After a power cut either is current, so that nothing may be acknowledged any more.
    Unknown,
}

fn unless_missing(removed: std::io::Result<()>) -> std::io::Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_highest_generation_without_a_mark_is_current_and_others_are_removed() {
        let temp = tempfile::tempdir().unwrap();
        let (store, records) = (temp.path(), temp.path().join(DIR));
        assert_eq!(Generation::alone(store).unwrap().number, 0);
        for name in [
            "blobs",
            "records/000009",
            "records/000010",
            "records/000011",
        ] {
            fs::create_dir_all(store.join(name)).unwrap();
        }
        let left = [
            "db",
            "conf",
            "snap.1",
            "aside.snap.1",
            "blobs/7",
            "records/000012.new",
        ];
        let kept = ["LOCK", "COMMITTED", "CLEAN", "records/000010/db"];
        for name in left
            .iter()
            .chain(&kept)
            .chain(&["records/000011.new", "records/000011/db"])
        {
            fs::write(store.join(name), "").unwrap();
        }
        let current = Generation::current(store).unwrap();
        assert_eq!(current.number, 10);
        assert_eq!(Generation::alone(store).unwrap(), current);
        assert!(kept.iter().all(|name| store.join(name).exists()));
        assert!(left.iter().all(|name| !store.join(name).exists()));
        assert_eq!(fs::read_dir(&records).unwrap().count(), 1);
        assert!(!store.join(BLOBS).exists());
    }

    #[test]
    fn a_generation_is_current_once_it_is_finished_and_not_before() {
        let temp = tempfile::tempdir().unwrap();
        let first = Generation::current(temp.path()).unwrap();
        let second = first.next();
        second.begin().unwrap();
        assert!(second.dir().is_dir());
        assert_eq!(Generation::current(temp.path()).unwrap(), first);
        second.finish().unwrap();
        assert_eq!(Generation::current(temp.path()).unwrap(), second);
        // Whatever took the mark away: nobody knows whether that lasts.
        assert!(matches!(second.finish(), Err(Unfinished::Unknown)));
        second.abandon();
        assert!(second.dir().is_dir(), "it is finished");
    }
}
