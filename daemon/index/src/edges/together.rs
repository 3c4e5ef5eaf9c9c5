//! Several loaded documents of one family, compared with another document at once.

use std::sync::Arc;

use simdex_schema::{DocId, EdgeRecord};
use simdex_signature::{Levels, LevelsTogether, Rung, SharedAt};

use super::compare::edge_of;
use super::{Cuts, EdgeFinder, LoadedDocument, PairThreshold, Shingles};
use crate::{IndexError, MemoryAccount};

/// Maximum number of documents that others are compared with together.
pub(crate) const TOGETHER: usize = LevelsTogether::TEXTS;

/// Documents that others are compared with together.
pub(crate) struct LoadedTogether<'s> {
    documents: Vec<&'s LoadedDocument>,
    levels: LevelsTogether,
    /// Number of shingles of each.
    shingles: Vec<u64>,
}

/// A document of several, by its position, with what it must share with another one.
pub(crate) type AskedTogether = (usize, PairThreshold);

impl EdgeFinder<'_> {
    /// Joins the shingles of loaded documents; `None` if those of one are not in memory. The caller holds a permit for
    /// [`LoadedTogether::peak_bytes`].
    pub(crate) fn together<'s>(
        &self,
        documents: Vec<&'s LoadedDocument>,
    ) -> Option<LoadedTogether<'s>> {
        let levels = documents.iter().map(|document| {
            let levels = document.shingles.as_ref()?.levels()?;
            Some(Arc::as_ref(levels))
        });
        let levels = levels.collect::<Option<Vec<&Levels>>>()?;
        let shingles = levels.iter().map(|levels| levels.len() as u64).collect();
        Some(LoadedTogether {
            levels: LevelsTogether::of(&levels),
            documents,
            shingles,
        })
    }

    /// Counts the edges of some of these documents to another one, which is read once. Calls `each` with the position
    /// of every document that is a neighbour.
    pub(crate) fn edges_together(
        &self,
        together: &LoadedTogether<'_>,
        other: DocId,
        asked: &[AskedTogether],
        account: &MemoryAccount,
        mut each: impl FnMut(usize, EdgeRecord),
    ) -> Result<(), IndexError> {
        account.cancel().check()?;
        let theirs = match together.is_worthwhile(asked) {
            true => self.shingles(other, account)?,
            false => None,
        };
        if let Some(theirs) = &theirs {
            self.keep(other, theirs);
        }
        let Some(levels) = theirs.as_ref().and_then(Shingles::levels) else {
            drop(theirs);
            let documents = asked.iter();
            let documents = documents.map(|(at, pair)| (together.documents[*at], *pair));
            return self.edges_to(other, documents, account, |found, edge| {
                edge.into_iter().for_each(|edge| each(asked[found].0, edge));
            });
        };
        let last = together.compare(levels, asked, &self.cuts);
        let counted = (levels.len() + together.levels.len()) as u64;
        self.shared.work.compared(asked.len() as u64, counted);
        for (at, _) in asked {
            let sizes = [together.shingles[*at], levels.len() as u64];
            let edge = last[*at].and_then(|last| edge_of(last, sizes, &self.cuts));
            edge.into_iter().for_each(|edge| each(*at, edge));
        }
        Ok(())
    }
}

impl LoadedTogether<'_> {
    /// Bytes that joining documents with this much text takes at most, with their shingles.
    pub(crate) fn peak_bytes(text: u64) -> u64 {
        LevelsTogether::peak_bytes(text) + text * size_of::<u64>() as u64
    }

    /// Whether comparing all with a document costs less than comparing it with those that are asked for alone, if it is
    /// as long as they are. A step of a merge of two texts takes less than half the time of one of many.
    fn is_worthwhile(&self, asked: &[AskedTogether]) -> bool {
        let alone: u64 = asked.iter().map(|(at, _)| 2 * self.shingles[*at]).sum();
        let longest = self.shingles.iter().max().copied().unwrap_or_default();
        2 * alone > 5 * (self.levels.len() as u64 + longest)
    }

    /// What each of the documents asked for shares with another one, as far as it was compared.
    fn compare(
        &self,
        other: &Levels,
        asked: &[AskedTogether],
        cuts: &Cuts,
    ) -> [Option<SharedAt>; TOGETHER] {
        let mut pairs = [None; TOGETHER];
        asked.iter().for_each(|(at, pair)| pairs[*at] = Some(*pair));
        let mut last = [None; TOGETHER];
        self.levels.compare(other, |at, shared| {
            let Some(pair) = pairs[at] else {
                return false;
            };
            if shared.rung > pair.first() {
                return true;
            }
            last[at] = Some(shared);
            shared.rung > Rung::ZERO && pair.may_reach(shared, cuts)
        });
        last
    }
}
