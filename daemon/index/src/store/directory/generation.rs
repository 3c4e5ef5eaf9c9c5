//! Which database of sled holds the records of a store: its generations.
//!
//! A log-structured store's file does not shrink, so records are now and then copied into a new database
//! ([`crate::store::records`]). Generation 0 is in the directory of the store itself, each later one in a directory of its
//! own, `records/NNNNNN`. An unfinished one has a mark beside it, the empty file `records/NNNNNN.new`: written,
//! power-safe, before the directory is made, and removed once everything in it is power-safe. It is a mark and not
//! another name, since sled keeps the path of what it has open. So the listing tells which generation should be
//! current: the highest without a mark. All others were left by a crash, or restored by somebody. They are removed once
//! the current one was opened and knows every commit that was made, and not before. If no witness knows those commits,
//! they are set aside and not removed.

use std::cmp::Reverse;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::store::StoreError;
use crate::store::files::{
    allocated_bytes, allocated_to, entries, files, kind_at, remove_dir, sync_dir, sync_file,
};
use crate::{aside, safe_fs};

/// Name of the directory in the store.
pub(in crate::store) const DIR: &str = "records";
/// Name of sled's file, which it locks.
pub(in crate::store) const DB: &str = "db";
/// Name of sled's directory of large values.
pub(in crate::store) const BLOBS: &str = "blobs";
/// Suffix of the name of a mark.
const UNFINISHED: &str = ".new";

/// One generation of the records of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Generation {
    store: PathBuf,
    number: u32,
}

impl Generation {
    /// The generations that may hold the records of a store, which may be empty or missing, the most likely first:
    /// finished ones, the highest first; the first of all; those with a mark, which a backup may have restored. Without
    /// a database there are no records: a directory that a restore has only begun is not included. Changes nothing.
    pub(in crate::store) fn candidates(store: &Path) -> Result<Vec<Self>, StoreError> {
        let first = Self {
            store: store.into(),
            number: 0,
        };
        let (mut finished, mut marked) = (Vec::new(), Vec::new());
        for found in Self::all(store)? {
            if kind_at(&found.db())?.is_none() {
                continue;
            }
            match found.is_marked()? {
                false => finished.push(found),
                true => marked.push(found),
            }
        }
        let has_first = kind_at(&first.db())?.is_some();
        let descending = |mut some: Vec<Self>| {
            some.sort_by_key(|one| Reverse(one.number));
            some.dedup();
            some
        };
        let mut all = descending(finished);
        all.extend(has_first.then(|| first.clone()));
        all.extend(descending(marked));
        if all.is_empty() {
            all.push(first);
        }
        Ok(all)
    }

    /// Whether a store has records that may be opened. Changes nothing.
    pub(in crate::store) fn has_records(store: &Path) -> Result<bool, StoreError> {
        Ok(kind_at(&Self::current(store)?.db())?.is_some())
    }

    /// The most likely one.
    pub(in crate::store) fn current(store: &Path) -> Result<Self, StoreError> {
        let first = Self {
            store: store.into(),
            number: 0,
        };
        let all = Self::candidates(store)?;
        Ok(all.into_iter().next().unwrap_or(first))
    }

    /// Leaves only this one, which was opened and is complete. Earlier ones, and those that were never finished, are
    /// removed if a witness identifies these records. Otherwise nobody knows whose the others are, and those with a
    /// database are set aside, as is anything above this one that is not what it seems. The caller holds the lock of
    /// the store.
    pub(in crate::store) fn keep_alone(&self, is_named: bool) -> Result<(), StoreError> {
        let records = self.store.join(DIR);
        if kind_at(&records)?.is_some() {
            // Before earlier ones are removed.
            sync_dir(&records)?;
        }
        if self.is_marked()? {
            self.remove_mark()?;
        }
        let first = Self {
            number: 0,
            ..self.clone()
        };
        let mut others = Self::all(&self.store)?;
        others.push(first);
        for other in others.into_iter().filter(|other| other != self) {
            if other.number > self.number && !other.is_marked()? {
                other.set_aside("they do not know its last commit")?;
            } else if !is_named && kind_at(&other.db())?.is_some() {
                other.set_aside("nothing recorded says whether they are needed")?;
            } else {
                other.remove()?;
            }
        }
        Ok(())
    }

    fn set_aside(&self, why: &str) -> Result<(), StoreError> {
        let dir = self.numbered_dir();
        if self.number > 0 && kind_at(&dir)?.is_none() {
            return Ok(());
        }
        let last = aside::last_number(&dir).map_err(StoreError::io("list", &dir))?;
        let target = aside::path(&dir, last + 1);
        match self.number {
            0 => self.move_first(&target)?,
            _ => drop(aside::set_aside(&dir, last + 1).map_err(StoreError::io("rename", &dir))?),
        }
        if self.is_marked()? {
            self.remove_mark()?;
        }
        let set_aside = target.display();
        tracing::error!(%set_aside, why, "other records of the index were set aside");
        Ok(())
    }

    /// Moves what sled has in the directory of the store. Its own file goes last: until then, after a crash, it is
    /// found and set aside again.
    fn move_first(&self, target: &Path) -> Result<(), StoreError> {
        safe_fs::create_dir(target).map_err(StoreError::io("create", target))?;
        let mut paths = self.files()?;
        paths.retain(|path| *path != self.db());
        let blobs = self.store.join(BLOBS);
        paths.extend(kind_at(&blobs)?.map(|_| blobs));
        for some in [paths, vec![self.db()]] {
            for path in some {
                let moved = target.join(path.file_name().unwrap_or_default());
                std::fs::rename(&path, moved).map_err(StoreError::io("rename", path))?;
            }
            sync_dir(target)?;
            sync_dir(&self.store)?;
        }
        sync_dir(&self.store.join(DIR))
    }

    fn remove_mark(&self) -> Result<(), StoreError> {
        let mark = self.mark();
        unless_missing(std::fs::remove_file(&mark)).map_err(StoreError::io("remove", &mark))?;
        sync_dir(&self.store.join(DIR))
    }

    /// The generations with a directory or a mark of their own.
    fn all(store: &Path) -> Result<Vec<Self>, StoreError> {
        let dir = store.join(DIR);
        let mut all = Vec::new();
        for entry in entries(&dir)? {
            let entry = entry.map_err(StoreError::io("list", &dir))?;
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            let stem = name.strip_suffix(UNFINISHED).unwrap_or(name);
            if let Ok(number @ 1..) = stem.parse() {
                let store = store.into();
                all.push(Self { store, number });
            }
        }
        Ok(all)
    }

    /// The generation after this one.
    pub(in crate::store) fn next(&self) -> Self {
        Self {
            number: self.number + 1,
            ..self.clone()
        }
    }

    /// The directory of the store.
    pub(in crate::store) fn store(&self) -> &Path {
        &self.store
    }

    /// The directory of its database.
    pub(in crate::store) fn dir(&self) -> PathBuf {
        match self.number {
            0 => self.store.clone(),
            _ => self.numbered_dir(),
        }
    }

    /// The directory named by its number, below the store, even if its database is in the store's directory.
    fn numbered_dir(&self) -> PathBuf {
        self.store.join(DIR).join(format!("{:06}", self.number))
    }

    /// The file that sled locks.
    pub(in crate::store) fn db(&self) -> PathBuf {
        self.dir().join(DB)
    }

    fn mark(&self) -> PathBuf {
        let mut mark = self.dir().into_os_string();
        mark.push(UNFINISHED);
        mark.into()
    }

    /// Whether a mark says that it was not finished; the first has none.
    pub(in crate::store) fn is_marked(&self) -> Result<bool, StoreError> {
        Ok(self.number > 0 && kind_at(&self.mark())?.is_some())
    }

    /// Bytes of disk allocated to it.
    pub(in crate::store) fn allocated(&self) -> u64 {
        let files = self.files().unwrap_or_default();
        let files: u64 = files.iter().map(|path| allocated_to(path)).sum();
        files + allocated_bytes(&self.dir().join(BLOBS))
    }

    /// Begins an unfinished one, with an empty directory.
    pub(in crate::store) fn begin(&self) -> Result<(), StoreError> {
        let dir = self.dir();
        if kind_at(&dir)?.is_some() && !self.is_marked()? {
            // It was put here after the store was opened.
            let there = std::io::Error::other("it is there already; move it away");
            return Err(StoreError::io("create", dir)(there));
        }
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
        safe_fs::create_dir(&dir).map_err(StoreError::io("create", &dir))
    }

    /// Makes it the current one. Everything in it must be power-safe.
    ///
    /// # Errors
    /// [`Unfinished::AsBefore`] if nothing was changed; otherwise the next opening decides.
    pub(in crate::store) fn finish(&self) -> Result<(), Unfinished> {
        let mark = self.mark();
        let removed = std::fs::remove_file(&mark).map_err(StoreError::io("remove", &mark));
        match removed {
            Err(error) if matches!(self.is_marked(), Ok(true)) => {
                return Err(Unfinished::AsBefore(error));
            }
            Err(_) => return Err(Unfinished::Unknown),
            Ok(()) => {}
        }
        sync_dir(&self.store.join(DIR)).map_err(|_| Unfinished::Unknown)
    }

    /// Removes one that was not finished, never one that was.
    pub(in crate::store) fn abandon(&self) {
        if !matches!(self.is_marked(), Ok(true)) {
            return;
        }
        // One that failed is never closed, and must still free its disk space.
        let mut options = OpenOptions::new();
        if let Ok(db) = safe_fs::open(&self.db(), options.write(true)) {
            let _ = db.set_len(0);
        }
        if let Err(error) = self.remove() {
            let dir = self.dir();
            tracing::warn!(%error, dir = %dir.display(), "it is removed at the next start");
        }
    }

    /// Removes it, if it is not current or not finished; no error if it does not exist.
    pub(in crate::store) fn remove(&self) -> Result<(), StoreError> {
        let dir = self.dir();
        if self.number == 0 {
            for path in self.files()? {
                unless_missing(std::fs::remove_file(&path))
                    .map_err(StoreError::io("remove", &path))?;
            }
            return remove_dir(&dir.join(BLOBS));
        }
        remove_dir(&dir)?;
        if self.is_marked()? {
            // Without its mark, what remains of it would look finished.
            sync_dir(&self.store.join(DIR))?;
            self.remove_mark()?;
        }
        Ok(())
    }

    /// sled's files, except large values.
    fn files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let is_of_sled = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let starts = ["conf", "snap.", "aside.snap."];
            name == DB || starts.iter().any(|start| name.starts_with(start))
        };
        let found = files(&self.dir())?.into_iter().map(|(path, _)| path);
        Ok(found.filter(is_of_sled).collect())
    }
}

/// Why a generation did not become the current one.
#[derive(Debug)]
pub(in crate::store) enum Unfinished {
    /// The former one is still current.
    AsBefore(StoreError),
    /// After a power cut either may be current, so nothing may be acknowledged any more.
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
        assert_eq!(Generation::current(store).unwrap().number, 0);
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
        let all = Generation::candidates(store).unwrap();
        let numbers: Vec<_> = all.iter().map(|one| one.number).collect();
        assert_eq!(numbers, [10, 0, 11]);
        current.keep_alone(true).unwrap();
        assert!(kept.iter().all(|name| store.join(name).exists()));
        assert!(left.iter().all(|name| !store.join(name).exists()));
        assert_eq!(fs::read_dir(&records).unwrap().count(), 1);
        assert!(!store.join(BLOBS).exists());
    }

    #[test]
    fn a_generation_is_current_once_it_is_finished_and_not_before() {
        let temp = tempfile::tempdir().unwrap();
        let first = Generation::current(temp.path()).unwrap();
        fs::write(first.db(), "").unwrap();
        let second = first.next();
        second.begin().unwrap();
        fs::write(second.db(), "").unwrap();
        assert_eq!(Generation::current(temp.path()).unwrap(), first);
        second.finish().unwrap();
        assert_eq!(Generation::current(temp.path()).unwrap(), second);
        // Whatever removed the mark: it is unknown whether that is durable.
        assert!(matches!(second.finish(), Err(Unfinished::Unknown)));
        second.abandon();
        assert!(second.dir().is_dir(), "it is finished");
    }
}
