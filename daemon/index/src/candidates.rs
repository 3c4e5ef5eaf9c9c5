//! Candidates: the documents that share fingerprints with a query, with counts that estimate how
//! much.
//!
//! Nested sampling makes a query cheap: the fingerprints divisible by 2^r are a sample of those
//! divisible by 2^(r-1), so a query is compared at the coarsest rung that still leaves it
//! [`PROBES`] fingerprints, and only those are looked up. With p probes a document that holds the
//! share c of the query is missed with probability (1-c)^p: below 0.001 from p = 128 for c ≥ 0.053.
//! Documents with a coarser rung of their own are compared at theirs, on the probes that reach it.
//!
//! `Contained` (small documents inside a long query) must not sample further than each document
//! did: it looks up the whole query at the finest rung in use.

use std::collections::HashMap;

use roaring::RoaringTreemap;
use simdex_schema::posting::PostingKey;
use simdex_schema::{DocId, DocumentKind};
use simdex_signature::{Fingerprint, Rung, SchemeKind, Signature};

use crate::buckets::Found;
use crate::index::{Index, Shared};
use crate::{Cancel, DocumentStats, IndexError, View};

/// Fingerprints looked up, where the query has as many.
pub const PROBES: u64 = 128;
/// Cancellation is asked for once in so many look-ups.
const CHECK_EVERY: usize = 64;

/// What is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Documents that resemble the query.
    Similar,
    /// Documents that contain the query.
    Containing,
    /// Documents contained in the query.
    Contained,
}

/// The query's fingerprints: all that are divisible by the modulus of `finest`.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Mod_n or chunks.
    pub scheme: SchemeKind,
    /// Ascending and distinct.
    pub fingerprints: &'a [Fingerprint],
    /// Rung of the query; 0 where its text is at hand.
    pub finest: Rung,
}

/// A document that shares fingerprints with the query.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The document.
    pub document: DocId,
    /// Rung at which both sides were counted.
    pub rung: Rung,
    /// Fingerprints in both.
    pub shared: u64,
    /// Fingerprints of the query at that rung.
    pub query: u64,
    /// Fingerprints of the document at that rung.
    pub of_document: u64,
}

/// All candidates of a query.
#[derive(Default, Debug)]
pub struct Candidates {
    /// In no order.
    pub found: Vec<Candidate>,
    /// Lists left unread.
    pub suppressed: u64,
}

impl Index {
    /// Documents of the view that share fingerprints with the query at its probing rung.
    pub fn candidates(
        &self,
        asked: Asked<'_>,
        question: Question,
        view: &View,
        cancel: &Cancel,
    ) -> Result<Candidates, IndexError> {
        let shared = self.read();
        let counts = counts_by_rung(asked);
        let rung = probing_rung(&shared, asked, question, &counts);
        let probes: Vec<Fingerprint> =
            asked.fingerprints.iter().copied().filter(|f| f.divisible_by(rung)).collect();
        let visible = shared.table.visible(view);
        let hits = self.hits(&shared, asked.scheme, &probes, &visible, cancel)?;
        let kind = match asked.scheme {
            SchemeKind::Chunks => DocumentKind::Raw,
            SchemeKind::ModN | SchemeKind::BswN => DocumentKind::Text,
        };
        let found = hits.documents.into_iter().filter_map(|(document, hits)| {
            let stats = shared.table.get(document).filter(|stats| stats.kind == kind)?;
            let rung = rung.max(stats.rung);
            let at = usize::from(rung.get());
            let (query, of_document) = (counts[at], u64::from(stats.counts[at]));
            // Two fingerprints may agree in the 40 bits kept; no count may exceed a side.
            let shared = hits.min(query).min(of_document);
            Some(Candidate { document, rung, shared, query, of_document })
        });
        Ok(Candidates { found: found.collect(), suppressed: hits.suppressed })
    }

    /// The same by BSW_n, which does not nest: the query is signed anew at every rung in use.
    pub fn candidates_bsw(
        &self,
        sign: &dyn Fn(Rung) -> Signature,
        view: &View,
        cancel: &Cancel,
    ) -> Result<Candidates, IndexError> {
        let shared = self.read();
        let visible = shared.table.visible(view);
        let mut all = Candidates::default();
        for rung in shared.table.rungs() {
            let query = sign(rung);
            let probes = query.fingerprints();
            let hits = self.hits(&shared, SchemeKind::BswN, probes, &visible, cancel)?;
            all.suppressed += hits.suppressed;
            let of_rung = |stats: &DocumentStats| {
                stats.kind == DocumentKind::Text && stats.rung == rung
            };
            all.found.extend(hits.documents.into_iter().filter_map(|(document, hits)| {
                let stats = shared.table.get(document).filter(|stats| of_rung(stats))?;
                let of_document = u64::from(stats.bsw_count);
                let (query, shared) = (query.len() as u64, hits.min(of_document));
                Some(Candidate { document, rung, shared, query, of_document })
            }));
        }
        Ok(all)
    }

    /// Counts, per visible document, how many of the probes it holds.
    pub(crate) fn hits(
        &self,
        shared: &Shared,
        scheme: SchemeKind,
        probes: &[Fingerprint],
        visible: &RoaringTreemap,
        cancel: &Cancel,
    ) -> Result<Hits, IndexError> {
        let mut keys: Vec<PostingKey> = probes.iter().map(|f| PostingKey::of(*f)).collect();
        // In key order neighbouring look-ups meet in one bucket, and buckets in one leaf.
        keys.sort_unstable();
        keys.dedup();
        let mut counter = Counter { shared, visible, hits: HashMap::new() };
        let mut long = Vec::new();
        let mut list = Vec::new();
        for (done, key) in keys.iter().enumerate() {
            if done % CHECK_EVERY == 0 {
                cancel.check()?;
            }
            if self.list(shared, scheme, *key, true, &mut list)? == Found::Long {
                long.push(*key);
            } else {
                counter.count(&mut list, true);
            }
        }
        let suppressed = self.long_lists(shared, scheme, &long, keys.len(), &mut counter)?;
        Ok(Hits { documents: counter.hits.into_iter().collect(), suppressed })
    }

    /// Reads the long lists last. Where they are a small part of the probes, a document found in
    /// no other list can share little: then they only add to documents found already.
    fn long_lists(
        &self,
        shared: &Shared,
        scheme: SchemeKind,
        long: &[PostingKey],
        probes: usize,
        counter: &mut Counter<'_>,
    ) -> Result<u64, IndexError> {
        let add_new = long.len() * NEW_FROM_LONG_LISTS >= probes;
        if !add_new && counter.hits.is_empty() {
            return Ok(long.len() as u64);
        }
        let mut list = Vec::new();
        for key in long {
            self.list(shared, scheme, *key, false, &mut list)?;
            counter.count(&mut list, add_new);
        }
        Ok(0)
    }

    /// The documents of one key, from buckets, from what is being merged, and from the buffer.
    fn list(
        &self,
        shared: &Shared,
        scheme: SchemeKind,
        key: PostingKey,
        skip_long: bool,
        list: &mut Vec<DocId>,
    ) -> Result<Found, IndexError> {
        list.clear();
        let found = self.buckets(shared, scheme).documents_of(key, skip_long, list)?;
        if found == Found::Long {
            return Ok(found);
        }
        let at = usize::from(simdex_schema::posting::scheme_number(scheme));
        let before = list.len();
        shared.merging[at].documents_of(key, list);
        shared.buffers[at].documents_of(key, list);
        if list.len() > before {
            list.sort_unstable();
            list.dedup();
        }
        Ok(found)
    }
}

/// A document in none of the short lists is taken from the long ones only where these are at least
/// one in so many of the probes: below that it holds less than 1/32 of the query.
const NEW_FROM_LONG_LISTS: usize = 32;

/// Documents and how many probes each holds.
pub(crate) struct Hits {
    pub(crate) documents: Vec<(DocId, u64)>,
    pub(crate) suppressed: u64,
}

struct Counter<'a> {
    shared: &'a Shared,
    visible: &'a RoaringTreemap,
    hits: HashMap<DocId, u64>,
}

impl Counter<'_> {
    /// Counts a list; the view is applied here, where candidates are made.
    fn count(&mut self, list: &mut Vec<DocId>, add_new: bool) {
        for id in list.drain(..) {
            if let Some(hits) = self.hits.get_mut(&id) {
                *hits += 1;
            } else if add_new && self.visible.contains(id.0) && self.shared.table.get(id).is_some()
            {
                self.hits.insert(id, 1);
            }
        }
    }
}

/// How many of the query's fingerprints each rung keeps.
fn counts_by_rung(asked: Asked<'_>) -> [u64; simdex_schema::document::RUNGS] {
    let mut counts = [0; simdex_schema::document::RUNGS];
    for fingerprint in asked.fingerprints {
        let top = fingerprint.0.trailing_zeros().min(u32::from(Rung::TOP.get()));
        counts[top as usize] += 1;
    }
    for rung in (0..counts.len() - 1).rev() {
        counts[rung] += counts[rung + 1];
    }
    counts
}

fn probing_rung(
    shared: &Shared,
    asked: Asked<'_>,
    question: Question,
    counts: &[u64; simdex_schema::document::RUNGS],
) -> Rung {
    if question == Question::Contained {
        let finest = shared.table.rungs().first().copied().unwrap_or(Rung::ZERO);
        return finest.max(asked.finest);
    }
    let enough = Rung::all().rev().find(|rung| counts[usize::from(rung.get())] >= PROBES);
    enough.unwrap_or(Rung::ZERO).max(asked.finest)
}
