//! Folding: of the hits of one answer those that are near-duplicates of a better one stand under it.
//!
//! Near-duplicates are two hits of one document, and two whose resemblance, counted on all shingles, reaches the
//! threshold. Each hit is compared with the unfolded hits before it, best first, so that two hits folded under the
//! same one need not resemble each other; files of one document are always folded under the same. An answer compares
//! [`MOST_COMPARED`] pairs and reads [`MOST_SHINGLES`] shingles at most: what was not compared is not folded.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use simdex_index::{HeldSet, IndexError, IndexReader, MemoryAccount};
use simdex_schema::{DocId, DocumentHash};

use super::{Hit, Overlap};

/// Pairs of hits that one answer compares at most.
const MOST_COMPARED: u32 = 4_096;
/// Shingles that one answer reads for it at most, but for the last pair.
const MOST_SHINGLES: u64 = 64 << 20;

/// Of each hit the place of the better one that it is folded under; none of those that stand for themselves.
pub fn fold(
    index: &IndexReader,
    hits: &[Hit],
    threshold: f64,
    account: &MemoryAccount,
) -> Result<Vec<Option<usize>>, IndexError> {
    let mut folding = Folding {
        index,
        threshold,
        account,
        left: MOST_COMPARED,
        left_shingles: MOST_SHINGLES,
    };
    // Of each document the hit that its files stand under, or the first of these themselves.
    let mut stands_under: HashMap<DocumentHash, usize> = HashMap::new();
    let mut best: Vec<usize> = Vec::new();
    let mut folded = Vec::with_capacity(hits.len());
    for (at, hit) in hits.iter().enumerate() {
        let under = match stands_under.entry(hit.document) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let under = folding.best_near(hits, &best, hit)?.unwrap_or(at);
                if under == at {
                    best.push(at);
                }
                *new.insert(under)
            }
        };
        folded.push((under != at).then_some(under));
    }
    Ok(folded)
}

struct Folding<'a> {
    index: &'a IndexReader,
    threshold: f64,
    account: &'a MemoryAccount,
    /// Pairs that may still be compared.
    left: u32,
    /// Shingles that may still be read.
    left_shingles: u64,
}

impl Folding<'_> {
    /// The first of the best hits so far that this one resembles enough; none where nothing more may be compared.
    fn best_near(
        &mut self,
        hits: &[Hit],
        best: &[usize],
        hit: &Hit,
    ) -> Result<Option<usize>, IndexError> {
        let Some((own, _)) = hit.file.document else {
            return Ok(None);
        };
        let mut own_set = None;
        for &other in best {
            self.account.cancel().check()?;
            let Some((theirs, _)) = hits[other].file.document else {
                continue;
            };
            if self.left == 0 || self.left_shingles == 0 {
                break;
            }
            self.left -= 1;
            if own_set.is_none() {
                own_set = self.read(own)?;
            }
            let Some(own) = &own_set else {
                break;
            };
            if let Some(theirs) = self.read(theirs)?
                && self.are_near(&theirs, own)?
            {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    fn read(&mut self, id: DocId) -> Result<Option<HeldSet>, IndexError> {
        let set = self.index.shingles_if_readable(id, self.account)?;
        let read = set.as_ref().map_or(0, |set| set.len() as u64);
        self.left_shingles = self.left_shingles.saturating_sub(read);
        Ok(set)
    }

    fn are_near(&self, a: &HeldSet, b: &HeldSet) -> Result<bool, IndexError> {
        // Sets of unlike size cannot be near.
        let (smaller, larger) = (a.len().min(b.len()), a.len().max(b.len()));
        if (smaller as f64) < self.threshold * larger as f64 {
            return Ok(false);
        }
        let overlap = Overlap::exact(a, b, self.account.cancel())?;
        let resemblance = overlap.resemblance.value;
        Ok(resemblance.is_some_and(|value| value >= self.threshold))
    }
}
