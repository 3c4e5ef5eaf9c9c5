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

use rustc_hash::{FxHashMap, FxHashSet};
use simdex_schema::document::RUNGS;
use simdex_schema::{DocId, DocumentKind};
use simdex_signature::{Fingerprint, Rung, SchemeKind, ShingleSet};

use crate::index::{Index, IndexState};
use crate::{Cancel, IndexError, View};

mod tally;

pub(crate) use tally::Tally;

/// Fingerprints looked up, where the query has as many.
const PROBES: u64 = 128;
/// Fingerprints of a query that are put in order and looked up at once.
const AT_ONCE: usize = 64 << 10;

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

/// The query's fingerprints: all of its text, or those of a signature at the rung `finest`.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Mod_n or chunks.
    pub scheme: SchemeKind,
    /// All fingerprints of the query; those of the probing rung are looked up.
    pub fingerprints: Probes<'a>,
    /// Rung at which the query was sampled already; 0 where its text is at hand.
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
    /// Posting lists so common that they only added counts to documents found by other fingerprints.
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
            let state = self.state();
            let rung = probing_rung(&state, kind, asked, question, &counts);
            (state.table.visible(view), rung)
        };
        let mut tally = Tally::new(self, asked.scheme, Some(&visible));
        let probe = &mut |probes: &[Fingerprint]| tally.probe(probes, cancel);
        asked.fingerprints.visit(rung, probe)?;
        let due = may_decide(&tally, question, rung, &counts);
        tally.read_long(&due, cancel)?;
        for id in also {
            tally.hits.entry(id).or_insert(0);
        }
        let suppressed = tally.add_long(cancel)?;
        let state = self.state();
        let found = tally.hits.into_iter().filter_map(|(document, hits)| {
            let stats = state
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
            let state = self.state();
            let rungs = state.table.rungs(DocumentKind::Text).collect();
            (rungs, state.table.visible(view))
        };
        let mut sharing = FxHashMap::default();
        for rung in rungs {
            cancel.check()?;
            let mut tally = Tally::new(self, SchemeKind::BswN, Some(&visible));
            visit(rung, &mut |part| {
                let mut parts = part.chunks(AT_ONCE);
                parts.try_for_each(|probes| tally.probe(probes, cancel))
            })?;
            tally.read_long(&|_| true, cancel)?;
            let state = self.state();
            let found = tally.hits.into_iter();
            sharing.extend(found.filter(|(id, _)| {
                let stats = state.table.get(*id);
                stats.is_some_and(|stats| stats.rung == rung)
            }));
        }
        Ok(sharing)
    }
}

/// Called with the fingerprints of a query, a bounded number at a time.
pub type Each<'a> = dyn FnMut(&[Fingerprint]) -> Result<(), IndexError> + 'a;

/// Signs the query at a rung and passes on the fingerprints.
pub type VisitRung<'a> = dyn Fn(Rung, &mut Each<'_>) -> Result<(), IndexError> + 'a;

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
    state: &IndexState,
    kind: DocumentKind,
    asked: Asked<'_>,
    question: Question,
    counts: &Counts,
) -> Rung {
    let rung = match question {
        Question::Contained => state.table.rungs(kind).next(),
        _ => Rung::all()
            .rev()
            .find(|rung| counts[usize::from(rung.get())] >= PROBES),
    };
    rung.unwrap_or(Rung::ZERO).max(asked.finest)
}
