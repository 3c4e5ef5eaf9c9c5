//! Pairs of near-duplicates of a view: the partners of each document, sought when they are asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use roaring::RoaringTreemap;
use simdex_schema::{DocId, EdgeRecord};
use simdex_signature::Ratio;

use crate::cache::Cache;
use crate::edges::{EdgeFinder, LoadedDocument, Partner};
use crate::{IndexError, IndexReader, MemoryAccount, View};

/// Seeks the near-duplicates of one document after another.
pub struct PairSearch<'a> {
    index: &'a IndexReader,
    view: View,
    visible: RoaringTreemap,
    finder: EdgeFinder<'a>,
    /// Partners found of documents that several files carry, weighed by their number.
    found: Cache<DocId, Arc<Vec<(DocId, EdgeRecord)>>>,
    counted: AtomicU64,
}

/// Partners that a search keeps: 40 bytes each.
const KEPT_PARTNERS: u64 = 1 << 18;

/// Whether a partner is wanted; it may read the index.
pub type IsWanted<'a> = dyn Fn(DocId) -> Result<bool, IndexError> + 'a;

impl PairSearch<'_> {
    /// Documents with text that the view shows, by id.
    pub fn documents(&self) -> impl Iterator<Item = DocId> + '_ {
        self.visible.iter().map(DocId)
    }

    /// Every near-duplicate of a document, with exact counts, its own side first.
    pub fn partners_of(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Vec<(DocId, EdgeRecord)>, IndexError> {
        self.finder.edges_of(id, &|_, _| true, account)
    }

    /// The near-duplicates of a document that are wanted, as [`PairSearch::partners_of`], for a listing in
    /// which each pair is wanted from one side. Of documents that several files carry the partners are
    /// kept, so that such a document is not sought once a file; these may be more than are wanted.
    pub fn wanted_partners_of(
        &self,
        id: DocId,
        is_wanted: &IsWanted<'_>,
        account: &MemoryAccount,
    ) -> Result<Arc<Vec<(DocId, EdgeRecord)>>, IndexError> {
        if let Some(found) = self.found.get(&id) {
            return Ok(found);
        }
        let mut found = Vec::new();
        if let Some(document) = self.finder.load(id, account)? {
            for partner in self
                .finder
                .find_partners(&document, &|_, _| true, account)?
            {
                account.cancel().check()?;
                if is_wanted(partner.id)? {
                    let edge = self.edge(&document, &partner, account)?;
                    found.extend(edge.map(|edge| (partner.id, edge)));
                }
            }
        }
        let found = Arc::new(found);
        if self.index.files_in(id, &self.view) > 1 {
            let weight = 1 + found.len() as u64;
            self.found.insert(id, Arc::clone(&found), weight);
        }
        Ok(found)
    }

    /// The edge to a partner; known where it was found from the other side.
    fn edge(
        &self,
        document: &LoadedDocument,
        partner: &Partner,
        account: &MemoryAccount,
    ) -> Result<Option<EdgeRecord>, IndexError> {
        let theirs = self.found.get(&partner.id).unwrap_or_default();
        if let Some((_, edge)) = theirs.iter().find(|(other, _)| *other == document.id) {
            return Ok(Some(edge.swapped()));
        }
        self.counted.fetch_add(1, Ordering::Relaxed);
        self.finder
            .edge(document, partner.id, partner.threshold, account)
    }

    /// Pairs that [`PairSearch::wanted_partners_of`] has counted on all shingles so far.
    pub fn counted(&self) -> u64 {
        self.counted.load(Ordering::Relaxed)
    }

    /// Fingerprint lists left unread so far, because no pair hung on them.
    pub fn long_lists(&self) -> u64 {
        self.finder.long_lists()
    }
}

impl IndexReader {
    /// A search for the pairs of a view at a threshold of its own.
    pub fn pair_search(&self, view: &View, threshold: Ratio) -> PairSearch<'_> {
        let visible = self.shared.state().texts(view);
        PairSearch {
            index: self,
            view: view.clone(),
            finder: EdgeFinder::for_question(self, threshold, visible.clone()),
            found: Cache::new(KEPT_PARTNERS),
            counted: AtomicU64::new(0),
            visible,
        }
    }
}
