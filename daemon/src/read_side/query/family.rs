//! The family of a document: all its versions, however many steps away, and how each was derived from another.
//!
//! `subject → neighbours → their neighbours … → samples → order → edges, counted exactly`
//!
//! [`search`](self::search) finds the versions, [`families`](crate::read_side::families) puts them in order; each edge
//! is then counted on all shingles of both texts, and one that does not hold is left out.

mod containers;
mod edges;
mod gaps;
mod latest;
mod near_candidates;
mod renamed;
mod search;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::path::PathBuf;

use simdex_index::{Cancel, Files, IndexError, IndexReader, VisibleRoots};
use simdex_schema::{DocId, DocumentHash};
use simdex_signature::{Rung, Scheme, SchemeKind};

use super::hits::{SchemeUsed, relation};
use super::{
    DateSource, FindKind, Hit, KnownDate, Overlap, QueryError, RelationThresholds, ShingledText,
    Subject, SubjectSummary, best_date, require_indexed,
};
use crate::base::visit::FirstError;
use crate::read_side::families::{
    DateKind, Direction, LinkRule, PlacedVersion, Renaming, Version, VersionDate, arrange,
    second_parents,
};
use containers::ContainerPaths;
use edges::EdgeCounter;
pub use near_candidates::NearMiss;
pub use renamed::Renamed;
use search::{FoundVersion, FoundVersions, search};

/// Parameters of a search for a family.
#[derive(Clone, Debug)]
pub struct FamilyParams {
    /// The rule by which versions are linked.
    pub rule: LinkRule,
    /// Resemblance from which two texts are called near-duplicates.
    pub relation_threshold: f64,
    /// Share of one text from which the other is said to contain it.
    pub containment_threshold: f64,
    /// The scheme that finds the neighbours of the subject, beside Mod_n.
    pub scheme: SchemeKind,
    /// Whether pieces of a history with a gap between them are joined.
    pub joins_pieces: bool,
    /// Whether versions under other names are linked, where a name was replaced throughout.
    pub follows_renamings: bool,
    /// Most versions that are found.
    pub limit: usize,
    /// The roots whose files may be listed.
    pub view: VisibleRoots,
}

impl FamilyParams {
    /// The ratios from which the relation of two versions has its name.
    fn relation_thresholds(&self) -> RelationThresholds {
        RelationThresholds {
            resemblance: self.relation_threshold,
            containment: self.containment_threshold,
        }
    }
}

/// What the later version is to the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionKind {
    /// They resemble each other, and neither contains the other and much else.
    RevisedFrom,
    /// It contains the earlier one, and most of it is something else.
    Contains,
    /// It is contained in the earlier one, and most of that one is something else.
    ContainedIn,
}

/// How a version was derived from an earlier one; both by their places in the order.
#[derive(Clone, Debug)]
pub struct FamilyEdge {
    /// The later version.
    pub version: usize,
    /// The earlier version.
    pub parent: usize,
    /// What the later is to the earlier.
    pub kind: VersionKind,
    /// How much they share, the later first; counted on all shingles.
    pub overlap: Overlap,
    /// The evidence of which is the later.
    pub direction: Direction,
    /// The innermost container that holds a file of each; or a file of one version that contains one of the other.
    pub container: Option<PathBuf>,
    /// Names that were replaced from the earlier to the later, if that explains how little they share.
    pub renamed: Option<Renamed>,
    /// What shows that the version was made from two, if it was.
    pub merged: Option<Merged>,
    /// Whether it joins two pieces of the history, less alike than a link demands.
    pub across_gap: bool,
}

/// One of the two edges of a version that was made from two others.
#[derive(Clone, Copy, Debug)]
pub struct Merged {
    /// Shingles of the version that this parent has and the other one lacks.
    pub alone: u64,
    /// Whether it is the edge to the parent that the version resembles less.
    pub is_second: bool,
}

/// A file of a version.
pub enum FamilyFile {
    /// A file of the index.
    Known {
        /// The file with the subject's numbers for it.
        hit: Box<Hit>,
        /// The container that holds it.
        container: Option<PathBuf>,
    },
    /// The subject, if it is not a file of the index.
    Subject(Box<SubjectVersion>),
}

/// The subject as a file of its version.
pub struct SubjectVersion {
    /// The name that the client sent, if it sent one.
    pub path: Option<PathBuf>,
    /// Hash of its document.
    pub document: DocumentHash,
    /// The subject's numbers for its own version.
    pub overlap: Overlap,
    /// The scheme that these are counted by.
    pub scheme: SchemeUsed,
}

/// The versions of a document, earliest first.
pub struct Family {
    /// Versions in their order, the earliest first.
    versions: Vec<FoundVersion>,
    /// When each version was made.
    dates: Vec<Option<VersionDate>>,
    /// Edges by version, ascending: one, or two if it was made from two others.
    pub edges: Vec<FamilyEdge>,
    /// Documents that shared fingerprints with a version that was asked about.
    pub candidates: u64,
    /// Texts counted on all shingles.
    pub verified: u64,
    /// Posting lists that only added counts, in the look-up that met the most of them.
    pub common_lists_count_only: u64,
    /// Whether a limit ended the search.
    pub is_cut: bool,
    /// Other versions that resemble one of these less than a link demands, and were not joined; by their places.
    pub near_misses: Vec<NearMiss>,
}

/// Finds the family of a subject that has a text.
pub fn find_family(
    index: &IndexReader,
    subject: &Subject,
    text: &ShingledText,
    params: &FamilyParams,
    cancel: &Cancel,
) -> Result<Family, QueryError> {
    FindKind::Related.check_scheme(params.scheme)?;
    require_indexed(index, params.scheme)?;
    let found = search(index, subject, text, params, cancel)?;
    let FoundVersions {
        versions: found_versions,
        samples: (samples, _permits),
        candidates,
        read,
        common_lists_count_only,
        is_cut,
        bridges,
        mut near_misses,
    } = found;
    let (versions, paths) = describe_versions(index, &found_versions, params, cancel)?;
    let counted = samples.counted(params.rule);
    let counted = counted.with_bridges(bridges.clone());
    let placed = arrange(&versions, &counted, &mut || cancel.check())?;
    let merges = second_parents(&versions, &placed, &counted, &mut || cancel.check())?;
    drop(counted);
    let mut place = vec![0; found_versions.len()];
    for (at, placed) in placed.iter().enumerate() {
        place[placed.version] = at;
    }
    let edge_counter = EdgeCounter {
        index,
        subject: (subject, text),
        found_versions: &found_versions,
        paths: &paths,
        place: &place,
        bridges: &bridges,
        params,
        cancel,
    };
    let edges = edge_counter.edges(&placed, merges)?;
    let date = |placed: &PlacedVersion| versions[placed.version].date;
    let dates = placed.iter().map(date).collect();
    let misses = near_misses.iter_mut();
    misses.for_each(|miss| miss.version = place[miss.version]);
    Ok(Family {
        versions: in_order(&place, found_versions),
        dates,
        edges,
        candidates,
        verified: read,
        common_lists_count_only,
        is_cut,
        near_misses,
    })
}

impl Family {
    /// How many versions there are.
    pub fn len(&self) -> usize {
        self.versions.len()
    }

    /// Whether there is no version; always false, since the subject is one.
    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// When a version was made, if any date tells.
    pub fn date(&self, version: usize) -> Option<VersionDate> {
        self.dates[version]
    }

    /// Whether the search queried or covered what resembles a version; false for a version found by containment alone.
    pub fn is_followed(&self, version: usize) -> bool {
        self.versions[version].standing.is_followed
    }

    /// The latest date written in the text of a version.
    pub fn written(&self, version: usize) -> Option<i64> {
        self.versions[version].written
    }

    /// The subject's numbers for a version, and the hash of its document.
    pub fn beside_subject(&self, version: usize) -> (&Overlap, DocumentHash) {
        let version = &self.versions[version];
        (&version.overlap, version.hash)
    }

    /// Visits the files of a version, by path; the subject itself if it is one and not a file of the index.
    pub fn visit_files(
        &self,
        index: &IndexReader,
        subject: &SubjectSummary,
        params: &FamilyParams,
        version: usize,
        visit: &mut dyn FnMut(FamilyFile) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let version = &self.versions[version];
        let same_text = subject.carries(version.hash);
        let mut is_unseen =
            same_text && (subject.subject_path.is_some() || version.document.is_none());
        let mut going = ControlFlow::Continue(());
        let mut failed = FirstError::default();
        if let Some(document) = version.document {
            index
                .files()
                .visit_of_document(document, &params.view, &mut |file| {
                    let thresholds = params.relation_thresholds();
                    let is_subject = subject.subject_path.as_ref() == Some(&file.path);
                    is_unseen &= !is_subject;
                    let date = match best_date(index.files(), &file) {
                        Ok(date) => date,
                        Err(error) => return failed.flow(Err(error)),
                    };
                    going = visit(FamilyFile::Known {
                        container: file.container(),
                        hit: Box::new(Hit {
                            date,
                            relation: relation(
                                subject.content,
                                same_text,
                                &file,
                                &version.overlap,
                                thresholds,
                            ),
                            is_subject,
                            file,
                            document: Some(version.hash),
                            overlap: version.overlap,
                            scheme: scheme_used(index),
                            folded_under: None,
                            judgement: None,
                        }),
                    });
                    going
                })?;
            failed.into_result()?;
        }
        if is_unseen && going.is_continue() {
            let _ = visit(FamilyFile::Subject(Box::new(SubjectVersion {
                path: subject.subject_path.clone(),
                document: version.hash,
                overlap: version.overlap,
                scheme: scheme_used(index),
            })));
        }
        Ok(())
    }
}

/// Sorts versions by their places.
fn in_order(place: &[usize], found_versions: Vec<FoundVersion>) -> Vec<FoundVersion> {
    let mut by_place: Vec<_> = place.iter().zip(found_versions).collect();
    by_place.sort_unstable_by_key(|(place, _)| **place);
    by_place.into_iter().map(|(_, version)| version).collect()
}

/// What determines the order of the versions, and where their files are.
fn describe_versions(
    index: &IndexReader,
    found_versions: &[FoundVersion],
    params: &FamilyParams,
    cancel: &Cancel,
) -> Result<(Vec<Version>, Vec<ContainerPaths>), IndexError> {
    let described = found_versions.iter().map(|version| {
        let (date, paths) = date_and_paths(index.files(), version.document, &params.view, cancel)?;
        let version = Version {
            name: version.hash.0,
            shingles: version.shingles,
            date,
            written: version.written,
        };
        Ok((version, paths))
    });
    described.collect()
}

/// The scheme that the numbers of a family are counted by: all shingles.
fn scheme_used(index: &IndexReader) -> SchemeUsed {
    SchemeUsed {
        scheme: Scheme::of_text(SchemeKind::ModN, index.window()),
        rung: Rung::ZERO,
    }
}

/// When a version was made, according to the files of a view: see [`date_and_paths`].
pub(crate) fn date_of_document(
    files: Files<'_>,
    document: DocId,
    view: &VisibleRoots,
    cancel: &Cancel,
) -> Result<Option<VersionDate>, IndexError> {
    Ok(date_and_paths(files, Some(document), view, cancel)?.0)
}

/// When a version was made, and where its files are. The date is the earliest that one of its files states;
/// otherwise the one from a mail; otherwise the earliest modification time.
fn date_and_paths(
    files: Files<'_>,
    document: Option<DocId>,
    view: &VisibleRoots,
    cancel: &Cancel,
) -> Result<(Option<VersionDate>, ContainerPaths), IndexError> {
    let (mut best, mut paths): (Option<VersionDate>, _) = (None, ContainerPaths::default());
    let Some(document) = document else {
        return Ok((None, paths));
    };
    let mut failed = FirstError::default();
    files.visit_of_document(document, view, &mut |file| {
        paths.add(&file);
        let date = best_date(files, &file).map(|date| date.map(version_date));
        let found = date.map(|date| best = [best, date].into_iter().flatten().min());
        failed.flow(found.and_then(|()| cancel.check()))
    })?;
    failed.into_result()?;
    Ok((best, paths))
}

/// The date of a file as the order of versions uses it. An attachment existed before its mail was sent.
fn version_date(date: KnownDate) -> VersionDate {
    let (kind, seconds) = match date.source {
        DateSource::File => (DateKind::File, date.seconds),
        DateSource::MailSent => (DateKind::Mail, date.seconds.saturating_sub(1)),
        DateSource::Sent | DateSource::Modified | DateSource::Created => {
            (DateKind::Stated, date.seconds)
        }
    };
    VersionDate { kind, seconds }
}
