//! The data directory: where it is, and the index in it, probed first where a crash is suspected.

mod private;

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use simdex_index::store::{self, Hooked, Hooks, Options as StoreOptions, SledStore, StoreError};
use simdex_index::{Cancel, Index, Options};

use crate::config::Config;
use crate::error::EngineError;
use crate::output::Printable;

/// Where an index lives.
pub(crate) struct DataDir {
    pub(crate) path: PathBuf,
    /// Removed when dropped.
    pub(crate) temporary: Option<tempfile::TempDir>,
    /// No index was there before.
    pub(crate) is_new: bool,
}

/// The configured data directory; without one a temporary directory. One that is missing is made where
/// its parent is there: a path that was mistyped shall not become a tree of folders and an empty index.
pub(crate) fn data_dir(config: &Config) -> Result<DataDir, EngineError> {
    let Some(path) = &config.data_dir else {
        let temporary = tempfile::Builder::new().prefix("simdex-").tempdir();
        let failed = |source| EngineError::DataDir {
            path: std::env::temp_dir(),
            source,
        };
        let temporary = temporary.map_err(failed)?;
        return Ok(DataDir {
            path: temporary.path().to_owned(),
            temporary: Some(temporary),
            is_new: true,
        });
    };
    use std::os::unix::fs::DirBuilderExt;
    let made = match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(std::io::Error::new(
            ErrorKind::NotFound,
            "neither it nor the directory it would lie in is there",
        )),
        made => made,
    };
    made.map_err(|source| EngineError::DataDir {
        path: path.clone(),
        source,
    })?;
    let is_new = std::fs::symlink_metadata(path.join("store")).is_err();
    if is_new {
        eprintln!("simdexd: new, empty index in {}", Printable(path));
    }
    Ok(DataDir {
        path: path.clone(),
        temporary: None,
        is_new,
    })
}

/// What opening an index may do to a store that is missing or damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// One that is missing is begun; one that is damaged is set aside, and another begun in its place.
    OrBegin,
    /// Nothing: somebody moved the store away or exchanged it while this process had it open, and may not have
    /// done with it.
    AsItIs,
    /// As it is, and everything that follows from records and texts is made anew.
    Rebuild,
}

/// Which store lies in a data directory: device and inode of the file that is locked; none where there is none.
pub fn store_identity(data_dir: &Path) -> Option<(u64, u64)> {
    let lock = std::fs::symlink_metadata(data_dir.join("store/LOCK")).ok()?;
    Some((lock.dev(), lock.ino()))
}

/// Opens the index of a data directory; `hooks` look on at its store; `stop` ends it between its steps.
///
/// # Errors
/// [`EngineError::Exchanged`] where a store that may not be touched is missing or damaged.
pub fn open_index(
    config: &Config,
    data_dir: &Path,
    program: &Path,
    opening: Opening,
    hooks: Hooks,
    stop: &Cancel,
) -> Result<simdex_index::Opened, EngineError> {
    if opening == Opening::AsItIs && store_identity(data_dir).is_none() {
        return Err(exchanged(data_dir, "it is gone".to_owned()));
    }
    private::claim(data_dir).map_err(|source| EngineError::DataDir {
        path: data_dir.to_owned(),
        source,
    })?;
    let opened = open_store(config, data_dir, program, opening, stop)?;
    let rebuild = opening == Opening::Rebuild;
    let options = Options {
        buffer_postings: config.store.buffer_postings,
        working_bytes: config.store.working_mib.bytes(),
        records_bytes: config.store.records_mib.bytes(),
        rebuild,
        ..Options::default()
    };
    let texts = data_dir.join("text");
    let store = Box::new(Hooked::new(Box::new(opened), hooks));
    let opened = Index::open_unless(store, &texts, config.parameters(), options, stop)?;
    if !rebuild && opened.report.damaged_texts > 0 {
        // Before anybody asks: their files are shown as unread, and read again by the first walk.
        let files = opened.writer.release_damaged_texts()?.len();
        tracing::error!(
            files,
            "texts are damaged or missing: their files are read again"
        );
    }
    Ok(opened)
}

/// Opens the store of a data directory, examined first where a crash is suspected.
fn open_store(
    config: &Config,
    data_dir: &Path,
    program: &Path,
    opening: Opening,
    stop: &Cancel,
) -> Result<SledStore, EngineError> {
    let dir = data_dir.join("store");
    let mut probe = Command::new(program);
    probe.arg("probe-store").arg(&dir);
    let options = StoreOptions {
        cache_bytes: config.store.cache_mib.bytes(),
    };
    let limit = store::probe_time_limit(&dir);
    let opened = match opening {
        Opening::OrBegin => store::open_checked(&dir, options, Some(probe), limit, stop),
        // Whoever doubts what is derived must not lose what it is derived from.
        Opening::AsItIs | Opening::Rebuild => {
            let damage = None;
            let opened = store::open_in_place(&dir, options, Some(probe), limit, stop);
            opened.map(|store| store::Opened { store, damage })
        }
    };
    let opened = opened.map_err(|error| match error {
        StoreError::Locked { .. } => EngineError::Locked(data_dir.to_owned()),
        StoreError::Damaged { reason } if opening == Opening::AsItIs => {
            let reason = format!("what lies there now is damaged: {reason}");
            exchanged(data_dir, reason)
        }
        other => EngineError::Index(other.into()),
    })?;
    if let Some(damage) = &opened.damage {
        eprintln!(
            "simdexd: the index was damaged ({}) and set aside as {}, its texts beside it; it is built \
             anew from the roots",
            damage.reason,
            damage.set_aside.display()
        );
    }
    Ok(opened.store)
}

fn exchanged(data_dir: &Path, reason: String) -> EngineError {
    EngineError::Exchanged {
        path: data_dir.join("store"),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_directory_is_made_beside_others_and_not_with_all_that_leads_there() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| {
            let data_dir = Some(dir.path().join(path));
            data_dir_of(data_dir)
        };
        let mistyped = at("vra/lib/simdex").map(|_| ()).unwrap_err();
        assert!(
            mistyped.to_string().contains("neither it nor"),
            "{mistyped}"
        );
        assert!(!dir.path().join("vra").exists());
        assert!(at("data").unwrap().is_new && at("data").unwrap().is_new);
        std::fs::create_dir(dir.path().join("data/store")).unwrap();
        assert!(!at("data").unwrap().is_new);
        std::fs::write(dir.path().join("file"), "x").unwrap();
        assert!(at("file").is_err());
    }

    fn data_dir_of(data_dir: Option<PathBuf>) -> Result<DataDir, EngineError> {
        super::data_dir(&Config {
            data_dir,
            ..Config::default()
        })
    }
}
