//! What outlives an engine: it stays while the index is closed and reopened.

pub mod alarms;
pub mod descriptors;
pub mod disk;
pub mod freed_memory;
pub mod lifecycle;
pub mod overlap;
pub mod owners;
pub mod storage;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use simdex_index::Cancel;
use simdex_index::store::BeforeOperation;

use crate::base::events::Events;
use crate::base::wakeup::Wakeup;
use crate::config::Config;
use crate::error::EngineError;
use crate::host::alarms::Alarms;
use crate::host::descriptors::SpareDescriptors;
use crate::host::disk::DiskGuard;
use crate::host::storage::{DataDir, OpenedStore};

/// Config, data directory, events, alarms, and the room on the disk.
pub struct Host {
    /// How the daemon was set up.
    pub config: Config,
    /// The executable that workers and probes are started from.
    pub program: PathBuf,
    /// Where the index lives.
    pub data_dir: PathBuf,
    /// Publishes changes to subscribers.
    pub events: Arc<Events>,
    /// Alarms: reasons that keep changes from being applied.
    pub alarms: Arc<Alarms>,
    /// Room on the disk of the data directory.
    pub disk: Arc<DiskGuard>,
    /// Descriptors reserved for commits.
    pub spare: SpareDescriptors,
    /// Woken when an engine has failed.
    pub engine_failed: Arc<Wakeup>,
    /// The data directory held no index when this process started.
    pub is_new: bool,
    /// Then: the data directory that the config file names instead, if it holds an index.
    pub index_of_config: Option<PathBuf>,
    /// Cancelled once the daemon is to stop: an index that is being opened is closed again.
    pub stop: Cancel,
    /// Asked before every operation of the store, for tests.
    pub test_hook: Option<Arc<BeforeOperation>>,
    /// Which store this process has, or had, open.
    pub store_identity: Arc<OpenedStore>,
    /// Keeps a temporary data directory until the end.
    temporary: Option<tempfile::TempDir>,
}

impl Host {
    /// Creates the data directory if it is missing.
    pub fn new(config: Config, program: &Path) -> Result<Self, EngineError> {
        overlap::check(&config)?;
        let DataDir {
            path: data_dir,
            temporary,
            is_new,
            index_of_config,
        } = storage::data_dir(&config)?;
        let store_identity = Arc::new(OpenedStore::found(&data_dir));
        let disk = DiskGuard::new(&data_dir, config.store.reserve_mib.bytes());
        Ok(Self {
            config,
            program: program.to_owned(),
            data_dir,
            events: Arc::default(),
            alarms: Arc::default(),
            disk: Arc::new(disk),
            spare: SpareDescriptors::default(),
            engine_failed: Arc::default(),
            stop: Cancel::never(),
            test_hook: None,
            store_identity,
            is_new,
            index_of_config,
            temporary,
        })
    }

    /// Whether the data directory is removed at the end.
    pub fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }
}
