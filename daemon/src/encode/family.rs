//! Encodes the family of a document: files by version, then edges.

use std::ops::ControlFlow;

use simdex_index::{IndexError, IndexReader};

use simdex_proto::promise::{NoPromise, Promise};
use simdex_proto::v1;

use super::answer::{SummaryContext, compared_by, hit, last_read_of, left_out};
use super::{path, ratio, relation, scheme};
use crate::base::visit::FirstError;
use crate::read_side::families::{Direction, GapReason, Renaming};
use crate::read_side::query::{
    Answer, Family, FamilyEdge, FamilyFile, FamilyParams, NearMiss, Relation, Renamed,
    SubjectSummary, VersionKind, scheme_used,
};

/// A family, and what is needed to look up its files.
pub struct FamilySource<'a> {
    /// The index that it was found in.
    pub index: &'a IndexReader,
    /// What was asked about.
    pub subject: &'a SubjectSummary,
    /// The parameters of the search.
    pub params: &'a FamilyParams,
}

/// How much of a family was sent.
pub struct FamilySent {
    versions: u32,
    edges: u32,
    near_misses: Vec<v1::NearMiss>,
}

/// Passes the files of all versions and then all edges to `send`, one at a time. A version whose last file
/// disappeared meanwhile is left out with its edges, and the others are numbered without a gap.
///
/// # Errors
/// That of `send`, or of the index.
pub fn family<E: From<IndexError>>(
    source: &FamilySource<'_>,
    family: &Family,
    mut send: impl FnMut(v1::family_reply::Part) -> Result<(), E>,
) -> Result<FamilySent, E> {
    use v1::family_reply::Part;
    let FamilySource {
        index,
        subject,
        params,
    } = source;
    let mut numbers = vec![None; family.len()];
    let mut sent = FamilySent {
        versions: 0,
        edges: 0,
        near_misses: Vec::new(),
    };
    for (version, number) in numbers.iter_mut().enumerate() {
        let mut refused = FirstError::default();
        let next = sent.versions + 1;
        family.visit_files(index, subject, params, version, &mut |file| {
            *number = Some(next);
            let file = version_file(source, family, (version, next), file);
            refused.flow(send(Part::File(file)))
        })?;
        refused.into_result()?;
        sent.versions = number.unwrap_or(sent.versions);
    }
    for edge in &family.edges {
        if let (Some(version), Some(parent)) = (numbers[edge.version], numbers[edge.parent]) {
            send(Part::Edge(version_edge(edge, version, parent)))?;
            sent.edges += 1;
        }
    }
    for miss in &family.near_misses {
        if let Some(number) = numbers[miss.version] {
            sent.near_misses.extend(near_miss(source, miss, number)?);
        }
    }
    Ok(sent)
}

/// Encodes a near miss, with the first of its files; `None` if the last one disappeared.
fn near_miss(
    source: &FamilySource<'_>,
    miss: &NearMiss,
    number: u32,
) -> Result<Option<v1::NearMiss>, IndexError> {
    let view = &source.params.view;
    let mut found = None;
    source
        .index
        .visit_files_of(miss.document, view, &mut |file| {
            found = Some(path(&file.path));
            ControlFlow::Break(())
        })?;
    let reason = match miss.reason {
        GapReason::TimesOverlap => v1::NearMissReason::TimesOverlap,
        GapReason::NotSuccessive => v1::NearMissReason::NotSuccessive,
        GapReason::TooFew => v1::NearMissReason::TooFew,
        GapReason::OthersAsNear => v1::NearMissReason::OthersAsNear,
    };
    Ok(found.map(|path| v1::NearMiss {
        version: number,
        path,
        document: miss.hash.0.to_vec(),
        resemblance: miss.resemblance,
        reason: reason.into(),
    }))
}

fn version_file(
    source: &FamilySource<'_>,
    family: &Family,
    (version, number): (usize, u32),
    file: FamilyFile,
) -> v1::VersionFile {
    let (found, container) = match file {
        FamilyFile::Known {
            hit: known,
            container,
        } => (hit(*known), container),
        FamilyFile::Subject => (subject(source, family, version), None),
    };
    v1::VersionFile {
        r#match: Some(found),
        version: number,
        written: family.written(version),
        container: container
            .map(|container| path(&container))
            .unwrap_or_default(),
    }
}

/// Encodes the subject, which is not a file of the index.
fn subject(source: &FamilySource<'_>, family: &Family, version: usize) -> v1::Match {
    let (overlap, document) = family.beside_subject(version);
    let name = source.subject.subject_path.as_deref();
    let used = scheme_used(source.index);
    v1::Match {
        path: name.map(path).unwrap_or_default(),
        document: document.0.to_vec(),
        relation: relation(Relation::IdenticalBytes),
        resemblance: Some(ratio(overlap.resemblance)),
        containment_of_query: Some(ratio(overlap.containment_of_first)),
        containment_in_query: Some(ratio(overlap.containment_of_second)),
        shared_fingerprints: overlap.shared,
        verified: overlap.verified,
        scheme: Some(scheme(used.scheme, used.rung)),
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
pub fn family_summary(
    source: &FamilySource<'_>,
    family: &Family,
    sent: FamilySent,
    context: SummaryContext,
) -> v1::FamilySummary {
    let subject = source.subject;
    let query = v1::QuerySummary {
        document: subject
            .document
            .map(|hash| hash.0.to_vec())
            .unwrap_or_default(),
        state: subject.state.name().to_owned(),
        reason: subject.reason.as_str().to_owned(),
        candidates: family.candidates,
        verified: family.verified,
        suppressed: family.common_lists_count_only,
        seconds: context.seconds,
        truncated: family.is_cut,
        common_lists: family.common_lists_count_only,
        unverified: 0,
        unjudged: None,
        compared_by: compared_by(subject.compared_by),
        promise: Some(promise(source.params).into()),
        left_out: left_out(subject.left_out),
        last_read: context.last_read.map(last_read_of),
        completeness: Some(context.completeness.into()),
    };
    v1::FamilySummary {
        query: Some(query),
        versions: sent.versions,
        edges: sent.edges,
        near_misses: sent.near_misses,
    }
}

/// A link is missed as rarely as by any query; a version is only reached if all links before it are found.
fn promise(params: &FamilyParams) -> Promise {
    let threshold = params.rule.resemblance;
    Promise::nothing(params.scheme.name(), threshold, NoPromise::Steps)
}

/// Encodes the versions of a file without text: numbered by date, without edges.
pub fn unordered_family(
    answer: Answer,
    context: SummaryContext,
) -> impl Iterator<Item = v1::family_reply::Part> {
    use v1::family_reply::Part;
    let mut numbers = std::collections::HashMap::new();
    super::find_replies(answer, context).filter_map(move |reply| {
        Some(match reply.part? {
            v1::find_reply::Part::Match(found) => {
                let next = numbers.len() as u32 + 1;
                Part::File(v1::VersionFile {
                    version: *numbers.entry(found.document.clone()).or_insert(next),
                    r#match: Some(found),
                    ..v1::VersionFile::default()
                })
            }
            v1::find_reply::Part::Summary(query) => Part::Summary(v1::FamilySummary {
                query: Some(query),
                versions: numbers.len() as u32,
                edges: 0,
                near_misses: Vec::new(),
            }),
        })
    })
}
