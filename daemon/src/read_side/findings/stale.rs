//! Versions that a later one superseded and that are older than an age: by family, in the order of its versions.
//!
//! Families are searched for as `versions` does, by the thresholds of the report: from the principal of each group, by
//! its path, then from each old document that was in none of these families, since revisions may be too far apart to be
//! in one group ([`remaining_documents`]). A version is superseded by one that was revised from it, or that contains
//! it, if there is evidence which of them is later. An excerpt supersedes nothing; and if one text contains another,
//! its greater length is no evidence which was there first.
//!
//! A version has the date of its earliest file. A file of it that was made after the last of its successors, such as a
//! restored old version, is not stale.

mod longer_documents;
mod remaining_documents;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use simdex_index::{GrowingPermit, VisibleRoots};
use simdex_proto::defaults;
use simdex_schema::{DocId, DocumentHash};
use simdex_signature::SchemeKind;

use super::{Finding, FindingError, ReportScope, Sums, TakeFinding, bytes, count, reaches};
use crate::base::visit::FirstError;
use crate::read_side::catalogue;
use crate::read_side::families::{LinkRule, VersionDate};
use crate::read_side::query::{
    ComparedBy, Family, FamilyEdge, FamilyFile, FamilyParams, QueryError, Subject, SubjectSummary,
    VersionKind, find_family,
};

/// Bytes that a document takes in a set, with spare capacity.
const LISTED: u64 = 80;
/// Bytes that a placed document takes in a map, with spare capacity.
const PLACED: u64 = 192;

/// A text that has at least this share of its text from another one adds nothing to it.
const NOTHING_ADDED: f64 = 0.98;

const NAMES: [&str; 8] = [
    "cut_short",
    "families",
    "looked_up",
    "not_compared",
    "stale_bytes",
    "stale_files",
    "undated_files",
    "undecided_versions",
];

pub(super) fn find(
    scope: &ReportScope<'_>,
    age: u64,
    take: &mut TakeFinding<'_>,
) -> Result<Sums, FindingError> {
    let relation_threshold = scope.engine.threshold();
    let params = FamilyParams {
        rule: LinkRule {
            resemblance: scope.threshold,
            containment: scope.containment.max(scope.threshold),
        },
        relation_threshold: relation_threshold.get(),
        containment_threshold: scope.containment,
        scheme: SchemeKind::ModN,
        // A gap may lead to another document, and so may a name: what is called stale may be deleted.
        joins_pieces: false,
        follows_renamings: false,
        limit: defaults::VERSIONS as usize,
        view: scope.view.clone(),
    };
    let before = scope.now.saturating_sub_unsigned(age);
    let mut finder = StaleFinder {
        scope,
        params,
        before,
        held: GrowingPermit::of(scope.account),
        placed: HashMap::new(),
        listed: HashSet::new(),
        dates: HashMap::new(),
        undecided: HashSet::new(),
        sums: NAMES.into_iter().map(|name| (name, 0)).collect(),
        take,
    };
    let mut failed = FirstError::default();
    let (index, view): (_, &VisibleRoots) = (scope.engine.index.reader(), scope.view);
    let account = scope.account;
    catalogue::visit_principals(index, view, relation_threshold, account, &mut |document| {
        let is_new = !finder.placed.contains_key(&document);
        failed.flow(match is_new {
            true => finder.family(document).map(drop),
            false => Ok(()),
        })
    })?;
    failed.into_result()?;
    finder.search_remaining()?;
    Ok(finder.sums)
}

struct StaleFinder<'a, 'b> {
    scope: &'a ReportScope<'a>,
    params: FamilyParams,
    /// Stale versions were made before this, seconds since 1970.
    before: i64,
    /// Memory for the documents in the sets and maps.
    held: GrowingPermit,
    /// Documents found by resemblance in the families visited so far.
    placed: HashMap<DocumentHash, Place>,
    /// Versions listed as stale: a version that contains two documents is in the families of both.
    listed: HashSet<DocumentHash>,
    /// Dates of documents that may contain an old one.
    dates: HashMap<DocId, Option<VersionDate>>,
    /// Pairs without evidence which version is later: a pair is found from both of its documents.
    undecided: HashSet<[DocumentHash; 2]>,
    sums: Sums,
    take: &'a mut TakeFinding<'b>,
}

impl StaleFinder<'_, '_> {
    /// Finds the stale versions of the family of a document; false if the document cannot be compared.
    fn family(&mut self, document: DocumentHash) -> Result<bool, FindingError> {
        let (index, view) = (self.scope.engine.index.reader(), self.scope.view);
        let subject = match Subject::from_document(index, document, view, self.scope.account) {
            // Its last file disappeared since the group was read.
            Err(QueryError::UnknownDocument(_)) => return Ok(false),
            Err(QueryError::Index(error)) if error.concerns_one_document() => {
                count(&mut self.sums, "not_compared", 1);
                return Ok(false);
            }
            subject => subject?,
        };
        let is_whole = subject.compared_by() == ComparedBy::WholeText;
        // Nothing is left of it without its template lines.
        count(&mut self.sums, "not_compared", u64::from(is_whole));
        let Some(text) = subject.text().filter(|_| !is_whole) else {
            return Ok(false);
        };
        let family = find_family(index, &subject, text, &self.params, self.scope.cancel())?;
        // The consumer of the findings may be slow: the text and its permits end here.
        let subject = {
            let summary = subject.summary();
            drop(subject);
            summary
        };
        count(&mut self.sums, "families", 1);
        count(&mut self.sums, "cut_short", u64::from(family.is_cut));
        self.place(&family)?;
        let successors = self.successors(&family)?;
        for (version, successor) in successors.iter().enumerate() {
            let (_, hash) = family.beside_subject(version);
            if let Some(successor) = successor
                && self.listed.insert(hash)
            {
                self.held.add(LISTED)?;
                self.version(&subject, &family, version, successor)?;
            }
        }
        Ok(true)
    }

    /// Notes the documents of a family that was found, the first one if some are in several.
    fn place(&mut self, family: &Family) -> Result<(), FindingError> {
        let number = self.sums.get("families").copied().unwrap_or(0);
        let mut parents = vec![None; family.len()];
        for edge in family.edges.iter().rev() {
            parents[edge.version] = Some(family.beside_subject(edge.parent).1);
        }
        for (version, parent) in parents.into_iter().enumerate() {
            let (_, hash) = family.beside_subject(version);
            // A version found by containment alone may have versions of its own elsewhere.
            if family.is_followed(version) && !self.placed.contains_key(&hash) {
                self.held.add(PLACED)?;
                self.placed.insert(
                    hash,
                    Place {
                        family: number,
                        parent,
                    },
                );
            }
        }
        Ok(())
    }

    /// The version that superseded each version, if any.
    fn successors(&mut self, family: &Family) -> Result<Vec<Option<Successor>>, FindingError> {
        let mut successors: Vec<Option<Successor>> = vec![None; family.len()];
        // A later version comes after its parent: going from the last to the first, the successors of each are known.
        for edge in family.edges.iter().rev() {
            if !is_decided(edge) {
                let pair = [edge.parent, edge.version].map(|at| family.beside_subject(at).1);
                if self.undecided.insert(pair) {
                    self.held.add(LISTED)?;
                    count(&mut self.sums, "undecided_versions", 1);
                }
                continue;
            }
            if !self.supersedes(edge) {
                continue;
            }
            let own = Newest {
                is_revised: edge.kind == VersionKind::RevisedFrom,
                is_dated: family.date(edge.version).is_some(),
                version: edge.version,
            };
            let after = successors[edge.version].as_ref();
            let mut newest = after.map_or(own, |after| after.newest.max(own));
            newest.is_revised &= own.is_revised;
            let known = successors[edge.parent].take();
            // The earliest version derived from it comes right after it.
            successors[edge.parent] = Some(Successor {
                edge: edge.clone(),
                newest: known.map_or(newest, |known| known.newest.max(newest)),
            });
        }
        Ok(successors)
    }

    /// Whether the later side of an edge is enough of the earlier one to supersede it, by the thresholds of the report: a
    /// family also links what is contained in the other side. An excerpt supersedes nothing, however much of the other it
    /// has; a revision that left out as much has text of its own.
    fn supersedes(&self, edge: &FamilyEdge) -> bool {
        let (overlap, rule) = (&edge.overlap, &self.params.rule);
        let is_enough = reaches(overlap.resemblance.value, rule.resemblance)
            || reaches(overlap.containment_of_second.value, rule.containment);
        let is_close = reaches(overlap.resemblance.value, self.params.relation_threshold);
        let adds_nothing = reaches(overlap.containment_of_first.value, NOTHING_ADDED);
        let is_excerpt = edge.kind == VersionKind::ContainedIn || (adds_nothing && !is_close);
        is_enough && !is_excerpt
    }

    /// Takes the files of a superseded version that are old enough.
    fn version(
        &mut self,
        subject: &SubjectSummary,
        family: &Family,
        version: usize,
        successor: &Successor,
    ) -> Result<(), FindingError> {
        let by = self.first_path(subject, family, successor.edge.version)?;
        let newest = successor.newest.version;
        let last = family.date(newest).map(|date| date.seconds);
        let newest = self.first_path(subject, family, newest)?;
        let (index, params) = (self.scope.engine.index.reader(), self.params.clone());
        let first = family.date(version).map(|date| date.seconds);
        let mut failed = FirstError::default();
        family.visit_files(index, subject, &params, version, &mut |file| {
            let FamilyFile::Known { hit, .. } = file else {
                return ControlFlow::Continue(());
            };
            let Some(date) = hit.date else {
                count(&mut self.sums, "undated_files", 1);
                return ControlFlow::Continue(());
            };
            // For the file that dates the version, the edge already says that it is the earlier one.
            let is_restored = Some(date.seconds) > first && Some(date.seconds) > last;
            if date.seconds >= self.before || (is_restored && last.is_some()) {
                return ControlFlow::Continue(());
            }
            count(&mut self.sums, "stale_files", 1);
            count(
                &mut self.sums,
                "stale_bytes",
                hit.file.record.bytes().unwrap_or(0),
            );
            let overlap = &successor.edge.overlap;
            let described = self.scope.describe(&hit.file);
            let taken = described.map_err(FindingError::from).and_then(|file| {
                Ok((self.take)(&Finding {
                    relation: "superseded",
                    of: by.clone(),
                    newest: Some(newest.clone()),
                    date: Some((date.seconds, date.source.name())),
                    resemblance: overlap.resemblance.value,
                    containment: overlap.containment_of_second.value,
                    containment_of_other: overlap.containment_of_first.value,
                    verified: Some(overlap.verified),
                    ..file
                })?)
            });
            failed.flow(taken)
        })?;
        failed.into_result()
    }

    /// The first file of a version by path; empty if all have disappeared since.
    fn first_path(
        &self,
        subject: &SubjectSummary,
        family: &Family,
        version: usize,
    ) -> Result<Vec<u8>, FindingError> {
        let mut first = Vec::new();
        let index = self.scope.engine.index.reader();
        family.visit_files(index, subject, &self.params, version, &mut |file| {
            if let FamilyFile::Known { hit, .. } = file {
                first = bytes(&hit.file.path);
            }
            ControlFlow::Break(())
        })?;
        Ok(first)
    }
}

/// Where a document is among the families.
#[derive(Clone, Copy)]
struct Place {
    /// The number of its family.
    family: u64,
    /// The version that it derives from.
    parent: Option<DocumentHash>,
}

/// The version that superseded another.
#[derive(Clone)]
struct Successor {
    /// The edge to the version right after it.
    edge: FamilyEdge,
    /// The last of all versions derived from it.
    newest: Newest,
}

/// The last of all versions that derive from another; the greater comes last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Newest {
    /// What merely contains a version, or was revised from that, is the newest only if the version was never revised.
    is_revised: bool,
    /// Those without a date stand behind all others.
    is_dated: bool,
    /// Its place in the order of the family.
    version: usize,
}

/// Whether a date says which of two versions is later. People delete files by this list, and the texts alone are wrong
/// too often for that: of two versions with equal dates they may name the later one.
fn is_decided(edge: &FamilyEdge) -> bool {
    edge.direction.is_by_date()
}
