//! The later, longer documents that contain an old one whose family was searched for from another version. That search
//! found what contains the version it began with, but only what resembles the others.
//!
//! A longer document with a later date supersedes the old one if it holds at least the share of its text that links a
//! family. A text so short that a longer document keeps no fingerprint of it is not found in that document
//! ([`Rung::shortest_excerpt`](simdex_signature::Rung::shortest_excerpt)).

use std::collections::HashSet;
use std::ops::ControlFlow;

use simdex_index::{FileView, IndexError};
use simdex_schema::{DocId, DocumentHash};

use super::{Finding, FindingError, StaleFinder, bytes, count};
use crate::base::visit::FirstError;
use crate::read_side::families::VersionDate;
use crate::read_side::query::{
    Answer, FindKind, Overlap, QueryParams, best_date, date_of_document,
};

/// Files of containers that are examined for one document.
const MOST_CONTAINERS: usize = 1_000;

/// The later documents that contain an old one.
struct Containers {
    /// The first file of the next one in time, what they share (the old one first), and its date.
    next: Option<(i64, Vec<u8>, Overlap)>,
    /// The first file of the latest, and its date.
    newest: Option<(i64, Vec<u8>)>,
}

impl StaleFinder<'_, '_> {
    /// Looks up the documents that contain an old document of this date.
    pub(super) fn search_longer(
        &mut self,
        file: &FileView,
        (id, hash): (DocId, DocumentHash),
        date: i64,
    ) -> Result<(), FindingError> {
        let params = QueryParams {
            kind: FindKind::Containing,
            scheme: self.params.scheme,
            threshold: self.params.rule.containment,
            relation_threshold: self.params.relation_threshold,
            containment_threshold: self.params.containment_threshold,
            limit: MOST_CONTAINERS,
            view: self.scope.view.clone(),
            keeps_texts: false,
        };
        let answer = self
            .scope
            .query_and_count(file, &params, "looked_up", &mut self.sums)?;
        let Some(answer) = answer else {
            return Ok(());
        };
        let containers = self.later(&answer, hash, date)?;
        // The consumer of the findings may be slow: the hits and their permits end here.
        drop(answer);
        match containers {
            Containers {
                next: Some((_, of, overlap)),
                newest: Some(newest),
            } => {
                self.listed.insert(hash);
                self.held.add(super::PLACED)?;
                self.files_of(id, (&of, &overlap), &newest)
            }
            _ => Ok(()),
        }
    }

    /// When a document was made, if that is known.
    pub(super) fn date(&self, document: DocId) -> Result<Option<VersionDate>, IndexError> {
        let (index, view) = (self.scope.engine.index.reader(), self.scope.view);
        date_of_document(index, document, view, self.scope.cancel())
    }

    /// Of the documents that contain one of this date, those that are later.
    fn later(
        &self,
        answer: &Answer,
        own: DocumentHash,
        date: i64,
    ) -> Result<Containers, FindingError> {
        let (mut next, mut newest) = (None, None);
        let mut seen = HashSet::from([own]);
        for hit in &answer.hits {
            self.scope.cancel().check()?;
            if !hit.document.is_some_and(|document| seen.insert(document)) {
                continue;
            }
            let of_hit = hit.file.document.map(|(id, _)| self.date(id)).transpose()?;
            let Some(later) = of_hit.flatten().map(|of_hit| of_hit.seconds) else {
                continue;
            };
            if later <= date {
                continue;
            }
            let path = bytes(&hit.file.path);
            if next
                .as_ref()
                .is_none_or(|(first, by, _)| (later, &path) < (*first, by))
            {
                next = Some((later, path.clone(), hit.overlap));
            }
            if newest.as_ref().is_none_or(|(last, _)| later > *last) {
                newest = Some((later, path));
            }
        }
        Ok(Containers { next, newest })
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
