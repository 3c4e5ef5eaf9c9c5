//! Options of `list_groups`: the kind of groups, with what belongs to it.

use std::path::PathBuf;
use std::time::Duration;

use crate::wire::{GroupKind, ListGroupsRequest};
use crate::{Limits, defaults, path_bytes};

/// The kind of groups, with what belongs to it. What is absent is left to the daemon.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupOptions {
    /// Stars by default.
    pub kind: GroupKind,
    /// Least resemblance of a near-duplicate; not of cores.
    pub threshold: Option<f64>,
    /// Of cores: the least fingerprints of 100 that all documents of one share.
    pub common: Option<u32>,
    /// How many seconds cores are sought.
    pub mining_seconds: Option<u32>,
    /// Of stars: those alone that come after the group whose first member has this absolute path.
    pub after: Option<PathBuf>,
}

impl GroupOptions {
    pub(crate) fn request(&self, roots: Vec<u32>, strict: bool) -> ListGroupsRequest {
        ListGroupsRequest {
            threshold: self.threshold,
            roots,
            strict,
            kind: self.kind.into(),
            common: self.common,
            mining_seconds: self.mining_seconds,
            with_judgement: false,
            after: self.after.as_deref().map(path_bytes),
        }
    }

    /// The longest wait for an item: the first comes when all clusters are made.
    pub(crate) fn longest_wait(&self, limits: &Limits) -> Duration {
        match self.kind {
            GroupKind::Unspecified | GroupKind::Stars => limits.item,
            GroupKind::Components => limits.work,
            GroupKind::Cores => {
                let mining = self.mining_seconds.unwrap_or(defaults::MINING_SECONDS);
                limits.work.max(Duration::from_secs(mining.into()))
            }
        }
    }
}
