//! How the versions of a family derive from one another.

use serde::Serialize;

use super::{exact, hex, lossy};
use crate::v1;

/// How a version derives from an earlier one; both are given by their numbers.
#[derive(Clone, Debug, Serialize)]
pub struct VersionEdge {
    /// The later version.
    pub version: u32,
    /// The earlier version that it resembles most, or its second parent.
    pub parent: u32,
    /// Relation of the later to the earlier: `revised-from`, `contains` or `contained-in`.
    pub kind: Option<&'static str>,
    /// Resemblance of both texts.
    pub resemblance: f64,
    /// Share of the later found in the earlier.
    pub containment_of_version: f64,
    /// Share of the earlier found in the later.
    pub containment_of_parent: f64,
    /// What indicates which one is later: `inner-date`, `container`, `modification-time`, `text` or `unknown`.
    pub direction: Option<&'static str>,
    /// A container with a file of each, or a file of one version that contains one of the other; null if there is none.
    pub container: Option<String>,
    /// Base64 of `container`, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container_bytes: Option<String>,
    /// Names that were replaced from the earlier to the later, where that explains why they share so little.
    pub renamings: Vec<Renaming>,
    /// Resemblance of both texts with these replacements undone; null if there are none.
    pub resemblance_renamed: Option<f64>,
    /// Of a version with two parents, shingles that it shares with this parent alone; otherwise null.
    pub shingles_of_parent_alone: Option<u64>,
    /// Whether this is the edge to the second parent.
    pub is_second_parent: bool,
    /// Whether it leads across a gap in the history, less alike than a link demands.
    pub across_gap: bool,
}

/// Other versions that resemble the family less than a link demands, and were not joined to it.
#[derive(Clone, Debug, Serialize)]
pub struct NearMiss {
    /// The version of the family that is most alike one of them.
    pub version: u32,
    /// A file of that other version.
    pub path: String,
    /// Base64 of `path`, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// The document that it carries, in hex.
    pub document: Option<String>,
    /// How much the two resemble each other.
    pub resemblance: f64,
    /// Why they were not joined: `times-overlap`, `not-successive`, `too-few` or `others-as-near`.
    pub reason: Option<&'static str>,
}

/// A name that was replaced throughout a text.
#[derive(Clone, Debug, Serialize)]
pub struct Renaming {
    /// The name in the earlier version.
    pub from: String,
    /// The name in the later version.
    pub to: String,
}

impl From<&v1::VersionEdge> for VersionEdge {
    fn from(edge: &v1::VersionEdge) -> Self {
        Self {
            version: edge.version,
            parent: edge.parent,
            kind: kind(edge.kind),
            resemblance: edge.resemblance,
            containment_of_version: edge.containment_of_version,
            containment_of_parent: edge.containment_of_parent,
            direction: direction(edge.direction),
            container: (!edge.container.is_empty()).then(|| lossy(&edge.container)),
            container_bytes: exact(&edge.container),
            renamings: edge.renamings.iter().map(Renaming::from).collect(),
            resemblance_renamed: edge.resemblance_renamed,
            shingles_of_parent_alone: edge.shingles_of_parent_alone,
            is_second_parent: edge.is_second_parent,
            across_gap: edge.across_gap,
        }
    }
}

impl From<&v1::NearMiss> for NearMiss {
    fn from(miss: &v1::NearMiss) -> Self {
        use v1::NearMissReason;
        let reason = match NearMissReason::try_from(miss.reason) {
            Ok(NearMissReason::TimesOverlap) => Some("times-overlap"),
            Ok(NearMissReason::NotSuccessive) => Some("not-successive"),
            Ok(NearMissReason::TooFew) => Some("too-few"),
            Ok(NearMissReason::OthersAsNear) => Some("others-as-near"),
            Ok(NearMissReason::Unspecified) | Err(_) => None,
        };
        Self {
            version: miss.version,
            path: lossy(&miss.path),
            path_bytes: exact(&miss.path),
            document: hex(&miss.document),
            resemblance: miss.resemblance,
            reason,
        }
    }
}

impl From<&v1::Renaming> for Renaming {
    fn from(renaming: &v1::Renaming) -> Self {
        Self {
            from: renaming.from.clone(),
            to: renaming.to.clone(),
        }
    }
}

/// The name of a kind; `None` if it is unspecified or newer than this program.
fn kind(value: i32) -> Option<&'static str> {
    use v1::VersionKind;
    Some(match VersionKind::try_from(value).ok()? {
        VersionKind::Unspecified => return None,
        VersionKind::RevisedFrom => "revised-from",
        VersionKind::Contains => "contains",
        VersionKind::ContainedIn => "contained-in",
    })
}

/// The name of the evidence for an edge's direction; `None` as for kinds.
fn direction(value: i32) -> Option<&'static str> {
    use v1::Direction;
    Some(match Direction::try_from(value).ok()? {
        Direction::Unspecified => return None,
        Direction::InnerDate => "inner-date",
        Direction::Container => "container",
        Direction::ModificationTime => "modification-time",
        Direction::Text => "text",
        Direction::Unknown => "unknown",
    })
}
