//! Pairs of documents of which one contains the other, though they resemble each other less than near-duplicates do.
//!
//! Each document is queried once for those that contain it, as `containing` does, before the first pair is listed: a
//! pair is found from the document that is contained, and may be listed from the other one. So this costs one look-up
//! for each document, and one text for each pair that may reach the threshold.

use std::collections::HashMap;

use simdex_index::{GrowingPermit, IndexError, IndexReader, MemoryAccount, VisibleRoots};
use simdex_schema::{DocId, EdgeRecord};
use simdex_signature::{Ratio, SchemeKind};

use crate::read_side::query::{ContainerSearch, FindKind, QueryError, QueryParams, Subject};

/// Bytes that one side of a pair takes, with spare capacity.
const SIDE: u64 = 2 * size_of::<(DocId, EdgeRecord)>() as u64 + 64;

/// Documents that contain one another.
pub(super) struct Containments {
    /// The others of each document, its own side first.
    sides: HashMap<DocId, Vec<(DocId, EdgeRecord)>>,
    /// Documents for which not all that contain them may have been found.
    pub(super) uncertain: u64,
    held: GrowingPermit,
}

impl Containments {
    /// Queries these documents of a view, and reports before each how many are done. Near-duplicates, from a resemblance of
    /// `near` on, are left out.
    pub(super) fn search(
        index: &IndexReader,
        documents: impl Iterator<Item = DocId>,
        (view, near, least): (&VisibleRoots, Ratio, Ratio),
        account: &MemoryAccount,
        report: &mut dyn FnMut(u64),
    ) -> Result<Self, IndexError> {
        let params = QueryParams {
            kind: FindKind::Containing,
            scheme: SchemeKind::ModN,
            threshold: least.get(),
            relation_threshold: near.get(),
            containment_threshold: least.get(),
            limit: usize::MAX,
            view: view.clone(),
            judged_by: None,
        };
        let mut found = Self {
            sides: HashMap::new(),
            uncertain: 0,
            held: GrowingPermit::of(account),
        };
        for (before, document) in (0..).zip(documents) {
            account.cancel().check()?;
            report(before);
            match found.query(index, document, &params, account) {
                Ok(()) => {}
                Err(QueryError::Index(error)) if !error.concerns_one_document() => {
                    return Err(error);
                }
                // Its last file disappeared meanwhile, or its text is damaged, which the index notes.
                Err(_) => {}
            }
        }
        Ok(found)
    }

    fn query(
        &mut self,
        index: &IndexReader,
        document: DocId,
        params: &QueryParams,
        account: &MemoryAccount,
    ) -> Result<(), QueryError> {
        let Some(stats) = index.documents().stats(document) else {
            return Ok(());
        };
        let subject = Subject::from_document(index, stats.hash, &params.view, account)?;
        let cancel = account.cancel();
        let Some(mut search) = ContainerSearch::of(index, &subject, params, cancel)? else {
            return Ok(());
        };
        let found = search.count_all()?;
        self.uncertain += u64::from(search.is_uncertain);
        for (other, edge) in found {
            // Two documents that contain each other find each other.
            let is_mutual = edge.containment_of_b() >= params.threshold;
            let is_first = !is_mutual || document < other;
            let is_near = edge.resemblance() >= params.relation_threshold;
            if other != document && is_first && !is_near {
                self.held.add(2 * SIDE)?;
                let mut add = |document, side| self.sides.entry(document).or_default().push(side);
                add(document, (other, edge));
                add(other, (document, edge.swapped()));
            }
        }
        Ok(())
    }

    /// The documents that contain one or are contained in it, with exact counts, its own side first.
    pub(super) fn of(&self, document: DocId) -> &[(DocId, EdgeRecord)] {
        self.sides.get(&document).map_or(&[], Vec::as_slice)
    }
}
