//! Old documents that a later, longer one contains: families of near-duplicates alone would not reveal them.
//!
//! Each document of the view that is older than the age, and that no family superseded, is asked about once: which
//! documents contain it? If one of those that hold the least share of its text that links a family has a later date,
//! it supersedes the document. This costs one look-up for each such document, counted as `looked_up` in the sums. A
//! text so short that a longer document keeps no fingerprint of it is not found in that document
//! ([`Rung::shortest_excerpt`](simdex_signature::Rung::shortest_excerpt)).

use std::collections::HashSet;
use std::ops::ControlFlow;

use simdex_index::{FileView, GrowingPermit, IndexError};
use simdex_schema::{DocId, DocumentHash, DocumentKind};

use super::{Finder, Finding, FindingError, bytes, count};
use crate::base::visit::FirstError;
use crate::read_side::query::{
    Answer, FindKind, Overlap, QueryParams, VersionDate, best_date, date_of_document,
};

/// Files of containers that are examined for one document.
const MOST_CONTAINERS: usize = 1_000;
/// Bytes that a document takes in the set of those seen, with spare capacity.
const SEEN: u64 = 24;

/// The later documents that contain an old one.
struct Containers {
    /// The first file of the next one in time, what they share (the old one first), and its date.
    next: Option<(i64, Vec<u8>, Overlap)>,
    /// The first file of the latest, and its date.
    newest: Option<(i64, Vec<u8>)>,
    /// Whether one has no date, or the date of the old one.
    has_undated: bool,
}

impl Finder<'_, '_> {
    /// Finds what later documents contain, by the first file of each document.
    pub(super) fn contained(&mut self) -> Result<(), FindingError> {
        let (index, account) = (self.search.engine.index.reader(), self.search.account);
        let (mut seen, mut held) = (HashSet::new(), GrowingPermit::of(account));
        let mut failed = FirstError::default();
        index.files(self.search.view, account, &mut |file| {
            let document = file.document.filter(|(id, _)| seen.insert(*id));
            let Some((id, hash)) = document else {
                let checked = self.search.cancel().check().map_err(FindingError::from);
                return failed.flow(checked);
            };
            let counted = held.add(SEEN).map_err(FindingError::from);
            failed.flow(counted.and_then(|()| self.document(&file, id, hash)))
        })?;
        failed.into_result()
    }

    /// Looks up a document if it is old enough and not listed yet.
    fn document(
        &mut self,
        file: &FileView,
        id: DocId,
        hash: DocumentHash,
    ) -> Result<(), FindingError> {
        self.search.cancel().check()?;
        let Some(date) = self.date(id)? else {
            return Ok(());
        };
        let stats = self.search.engine.index.reader().stats(id);
        let is_text = stats.is_some_and(|stats| stats.kind == DocumentKind::Text);
        if !is_text || date.seconds >= self.before || self.listed.contains(&hash) {
            return Ok(());
        }
        let params = QueryParams {
            kind: FindKind::Containing,
            scheme: self.params.scheme,
            threshold: self.params.rule.containment,
            relation_threshold: self.params.relation_threshold,
            limit: MOST_CONTAINERS,
            view: self.search.view.clone(),
            keeps_texts: false,
        };
        let answer = self
            .search
            .answer(file, &params, "looked_up", &mut self.sums)?;
        let Some(answer) = answer else {
            return Ok(());
        };
        let containers = self.later(&answer, hash, date.seconds)?;
        // The consumer of the findings may be slow: the hits and their permits end here.
        drop(answer);
        let is_placed = self.placed.contains(&hash);
        let Containers {
            next: Some((_, of, overlap)),
            newest: Some((_, newest)),
            ..
        } = containers
        else {
            let is_open = containers.has_undated && !is_placed;
            count(&mut self.sums, "undecided_versions", u64::from(is_open));
            return Ok(());
        };
        self.listed.insert(hash);
        self.held.add(super::PLACED)?;
        self.files_of(id, &(of, newest, overlap))
    }

    fn date(&self, document: DocId) -> Result<Option<VersionDate>, IndexError> {
        let (index, view) = (self.search.engine.index.reader(), self.search.view);
        date_of_document(index, document, view, self.search.cancel())
    }

    /// Of the documents that contain one of this date, those that are later.
    fn later(
        &self,
        answer: &Answer,
        own: DocumentHash,
        date: i64,
    ) -> Result<Containers, FindingError> {
        let (mut next, mut newest, mut has_undated) = (None, None, false);
        let mut seen = HashSet::from([own]);
        for hit in &answer.hits {
            self.search.cancel().check()?;
            if !seen.insert(hit.document) {
                continue;
            }
            let of_hit = hit.file.document.map(|(id, _)| self.date(id)).transpose()?;
            let Some(later) = of_hit.flatten().map(|of_hit| of_hit.seconds) else {
                has_undated = true;
                continue;
            };
            has_undated |= later == date;
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
        Ok(Containers {
            next,
            newest,
            has_undated,
        })
    }

    /// Takes those files of a document contained in a later one that are old enough.
    fn files_of(
        &mut self,
        id: DocId,
        (of, newest, overlap): &(Vec<u8>, Vec<u8>, Overlap),
    ) -> Result<(), FindingError> {
        let (index, view) = (self.search.engine.index.reader(), self.search.view);
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
            if date.seconds >= self.before {
                return ControlFlow::Continue(());
            }
            count(&mut self.sums, "stale_files", 1);
            let length = file.record.bytes().unwrap_or(0);
            count(&mut self.sums, "stale_bytes", length);
            let described = self.search.describe(&file).map_err(FindingError::from);
            failed.flow(described.and_then(|file| {
                Ok((self.take)(&Finding {
                    relation: "superseded",
                    of: of.clone(),
                    newest: Some(newest.clone()),
                    date: Some((date.seconds, date.source.name())),
                    resemblance: overlap.resemblance.value,
                    containment: overlap.of_first.value,
                    containment_of_other: overlap.of_second.value,
                    verified: Some(overlap.verified),
                    ..file
                })?)
            }))
        })?;
        failed.into_result()
    }
}
