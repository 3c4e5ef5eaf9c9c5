//! The later, longer documents that contain an old one whose family was searched for from another version. That search
//! found what contains the version it began with, but only what resembles the others.
//!
//! A longer document with a later date supersedes the old one if it holds at least the share of its text that links a
//! family. A text so short that a longer document keeps no fingerprint of it is not found in that document
//! ([`Rung::shortest_excerpt`](simdex_signature::Rung::shortest_excerpt)).

use std::ops::ControlFlow;

use simdex_index::{FileInfo, IndexError};
use simdex_schema::{DocId, DocumentHash};

use super::{Finding, FindingError, StaleFinder, bytes, count};
use crate::base::visit::FirstError;
use crate::read_side::families::VersionDate;
use crate::read_side::findings::{UNCERTAIN, compared_subject};
use crate::read_side::query::{
    ContainerSearch, FindKind, Overlap, QueryParams, best_date, date_of_document,
};

/// Later documents that are read for one document, from the first and from the last, until one contains it.
const MOST_READ: usize = 32;
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
        date: i64,
    ) -> Result<(), FindingError> {
        // The consumer of the findings may be slow: the text and its permits end before.
        let Some(Containers { next, newest }) = self.later_containers(file, id, date)? else {
            return Ok(());
        };
        let of = self.first_file(next.0)?;
        let newest = (newest.1, self.first_file(newest.0)?);
        self.listed.insert(hash);
        self.held.add(super::PLACED)?;
        self.files_of(id, (&of, &next.1), &newest)
    }

    /// Of the later documents that contain one of this date, the first and the last. Those between them are not read,
    /// so that the versions of a form, which contain one another, cost a few texts for each and not all.
    fn later_containers(
        &mut self,
        file: &FileInfo,
        own: DocId,
        date: i64,
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
            keeps_texts: false,
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
        let mut later = Vec::new();
        for other in search.candidates().filter(|other| *other != own) {
            let of_other = self.known_date(other)?;
            later.extend(
                of_other
                    .filter(|of_other| *of_other > date)
                    .map(|of_other| (of_other, other)),
            );
        }
        later.sort_unstable();
        let found = first_and_last(&later, &mut |other| search.count(other))?;
        count(
            &mut self.sums,
            "cut_short",
            u64::from(found.is_none() && later.len() > 2 * MOST_READ),
        );
        Ok(found)
    }

    /// The date of a document, which is looked up once.
    fn known_date(&mut self, document: DocId) -> Result<Option<i64>, IndexError> {
        if let Some(known) = self.dates.get(&document) {
            return Ok(*known);
        }
        let date = self.date(document)?.map(|date| date.seconds);
        self.held.add(DATED)?;
        self.dates.insert(document, date);
        Ok(date)
    }

    /// The first file of a document by path; empty if all have disappeared since.
    fn first_file(&self, document: DocId) -> Result<Vec<u8>, IndexError> {
        let (index, view) = (self.scope.engine.index.reader(), self.scope.view);
        let mut first = Vec::new();
        index.visit_files_of(document, view, &mut |file| {
            first = bytes(&file.path);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    /// When a document was made, if that is known.
    pub(super) fn date(&self, document: DocId) -> Result<Option<VersionDate>, IndexError> {
        let (index, view) = (self.scope.engine.index.reader(), self.scope.view);
        date_of_document(index, document, view, self.scope.cancel())
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
        index.visit_files_of(id, view, &mut |file| {
            let date = match best_date(index, &file) {
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

/// Of documents in the order of their dates, the first and the last that contain another one.
fn first_and_last<E>(
    later: &[(i64, DocId)],
    count: &mut dyn FnMut(DocId) -> Result<Option<Overlap>, E>,
) -> Result<Option<Containers>, E> {
    let (mut next, mut newest) = (None, None);
    for (at, (date, other)) in later.iter().enumerate().take(MOST_READ) {
        if let Some(overlap) = count(*other)? {
            next = Some((at, *date, *other, overlap));
            break;
        }
    }
    let after = next.map_or(0, |(at, ..)| at + 1);
    for (date, other) in later[after..].iter().rev().take(MOST_READ) {
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
