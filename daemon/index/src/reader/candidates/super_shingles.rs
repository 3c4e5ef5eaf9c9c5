//! Candidates by super-shingles: the documents that agree with a query in two of its six groups or more.
//!
//! All six groups are looked up, however common they are: a group is common only where many documents resemble the query
//! that much. A document of resemblance r is no candidate with the probability that fewer than two of six groups agree,
//! each with probability r¹⁴ ([`SuperShingles::missed`]): 0.12 at r = 0.95 and 0.97 at 0.8. The number of groups that
//! agree bounds the resemblance, too, from above.

use simdex_schema::{DocId, DocumentKind};
use simdex_signature::{Signature, SuperShingles};

use super::{Candidate, Candidates, CountBasis, Coverage, FoundCandidates};
use crate::postings::Tally;
use crate::{DocumentStats, IndexError, MemoryAccount, VisibleRoots};

impl Candidates<'_> {
    /// Documents of the view that agree with a query, which is signed by super-shingles, in as many groups as make a
    /// candidate. There are none if the index holds none. Their memory is charged to the account.
    pub fn by_super_shingles(
        self,
        query: &Signature,
        view: &VisibleRoots,
        account: &MemoryAccount,
    ) -> Result<FoundCandidates, IndexError> {
        let cancel = account.cancel();
        let visible = self.postings.shared.state().table.visible(view);
        let mut tally = Tally::for_request(self.postings, query.scheme().kind, &visible, account);
        tally.probe(query.fingerprints(), cancel)?;
        tally.read_common(&|_| true, cancel)?;
        let (found, held) = tally.into_found(&|id, stats, shared| {
            let is_candidate = stats.kind == DocumentKind::Text && shared >= SuperShingles::NEEDED;
            is_candidate.then(|| candidate(query, shared, stats, id))
        })?;
        Ok(FoundCandidates {
            found,
            held,
            common_lists_count_only: 0,
            coverage: Coverage::of_super_shingles(query.len() as u64),
        })
    }
}

fn candidate(query: &Signature, shared: u64, stats: &DocumentStats, document: DocId) -> Candidate {
    Candidate {
        document,
        rung: query.rung(),
        shared,
        query_fingerprints: query.len() as u64,
        document_fingerprints: stats.super_shingles(),
        basis: CountBasis::SuperShingles,
    }
}
