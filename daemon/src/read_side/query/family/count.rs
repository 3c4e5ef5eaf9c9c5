//! Edges of a family, counted on all shingles of both texts.

use simdex_index::{Cancel, HeldShingles, IndexError, IndexReader};
use simdex_signature::ShingleSet;

use super::renamed::{Renamed, find_renamed};
use super::search::FoundVersion;
use super::{FamilyParams, VersionKind};
use crate::read_side::query::{Overlap, QueryError, Relation, ShingledText, Subject};

/// A text of which this share is found in another holds little else: the later one is a revision, not a container.
const MOSTLY: f64 = 0.5;

/// The numbers of an edge, the later version first.
pub(super) struct CountedEdge {
    pub(super) kind: VersionKind,
    pub(super) overlap: Overlap,
    pub(super) renamed: Option<Renamed>,
}

/// An edge with its exact numbers; `None` if the pair does not satisfy the rule on all shingles, under its own names or
/// under the same, or a text cannot be read any more.
pub(super) fn count_edge(
    index: &IndexReader,
    (subject, text): (&Subject, &ShingledText),
    pair: [&FoundVersion; 2],
    params: &FamilyParams,
    cancel: &Cancel,
) -> Result<Option<CountedEdge>, QueryError> {
    cancel.check()?;
    let [version, parent] = pair;
    let (own, its) = (
        set_of(index, subject, version)?,
        set_of(index, subject, parent)?,
    );
    let listed = |held: &'_ Option<HeldShingles>, version: &FoundVersion| -> bool {
        held.is_some() || subject.carries(version.hash)
    };
    if !listed(&own, version) || !listed(&its, parent) {
        return Ok(None);
    }
    let of_subject: &ShingleSet = &text.shingles;
    let (a, b) = (
        own.as_deref().unwrap_or(of_subject),
        its.as_deref().unwrap_or(of_subject),
    );
    let overlap = Overlap::exact(a, b, cancel)?;
    let (a, b) = (a.len() as u64, b.len() as u64);
    let renamed = match version.renamings == parent.renamings {
        true => None,
        false => {
            drop((own, its));
            renamed_on_edge(index, (subject, text), pair, &overlap, (params, cancel))?
        }
    };
    let kind = match renamed {
        Some(_) => VersionKind::RevisedFrom,
        None => version_kind(&overlap, params.relation_threshold),
    };
    let is_linked = renamed.is_some() || params.rule.links(overlap.shared, a, b);
    Ok(is_linked.then_some(CountedEdge {
        kind,
        overlap,
        renamed,
    }))
}

/// Names that were replaced between the two versions of an edge, the later first.
fn renamed_on_edge(
    index: &IndexReader,
    (subject, text): (&Subject, &ShingledText),
    pair: [&FoundVersion; 2],
    overlap: &Overlap,
    (params, cancel): (&FamilyParams, &Cancel),
) -> Result<Option<Renamed>, QueryError> {
    let account = subject.account();
    let mut read = [None, None];
    for (read, version) in read.iter_mut().zip(pair) {
        if !subject.carries(version.hash) {
            match Subject::from_document(index, version.hash, &params.view, account) {
                Ok(subject) => *read = Some(subject),
                Err(QueryError::UnknownDocument(_)) => return Ok(None),
                Err(QueryError::Index(error)) if error.is_of_one_document() => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }
    let [Some(later), Some(earlier)] = read.each_ref().map(|read| match read {
        Some(subject) => subject.text(),
        None => Some(text),
    }) else {
        return Ok(None);
    };
    let (texts, use_of) = ([earlier, later], (account, cancel));
    Ok(find_renamed(index, texts, overlap, &params.rule, use_of)?)
}

fn version_kind(overlap: &Overlap, threshold: f64) -> VersionKind {
    let holds_else = |share: Option<f64>| share.is_some_and(|share| share < MOSTLY);
    match overlap.relation(threshold) {
        Relation::Contains if holds_else(overlap.containment_of_first.value) => {
            VersionKind::Contains
        }
        Relation::ContainedIn if holds_else(overlap.containment_of_second.value) => {
            VersionKind::ContainedIn
        }
        _ => VersionKind::RevisedFrom,
    }
}

/// The shingles of a version; `None` for the subject, whose own are at hand, or if they cannot be read.
fn set_of(
    index: &IndexReader,
    subject: &Subject,
    version: &FoundVersion,
) -> Result<Option<HeldShingles>, IndexError> {
    let Some(document) = version.document.filter(|_| !subject.carries(version.hash)) else {
        return Ok(None);
    };
    index.shingles_if_readable(document, subject.account())
}
