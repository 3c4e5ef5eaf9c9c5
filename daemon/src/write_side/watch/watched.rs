//! Which directories are watched, and under which path: each under one path only.
//!
//! notify names a watch by its path, the kernel by the inode. A directory that moved together with a
//! directory above it, and was watched again at its new path before notify read the event of the
//! move, keeps its old path in notify's table beside the new one. Both name the one watch of the
//! kernel, so whatever happens at the old path later (a directory is created and deleted there)
//! removes the watch at the new one, and no event tells. Hence this record: before a directory is
//! watched at a path, its watch at any other path is removed.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

/// A directory as the kernel knows it, wherever it is moved within its file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct WatchedInode {
    device: u64,
    inode: u64,
}

impl WatchedInode {
    /// The directory that is at `path` now; none if something else or nothing is.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let metadata = path.symlink_metadata().ok().filter(|m| m.is_dir())?;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }
}

/// The paths under which notify was asked to watch, with the directory each stands for.
///
/// A path may be here that notify dropped by itself after an event; the reverse never happens. It
/// holds one entry per directory of the root.
#[derive(Default)]
pub(super) struct WatchedDirectories {
    by_path: BTreeMap<Arc<Path>, WatchedPath>,
    by_inode: HashMap<WatchedInode, Arc<Path>>,
}

struct WatchedPath {
    inode: WatchedInode,
    /// The walk that watched it last.
    walk: u64,
}

impl WatchedDirectories {
    /// The other path at which this directory is watched, if there is one: its watch has to be removed first.
    pub(super) fn other_path(&self, path: &Path, inode: WatchedInode) -> Option<Arc<Path>> {
        let other = self.by_inode.get(&inode)?;
        (**other != *path).then(|| Arc::clone(other))
    }

    /// Records that the directory is watched at `path`, as found by a walk.
    pub(super) fn insert(&mut self, path: &Path, inode: WatchedInode, walk: u64) {
        self.remove(path);
        let path: Arc<Path> = path.into();
        self.by_inode.insert(inode, Arc::clone(&path));
        self.by_path.insert(path, WatchedPath { inode, walk });
    }

    /// Forgets the watch at `path`.
    pub(super) fn remove(&mut self, path: &Path) {
        if let Some(old) = self.by_path.remove(path)
            && self
                .by_inode
                .get(&old.inode)
                .is_some_and(|at| **at == *path)
        {
            self.by_inode.remove(&old.inode);
        }
    }

    /// The watched paths at and below `path` that were last watched before `walk`. Costs those at and below it.
    pub(super) fn older_than(&self, path: &Path, walk: u64) -> Vec<Arc<Path>> {
        self.by_path
            .range::<Path, _>((Bound::Included(path), Bound::Unbounded))
            .take_while(|(at, _)| at.starts_with(path))
            .filter(|(_, watched)| watched.walk < walk)
            .map(|(at, _)| Arc::clone(at))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inode(inode: u64) -> WatchedInode {
        WatchedInode { device: 1, inode }
    }

    fn paths(found: &[Arc<Path>]) -> Vec<&str> {
        found.iter().map(|p| p.to_str().unwrap()).collect()
    }

    #[test]
    fn a_directory_that_moved_is_known_by_the_path_it_had() {
        let mut watched = WatchedDirectories::default();
        watched.insert(Path::new("/r/0/1"), inode(5), 1);
        assert_eq!(watched.other_path(Path::new("/r/0/1"), inode(5)), None);
        let old = watched.other_path(Path::new("/r/1/1"), inode(5)).unwrap();
        assert_eq!(&*old, Path::new("/r/0/1"));
        watched.remove(&old);
        watched.insert(Path::new("/r/1/1"), inode(5), 2);
        assert_eq!(watched.other_path(Path::new("/r/1/1"), inode(5)), None);
    }

    #[test]
    fn a_path_that_another_directory_took_is_that_directorys_alone() {
        let mut watched = WatchedDirectories::default();
        watched.insert(Path::new("/r/a"), inode(5), 1);
        watched.insert(Path::new("/r/a"), inode(6), 2);
        // Removing the watch of /r/a for directory 5 would remove that of directory 6.
        assert_eq!(watched.other_path(Path::new("/r/b"), inode(5)), None);
        assert!(watched.other_path(Path::new("/r/b"), inode(6)).is_some());
    }

    #[test]
    fn an_inode_number_that_was_used_again_does_not_lose_its_new_path() {
        let mut watched = WatchedDirectories::default();
        watched.insert(Path::new("/r/a"), inode(5), 1);
        watched.insert(Path::new("/r/b"), inode(5), 1);
        watched.remove(Path::new("/r/a"));
        assert!(watched.other_path(Path::new("/r/c"), inode(5)).is_some());
    }

    #[test]
    fn what_a_walk_did_not_find_is_listed_and_neighbours_are_not() {
        let mut watched = WatchedDirectories::default();
        for (path, walk) in [
            ("/r/a", 2),
            ("/r/a/x", 1),
            ("/r/a/x/y", 1),
            ("/r/a-b", 1),
            ("/r/ab", 1),
        ] {
            watched.insert(Path::new(path), inode(path.len() as u64 + walk * 100), walk);
        }
        let old = watched.older_than(Path::new("/r/a"), 2);
        assert_eq!(paths(&old), ["/r/a/x", "/r/a/x/y"]);
        let all = watched.older_than(Path::new("/r"), u64::MAX);
        assert_eq!(all.len(), 5);
    }
}
