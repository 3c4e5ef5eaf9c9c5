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

use roaring::RoaringTreemap;
use rustc_hash::{FxHashMap, FxHashSet};
use simdex_schema::document::RUNGS;
use simdex_schema::posting::{PostingKey, scheme_number};
use simdex_schema::{DocId, DocumentKind};
use simdex_signature::{Fingerprint, Rung, SchemeKind, ShingleSet};

use crate::buckets::Found;
use crate::index::{Index, Shared};
use crate::{Cancel, IndexError, View};

/// Fingerprints looked up, where the query has as many.
const PROBES: u64 = 128;
/// Fingerprints looked up under one lock.
const AT_ONCE: usize = 64 << 10;
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
    /// Where they are.
    pub fingerprints: Probes<'a>,
    /// Rung of the query; 0 where its text is at hand.
    pub finest: Rung,
}

/// Fingerprints, ascending and distinct.
#[derive(Clone, Copy, Debug)]
pub enum Probes<'a> {
    /// In a list.
    Listed(&'a [Fingerprint]),
    /// All shingles of a text.
    All(&'a ShingleSet),
}

impl Probes<'_> {
    /// How many of them each rung keeps.
    fn counts_by_rung(self) -> Counts {
        match self {
            Self::Listed(list) => counts_by_rung(list),
            Self::All(set) => set.counts_by_rung(),
        }
    }

    /// Shows those divisible by the modulus of a rung, some at a time.
    fn visit(
        self,
        rung: Rung,
        show: &mut dyn FnMut(&[Fingerprint]) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let mut visit = |part: &[Fingerprint]| {
            let mut some = Vec::with_capacity(part.len().min(AT_ONCE));
            for fingerprint in part.iter().filter(|f| f.divisible_by(rung)) {
                some.push(*fingerprint);
                if some.len() == AT_ONCE {
                    show(&some)?;
                    some.clear();
                }
            }
            show(&some)
        };
        match self {
            Self::Listed(list) => visit(list),
            Self::All(set) => set.visit(visit),
        }
    }
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
    /// Lists so common that they were read for documents found otherwise only.
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
        self.candidates_and(asked, question, FxHashSet::default(), view, cancel)
    }

    /// The same, with the documents `also` counted that share none of them.
    fn candidates_and(
        &self,
        asked: Asked<'_>,
        question: Question,
        also: FxHashSet<DocId>,
        view: &View,
        cancel: &Cancel,
    ) -> Result<Candidates, IndexError> {
        let kind = match asked.scheme {
            SchemeKind::Chunks => DocumentKind::Raw,
            SchemeKind::ModN | SchemeKind::BswN => DocumentKind::Text,
        };
        let counts = asked.fingerprints.counts_by_rung();
        let (visible, rung) = {
            let shared = self.read();
            let rung = probing_rung(&shared, kind, asked, question, &counts);
            (shared.table.visible(view), rung)
        };
        let mut counted = Counted::default();
        asked.fingerprints.visit(rung, &mut |probes| {
            self.probe(asked.scheme, probes, &visible, &mut counted, cancel)
        })?;
        let shared = self.read();
        let mut tally = Tally::new(self, &shared, asked.scheme, Some(&visible));
        (tally.hits, tally.long) = counted;
        let due = may_decide(&tally, question, rung, &counts);
        tally.read_long(&due, cancel)?;
        for id in also {
            tally.hits.entry(id).or_insert(0);
        }
        let suppressed = tally.add_long(cancel)?;
        let found = tally.hits.into_iter().filter_map(|(document, hits)| {
            let stats = shared
                .table
                .get(document)
                .filter(|stats| stats.kind == kind)?;
            let rung = rung.max(stats.rung);
            let at = usize::from(rung.get());
            let (query, of_document) = (counts[at], u64::from(stats.counts[at]));
            // Two fingerprints may agree in the 40 bits kept; no count may exceed a side.
            let shared = hits.min(query).min(of_document);
            Some(Candidate {
                document,
                rung,
                shared,
                query,
                of_document,
            })
        });
        Ok(Candidates {
            found: found.collect(),
            suppressed,
        })
    }

    /// Documents found by either scheme: those above, and those that share a BSW_n window with the
    /// query. All are counted by Mod_n, whose samples are binomial: how BSW_n chooses depends on
    /// the text around a shingle, so that its counts bound nothing. BSW_n does not nest, so the
    /// query is signed anew at every rung in use. `visit` shows its signature at a rung, some at a
    /// time.
    pub fn candidates_by_either(
        &self,
        asked: Asked<'_>,
        question: Question,
        visit: &VisitRung<'_>,
        view: &View,
        cancel: &Cancel,
    ) -> Result<Candidates, IndexError> {
        let sharing = self.sharing_windows(visit, view, cancel)?;
        let also = sharing.into_keys().collect();
        self.candidates_and(asked, question, also, view, cancel)
    }

    /// Documents of the view that share BSW_n windows with the query at their own rung, with how
    /// many.
    pub(crate) fn sharing_windows(
        &self,
        visit: &VisitRung<'_>,
        view: &View,
        cancel: &Cancel,
    ) -> Result<FxHashMap<DocId, u64>, IndexError> {
        let (rungs, visible): (Vec<Rung>, _) = {
            let shared = self.read();
            let rungs = shared.table.rungs(DocumentKind::Text).collect();
            (rungs, shared.table.visible(view))
        };
        let mut sharing = FxHashMap::default();
        for rung in rungs {
            cancel.check()?;
            let mut counted = Counted::default();
            // Without the lock: `visit` may ask the index, and is not quick.
            visit(rung, &mut |part| {
                part.chunks(AT_ONCE).try_for_each(|probes| {
                    self.probe(SchemeKind::BswN, probes, &visible, &mut counted, cancel)
                })
            })?;
            let shared = self.read();
            let mut tally = Tally::new(self, &shared, SchemeKind::BswN, Some(&visible));
            (tally.hits, tally.long) = counted;
            tally.read_long(&|_| true, cancel)?;
            let found = tally.hits.into_iter();
            sharing.extend(found.filter(|(id, _)| {
                let stats = shared.table.get(*id);
                stats.is_some_and(|stats| stats.rung == rung)
            }));
        }
        Ok(sharing)
    }

    /// Counts the documents of some probes. The lock is held for these alone: a question with millions
    /// of them must not keep the writer waiting.
    fn probe(
        &self,
        scheme: SchemeKind,
        probes: &[Fingerprint],
        visible: &RoaringTreemap,
        counted: &mut Counted,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let shared = self.read();
        let mut tally = Tally::new(self, &shared, scheme, Some(visible));
        (tally.hits, tally.long) = std::mem::take(counted);
        tally.probe(probes, cancel)?;
        *counted = (tally.hits, tally.long);
        Ok(())
    }
}

/// What a [`Tally`] counted so far: hits by document, and long lists unread.
type Counted = (FxHashMap<DocId, u64>, Vec<Fingerprint>);

/// Takes some fingerprints.
pub type Each<'a> = dyn FnMut(&[Fingerprint]) -> Result<(), IndexError> + 'a;

/// Shows a signature at a rung.
pub type VisitRung<'a> = dyn Fn(Rung, &mut Each<'_>) -> Result<(), IndexError> + 'a;

/// Counts, per document, how many of the probes it holds. Long lists are set aside and read last,
/// where they must be.
pub(crate) struct Tally<'a> {
    index: &'a Index,
    shared: &'a Shared,
    scheme: SchemeKind,
    /// Documents that count; none where all do. A view is applied here, where candidates are made.
    visible: Option<&'a RoaringTreemap>,
    pub(crate) hits: FxHashMap<DocId, u64>,
    /// Probes whose lists are long and still unread.
    pub(crate) long: Vec<Fingerprint>,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(
        index: &'a Index,
        shared: &'a Shared,
        scheme: SchemeKind,
        visible: Option<&'a RoaringTreemap>,
    ) -> Self {
        Self {
            index,
            shared,
            scheme,
            visible,
            hits: FxHashMap::default(),
            long: Vec::new(),
        }
    }

    /// Counts the documents of these fingerprints, except where their lists are long.
    pub(crate) fn probe(
        &mut self,
        probes: &[Fingerprint],
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let mut keys: Vec<(PostingKey, Fingerprint)> =
            probes.iter().map(|f| (PostingKey::of(*f), *f)).collect();
        // In key order neighbouring look-ups meet in one bucket, and buckets in one leaf.
        keys.sort_unstable();
        keys.dedup_by_key(|(key, _)| *key);
        let mut list = Vec::new();
        for (done, (key, fingerprint)) in keys.into_iter().enumerate() {
            if done % CHECK_EVERY == 0 {
                cancel.check()?;
            }
            match self.list(key, true, &mut list)? {
                Found::Long => self.long.push(fingerprint),
                Found::All => self.count(&list, true),
            }
        }
        Ok(())
    }

    /// Unread long lists of fingerprints divisible by the modulus of a rung.
    pub(crate) fn long_at(&self, rung: Rung) -> u64 {
        self.long.iter().filter(|f| f.divisible_by(rung)).count() as u64
    }

    /// Reads those long lists that are due.
    pub(crate) fn read_long(
        &mut self,
        due: &dyn Fn(&Fingerprint) -> bool,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let (due, rest) = std::mem::take(&mut self.long).into_iter().partition(due);
        self.long = rest;
        self.count_long(due, true, cancel)
    }

    /// Counts the long lists left for documents that were found otherwise; returns how many
    /// added no documents of their own.
    fn add_long(&mut self, cancel: &Cancel) -> Result<u64, IndexError> {
        let long = std::mem::take(&mut self.long);
        let suppressed = long.len() as u64;
        if !self.hits.is_empty() {
            self.count_long(long, false, cancel)?;
        }
        Ok(suppressed)
    }

    fn count_long(
        &mut self,
        long: Vec<Fingerprint>,
        add_new: bool,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let mut list = Vec::new();
        for fingerprint in long {
            cancel.check()?;
            self.list(PostingKey::of(fingerprint), false, &mut list)?;
            self.count(&list, add_new);
        }
        Ok(())
    }

    fn count(&mut self, list: &[DocId], add_new: bool) {
        let (shared, visible) = (self.shared, self.visible);
        let may_show = |id: DocId| {
            visible.is_none_or(|ids| ids.contains(id.0)) && shared.table.get(id).is_some()
        };
        for id in list {
            if let Some(hits) = self.hits.get_mut(id) {
                *hits += 1;
            } else if add_new && may_show(*id) {
                self.hits.insert(*id, 1);
            }
        }
    }

    /// The documents of one key, from buckets, from what is being merged, and from the buffer.
    fn list(
        &self,
        key: PostingKey,
        skip_long: bool,
        list: &mut Vec<DocId>,
    ) -> Result<Found, IndexError> {
        list.clear();
        let buckets = self.index.buckets(self.shared, self.scheme);
        let found = buckets.documents_of(key, skip_long, list)?;
        if found == Found::Long {
            return Ok(found);
        }
        let at = usize::from(scheme_number(self.scheme));
        let before = list.len();
        self.shared.merging[at].documents_of(key, list);
        self.shared.buffers[at].documents_of(key, list);
        if list.len() > before {
            list.sort_unstable();
            list.dedup();
        }
        Ok(found)
    }
}

/// Which long lists may hold a document that no short one holds and that shares enough to matter:
/// at every rung they are a smaller part of the query than [`NEW_FROM_LONG_LISTS`], or they are
/// read. What is contained in the query may be small and common through and through.
fn may_decide(
    tally: &Tally<'_>,
    question: Question,
    rung: Rung,
    counts: &Counts,
) -> impl Fn(&Fingerprint) -> bool + use<> {
    let weighty = |at: &Rung| {
        let long = tally.long_at(*at) * NEW_FROM_LONG_LISTS;
        question == Question::Contained || long >= counts[usize::from(at.get())]
    };
    let rungs = Rung::all().filter(|at| *at >= rung && tally.long_at(*at) > 0);
    let rungs: Vec<Rung> = rungs.filter(weighty).collect();
    move |fingerprint| rungs.iter().any(|rung| fingerprint.divisible_by(*rung))
}

/// A document in none of the short lists is taken from the long ones only where these are at least
/// one in so many of the probes: below that it holds less than 1/32 of the query.
const NEW_FROM_LONG_LISTS: u64 = 32;

/// Fingerprints of a query by rung.
type Counts = [u64; RUNGS];

/// How many of the query's fingerprints each rung keeps.
fn counts_by_rung(fingerprints: &[Fingerprint]) -> Counts {
    let mut counts = [0; RUNGS];
    for fingerprint in fingerprints {
        let top = fingerprint
            .0
            .trailing_zeros()
            .min(u32::from(Rung::TOP.get()));
        counts[top as usize] += 1;
    }
    for rung in (0..counts.len() - 1).rev() {
        counts[rung] += counts[rung + 1];
    }
    counts
}

fn probing_rung(
    shared: &Shared,
    kind: DocumentKind,
    asked: Asked<'_>,
    question: Question,
    counts: &Counts,
) -> Rung {
    let rung = match question {
        Question::Contained => shared.table.rungs(kind).next(),
        _ => Rung::all()
            .rev()
            .find(|rung| counts[usize::from(rung.get())] >= PROBES),
    };
    rung.unwrap_or(Rung::ZERO).max(asked.finest)
}
