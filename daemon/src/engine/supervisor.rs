//! Closes an engine that failed and opens the next one in its place, while the socket stays up.
//!
//! After a failed fsync or an error of the storage engine nothing in the running index can be
//! trusted. So its threads are stopped, the index is dropped as in a crash, and reopened as after
//! one: examined by a child process, from what the disk really holds and not from what is in memory.
//! The walks at every start then read again what was not recorded.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::fs::{Advice, fadvise};
use tokio::sync::watch;

use crate::base::causes::causes;
use crate::engine::Engine;
use crate::engine::slot::{EngineSlot, Reopening};
use crate::engine::stuck_store::StuckStoreWatch;
use crate::error::{EngineError, Failure};
use crate::host::Host;
use crate::host::alarms::AlarmSource;
use crate::host::freed_memory::FreedMemory;
use crate::host::lifecycle::Backoff;

/// An engine that runs this long has recovered; after an earlier failure the next start is delayed longer.
const RECOVERED: Duration = Duration::from_secs(600);
/// This many panics within [`RECOVERED`] end the process: the service manager starts a fresh one.
const PANICS: usize = 5;
/// Requests under way have this long to notice that their engine ended.
const LAST_LOOK: Duration = Duration::from_secs(60);
/// The supervisor checks at least this often whether anything failed.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// First and longest pause before the index is opened again.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(60));

/// Supervises the engine in a slot.
pub struct Supervisor {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    fatal: watch::Receiver<Option<String>>,
}

struct Shared {
    host: Arc<Host>,
    slot: Arc<EngineSlot>,
    stopping: AtomicBool,
    fatal: watch::Sender<Option<String>>,
}

impl Supervisor {
    /// Starts to supervise the engine in a slot, or opens the first one if there is none.
    pub fn start(host: Arc<Host>, slot: Arc<EngineSlot>) -> Result<Self, EngineError> {
        let (teller, fatal) = watch::channel(None);
        let shared = Arc::new(Shared {
            host,
            slot,
            stopping: AtomicBool::new(false),
            fatal: teller,
        });
        let thread = shared.spawn("supervisor", Shared::watch)?;
        // In a thread of its own, since the supervisor calls the store too. It ends by itself, and
        // nobody waits for it.
        drop(shared.spawn("stuck-store", Shared::watch_store)?);
        Ok(Self {
            shared,
            thread: Mutex::new(Some(thread)),
            fatal,
        })
    }

    /// Returns once the process must end, with the reason.
    pub async fn gave_up(&self) -> String {
        let mut fatal = self.fatal.clone();
        let failed = fatal.wait_for(Option::is_some).await;
        match failed {
            Ok(reason) => reason.clone().unwrap_or_default(),
            Err(_) => "the supervisor ended".to_owned(),
        }
    }

    /// Stops supervising; waits at most `timeout` for work under way. Returns false if that continues.
    pub fn stop(&self, timeout: Duration) -> bool {
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.host.engine_failed.wake();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(thread) = thread else { return true };
        let until = Instant::now() + timeout;
        while !thread.is_finished() {
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        thread.join().is_ok()
    }
}

/// Makes a slot with the first engine of a host. On a full disk the slot is empty: the daemon serves all
/// the same, says why nothing is answered, and the supervisor retries until there is room.
pub fn first(host: &Arc<Host>) -> Result<EngineSlot, EngineError> {
    let is_low = host.disk.is_low();
    if is_low {
        host.disk.release_part();
    }
    let error = match Engine::start_on_host(host) {
        Ok(engine) => return Ok(EngineSlot::holding(Arc::new(engine))),
        Err(error) => error,
    };
    let for_want_of_room = is_low && matches!(error, EngineError::Index(_));
    if !for_want_of_room && !error.is_disk_full() {
        return Err(error);
    }
    let reason = causes(&error);
    host.alarms.raise(AlarmSource::Index, &reason, None);
    Ok(EngineSlot::waiting(&host.alarms, &reason))
}

impl Shared {
    fn spawn(self: &Arc<Self>, name: &str, work: fn(&Self)) -> std::io::Result<JoinHandle<()>> {
        let shared = Arc::clone(self);
        let panicked = format!("the thread {name} panicked");
        let thread = std::thread::Builder::new().name(name.to_owned());
        thread.spawn(move || {
            if catch_unwind(AssertUnwindSafe(|| work(&shared))).is_err() {
                shared.give_up(panicked);
            }
        })
    }

    /// Gives up if the storage engine is stuck.
    fn watch_store(&self) {
        let limit = Duration::from_secs(self.host.config.store.stuck_seconds);
        let mut store = StuckStoreWatch::new(limit);
        while !self.is_stopping() {
            if let Some(reason) = store.look(&self.host.alarms) {
                return self.give_up(reason);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    fn watch(&self) {
        let (mut panics, mut backoff) = (Vec::new(), reopening());
        let mut opened = Instant::now();
        let mut freed = FreedMemory::start();
        while !self.is_stopping() {
            let failure = match self.slot.get() {
                Ok(engine) => engine.failure(),
                // The first one could not be opened.
                Err(Reopening(reason)) => Some(Failure::Index(reason)),
            };
            let Some(failure) = failure else {
                freed.check();
                self.host.engine_failed.wait(POLL_INTERVAL);
                continue;
            };
            if opened.elapsed() > RECOVERED {
                backoff = reopening();
            }
            if let Failure::Panic(_) = failure {
                panics.retain(|at: &Instant| at.elapsed() < RECOVERED);
                panics.push(Instant::now());
            }
            if panics.len() > PANICS {
                return self.give_up(format!("{failure}, after others shortly before"));
            }
            match self.reopen(&failure.to_string(), &mut backoff) {
                Ok(true) => opened = Instant::now(),
                Ok(false) => return,
                Err(reason) => return self.give_up(reason),
            }
        }
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    fn give_up(&self, reason: String) {
        tracing::error!(reason, "simdexd cannot continue in this process");
        self.fatal.send_replace(Some(reason));
    }

    /// Replaces the engine; returns false if the daemon stops before that.
    fn reopen(&self, reason: &str, backoff: &mut Backoff) -> Result<bool, String> {
        let host = &self.host;
        let mut reason = self.with_full_disk(reason);
        host.alarms.raise(AlarmSource::Index, &reason, None);
        if let Some(engine) = self.slot.take(&reason) {
            self.let_go(engine)?;
        }
        forget_pages(&host.data_dir);
        let mut is_room_lent = false;
        loop {
            let pause = match is_room_lent {
                true => PAUSES.0,
                false => backoff.pause(),
            };
            host.alarms.raise(AlarmSource::Index, &reason, Some(pause));
            if !self.pause(pause) {
                return Ok(false);
            }
            // Opening writes little. What is freed any earlier, another process may take.
            is_room_lent = host.disk.is_low() && host.disk.release_part();
            match self.open() {
                Ok(engine) => {
                    // Before the first request: it may raise alarms of its own.
                    host.alarms.clear_all();
                    self.slot.put(engine);
                    return Ok(true);
                }
                Err(error) if error.is_unclosed() => return Err(causes(&error)),
                Err(error) => {
                    reason = self.with_full_disk(&causes(&error));
                    tracing::error!(reason, "the index could not be opened again yet");
                }
            }
        }
    }

    /// A reason that also says that the disk is full, if it is: what fails after the first write may not say it.
    fn with_full_disk(&self, reason: &str) -> String {
        match self.host.disk.take(0) {
            Err(full) => format!("{reason}; {full}"),
            Ok(()) => reason.to_owned(),
        }
    }

    /// Ends the engine and drops its index, once no request holds it any more.
    fn let_go(&self, engine: Arc<Engine>) -> Result<(), String> {
        if !engine.stop() {
            return Err("a share hangs, and with it a thread that holds the index".to_owned());
        }
        let until = Instant::now() + LAST_LOOK;
        let mut held = engine;
        loop {
            held = match Arc::try_unwrap(held) {
                Ok(engine) => {
                    engine.abandon();
                    // The events of what it applied last may not have been published.
                    self.host.events.mark_lost();
                    return Ok(());
                }
                Err(held) => held,
            };
            if Instant::now() >= until {
                return Err("a request still holds the index that failed".to_owned());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn open(&self) -> Result<Arc<Engine>, EngineError> {
        let engine = Arc::new(Engine::start_on_host(&self.host)?);
        match engine.watch() {
            Ok(()) => Ok(engine),
            Err(error) => {
                engine.stop();
                Err(error)
            }
        }
    }

    /// Waits, on a full disk no longer than until there is room; returns false if the daemon stops.
    fn pause(&self, pause: Duration) -> bool {
        let until = Instant::now() + pause;
        let mut was_low = false;
        while !self.is_stopping() {
            let left = until.saturating_duration_since(Instant::now());
            let is_low = self.host.disk.is_low();
            if left.is_zero() || was_low && !is_low {
                return true;
            }
            was_low = is_low;
            self.host.engine_failed.wait(left.min(POLL_INTERVAL));
        }
        false
    }
}

fn reopening() -> Backoff {
    Backoff::between(PAUSES.0, PAUSES.1)
}

/// Makes the kernel read store and texts from the disk again: after a failed fsync the page cache
/// may hold pages that were never written.
fn forget_pages(data_dir: &Path) {
    for path in stored_files(data_dir) {
        // If that is not possible, reading still checks every block.
        let _ = File::open(path).map(|file| fadvise(&file, 0, None, Advice::DontNeed));
    }
}

/// The regular files of store and texts, at any depth: nothing else is opened, and no link is followed.
fn stored_files(data_dir: &Path) -> Vec<PathBuf> {
    let mut folders = ["store", "text"].map(|name| data_dir.join(name)).to_vec();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_every_file_of_the_store_are_forgotten_and_no_link_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for folder in ["store/runs/000001/blobs", "text", "outside"] {
            std::fs::create_dir_all(path(folder)).unwrap();
        }
        let mut files = [
            "store/db",
            "store/runs/000001/blobs/1",
            "store/runs/000001/db",
            "text/000001.seg",
        ];
        let others = ["outside/file", "LOCK"];
        for file in files.iter().chain(&others) {
            std::fs::write(path(file), "").unwrap();
        }
        std::os::unix::fs::symlink(path("outside"), path("store/link")).unwrap();
        let mut found = stored_files(dir.path());
        found.sort();
        files.sort_unstable();
        assert_eq!(found, files.map(path));
    }
}
