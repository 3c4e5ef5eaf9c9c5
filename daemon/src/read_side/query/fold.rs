//! Folding: hits of one answer that are near-duplicates of a better hit are shown under it.
//!
//! Two hits are near-duplicates if they are of one document, or if their resemblance, counted on all shingles, reaches
//! the threshold. Each hit is compared with the unfolded hits before it, best first, so that two hits folded under the
//! same one need not resemble each other; files of one document are always folded under the same. An answer compares
//! at most [`MOST_COMPARED`] pairs and reads at most [`MOST_SHINGLES`] shingles: what was not compared is not folded.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use simdex_index::{HeldSet, IndexError, IndexReader, MemoryAccount};
use simdex_schema::{DocId, DocumentHash};

use super::{Hit, Overlap};

/// Most pairs of hits that one answer compares.
const MOST_COMPARED: u32 = 4_096;
/// Most shingles that one answer reads for folding, apart from the last pair.
const MOST_SHINGLES: u64 = 64 << 20;

/// For each hit the index of the better one that it is folded under; `None` for those that are not folded.
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
    // For each document the hit that its files are folded under, or the first of its files.
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
    /// The best hit so far that this one resembles enough; `None` if there is none, or nothing more may be compared.
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
        // Sets of very different size cannot be near-duplicates.
        let (smaller, larger) = (a.len().min(b.len()), a.len().max(b.len()));
        if (smaller as f64) < self.threshold * larger as f64 {
            return Ok(false);
        }
        let overlap = Overlap::exact(a, b, self.account.cancel())?;
        let resemblance = overlap.resemblance.value;
        Ok(resemblance.is_some_and(|value| value >= self.threshold))
    }
}
