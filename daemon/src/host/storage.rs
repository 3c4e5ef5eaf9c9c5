//! The data directory: where it is, and the index in it, probed first if a crash is suspected.

mod damage_note;
mod opened;
mod private;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use simdex_index::store::{
    self, Damage, Hooked, Hooks, SledStore, Store as _, StoreError, StoreOptions,
};
use simdex_index::{Cancel, Index, IndexError, Options, UnreadTexts};
use simdex_schema::key;

pub use self::opened::OpenedStore;
use crate::base::printable::Printable;
use crate::config::Config;
use crate::error::EngineError;

/// Where an index lives.
pub(crate) struct DataDir {
    pub(crate) path: PathBuf,
    /// A temporary directory, removed when dropped.
    pub(crate) temporary: Option<tempfile::TempDir>,
    /// Whether there was no index before.
    pub(crate) is_new: bool,
    /// Then: the data directory that the config file names instead, if there is an index.
    pub(crate) index_of_config: Option<PathBuf>,
}

/// The configured data directory; without one a temporary directory. A missing directory is created if
/// its parent exists: a mistyped path should not become a tree of folders and an empty index.
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
            index_of_config: None,
        });
    };
    use std::os::unix::fs::DirBuilderExt;
    let made = match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(std::io::Error::new(
            ErrorKind::NotFound,
            "neither it nor its parent directory exists",
        )),
        made => made,
    };
    made.map_err(|source| EngineError::DataDir {
        path: path.clone(),
        source,
    })?;
    let has_index = |dir: &Path| std::fs::symlink_metadata(dir.join("store")).is_ok();
    let is_new = !has_index(path);
    let of_config = config.data_dir_of_file.clone();
    let index_of_config = of_config.filter(|dir| is_new && has_index(dir));
    if is_new {
        eprintln!("simdexd: new, empty index in {}", Printable(path));
    }
    if let Some(other) = &index_of_config {
        let other = Printable(other);
        eprintln!("simdexd: the config names an index in {other}; without --data-dir it is used");
    }
    Ok(DataDir {
        path: path.clone(),
        temporary: None,
        is_new,
        index_of_config,
    })
}

/// Why an index is opened, and so what may be done to a store that is missing or damaged.
#[derive(Clone, Copy, Debug)]
pub enum Opening<'a> {
    /// For the daemon, which had this store open or finds it at its start: a missing one is created; a damaged one
    /// is set aside, and another created in its place. If the store was exchanged in the meantime, neither is done:
    /// whoever exchanged it may not be finished.
    Serve(&'a OpenedStore),
    /// To recompute everything that is derived from records and texts. When derived data is in doubt, its sources
    /// must not be lost: nothing is created or set aside.
    Rebuild {
        /// Whether a config was given. Without one, an index that leaves template lines out is refused, since
        /// their list is not stored.
        is_configured: bool,
    },
}

/// Opens the index of a data directory; `hooks` observe its store; `stop` ends it between its steps.
///
/// # Errors
/// [`EngineError::Exchanged`] if the store was exchanged, and what is there now is not whole or not at rest.
pub fn open_index(
    config: &Config,
    data_dir: &Path,
    program: &Path,
    opening: Opening<'_>,
    hooks: Hooks,
    stop: &Cancel,
) -> Result<simdex_index::Opened, EngineError> {
    let is_exchanged = is_exchanged(data_dir, opening)?;
    let seen = (is_exchanged, hooks);
    let opened = open_found(config, data_dir, program, opening, seen, stop);
    if let (Err(error), Opening::Serve(store)) = (&opened, opening) {
        match error {
            EngineError::Exchanged { .. } => store.refuse(data_dir),
            error if error.is_replaced() => store.mark_exchanged(),
            _ => {}
        }
    }
    opened
}

/// Opens what is there, exchanged or not.
fn open_found(
    config: &Config,
    data_dir: &Path,
    program: &Path,
    opening: Opening<'_>,
    (is_exchanged, hooks): (bool, Hooks),
    stop: &Cancel,
) -> Result<simdex_index::Opened, EngineError> {
    private::claim(data_dir).map_err(|source| EngineError::DataDir {
        path: data_dir.to_owned(),
        source,
    })?;
    let may_begin = match opening {
        Opening::Serve(store) if !is_exchanged => Some(store),
        _ => None,
    };
    let opened =
        open_store(config, data_dir, program, may_begin, stop).map_err(|error| {
            match error.store_damage() {
                Some(reason) if is_exchanged => exchanged(data_dir, reason.to_owned()),
                _ => error,
            }
        })?;
    let lock = opened.lock_id();
    if let Some(store) = may_begin {
        // Before the rest is opened, which may take minutes.
        store.note(data_dir, lock);
    }
    let options = index_options(config, opening, is_exchanged);
    let texts = data_dir.join("text");
    let store = Box::new(Hooked::new(Box::new(opened), hooks));
    let settings = match opening {
        Opening::Rebuild {
            is_configured: false,
        } => config.index_settings().keeping_list(),
        _ => config.index_settings(),
    };
    let opened = Index::open_unless(store, &texts, settings, options, stop);
    let opened = opened.map_err(|error| match error {
        IndexError::UnreadTexts(_) if is_exchanged => exchanged(data_dir, error.to_string()),
        other => EngineError::Index(other),
    })?;
    let damaged = opened.report.damaged_texts;
    let Opening::Serve(store) = opening else {
        return Ok(opened);
    };
    if is_exchanged {
        store.note(data_dir, lock);
    }
    if damaged > 0 {
        // Before any request: their files are shown as unread, and read again by the first walk.
        opened.writer.release_unread()?;
    }
    Ok(opened)
}

fn index_options(config: &Config, opening: Opening<'_>, is_exchanged: bool) -> Options {
    Options {
        records_bytes: config.store.records_mib.bytes(),
        rebuild: matches!(opening, Opening::Rebuild { .. }),
        unread: match opening {
            Opening::Rebuild { .. } => UnreadTexts::RefuseMissing,
            // The missing texts may still be on their way.
            Opening::Serve(_) if is_exchanged => UnreadTexts::Refuse,
            Opening::Serve(_) => UnreadTexts::Release,
        },
        ..config.store.memory().options()
    }
}

/// Whether the store was exchanged since it was opened.
///
/// # Errors
/// If the exchange may still be going on.
fn is_exchanged(data_dir: &Path, opening: Opening<'_>) -> Result<bool, EngineError> {
    let Opening::Serve(store) = opening else {
        return Ok(false);
    };
    let is_exchanged = store.is_exchanged(data_dir);
    match is_exchanged && !store.is_at_rest(data_dir) {
        true => Err(exchanged(data_dir, "it may still be changing".to_owned())),
        false => Ok(is_exchanged),
    }
}

/// Opens the store of a data directory, examined first if a crash is suspected. Unless `may_begin` is set, a
/// damaged one is neither set aside nor replaced by a new one.
fn open_store(
    config: &Config,
    data_dir: &Path,
    program: &Path,
    may_begin: Option<&OpenedStore>,
    stop: &Cancel,
) -> Result<SledStore, EngineError> {
    let dir = data_dir.join("store");
    let mut probe = Command::new(program);
    probe.arg("probe-store").arg(&dir);
    let options = StoreOptions {
        cache_bytes: config.store.memory().cache_bytes,
    };
    let limit = store::probe_time_limit(&dir);
    let opened = match may_begin {
        Some(store) => {
            let mut on_damage = |damage: &Damage| {
                // Nobody else exchanged it, whatever becomes of the new one.
                store.forget(damage);
                tell(damage);
            };
            store::open_checked_telling(&dir, options, Some(probe), limit, stop, &mut on_damage)
        }
        None => {
            let damage = None;
            let opened = store::open_in_place(&dir, options, Some(probe), limit, stop);
            opened.map(|store| store::CheckedStore { store, damage })
        }
    };
    let opened = opened.map_err(|error| match error {
        StoreError::Locked { .. } => EngineError::Locked(data_dir.to_owned()),
        other => EngineError::Index(other.into()),
    })?;
    let meta = opened.store.records().get(&key::meta());
    if may_begin.is_none() && meta.map_err(IndexError::from)?.is_none() {
        let reason = "it holds no index".to_owned();
        return Err(EngineError::Index(StoreError::Damaged { reason }.into()));
    }
    Ok(opened.store)
}

fn tell(damage: &Damage) {
    eprintln!(
        "simdexd: the index was damaged ({}) and set aside as {}, with its texts; it is rebuilt \
         from the roots",
        damage.reason,
        damage.set_aside.display()
    );
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
