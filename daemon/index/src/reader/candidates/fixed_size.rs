//! Candidates by fixed-size sketches (bottom-k MinHash: Min_n; one-permutation hashing: Sketch_n): the documents that
//! share entries with a query, with counts that bound their resemblance.
//!
//! **Min_n.** Of the n smallest fingerprints of A ∪ B, the number in both follows a hypergeometric law whose mean is n
//! times the resemblance ([`MinN`](simdex_signature::MinN)). Each of them is an entry of both signatures, so at most as
//! many agree as entries are shared. If a signature is full, the union has at least n fingerprints. So an upper bound
//! for the shared entries of n trials holds for the resemblance. It is wider than that of Broder's count, which would
//! need the other signature; postings tell only the shared entries.
//!
//! **Sketch_n.** The trials are the bins in use in either signature; there are at least as many as in the signature
//! that uses more.
//!
//! All n entries of a query are looked up: a long document of resemblance r shares none with probability (1-r)^n, below
//! 0.001 for n = 512 from r = 0.014 on, a short one less often ([`Coverage`]). If common lists add no documents, they
//! are fewer than n/32, and so is what a document shares that only they would add: its upper bound is 0.066.

use simdex_schema::{DocId, DocumentKind};
use simdex_signature::{SchemeKind, Signature, SketchLookup};

use super::{COMMON_LIST_DIVISOR, Candidate, Candidates, CountBasis, Coverage, FoundCandidates};
use crate::postings::Tally;
use crate::{DocumentStats, IndexError, MemoryAccount, VisibleRoots};

impl Candidates<'_> {
    /// Documents of the view that share entries with a query of this many distinct shingles, signed by Min_n or
    /// Sketch_n at the n of the index. There are none if the index holds none of the query's scheme. Their memory is
    /// charged to the account.
    pub fn by_sketches(
        self,
        query: &Signature,
        shingles: u64,
        view: &VisibleRoots,
        account: &MemoryAccount,
    ) -> Result<FoundCandidates, IndexError> {
        let cancel = account.cancel();
        let visible = self.postings.shared.state().table.visible(view);
        let mut tally = Tally::for_request(self.postings, query.scheme().kind, &visible, account);
        tally.probe(query.fingerprints(), cancel)?;
        // As for Mod_n: if few of the query's entries are common, a document found by those alone shares almost
        // nothing.
        let common = tally.common_lists_unread.len() as u64;
        if common * COMMON_LIST_DIVISOR >= query.len() as u64 {
            tally.read_common(&|_| true, cancel)?;
        }
        let common_lists_count_only = tally.count_common_for_counted(cancel)?;
        let (found, held) = tally.into_found(&|id, stats, shared| {
            let is_text = stats.kind == DocumentKind::Text;
            is_text.then(|| candidate(query, shared, stats, id))
        })?;
        let coverage = match query.scheme().kind {
            SchemeKind::SketchN => {
                let lookup = SketchLookup::new(query, shingles);
                Coverage::of_sketch_n(lookup, common_lists_count_only)
            }
            _ => {
                let (n, of_query) = (query.rung().modulus(), query.len() as u64);
                Coverage::of_min_n(n, of_query, common_lists_count_only)
            }
        };
        Ok(FoundCandidates {
            found,
            held,
            common_lists_count_only,
            coverage,
        })
    }
}

fn candidate(query: &Signature, shared: u64, stats: &DocumentStats, document: DocId) -> Candidate {
    let (n, of_query) = (query.rung().modulus(), query.len() as u64);
    let is_min_n = query.scheme().kind == SchemeKind::MinN;
    let of_document = u64::from(match is_min_n {
        true => stats.min_count,
        false => stats.sketch_count,
    });
    // Two fingerprints may agree in the 40 bits kept; no count may exceed a side.
    let shared = shared.min(of_query).min(of_document);
    let is_whole = is_min_n && of_query < n && of_document < n;
    let trials = match is_min_n {
        true if is_whole => of_query + of_document - shared,
        true => n,
        false => of_query.max(of_document),
    };
    Candidate {
        document,
        rung: query.rung(),
        shared,
        query_fingerprints: of_query,
        document_fingerprints: of_document,
        basis: CountBasis::FixedSize { trials, is_whole },
    }
}
