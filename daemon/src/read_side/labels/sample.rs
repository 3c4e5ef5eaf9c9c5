//! Pairs to be labelled: a sample of the near-duplicates of a view, determined by a seed.
//!
//! Documents are taken in an order determined by their hashes and the seed; each is paired with the partner that comes
//! first in another such order. A family of a thousand versions has half a million pairs: here it contributes only as
//! many as it has documents, so that a sample represents the collection and not its largest family. Time: one search
//! for partners for each document examined, of which there are at most 64 for each pair requested, and 20,000.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;

use simdex_index::{IndexError, MemoryAccount, PairSearch, VisibleRoots};
use simdex_proto::completeness::Completeness;
use simdex_schema::{DocId, DocumentHash};
use simdex_signature::{Fingerprint, Ratio};

use super::LabelError;
use crate::engine::{CompletenessCheck, Engine};

/// Documents examined, at least, and for each pair requested.
const LOOKED_AT: usize = 20_000;
const FOR_EACH: usize = 64;

/// Parameters of a sample.
#[derive(Clone, Debug)]
pub struct SampleRequest {
    /// The roots whose files may be sampled.
    pub view: VisibleRoots,
    /// Least resemblance of a pair.
    pub threshold: Ratio,
    /// Most pairs of the sample.
    pub limit: usize,
    /// Determines the sample.
    pub seed: u64,
}

/// A pair to be labelled.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledPair {
    /// The first file of each document, by path, with that document.
    pub sides: [(PathBuf, DocumentHash); 2],
    /// Counted on all shingles.
    pub resemblance: f64,
}

/// Samples pairs of different documents, in the order of the sample.
///
/// # Errors
/// The index failed, or the client disconnected.
pub fn sample(
    engine: &Engine,
    request: &SampleRequest,
    account: &MemoryAccount,
) -> Result<(Vec<SampledPair>, Completeness), LabelError> {
    let check = CompletenessCheck::begin(engine, &request.view, false)?;
    let search = engine
        .index
        .reader()
        .pairs()
        .search(&request.view, request.threshold);
    let _held = account.take_large(32 * search.documents().count() as u64)?;
    let mut order = ordered(&search, engine, request.seed, account)?;
    order.truncate(LOOKED_AT.max(FOR_EACH * request.limit));
    let (mut pairs, mut known) = (Vec::new(), HashSet::new());
    for (own, id) in order {
        if pairs.len() >= request.limit {
            break;
        }
        account.cancel().check()?;
        let Some((partner, resemblance)) = partner(&search, id, own, engine, account)? else {
            continue;
        };
        if known.insert((id.min(partner), id.max(partner))) {
            let sides = side(engine, &request.view, id)?.zip(side(engine, &request.view, partner)?);
            pairs.extend(sides.map(|(a, b)| SampledPair {
                sides: if a.0 <= b.0 { [a, b] } else { [b, a] },
                resemblance,
            }));
        }
    }
    Ok((pairs, check.verdict()?))
}

/// The documents of a search in the order given by a seed.
fn ordered(
    search: &PairSearch<'_>,
    engine: &Engine,
    seed: u64,
    account: &MemoryAccount,
) -> Result<Vec<(u64, DocId)>, IndexError> {
    let mut order = Vec::new();
    for id in search.documents() {
        account.cancel().check()?;
        let stats = engine.index.reader().documents().stats(id);
        order.extend(stats.map(|stats| (place(stats.hash, seed), id)));
    }
    order.sort_unstable();
    Ok(order)
}

/// The position of a document under a seed.
fn place(hash: DocumentHash, seed: u64) -> u64 {
    let first = hash.0.first_chunk().copied().unwrap_or_default();
    let seed = Fingerprint(seed.wrapping_add(1)).mixed();
    Fingerprint(u64::from_be_bytes(first) ^ seed).mixed()
}

/// The partner that comes first in an order specific to the document. Of many possible partners only those are
/// counted that come before all found so far.
fn partner(
    search: &PairSearch<'_>,
    id: DocId,
    own: u64,
    engine: &Engine,
    account: &MemoryAccount,
) -> Result<Option<(DocId, f64)>, IndexError> {
    let of = |other: DocId| {
        Some(place(
            engine.index.reader().documents().stats(other)?.hash,
            own,
        ))
    };
    let lowest = Cell::new(u64::MAX);
    let is_candidate = |other: DocId| {
        let found = of(other).filter(|found| *found < lowest.get());
        found.into_iter().for_each(|found| lowest.set(found));
        Ok(found.is_some())
    };
    let partners = search.filtered_partners_of(id, &is_candidate, account)?;
    let first = partners.iter().min_by_key(|(other, _)| of(*other));
    Ok(first.map(|(other, edge)| (*other, edge.resemblance())))
}

/// The first file that carries a document; `None` if it has disappeared meanwhile.
fn side(
    engine: &Engine,
    view: &VisibleRoots,
    id: DocId,
) -> Result<Option<(PathBuf, DocumentHash)>, IndexError> {
    let mut found = None;
    engine
        .index
        .reader()
        .files()
        .visit_of_document(id, view, &mut |file| {
            found = file.document.map(|(_, hash)| (file.path, hash));
            ControlFlow::Break(())
        })?;
    Ok(found)
}
