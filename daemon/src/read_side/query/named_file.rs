//! A file given by its path.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_index::{FileInfo, VisibleRoots};

use super::QueryError;
use crate::base::echo::echo;
use crate::engine::Engine;

/// Finds a file of a view by its path.
pub fn file_at_path(
    engine: &Engine,
    path: &Path,
    view: &VisibleRoots,
) -> Result<FileInfo, QueryError> {
    let unknown = |pending| QueryError::UnknownFile {
        path: echo(path.as_os_str().as_bytes()),
        pending,
    };
    // What lies below no root is not to come.
    let (_, key) = engine.roots.locate(path).ok_or_else(|| unknown(None))?;
    let file = engine.index.reader().file_info(&key, view)?;
    file.ok_or_else(|| unknown(engine.completeness(view).pending))
}
