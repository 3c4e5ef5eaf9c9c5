//! Encodes the family of a document: files by version, then edges.

use simdex_proto::v1;

use super::answer::{hit, query_summary};
use super::{path, ratio, relation, scheme};
use crate::read_side::answering::{FamilyItem, FamilySummary, ListedNearMiss, VersionFile};
use crate::read_side::families::{Direction, GapReason, Renaming};
use crate::read_side::query::{
    FamilyEdge, FamilyFile, Relation, Renamed, SubjectVersion, VersionKind,
};

/// Encodes a file or an edge of a family.
pub fn family_item(item: FamilyItem<'_>) -> v1::family_reply::Part {
    use v1::family_reply::Part;
    match item {
        FamilyItem::File(file) => Part::File(version_file(file)),
        FamilyItem::Edge {
            edge,
            version,
            parent,
        } => Part::Edge(version_edge(edge, version, parent)),
    }
}

fn version_file(listed: VersionFile) -> v1::VersionFile {
    let (found, container) = match listed.file {
        FamilyFile::Known {
            hit: known,
            container,
        } => (hit(*known), container),
        FamilyFile::Subject(subject) => (subject_version(&subject), None),
    };
    let container = container.map(|container| path(&container));
    v1::VersionFile {
        r#match: Some(found),
        version: listed.version,
        written: listed.written,
        container: container.unwrap_or_default(),
    }
}

/// Encodes the subject, which is not a file of the index.
fn subject_version(subject: &SubjectVersion) -> v1::Match {
    let overlap = &subject.overlap;
    v1::Match {
        path: subject.path.as_deref().map(path).unwrap_or_default(),
        document: subject.document.0.to_vec(),
        relation: relation(Relation::IdenticalBytes),
        resemblance: Some(ratio(overlap.resemblance)),
        containment_of_query: Some(ratio(overlap.containment_of_first)),
        containment_in_query: Some(ratio(overlap.containment_of_second)),
        shared_fingerprints: overlap.shared,
        verified: overlap.verified,
        scheme: Some(scheme(subject.scheme.scheme, subject.scheme.rung)),
        is_query: true,
        ..v1::Match::default()
    }
}

fn version_edge(edge: &FamilyEdge, version: u32, parent: u32) -> v1::VersionEdge {
    let kind = match edge.kind {
        VersionKind::RevisedFrom => v1::VersionKind::RevisedFrom,
        VersionKind::Contains => v1::VersionKind::Contains,
        VersionKind::ContainedIn => v1::VersionKind::ContainedIn,
    };
    let direction = match edge.direction {
        Direction::InnerDate => v1::Direction::InnerDate,
        Direction::Container => v1::Direction::Container,
        Direction::ModificationTime => v1::Direction::ModificationTime,
        Direction::Text => v1::Direction::Text,
        Direction::Unknown => v1::Direction::Unknown,
    };
    let (overlap, renamed) = (edge.overlap, edge.renamed.as_ref());
    v1::VersionEdge {
        version,
        parent,
        kind: kind.into(),
        resemblance: overlap.resemblance.value.unwrap_or_default(),
        containment_of_version: overlap.containment_of_first.value.unwrap_or_default(),
        containment_of_parent: overlap.containment_of_second.value.unwrap_or_default(),
        direction: direction.into(),
        container: edge.container.as_deref().map(path).unwrap_or_default(),
        renamings: renamed.map(renamings).unwrap_or_default(),
        resemblance_renamed: renamed.map(|renamed| renamed.resemblance),
        shingles_of_parent_alone: edge.merged.map(|merged| merged.alone),
        is_second_parent: edge.merged.is_some_and(|merged| merged.is_second),
        across_gap: edge.across_gap,
    }
}

fn renamings(renamed: &Renamed) -> Vec<v1::Renaming> {
    let renaming = |renaming: &Renaming| v1::Renaming {
        from: renaming.from.clone(),
        to: renaming.to.clone(),
    };
    renamed.renamings.iter().map(renaming).collect()
}

/// Encodes the summary that closes a family.
pub fn family_summary(summary: FamilySummary) -> v1::FamilySummary {
    v1::FamilySummary {
        query: Some(query_summary(summary.query, summary.context)),
        versions: summary.versions,
        edges: summary.edges,
        latest: summary.latest,
        near_misses: summary.near_misses.into_iter().map(near_miss).collect(),
    }
}

fn near_miss(miss: ListedNearMiss) -> v1::NearMiss {
    let reason = match miss.reason {
        GapReason::TimesOverlap => v1::NearMissReason::TimesOverlap,
        GapReason::NotSuccessive => v1::NearMissReason::NotSuccessive,
        GapReason::TooFew => v1::NearMissReason::TooFew,
        GapReason::OthersAsNear => v1::NearMissReason::OthersAsNear,
    };
    v1::NearMiss {
        version: miss.version,
        path: path(&miss.path),
        document: miss.document.0.to_vec(),
        resemblance: miss.resemblance,
        reason: reason.into(),
    }
}
