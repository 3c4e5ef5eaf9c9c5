//! Symlinks on the path to a directory: a root is never reached through one.

use std::path::{Path, PathBuf};

/// The first component of a path that is a symlink.
pub(crate) fn first_symlink(path: &Path) -> Option<PathBuf> {
    let mut above: Vec<&Path> = path.ancestors().collect();
    above.reverse();
    above
        .into_iter()
        .find(|at| at.is_symlink())
        .map(Path::to_owned)
}
