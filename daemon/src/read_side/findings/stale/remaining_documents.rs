//! Old documents that no family has superseded so far: each is queried once, which the sum `looked_up` counts.
//!
//! For a document that was in no family by resemblance, its own family is searched for, with what contains it. This
//! finds revisions that share too little for a group, and longer documents that took the document in. A document that
//! was in a family is looked up in longer documents only ([`longer_documents`](super::longer_documents)).

use std::collections::HashSet;

use simdex_index::{FileInfo, GrowingPermit};
use simdex_schema::{DocId, DocumentHash, DocumentKind};

use super::{FindingError, StaleFinder, count};
use crate::base::visit::FirstError;

/// Bytes that a document takes in the set of documents seen, with spare capacity.
const SEEN: u64 = 24;

impl StaleFinder<'_, '_> {
    /// Queries the remaining documents, each by its first file.
    pub(super) fn search_remaining(&mut self) -> Result<(), FindingError> {
        let (index, account) = (self.scope.engine.index.reader(), self.scope.account);
        let (mut seen, mut held) = (HashSet::new(), GrowingPermit::of(account));
        let mut failed = FirstError::default();
        index.files().visit(self.scope.view, account, &mut |file| {
            let document = file.document.filter(|(id, _)| seen.insert(*id));
            let Some((id, hash)) = document else {
                let checked = self.scope.cancel().check().map_err(FindingError::from);
                return failed.flow(checked);
            };
            let counted = held.add(SEEN).map_err(FindingError::from);
            failed.flow(counted.and_then(|()| self.document(&file, id, hash)))
        })?;
        failed.into_result()
    }

    /// Queries a document if it is old enough and not listed yet.
    fn document(
        &mut self,
        file: &FileInfo,
        id: DocId,
        hash: DocumentHash,
    ) -> Result<(), FindingError> {
        self.scope.cancel().check()?;
        let Some(date) = self.date(id)? else {
            return Ok(());
        };
        let stats = self.scope.engine.index.reader().documents().stats(id);
        let is_text = stats.is_some_and(|stats| stats.kind == DocumentKind::Text);
        if !is_text || date.seconds >= self.before || self.listed.contains(&hash) {
            return Ok(());
        }
        if let Some(place) = self.placed.get(&hash).copied() {
            return self.search_longer(file, (id, hash), (date, place));
        }
        if self.family(hash)? {
            count(&mut self.sums, "looked_up", 1);
        }
        Ok(())
    }
}
