//! The last part of the search for a family: what lies beyond the versions that links led to.
//!
//! A version that was not asked about may have a neighbour that no other version has. And a document that was
//! rewritten at once leaves a gap in its history: the versions before and after it are two *pieces*. So candidates that
//! are somewhat alike are looked at once more, most alike first, beside all versions found. One that is linked to any
//! of them is added. From one that is less alike its own piece is searched; it is joined to a piece of the family where
//! [`gaps`](crate::read_side::families::gaps) says so and no other document is as near. Otherwise it is left out again,
//! and the answer names it. Whether two pieces are joined depends on these two alone, whichever is asked about: where
//! the family has grown since a piece was left out, that piece is searched anew once no other candidate remains.

use std::collections::BTreeSet;
use std::rc::Rc;

use simdex_index::Candidate;
use simdex_schema::DocId;

use super::near_candidates::{NearCandidates, NearMiss, estimated};
use super::search::{Link, Search, Standing};
use super::{FindKind, date_of_document};
use crate::read_side::families::gaps::{least_across, meeting};
use crate::read_side::families::{GapReason, Piece, Version};
use crate::read_side::query::{QueryError, QueryParams, ShingledText, Subject, candidates};

/// Candidates that are looked at once more, the most alike ones. Each costs one text and a comparison with all versions.
const MAX_LOOKS: usize = 128;
/// Pieces that are searched and left out again.
const MAX_LEFT_OUT: usize = 8;
/// What is undone if a piece is left out.
struct Before {
    versions: Vec<Standing>,
    near: NearCandidates,
}

impl Search<'_> {
    /// Looks at near candidates once more, the most alike first.
    pub(super) fn look_again(&mut self) -> Result<(), QueryError> {
        self.forget_followed();
        let (mut looks, mut pieces) = (0, 1);
        loop {
            while let Some((document, alike)) = self.near.next() {
                let known = self.numbers.get(&document).copied();
                if known.is_some_and(|at| self.found.versions[at].standing.is_followed) {
                    continue;
                }
                // Where hundreds of documents share half of a template, the rest is as unlike as the rule allows.
                if self.found.is_cut || looks == MAX_LOOKS {
                    break;
                }
                looks += 1;
                self.look_at((document, alike), known, &mut pieces)?;
            }
            let has_grown = std::mem::take(&mut self.has_grown);
            let is_over = self.found.is_cut || looks == MAX_LOOKS;
            if is_over || !has_grown || !self.near.put_back(&self.params.rule) {
                break;
            }
            self.found.near_misses.clear();
        }
        self.found.is_cut |= self.is_piece_cut;
        let misses = &mut self.found.near_misses;
        // What is found by containment is a version too, though nothing is joined to it.
        misses.retain(|miss| !self.numbers.contains_key(&miss.document));
        misses.sort_by(|a, b| b.resemblance.total_cmp(&a.resemblance));
        Ok(())
    }

    /// Keeps candidates of a look-up to be looked at once more.
    pub(super) fn keep_near<'c>(&mut self, found: impl Iterator<Item = &'c Candidate>) {
        if self.near.is_full() {
            self.forget_followed();
        }
        self.near.add(found, &self.params.rule);
    }

    fn forget_followed(&mut self) {
        let (numbers, versions) = (&self.numbers, &self.found.versions);
        let is_followed = |at: &usize| versions[*at].standing.is_followed;
        self.near
            .retain(|document| !numbers.get(&document).is_some_and(is_followed));
    }

    /// Notes that what was left out may belong to the family now.
    fn note_growth(&mut self) {
        self.has_grown |= self.near.leaves_out();
    }

    /// Looks at a candidate beside all versions: adds it if it is linked to one, or else its piece if that is joined.
    fn look_at(
        &mut self,
        (document, alike): (DocId, f64),
        known: Option<usize>,
        pieces: &mut usize,
    ) -> Result<(), QueryError> {
        self.cancel.check()?;
        let Some(stats) = self.index.documents().stats(document) else {
            return Ok(());
        };
        let Some(read) = self.read(stats.hash)? else {
            return Ok(());
        };
        let Some(text) = read.text() else {
            return Ok(());
        };
        let (nearest, resemblance) = self.nearest(text, known)?;
        self.piece = self.found.versions[nearest].standing.piece;
        if resemblance >= self.params.rule.resemblance {
            self.note_growth();
            match known {
                Some(at) => self.follow(at),
                None if self.is_full() => self.found.is_cut = true,
                None => self.link(nearest, document)?,
            }
            return self.ask_about_all();
        }
        let is_near = resemblance >= least_across(&self.params.rule);
        if !self.params.joins_pieces || !is_near || self.found.near_misses.len() >= MAX_LEFT_OUT {
            return Ok(());
        }
        self.piece = *pieces;
        *pieces += 1;
        let miss = NearMiss {
            version: nearest,
            document,
            hash: stats.hash,
            resemblance,
            reason: GapReason::TooFew,
        };
        self.try_piece((miss, alike), known, text)
    }

    /// The followed version that a text resembles most.
    fn nearest(
        &mut self,
        text: &ShingledText,
        known: Option<usize>,
    ) -> Result<(usize, f64), QueryError> {
        let versions = self.found.versions.len();
        if known.is_none() {
            self.sample(&text.shingles)?;
        }
        let samples = &mut self.found.samples.0;
        let at = known.unwrap_or(versions);
        let is_followed = |version: &usize| self.found.versions[*version].standing.is_followed;
        let followed = (0..versions).filter(is_followed);
        let alike = followed.map(|version| (version, samples.resemblance(version, at)));
        let nearest = alike.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        samples.truncate(versions);
        Ok(nearest.unwrap_or((0, 0.0)))
    }

    /// Adds a document if it is linked to a version.
    fn link(&mut self, version: usize, document: DocId) -> Result<(), QueryError> {
        let renamings = Rc::clone(&self.found.versions[version].renamings);
        if version == 0 {
            return self.consider((self.text, &renamings), document);
        }
        let read = self.read(self.found.versions[version].hash)?;
        match read.as_ref().and_then(Subject::text) {
            Some(text) => self.consider((text, &renamings), document),
            None => Ok(()),
        }
    }

    /// Searches the piece that a document is in, and joins it or leaves it out.
    fn try_piece(
        &mut self,
        (miss, alike): (NearMiss, f64),
        known: Option<usize>,
        text: &ShingledText,
    ) -> Result<(), QueryError> {
        if known.is_none() && self.is_full() {
            self.is_piece_cut = true;
            return Ok(());
        }
        let versions = &self.found.versions;
        let before = Before {
            versions: versions.iter().map(|version| version.standing).collect(),
            near: self.near.clone(),
        };
        self.linked_piece = None;
        let begin = known.unwrap_or(before.versions.len());
        match known {
            Some(at) => self.follow(at),
            None => {
                let link = Link {
                    resemblance: miss.resemblance,
                    is_followed: true,
                    renamings: Rc::clone(&versions[miss.version].renamings),
                };
                self.add(Some(miss.document), text, link)?;
            }
        }
        self.ask_about_all()?;
        if std::mem::take(&mut self.found.is_cut) {
            self.is_piece_cut = true;
            self.leave_out(before, (miss.document, alike));
            return Ok(());
        }
        let linked = self.linked_piece.or_else(|| self.linked_unasked());
        if let Some(piece) = linked {
            self.rename_piece(piece);
        } else if let Some(reason) = self.join(miss.version, begin)? {
            self.leave_out(before, (miss.document, alike));
            self.found.near_misses.push(NearMiss { reason, ..miss });
            return Ok(());
        }
        self.note_growth();
        Ok(())
    }

    /// Another piece that a version of the one that was searched is linked to, though neither version was asked about.
    /// Only what is near a version of that piece can be.
    fn linked_unasked(&self) -> Option<usize> {
        let versions = &self.found.versions;
        let near = self.near.kept().iter().filter_map(|(document, alike)| {
            let at = *self.numbers.get(document)?;
            let standing = versions[at].standing;
            (standing.is_followed && standing.piece == self.piece).then_some((*alike, at))
        });
        let mut near: Vec<(f64, usize)> = near.collect();
        near.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        near.truncate(MAX_LOOKS);
        let others = versions.iter().enumerate().filter(|(_, version)| {
            version.standing.is_followed && version.standing.piece != self.piece
        });
        let samples = &self.found.samples.0;
        let is_linked = |other: usize| {
            let least = self.params.rule.resemblance;
            let mut alike = near.iter().map(|(_, at)| samples.resemblance(*at, other));
            alike.any(|alike| alike >= least)
        };
        others
            .filter(|(other, _)| is_linked(*other))
            .map(|(_, version)| version.standing.piece)
            .next()
    }

    /// Makes the piece that was searched a part of another.
    fn rename_piece(&mut self, piece: usize) {
        let standings = self.found.versions.iter_mut();
        standings
            .map(|version| &mut version.standing)
            .filter(|standing| standing.piece == self.piece)
            .for_each(|standing| standing.piece = piece);
    }

    /// Joins the piece that was searched to a piece of the family; says why not, if it is joined to none.
    fn join(&mut self, nearest: usize, begin: usize) -> Result<Option<GapReason>, QueryError> {
        let new = self.piece(self.piece)?;
        let first = self.found.versions[nearest].standing.piece;
        let standings = self.found.versions.iter().map(|version| version.standing);
        let followed = standings.filter(|standing| standing.is_followed);
        let others: BTreeSet<usize> = followed.map(|standing| standing.piece).collect();
        let mut others: Vec<usize> = others.into_iter().collect();
        others.retain(|piece| ![first, self.piece].contains(piece));
        let mut reason = None;
        for piece in std::iter::once(first).chain(others) {
            let both = [&self.piece(piece)?, &new];
            let (samples, rule) = (&self.found.samples.0, &self.params.rule);
            match meeting(samples, rule, both, begin) {
                Ok(ends) if !self.others_as_near(ends, both)? => {
                    self.found.bridges.push(ends);
                    return Ok(None);
                }
                Ok(_) => reason = reason.or(Some(GapReason::OthersAsNear)),
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        Ok(reason)
    }

    /// The followed versions of a piece.
    fn piece(&self, piece: usize) -> Result<Piece, QueryError> {
        let mut members = Piece::default();
        for (at, version) in self.found.versions.iter().enumerate() {
            if !version.standing.is_followed || version.standing.piece != piece {
                continue;
            }
            let (view, cancel) = (&self.params.view, self.cancel);
            let date = match version.document {
                Some(document) => date_of_document(self.index.files(), document, view, cancel)?,
                None => None,
            };
            members.numbers.push(at);
            members.versions.push(Version {
                name: version.hash.0,
                shingles: version.shingles,
                date,
                written: version.written,
            });
        }
        Ok(members)
    }

    /// Whether a document of neither piece is as near to the versions at which they meet as a gap allows.
    fn others_as_near(
        &mut self,
        ends: [usize; 2],
        pieces: [&Piece; 2],
    ) -> Result<bool, QueryError> {
        let least = least_across(&self.params.rule);
        for end in ends {
            let read = self.read(self.found.versions[end].hash)?;
            let subject = match (&read, end) {
                (Some(read), _) => read,
                (None, 0) => self.subject,
                (None, _) => continue,
            };
            let params = QueryParams {
                kind: FindKind::Similar,
                scheme: self.params.scheme,
                threshold: least,
                relation_threshold: self.params.relation_threshold,
                containment_threshold: self.params.containment_threshold,
                limit: self.params.limit,
                view: self.params.view.clone(),
                judged_by: None,
            };
            let near = candidates(self.index, subject, &params)?;
            let is_other = |candidate: &Candidate| {
                let at = self.numbers.get(&candidate.document);
                // An excerpt of one of these versions, or what holds it, is no other document either.
                let is_of_family = |at: &usize| {
                    !self.found.versions[*at].standing.is_followed
                        || pieces.iter().any(|piece| piece.numbers.contains(at))
                };
                estimated(candidate) >= least && !at.is_some_and(is_of_family)
            };
            if near.found.iter().any(is_other) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Undoes the search of a piece, which began with this document.
    fn leave_out(&mut self, before: Before, begin: (DocId, f64)) {
        let versions = &mut self.found.versions;
        let mut near = before.near;
        near.add_left_out(begin);
        for (document, at) in &self.numbers {
            let was_followed = before.versions.get(*at).is_some_and(|was| was.is_followed);
            if versions[*at].standing.is_followed && !was_followed {
                near.leave_out(*document);
            }
        }
        self.near = near;
        versions.truncate(before.versions.len());
        let restored = versions.iter_mut().zip(before.versions);
        restored.for_each(|(version, was)| version.standing = was);
        self.numbers.retain(|_, at| *at < versions.len());
        self.found.samples.0.truncate(versions.len());
    }
}
