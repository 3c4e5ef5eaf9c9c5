//! The truth about a root: everything that stands under it now, in a fixed order.
//!
//! A walk never opens a file, never follows a symlink, and by default never enters another mount.
//! One bad directory costs that directory only. A walk during which the root vanished fails as a
//! whole: what it did not see must not count as deleted.

use std::fs::Metadata;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use simdex_schema::FileStat;
use walkdir::{DirEntry, WalkDir};

use super::mount::MountPoints;
use super::probe::RootIdentity;
use super::rules::is_temporary;
use super::stat::Observe;

/// Deepest directory entered below the root, unless said otherwise.
pub const MAX_DEPTH: usize = 256;

/// What to do with a file system mounted below the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mounts {
    /// Do not enter it: it is a root of its own, or none.
    #[default]
    Stay,
    /// Enter it.
    Cross,
}

/// How far a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Whether mounts below the root are entered.
    pub mounts: Mounts,
    /// Directories deeper than this below the root are skipped.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            mounts: Mounts::Stay,
            max_depth: MAX_DEPTH,
        }
    }
}

/// One thing a walk came upon. Paths start with the root as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A regular file.
    File {
        /// Where it is.
        path: PathBuf,
        /// What `lstat` said of it.
        stat: FileStat,
    },
    /// Not a document, or beyond a limit.
    Skipped {
        /// Where it is.
        path: PathBuf,
        /// Which rule.
        reason: SkipReason,
    },
    /// The file system refuses. If `path` is a directory nothing is known of what lies under it:
    /// everything there keeps its last state.
    Unreadable {
        /// Where it is: a file or a directory.
        path: PathBuf,
        /// How it refuses.
        reason: UnreadableReason,
    },
}

impl Seen {
    /// Where it is.
    pub fn path(&self) -> &Path {
        match self {
            Self::File { path, .. }
            | Self::Skipped { path, .. }
            | Self::Unreadable { path, .. } => path,
        }
    }
}

/// Why something is passed over by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// A symlink: its target, if it lies in a root, is seen there.
    Symlink,
    /// A device, FIFO or socket.
    NotRegular,
    /// A lock file or temporary by its name.
    Temporary,
    /// A directory deeper than the limit, or a path longer than the kernel takes.
    TooDeep,
    /// A mount point, and the walk stays on the root's own mount.
    MountPoint,
}

impl SkipReason {
    /// The reason code of FORMAT.md.
    pub fn code(self) -> &'static str {
        match self {
            Self::Symlink => "symlink",
            Self::NotRegular => "not-regular",
            Self::Temporary => "temporary",
            Self::TooDeep => "too-deep",
            Self::MountPoint => "mount-point",
        }
    }
}

/// Why a file or directory cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnreadableReason {
    /// The permissions do not let us.
    PermissionDenied,
    /// The file system answered with an error.
    IoError,
}

impl UnreadableReason {
    /// The reason code of FORMAT.md.
    pub fn code(self) -> &'static str {
        match self {
            Self::PermissionDenied => "permission-denied",
            Self::IoError => "io-error",
        }
    }

    fn of(error: Option<&io::Error>) -> Self {
        match error.map(io::Error::kind) {
            Some(io::ErrorKind::PermissionDenied) => Self::PermissionDenied,
            _ => Self::IoError,
        }
    }
}

/// Why a walk says nothing at all.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// The root is missing, no directory, or was replaced by another while we walked.
    #[error("the root {} has vanished", .0.display())]
    RootVanished(PathBuf),
}

/// Walks the whole root with the default [`Limits`]. Each directory's entries come in byte order of
/// their names; `visit` may break off.
pub fn walk(root: &Path, visit: &mut dyn FnMut(Seen) -> ControlFlow<()>) -> Result<(), WalkError> {
    walk_beneath(root, root, Limits::default(), visit)
}

/// Walks `start`, a directory in `root` or the root itself. A `start` that is no directory any more
/// visits nothing: only the root's own absence is an error.
pub fn walk_beneath(
    root: &Path,
    start: &Path,
    limits: Limits,
    visit: &mut dyn FnMut(Seen) -> ControlFlow<()>,
) -> Result<(), WalkError> {
    let vanished = || WalkError::RootVanished(root.to_owned());
    let identity = RootIdentity::of(root).map_err(|_| vanished())?;
    // walkdir resolves a symlink given as the start; only the root may be one.
    if start == root || start.symlink_metadata().is_ok_and(|m| m.is_dir()) {
        Walk::new(root, start, limits).run(start, visit);
    }
    match RootIdentity::of(root) {
        Ok(now) if now == identity => Ok(()),
        _ => Err(vanished()),
    }
}

/// What one path below `root` is now; `None` if it is a directory that a walk enters or does not
/// exist. The same judgement as a walk's, for a path that a hint names.
pub fn look(root: &Path, path: &Path) -> Option<Seen> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => barred(root, path, Limits::default()),
        Ok(metadata) => Some(judge(path.to_owned(), &metadata)),
        Err(error) => refused(path.to_owned(), Some(&error)),
    }
}

/// A directory that a walk within these limits names and does not enter; `None` for one it enters.
fn barred(root: &Path, path: &Path, limits: Limits) -> Option<Seen> {
    let skipped = limits.bar(path, depth_below(root, path), &MountPoints::below(root));
    match skipped {
        Some(reason) => Some(Seen::Skipped {
            path: path.to_owned(),
            reason,
        }),
        None => {
            let refusal = path.read_dir().err()?;
            refused(path.to_owned(), Some(&refusal))
        }
    }
}

fn depth_below(root: &Path, path: &Path) -> usize {
    let below = path.strip_prefix(root);
    below.map_or(0, |below| below.components().count())
}

impl Limits {
    /// Why a directory so deep below the root is not entered.
    fn bar(self, directory: &Path, depth: usize, mounts: &MountPoints) -> Option<SkipReason> {
        if depth > 0 && self.mounts == Mounts::Stay && mounts.has(directory) {
            Some(SkipReason::MountPoint)
        } else {
            (depth > self.max_depth).then_some(SkipReason::TooDeep)
        }
    }
}

struct Walk {
    limits: Limits,
    mounts: MountPoints,
    /// How deep the start lies below the root.
    start_depth: usize,
    /// The directory last met at each depth: walkdir does not say where a listing broke off.
    trail: Vec<PathBuf>,
}

impl Walk {
    fn new(root: &Path, start: &Path, limits: Limits) -> Self {
        Self {
            limits,
            mounts: MountPoints::below(root),
            start_depth: depth_below(root, start),
            trail: Vec::new(),
        }
    }

    fn run(&mut self, start: &Path, visit: &mut dyn FnMut(Seen) -> ControlFlow<()>) {
        let mut entries = WalkDir::new(start).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let (seen, enter) = match entry {
                Ok(entry) if entry.depth() == 0 || entry.file_type().is_dir() => {
                    self.directory(entry)
                }
                Ok(entry) => (file(entry), true),
                Err(error) => (self.broken(&error), true),
            };
            if !enter {
                entries.skip_current_dir();
            }
            if seen.is_some_and(|seen| visit(seen).is_break()) {
                return;
            }
        }
    }

    /// Whether to enter a directory, and what to say of one not entered.
    fn directory(&mut self, entry: DirEntry) -> (Option<Seen>, bool) {
        let depth = entry.depth();
        let path = entry.into_path();
        let below = self.start_depth + depth;
        if let Some(reason) = self.limits.bar(&path, below, &self.mounts) {
            return (Some(Seen::Skipped { path, reason }), false);
        }
        self.trail.truncate(depth);
        self.trail.push(path);
        (None, true)
    }

    fn broken(&self, error: &walkdir::Error) -> Option<Seen> {
        let directory = || self.trail.get(error.depth().saturating_sub(1));
        let path = error.path().or_else(|| directory().map(PathBuf::as_path))?;
        refused(path.to_owned(), error.io_error())
    }
}

fn file(entry: DirEntry) -> Option<Seen> {
    let metadata = entry.metadata();
    let path = entry.into_path();
    match metadata {
        Ok(metadata) => Some(judge(path, &metadata)),
        Err(error) => refused(path, error.io_error()),
    }
}

fn judge(path: PathBuf, metadata: &Metadata) -> Seen {
    let kind = metadata.file_type();
    let reason = if kind.is_symlink() {
        SkipReason::Symlink
    } else if !kind.is_file() {
        SkipReason::NotRegular
    } else if path.file_name().is_some_and(is_temporary) {
        SkipReason::Temporary
    } else {
        return Seen::File {
            stat: FileStat::from_metadata(metadata),
            path,
        };
    };
    Seen::Skipped { path, reason }
}

/// Says what an error means; `None` where the thing vanished between the listing and the look.
fn refused(path: PathBuf, error: Option<&io::Error>) -> Option<Seen> {
    match error.and_then(Errno::from_io_error) {
        Some(Errno::NOENT | Errno::NOTDIR) => None,
        Some(Errno::NAMETOOLONG) => Some(Seen::Skipped {
            path,
            reason: SkipReason::TooDeep,
        }),
        _ => Some(Seen::Unreadable {
            path,
            reason: UnreadableReason::of(error),
        }),
    }
}

#[cfg(test)]
mod tests;
