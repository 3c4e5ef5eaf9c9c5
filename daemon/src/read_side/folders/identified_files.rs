//! The files of a view that count for folders.

use std::collections::HashMap;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use simdex_index::{Files, IndexError, MemoryAccount, VisibleRoots};
use simdex_schema::{RootId, path};

use super::GroupNames;
use super::matching::FileIdentity;
use crate::base::visit::FirstError;

/// Receives what a file carries, its path, and the length of its root's path.
pub(super) type VisitIdentifiedFile<'a> =
    dyn FnMut(FileIdentity, &[u8], usize) -> Result<(), IndexError> + 'a;

/// Visits the files of a view that carry anything, each with its path and the length of its root's path.
pub(super) fn visit_identified_files(
    files: Files<'_>,
    view: &VisibleRoots,
    groups: &GroupNames,
    account: &MemoryAccount,
    visit: &mut VisitIdentifiedFile<'_>,
) -> Result<(), IndexError> {
    let roots: HashMap<RootId, usize> = files
        .roots(view)?
        .into_iter()
        .map(|(id, path)| (id, shown_root(path.into_os_string().into_vec()).len()))
        .collect();
    let mut failed = FirstError::default();
    files.visit(view, account, &mut |file| {
        let root = roots.get(&file.key.root);
        let visited = account.cancel().check().and_then(|()| {
            let carrier = groups.identity(&file).zip(root);
            let path = file.path.as_os_str().as_bytes();
            carrier.map_or(Ok(()), |(identity, root)| visit(identity, path, *root))
        });
        failed.flow(visited)
    })?;
    failed.into_result()
}

/// The path of a root as the shown paths of its files begin with it.
fn shown_root(path: Vec<u8>) -> Vec<u8> {
    let mut shown = path::to_shown(&[&path[..], b"/"].concat());
    shown.truncate(shown.len().saturating_sub(1).max(1));
    shown
}
