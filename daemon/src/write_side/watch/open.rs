//! Opening a file of a watched tree without ever leaving the tree.
//!
//! Between the walk and the open, anyone who may write there can replace a directory with a symlink. The path is
//! resolved from the [`Anchor`], which refuses symlinks, magic links and mount points along it.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;
use simdex_schema::Reason;

use super::anchor::{Anchor, RootRefusal};

/// Why a file could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The root cannot be opened, or is not proven to be the one on record: nothing may be concluded
    /// about the file.
    #[error("the root cannot be opened")]
    RootUnusable(#[source] io::Error),
    /// The file does not exist any more. Its removal is left to a rescan or an observed delete: a
    /// share that is being unmounted returns the same error.
    #[error("the file has vanished")]
    Vanished,
    /// The file system does not let us read it.
    #[error("permission denied")]
    Unreadable(#[source] io::Error),
    /// A symlink, directory, device, FIFO or socket.
    #[error("not a regular file")]
    NotRegular,
    /// The path leaves the root, or may: by a symlink, `..`, or a mount point. There is no file of this root.
    #[error("the path leaves its root")]
    Outside,
    /// Anything else, such as a stale handle or a failing disk: the last state is kept.
    #[error("the file could not be opened")]
    Io(#[source] io::Error),
}

impl OpenError {
    /// Why the file is not read, in the form that is recorded and shown.
    pub fn reason(&self) -> Reason {
        match self {
            Self::RootUnusable(_) => Reason::RootVanished,
            Self::Vanished => Reason::Vanished,
            Self::Unreadable(_) => Reason::PermissionDenied,
            Self::NotRegular => Reason::NotRegular,
            Self::Outside => Reason::OutsideRoot,
            Self::Io(_) => Reason::IoError,
        }
    }

    fn from_errno(errno: Errno) -> Self {
        match errno {
            Errno::NOENT | Errno::NOTDIR => Self::Vanished,
            Errno::ACCESS | Errno::PERM => Self::Unreadable(errno.into()),
            Errno::LOOP | Errno::XDEV => Self::Outside,
            Errno::NXIO | Errno::NODEV | Errno::ISDIR => Self::NotRegular,
            other => Self::Io(other.into()),
        }
    }
}

impl From<RootRefusal> for OpenError {
    fn from(refusal: RootRefusal) -> Self {
        Self::RootUnusable(match refusal {
            RootRefusal::Io(errno) => errno.into(),
            refusal => io::Error::other(refusal),
        })
    }
}

/// Opens the regular file at `below`, a path relative to the root, for reading, without crossing
/// mount points.
pub fn open_regular(anchor: &Anchor, below: &Path) -> Result<File, OpenError> {
    look_and_open(|flags| anchor.resolve(below, flags))
}

pub(super) const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Never waits for a FIFO's writer and never makes a terminal our controlling one, if the file is
/// replaced by one at the last moment.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Looks before it opens: opening a device node can already affect the device.
fn look_and_open(resolve: impl Fn(OFlags) -> Result<OwnedFd, Errno>) -> Result<File, OpenError> {
    let open = |flags| resolve(flags).map(File::from);
    let look = open(LOOK).map_err(OpenError::from_errno)?;
    require_regular(&look)?;
    let file = open(READ).map_err(OpenError::from_errno)?;
    require_regular(&file)?;
    Ok(file)
}

fn require_regular(file: &File) -> Result<(), OpenError> {
    let regular = file.metadata().map_err(OpenError::Io)?.is_file();
    if regular {
        Ok(())
    } else {
        Err(OpenError::NotRegular)
    }
}

#[cfg(test)]
mod tests;
