//! Opens a store that may be damaged: has it examined first by a child process if it was not closed
//! cleanly, and sets a damaged one aside. The index is derived data, so an empty store that is
//! filled again beats a daemon that does not start; but only a store that was shown to be damaged is
//! given up, never one of which that is not known.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use super::durable::{allocated_bytes, sync_dir};
use super::generation::Generation;
use super::judge::{self, Verdict};
use super::lock::{DirLock, closed_cleanly, wait_unlocked};
use super::recovery::RELEASE_LIMIT;
use super::recovery::check_kinds;
use super::{Options, SledStore, StoreError, conf};
use crate::Cancel;

/// An open store and what happened to its predecessor.
#[derive(Debug)]
pub struct Opened {
    /// The store, ready for use; empty if `damage` is given.
    pub store: SledStore,
    /// Set if the store in this place was damaged and has been set aside.
    pub damage: Option<Damage>,
}

/// A damaged store that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Where it lies now; nothing removes it but the administrator.
    pub set_aside: PathBuf,
    /// What was wrong.
    pub reason: String,
}

/// How long a probe of this store may make no progress: one minute, and one second for every
/// 16 MiB on disk.
pub fn probe_time_limit(dir: &Path) -> Duration {
    Duration::from_secs(60 + allocated_bytes(dir) / (16 << 20))
}

/// Opens the store in `dir`. Unless it was closed cleanly, `probe_command` (a process that calls
/// [`super::probe_main`]) examines it first, and again where opening then reports damage. If the
/// probe finds it damaged, the directory is renamed to `<dir>.damaged-<n>` and a fresh, empty store
/// is opened in its place. Without a probe the word of the opening is taken.
///
/// # Errors
/// [`StoreError::Locked`] if the store is in use; [`StoreError::ProbeInconclusive`] if it was neither
/// found sound nor damaged; nothing was changed then, and the next start probes.
pub fn open_checked(
    dir: &Path,
    options: Options,
    mut probe_command: Option<Command>,
    time_limit: Duration,
    stop: &Cancel,
) -> Result<Opened, StoreError> {
    check_kinds(dir)?;
    // Damage to the engine's settings is put right; it makes the rest suspect.
    let engine = Generation::current(dir)?;
    let suspect =
        engine.db().exists() && (!closed_cleanly(dir) || conf::is_damaged(&engine.dir())?);
    if let Some(command) = probe_command.as_mut().filter(|_| suspect)
        && let Some(reason) = damage_found(dir, command, time_limit, stop)?
    {
        return replace(dir, options, reason);
    }
    let reason = match open_within(dir, options, time_limit) {
        Err(StoreError::Damaged { reason }) => reason,
        opened => {
            return Ok(Opened {
                store: opened?,
                damage: None,
            });
        }
    };
    // A process of its own has its own memory, threads and engine: it must find the same. The engine
    // that failed here lets go of its file a little later.
    wait_unlocked(&engine.db(), RELEASE_LIMIT);
    match probe_command.as_mut() {
        Some(command) => match damage_found(dir, command, time_limit, stop)? {
            Some(found) => replace(dir, options, found),
            None => Err(inconclusive(
                dir,
                format!("it does not open ({reason}), and a probe finds nothing wrong with it"),
            )),
        },
        None => replace(dir, options, reason),
    }
}

/// Opens a store that may be damaged, after a probe found it sound; never sets it aside.
///
/// # Errors
/// [`StoreError::Damaged`] with what was found; otherwise as [`open_checked`].
pub fn open_examined(
    dir: &Path,
    options: Options,
    mut probe_command: Command,
    time_limit: Duration,
) -> Result<SledStore, StoreError> {
    match damage_found(dir, &mut probe_command, time_limit, &Cancel::never())? {
        Some(reason) => Err(StoreError::Damaged { reason }),
        None => open_within(dir, options, time_limit),
    }
}

/// What the probe found wrong; none where the store is sound.
fn damage_found(
    dir: &Path,
    command: &mut Command,
    limit: Duration,
    stop: &Cancel,
) -> Result<Option<String>, StoreError> {
    match judge::examine(dir, command, limit, stop)? {
        Verdict::Sound => Ok(None),
        Verdict::Damaged(reason) => Ok(Some(reason)),
        Verdict::Unknown(reason) => Err(inconclusive(dir, reason)),
        Verdict::Locked => Err(StoreError::Locked { dir: dir.into() }),
    }
}

fn inconclusive(dir: &Path, reason: String) -> StoreError {
    StoreError::ProbeInconclusive {
        dir: dir.into(),
        reason,
    }
}

/// Sets the store aside and opens an empty one.
fn replace(dir: &Path, options: Options, reason: String) -> Result<Opened, StoreError> {
    let set_aside = set_aside(dir)?;
    tracing::error!(set_aside = %set_aside.display(), reason, "store is damaged: starting afresh");
    let store = SledStore::open(dir, options)?;
    Ok(Opened {
        store,
        damage: Some(Damage { set_aside, reason }),
    })
}

fn set_aside(dir: &Path) -> Result<PathBuf, StoreError> {
    let _lock = DirLock::acquire(dir)?;
    let name = |n: u32| {
        let mut name = OsString::from(dir);
        name.push(format!(".damaged-{n}"));
        PathBuf::from(name)
    };
    let target = (1..)
        .map(name)
        .find(|path| !path.exists())
        .unwrap_or_else(|| name(0));
    std::fs::rename(dir, &target).map_err(StoreError::io("rename", dir))?;
    match target
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
    {
        Some(parent) => sync_dir(parent)?,
        None => sync_dir(Path::new("."))?,
    }
    Ok(target)
}

/// Opens the store in a thread. Where that hangs the thread cannot be ended and keeps the lock, so
/// there is nothing to set aside while this process lives; the next start finds the store not
/// closed cleanly, and probes.
fn open_within(dir: &Path, options: Options, limit: Duration) -> Result<SledStore, StoreError> {
    let (sender, receiver) = sync_channel(1);
    let path = dir.to_owned();
    let thread = std::thread::Builder::new()
        .name("store-open".into())
        .spawn(move || {
            // Fails only if the time limit has passed: the store is then dropped.
            let _ = sender.send(SledStore::open(&path, options));
        });
    thread.map_err(StoreError::io("start a thread for", dir))?;
    let reason = match receiver.recv_timeout(limit) {
        Ok(opened) => return opened,
        Err(RecvTimeoutError::Timeout) => {
            format!("opening it gave no answer within {limit:?}; the next start examines it")
        }
        Err(RecvTimeoutError::Disconnected) => "opening it panicked".to_owned(),
    };
    Err(inconclusive(dir, reason))
}
