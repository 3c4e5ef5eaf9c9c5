//! The state of one path of a root, classified as in a walk, for a path from a hint.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use rustix::io::Errno;
use simdex_schema::FileStat;

use super::{SkipReason, UnreadableReason, WalkEntry, WalkLimits, classify};
use crate::write_side::watch::anchor::{Anchor, DIRECTORY, check_listable, is_shortage};
use crate::write_side::watch::open::LOOK;
use crate::write_side::watch::stat::Observe;

/// The state of one path of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathState {
    /// The entry that a walk would report, with its stat if it has one of its own.
    Seen(WalkEntry, Option<FileStat>),
    /// No file of this root: nothing, a directory that a walk enters, or something behind a symlink.
    NoFile,
    /// It is below a mount point: what the root itself has there is covered, and not known.
    Covered,
    /// A folder on the path may not be searched, or the file system returned an error: nothing is
    /// known of what is there.
    Refused(UnreadableReason),
    /// The machine lacks resources for a stat, such as descriptors: it is to be repeated.
    Shortage,
    /// The root itself cannot be used, or is not proven to be the one on record.
    RootUnusable,
}

/// Looks up `below`, a path relative to the root.
pub fn look(anchor: &Anchor, below: &Path) -> PathState {
    let path = anchor.path().join(below);
    let opened = anchor
        .resolve(below, LOOK)
        .and_then(|open| Ok((rustix::fs::fstat(&open)?, open)));
    let reason = match opened {
        Ok((stat, open)) => {
            let seen = match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => barred(path, below, &open),
                _ => Some(classify(path, &stat)),
            };
            let stat = FileStat::from_stat(&stat);
            return seen.map_or(PathState::NoFile, |seen| PathState::Seen(seen, Some(stat)));
        }
        Err(Errno::XDEV) if is_mount_point(anchor, below) => SkipReason::MountPoint,
        Err(Errno::NAMETOOLONG) => SkipReason::TooDeep,
        Err(Errno::XDEV) => return PathState::Covered,
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return PathState::NoFile,
        Err(errno) if is_shortage(errno) => return PathState::Shortage,
        Err(errno) => return PathState::Refused(UnreadableReason::of(errno)),
    };
    PathState::Seen(WalkEntry::Skipped { path, reason }, None)
}

/// The entry for a directory that a walk reports and does not enter; `None` for one it enters.
fn barred(path: PathBuf, below: &Path, open: &OwnedFd) -> Option<WalkEntry> {
    if depth(below) > WalkLimits::default().max_depth {
        let reason = SkipReason::TooDeep;
        return Some(WalkEntry::Skipped { path, reason });
    }
    let reason = UnreadableReason::of(check_listable(open).err()?);
    Some(WalkEntry::Unreadable { path, reason })
}

fn depth(below: &Path) -> usize {
    below.components().count()
}

/// Whether a path that crosses a mount point does so only at its last component.
fn is_mount_point(anchor: &Anchor, below: &Path) -> bool {
    let parent = below.parent().unwrap_or(Path::new(""));
    anchor.resolve(parent, DIRECTORY).is_ok()
}
