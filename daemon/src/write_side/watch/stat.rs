//! The stat of a file, and when it proves that nothing changed.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::Stat;
use simdex_schema::{FileStat, Timestamp};

/// A file whose ctime is this close to our read may change again within one clock tick of the file
/// system and have the same stat.
const RACY_NANOS: i128 = 2_000_000_000;

/// Taking and comparing a [`FileStat`].
pub trait Observe: Sized {
    /// The stat of `path` itself: a symlink is not followed.
    fn of(path: &Path) -> io::Result<Self>;

    /// The stat of an open file. Taken before and after reading, it reveals a change in between.
    fn of_open(file: &File) -> io::Result<Self>;

    /// Makes a stat from metadata already at hand.
    fn from_metadata(metadata: &Metadata) -> Self;

    /// Makes a stat from a `stat` relative to an open directory.
    fn from_stat(stat: &Stat) -> Self;

    /// Whether the bytes are those recorded: inode, length, mtime and ctime are equal. The device is ignored (it
    /// changes when a share is mounted again), and so is the inode if the file system does not keep it.
    fn unchanged(&self, recorded: &Self, inodes_stable: bool) -> bool;

    /// Whether this stat, of a file read at `read_at`, proves nothing about later: its ctime is
    /// within 2 s of the read or (skewed clocks) in the read's future. Such a file is read again.
    fn racy(&self, read_at: Timestamp) -> bool;
}

impl Observe for FileStat {
    fn of(path: &Path) -> io::Result<Self> {
        Ok(Self::from_metadata(&path.symlink_metadata()?))
    }

    fn of_open(file: &File) -> io::Result<Self> {
        Ok(Self::from_metadata(&file.metadata()?))
    }

    fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            device: metadata.dev(),
            length: metadata.len(),
            mtime: timestamp(metadata.mtime(), metadata.mtime_nsec()),
            ctime: timestamp(metadata.ctime(), metadata.ctime_nsec()),
            owner: Some(metadata.uid()),
        }
    }

    fn from_stat(stat: &Stat) -> Self {
        Self {
            inode: stat.st_ino,
            device: stat.st_dev,
            length: u64::try_from(stat.st_size).unwrap_or(0),
            mtime: timestamp(stat.st_mtime, stat.st_mtime_nsec as i64),
            ctime: timestamp(stat.st_ctime, stat.st_ctime_nsec as i64),
            owner: Some(stat.st_uid),
        }
    }

    fn unchanged(&self, recorded: &Self, inodes_stable: bool) -> bool {
        (!inodes_stable || self.inode == recorded.inode)
            && self.length == recorded.length
            && self.mtime == recorded.mtime
            && self.ctime == recorded.ctime
    }

    fn racy(&self, read_at: Timestamp) -> bool {
        nanos(read_at) - nanos(self.ctime) <= RACY_NANOS
    }
}

fn timestamp(seconds: i64, nanos: i64) -> Timestamp {
    // The kernel keeps the nanoseconds in 0..1e9; for a file system that does not, they are taken as 0.
    Timestamp {
        seconds,
        nanos: u32::try_from(nanos).unwrap_or(0),
    }
}

fn nanos(time: Timestamp) -> i128 {
    i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanos: u32) -> Timestamp {
        Timestamp { seconds, nanos }
    }

    fn stat() -> FileStat {
        FileStat {
            inode: 7,
            device: 1,
            length: 10,
            mtime: at(100, 5),
            ctime: at(200, 6),
            owner: Some(1000),
        }
    }

    #[test]
    fn a_remounted_share_changes_the_device_and_nothing_else() {
        assert!(
            FileStat {
                device: 99,
                ..stat()
            }
            .unchanged(&stat(), true)
        );
    }

    #[test]
    fn every_other_field_tells_a_change() {
        let changed = [
            FileStat {
                length: 11,
                ..stat()
            },
            FileStat {
                mtime: at(100, 6),
                ..stat()
            },
            FileStat {
                ctime: at(200, 7),
                ..stat()
            },
        ];
        for other in changed {
            assert!(!other.unchanged(&stat(), true), "{other:?}");
            assert!(!other.unchanged(&stat(), false), "{other:?}");
        }
        let moved = FileStat { inode: 8, ..stat() };
        assert!(!moved.unchanged(&stat(), true));
        assert!(
            moved.unchanged(&stat(), false),
            "unstable inodes take no part"
        );
    }

    #[test]
    fn a_file_is_racy_until_two_seconds_have_passed() {
        assert!(stat().racy(at(200, 6)));
        assert!(stat().racy(at(202, 6)), "exactly two seconds");
        assert!(!stat().racy(at(202, 7)));
        assert!(
            stat().racy(at(150, 0)),
            "a ctime in the future proves nothing"
        );
    }

    #[test]
    fn times_before_1970_and_far_away_are_read_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("old");
        let file = File::create(&path).unwrap();
        let old = std::time::UNIX_EPOCH - std::time::Duration::from_millis(1_500);
        file.set_modified(old).unwrap();
        let stat = FileStat::of(&path).unwrap();
        assert_eq!(stat.mtime, at(-2, 500_000_000));
        assert_eq!(stat, FileStat::of_open(&file).unwrap());
    }

    #[test]
    fn same_length_and_mtime_but_new_bytes_show_in_the_ctime() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::fs::write(&path, "one").unwrap();
        let before = FileStat::of(&path).unwrap();
        let written = std::fs::metadata(&path).unwrap().modified().unwrap();
        // The clock of the file system ticks every few milliseconds.
        while FileStat::of(&path).unwrap().ctime == before.ctime {
            std::fs::write(&path, "two").unwrap();
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(written)
                .unwrap();
        }
        let after = FileStat::of(&path).unwrap();
        assert_eq!((after.length, after.mtime), (before.length, before.mtime));
        assert!(!after.unchanged(&before, true));
    }
}
