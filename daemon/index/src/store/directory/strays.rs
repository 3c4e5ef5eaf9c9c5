//! Leftovers among the records and the runs of a store: from a crash, or restored by somebody. The next opening removes
//! them or sets them aside.

use std::path::{Path, PathBuf};

use crate::aside;
use crate::store::StoreError;
use crate::store::directory::RUNS;
use crate::store::directory::generation;
use crate::store::files::{entries, kind_at};

/// Paths of everything that is neither the opened records, in this folder of the store, nor one of the runs in `named`.
/// What was set aside before stays and is not listed. Changes nothing.
///
/// # Errors
/// If that cannot be determined.
pub fn strays(store: &Path, records: &Path, named: &[u32]) -> Result<Vec<PathBuf>, StoreError> {
    let current = store.join(records);
    let mut strays = listed(&store.join(generation::DIR))?;
    strays.retain(|path| *path != current && !aside::is_set_aside(path));
    let first = store.join(generation::DB);
    if current.join(generation::DB) != first && kind_at(&first)?.is_some() {
        strays.push(first);
    }
    let is_named = |path: &PathBuf| {
        let number = path
            .file_name()
            .and_then(|name| name.to_str()?.parse().ok());
        number.is_some_and(|number| named.contains(&number))
    };
    let mut runs = listed(&store.join(RUNS))?;
    runs.retain(|path| !is_named(path));
    strays.extend(runs);
    strays.sort();
    Ok(strays)
}

fn listed(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let found = entries(dir)?.map(|entry| entry.map(|entry| entry.path()));
    let found: std::io::Result<_> = found.collect();
    found.map_err(StoreError::io("list", dir))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_neither_current_nor_named_is_told() {
        let temp = tempfile::tempdir().unwrap();
        let store = temp.path();
        assert!(strays(store, Path::new(""), &[]).unwrap().is_empty());
        for dir in [
            "records/000004",
            "records/000003.damaged-1",
            "records/000009",
            "runs/000003",
            "runs/000005",
            "runs/000006.new",
        ] {
            fs::create_dir_all(store.join(dir)).unwrap();
        }
        for file in ["db", "LOCK", "records/000005.new"] {
            fs::write(store.join(file), "").unwrap();
        }
        let told = [
            "db",
            "records/000005.new",
            "records/000009",
            "runs/000005",
            "runs/000006.new",
        ];
        let told = told.map(|name| store.join(name));
        let records = Path::new("records/000004");
        assert_eq!(strays(store, records, &[3]).unwrap(), told);
    }
}
