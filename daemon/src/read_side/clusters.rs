//! Components and cores: groups of documents beside the stars that the index keeps. They are computed on
//! request, and kept until the documents of the view change.
//!
//! A component joins documents linked by a chain of near-duplicates, so that unlike documents may meet in
//! one. A core does not: all its documents share the same fingerprints ([`simdex_cores`]).

mod components;
mod cores;
mod kept;

use std::sync::Arc;
use std::time::Duration;

use simdex_index::{
    DocumentStats, Documents, GrowingPermit, IndexError, IndexReader, MemoryAccount, VisibleRoots,
};
use simdex_proto::defaults;
use simdex_schema::DocId;
use simdex_signature::Ratio;
use thiserror::Error;

pub use cores::{SKETCH_FINGERPRINTS, signer};
pub use kept::KeptClusters;

/// The kind of group that is requested, and its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClusterRequest {
    /// Components of the near-duplicate graph.
    Components {
        /// Least resemblance of a near-duplicate.
        threshold: Ratio,
    },
    /// Maximal sets of documents that share fingerprints.
    Cores {
        /// The number of fingerprints that all documents of a core share at least, of [`SKETCH_FINGERPRINTS`].
        common: u32,
        /// How long to search for them, after the texts are read.
        time: Duration,
    },
}

/// Longest search for cores, seconds.
const LONGEST_MINING: u32 = 24 * 3600;

/// Parameters for which no cores can be searched.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum BadCores {
    /// Fewer or more fingerprints than documents can share.
    #[error("common is {0}, not 2 to {most} fingerprints", most = SKETCH_FINGERPRINTS)]
    Common(u32),
    /// No time, or more than a day.
    #[error("mining_seconds is {0}, not 1 to {most}", most = LONGEST_MINING)]
    Time(u32),
}

impl ClusterRequest {
    /// Cores of documents that share `common` fingerprints, searched for this many seconds; a missing parameter has
    /// its default.
    ///
    /// # Errors
    /// If a parameter is out of its range.
    pub fn cores(common: Option<u32>, mining_seconds: Option<u32>) -> Result<Self, BadCores> {
        let common = common.unwrap_or(defaults::COMMON);
        if !(2..=SKETCH_FINGERPRINTS).contains(&common) {
            return Err(BadCores::Common(common));
        }
        let seconds = mining_seconds.unwrap_or(defaults::MINING_SECONDS);
        if !(1..=LONGEST_MINING).contains(&seconds) {
            return Err(BadCores::Time(seconds));
        }
        let time = Duration::from_secs(seconds.into());
        Ok(Self::Cores { common, time })
    }
}

/// Documents that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The longest first, ties by smallest hash; then by id.
    pub documents: Vec<DocId>,
    /// For a core: the number of fingerprints that all of them share.
    pub common: Option<u32>,
}

impl Cluster {
    /// Bytes that it takes.
    fn bytes(&self) -> u64 {
        (size_of::<Self>() + size_of::<DocId>() * self.documents.capacity()) as u64 + ALLOCATION
    }
}

/// Approximate bytes that the allocator takes for a list.
const ALLOCATION: u64 = 16;

/// All clusters of a view.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    /// The clusters, in no order.
    pub clusters: Vec<Cluster>,
    /// For cores: parts of the collection in which not all were found, because time or memory ran out.
    pub unfinished: Option<u64>,
    /// Posting lists that the search for pairs skipped, because no pair depends on them.
    pub common_lists_skipped: u64,
}

impl Clusters {
    /// Bytes that they take.
    fn bytes(&self) -> u64 {
        self.clusters.iter().map(Cluster::bytes).sum()
    }
}

/// Clusters with the permit for them, as long as a request holds them.
#[derive(Debug)]
pub struct HeldClusters {
    /// The clusters; a cache may hold them too.
    pub clusters: Arc<Clusters>,
    _held: GrowingPermit,
}

/// Why clusters cannot be computed.
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
    /// The index failed, or the client disconnected.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl ClusterError {
    /// What to do about it, if that is known.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::TooMany { .. } => Some("name fewer roots, or raise store.memory_mib"),
            Self::Index(error) => error.advice(),
        }
    }
}

/// Finds the clusters of a view, or returns the kept ones.
pub fn clusters(
    index: &IndexReader,
    kept: &KeptClusters,
    view: &VisibleRoots,
    request: &ClusterRequest,
    account: &MemoryAccount,
) -> Result<HeldClusters, ClusterError> {
    let mut held = GrowingPermit::of(account);
    let documents = index.documents().with_text(view);
    let state = |id| kept::DocumentState {
        is_copied: index.files().count_of_document(id, view) > 1,
        rung: index.documents().stats(id).map(|stats| stats.rung.get()),
    };
    let key = kept::Key::new(view, request, &documents, &state);
    if let Some(clusters) = kept.get(&key) {
        held.add(clusters.bytes())?;
        return Ok(HeldClusters {
            clusters,
            _held: held,
        });
    }
    let damaged_before = index.documents().ever_damaged();
    let found = match request {
        ClusterRequest::Components { threshold } => {
            components::find(index, view, &documents, *threshold, &mut held)?
        }
        ClusterRequest::Cores { common, time } => {
            cores::find(index, &documents, *common, *time, &mut held)?
        }
    };
    let found = Arc::new(found);
    // A result is not kept if documents came or went meanwhile.
    let still = kept::Key::new(view, request, &index.documents().with_text(view), &state);
    let is_sound = index.documents().damaged().is_empty()
        && index.documents().ever_damaged() == damaged_before;
    if is_sound && key == still {
        kept.keep(key, &found);
    }
    Ok(HeldClusters {
        clusters: found,
        _held: held,
    })
}

/// A cluster of these documents, put in order.
fn cluster(known: Documents<'_>, mut documents: Vec<DocId>, common: Option<u32>) -> Cluster {
    let rank = |stats: DocumentStats| (std::cmp::Reverse(stats.length), stats.hash.0);
    let first = (0..documents.len())
        .filter_map(|at| Some((rank(known.stats(documents[at])?), at)))
        .min();
    if let Some((_, at)) = first {
        documents[..=at].rotate_right(1);
    }
    Cluster { documents, common }
}

#[cfg(test)]
mod tests {
    use simdex_index::{Cancel, MemoryBudget};

    use super::*;
    use crate::read_side::query::tests::index_of;

    #[test]
    fn what_is_found_or_was_kept_is_counted_as_long_as_an_asker_holds_it() {
        let texts: Vec<String> = ["one", "two"].map(|word| word.repeat(50)).into();
        let (index, _dir) = index_of(&texts);
        let documents = index.documents().with_text(&VisibleRoots::All);
        let request = ClusterRequest::Components {
            threshold: Ratio::new(0.8).unwrap(),
        };
        let kept = KeptClusters::default();
        let state = |id| kept::DocumentState {
            is_copied: false,
            rung: index.documents().stats(id).map(|stats| stats.rung.get()),
        };
        let key = kept::Key::new(&VisibleRoots::All, &request, &documents, &state);
        let large = Clusters {
            clusters: vec![Cluster {
                documents: vec![DocId(1); 1 << 18],
                common: None,
            }],
            ..Clusters::default()
        };
        kept.keep(key, &Arc::new(large));
        let budget = MemoryBudget::new(64 << 20);
        let account = budget.account(&Cancel::never());
        let found = clusters(&index, &kept, &VisibleRoots::All, &request, &account).unwrap();
        assert!(found.clusters.clusters.len() == 1 && budget.used() >= 8 << 18);
        drop(found);
        assert_eq!(budget.used(), 0);
        let small = MemoryBudget::new(1 << 20).account(&Cancel::never());
        let refused = clusters(&index, &kept, &VisibleRoots::All, &request, &small);
        assert!(matches!(
            refused,
            Err(ClusterError::Index(IndexError::TooMuchMemory { .. }))
        ));
    }
}
