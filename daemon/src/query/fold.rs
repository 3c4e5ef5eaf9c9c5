//! Folding: of the hits of one answer those that are near-duplicates of a better one stand under it.
//!
//! Two hits of one document, and two whose resemblance reaches the threshold, counted on all shingles. Each hit is
//! compared with those that stand for themselves, best first; what is folded under one need not resemble what else
//! is. An answer compares [`MOST_COMPARED`] pairs and reads [`MOST_SHINGLES`] at most: what was not compared is not
//! folded.

use simdex_index::{Index, IndexError, MemoryAccount};

use super::{Hit, Overlap};

/// Pairs of hits that one answer compares at most.
const MOST_COMPARED: u32 = 4_096;
/// Shingles that one answer reads for it at most, but for the last pair.
const MOST_SHINGLES: u64 = 64 << 20;

/// Of each hit the place of the better one that it is folded under; none of those that stand for themselves.
pub fn fold(
    index: &Index,
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
    let mut best: Vec<usize> = Vec::new();
    let mut folded = Vec::with_capacity(hits.len());
    for (at, hit) in hits.iter().enumerate() {
        let mut under = None;
        for &other in &best {
            account.cancel().check()?;
            if folding.are_near(&hits[other], hit)? {
                under = Some(other);
                break;
            }
        }
        if under.is_none() {
            best.push(at);
        }
        folded.push(under);
    }
    Ok(folded)
}

struct Folding<'a> {
    index: &'a Index,
    threshold: f64,
    account: &'a MemoryAccount,
    /// Pairs that may still be compared.
    left: u32,
    /// Shingles that may still be read.
    left_shingles: u64,
}

impl Folding<'_> {
    fn are_near(&mut self, a: &Hit, b: &Hit) -> Result<bool, IndexError> {
        if a.document == b.document {
            return Ok(true);
        }
        let (Some((a, _)), Some((b, _))) = (a.file.document, b.file.document) else {
            return Ok(false);
        };
        if self.left == 0 || self.left_shingles == 0 {
            return Ok(false);
        }
        self.left -= 1;
        let read = |id| self.index.shingles_if_readable(id, self.account);
        let (Some(a), Some(b)) = (read(a)?, read(b)?) else {
            return Ok(false);
        };
        let read = (a.len() + b.len()) as u64;
        self.left_shingles = self.left_shingles.saturating_sub(read);
        // Sets of unlike size cannot be near.
        let (smaller, larger) = (a.len().min(b.len()), a.len().max(b.len()));
        if (smaller as f64) < self.threshold * larger as f64 {
            return Ok(false);
        }
        let overlap = Overlap::exact(&a, &b, self.account.cancel())?;
        Ok(overlap
            .resemblance
            .value
            .is_some_and(|value| value >= self.threshold))
    }
}
