//! Distinguishes a store that was never created from one whose records are missing: a restore has not brought them yet,
//! or a repaired file system has lost them. If opened, both would be created empty, and what exists would be removed.

use std::path::Path;

use super::clean::CLEAN;
use super::witness;
use crate::store::StoreError;
use crate::store::directory::RUNS;
use crate::store::directory::generation;
use crate::store::directory::generation::{BLOBS, Generation};
use crate::store::files::{entries, files, len_at};

/// Checks that a store, which may be missing, has records or may be created. Changes nothing.
///
/// # Errors
/// [`StoreError::Damaged`] if it has no records, and something else shows that there were some.
pub(in crate::store) fn check(store: &Path) -> Result<(), StoreError> {
    for generation in Generation::candidates(store)? {
        if len_at(&generation.db())?.is_some_and(|bytes| bytes > 0) {
            return Ok(());
        }
    }
    let Some(trace) = trace(store)? else {
        return Ok(());
    };
    let reason = format!("its records are missing, though {trace} is there");
    Err(StoreError::Damaged { reason })
}

/// The name of something that exists only after there were records.
fn trace(store: &Path) -> Result<Option<String>, StoreError> {
    for (path, len) in files(store)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_snapshot = ["snap.", "aside.snap."]
            .iter()
            .any(|start| name.starts_with(start));
        if is_snapshot || name == CLEAN || name == witness::NAME && len > 0 {
            return Ok(Some(name.into_owned()));
        }
    }
    for name in [BLOBS, RUNS, generation::DIR] {
        let folder = store.join(name);
        if let Some(entry) = entries(&folder)?.next() {
            let entry = entry.map_err(StoreError::io("list", &folder))?;
            return Ok(Some(format!(
                "{name}/{}",
                entry.file_name().to_string_lossy()
            )));
        }
    }
    Ok(None)
}
