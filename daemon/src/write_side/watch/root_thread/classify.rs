//! Converts paths with events to hints.

use std::io;
use std::path::PathBuf;

use crate::write_side::watch::Hint;

/// The hint for each path, by what is there now. Events only say where to look: a rename may have been undone, a
/// deleted file written again. Paths under a directory that is to be walked are left out,
/// except those where nothing is any more.
pub(super) fn hints_for(mut paths: Vec<PathBuf>) -> Vec<Hint> {
    paths.sort_unstable();
    let mut hints = Vec::with_capacity(paths.len());
    let mut walked: Option<PathBuf> = None;
    for path in paths {
        let covered = walked
            .as_ref()
            .is_some_and(|walked| path.starts_with(walked));
        match path.symlink_metadata() {
            Err(error) if is_missing(&error) => hints.push(Hint::Removed(path)),
            _ if covered => {}
            Ok(metadata) if metadata.is_dir() => {
                walked = Some(path.clone());
                hints.push(Hint::Subtree(path));
            }
            _ => hints.push(Hint::Path(path)),
        }
    }
    hints
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
