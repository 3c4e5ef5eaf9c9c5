//! The later, longer documents that contain an old one whose family was searched for from another version. That search
//! found the documents that contain the version it began with, and for the other versions only documents that
//! resemble them.
//!
//! A longer document with a later date supersedes the old one if it contains at least the share of its text that links
//! a family, and much else. If it resembles the old one as much as a version does, or is in the same family, the family
//! decides: filled-in copies of a form contain most of each other, and none supersedes another. A document that
//! resembles the parent of a version more than the version itself contains the parent, and does not supersede the
//! version.
//!
//! A text so short that a longer document keeps no fingerprint of it is not found in that document
//! ([`Rung::shortest_excerpt`](simdex_signature::Rung::shortest_excerpt)).

use std::ops::ControlFlow;

use simdex_index::{FileInfo, IndexError};
use simdex_schema::{DocId, DocumentHash};

use super::{Finding, FindingError, Place, StaleFinder, bytes, count};
use crate::base::visit::FirstError;
use crate::read_side::families::{LinkRule, VersionDate};
use crate::read_side::findings::{UNCERTAIN, compared_subject};
use crate::read_side::query::{
    ContainerSearch, FindKind, Overlap, QueryError, QueryParams, best_date, date_of_document,
};

/// Later documents that are read for one document, from the first and from the last, until one contains it.
const MAX_READ: usize = 32;
/// Bytes that the date of a document takes in a map, with spare capacity.
const DATED: u64 = 48;

/// The later documents that contain an old one.
struct Containers {
    /// The next one in time, and what they share, the old one first.
    next: (DocId, Overlap),
    /// The latest, and its date.
    newest: (DocId, i64),
}

impl StaleFinder<'_, '_> {
    /// Looks up the documents that contain an old document of this date.
    pub(super) fn search_longer(
        &mut self,
        file: &FileInfo,
        (id, hash): (DocId, DocumentHash),
        (date, place): (VersionDate, Place),
    ) -> Result<(), FindingError> {
        // The consumer of the findings may be slow: the text and its permits end before.
        let Some(Containers { next, newest }) = self.later_containers(file, id, (date, place))?
        else {
            return Ok(());
        };
        let of = self.first_file(next.0)?;
        let newest = (newest.1, self.first_file(newest.0)?);
        self.listed.insert(hash);
        self.held.add(super::LISTED)?;
        self.files_of(id, (&of, &next.1), &newest)
    }

    /// Of the later documents that contain one of this date, the first and the last. Those between them are not read,
    /// so that the versions of a form, which contain one another, cost a few texts for each and not all.
    fn later_containers(
        &mut self,
        file: &FileInfo,
        own: DocId,
        (date, place): (VersionDate, Place),
    ) -> Result<Option<Containers>, FindingError> {
        let scope = self.scope;
        let subject = compared_subject(scope, file)?;
        let params = QueryParams {
            kind: FindKind::Containing,
            scheme: self.params.scheme,
            threshold: self.params.rule.containment,
            relation_threshold: self.params.relation_threshold,
            containment_threshold: self.params.containment_threshold,
            limit: usize::MAX,
            view: scope.view.clone(),
            judged_by: None,
        };
        let index = scope.engine.index.reader();
        let search = subject
            .as_ref()
            .map(|subject| ContainerSearch::of(index, subject, &params, scope.cancel()));
        let Some(search) = search.transpose()?.flatten() else {
            count(&mut self.sums, "not_compared", 1);
            return Ok(None);
        };
        count(&mut self.sums, "looked_up", 1);
        count(&mut self.sums, UNCERTAIN, u64::from(search.is_uncertain));
        let later = self.later_candidates(&search, own, (date, place))?;
        let found = first_and_last(&later, &mut |other| {
            self.taken_in(&search, other, place.parent)
        })?;
        count(
            &mut self.sums,
            "cut_short",
            u64::from(found.is_none() && later.len() > 2 * MAX_READ),
        );
        Ok(found)
    }

    /// The candidates that are later than a document of this date and not of its family, with their dates, in order.
    fn later_candidates(
        &mut self,
        search: &ContainerSearch<'_>,
        own: DocId,
        (date, place): (VersionDate, Place),
    ) -> Result<Vec<(i64, DocId)>, IndexError> {
        let mut later = Vec::new();
        for other in search.candidates().filter(|other| *other != own) {
            if self.is_in_family(other, place.family) {
                continue;
            }
            let of_other = self.known_date(other)?;
            let of_other = of_other.filter(|of_other| date.is_before(*of_other));
            later.extend(of_other.map(|of_other| (of_other.seconds, other)));
        }
        later.sort_unstable();
        Ok(later)
    }

    /// What a version shares with a longer document, if that took it in and not its parent.
    fn taken_in(
        &self,
        search: &ContainerSearch<'_>,
        longer: DocId,
        parent: Option<DocumentHash>,
    ) -> Result<Option<Overlap>, QueryError> {
        let rule = self.params.rule;
        let overlap = search.count(longer)?;
        let Some(overlap) = overlap.filter(|overlap| holds_more(overlap, rule)) else {
            return Ok(None);
        };
        let is_nearer_to_parent = match parent {
            Some(parent) => self.resembles_more(longer, parent, &overlap)?,
            None => false,
        };
        Ok((!is_nearer_to_parent).then_some(overlap))
    }

    /// Whether a document was placed in a family.
    fn is_in_family(&self, document: DocId, family: u64) -> bool {
        let stats = self.scope.engine.index.reader().documents().stats(document);
        let place = stats.and_then(|stats| self.placed.get(&stats.hash));
        place.is_some_and(|place| place.family == family)
    }

    /// Whether a document that contains a version resembles the parent of that version more.
    fn resembles_more(
        &self,
        document: DocId,
        parent: DocumentHash,
        overlap: &Overlap,
    ) -> Result<bool, QueryError> {
        let (index, account) = (self.scope.engine.index.reader(), self.scope.account);
        let Some(parent) = index.documents().with_hash(parent)? else {
            return Ok(false);
        };
        let read = |document| index.shingles().if_readable(document, account);
        let (Some(parent), Some(document)) = (read(parent)?, read(document)?) else {
            return Ok(false);
        };
        let beside_parent = Overlap::exact(&parent, &document, self.scope.cancel())?;
        Ok(beside_parent.resemblance.value > overlap.resemblance.value)
    }

    /// The date of a document, which is looked up once.
    fn known_date(&mut self, document: DocId) -> Result<Option<VersionDate>, IndexError> {
        if let Some(known) = self.dates.get(&document) {
            return Ok(*known);
        }
        let date = self.date(document)?;
        self.held.add(DATED)?;
        self.dates.insert(document, date);
        Ok(date)
    }

    /// The first file of a document by path; empty if all have disappeared since.
    fn first_file(&self, document: DocId) -> Result<Vec<u8>, IndexError> {
        let (index, view) = (self.scope.engine.index.reader(), self.scope.view);
        let mut first = Vec::new();
        index
            .files()
            .visit_of_document(document, view, &mut |file| {
                first = bytes(&file.path);
                ControlFlow::Break(())
            })?;
        Ok(first)
    }

    /// When a document was made, if that is known.
    pub(super) fn date(&self, document: DocId) -> Result<Option<VersionDate>, IndexError> {
        let (index, view) = (self.scope.engine.index.reader(), self.scope.view);
        date_of_document(index.files(), document, view, self.scope.cancel())
    }

    /// Takes those files of a document contained in a later one that are old enough.
    fn files_of(
        &mut self,
        id: DocId,
        (of, overlap): (&[u8], &Overlap),
        (last, newest): &(i64, Vec<u8>),
    ) -> Result<(), FindingError> {
        let (index, view) = (self.scope.engine.index.reader(), self.scope.view);
        let mut failed = FirstError::default();
        index.files().visit_of_document(id, view, &mut |file| {
            let date = match best_date(index.files(), &file) {
                Ok(Some(date)) => date,
                Ok(None) => {
                    count(&mut self.sums, "undated_files", 1);
                    return ControlFlow::Continue(());
                }
                Err(error) => return failed.flow(Err(FindingError::from(error))),
            };
            if date.seconds >= self.before || date.seconds > *last {
                return ControlFlow::Continue(());
            }
            count(&mut self.sums, "stale_files", 1);
            let length = file.record.bytes().unwrap_or(0);
            count(&mut self.sums, "stale_bytes", length);
            let described = self.scope.describe(&file).map_err(FindingError::from);
            failed.flow(described.and_then(|file| {
                Ok((self.take)(&Finding {
                    relation: "superseded",
                    of: of.to_vec(),
                    newest: Some(newest.clone()),
                    date: Some((date.seconds, date.source.name())),
                    resemblance: overlap.resemblance.value,
                    containment: overlap.containment_of_first.value,
                    containment_of_other: overlap.containment_of_second.value,
                    verified: Some(overlap.verified),
                    ..file
                })?)
            }))
        })?;
        failed.into_result()
    }
}

/// Whether the second of two texts, which contains the first, is longer and holds so much else that the two are not
/// linked as versions are.
fn holds_more(overlap: &Overlap, rule: LinkRule) -> bool {
    let is_longer = overlap.containment_of_second.value < overlap.containment_of_first.value;
    let resemblance = overlap.resemblance.value.unwrap_or(0.0);
    is_longer && resemblance < rule.resemblance
}

/// Of documents in the order of their dates, the first and the last that contain another one.
fn first_and_last<E>(
    later: &[(i64, DocId)],
    count: &mut dyn FnMut(DocId) -> Result<Option<Overlap>, E>,
) -> Result<Option<Containers>, E> {
    let (mut next, mut newest) = (None, None);
    for (at, (date, other)) in later.iter().enumerate().take(MAX_READ) {
        if let Some(overlap) = count(*other)? {
            next = Some((at, *date, *other, overlap));
            break;
        }
    }
    let after = next.map_or(0, |(at, ..)| at + 1);
    for (date, other) in later[after..].iter().rev().take(MAX_READ) {
        if let Some(overlap) = count(*other)? {
            newest = Some((*date, *other, overlap));
            break;
        }
    }
    let next = next.map(|(_, date, other, overlap)| (date, other, overlap));
    Ok(next.or(newest).map(|(date, other, overlap)| {
        let (last, newest) = newest.map_or((date, other), |(date, other, _)| (date, other));
        Containers {
            next: (other, overlap),
            newest: (newest, last),
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found among so many later documents, of which those of even date do not contain the old one, and how many
    /// of them were read.
    fn found_and_read(first: i64, documents: i64) -> (Option<[i64; 2]>, usize) {
        let later: Vec<_> = (first..first + documents)
            .map(|date| (date, DocId(date as u64)))
            .collect();
        let mut read = 0;
        let mut count = |other: DocId| {
            read += 1;
            Ok::<_, IndexError>((other.0 % 2 == 1).then(Overlap::default))
        };
        let found = first_and_last(&later, &mut count).unwrap();
        (
            found.map(|found| [found.next.0.0 as i64, found.newest.1]),
            read,
        )
    }

    #[test]
    fn of_many_later_documents_the_first_and_the_last_that_contain_an_old_one_are_read() {
        for documents in [4, 40, 4_000] {
            let last = documents;
            assert_eq!(found_and_read(2, documents), (Some([3, last + 1]), 3));
            let last = last - 1;
            assert_eq!(found_and_read(1, documents), (Some([1, last]), 3));
        }
        assert_eq!(found_and_read(1, 1), (Some([1, 1]), 1));
        assert_eq!(found_and_read(2, 1), (None, 2));
    }
}
