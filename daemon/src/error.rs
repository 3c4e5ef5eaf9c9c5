//! Why an engine does not start, or cannot do what it is asked.

use std::path::PathBuf;

use simdex_index::IndexError;
use thiserror::Error;

use crate::fate::Failure;
use crate::overlap::OverlapError;

/// Why the engine does not start or cannot go on.
#[derive(Debug, Error)]
pub enum EngineError {
    /// Another daemon has the data directory.
    #[error("another daemon holds {}; stop it, or name another --data-dir", .0.display())]
    Locked(PathBuf),
    /// A directory to be scanned is not there.
    #[error("{} is not a directory that can be read ({reason}); name an existing one", path.display())]
    MissingRoot {
        /// The directory.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The data directory cannot be used.
    #[error("the data directory {} cannot be used ({source}); name another with --data-dir", path.display())]
    DataDir {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no place for a copy of the store.
    #[error("no copy of the store can be made in {} ({source}); name another directory with --scratch", path.display())]
    Scratch {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The kernel does not confine the workers as it should.
    #[error(
        "extraction workers cannot be confined here (missing: {0}); run a kernel with Landlock and \
         seccomp, or accept the risk with require_sandbox = false under [extract]"
    )]
    Unconfined(String),
    /// A program that the config asks for is not there.
    #[error("{0} is not installed; install it ({1}), or switch it off under [outside]")]
    NotInstalled(&'static str, &'static str),
    /// Roots and data directory are not apart.
    #[error(transparent)]
    Overlap(#[from] OverlapError),
    /// A root stands in the way of a barrier.
    #[error("{0}")]
    Unsynced(String),
    /// Changes are not applied for some time; it is tried again and again.
    #[error("changes are not applied now ({0}); it is tried again until it succeeds")]
    NotApplied(String),
    /// The engine failed: nothing is acknowledged after it.
    #[error("the index failed ({0}); it is closed and opened again")]
    Failed(Failure),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A thread could not be started.
    #[error("no thread could be started ({0}); raise the limit of processes")]
    Thread(#[from] std::io::Error),
}
