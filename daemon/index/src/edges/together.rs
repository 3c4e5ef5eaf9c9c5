//! Several loaded documents of one family, compared with another document at once.

use std::sync::Arc;

use simdex_schema::{DocId, EdgeRecord};
use simdex_signature::{Levels, LevelsTogether, SharedAt};

use super::compare::edge_of;
use super::{Cuts, EdgeFinder, LoadedDocument, PairThreshold};
use crate::{IndexError, MemoryAccount, MemoryPermit};

/// Maximum number of documents that others are compared with together.
pub(crate) const TOGETHER: usize = LevelsTogether::TEXTS;

/// Documents that others are compared with together.
pub(crate) struct LoadedTogether<'s> {
    documents: Vec<&'s LoadedDocument>,
    levels: LevelsTogether,
    /// Number of shingles of each.
    shingles: Vec<u64>,
    _permit: Option<MemoryPermit>,
}

/// A document of several, by its position, with what it must share with another one.
pub(crate) type AskedTogether = (usize, PairThreshold);

impl EdgeFinder<'_> {
    /// Joins the shingles of loaded documents; `None` if those of one are not in memory.
    pub(crate) fn together<'s>(
        &self,
        documents: Vec<&'s LoadedDocument>,
        account: &MemoryAccount,
    ) -> Result<Option<LoadedTogether<'s>>, IndexError> {
        let levels = documents.iter().map(|document| {
            let levels = document.shingles.as_ref()?.levels()?;
            Some(Arc::as_ref(levels))
        });
        let Some(levels) = levels.collect::<Option<Vec<&Levels>>>() else {
            return Ok(None);
        };
        let shingles: Vec<u64> = levels.iter().map(|levels| levels.len() as u64).collect();
        let permit = account.take_large(LevelsTogether::peak_bytes(shingles.iter().sum()))?;
        Ok(Some(LoadedTogether {
            levels: LevelsTogether::of(&levels),
            documents,
            shingles,
            _permit: permit,
        }))
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
        let Some(theirs) = self.shingles(other, account)? else {
            return Ok(());
        };
        self.keep(other, &theirs);
        let Some(levels) = theirs.levels() else {
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
            pair.may_reach(shared, cuts)
        });
        last
    }
}
