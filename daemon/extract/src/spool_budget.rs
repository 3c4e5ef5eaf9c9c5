//! Where bytes are kept while they are read: unlinked files in one directory, within one budget.
//!
//! Everything the daemon keeps of a document outside memory (snapshots of files, members of containers, joined pages)
//! is reserved here first, so that documents together cannot fill the disk. A full budget is the machine's fault, never
//! a document's.

mod shares;

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use self::shares::{Owner, Shares};
use crate::queue_key::QueueKey;

/// How long a caller that takes a snapshot waits for room.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// How often it checks whether anybody still waits for the snapshot.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A directory for unlinked files, and the bytes they may take together. Clones share both, and so do the spaces made
/// by [`Self::charged_to`].
#[derive(Debug, Clone)]
pub struct SpoolBudget {
    inner: Arc<Inner>,
    /// The root or user that reservations count against.
    owner: Owner,
}

struct Inner {
    directory: PathBuf,
    limit: u64,
    /// Called before bytes are reserved, to check that the disk has room for them.
    admit: Box<Admit>,
    state: Mutex<State>,
    freed: Condvar,
}

/// Returns an error if the disk has no room for this many bytes.
type Admit = dyn Fn(u64) -> io::Result<()> + Send + Sync;

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpoolBudget")
            .field("directory", &self.directory)
            .field("limit", &self.limit)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct State {
    shares: Shares,
    /// Devices whose files cannot be cloned into the directory.
    no_clones: BTreeSet<u64>,
}

impl SpoolBudget {
    /// A budget of `limit` bytes in `directory`.
    #[must_use]
    pub fn new(directory: PathBuf, limit: u64) -> Self {
        Self::with_admission(directory, limit, |_| Ok(()))
    }

    /// A budget of `limit` bytes; `admit` is called before bytes are reserved, and its error is returned to the caller.
    #[must_use]
    pub fn with_admission(
        directory: PathBuf,
        limit: u64,
        admit: impl Fn(u64) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                directory,
                limit,
                admit: Box::new(admit),
                state: Mutex::default(),
                freed: Condvar::new(),
            }),
            owner: QueueKey::default().into(),
        }
    }

    /// This space, with reservations counted against this root or user.
    #[must_use]
    pub fn charged_to(&self, key: QueueKey) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            owner: key.into(),
        }
    }

    /// The directory of the files.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.inner.directory
    }

    /// Bytes reserved now.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.lock().shares.used()
    }

    /// Reserves `bytes` at once, or fails: the caller may already hold others, and must not wait for callers that wait
    /// for it.
    pub(crate) fn reserve(&self, bytes: u64) -> io::Result<Reservation> {
        let mut reservation = self.nothing();
        reservation.grow(bytes)?;
        Ok(reservation)
    }

    /// Reserves `bytes` for a document of which nothing is held yet. Waits for room, behind roots that hold less and
    /// earlier calls of the same one, so that small reservations do not all overtake a large one. At least a quarter of
    /// the budget is left to documents of which something is held, unless there are none.
    ///
    /// # Errors
    /// [`io::ErrorKind::Interrupted`] once `keep_going` returns false.
    pub(crate) fn reserve_first(
        &self,
        bytes: u64,
        keep_going: &dyn Fn() -> bool,
    ) -> io::Result<Reservation> {
        let place = PlaceInQueue::new(self, bytes);
        self.wait_for_room(place.number, bytes, keep_going)?;
        // Still the next in the queue: no other document that holds nothing takes the room before that.
        let reserved = self.reserve(bytes)?;
        self.lock().shares.note_served(self.owner);
        Ok(reserved)
    }

    fn wait_for_room(
        &self,
        number: u64,
        bytes: u64,
        keep_going: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        let deadline = Instant::now() + MAX_WAIT;
        loop {
            if !keep_going() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let mut state = self.lock();
            let now = Instant::now();
            if bytes > self.inner.limit || state.shares.has_room_for(number, self.inner.limit, now)
            {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(now);
            if left.is_zero() {
                state.shares.note_gave_up(self.owner, now);
                return Err(io::ErrorKind::QuotaExceeded.into());
            }
            // A poisoned lock is taken again above.
            drop(
                self.inner
                    .freed
                    .wait_timeout(state, left.min(POLL_INTERVAL)),
            );
        }
    }

    fn nothing(&self) -> Reservation {
        Reservation {
            space: self.clone(),
            bytes: 0,
        }
    }

    /// A private clone of the bytes of `source` that takes no time and no space, if both are on one file system that
    /// can share blocks.
    pub(crate) fn clone_of(&self, source: &File) -> Option<File> {
        use std::os::unix::fs::MetadataExt;
        let device = source.metadata().ok()?.dev();
        if self.lock().no_clones.contains(&device) {
            return None;
        }
        let clone = tempfile::tempfile_in(self.directory()).ok()?;
        match rustix::fs::ioctl_ficlone(&clone, source) {
            Ok(()) => Some(clone),
            Err(errno) => {
                use rustix::io::Errno;
                if matches!(errno, Errno::XDEV | Errno::OPNOTSUPP | Errno::NOTTY) {
                    self.lock().no_clones.insert(device);
                }
                None
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.inner
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A position in the queue, left when it is dropped.
struct PlaceInQueue<'a> {
    space: &'a SpoolBudget,
    number: u64,
}

impl<'a> PlaceInQueue<'a> {
    fn new(space: &'a SpoolBudget, bytes: u64) -> Self {
        let number = space.lock().shares.enqueue(space.owner, bytes);
        Self { space, number }
    }
}

impl Drop for PlaceInQueue<'_> {
    fn drop(&mut self) {
        self.space.lock().shares.leave(self.number);
        self.space.inner.freed.notify_all();
    }
}

/// Part of the budget, returned when it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    space: SpoolBudget,
    bytes: u64,
}

impl Reservation {
    /// Number of bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reserves more at once, or fails.
    pub(crate) fn grow(&mut self, more: u64) -> io::Result<()> {
        let has_room =
            |state: &State| state.shares.used().saturating_add(more) <= self.space.inner.limit;
        if !has_room(&self.space.lock()) {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        // This may measure the disk, so no lock is held meanwhile.
        (self.space.inner.admit)(more)?;
        let mut state = self.space.lock();
        if !has_room(&state) {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        state.shares.take(self.space.owner, more);
        self.bytes += more;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.space.lock();
        state.shares.give_back(self.space.owner, self.bytes);
        drop(state);
        self.space.inner.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(limit: u64) -> SpoolBudget {
        SpoolBudget::new(std::env::temp_dir(), limit)
    }

    #[test]
    fn nothing_is_locked_while_the_disk_is_asked() {
        let known = Arc::new(std::sync::OnceLock::<SpoolBudget>::new());
        let seen = Arc::clone(&known);
        let space = SpoolBudget::with_admission(std::env::temp_dir(), 3, move |_| {
            let space = seen.get().unwrap();
            assert!(space.inner.state.try_lock().is_ok());
            Ok(())
        });
        known.set(space.clone()).unwrap();
        assert_eq!(space.reserve(2).unwrap().bytes(), 2);
    }

    #[test]
    fn what_is_reserved_stays_within_the_budget_and_is_given_back() {
        let space = space(3);
        let mut held = space.reserve(2).unwrap();
        let full = space.reserve(2).unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::QuotaExceeded);
        held.grow(1).unwrap();
        assert!(held.grow(1).is_err());
        assert_eq!(space.used(), 3);
        drop(held);
        assert_eq!(space.used(), 0);
    }

    #[test]
    fn a_disk_without_room_refuses_what_the_budget_would_allow() {
        let full = |bytes| match bytes {
            0..=2 => Ok(()),
            _ => Err(io::ErrorKind::StorageFull.into()),
        };
        let space = SpoolBudget::with_admission(std::env::temp_dir(), 100, full);
        let mut held = space.reserve_first(2, &|| true).unwrap();
        let refused = held.grow(3).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::StorageFull);
        assert_eq!(space.used(), 2, "what is refused is not reserved");
    }

    #[test]
    fn who_holds_nothing_waits_for_room_and_leaves_some_to_those_who_hold() {
        let space = space(100);
        let held = space.reserve_first(80, &|| true).unwrap();
        let inner = space.reserve(15).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| space.reserve_first(40, &|| true).map(|_| ()));
            drop((held, inner));
            waiting.join().unwrap().unwrap();
        });
        assert!(
            space.reserve_first(101, &|| true).is_err(),
            "it can never fit"
        );
        assert_eq!(space.used(), 0);
    }

    #[test]
    fn who_wants_much_is_not_passed_by_those_who_want_little() {
        let space = space(100);
        let held = space.reserve_first(20, &|| true).unwrap();
        let until = |lined: usize, is_over: &dyn Fn() -> bool| {
            while space.lock().shares.waiting() < lined && !is_over() {
                std::thread::yield_now();
            }
        };
        std::thread::scope(|scope| {
            let large = scope.spawn(|| space.reserve_first(60, &|| true));
            until(1, &|| large.is_finished());
            // It would fit beside what is held.
            let small = scope.spawn(|| space.reserve_first(20, &|| true));
            until(2, &|| small.is_finished());
            assert_eq!(space.used(), 20, "it waits behind");
            drop(held);
            let large = large.join().unwrap().unwrap();
            assert_eq!(space.used(), 60, "nobody else is in");
            drop(large);
            assert_eq!(small.join().unwrap().unwrap().bytes(), 20);
        });
        assert_eq!(space.lock().shares.waiting(), 0);
    }

    #[test]
    fn a_wait_for_room_ends_once_nobody_waits_for_the_snapshot() {
        let space = space(10);
        let held = space.reserve_first(10, &|| true).unwrap();
        let calls = std::cell::Cell::new(0);
        let twice = || {
            calls.set(calls.get() + 1);
            calls.get() < 3
        };
        let stopped = space.reserve_first(5, &twice).unwrap_err();
        assert_eq!(stopped.kind(), io::ErrorKind::Interrupted);
        assert_eq!((calls.get(), space.lock().shares.waiting()), (3, 0));
        drop(held);
    }
}
