//! A file given by its path.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_index::{FileView, IndexReader, View};

use super::QueryError;
use crate::base::echo::echo;
use crate::write_side::roots::Roots;

/// Finds a file of a view by its path.
pub fn file_at_path(
    index: &IndexReader,
    roots: &Roots,
    path: &Path,
    view: &View,
) -> Result<FileView, QueryError> {
    let unknown = || QueryError::UnknownFile(echo(path.as_os_str().as_bytes()));
    let (_, key) = roots.locate(path).ok_or_else(unknown)?;
    index.file_view(&key, view)?.ok_or_else(unknown)
}
