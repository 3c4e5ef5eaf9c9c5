//! The last part of the search for a family: what lies beyond the versions that links led to.
//!
//! A version that was not asked about may have a neighbour that no other version has. And a document that was
//! rewritten at once leaves a gap in its history: the versions before and after it are two *pieces*. So candidates that
//! are somewhat alike are looked at once more, most alike first, beside all versions found. One that is linked to any
//! of them is added. From one that is less alike its own piece is searched; it is joined to a piece of the family where
//! [`gaps`](crate::read_side::families::gaps) says so and no other document is as near. Otherwise it is left out again,
//! and the answer names it. Whether two pieces are joined depends on these two alone, whichever is asked about.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use simdex_index::Candidate;
use simdex_schema::DocId;

use super::near_candidates::{MOST_KEPT, NearCandidates, NearMiss, estimated};
use super::search::{Link, Search};
use super::{FindKind, date_of_document};
use crate::read_side::families::gaps::{least_across, meeting};
use crate::read_side::families::{GapReason, Piece, Version};
use crate::read_side::query::{QueryError, QueryParams, ShingledText, Subject, candidates};

/// Candidates that are looked at once more, the most alike ones. Each costs one text and a comparison with all versions.
const MOST_LOOKS: usize = 128;
/// Pieces that are searched and left out again.
const MOST_LEFT_OUT: usize = 8;
/// What is undone if a piece is left out.
struct Before {
    versions: usize,
    followed: Vec<usize>,
    near: NearCandidates,
}

impl Search<'_> {
    /// Looks at near candidates once more, the most alike first.
    pub(super) fn look_again(&mut self) -> Result<(), QueryError> {
        self.forget_followed();
        let (mut looks, mut pieces) = (0, 1);
        while let Some(document) = self.near.next() {
            let known = self.numbers.get(&document).copied();
            let is_followed = known.is_some_and(|at| self.found.versions[at].is_followed);
            if is_followed || self.near.left_out.contains(&document) {
                continue;
            }
            // Where hundreds of documents share half of a template, the rest is as unlike as the rule allows.
            if self.found.is_cut || looks == MOST_LOOKS {
                break;
            }
            looks += 1;
            self.look_at(document, known, &mut pieces)?;
        }
        let (numbers, misses) = (&self.numbers, &mut self.found.near_misses);
        let versions = &self.found.versions;
        let is_followed = |at: &usize| versions[*at].is_followed;
        misses.retain(|miss| !numbers.get(&miss.document).is_some_and(is_followed));
        misses.sort_by(|a, b| b.resemblance.total_cmp(&a.resemblance));
        Ok(())
    }

    /// Keeps candidates of a look-up to be looked at once more.
    pub(super) fn keep_near<'c>(&mut self, found: impl Iterator<Item = &'c Candidate>) {
        if self.near.kept.len() >= MOST_KEPT {
            self.forget_followed();
        }
        self.near.add(found, &self.params.rule);
    }

    fn forget_followed(&mut self) {
        let (numbers, versions) = (&self.numbers, &self.found.versions);
        let is_followed = |at: &usize| versions[*at].is_followed;
        let kept = &mut self.near.kept;
        kept.retain(|document, _| !numbers.get(document).is_some_and(is_followed));
    }

    /// Looks at a candidate beside all versions: adds it if it is linked to one, or else its piece if that is joined.
    fn look_at(
        &mut self,
        document: DocId,
        known: Option<usize>,
        pieces: &mut usize,
    ) -> Result<(), QueryError> {
        self.cancel.check()?;
        let Some(stats) = self.index.stats(document) else {
            return Ok(());
        };
        let Some(read) = self.read(stats.hash)? else {
            return Ok(());
        };
        let Some(text) = read.text() else {
            return Ok(());
        };
        let (nearest, resemblance) = self.nearest(text, known)?;
        self.piece = self.found.versions[nearest].piece;
        if resemblance >= self.params.rule.resemblance {
            match known {
                Some(at) => self.follow(at),
                None => self.link(nearest, document)?,
            }
            return self.ask_about_all();
        }
        let is_near = resemblance >= least_across(&self.params.rule);
        if !self.params.joins_pieces || !is_near || self.found.near_misses.len() >= MOST_LEFT_OUT {
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
        self.try_piece(miss, known, text)
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
        let followed = (0..versions).filter(|version| self.found.versions[*version].is_followed);
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
        miss: NearMiss,
        known: Option<usize>,
        text: &ShingledText,
    ) -> Result<(), QueryError> {
        let versions = &self.found.versions;
        let followed = (0..versions.len()).filter(|at| versions[*at].is_followed);
        let before = Before {
            versions: versions.len(),
            followed: followed.collect(),
            near: self.near.clone(),
        };
        self.linked_piece = None;
        let begin = known.unwrap_or(before.versions);
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
        if let Some(piece) = self.linked_piece {
            self.rename_piece(piece);
            self.near.left_out.clear();
            return Ok(());
        }
        if std::mem::take(&mut self.found.is_cut) {
            // What is too large to be searched is no history that the family lacks.
            self.leave_out(before, miss.document);
            let reason = GapReason::OthersAsNear;
            self.found.near_misses.push(NearMiss { reason, ..miss });
        } else if let Some(reason) = self.join(miss.version, begin)? {
            self.leave_out(before, miss.document);
            self.found.near_misses.push(NearMiss { reason, ..miss });
        } else {
            self.near.left_out.clear();
        }
        Ok(())
    }

    /// Makes the piece that was searched a part of another.
    fn rename_piece(&mut self, piece: usize) {
        let versions = self.found.versions.iter_mut();
        versions
            .filter(|version| version.piece == self.piece)
            .for_each(|version| version.piece = piece);
    }

    /// Joins the piece that was searched to a piece of the family; says why not, if it is joined to none.
    fn join(&mut self, nearest: usize, begin: usize) -> Result<Option<GapReason>, QueryError> {
        let new = self.piece(self.piece)?;
        let first = self.found.versions[nearest].piece;
        let versions = self
            .found
            .versions
            .iter()
            .filter(|version| version.is_followed);
        let others: BTreeSet<usize> = versions.map(|version| version.piece).collect();
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
            if !version.is_followed || version.piece != piece {
                continue;
            }
            let (view, cancel) = (&self.params.view, self.cancel);
            let date = match version.document {
                Some(document) => date_of_document(self.index, document, view, cancel)?,
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
                keeps_texts: false,
            };
            let near = candidates(self.index, subject, &params)?;
            let is_other = |candidate: &Candidate| {
                let at = self.numbers.get(&candidate.document);
                // An excerpt of one of these versions, or what holds it, is no other document either.
                let is_of_family = |at: &usize| {
                    !self.found.versions[*at].is_followed
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
    fn leave_out(&mut self, before: Before, begin: DocId) {
        let piece = self.piece;
        let versions = &mut self.found.versions;
        let followed: HashSet<usize> = before.followed.into_iter().collect();
        let left_out = |at: usize, piece_of: usize| piece_of == piece && !followed.contains(&at);
        let mut near = before.near;
        for (document, at) in &self.numbers {
            if left_out(*at, versions[*at].piece) {
                near.left_out.insert(*document);
            }
        }
        near.left_out.insert(begin);
        self.near = near;
        versions.truncate(before.versions);
        for (at, version) in versions.iter_mut().enumerate() {
            version.is_followed &= followed.contains(&at);
        }
        self.numbers.retain(|_, at| *at < before.versions);
        self.found.samples.0.truncate(before.versions);
    }
}
