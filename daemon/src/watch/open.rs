//! Opening a file of a watched tree without ever leaving the tree.
//!
//! Between the walk and the open anyone who may write there can swap a directory for a symlink.
//! `openat2` resolves the whole path beneath the root's descriptor and refuses symlinks, magic links
//! and mount points on the way; kernels without it get the same, one component at a time.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::walk::Mounts;

/// Why a file could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The root itself cannot be opened as a directory: nothing may be concluded about the file.
    #[error("the root cannot be opened")]
    RootVanished(#[source] io::Error),
    /// There is no such file any more. Its removal is for a rescan or a seen delete to say: a share
    /// that is being unmounted answers the same.
    #[error("the file has vanished")]
    Vanished,
    /// The file system refuses to let us read it.
    #[error("permission denied")]
    Unreadable(#[source] io::Error),
    /// A symlink, directory, device, FIFO or socket.
    #[error("not a regular file")]
    NotRegular,
    /// The path leaves the root, or may: by a symlink, `..`, or a mount point.
    #[error("the path leaves its root")]
    Outside,
    /// Anything else, such as a stale handle or a failing disk: the last state is kept.
    #[error("the file could not be opened")]
    Io(#[source] io::Error),
}

impl OpenError {
    /// The reason code of FORMAT.md.
    pub fn code(&self) -> &'static str {
        match self {
            Self::RootVanished(_) => "root-vanished",
            Self::Vanished => "vanished",
            Self::Unreadable(_) => "permission-denied",
            Self::NotRegular => "not-regular",
            Self::Outside => "outside-root",
            Self::Io(_) => "io-error",
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

/// Opens the regular file `path` (absolute below `root`, or relative to it) for reading, without
/// crossing mount points.
pub fn open_regular(root: &Path, path: &Path) -> Result<File, OpenError> {
    open_regular_across(root, path, Mounts::Stay)
}

/// [`open_regular`], with a say about file systems mounted below the root.
pub fn open_regular_across(root: &Path, path: &Path, mounts: Mounts) -> Result<File, OpenError> {
    let path = path.strip_prefix(root).unwrap_or(path);
    let anchor = rustix::fs::open(root, DIRECTORY, Mode::empty())
        .map_err(|errno| OpenError::RootVanished(errno.into()))?;
    match open_beneath(&anchor, path, mounts, resolve_whole) {
        Err(OpenError::Io(e)) if e.raw_os_error() == Some(Errno::NOSYS.raw_os_error()) => {
            open_beneath(&anchor, path, mounts, resolve_stepwise)
        }
        done => done,
    }
}

const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Never waits for a FIFO's writer and never makes a terminal ours, should the file be swapped for
/// one at the last moment.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

type Resolve = fn(&OwnedFd, &Path, OFlags, Mounts) -> Result<OwnedFd, Errno>;

/// Looks before it opens: opening a device node can already act on the device.
fn open_beneath(
    anchor: &OwnedFd,
    path: &Path,
    mounts: Mounts,
    resolve: Resolve,
) -> Result<File, OpenError> {
    let open = |flags| resolve(anchor, path, flags, mounts).map(File::from);
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

/// The kernel resolves the whole path (Linux 5.6).
fn resolve_whole(
    anchor: &OwnedFd,
    path: &Path,
    flags: OFlags,
    mounts: Mounts,
) -> Result<OwnedFd, Errno> {
    let mut resolve =
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    if mounts == Mounts::Stay {
        resolve |= ResolveFlags::NO_XDEV;
    }
    rustix::fs::openat2(anchor, path, flags, Mode::empty(), resolve)
}

/// The same without `openat2`: no component may be a symlink or `..`, and with [`Mounts::Stay`] none
/// may lie on another device.
fn resolve_stepwise(
    anchor: &OwnedFd,
    path: &Path,
    flags: OFlags,
    mounts: Mounts,
) -> Result<OwnedFd, Errno> {
    let device = rustix::fs::fstat(anchor)?.st_dev;
    let mut here = anchor.try_clone().map_err(|_| Errno::MFILE)?;
    let mut steps = path.components().peekable();
    while let Some(step) = steps.next() {
        let Component::Normal(name) = step else {
            return Err(Errno::XDEV);
        };
        let last = steps.peek().is_none();
        let flags = if last {
            flags
        } else {
            DIRECTORY | OFlags::NOFOLLOW
        };
        here = rustix::fs::openat(&here, name, flags, Mode::empty())?;
        if mounts == Mounts::Stay && rustix::fs::fstat(&here)?.st_dev != device {
            return Err(Errno::XDEV);
        }
    }
    Ok(here)
}

#[cfg(test)]
mod tests;
