//! How a report of components or cores differs from one of stars: each is a list of files without a principal, so
//! that there are no differences, and its number does not persist from one report to the next.

use std::io;

use super::{ReportError, ReportInput};

/// The kind of groups in a report of components or cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterTerms {
    /// Documents linked by a chain of near-duplicates.
    Components,
    /// Sets of documents that share fingerprints.
    Cores {
        /// The least number that all documents of a core share.
        common: u32,
    },
}

impl ClusterTerms {
    /// Its name on the wire, in the config and in a manifest.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Components => "components",
            Self::Cores { .. } => "cores",
        }
    }

    /// Whether documents are compared by a least resemblance.
    pub(super) fn uses_threshold(self) -> bool {
        matches!(self, Self::Components)
    }

    /// The least number of fingerprints that the documents of a core share.
    pub(super) fn common(self) -> Option<u32> {
        match self {
            Self::Components => None,
            Self::Cores { common } => Some(common),
        }
    }
}

/// Refuses a comparison with an earlier report.
pub(super) fn check_since(input: &ReportInput<'_>) -> Result<(), ReportError> {
    match (input.clusters, input.since) {
        (Some(terms), Some(_)) => Err(ReportError::Earlier {
            source: io::Error::other(format!("{} have nothing that stays", terms.name())),
        }),
        _ => Ok(()),
    }
}
