//! Pairs of near-duplicates of a view. The partners of each document are searched for when they are asked for, or ahead
//! for many documents that are asked for in a known order.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use roaring::RoaringTreemap;
use simdex_schema::{DocId, EdgeRecord};
use simdex_signature::Ratio;

use self::ahead::{Ahead, Edges, FIRST_SINGLY};
use crate::cache::Cache;
use crate::edges::{EdgeFinder, LoadedDocument, Partner, pair_missed_at_most};
use crate::shared::IndexShared;
use crate::{IndexError, MemoryAccount, ShingleSets, VisibleRoots};

mod ahead;
mod counting;

pub use ahead::NextDocuments;

/// Pairs of near-duplicates of a view, at any threshold.
///
/// None are kept: the partners of a document are searched for when a [`PairSearch`] is asked for them. That costs
/// look-ups of some of its fingerprints, and reads the texts of what may be a partner.
#[derive(Clone, Copy)]
pub struct Pairs<'a> {
    shared: &'a IndexShared,
    shingles: ShingleSets<'a>,
}

impl<'a> Pairs<'a> {
    pub(crate) fn of(shingles: ShingleSets<'a>) -> Self {
        Self {
            shared: shingles.shared,
            shingles,
        }
    }

    /// A search for the pairs of a view at a threshold of its own.
    pub fn search(self, view: &VisibleRoots, threshold: Ratio) -> PairSearch<'a> {
        let visible = self.shared.state().table.visible_texts(view);
        PairSearch {
            shared: self.shared,
            view: view.clone(),
            finder: EdgeFinder::for_question(self.shingles, threshold, visible.clone()),
            found: Cache::new(KEPT_PARTNERS),
            ahead: Mutex::default(),
            counted: AtomicU64::new(0),
            file_changes: self.shared.file_changes.load(Ordering::SeqCst),
            visible,
        }
    }

    /// An upper bound of the probability that a search misses a pair whose resemblance is exactly the threshold.
    pub fn missed_at_most(self, threshold: Ratio) -> f64 {
        pair_missed_at_most(self.shared, threshold)
    }
}

/// Searches for the near-duplicates of one document after another.
pub struct PairSearch<'a> {
    shared: &'a IndexShared,
    view: VisibleRoots,
    visible: RoaringTreemap,
    finder: EdgeFinder<'a>,
    /// Cached partners of documents that several files carry, weighed by their number.
    found: Cache<DocId, Edges>,
    ahead: Mutex<Ahead>,
    counted: AtomicU64,
    /// The number of changes of files when it began.
    file_changes: u64,
}

/// Number of partners that a search caches: 40 bytes each.
const KEPT_PARTNERS: u64 = 1 << 18;

/// Whether a partner is wanted; the function may read the index.
pub type PartnerFilter<'a> = dyn Fn(DocId) -> Result<bool, IndexError> + 'a;

impl PairSearch<'_> {
    /// Prepares it for a list that may be resumed. Most partners of its documents then come before them, and were listed:
    /// the first documents are searched for one by one, with a filter, and their pairs are not counted ahead.
    pub fn resumed_if(self, is_resumed: bool) -> Self {
        self.ahead().alone = if is_resumed { FIRST_SINGLY } else { 0 };
        self
    }

    /// Documents with text that the view shows, by id.
    pub fn documents(&self) -> impl Iterator<Item = DocId> + '_ {
        self.visible.iter().map(DocId)
    }

    /// Every near-duplicate of a document, with exact counts, its own side first.
    #[cfg(test)]
    pub(crate) fn partners_of(
        &self,
        id: DocId,
        account: &MemoryAccount,
    ) -> Result<Vec<(DocId, EdgeRecord)>, IndexError> {
        self.partners_by_search(id, &|_| Ok(true), account)
    }

    /// The near-duplicates of a document that are wanted, with exact counts, its own side first: for a listing in which
    /// each pair is wanted from one side. The partners of documents that several files carry are cached, so that such a
    /// document is not searched for again with each file; these may be more than are wanted.
    pub fn filtered_partners_of(
        &self,
        id: DocId,
        filter: &PartnerFilter<'_>,
        account: &MemoryAccount,
    ) -> Result<Edges, IndexError> {
        if let Some(found) = self.found.get(&id) {
            return Ok(found);
        }
        let found = match self.joined_partners(id) {
            Some(others) => self.partners_by_join(id, &others, filter, account)?,
            None => self.partners_by_search(id, filter, account)?,
        };
        let found = Arc::new(found);
        if self.is_copied(id) {
            self.keep_found(id, &found);
        }
        Ok(found)
    }

    fn partners_by_search(
        &self,
        id: DocId,
        filter: &PartnerFilter<'_>,
        account: &MemoryAccount,
    ) -> Result<Vec<(DocId, EdgeRecord)>, IndexError> {
        let mut found = Vec::new();
        let Some(document) = self.finder.load(id, account)? else {
            return Ok(found);
        };
        for partner in self
            .finder
            .find_partners(&document, &|_, _| true, account)?
        {
            account.cancel().check()?;
            if filter(partner.id)? {
                let edge = self.edge(&document, &partner, account)?;
                found.extend(edge.map(|edge| (partner.id, edge)));
            }
        }
        Ok(found)
    }

    /// The wanted ones among those that a join found; if there are none, no text is read.
    fn partners_by_join(
        &self,
        id: DocId,
        others: &[DocId],
        filter: &PartnerFilter<'_>,
        account: &MemoryAccount,
    ) -> Result<Vec<(DocId, EdgeRecord)>, IndexError> {
        let (mut found, mut loaded) = (Vec::new(), None);
        for other in others {
            account.cancel().check()?;
            if !filter(*other)? {
                continue;
            }
            if loaded.is_none() {
                loaded = self.finder.load(id, account)?;
            }
            let Some(document) = &loaded else { break };
            if let Some(partner) = self.finder.partner(document, *other) {
                let edge = self.edge(document, &partner, account)?;
                found.extend(edge.map(|edge| (*other, edge)));
            }
        }
        Ok(found)
    }

    /// Whether several files of the view carry a document.
    fn is_copied(&self, id: DocId) -> bool {
        self.shared.state().table.count_files_of(id, &self.view) > 1
    }

    fn keep_found(&self, id: DocId, found: &Edges) {
        let weight = 1 + found.len() as u64;
        self.found.insert(id, Arc::clone(found), weight);
    }

    /// The edge to a partner; known if it was found from the other side.
    fn edge(
        &self,
        document: &LoadedDocument,
        partner: &Partner,
        account: &MemoryAccount,
    ) -> Result<Option<EdgeRecord>, IndexError> {
        if let Some(edge) = self.known_edge(document.id, partner.id) {
            return Ok(Some(edge));
        }
        self.counted.fetch_add(1, Ordering::Relaxed);
        self.finder
            .edge(document, partner.id, partner.threshold, account)
    }

    /// The edge of a document to another one, if it was found from that side.
    fn known_edge(&self, id: DocId, other: DocId) -> Option<EdgeRecord> {
        let theirs = self.found.get(&other)?;
        let (_, edge) = theirs.iter().find(|(known, _)| *known == id)?;
        Some(edge.swapped())
    }

    /// Joins from the first document on, with other sizes.
    #[cfg(test)]
    pub(crate) fn join_at_once(&self, limits: crate::join::JoinLimits) {
        let mut ahead = self.ahead();
        ahead.limits = limits;
        ahead.singly = 0;
    }

    /// How often documents were joined.
    #[cfg(test)]
    pub(crate) fn joins(&self) -> usize {
        self.ahead().joins
    }

    /// Pairs that were counted on all shingles so far.
    pub fn counted(&self) -> u64 {
        self.counted.load(Ordering::Relaxed)
    }

    /// Posting lists left unread so far, because no result depended on them.
    pub fn common_lists_skipped(&self) -> u64 {
        self.finder.common_lists_skipped() + self.ahead().common_lists_skipped
    }
}
