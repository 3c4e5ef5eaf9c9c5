//! Versions that a later one superseded and that are older than an age: by family, in the order of its versions.
//!
//! Families are searched from the principal of each group, by its path; a document that was in an earlier family is
//! not asked about again. A version is superseded by one that was revised from it, or that contains it, if there is
//! evidence of which is the later; an excerpt supersedes nothing.
//!
//! A family is searched only where there are two near-duplicates. Documents that are alone in their group or have
//! none, and those that no family superseded, are looked up in longer documents ([`contained`]).

mod contained;

use std::collections::HashSet;
use std::ops::ControlFlow;

use simdex_index::{GrowingPermit, View};
use simdex_proto::defaults;
use simdex_schema::DocumentHash;
use simdex_signature::SchemeKind;

use super::{Finding, FindingError, Search, Sums, TakeFinding, bytes, count};
use crate::base::visit::FirstError;
use crate::read_side::catalogue;
use crate::read_side::families::{Direction, LinkRule};
use crate::read_side::query::{
    Family, FamilyEdge, FamilyFile, FamilyParams, QueryError, Subject, SubjectSummary, VersionKind,
    find_family,
};

/// Bytes that a document takes in a set, with spare capacity.
const PLACED: u64 = 80;

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
    search: &Search<'_>,
    age: u64,
    take: &mut TakeFinding<'_>,
) -> Result<Sums, FindingError> {
    let relation_threshold = search.engine.threshold();
    let params = FamilyParams {
        rule: LinkRule {
            resemblance: defaults::FAMILY,
            containment: relation_threshold.get().max(defaults::FAMILY),
        },
        relation_threshold: relation_threshold.get(),
        scheme: SchemeKind::ModN,
        most: defaults::VERSIONS as usize,
        view: search.view.clone(),
    };
    let before = search.now.saturating_sub_unsigned(age);
    let mut finder = Finder {
        search,
        params,
        before,
        held: GrowingPermit::of(search.account),
        placed: HashSet::new(),
        listed: HashSet::new(),
        sums: NAMES.into_iter().map(|name| (name, 0)).collect(),
        take,
    };
    let mut failed = FirstError::default();
    let (index, view): (_, &View) = (search.engine.index.reader(), search.view);
    let account = search.account;
    catalogue::visit_principals(index, view, relation_threshold, account, &mut |document| {
        let is_new = !finder.placed.contains(&document);
        failed.flow(match is_new {
            true => finder.family(document),
            false => Ok(()),
        })
    })?;
    failed.into_result()?;
    finder.contained()?;
    Ok(finder.sums)
}

struct Finder<'a, 'b> {
    search: &'a Search<'a>,
    params: FamilyParams,
    /// Stale versions were made before this, seconds since 1970.
    before: i64,
    /// Counts the memory of both sets.
    held: GrowingPermit,
    /// Documents of the families already visited.
    placed: HashSet<DocumentHash>,
    /// Versions listed as stale: a version that contains two documents is in the families of both.
    listed: HashSet<DocumentHash>,
    sums: Sums,
    take: &'a mut TakeFinding<'b>,
}

impl Finder<'_, '_> {
    /// Finds the stale versions of the family of a document.
    fn family(&mut self, document: DocumentHash) -> Result<(), FindingError> {
        let (index, view) = (self.search.engine.index.reader(), self.search.view);
        let subject = match Subject::from_document(index, document, view, self.search.account) {
            // Its last file has disappeared since the group was read.
            Err(QueryError::UnknownDocument(_)) => return Ok(()),
            Err(QueryError::Index(error)) if error.is_damaged_text() => {
                count(&mut self.sums, "not_compared", 1);
                return Ok(());
            }
            subject => subject?,
        };
        let Some(text) = subject.text() else {
            return Ok(());
        };
        let family = find_family(index, &subject, text, &self.params, self.search.cancel())?;
        // The consumer of the findings may be slow: the text and its permits end here.
        let subject = {
            let summary = subject.summary();
            drop(subject);
            summary
        };
        count(&mut self.sums, "families", 1);
        count(&mut self.sums, "cut_short", u64::from(family.is_cut));
        for version in 0..family.len() {
            let (overlap, hash) = family.beside_subject(version);
            // A version that is here only for what it contains may have versions of its own elsewhere.
            let resemblance = overlap.resemblance.value;
            if resemblance.is_some_and(|value| value >= defaults::FAMILY)
                && self.placed.insert(hash)
            {
                self.held.add(PLACED)?;
            }
        }
        let successors = self.successors(&family);
        for (version, successor) in successors.iter().enumerate() {
            let (_, hash) = family.beside_subject(version);
            if let Some(successor) = successor
                && self.listed.insert(hash)
            {
                self.held.add(PLACED)?;
                self.version(&subject, &family, version, successor)?;
            }
        }
        Ok(())
    }

    /// The version that superseded each version, if any did.
    fn successors(&mut self, family: &Family) -> Vec<Option<Successor>> {
        let mut successors: Vec<Option<Successor>> = vec![None; family.len()];
        // A later version comes after its parent: going from the last to the first, the successors of each are known.
        for edge in family.edges.iter().rev() {
            if edge.direction == Direction::Unknown {
                count(&mut self.sums, "undecided_versions", 1);
                continue;
            }
            if edge.kind == VersionKind::ContainedIn {
                continue;
            }
            let newest = successors[edge.version]
                .as_ref()
                .map_or(edge.version, |after| after.newest);
            let known = successors[edge.parent].as_ref();
            if known.is_none_or(|known| known.newest < newest) {
                successors[edge.parent] = Some(Successor {
                    edge: edge.clone(),
                    newest,
                });
            }
        }
        successors
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
        let newest = self.first_path(subject, family, successor.newest)?;
        let (index, params) = (self.search.engine.index.reader(), self.params.clone());
        let mut failed = FirstError::default();
        family.visit_files(index, subject, &params, version, &mut |file| {
            let FamilyFile::Known { hit, .. } = file else {
                return ControlFlow::Continue(());
            };
            let Some(date) = hit.date else {
                count(&mut self.sums, "undated_files", 1);
                return ControlFlow::Continue(());
            };
            if date.seconds >= self.before {
                return ControlFlow::Continue(());
            }
            count(&mut self.sums, "stale_files", 1);
            count(
                &mut self.sums,
                "stale_bytes",
                hit.file.record.bytes().unwrap_or(0),
            );
            let overlap = &successor.edge.overlap;
            let described = self.search.describe(&hit.file);
            let taken = described.map_err(FindingError::from).and_then(|file| {
                Ok((self.take)(&Finding {
                    relation: "superseded",
                    of: by.clone(),
                    newest: Some(newest.clone()),
                    date: Some((date.seconds, date.source.name())),
                    resemblance: overlap.resemblance.value,
                    containment: overlap.of_second.value,
                    containment_of_other: overlap.of_first.value,
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
        let index = self.search.engine.index.reader();
        family.visit_files(index, subject, &self.params, version, &mut |file| {
            if let FamilyFile::Known { hit, .. } = file {
                first = bytes(&hit.file.path);
            }
            ControlFlow::Break(())
        })?;
        Ok(first)
    }
}

/// The version that superseded another.
#[derive(Clone)]
struct Successor {
    /// The edge to the version right after it.
    edge: FamilyEdge,
    /// The last version of the line.
    newest: usize,
}
