//! Opens a store that may be damaged: probes it first in a child process if it was not closed
//! cleanly, and sets a damaged one aside. The index is derived data, so an empty store that is
//! filled again beats a daemon that does not start.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::durable::{allocated_bytes, sync_dir};
use super::lock::{DirLock, closed_cleanly};
use super::probe::exit;
use super::{Options, SledStore, StoreError};

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

/// A time limit that a sound store keeps on a slow disk: one minute, and one second for every
/// 16 MiB on disk.
pub fn probe_time_limit(dir: &Path) -> Duration {
    Duration::from_secs(60 + allocated_bytes(dir) / (16 << 20))
}

/// Opens the store in `dir`. Unless it was closed cleanly, `probe_command` (a process that calls
/// [`super::probe_main`]) examines it first. If the probe finds it damaged or says nothing within
/// `time_limit`, or if opening reports damage, the directory is renamed to `<dir>.damaged-<n>` and
/// a fresh, empty store is opened in its place.
///
/// # Errors
/// [`StoreError::Locked`] if the store is in use; [`StoreError::ProbeInconclusive`] if the probe
/// was ended from outside; [`StoreError::Damaged`] if opening hangs although the store was closed
/// cleanly: the process must then end, and the next start will probe.
pub fn open_checked(
    dir: &Path,
    options: Options,
    probe_command: Option<Command>,
    time_limit: Duration,
) -> Result<Opened, StoreError> {
    let suspect = dir.join("db").exists() && !closed_cleanly(dir);
    if let Some(command) = probe_command.filter(|_| suspect)
        && let Some(reason) = run_probe(dir, command, time_limit)?
    {
        return replace(dir, options, reason);
    }
    match open_within(dir, options, time_limit)? {
        Err(StoreError::Damaged { reason }) => replace(dir, options, reason),
        opened => Ok(Opened {
            store: opened?,
            damage: None,
        }),
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

/// Opens the store in a thread. The outer error is a hang: the thread cannot be ended and keeps
/// the lock, so there is nothing to set aside while this process lives.
fn open_within(
    dir: &Path,
    options: Options,
    limit: Duration,
) -> Result<Result<SledStore, StoreError>, StoreError> {
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
        Ok(opened) => return Ok(opened),
        Err(RecvTimeoutError::Timeout) => format!("open gave no answer within {limit:?}"),
        Err(RecvTimeoutError::Disconnected) => "open panicked".to_owned(),
    };
    Err(StoreError::Damaged { reason })
}

/// Runs the probe; `Some(reason)` if the store is damaged.
fn run_probe(
    dir: &Path,
    mut command: Command,
    limit: Duration,
) -> Result<Option<String>, StoreError> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .map_err(StoreError::io("start the probe of", dir))?;
    match wait(&mut child, limit).map_err(StoreError::io("await the probe of", dir))? {
        Some(status) => judge(dir, status),
        None => Ok(Some(format!("probe gave no answer within {limit:?}"))),
    }
}

/// Waits for the child; kills it at the limit and returns `None`.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// `Some(reason)` if this end of the probe shows damage.
fn judge(dir: &Path, status: ExitStatus) -> Result<Option<String>, StoreError> {
    const CRASHES: [i32; 5] = [4, 6, 7, 8, 11]; // SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    match (code, status.signal()) {
        (Some(exit::SOUND), _) => Ok(None),
        (Some(exit::DAMAGED), _) => Ok(Some("probe found damage".into())),
        (Some(exit::LOCKED), _) => Err(StoreError::Locked { dir: dir.into() }),
        (_, Some(signal)) if CRASHES.contains(&signal) => {
            Ok(Some(format!("probe crashed with signal {signal}")))
        }
        // Told to stop with the daemon, out of memory, unreadable files: no reason to give up data.
        _ => {
            let reason = status.to_string();
            Err(StoreError::ProbeInconclusive {
                dir: dir.into(),
                reason,
            })
        }
    }
}
