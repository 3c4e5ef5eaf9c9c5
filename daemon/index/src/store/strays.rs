//! What lies among the records and the runs of a store and counts for nothing: a crash left it, or somebody
//! restored it. The next opening removes it or sets it aside.

use std::path::{Path, PathBuf};

use super::durable::{entries, kind_at};
use super::generation::{self, Generation};
use super::{StoreError, runs};

/// Paths of what is neither the likeliest generation of records nor one of the runs that are `named`.
/// Changes nothing.
///
/// # Errors
/// Where that cannot be told.
pub fn strays(store: &Path, named: &[u32]) -> Result<Vec<PathBuf>, StoreError> {
    let current = Generation::current(store)?;
    let mut strays = listed(&store.join(generation::DIR))?;
    strays.retain(|path| *path != current.dir());
    let first = store.join(generation::DB);
    if current.db() != first && kind_at(&first)?.is_some() {
        strays.push(first);
    }
    let is_named = |path: &PathBuf| {
        let number = path
            .file_name()
            .and_then(|name| name.to_str()?.parse().ok());
        number.is_some_and(|number| named.contains(&number))
    };
    let mut runs = listed(&store.join(runs::DIR))?;
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
        assert!(strays(store, &[]).unwrap().is_empty());
        for dir in [
            "records/000004",
            "runs/000003",
            "runs/000005",
            "runs/000006.new",
        ] {
            fs::create_dir_all(store.join(dir)).unwrap();
        }
        for file in ["db", "LOCK", "records/000005.new"] {
            fs::write(store.join(file), "").unwrap();
        }
        let told = ["db", "records/000005.new", "runs/000005", "runs/000006.new"];
        let told = told.map(|name| store.join(name));
        assert_eq!(strays(store, &[3]).unwrap(), told);
    }
}
