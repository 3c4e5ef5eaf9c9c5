//! Why an engine does not start, or cannot do what is asked.

use std::io::ErrorKind;
use std::path::PathBuf;

use simdex_index::IndexError;
use simdex_index::store::StoreError;
use thiserror::Error;

/// Why an engine cannot continue.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Failure {
    /// The index failed.
    #[error("{0}")]
    Index(String),
    /// A thread panicked.
    #[error("the thread {0} panicked")]
    Panic(String),
}

/// Two places that must not overlap, but do.
#[derive(Debug, Error)]
pub enum OverlapError {
    /// The daemon would index what it writes.
    #[error(
        "the data directory {} lies within the root {}; name one outside of it with --data-dir or \
         data_dir",
        data_dir.display(), root.display()
    )]
    DataWithinRoot {
        /// The data directory.
        data_dir: PathBuf,
        /// The root, as it is configured.
        root: PathBuf,
    },
    /// A root that the daemon itself writes to.
    #[error(
        "the root {} lies within the data directory {}; name another data directory with --data-dir \
         or data_dir",
        root.display(), data_dir.display()
    )]
    RootWithinData {
        /// The root, as it is configured.
        root: PathBuf,
        /// The data directory.
        data_dir: PathBuf,
    },
    /// One directory under two names.
    #[error(
        "the roots {} and {} are one directory, by a bind mount or a symlink; keep one of them",
        one.display(), other.display()
    )]
    SameRoot {
        /// The root named first.
        one: PathBuf,
        /// The root named later.
        other: PathBuf,
    },
    /// A root in a root.
    #[error("the root {} lies within the root {}; keep one of them", inner.display(), outer.display())]
    RootWithinRoot {
        /// The one within.
        inner: PathBuf,
        /// The one around it.
        outer: PathBuf,
    },
    /// A root is never reached through a symlink.
    #[error(
        "the root {} leads through the symlink {}; name the directory itself, {}",
        root.display(), link.display(), target.display()
    )]
    Symlink {
        /// The root, as it is configured.
        root: PathBuf,
        /// The first symlink on the way to it.
        link: PathBuf,
        /// Where the root's path leads.
        target: PathBuf,
    },
}

/// Why the engine does not start or cannot go on.
#[derive(Debug, Error)]
pub enum EngineError {
    /// Another daemon has the data directory.
    #[error("another daemon uses the data directory {}", .0.display())]
    Locked(PathBuf),
    /// The store was moved away or replaced while this process had it open, and what is there now does not open.
    #[error(
        "{} was replaced while simdexd was running ({reason}); simdexd neither sets it aside nor \
         begins a new one",
        path.display()
    )]
    Exchanged {
        /// The directory of the store.
        path: PathBuf,
        /// What is wrong with what is there now.
        reason: String,
    },
    /// A directory to be scanned is not there.
    #[error("{} is not a directory that can be read ({reason})", path.display())]
    MissingRoot {
        /// The directory, as it was named.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
    /// The data directory cannot be used.
    #[error("the data directory {} cannot be used ({source})", path.display())]
    DataDir {
        /// The data directory.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The copy of the store cannot be made.
    #[error("the store cannot be copied to {} ({source})", path.display())]
    Scratch {
        /// The directory where the copy was to be made.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The kernel cannot confine the workers as required.
    #[error("extraction workers cannot be confined here (missing: {0})")]
    Unconfined(String),
    /// A program that the config asks for is not installed.
    #[error("{0} is not installed")]
    NotInstalled(&'static str, &'static str),
    /// Roots and data directory overlap.
    #[error(transparent)]
    Overlap(#[from] OverlapError),
    /// A root keeps a barrier from completing.
    #[error("{reason}")]
    Unsynced {
        /// Which root, and why.
        reason: String,
        /// What to do about it.
        advice: String,
    },
    /// There is nothing to confirm.
    #[error("the root {} has no held loss to confirm", .0.display())]
    NothingHeld(PathBuf),
    /// Changes have not been applied for some time; it is retried again and again.
    #[error("changes cannot be applied at the moment ({0})")]
    NotApplied(String),
    /// The engine failed: nothing is acknowledged afterwards.
    #[error("the index failed ({0})")]
    Failed(Failure),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The model that ships with the program cannot be read.
    #[error("the model that ships with simdexd cannot be read ({0})")]
    Model(#[from] simdex_judge::ModelError),
    /// A thread could not be started.
    #[error("no thread could be started ({0})")]
    Thread(#[from] std::io::Error),
}

impl EngineError {
    /// Whether the disk is full, or a quota is used up.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Index(error) => error.is_disk_full(),
            Self::DataDir { source, .. } => matches!(
                source.kind(),
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded
            ),
            _ => false,
        }
    }

    /// What is damaged, if it is the store itself.
    pub fn store_damage(&self) -> Option<&str> {
        match self {
            Self::Index(IndexError::Store(StoreError::Damaged { reason })) => Some(reason),
            _ => None,
        }
    }

    /// Whether the store is not the one that was being opened.
    pub fn is_replaced(&self) -> bool {
        matches!(self, Self::Index(IndexError::Store(error)) if error.is_replaced())
    }

    /// Whether only another process can open the store.
    pub fn is_unclosed(&self) -> bool {
        matches!(
            self,
            Self::Index(IndexError::Store(StoreError::Unclosed { .. }))
        )
    }

    /// What to do about it, if that is known.
    pub fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::Locked(_) => "stop it, or name another directory with --data-dir",
            Self::Exchanged { .. } => {
                "put an intact store in its place, or restart simdexd, which then uses what is \
                 there"
            }
            Self::MissingRoot { .. } => "name an existing one",
            Self::DataDir { source, .. } if source.kind() == ErrorKind::NotFound => {
                "make its parent directory, or name another with --data-dir"
            }
            Self::DataDir { .. } => "name another with --data-dir",
            Self::Scratch { .. } => "name another directory with --scratch",
            Self::Unconfined(_) => {
                "run a kernel with Landlock and seccomp, or accept the risk with \
                 require_sandbox = false under [extract]"
            }
            Self::NotInstalled(_, package) => {
                return Some(format!(
                    "install it ({package}), or switch it off under [outside]"
                ));
            }
            Self::Unsynced { advice, .. } => advice,
            Self::NothingHeld(_) => "run `simctl sync`, then see `simctl roots`",
            Self::NotApplied(_) => "simdexd tries again until it succeeds",
            Self::Failed(_) => "simdexd opens it again; ask again later",
            Self::Model(_) => "install the program again",
            Self::Thread(_) => "raise the limit on processes",
            Self::Index(error) => return error.advice().map(str::to_owned),
            // Its message contains the advice: no client gets it.
            Self::Overlap(_) => return None,
        };
        Some(advice.to_owned())
    }
}
