//! Options of `list_groups`: the kind of groups, and the parameters of that kind.

use std::path::PathBuf;
use std::time::Duration;

use crate::wire::{GroupKind, ListGroupsRequest};
use crate::{Limits, defaults, path_bytes};

/// The kind of groups, and the parameters of that kind. Absent parameters take the daemon's defaults.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupOptions {
    /// Stars by default.
    pub kind: GroupKind,
    /// Least resemblance of a near-duplicate; not for cores.
    pub threshold: Option<f64>,
    /// For cores: least number of fingerprints, of 100, that all documents of a core share.
    pub common: Option<u32>,
    /// For cores: time limit of the search, in seconds.
    pub mining_seconds: Option<u32>,
    /// For stars: list only those after the group whose first member has this absolute path.
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
            judge_first: 0,
            after: self.after.as_deref().map(path_bytes),
        }
    }

    /// The longest wait for an item. The first cluster arrives once all are computed.
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
