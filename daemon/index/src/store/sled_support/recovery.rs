//! Opens sled and works around the known faults that keep it from opening.
//!
//! Two faults of sled 0.34 make `open` fail for ever although its log is whole (issues #1527 and
//! #1533): a stray `snap.*.generating` left by a kill during open, which its file filter takes for
//! a snapshot, and a truncated snapshot. A snapshot is only a shortcut: without it sled reads the
//! whole log.

use std::cell::Cell;
use std::fmt;
use std::fs::DirEntry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use ::sled::{Config, Db, Error, Mode};

use super::conf;
use super::refusal::{is_of_the_machine, refusal};
use super::under_way::counted;
use super::writes::Writes;
use crate::store::StoreError;
use crate::store::directory::RUNS;
use crate::store::directory::generation::{self, BLOBS, DB};
use crate::store::directory::lock::{FileId, GRACE, wait_unlocked};
use crate::store::files::{entries, files, folders, sync_dir};

/// Opens sled in `dir`. The caller holds the lock of the directory.
///
/// # Errors
/// [`StoreError::Damaged`] if sled finds its files corrupt or panics over them.
pub(in crate::store) fn open_db(
    dir: &Path,
    cache_bytes: u64,
) -> Result<(Db, LastHandle), StoreError> {
    check_clock(SystemTime::now())?;
    conf::restore(dir)?;
    remove_unfinished_snapshots(dir)?;
    let opened = match open_unlocked(dir, cache_bytes) {
        Ok(Err(Error::Corruption { at: None, .. })) if move_snapshots_aside(dir)? => {
            tracing::warn!(dir = %dir.display(), "snapshot is corrupt: reading the whole log");
            open_unlocked(dir, cache_bytes)
        }
        opened => opened,
    };
    opened?.map_err(|error| from_sled(dir, error))
}

/// Opens as [`open_once`] does, waiting for at most [`GRACE`] while sled's file is locked. The caller holds the lock of
/// the store, so this passes: a process that another thread starts shares our descriptors, and with them our locks,
/// from its fork until it runs its program.
fn open_unlocked(dir: &Path, cache_bytes: u64) -> Result<Opened, StoreError> {
    let deadline = Instant::now() + GRACE;
    loop {
        match open_once(dir, cache_bytes)? {
            Err(error) if is_locked(&error) && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(5));
            }
            opened => return Ok(opened),
        }
    }
}

type Opened = Result<(Db, LastHandle), Error>;

fn open_once(dir: &Path, cache_bytes: u64) -> Result<Opened, StoreError> {
    panics_caught(|| {
        let config = Config::new()
            .path(dir)
            .cache_capacity(cache_bytes)
            .mode(Mode::LowSpace)
            // Each write that replaces a page moves another out of a segment that is half dead. A thread of sled's own
            // would move all that it finds, once a second, and nothing could bound what it writes at once.
            .flush_every_ms(None)
            // Postings are close to random bits, and this cannot be changed later.
            .use_compression(false);
        let db = config.open()?;
        let last = LastHandle {
            db: Some(db.clone()),
            config,
            writes: Writes::default(),
        };
        Ok((db, last))
    })
}

/// sled panics if the clock is before 1970.
fn check_clock(now: SystemTime) -> Result<(), StoreError> {
    match now.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(_) => Ok(()),
        Err(_) => Err(StoreError::Machine {
            reason: "the clock stands before 1970; set it".to_owned(),
        }),
    }
}

/// Everything in the directory must be a regular file, except the folder of blobs and those of runs and of generations,
/// each of which must be a directory of the same kind: sled would wait for a FIFO and write through a link.
pub(in crate::store) fn check_kinds(dir: &Path) -> Result<(), StoreError> {
    let (runs, records) = (dir.join(RUNS), dir.join(generation::DIR));
    check_db_dir(dir, &[&runs, &records])?;
    for run in folders(&runs)? {
        check_db_dir(&run, &[])?;
    }
    for path in folders_among(&records)? {
        check_db_dir(&path, &[])?;
    }
    Ok(())
}

/// Checks the directory of one database of sled, with `folders` of ours.
fn check_db_dir(dir: &Path, folders: &[&Path]) -> Result<(), StoreError> {
    let blobs = dir.join(BLOBS);
    check_folder(dir, &[folders, &[blobs.as_path()]].concat())?;
    check_folder(&blobs, &[])
}

/// The folders in a directory that may also contain regular files.
fn folders_among(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let found = entries(dir)?.filter_map(Result::ok);
    let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let folders: Vec<_> = found.filter(is_folder).map(|entry| entry.path()).collect();
    check_folder(
        dir,
        &folders.iter().map(PathBuf::as_path).collect::<Vec<_>>(),
    )?;
    Ok(folders)
}

fn check_folder(folder: &Path, folders: &[&Path]) -> Result<(), StoreError> {
    for entry in entries(folder)? {
        let entry = entry.map_err(StoreError::io("list", folder))?;
        let kind = entry.file_type();
        let kind = kind.map_err(StoreError::io("examine", entry.path()))?;
        let is_ours = kind.is_file() || kind.is_dir() && folders.contains(&&*entry.path());
        if !is_ours {
            let stray = std::io::Error::other("it is not a regular file; move it away");
            return Err(StoreError::io("use", entry.path())(stray));
        }
    }
    Ok(())
}

/// How long a close waits for sled's background threads to release its file.
pub(in crate::store) const RELEASE_LIMIT: Duration = Duration::from_secs(10);

/// Runs an operation of sled, which counts as under way until it returns. Its panic becomes [`StoreError::Damaged`],
/// since it panics if its files contradict its expectations; or [`StoreError::Machine`] if it panicked about something
/// that the operating system refused.
pub(in crate::store) fn guarded<T>(operation: impl FnOnce() -> T) -> Result<T, StoreError> {
    counted(|| panics_caught(operation))
}

/// Guards, like [`guarded`], an operation that may take as long as it needs: it is not counted.
pub(in crate::store) fn panics_caught<T>(operation: impl FnOnce() -> T) -> Result<T, StoreError> {
    let outer = GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(operation));
    GUARDED.set(outer);
    done.map_err(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown cause");
        let told = refusal(message).map_or_else(|| message.to_owned(), |error| error.to_string());
        let reason = format!("sled panicked: {told}");
        match is_of_the_machine(message) {
            true => StoreError::Machine { reason },
            false => StoreError::Damaged { reason },
        }
    })
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread, now, is one of sled's that becomes an error: a panic hook need not report it.
pub fn is_panic_handled() -> bool {
    GUARDED.get()
}

/// The last handle of a database: a field that is dropped after all other handles. sled writes when it is closed, and
/// panics if the disk fails then; dropping a store must not panic. Nor may it wait for ever: a database in which a
/// write failed is not closed.
pub(in crate::store) struct LastHandle {
    db: Option<Db>,
    config: Config,
    writes: Writes,
}

/// The files of databases that could not be closed: they stay locked while this process runs.
static UNCLOSED: Mutex<Vec<FileId>> = Mutex::new(Vec::new());

/// The file of the database in `dir`.
fn id_of(dir: &Path) -> Option<FileId> {
    let found = std::fs::symlink_metadata(dir.join(DB));
    found.ok().map(|found| FileId::of(&found))
}

/// # Errors
/// [`StoreError::Unclosed`] if the database in `dir` was dropped without being closed.
pub(in crate::store) fn check_closed(dir: &Path) -> Result<(), StoreError> {
    let unclosed = UNCLOSED.lock().unwrap_or_else(PoisonError::into_inner);
    match id_of(dir).is_some_and(|id| unclosed.contains(&id)) {
        true => Err(StoreError::Unclosed { dir: dir.into() }),
        false => Ok(()),
    }
}

impl LastHandle {
    /// What became of the writes; every writer notes it.
    pub(in crate::store) fn writes(&self) -> &Writes {
        &self.writes
    }

    /// Drops it after a write failed, without closing the database if that would wait for ever.
    pub(in crate::store) fn abandon(self) {
        self.writes.fail();
    }

    /// Drops it, and with it the database in `dir`, and waits until sled has released its file.
    ///
    /// # Errors
    /// If a write failed; what sled panicked about; [`StoreError::Damaged`] if its file stays locked.
    pub(in crate::store) fn close(mut self, dir: &Path) -> Result<(), StoreError> {
        self.writes.check()?;
        let db = self.db.take();
        guarded(|| drop(db))?;
        if !wait_unlocked(&dir.join(DB), RELEASE_LIMIT) {
            let reason = format!("sled did not close within {RELEASE_LIMIT:?}");
            return Err(StoreError::Damaged { reason });
        }
        Ok(())
    }
}

impl Drop for LastHandle {
    fn drop(&mut self) {
        let db = self.db.take();
        // Once sled cannot write its log, everything after that fails, and closing it does not wait. If it cannot write
        // a separate file for a large value, it continues, and its next flush waits for ever.
        if self.writes.has_failed() && self.config.global_error().is_ok() {
            tracing::warn!("a database in which a write failed stays open while the program runs");
            let mut unclosed = UNCLOSED.lock().unwrap_or_else(PoisonError::into_inner);
            unclosed.extend(id_of(&self.config.get_path()));
            std::mem::forget(db);
        } else if let Err(error) = guarded(|| drop(db)) {
            tracing::warn!(%error, "sled did not close cleanly");
        }
    }
}

impl fmt::Debug for LastHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LastHandle")
    }
}

fn is_locked(error: &Error) -> bool {
    matches!(error, Error::Io(e) if e.to_string().starts_with("could not acquire lock"))
}

/// Maps sled's errors to ours.
pub(in crate::store) fn from_sled(dir: &Path, error: Error) -> StoreError {
    use std::io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
    match error {
        error if is_locked(&error) => StoreError::Locked { dir: dir.into() },
        // A blob that is missing or too short.
        Error::Io(e) if matches!(e.kind(), InvalidData | NotFound | UnexpectedEof) => {
            StoreError::Damaged {
                reason: e.to_string(),
            }
        }
        // A later error repeats the first as text, without its number.
        Error::Io(e) => StoreError::io("use", dir)(refusal(&e.to_string()).unwrap_or(e)),
        Error::Corruption { .. } | Error::ReportableBug(_) | Error::CollectionNotFound(_) => {
            StoreError::Damaged {
                reason: error.to_string(),
            }
        }
        // Our configuration never changes: what sled read differs from what it wrote.
        Error::Unsupported(reason) if reason.starts_with("cannot change") => {
            StoreError::Damaged { reason }
        }
        Error::Unsupported(reason) => StoreError::Sled(reason),
    }
}

fn remove_unfinished_snapshots(dir: &Path) -> Result<(), StoreError> {
    for path in snapshots(dir)?
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "generating"))
    {
        std::fs::remove_file(path).map_err(StoreError::io("remove", path))?;
    }
    Ok(())
}

/// Renames `snap.X` to `aside.snap.X`, replacing those set aside earlier; returns whether there were any.
pub(in crate::store) fn move_snapshots_aside(dir: &Path) -> Result<bool, StoreError> {
    let earlier = named(dir, "aside.snap.")?;
    for path in &earlier {
        std::fs::remove_file(path).map_err(StoreError::io("remove", path))?;
    }
    let snapshots = snapshots(dir)?;
    for path in &snapshots {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let aside = dir.join(format!("aside.{name}"));
        std::fs::rename(path, &aside).map_err(StoreError::io("rename", path))?;
    }
    sync_dir(dir)?;
    Ok(!snapshots.is_empty())
}

fn snapshots(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    named(dir, "snap.")
}

fn named(dir: &Path, start: &str) -> Result<Vec<PathBuf>, StoreError> {
    let is_named = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(start))
    };
    Ok(files(dir)?
        .into_iter()
        .map(|(path, _)| path)
        .filter(is_named)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Error as IoError;
    use std::time::Duration;

    #[test]
    fn a_clock_before_1970_is_the_machines_fault() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        let refused = check_clock(before).unwrap_err();
        assert!(matches!(refused, StoreError::Machine { reason } if reason.contains("1970")));
        check_clock(SystemTime::UNIX_EPOCH).unwrap();
        let panics = || before.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let refused = guarded(panics).unwrap_err();
        assert!(matches!(refused, StoreError::Machine { .. }));
    }

    #[test]
    fn panics_over_the_machine_are_told_from_panics_over_the_files() {
        let fails = |code| Err::<(), _>(IoError::from_raw_os_error(code));
        let panics = |code| guarded(|| fails(code).unwrap());
        // EIO, EAGAIN, ENOMEM, ENFILE, EMFILE, ENOSPC
        for code in [5, 11, 12, 23, 24, 28] {
            let refused = panics(code).unwrap_err();
            assert!(matches!(refused, StoreError::Machine { .. }), "{refused}");
        }
        let full = panics(28).unwrap_err().to_string();
        assert!(full.ends_with("sled panicked: No space left on device (os error 28)"));
        // ENOENT: a blob is gone.
        assert!(matches!(panics(2), Err(StoreError::Damaged { .. })));
        let index = |at: usize| [1, 2, 3][at];
        assert!(matches!(
            guarded(|| index(7)),
            Err(StoreError::Damaged { .. })
        ));
    }
}
