//! The files of a view, in the form that a report lists.

use std::io;
use std::os::unix::ffi::OsStrExt;

use simdex_index::FileInfo;

use crate::base::unread::is_unread;
use crate::base::visit::FirstError;
use crate::engine::Engine;
use crate::host::owners::Owners;
use crate::read_side::catalogue;
use crate::read_side::findings::ReportScope;
use crate::reports::report::{ReportFile, VisitFile};

/// Calls `visit` for each file.
pub(super) fn files(scope: &ReportScope<'_>, visit: &mut VisitFile<'_>) -> io::Result<()> {
    let (engine, cancel) = (scope.engine, scope.account.cancel());
    let mut failed = FirstError::default();
    let (index, account) = (engine.index.reader(), scope.account);
    let visited = index.files().visit(scope.view, account, &mut |file| {
        let done = cancel.check().map_err(io::Error::other);
        failed.flow(done.and_then(|()| visit_file(engine, &scope.owners, &file, visit)))
    });
    visited.map_err(io::Error::other)?;
    failed.into_result()
}

fn visit_file(
    engine: &Engine,
    owners: &Owners,
    file: &FileInfo,
    visit: &mut VisitFile<'_>,
) -> io::Result<()> {
    let root = engine.roots.iter().find(|root| root.id == file.key.root);
    let container = file.container();
    let index = engine.index.reader();
    let owner = index.files().owner_of(file).map_err(io::Error::other)?;
    visit(&ReportFile {
        path: file.path.as_os_str().as_bytes(),
        root: root.map_or(&[], |root| root.path.as_os_str().as_bytes()),
        container: container.as_ref().map(|path| path.as_os_str().as_bytes()),
        state: file.state.name(),
        reason: file.reason.as_str(),
        is_unread: is_unread(file),
        content: file.record.content(),
        document: file.document.map(|(_, hash)| hash),
        media_type: file.content.as_ref().map_or("", |read| &read.media_type),
        bytes: file.record.bytes(),
        modified: file.record.modified(),
        owner,
        owner_name: owners.name(owner),
        facts: &catalogue::facts(file),
    })
}
