//! Finds which files of two folders have no counterpart in the other.
//!
//! The matched tree holds no paths of files, so the files are visited once more and recognized by folder, name and
//! document.

use std::collections::HashMap;

use simdex_index::{Files, GrowingPermit, IndexError, MemoryAccount, VisibleRoots};

use super::identified_files::visit_identified_files;
use super::matching::{FileIdentity, FolderId};
use super::{Folders, GroupNames, NamedPair};

/// Bytes that a file to be listed takes beside its path: its entry in a map, and a place in a list.
const BYTES_PER_EXCEPTION: u64 = 256;

/// A file, identified by its folder, its document, and the hash of its name.
type ExceptionKey = (FolderId, u64, u64);

/// Adds to pairs the paths of their exceptions, at most `max_files` files of each folder.
pub(super) fn add_exception_paths(
    files: Files<'_>,
    view: &VisibleRoots,
    groups: &GroupNames,
    folders: &mut Folders,
    pairs: &mut [NamedPair],
    (max_files, account): (usize, &MemoryAccount),
    held: &mut GrowingPermit,
) -> Result<(), IndexError> {
    let mut exceptions: HashMap<ExceptionKey, Vec<(usize, usize)>> = HashMap::new();
    let contents = folders.tree.contents();
    for (at, pair) in pairs.iter().enumerate() {
        account.cancel().check()?;
        let alone = folders.tree.exceptions(&contents, &pair.counts, max_files);
        for (side, files) in alone.into_iter().enumerate() {
            held.add(BYTES_PER_EXCEPTION * files.len() as u64)?;
            for (folder, FileIdentity { document, name, .. }) in files {
                exceptions
                    .entry((folder, document, name))
                    .or_default()
                    .push((at, side));
            }
        }
    }
    drop(contents);
    visit_identified_files(files, view, groups, account, &mut |identity, path, root| {
        let FileIdentity { document, name, .. } = identity;
        let folder = folders.folder_of(path, root);
        // Two files of the same name are in one folder if their own folders were left out.
        for (at, side) in exceptions
            .remove(&(folder, document, name))
            .into_iter()
            .flatten()
        {
            held.add(path.len() as u64)?;
            pairs[at].alone[side].push(path.to_vec());
        }
        Ok(())
    })
}
