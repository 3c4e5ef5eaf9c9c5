//! Candidates: the documents that share fingerprints with a query, with counts that estimate how
//! much.
//!
//! Nested sampling makes a query cheap: the fingerprints divisible by 2^r are a sample of those divisible by 2^(r-1).
//! So a query is compared at the coarsest rung that still leaves it [`PROBES`] fingerprints, and only those are looked
//! up. With p probes a document that holds the share c of the query is missed with probability (1-c)^p: below 0.001
//! from p = 128 for c ≥ 0.053. Documents with a coarser rung of their own are compared at theirs, on the probes that
//! reach it: if a long document contains a short query, these may be few, or none
//! ([`Rung::shortest_excerpt`](simdex_signature::Rung::shortest_excerpt)). If the two resemble each other, they are
//! about as many as the probes, since their lengths are alike.
//!
//! `Contained` (small documents inside a long query) must not use a coarser rung than each document's own: it looks up
//! the whole query at the finest rung in use.

use rustc_hash::FxHashMap;
use simdex_schema::document::RUNGS;
use simdex_schema::{DocId, DocumentKind};
use simdex_signature::{Fingerprint, Ratio, Rung, SchemeKind, ShingleSet, SuperShingles};

use crate::postings::{BYTES_PER_COUNTED_DOCUMENT, Postings, Tally};
use crate::shared::{IndexState, document_kind};
use crate::{DocumentStats, GrowingPermit, IndexError, MemoryAccount, VisibleRoots};

mod common_lists;
mod coverage;
mod fixed_size;
mod super_shingles;

use common_lists::{COMMON_LIST_DIVISOR, significant_common_lists};
use coverage::RungsInUse;
pub use coverage::{Coverage, SoughtRatio};

/// Number of fingerprints looked up, if the query has as many.
const PROBES: u64 = 128;
/// Fingerprints of a query that are sorted and looked up at once.
const AT_ONCE: usize = 64 << 10;

/// How the documents to be found relate to the query, and the smallest ratio of those that must not be missed. With 0
/// every document that shares much with the query matters, whatever its ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CandidateKind {
    /// They resemble the query, at least by this resemblance.
    Similar(Ratio),
    /// They contain the query, at least this share of it.
    Containing(Ratio),
    /// The query contains them.
    Contained,
}

/// The fingerprints of a query: those of all its shingles, or of a signature.
#[derive(Clone, Copy)]
pub struct QueryFingerprints<'a> {
    /// Mod_n or chunks.
    pub scheme: SchemeKind,
    /// All that are divisible by the modulus of `rung`; those of the probing rung are looked up.
    pub fingerprints: Fingerprints<'a>,
    /// Rung at which the query was already sampled; 0 if all its shingles are available.
    pub rung: Rung,
}

/// Fingerprints, ascending and distinct.
#[derive(Clone, Copy, Debug)]
pub enum Fingerprints<'a> {
    /// Fingerprints in a list.
    Listed(&'a [Fingerprint]),
    /// All shingles of a text.
    All(&'a ShingleSet),
}

impl Fingerprints<'_> {
    /// How many fingerprints there are at each rung.
    fn counts_by_rung(self) -> Counts {
        match self {
            Self::Listed(list) => counts_by_rung(list),
            Self::All(set) => set.counts_by_rung(),
        }
    }

    /// Calls `each` with the fingerprints divisible by the modulus of a rung, at most [`AT_ONCE`] at a time.
    fn visit(self, rung: Rung, each: &mut FingerprintSink<'_>) -> Result<(), IndexError> {
        let mut visit = |part: &[Fingerprint]| {
            let mut batch = Vec::with_capacity(part.len().min(AT_ONCE));
            for fingerprint in part.iter().filter(|f| f.divisible_by(rung)) {
                batch.push(*fingerprint);
                if batch.len() == AT_ONCE {
                    each(&batch)?;
                    batch.clear();
                }
            }
            each(&batch)
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
    /// Id of the document found.
    pub document: DocId,
    /// Rung at which both sides were counted.
    pub rung: Rung,
    /// Fingerprints in both.
    pub shared: u64,
    /// Fingerprints of the query at that rung.
    pub query_fingerprints: u64,
    /// Fingerprints of the document at that rung.
    pub document_fingerprints: u64,
    /// What these counts were taken of.
    pub basis: CountBasis,
}

/// What the counts of a candidate were taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountBasis {
    /// All fingerprints divisible by the modulus of the rung, so that the resemblance and both containments have trials
    /// of their own; at rung 0 nothing was left out.
    ModSample,
    /// Fixed-size sketches, which bound only the resemblance: there were at least `trials` trials, and at most as many
    /// agreed as fingerprints are shared.
    FixedSize {
        /// Lower bound of the number of trials.
        trials: u64,
        /// Both signatures hold all fingerprints of their texts: the counts are exact.
        is_whole: bool,
    },
    /// Super-shingles, which bound only the resemblance: what is shared are groups that agree, each with a probability
    /// that follows from it ([`SuperShingles::agreeing`]).
    SuperShingles,
    /// The counts are unusable: the document was signed again while it was counted, or it was found by its hash and
    /// never counted.
    Unknown,
}

impl Candidate {
    /// Lower bound of the trials of the resemblance.
    pub fn trials(&self) -> u64 {
        match self.basis {
            CountBasis::ModSample | CountBasis::Unknown => {
                self.query_fingerprints + self.document_fingerprints - self.shared
            }
            CountBasis::FixedSize { trials, .. } => trials,
            CountBasis::SuperShingles => SuperShingles::GROUPS,
        }
    }

    /// Whether every shingle of both texts was counted.
    pub fn is_whole(&self) -> bool {
        match self.basis {
            CountBasis::ModSample => self.rung == Rung::ZERO,
            CountBasis::FixedSize { is_whole, .. } => is_whole,
            CountBasis::SuperShingles | CountBasis::Unknown => false,
        }
    }
}

/// All candidates of a query.
#[derive(Default, Debug)]
pub struct FoundCandidates {
    /// The candidates found, unordered.
    pub found: Vec<Candidate>,
    /// Posting lists so common that they only added counts to documents found by other fingerprints.
    pub common_lists_count_only: u64,
    /// What was looked up, which bounds the probability of missing a document.
    pub coverage: Coverage,
    /// The memory permit for the candidates.
    pub held: Option<GrowingPermit>,
}

/// Documents that share fingerprints with a query, how many each shares, and the memory permit for them.
pub(crate) struct Sharing {
    pub(crate) counts: FxHashMap<DocId, u64>,
    held: GrowingPermit,
}

/// The documents that share fingerprints with a query, and how many: those that an answer may name.
///
/// A search looks up the posting lists of a query's fingerprints, some hundreds or all of them, and reads no text. Its
/// memory is charged to the account that is passed.
#[derive(Clone, Copy)]
pub struct Candidates<'a> {
    postings: Postings<'a>,
}

impl<'a> Candidates<'a> {
    pub(crate) fn of(postings: Postings<'a>) -> Self {
        Self { postings }
    }

    /// Documents of the view that share fingerprints with the query at its probing rung. The head of `candidates.rs`
    /// states how likely one is missed. Their memory is charged to the account.
    pub fn by_samples(
        self,
        query: QueryFingerprints<'_>,
        kind: CandidateKind,
        view: &VisibleRoots,
        account: &MemoryAccount,
    ) -> Result<FoundCandidates, IndexError> {
        self.find(query, kind, None, view, account)
    }

    /// Finds candidates, and counts the documents of `extra` as well, which may share none of the fingerprints
    /// looked up.
    fn find(
        self,
        query: QueryFingerprints<'_>,
        kind: CandidateKind,
        extra: Option<Sharing>,
        view: &VisibleRoots,
        account: &MemoryAccount,
    ) -> Result<FoundCandidates, IndexError> {
        let cancel = account.cancel();
        let documents = document_kind(query.scheme);
        let counts = query.fingerprints.counts_by_rung();
        let (visible, rung, rungs_before) = {
            let state = self.postings.shared.state();
            let rung = probing_rung(&state, documents, query, kind, &counts);
            (
                state.table.visible(view),
                rung,
                RungsInUse::of(&state, documents),
            )
        };
        let mut tally = Tally::for_request(self.postings, query.scheme, &visible, account);
        let probe = &mut |probes: &[Fingerprint]| tally.probe(probes, cancel);
        query.fingerprints.visit(rung, probe)?;
        // Documents may be signed again meanwhile.
        let in_use = rungs_before.united_with_now(&self.postings.shared.state(), documents);
        let significant = significant_common_lists(&tally, kind, &in_use, rung, &counts);
        tally.read_common(&significant, cancel)?;
        let rungs: Vec<Rung> = in_use.rungs().collect();
        let coverage = Coverage::of_rungs(&rungs, rung, |at| in_use.sample(&tally, at, &counts));
        if let Some(extra) = extra {
            tally.add_uncounted(extra.counts.into_keys())?;
        }
        let common_lists_count_only = tally.count_common_for_counted(cancel)?;
        let began = tally.began;
        let (found, held) = tally.into_found(&|id, stats, shared| {
            let stats = Some(stats).filter(|stats| stats.kind == documents)?;
            Some(match stats.signed_anew > began {
                // Re-signed during the count, so the count is void. Assume it shares everything; verification decides.
                true => Candidate {
                    basis: CountBasis::Unknown,
                    ..candidate(id, u64::MAX, stats, rung, &counts)
                },
                false => candidate(id, shared, stats, rung, &counts),
            })
        })?;
        Ok(FoundCandidates {
            found,
            common_lists_count_only,
            coverage,
            held,
        })
    }

    /// Documents found by either scheme: those above, and those that share a BSW_n window with the query. All are
    /// counted by Mod_n, whose samples are binomial: which windows BSW_n chooses depends on the text around a shingle,
    /// so its counts bound nothing. BSW_n does not nest, so `sign` signs the query again at every rung in use.
    pub fn by_either(
        self,
        query: QueryFingerprints<'_>,
        kind: CandidateKind,
        sign: &SignAtRung<'_>,
        view: &VisibleRoots,
        account: &MemoryAccount,
    ) -> Result<FoundCandidates, IndexError> {
        let sharing = self.sharing_windows(sign, view, account)?;
        self.find(query, kind, Some(sharing), view, account)
    }

    /// Documents of the view that share BSW_n windows with the query at their own rung, and how many.
    pub(crate) fn sharing_windows(
        self,
        sign: &SignAtRung<'_>,
        view: &VisibleRoots,
        account: &MemoryAccount,
    ) -> Result<Sharing, IndexError> {
        let cancel = account.cancel();
        let (rungs, visible): (Vec<Rung>, _) = {
            let state = self.postings.shared.state();
            let rungs = state.table.rungs(DocumentKind::Text).collect();
            (rungs, state.table.visible(view))
        };
        let mut sharing = Sharing {
            counts: FxHashMap::default(),
            held: GrowingPermit::of(account),
        };
        for rung in rungs {
            cancel.check()?;
            let mut tally = Tally::for_request(self.postings, SchemeKind::BswN, &visible, account);
            sign(rung, &mut |part| {
                let mut parts = part.chunks(AT_ONCE);
                parts.try_for_each(|probes| tally.probe(probes, cancel))
            })?;
            tally.read_common(&|_| true, cancel)?;
            sharing
                .held
                .add(tally.shared.len() as u64 * BYTES_PER_COUNTED_DOCUMENT)?;
            let state = self.postings.shared.state();
            let found = tally.shared.into_iter();
            sharing.counts.extend(found.filter(|(id, _)| {
                let stats = state.table.get(*id);
                stats.is_some_and(|stats| stats.rung == rung)
            }));
        }
        Ok(sharing)
    }
}

/// Called with the fingerprints of a query, a bounded number at a time.
pub type FingerprintSink<'a> = dyn FnMut(&[Fingerprint]) -> Result<(), IndexError> + 'a;

/// Signs the query at a rung and passes on the fingerprints.
pub type SignAtRung<'a> = dyn Fn(Rung, &mut FingerprintSink<'_>) -> Result<(), IndexError> + 'a;

/// A document that shares `shared` probes, counted at the coarser rung of both sides.
fn candidate(
    document: DocId,
    shared: u64,
    stats: &DocumentStats,
    probed: Rung,
    counts: &Counts,
) -> Candidate {
    let rung = probed.max(stats.rung);
    let at = usize::from(rung.get());
    let (query_fingerprints, document_fingerprints) = (counts[at], u64::from(stats.counts[at]));
    Candidate {
        document,
        rung,
        // Two fingerprints may agree in the 40 bits kept; no count may exceed a side.
        shared: shared.min(query_fingerprints).min(document_fingerprints),
        query_fingerprints,
        document_fingerprints,
        basis: CountBasis::ModSample,
    }
}

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
    documents: DocumentKind,
    query: QueryFingerprints<'_>,
    kind: CandidateKind,
    counts: &Counts,
) -> Rung {
    let rung = match kind {
        CandidateKind::Contained => state.table.rungs(documents).next(),
        _ => Rung::all()
            .rev()
            .find(|rung| counts[usize::from(rung.get())] >= PROBES),
    };
    rung.unwrap_or(Rung::ZERO).max(query.rung)
}
