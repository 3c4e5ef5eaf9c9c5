//! Opens a store that may be damaged: has it examined first by a child process if it was not closed
//! cleanly, and sets a damaged one aside. The index is derived data, so an empty store that is filled again is better
//! than a daemon that does not start. But a store is given up only if it was shown to be damaged, never if that is
//! unknown.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use super::examination::{self, Examination};
use crate::store::directory::begun;
use crate::store::directory::clean::Closed;
use crate::store::directory::generation::Generation;
use crate::store::directory::lock::{Suspect, wait_unlocked};
use crate::store::files::{allocated_bytes, len_at};
use crate::store::sled_support::conf;
use crate::store::sled_support::recovery::{
    RELEASE_LIMIT, check_closed, check_kinds, move_snapshots_aside,
};
use crate::store::{SledStore, StoreError, StoreOptions, runs};
use crate::{Cancel, aside, safe_fs};

/// An open store and what happened to its predecessor.
#[derive(Debug)]
pub struct CheckedStore {
    /// The store, ready for use; empty if there is `damage`.
    pub store: SledStore,
    /// Set if the store in this place was damaged and has been set aside.
    pub damage: Option<Damage>,
}

/// A damaged store that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Its path now; only the administrator removes it.
    pub set_aside: PathBuf,
    /// What was wrong with it, as a clause without a full stop.
    pub reason: String,
}

/// How long a probe of this store may make no progress, or opening it may take, which reads it twice: one minute, plus
/// one second for every 8 MiB on disk.
pub fn probe_time_limit(dir: &Path) -> Duration {
    Duration::from_secs(60 + allocated_bytes(dir) / (8 << 20))
}

/// Opens the store in `dir`. Unless it was closed cleanly, `probe_command` (a process that calls
/// [`crate::store::probe_main`]) examines it first, and again if opening then reports damage. If the probe finds it
/// damaged, the directory is renamed to `<dir>.damaged-<n>` and a fresh, empty store is opened in its place. Without a
/// probe the result of opening decides.
///
/// # Errors
/// [`StoreError::Locked`] if the store is in use; [`StoreError::ProbeInconclusive`] if it was neither
/// found sound nor damaged; nothing was changed then, and the next start probes. [`StoreError::Replaced`] if another
/// store is there than was found damaged.
pub fn open_checked(
    dir: &Path,
    options: StoreOptions,
    probe_command: Option<Command>,
    time_limit: Duration,
    stop: &Cancel,
) -> Result<CheckedStore, StoreError> {
    open_checked_telling(dir, options, probe_command, time_limit, stop, &mut |_| {})
}

/// Opens a store as [`open_checked`] does; calls `on_damage` once a store was set aside, before another is created,
/// which may fail.
///
/// # Errors
/// Those of [`open_checked`].
pub fn open_checked_telling(
    dir: &Path,
    options: StoreOptions,
    probe_command: Option<Command>,
    time_limit: Duration,
    stop: &Cancel,
    on_damage: &mut dyn FnMut(&Damage),
) -> Result<CheckedStore, StoreError> {
    check_kinds(dir)?;
    safe_fs::create_dir(dir).map_err(StoreError::io("create", dir))?;
    let suspect = Suspect::of(dir)?;
    match open_or_begin(&suspect, options, probe_command, time_limit, stop) {
        Err(StoreError::Damaged { reason }) => replace(&suspect, options, reason, on_damage),
        store => Ok(CheckedStore {
            store: store?,
            damage: None,
        }),
    }
}

/// Opens a store as [`open_checked`] does, but a damaged one is left where it is, and none is created.
///
/// # Errors
/// [`StoreError::Damaged`] with what was found, also if there are no records; otherwise those of [`open_checked`].
pub fn open_in_place(
    dir: &Path,
    options: StoreOptions,
    probe_command: Option<Command>,
    time_limit: Duration,
    stop: &Cancel,
) -> Result<SledStore, StoreError> {
    if !Generation::has_records(dir)? {
        let reason = "it has no records".to_owned();
        return Err(StoreError::Damaged { reason });
    }
    check_kinds(dir)?;
    begun::check(dir)?;
    open_or_begin(&Suspect::of(dir)?, options, probe_command, time_limit, stop)
}

fn open_or_begin(
    suspect: &Suspect,
    options: StoreOptions,
    mut probe_command: Option<Command>,
    time_limit: Duration,
    stop: &Cancel,
) -> Result<SledStore, StoreError> {
    let dir = suspect.dir();
    // A directory without its records is not touched, not even by a probe.
    begun::check(dir)?;
    let generation = Generation::current(dir)?;
    check_closed(&generation.dir())?;
    if let Some(command) = probe_command.as_mut()
        && is_suspect(dir, &generation)?
    {
        examine(suspect, command, time_limit, stop)?;
    }
    let reason = match open_suspect(suspect, options, time_limit).map_err(as_damage) {
        Err(StoreError::Damaged { reason }) => reason,
        opened => return opened,
    };
    // A separate process has its own memory, threads and sled: it must find the same. The sled that failed here
    // releases its file a little later.
    wait_unlocked(&generation.db(), RELEASE_LIMIT);
    match probe_command.as_mut() {
        Some(command) => examine(suspect, command, time_limit, stop)?,
        None if without_snapshots(suspect)? => {}
        None => return Err(StoreError::Damaged { reason }),
    }
    // What was wrong may have been removed.
    let still = match open_suspect(suspect, options, time_limit).map_err(as_damage) {
        Err(StoreError::Damaged { reason }) => reason,
        opened => return opened,
    };
    if probe_command.is_none() {
        return Err(StoreError::Damaged { reason: still });
    }
    let reason = format!(
        "it does not open ({reason}; then {still}), and a probe finds nothing wrong with it"
    );
    Err(inconclusive(dir, reason))
}

/// Opens the store that was examined.
///
/// # Errors
/// [`StoreError::Replaced`] if another is there by now: nothing is known about it.
fn open_suspect(
    suspect: &Suspect,
    options: StoreOptions,
    limit: Duration,
) -> Result<SledStore, StoreError> {
    let store = open_within(suspect.dir(), options, limit)?;
    suspect.check(store.lock_id())?;
    Ok(store)
}

/// A corrupt value that opening reads is damage to the store.
fn as_damage(error: StoreError) -> StoreError {
    match error {
        StoreError::Corrupt { .. } => StoreError::Damaged {
            reason: error.to_string(),
        },
        other => other,
    }
}

/// Whether a store may be damaged; `generation` is the most likely one of its records.
fn is_suspect(dir: &Path, generation: &Generation) -> Result<bool, StoreError> {
    let Some(db_bytes) = len_at(&generation.db())? else {
        return Ok(false);
    };
    let is_clean = Closed::read(dir)?.is_some_and(|closed| closed.db_bytes == db_bytes);
    // Damage to sled's settings is repaired; it makes the rest suspect. So does anything besides the records.
    let is_alone = Generation::candidates(dir)?.len() == 1;
    Ok(!is_clean || !is_alone || conf::is_damaged(&generation.dir())?)
}

/// Opens a store that may be damaged, after a probe found it sound; never sets it aside.
///
/// # Errors
/// [`StoreError::Damaged`] with what was found; otherwise those of [`open_checked`].
pub fn open_examined(
    dir: &Path,
    options: StoreOptions,
    mut probe_command: Command,
    time_limit: Duration,
) -> Result<SledStore, StoreError> {
    check_kinds(dir)?;
    let suspect = Suspect::of(dir)?;
    examine(&suspect, &mut probe_command, time_limit, &Cancel::never())?;
    open_suspect(&suspect, options, time_limit)
}

/// Has the probe examine the store, and again once damaged derived data was removed: a run of postings, which is
/// rebuilt, and snapshots, which only speed up opening and may be of another time than the log.
///
/// # Errors
/// [`StoreError::Damaged`] with what it found.
fn examine(
    suspect: &Suspect,
    command: &mut Command,
    limit: Duration,
    stop: &Cancel,
) -> Result<(), StoreError> {
    let dir = suspect.dir();
    // sled writes a snapshot whenever it opens, so they are moved away once.
    let mut has_snapshots = true;
    loop {
        match examination::examine(dir, command, limit, stop)? {
            Examination::Sound => return Ok(()),
            Examination::RunDamaged(number, reason) => {
                tracing::error!(
                    number,
                    reason,
                    "a run of postings is damaged and is built again"
                );
                let _lock = suspect.lock()?;
                runs::remove_damaged(dir, number)?;
            }
            Examination::Damaged(reason) if has_snapshots && without_snapshots(suspect)? => {
                has_snapshots = false;
                tracing::warn!(reason, "the store is examined without its snapshots");
            }
            Examination::Damaged(reason) => return Err(StoreError::Damaged { reason }),
            Examination::Unknown(reason) => return Err(inconclusive(dir, reason)),
            Examination::Locked => return Err(StoreError::Locked { dir: dir.into() }),
        }
    }
}

/// Moves the snapshots of all records aside; returns whether there were any.
fn without_snapshots(suspect: &Suspect) -> Result<bool, StoreError> {
    let _lock = suspect.lock()?;
    let mut any = false;
    for generation in Generation::candidates(suspect.dir())? {
        any |= move_snapshots_aside(&generation.dir())?;
    }
    Ok(any)
}

fn inconclusive(dir: &Path, reason: String) -> StoreError {
    StoreError::ProbeInconclusive {
        dir: dir.into(),
        reason,
    }
}

/// Sets the store aside and opens an empty one.
fn replace(
    suspect: &Suspect,
    options: StoreOptions,
    reason: String,
    on_damage: &mut dyn FnMut(&Damage),
) -> Result<CheckedStore, StoreError> {
    let (set_aside, synced) = set_aside(suspect)?;
    tracing::error!(set_aside = %set_aside.display(), reason, "store is damaged: starting afresh");
    let damage = Damage { set_aside, reason };
    on_damage(&damage);
    synced?;
    Ok(CheckedStore {
        store: SledStore::open(suspect.dir(), options)?,
        damage: Some(damage),
    })
}

/// The path of the store once it is set aside, and whether that is power-safe.
fn set_aside(suspect: &Suspect) -> Result<(PathBuf, Result<(), StoreError>), StoreError> {
    let _lock = suspect.lock()?;
    let dir = suspect.dir();
    let number = aside::last_number(dir).map_err(StoreError::io("rename", dir))? + 1;
    let target = aside::path(dir, number);
    let moved = aside::set_aside(dir, number).map(drop);
    let moved = moved.map_err(StoreError::io("rename", dir));
    // The rename itself may have succeeded, and a later step failed.
    match suspect.lies_in(&target) {
        true => Ok((target, moved)),
        false => moved.map(|()| (target, Ok(()))),
    }
}

/// Opens the store in a thread. If that hangs, the thread cannot be ended and keeps the lock, so nothing can be set
/// aside while this process lives; the next start finds that the store was not closed cleanly, and probes.
fn open_within(
    dir: &Path,
    options: StoreOptions,
    limit: Duration,
) -> Result<SledStore, StoreError> {
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
