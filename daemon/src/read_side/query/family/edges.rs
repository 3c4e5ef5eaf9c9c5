//! Edges of a family, counted on all shingles of both texts.

use simdex_index::{Cancel, HeldShingles, IndexError, IndexReader, ShingleSets};
use simdex_signature::ShingleSet;

use super::containers::{ContainerPaths, innermost_common};
use super::renamed::{Renamed, find_renamed};
use super::search::FoundVersion;
use super::{FamilyEdge, FamilyParams, Merged, VersionKind};
use crate::read_side::families::{Direction, MIN_APART, PlacedVersion, SecondParent};
use crate::read_side::query::{Overlap, QueryError, Relation, ShingledText, Subject};

/// A text of which this share is found in another holds little else: the later one is a revision, not a container.
const MOSTLY: f64 = 0.5;

/// What is needed to count the edges of a family.
pub(super) struct EdgeCounter<'a> {
    pub(super) index: &'a IndexReader,
    pub(super) subject: (&'a Subject, &'a ShingledText),
    pub(super) found_versions: &'a [FoundVersion],
    pub(super) paths: &'a [ContainerPaths],
    pub(super) place: &'a [usize],
    /// Pairs at which two pieces meet.
    pub(super) bridges: &'a [[usize; 2]],
    pub(super) params: &'a FamilyParams,
    pub(super) cancel: &'a Cancel,
}

impl EdgeCounter<'_> {
    /// The edges of all versions, in their order.
    pub(super) fn edges(
        &self,
        placed: &[PlacedVersion],
        second_parents: Vec<SecondParent>,
    ) -> Result<Vec<FamilyEdge>, QueryError> {
        let mut edges = Vec::new();
        let mut seconds = second_parents.into_iter().peekable();
        for placed in placed {
            let second = seconds.next_if(|second| second.version == placed.version);
            let Some(parent) = placed.parent else {
                continue;
            };
            if let Some(edge) = self.edge(placed.version, parent)? {
                edges.extend(self.with_second(edge, placed.version, parent.0, second)?);
            }
        }
        Ok(edges)
    }

    /// The edge between two versions, unless it does not hold.
    fn edge(
        &self,
        version: usize,
        (parent, direction): (usize, Direction),
    ) -> Result<Option<FamilyEdge>, QueryError> {
        let pair = [version, parent].map(|version| &self.found_versions[version]);
        let counted = count_edge(self.index, self.subject, pair, self.params, self.cancel)?;
        let (one, other) = ([version, parent], [parent, version]);
        let is_bridge = self.bridges.contains(&one) || self.bridges.contains(&other);
        let Some(counted) = counted.filter(|counted| counted.is_linked || is_bridge) else {
            return Ok(None);
        };
        let (view, document) = (&self.params.view, pair[0].document);
        let both = [version, parent].map(|version| &self.paths[version]);
        Ok(Some(FamilyEdge {
            version: self.place[version],
            parent: self.place[parent],
            kind: counted.kind,
            overlap: counted.overlap,
            direction,
            container: innermost_common(self.index, document, view, both)?,
            renamed: counted.renamed,
            merged: None,
            across_gap: !counted.is_linked,
        }))
    }

    /// The edge of a version with that to its second parent, if this one holds too.
    fn with_second(
        &self,
        mut first: FamilyEdge,
        version: usize,
        parent: usize,
        second: Option<SecondParent>,
    ) -> Result<Vec<FamilyEdge>, QueryError> {
        let Some(second) = second else {
            return Ok(vec![first]);
        };
        let versions = [version, parent, second.parent];
        let versions = versions.map(|version| &self.found_versions[version]);
        let Some(alone) = count_apart(self.index.shingles(), self.subject, versions)? else {
            return Ok(vec![first]);
        };
        let Some(mut other) = self.edge(version, (second.parent, second.direction))? else {
            return Ok(vec![first]);
        };
        for (edge, (alone, is_second)) in [&mut first, &mut other]
            .into_iter()
            .zip(alone.into_iter().zip([false, true]))
        {
            edge.merged = Some(Merged { alone, is_second });
        }
        Ok(vec![first, other])
    }
}

/// The numbers of an edge, the later version first.
struct CountedEdge {
    kind: VersionKind,
    overlap: Overlap,
    renamed: Option<Renamed>,
    /// Whether the pair satisfies the rule on all shingles, under its own names or under the same.
    is_linked: bool,
}

/// An edge with its exact numbers; `None` if a text cannot be read any more.
fn count_edge(
    index: &IndexReader,
    (subject, text): (&Subject, &ShingledText),
    pair: [&FoundVersion; 2],
    params: &FamilyParams,
    cancel: &Cancel,
) -> Result<Option<CountedEdge>, QueryError> {
    cancel.check()?;
    let [version, parent] = pair;
    let (own, its) = (
        set_of(index.shingles(), subject, version)?,
        set_of(index.shingles(), subject, parent)?,
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
        None => version_kind(&overlap, params),
    };
    let is_linked = renamed.is_some() || params.rule.links(overlap.shared, a, b);
    Ok(Some(CountedEdge {
        kind,
        overlap,
        renamed,
        is_linked,
    }))
}

/// Shingles of a version that are in one of its parents and not in the other: of the first, then of the second. `None`
/// if a text cannot be read any more or is too long to be listed, or if there are too few of these for two parents.
fn count_apart(
    shingles: ShingleSets<'_>,
    (subject, text): (&Subject, &ShingledText),
    versions: [&FoundVersion; 3],
) -> Result<Option<[u64; 2]>, IndexError> {
    let mut sets = [None, None, None];
    for (set, version) in sets.iter_mut().zip(versions) {
        if !subject.carries(version.hash) {
            let Some(read) = set_of(shingles, subject, version)? else {
                return Ok(None);
            };
            *set = Some(read);
        }
    }
    let lists = sets.each_ref().map(|set| {
        let set: &ShingleSet = set.as_deref().unwrap_or(&text.shingles);
        set.as_list()
    });
    let [Some(own), Some(first), Some(second)] = lists else {
        return Ok(None);
    };
    let mut apart = [0; 2];
    for fingerprint in own {
        let in_both = [first, second].map(|list| list.binary_search(fingerprint).is_ok());
        apart[0] += u64::from(in_both == [true, false]);
        apart[1] += u64::from(in_both == [false, true]);
    }
    Ok(Some(apart).filter(|apart| apart.iter().all(|count| *count >= MIN_APART)))
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
                Err(QueryError::Index(error)) if error.concerns_one_document() => return Ok(None),
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
    Ok(find_renamed(
        index.shingles(),
        texts,
        overlap,
        &params.rule,
        use_of,
    )?)
}

fn version_kind(overlap: &Overlap, params: &FamilyParams) -> VersionKind {
    let holds_else = |share: Option<f64>| share.is_some_and(|share| share < MOSTLY);
    match overlap.relation(params.relation_thresholds()) {
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
    shingles: ShingleSets<'_>,
    subject: &Subject,
    version: &FoundVersion,
) -> Result<Option<HeldShingles>, IndexError> {
    let Some(document) = version.document.filter(|_| !subject.carries(version.hash)) else {
        return Ok(None);
    };
    shingles.if_readable(document, subject.account())
}
