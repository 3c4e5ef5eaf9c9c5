//! Lists what is below a root now, in a fixed order, without opening files.
//!
//! A walk never opens a file, never follows a symlink, and never enters another mount: that is a
//! separate root, or none. A bad directory affects only itself. A walk during which the root vanished or
//! refused access fails as a whole: what it did not see must not count as deleted.
//!
//! walkdir lists directories by their paths, and a directory may be replaced by a symlink before it is listed. So a
//! listing only yields candidates: each is looked up in its own directory, which is opened beneath the root's
//! [`Anchor`] without following a symlink. A name that does not exist there is not reported.

mod look;

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;
use simdex_schema::{FileStat, Reason};
use walkdir::{DirEntry, WalkDir};

use super::anchor::{Anchor, RootRefusal, is_shortage};
use super::stat::Observe;
use super::temporary_names::is_temporary;

pub use look::{PathState, look};

/// Deepest directory entered below the root, unless configured otherwise.
pub const MAX_DEPTH: usize = 256;

/// Limits of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkLimits {
    /// Directories deeper than this below the root are skipped.
    pub max_depth: usize,
}

impl Default for WalkLimits {
    fn default() -> Self {
        Self {
            max_depth: MAX_DEPTH,
        }
    }
}

/// One thing found by a walk. Paths start with the root as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalkEntry {
    /// A regular file.
    File {
        /// Path of the file or directory.
        path: PathBuf,
        /// The result of `lstat`.
        stat: FileStat,
    },
    /// Not a document, or beyond a limit.
    Skipped {
        /// Path of the file or directory.
        path: PathBuf,
        /// The rule that applies.
        reason: SkipReason,
    },
    /// The file system refuses access. If `path` is a directory, nothing is known of its contents:
    /// everything there keeps its last state.
    Unreadable {
        /// Where it is: a file or a directory.
        path: PathBuf,
        /// The kind of refusal.
        reason: UnreadableReason,
    },
}

impl WalkEntry {
    /// Path of the file or directory.
    pub fn path(&self) -> &Path {
        match self {
            Self::File { path, .. }
            | Self::Skipped { path, .. }
            | Self::Unreadable { path, .. } => path,
        }
    }
}

/// Why something is skipped by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// A symlink: if its target is in a root, it is seen there.
    Symlink,
    /// A device, FIFO or socket.
    NotRegular,
    /// A lock file or temporary by its name.
    Temporary,
    /// A directory deeper than the limit, or a path longer than the kernel accepts.
    TooDeep,
    /// A mount point: the walk stays on the root's own mount.
    MountPoint,
}

impl SkipReason {
    /// The reason in its recorded form.
    pub fn reason(self) -> Reason {
        match self {
            Self::Symlink => Reason::Symlink,
            Self::NotRegular => Reason::NotRegular,
            Self::Temporary => Reason::Temporary,
            Self::TooDeep => Reason::TooDeep,
            Self::MountPoint => Reason::MountPoint,
        }
    }
}

/// Why a file or directory cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnreadableReason {
    /// We lack the permissions.
    PermissionDenied,
    /// The file system returned an error.
    IoError,
}

impl UnreadableReason {
    /// The reason in its recorded form.
    pub fn reason(self) -> Reason {
        match self {
            Self::PermissionDenied => Reason::PermissionDenied,
            Self::IoError => Reason::IoError,
        }
    }

    fn of(errno: Errno) -> Self {
        match errno {
            Errno::ACCESS | Errno::PERM => Self::PermissionDenied,
            _ => Self::IoError,
        }
    }
}

/// Walks the whole root with the default [`WalkLimits`]. Paths are in the order of their bytes, with
/// directories sorted as if their path ended in `/`; `visit` may break off.
pub fn walk(
    anchor: &Anchor,
    visit: &mut dyn FnMut(WalkEntry) -> ControlFlow<()>,
) -> Result<(), RootRefusal> {
    walk_beneath(anchor, anchor.path(), WalkLimits::default(), visit)
}

/// Walks `start`, a directory in the root or the root itself. If `start` is not a directory any
/// more, nothing is visited: only an absent or refused root is an error.
pub fn walk_beneath(
    anchor: &Anchor,
    start: &Path,
    limits: WalkLimits,
    visit: &mut dyn FnMut(WalkEntry) -> ControlFlow<()>,
) -> Result<(), RootRefusal> {
    let mut walk = Walk::new(anchor, start, limits);
    walk.run(start, visit);
    if let Some(refusal) = walk.root_refused {
        return Err(refusal);
    }
    let now = Anchor::open(anchor.path())?;
    match now.inode() == anchor.inode() {
        true => Ok(()),
        false => Err(RootRefusal::Replaced),
    }
}

struct Walk<'a> {
    anchor: &'a Anchor,
    limits: WalkLimits,
    /// Depth of the start below the root.
    start_depth: usize,
    /// The directory last met at each depth: walkdir does not say where a listing was aborted.
    trail: Vec<PathBuf>,
    /// The directory whose entries are being examined; without a descriptor if access was refused.
    parent: Option<(PathBuf, Option<OwnedFd>)>,
    root_refused: Option<RootRefusal>,
}

/// An entry to report, if any, and whether to enter a directory.
type Classified = (Option<WalkEntry>, bool);

impl<'a> Walk<'a> {
    fn new(anchor: &'a Anchor, start: &Path, limits: WalkLimits) -> Self {
        Self {
            anchor,
            limits,
            start_depth: below(anchor, start).components().count(),
            trail: Vec::new(),
            parent: None,
            root_refused: None,
        }
    }

    fn run(&mut self, start: &Path, visit: &mut dyn FnMut(WalkEntry) -> ControlFlow<()>) {
        let mut entries = WalkDir::new(start).sort_by(in_order_of_keys).into_iter();
        while let Some(entry) = entries.next() {
            let (seen, enter) = match entry {
                Ok(entry) if entry.depth() == 0 || entry.file_type().is_dir() => {
                    self.directory(entry)
                }
                Ok(entry) => (self.file(&entry), true),
                Err(error) => (self.broken(&error), true),
            };
            if !enter {
                entries.skip_current_dir();
            }
            let broken_off = seen.is_some_and(|seen| visit(seen).is_break());
            if broken_off || self.root_refused.is_some() {
                return;
            }
        }
    }

    /// Whether to enter a directory, and what to report for one not entered.
    fn directory(&mut self, entry: DirEntry) -> Classified {
        let depth = entry.depth();
        let path = entry.into_path();
        self.trail.truncate(depth);
        self.trail.push(path.clone());
        if self.start_depth + depth > self.limits.max_depth {
            let reason = SkipReason::TooDeep;
            return (Some(WalkEntry::Skipped { path, reason }), false);
        }
        match self.open(&path) {
            Ok(directory) => {
                self.parent = Some((path, Some(directory)));
                (None, true)
            }
            Err(Errno::XDEV) => {
                let reason = SkipReason::MountPoint;
                (Some(WalkEntry::Skipped { path, reason }), false)
            }
            Err(errno) => (self.refused(path, errno), false),
        }
    }

    /// An entry that is not a directory, looked up where it was listed.
    fn file(&mut self, entry: &DirEntry) -> Option<WalkEntry> {
        let parent = entry.path().parent()?;
        let parent_bytes = parent.as_os_str();
        if (self.parent.as_ref()).is_none_or(|(open, _)| open.as_os_str() != parent_bytes)
            && let Err(errno) = self.open_parent(parent)
        {
            return self.refused(parent.to_owned(), errno);
        }
        let directory = self.parent.as_ref()?.1.as_ref()?;
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        let path = entry.path().to_owned();
        match rustix::fs::statat(directory, entry.file_name(), flags) {
            // A directory created in its place since the listing has its own event, or is left to the next walk.
            Ok(stat) if FileType::from_raw_mode(stat.st_mode).is_dir() => None,
            Ok(stat) => Some(classify(path, &stat)),
            Err(errno) => self.refused(path, errno),
        }
    }

    /// Returns to a directory after one of its subdirectories.
    fn open_parent(&mut self, path: &Path) -> Result<(), Errno> {
        let opened = self.open(path);
        let refusal = opened.as_ref().err().copied();
        self.parent = Some((path.to_owned(), opened.ok()));
        refusal.map_or(Ok(()), Err)
    }

    fn open(&self, directory: &Path) -> Result<OwnedFd, Errno> {
        let below = below(self.anchor, directory);
        self.anchor.directory(below)
    }

    fn broken(&mut self, error: &walkdir::Error) -> Option<WalkEntry> {
        let directory = || self.trail.get(error.depth().saturating_sub(1));
        let path = error.path().or_else(|| directory().map(PathBuf::as_path))?;
        let errno = error.io_error().and_then(Errno::from_io_error);
        self.refused(path.to_owned(), errno.unwrap_or(Errno::IO))
    }

    /// The entry to report for an error; `None` if the path vanished between the listing and the
    /// look, or was replaced by something elsewhere.
    fn refused(&mut self, path: PathBuf, errno: Errno) -> Option<WalkEntry> {
        let is_gone = matches!(
            errno,
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV
        );
        if path == self.anchor.path() || is_shortage(errno) {
            // A shortage says nothing about the path: the whole walk is to be repeated.
            self.root_refused = Some(RootRefusal::of(&path, errno));
            return None;
        }
        match errno {
            _ if is_gone => None,
            Errno::NAMETOOLONG => Some(WalkEntry::Skipped {
                path,
                reason: SkipReason::TooDeep,
            }),
            _ => Some(WalkEntry::Unreadable {
                path,
                reason: UnreadableReason::of(errno),
            }),
        }
    }
}

/// The part of a path below the root.
fn below<'a>(anchor: &Anchor, path: &'a Path) -> &'a Path {
    path.strip_prefix(anchor.path()).unwrap_or(path)
}

/// The order of the keys that files are recorded by: a directory is compared with a `/` after it.
fn in_order_of_keys(one: &DirEntry, other: &DirEntry) -> Ordering {
    let (a, b) = (one.file_name().as_bytes(), other.file_name().as_bytes());
    let shared = a.len().min(b.len());
    let next = |entry: &DirEntry, name: &[u8]| match name.get(shared) {
        Some(byte) => Some(*byte),
        None => entry.file_type().is_dir().then_some(b'/'),
    };
    let rest = || next(one, a).cmp(&next(other, b));
    a[..shared].cmp(&b[..shared]).then_with(rest)
}

fn classify(path: PathBuf, stat: &Stat) -> WalkEntry {
    let reason = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Symlink => SkipReason::Symlink,
        FileType::RegularFile if path.file_name().is_some_and(is_temporary) => {
            SkipReason::Temporary
        }
        FileType::RegularFile => {
            let stat = FileStat::from_stat(stat);
            return WalkEntry::File { path, stat };
        }
        _ => SkipReason::NotRegular,
    };
    WalkEntry::Skipped { path, reason }
}

#[cfg(test)]
mod tests;
