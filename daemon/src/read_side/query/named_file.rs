//! A file given by its path.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_index::{FileView, View};

use super::QueryError;
use crate::base::echo::echo;
use crate::engine::Engine;

/// Finds a file of a view by its path.
pub fn file_at_path(engine: &Engine, path: &Path, view: &View) -> Result<FileView, QueryError> {
    let unknown = || QueryError::UnknownFile {
        path: echo(path.as_os_str().as_bytes()),
        pending: engine.completeness(view).pending,
    };
    let (_, key) = engine.roots.locate(path).ok_or_else(unknown)?;
    engine
        .index
        .reader()
        .file_view(&key, view)?
        .ok_or_else(unknown)
}
