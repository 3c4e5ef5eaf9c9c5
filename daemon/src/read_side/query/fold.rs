//! Folding: hits of one answer that are near-duplicates of a better hit are shown under it.
//!
//! Two hits are near-duplicates if they are of one document, or if their resemblance, counted on all shingles, reaches
//! the threshold. Each hit is compared with the unfolded hits before it, best first, so that two hits folded under the
//! same one need not resemble each other; files of one document are always folded under the same. An answer compares
//! at most [`MAX_COMPARED`] pairs and reads at most [`MAX_SHINGLES`] shingles: what was not compared is not folded.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use simdex_index::{HeldShingles, IndexError, MemoryAccount, ShingleSets};
use simdex_schema::{DocId, DocumentHash};

use super::{Hit, Overlap};

/// Most pairs of hits that one answer compares.
const MAX_COMPARED: u32 = 4_096;
/// Most shingles that one answer reads for folding, apart from the last pair.
const MAX_SHINGLES: u64 = 64 << 20;

/// Folds the hits of one answer, round by round: pairs that were compared in an earlier round are not compared again.
pub struct Folding<'a> {
    shingles: ShingleSets<'a>,
    threshold: f64,
    account: &'a MemoryAccount,
    /// Whether these two documents are near-duplicates, for all pairs compared so far.
    compared: HashMap<[DocId; 2], bool>,
    /// Pairs that may still be compared.
    left: u32,
    /// Shingles that may still be read.
    left_shingles: u64,
}

impl<'a> Folding<'a> {
    /// Folds hits whose resemblance reaches this threshold.
    pub fn new(shingles: ShingleSets<'a>, threshold: f64, account: &'a MemoryAccount) -> Self {
        Self {
            shingles,
            threshold,
            account,
            compared: HashMap::new(),
            left: MAX_COMPARED,
            left_shingles: MAX_SHINGLES,
        }
    }

    /// For each hit the index of the better one that it is folded under; `None` for those that are not folded.
    pub fn fold(&mut self, hits: &[Hit]) -> Result<Vec<Option<usize>>, IndexError> {
        // For each document the hit that its files are folded under, or the first of its files.
        let mut stands_under: HashMap<Option<DocumentHash>, usize> = HashMap::new();
        let mut best: Vec<usize> = Vec::new();
        let mut folded = Vec::with_capacity(hits.len());
        for (at, hit) in hits.iter().enumerate() {
            let under = match stands_under.entry(hit.document) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    let under = self.best_near(hits, &best, hit)?.unwrap_or(at);
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
            match self.is_near([theirs, own], &mut own_set)? {
                Some(true) => return Ok(Some(other)),
                Some(false) => {}
                None => break,
            }
        }
        Ok(None)
    }

    /// Whether two documents are near-duplicates; `None` if nothing more may be compared, or if the second cannot be.
    /// The shingles of the second are read once.
    fn is_near(
        &mut self,
        pair: [DocId; 2],
        second: &mut Option<HeldShingles>,
    ) -> Result<Option<bool>, IndexError> {
        if let Some(known) = self.compared.get(&pair) {
            return Ok(Some(*known));
        }
        if self.left == 0 || self.left_shingles == 0 {
            return Ok(None);
        }
        self.left -= 1;
        if second.is_none() {
            *second = self.read(pair[1])?;
        }
        let Some(second) = second else {
            return Ok(None);
        };
        let is_near = match self.read(pair[0])? {
            Some(first) => self.are_near(&first, second)?,
            None => false,
        };
        self.compared.insert(pair, is_near);
        Ok(Some(is_near))
    }

    fn read(&mut self, id: DocId) -> Result<Option<HeldShingles>, IndexError> {
        let set = self.shingles.if_readable(id, self.account)?;
        let read = set.as_ref().map_or(0, |set| set.len() as u64);
        self.left_shingles = self.left_shingles.saturating_sub(read);
        Ok(set)
    }

    fn are_near(&self, a: &HeldShingles, b: &HeldShingles) -> Result<bool, IndexError> {
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

#[cfg(test)]
mod tests {
    use simdex_index::Cancel;
    use simdex_signature::SchemeKind;

    use super::super::tests::{index_of, similar, words};
    use super::super::{Subject, find};
    use super::*;

    #[test]
    fn a_further_round_compares_only_what_is_new_in_it() {
        let mut seed = 3;
        let base = words(&mut seed, 400);
        let texts: Vec<String> = (0..8)
            .map(|edits| {
                let mut text = base.clone();
                text.truncate(400 - 25 * edits);
                text.join(" ")
            })
            .collect();
        let (index, _dir) = index_of(&texts);
        let account = index.memory().requests.account_of(0, &Cancel::never());
        let subject = Subject::from_text(&index, texts[0].clone(), &account).unwrap();
        let params = similar(SchemeKind::ModN, 0.5);
        let hits = find(&index, &subject, &params, &Cancel::never())
            .unwrap()
            .hits;
        assert!(hits.len() > 4, "{}", hits.len());
        let mut once = Folding::new(index.shingles(), 0.9, &account);
        let folded = once.fold(&hits).unwrap();
        assert!(folded.iter().any(Option::is_some) && folded[1..].contains(&None));
        let mut in_rounds = Folding::new(index.shingles(), 0.9, &account);
        for shown in [2, 4, hits.len(), hits.len()] {
            assert_eq!(in_rounds.fold(&hits[..shown]).unwrap(), folded[..shown]);
        }
        assert_eq!(
            (in_rounds.left, in_rounds.left_shingles > 0),
            (once.left, true)
        );
        // What may not be compared any more is not folded; what was compared stays so.
        in_rounds.left = 0;
        assert_eq!(in_rounds.fold(&hits).unwrap(), folded);
        let mut spent = Folding::new(index.shingles(), 0.9, &account);
        spent.left = 0;
        assert!(spent.fold(&hits).unwrap().iter().all(Option::is_none));
    }

    #[test]
    fn each_hit_of_a_crowd_is_compared_once() {
        let base = words(&mut 3, 400);
        let version = |at: usize| {
            let mut text = base.clone();
            text[at] = format!("version{at}");
            text.join(" ")
        };
        let (index, _dir) = index_of(&(0..300).map(version).collect::<Vec<_>>());
        let account = index.memory().requests.account_of(0, &Cancel::never());
        let subject = Subject::from_text(&index, base.join(" "), &account).unwrap();
        let mut params = similar(SchemeKind::ModN, 0.5);
        params.limit = 300;
        let hits = find(&index, &subject, &params, &Cancel::never()).unwrap();
        let mut folding = Folding::new(index.shingles(), 0.8, &account);
        let folded = folding.fold(&hits.hits).unwrap();
        assert_eq!((folded.len(), folded.iter().flatten().count()), (300, 299));
        assert_eq!(MAX_COMPARED - folding.left, 299);
    }
}
