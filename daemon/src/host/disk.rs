//! Room on the disk of the data directory: no work that can wait may fill it, and a reserve is given up
//! when a commit needs it.
//!
//! Spools and the writer call [`DiskGuard::take`] before they write. It refuses below the floor, so
//! that the rest is left for commits and for closing the store. Uploads, and reports on the disk they
//! are kept on, call [`DiskGuard::take_spare`], which refuses earlier. If the disk runs full all the
//! same (others write to it too), the file `reserve` in the data directory is removed
//! ([`DiskGuard::release`]) or shortened ([`DiskGuard::release_part`]), and created again once there is
//! room ([`DiskGuard::restore`]).

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FallocateFlags, OFlags, StatVfs, fallocate, fstatvfs, statvfs};
use thiserror::Error;

/// Name of the reserve in the data directory.
pub const RESERVE: &str = "reserve";
/// A measurement is valid for this long, less what was taken since.
const FRESH: Duration = Duration::from_millis(250);
/// Floor and reserve are at most this part of the disk each, so that a small one can be used.
const LARGEST_PART: u64 = 16;
/// The reserve is given up in this many parts.
const PARTS: u64 = 8;

/// There is less room than is kept for commits.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "the disk of {} has {} MiB left, of which {} MiB are reserved for commits; free some space",
    dir.display(), available >> 20, floor >> 20
)]
pub struct NoRoom {
    /// The data directory.
    pub dir: PathBuf,
    /// Bytes that an ordinary process may still write there.
    pub available: u64,
    /// Bytes kept free.
    pub floor: u64,
}

impl From<NoRoom> for io::Error {
    fn from(full: NoRoom) -> Self {
        Self::new(io::ErrorKind::StorageFull, full)
    }
}

/// Size of a disk, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Bytes that an ordinary process may still write.
    pub available: u64,
    /// All of it; 0 where the file system does not say.
    pub total: u64,
}

impl fmt::Debug for DiskGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("DiskGuard");
        shown.field("dir", &self.dir).field("kept", &self.kept);
        shown.finish_non_exhaustive()
    }
}

type Measure = Box<dyn Fn(&Path) -> io::Result<Space> + Send + Sync>;

/// Guards the room of one data directory; shared by all threads that write to it.
pub struct DiskGuard {
    dir: PathBuf,
    kept: u64,
    measure: Measure,
    room: Mutex<Option<MeasuredRoom>>,
}

/// The last measured room, less the bytes taken since.
struct MeasuredRoom {
    space: Space,
    measured: Instant,
}

impl DiskGuard {
    /// A guard for the disk of an open directory with the path `dir`.
    ///
    /// # Errors
    /// If there is no descriptor for it.
    pub fn of(dir: &Path, open: impl AsFd, kept: u64) -> io::Result<Self> {
        let open = open.as_fd().try_clone_to_owned()?;
        let measure = move |_: &Path| Ok(space(&fstatvfs(&open)?));
        Ok(Self::measured_by(dir, kept, Box::new(measure)))
    }

    /// A guard for a data directory: `kept` bytes stay free, and the reserve is as large; both are
    /// smaller on a small disk. Only [`DiskGuard::restore`] creates the reserve.
    pub fn new(dir: &Path, kept: u64) -> Self {
        Self::measured_by(dir, kept, Box::new(measure))
    }

    pub(crate) fn measured_by(dir: &Path, kept: u64, measure: Measure) -> Self {
        Self {
            dir: dir.to_owned(),
            kept,
            measure,
            room: Mutex::default(),
        }
    }

    /// Call before writing `bytes`; cheap. If the disk cannot be measured, the write itself must find out.
    ///
    /// # Errors
    /// [`NoRoom`] if less than the floor would be left.
    pub fn take(&self, bytes: u64) -> Result<(), NoRoom> {
        self.take_above(1, bytes)
    }

    /// Takes room for what can be refused (uploads, reports): it stops at twice the floor, so that
    /// the writer never reaches its own limit because of it.
    ///
    /// # Errors
    /// [`NoRoom`] if less than twice the floor would be left.
    pub fn take_spare(&self, bytes: u64) -> Result<(), NoRoom> {
        self.take_above(2, bytes)
    }

    /// Whether there is less than the floor now, by a fresh measurement.
    pub fn is_low(&self) -> bool {
        let room = self.look();
        room.is_some_and(|room| room.space.available < self.part(room.space))
    }

    /// Takes room as long as this many floors stay free.
    fn take_above(&self, floors: u64, bytes: u64) -> Result<(), NoRoom> {
        let kept = |room: &MeasuredRoom| self.part(room.space).saturating_mul(floors);
        let mut held = self.lock();
        let fresh = held.take().filter(|room| {
            room.measured.elapsed() < FRESH
                && room.space.available >= bytes.saturating_add(kept(room))
        });
        let Some(mut room) = fresh.or_else(|| self.look()) else {
            return Ok(());
        };
        let floor = kept(&room);
        let available = room.space.available;
        let enough = available.checked_sub(bytes).filter(|left| *left >= floor);
        room.space.available = enough.unwrap_or(available);
        *held = Some(room);
        match enough {
            Some(_) => Ok(()),
            None => Err(NoRoom {
                dir: self.dir.clone(),
                available,
                floor,
            }),
        }
    }

    /// Gives up a part of the reserve, for work that needs little and is repeated if another process takes it first;
    /// returns false if there was none.
    pub fn release_part(&self) -> bool {
        let is_shorter = self.shorten().is_some();
        *self.lock() = None;
        if is_shorter {
            tracing::warn!(dir = %self.dir.display(), "the disk is full: a part of the reserve is released");
        }
        is_shorter || self.release()
    }

    /// Takes a part off the reserve; `None` if less than a part would be left, or it cannot be done.
    fn shorten(&self) -> Option<()> {
        let part = self.part(self.look()?.space) / PARTS;
        let file = open_own(OpenOptions::new().write(true), &self.reserve()).ok()?;
        let left = file.metadata().ok()?.len().checked_sub(part)?;
        (part > 0 && left >= part).then(|| file.set_len(left).ok())?
    }

    /// Gives the reserve up; returns true if there was one.
    pub fn release(&self) -> bool {
        let released = fs::remove_file(self.reserve()).is_ok();
        *self.lock() = None;
        if released {
            tracing::warn!(dir = %self.dir.display(), "the disk is full: the reserve is released");
        }
        released
    }

    /// Creates or completes the reserve if there is room for it beyond the floor; returns true if it is
    /// whole now. A file system that cannot preallocate has none.
    pub fn restore(&self) -> bool {
        let Some(MeasuredRoom { space, .. }) = self.look() else {
            return false;
        };
        let bytes = self.part(space);
        let path = self.reserve();
        let held = fs::symlink_metadata(&path).is_ok_and(|found| found.blocks() * 512 >= bytes);
        if held || bytes == 0 {
            return held;
        }
        if space.available < 2 * bytes {
            return false;
        }
        let made = set_aside(&path, bytes);
        if let Err(error) = &made {
            tracing::debug!(%error, "no space can be reserved in the data directory");
            // What was preallocated only in part is given back.
            let _ = fs::remove_file(&path);
        }
        *self.lock() = None;
        made.is_ok()
    }

    fn reserve(&self) -> PathBuf {
        self.dir.join(RESERVE)
    }

    /// Bytes kept free, and in the reserve.
    fn part(&self, space: Space) -> u64 {
        self.kept.min(space.total / LARGEST_PART)
    }

    fn look(&self) -> Option<MeasuredRoom> {
        let space = (self.measure)(&self.dir).ok()?;
        let measured = Instant::now();
        Some(MeasuredRoom { space, measured })
    }

    fn lock(&self) -> MutexGuard<'_, Option<MeasuredRoom>> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn measure(dir: &Path) -> io::Result<Space> {
    Ok(space(&statvfs(dir)?))
}

fn space(found: &StatVfs) -> Space {
    Space {
        available: found.f_bavail.saturating_mul(found.f_frsize),
        total: found.f_blocks.saturating_mul(found.f_frsize),
    }
}

fn set_aside(path: &Path, bytes: u64) -> io::Result<()> {
    let mut options = OpenOptions::new();
    // What is left of a reserve that was shortened stays.
    let file = open_own(options.write(true).create(true).truncate(false), path)?;
    Ok(fallocate(&file, FallocateFlags::empty(), 0, bytes)?)
}

/// Opens a file, and follows no link.
fn open_own(options: &mut OpenOptions, path: &Path) -> io::Result<fs::File> {
    options.mode(0o600);
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    const MIB: u64 = 1 << 20;

    /// A guard of a disk of 16 GiB with this much available.
    fn guard(dir: &Path, kept: u64) -> (DiskGuard, Arc<AtomicU64>) {
        let available = Arc::new(AtomicU64::new(0));
        let measured = Arc::clone(&available);
        let measure = move |_: &Path| {
            Ok(Space {
                available: measured.load(Ordering::Relaxed),
                total: 16 << 30,
            })
        };
        (
            DiskGuard::measured_by(dir, kept, Box::new(measure)),
            available,
        )
    }

    #[test]
    fn what_is_kept_is_never_given_out_not_even_between_two_measurements() {
        let (guard, available) = guard(Path::new("/data"), 64 * MIB);
        available.store(100 * MIB, Ordering::Relaxed);
        assert_eq!(guard.take(30 * MIB), Ok(()));
        // Writing shows only in the next measurement.
        available.store(70 * MIB, Ordering::Relaxed);
        assert_eq!(guard.take(6 * MIB), Ok(()));
        available.store(64 * MIB, Ordering::Relaxed);
        let refused = guard.take(1).unwrap_err();
        assert_eq!((refused.available, refused.floor), (64 * MIB, 64 * MIB));
        assert!(
            refused.to_string().contains("/data has 64 MiB left"),
            "{refused}"
        );
        // A refusal takes nothing, and room that comes back is seen at once.
        available.store(65 * MIB, Ordering::Relaxed);
        assert_eq!(guard.take(MIB), Ok(()));
    }

    #[test]
    fn what_can_be_refused_stops_before_the_writer_does() {
        let (guard, available) = guard(Path::new("/data"), 64 * MIB);
        available.store(130 * MIB, Ordering::Relaxed);
        assert_eq!(guard.take_spare(2 * MIB), Ok(()));
        available.store(128 * MIB, Ordering::Relaxed);
        let refused = guard.take_spare(1).unwrap_err();
        assert_eq!(refused.floor, 128 * MIB);
        assert_eq!(guard.take(60 * MIB), Ok(()));
    }

    #[test]
    fn what_was_taken_and_is_not_written_yet_counts() {
        let (guard, available) = guard(Path::new("/data"), 0);
        available.store(10, Ordering::Relaxed);
        assert_eq!(guard.take(7), Ok(()));
        let cached = guard.lock().as_ref().map(|room| room.space.available);
        assert_eq!(cached, Some(3));
        assert!(guard.take(u64::MAX).is_err());
    }

    #[test]
    fn a_small_disk_keeps_a_part_of_itself_only() {
        let (guard, available) = guard(Path::new("/data"), u64::MAX);
        available.store((1 << 30) + 5, Ordering::Relaxed);
        assert_eq!(guard.take(5), Ok(()));
        assert!(guard.take(6).is_err());
    }

    #[test]
    fn a_disk_that_cannot_be_measured_refuses_nothing() {
        let measure = |_: &Path| Err(io::ErrorKind::Unsupported.into());
        let guard = DiskGuard::measured_by(Path::new("/"), MIB, Box::new(measure));
        assert_eq!(guard.take(u64::MAX), Ok(()));
        assert!(!guard.restore());
    }

    #[test]
    fn the_reserve_takes_real_room_is_given_up_and_made_again_where_there_is_room() {
        let dir = tempfile::tempdir().unwrap();
        let (guard, available) = guard(dir.path(), 2 * MIB);
        let path = dir.path().join(RESERVE);
        available.store(4 * MIB - 1, Ordering::Relaxed);
        assert!(!guard.restore() && !path.exists());
        available.store(4 * MIB, Ordering::Relaxed);
        if !guard.restore() {
            return eprintln!("skipped: the temporary directory cannot set room aside");
        }
        assert!(fs::metadata(&path).unwrap().blocks() * 512 >= 2 * MIB);
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        // An existing one is enough, however full the disk is.
        available.store(0, Ordering::Relaxed);
        assert!(guard.restore());
        let mut parts = 0;
        while guard.release_part() {
            parts += 1;
        }
        assert!(parts == PARTS && !path.exists());
        available.store(4 * MIB, Ordering::Relaxed);
        assert!(guard.restore() && guard.release_part() && guard.restore());
        assert!(fs::metadata(&path).unwrap().blocks() * 512 >= 2 * MIB);
        assert!(guard.release() && !path.exists());
        assert!(!guard.release() && !guard.release_part());
    }

    #[test]
    fn a_link_in_the_place_of_the_reserve_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (guard, available) = guard(dir.path(), MIB);
        available.store(8 * MIB, Ordering::Relaxed);
        let other = dir.path().join("other");
        fs::write(&other, "kept").unwrap();
        std::os::unix::fs::symlink(&other, dir.path().join(RESERVE)).unwrap();
        assert!(!guard.restore());
        assert_eq!(fs::read(&other).unwrap(), b"kept");
    }
}
