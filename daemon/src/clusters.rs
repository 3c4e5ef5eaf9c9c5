//! Components and cores: groups of documents beside the stars that the index keeps. They are made for the
//! call, and kept until the documents of the view change.
//!
//! A component joins whoever is linked by a chain of near-duplicates, so that unlike documents may meet in
//! one. A core does not: all its documents share the same fingerprints ([`simdex_cores`]).

mod components;
mod cores;
mod kept;

use std::sync::Arc;
use std::time::Duration;

use simdex_index::{DocumentStats, Index, IndexError, MemoryAccount, View};
use simdex_schema::DocId;
use simdex_signature::Ratio;
use thiserror::Error;

pub use cores::{IMAGE, signer};
pub use kept::KeptClusters;

/// What kind of group is asked for, and its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClusterRequest {
    /// Components of the near-duplicate graph.
    Components {
        /// Least resemblance of a near-duplicate.
        threshold: Ratio,
    },
    /// Maximal sets of documents that share fingerprints.
    Cores {
        /// The least that all documents of a core share, of [`IMAGE`].
        common: u32,
        /// How long they are sought, once texts are read.
        time: Duration,
    },
}

/// Documents that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The longest first, of equals that with the smallest hash; then by id.
    pub documents: Vec<DocId>,
    /// Fingerprints that all of them share; of a core.
    pub common: Option<u32>,
}

/// All clusters of a view.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    /// In no order.
    pub clusters: Vec<Cluster>,
    /// Of cores: components in which they were not all found, for time or room was out.
    pub unfinished: Option<u64>,
    /// Posting lists that the search for pairs skipped, because no pair depends on them.
    pub suppressed: u64,
}

/// Clusters that cannot be made.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// The fingerprints do not fit into memory.
    #[error(
        "the cores of {documents} documents need {needed} MiB of memory, and a question may hold {available} MiB"
    )]
    TooMany {
        /// Documents of the view.
        documents: usize,
        /// What their fingerprints take, MiB.
        needed: u64,
        /// What the account may hold, MiB.
        available: u64,
    },
    /// The index failed, or the asker went away.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl ClusterError {
    /// What to do about it, where that is known.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::TooMany { .. } => Some("name fewer roots, or raise store.working_mib"),
            Self::Index(error) => error.advice(),
        }
    }
}

/// Finds the clusters of a view, or takes those that are kept.
pub fn clusters(
    index: &Index,
    kept: &KeptClusters,
    view: &View,
    request: &ClusterRequest,
    account: &MemoryAccount,
) -> Result<Arc<Clusters>, ClusterError> {
    let documents = index.texts(view);
    let is_copied = |id| index.files_in(id, view) > 1;
    let key = kept::Key::new(view, request, &documents, &is_copied);
    if let Some(clusters) = kept.get(&key) {
        return Ok(clusters);
    }
    let found = match request {
        ClusterRequest::Components { threshold } => {
            components::find(index, view, &documents, *threshold, account)?
        }
        ClusterRequest::Cores { common, time } => {
            cores::find(index, &documents, *common, *time, account)?
        }
    };
    let found = Arc::new(found);
    // What was found of documents that came or went meanwhile is not kept.
    let still = kept::Key::new(view, request, &index.texts(view), &is_copied);
    if index.damaged_texts() == 0 && key == still {
        kept.keep(key, &found);
    }
    Ok(found)
}

/// A cluster of these documents, put in order.
fn cluster(index: &Index, mut documents: Vec<DocId>, common: Option<u32>) -> Cluster {
    let rank = |stats: DocumentStats| (std::cmp::Reverse(stats.length), stats.hash.0);
    let first = (0..documents.len())
        .filter_map(|at| Some((rank(index.stats(documents[at])?), at)))
        .min();
    if let Some((_, at)) = first {
        documents[..=at].rotate_right(1);
    }
    Cluster { documents, common }
}
