//! A subject of which less than a shingle is left without template lines: only its copies resemble it, and they are
//! found by the hash of its whole text.

use simdex_index::{Candidate, CountBasis, IndexReader};
use simdex_signature::Rung;

use super::{Overlap, QueryError, QueryParams, Subject, TextsForJudging, VerifiedDocuments};

/// The subject's own document, if the view shows it.
pub(super) fn own_document(
    index: &IndexReader,
    subject: &Subject,
    params: &QueryParams,
) -> Result<VerifiedDocuments, QueryError> {
    let hash = subject.document_hash();
    let document = hash.map_or(Ok(None), |hash| index.documents().with_hash(hash))?;
    let shown = document.filter(|id| index.files().count_of_document(*id, &params.view) > 0);
    let found = shown.map(|document| {
        let candidate = Candidate {
            document,
            rung: Rung::ZERO,
            shared: 0,
            query_fingerprints: 0,
            document_fingerprints: 0,
            basis: CountBasis::Unknown,
        };
        (candidate, Overlap::IDENTICAL)
    });
    Ok(VerifiedDocuments {
        documents: found.into_iter().collect(),
        texts: TextsForJudging::default(),
        counted: 0,
        unverified: 0,
    })
}
