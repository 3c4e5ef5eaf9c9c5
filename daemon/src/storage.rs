//! The data directory: where it is, and the index in it, probed first where a crash is suspected.

mod private;

use std::path::{Path, PathBuf};
use std::process::Command;

use simdex_index::store::{self, Hooked, Hooks, Options as StoreOptions, StoreError};
use simdex_index::{Index, Options};

use crate::config::Config;
use crate::error::EngineError;

/// The configured data directory, made where it is missing; without one a temporary directory that
/// is removed when dropped.
pub(crate) fn data_dir(
    config: &Config,
) -> Result<(PathBuf, Option<tempfile::TempDir>), EngineError> {
    let Some(path) = &config.data_dir else {
        let temporary = tempfile::Builder::new().prefix("simdex-").tempdir();
        let failed = |source| EngineError::DataDir {
            path: std::env::temp_dir(),
            source,
        };
        let temporary = temporary.map_err(failed)?;
        return Ok((temporary.path().to_owned(), Some(temporary)));
    };
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path);
    made.map_err(|source| EngineError::DataDir {
        path: path.clone(),
        source,
    })?;
    Ok((path.clone(), None))
}

/// Opens the index of a data directory; `rebuild` makes everything that follows from records and
/// texts anew; `hooks` look on at its store.
pub fn open_index(
    config: &Config,
    data_dir: &Path,
    program: &Path,
    rebuild: bool,
    hooks: Hooks,
) -> Result<simdex_index::Opened, EngineError> {
    private::claim(data_dir).map_err(|source| EngineError::DataDir {
        path: data_dir.to_owned(),
        source,
    })?;
    let dir = data_dir.join("store");
    let mut probe = Command::new(program);
    probe.arg("probe-store").arg(&dir);
    let options = StoreOptions {
        cache_bytes: config.store.cache_mib.bytes(),
    };
    let limit = store::probe_time_limit(&dir);
    let opened = store::open_checked(&dir, options, Some(probe), limit);
    let opened = opened.map_err(|error| match error {
        StoreError::Locked { .. } => EngineError::Locked(data_dir.to_owned()),
        other => EngineError::Index(other.into()),
    })?;
    if let Some(damage) = &opened.damage {
        eprintln!(
            "simdexd: the index was damaged ({}) and set aside as {}; it is built anew from the roots",
            damage.reason,
            damage.set_aside.display()
        );
    }
    let options = Options {
        buffer_postings: config.store.buffer_postings,
        working_bytes: config.store.working_mib.bytes(),
        rebuild,
        ..Options::default()
    };
    let texts = data_dir.join("text");
    let store = Box::new(Hooked::new(Box::new(opened.store), hooks));
    let opened = Index::open(store, &texts, config.parameters(), options)?;
    if !rebuild && opened.report.lost_texts > 0 {
        // Before anybody asks: their files are shown as unread, and read again by the first walk.
        let files = opened.index.release_lost()?.len();
        tracing::error!(
            files,
            "texts are damaged or missing: their files are read again"
        );
    }
    Ok(opened)
}
