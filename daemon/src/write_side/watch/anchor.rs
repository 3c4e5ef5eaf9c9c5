//! An opened root: everything below it is reached from this one directory.
//!
//! The path of a root is resolved without following a symlink in any of its components, so nobody who
//! may write beside or above a root can put another tree in its place with a link. Every operation
//! below it (a look, a walk, an open) starts at the directory that was opened here and never leaves
//! it. Whether that directory is the one on record is decided by [`crate::write_side::identity`].
//!
//! An anchor is held for the time of one look or one walk: a descriptor kept longer would keep a
//! share from being unmounted.

use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use simdex_schema::DirectoryIdentity;

use super::probe::InodeId;
use crate::base::symlinks::first_symlink;

/// Why a root cannot be used in its present state: nothing may be concluded about its files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RootRefusal {
    /// There is nothing at its path.
    #[error("the directory is missing")]
    Missing,
    /// A component of its path, perhaps the last, is a symlink.
    #[error("{} is a symlink, which is never followed", shown(.0))]
    Symlink(PathBuf),
    /// Something other than a directory is at its path.
    #[error("it is not a directory")]
    NotADirectory,
    /// It may not be opened, listed or searched.
    #[error("permission denied")]
    Denied,
    /// Another directory took its place during a walk.
    #[error("another directory took its place during the scan")]
    Replaced,
    /// The file system returned an error.
    #[error("{0}")]
    Io(Errno),
}

/// A path with its control characters replaced.
fn shown(path: &Path) -> String {
    path.display().to_string().escape_debug().to_string()
}

impl RootRefusal {
    pub(super) fn of(path: &Path, errno: Errno) -> Self {
        match errno {
            Errno::LOOP | Errno::NOTDIR => match first_symlink(path) {
                Some(link) => Self::Symlink(link),
                None => Self::NotADirectory,
            },
            Errno::NOENT => Self::Missing,
            Errno::ACCESS | Errno::PERM => Self::Denied,
            other => Self::Io(other),
        }
    }

    /// The error, if it is caused by this machine and says nothing about the root.
    pub fn shortage(&self) -> Option<Errno> {
        match self {
            Self::Io(errno) => Some(*errno).filter(|errno| is_shortage(*errno)),
            _ => None,
        }
    }
}

/// Whether the machine lacks something that it may have again later: this says nothing about the
/// path that was accessed.
pub(crate) fn is_shortage(errno: Errno) -> bool {
    let shortages = [
        Errno::MFILE,
        Errno::NFILE,
        Errno::NOMEM,
        Errno::AGAIN,
        Errno::INTR,
        Errno::NOSPC,
        Errno::DQUOT,
    ];
    shortages.contains(&errno)
}

/// An opened root.
#[derive(Debug)]
pub struct Anchor {
    path: PathBuf,
    directory: OwnedFd,
    inode: InodeId,
}

pub(super) const DIRECTORY: OFlags = OFlags::PATH
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
const LIST: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl Anchor {
    /// Opens the directory at `root`, an absolute path.
    pub fn open(root: &Path) -> Result<Self, RootRefusal> {
        let refusal = |errno| RootRefusal::of(root, errno);
        let directory = open_root(root, open_root_whole).map_err(refusal)?;
        let inode = InodeId::of(&directory).map_err(refusal)?;
        Ok(Self {
            path: root.to_owned(),
            directory,
            inode,
        })
    }

    /// Opens a root, which must allow listing and searching too.
    pub fn open_listable(root: &Path) -> Result<Self, RootRefusal> {
        let anchor = Self::open(root)?;
        let listable = check_listable(&anchor.directory);
        listable.map_err(|errno| RootRefusal::of(root, errno))?;
        Ok(anchor)
    }

    /// The path it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Identifies the directory while its file system is mounted.
    pub fn inode(&self) -> InodeId {
        self.inode
    }

    /// Its identity, which distinguishes it from others after a remount.
    pub fn identity(&self) -> Result<DirectoryIdentity, RootRefusal> {
        let refusal = |errno| RootRefusal::of(&self.path, errno);
        super::probe::directory_identity(&self.directory).map_err(refusal)
    }

    /// Opens the entry at `below`, a path relative to the root; the empty path is the root itself. Symlinks on the
    /// path are refused ([`Errno::LOOP`]), and so are mount points ([`Errno::XDEV`]).
    pub(super) fn resolve(&self, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let below = match below.as_os_str().is_empty() {
            true => Path::new("."),
            false => below,
        };
        match resolve_whole(&self.directory, below, flags) {
            Err(Errno::NOSYS) => resolve_stepwise(&self.directory, below, flags),
            done => done,
        }
    }

    /// Opens the directory at `below`, which must allow listing and searching.
    pub(super) fn directory(&self, below: &Path) -> Result<OwnedFd, Errno> {
        let directory = self.resolve(below, DIRECTORY)?;
        let searched = rustix::fs::statat(&directory, ".", AtFlags::empty());
        searched.map(|_| directory)
    }
}

/// Checks that a directory can be listed, and its entries accessed.
pub(super) fn check_listable(directory: &OwnedFd) -> Result<(), Errno> {
    rustix::fs::openat(directory, ".", LIST, Mode::empty())?;
    rustix::fs::statat(directory, ".", AtFlags::empty())?;
    Ok(())
}

type OpenRoot = fn(&Path) -> Result<OwnedFd, Errno>;

fn open_root(root: &Path, whole: OpenRoot) -> Result<OwnedFd, Errno> {
    match whole(root) {
        Err(Errno::NOSYS) => open_root_stepwise(root),
        done => done,
    }
}

/// Opens a root whose whole path the kernel resolves (Linux 5.6).
fn open_root_whole(root: &Path) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(CWD, root, DIRECTORY, Mode::empty(), resolve)
}

/// Opens a root without `openat2`, one component at a time.
fn open_root_stepwise(root: &Path) -> Result<OwnedFd, Errno> {
    let mut here = rustix::fs::open("/", DIRECTORY, Mode::empty())?;
    for step in root.components() {
        match step {
            Component::RootDir => {}
            Component::Normal(name) => {
                here = rustix::fs::openat(&here, name, DIRECTORY, Mode::empty())?;
            }
            _ => return Err(Errno::INVAL),
        }
    }
    Ok(here)
}

/// Resolves the whole path in the kernel.
fn resolve_whole(anchor: &OwnedFd, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV;
    rustix::fs::openat2(anchor, below, flags, Mode::empty(), resolve)
}

/// Opens a path without `openat2`: no component may be a symlink or `..`, and none may lie on another device.
pub(super) fn resolve_stepwise(
    anchor: &OwnedFd,
    below: &Path,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let device = rustix::fs::fstat(anchor)?.st_dev;
    let mut here = rustix::fs::openat(anchor, ".", DIRECTORY, Mode::empty())?;
    let mut steps = below.components().peekable();
    while let Some(step) = steps.next() {
        let name = match step {
            Component::Normal(name) => name,
            Component::CurDir => ".".as_ref(),
            _ => return Err(Errno::XDEV),
        };
        let flags = match steps.peek() {
            None => flags,
            Some(_) => DIRECTORY,
        };
        here = rustix::fs::openat(&here, name, flags, Mode::empty())?;
        if rustix::fs::fstat(&here)?.st_dev != device {
            return Err(Errno::XDEV);
        }
    }
    Ok(here)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// `above/root/file`, and a foreign tree beside it.
    fn tree() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for name in ["above/root", "foreign/root"] {
            fs::create_dir_all(top.join(name)).unwrap();
            fs::write(top.join(name).join("file"), name).unwrap();
        }
        (dir, top)
    }

    fn both(root: &Path) -> [Result<(), Errno>; 2] {
        [open_root_whole, open_root_stepwise].map(|open: OpenRoot| open(root).map(drop))
    }

    #[test]
    fn a_root_that_is_a_symlink_is_refused_by_name() {
        let (_dir, top) = tree();
        let root = top.join("above/root");
        assert_eq!(both(&root), [Ok(()), Ok(())]);
        fs::rename(&root, top.join("aside")).unwrap();
        symlink(top.join("foreign/root"), &root).unwrap();
        assert!(both(&root).iter().all(Result::is_err));
        assert_eq!(
            Anchor::open(&root).unwrap_err(),
            RootRefusal::Symlink(root.clone())
        );
    }

    #[test]
    fn so_is_one_whose_parent_is_a_symlink() {
        let (_dir, top) = tree();
        let (root, above) = (top.join("above/root"), top.join("above"));
        fs::rename(&above, top.join("aside")).unwrap();
        symlink(top.join("foreign"), &above).unwrap();
        assert!(both(&root).iter().all(Result::is_err));
        let refused = Anchor::open(&root).unwrap_err();
        assert_eq!(refused, RootRefusal::Symlink(above));
        assert!(refused.to_string().contains("above"), "{refused}");
    }

    #[test]
    fn a_missing_root_and_a_file_are_told_apart() {
        let (_dir, top) = tree();
        let refused = |name: &str| Anchor::open(&top.join(name)).unwrap_err();
        assert_eq!(refused("none"), RootRefusal::Missing);
        assert_eq!(refused("above/root/file"), RootRefusal::NotADirectory);
    }

    #[test]
    fn what_is_below_is_the_opened_tree_whatever_stands_at_the_path_now() {
        let (_dir, top) = tree();
        let root = top.join("above/root");
        let anchor = Anchor::open_listable(&root).unwrap();
        fs::rename(&root, top.join("aside")).unwrap();
        symlink(top.join("foreign/root"), &root).unwrap();
        let file = anchor.resolve(Path::new("file"), OFlags::RDONLY);
        let text = std::io::read_to_string(fs::File::from(file.unwrap())).unwrap();
        assert_eq!(text, "above/root");
    }
}
