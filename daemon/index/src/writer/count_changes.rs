//! What a batch changes in the counts of files.

use std::collections::BTreeMap;

use simdex_schema::{ContentHash, DocId};

use crate::counts::{ContentOutcome, CountChange, CountChanges, CountedFile, content_outcome};
use crate::shared::IndexState;
use crate::table::CountStep;
use crate::{IndexError, IndexWriter};

impl IndexWriter {
    /// Adds what counting these changes needs from the store as it is before them. The caller holds the writer.
    pub(crate) fn count_changes(
        &self,
        changes: Vec<CountChange>,
    ) -> Result<CountChanges, IndexError> {
        let mut gained: BTreeMap<DocId, i64> = BTreeMap::new();
        for CountChange { file, step } in &changes {
            if let Some((id, _)) = file.carried {
                *gained.entry(id).or_default() += match step {
                    CountStep::More => 1,
                    CountStep::Less => -1,
                };
            }
        }
        let state = self.shared.state();
        gained.retain(|id, gained| {
            *gained > 0 && state.table.files(*id) == 1 && state.table.is_text(*id)
        });
        drop(state);
        let mut sole_carriers = Vec::new();
        for key in gained.into_keys().map(|id| self.registry.carrier(id)) {
            let Some(key) = key? else { continue };
            if let Some(record) = self.registry.file(&key)? {
                sole_carriers.push(CountedFile::new(&key, &record, |hash| {
                    self.content_outcome(hash)
                })?);
            }
        }
        Ok(CountChanges {
            changes,
            sole_carriers,
        })
    }

    /// The outcome on record for a content, as far as it is counted.
    pub(crate) fn content_outcome(
        &self,
        hash: ContentHash,
    ) -> Result<Option<ContentOutcome>, IndexError> {
        Ok(self.registry.content(hash)?.as_ref().map(content_outcome))
    }
}

impl IndexState {
    /// Has the settler check the documents that gained or lost a file: one without files leaves its group.
    pub(crate) fn queue_changed_documents(&mut self, changes: &CountChanges) {
        for CountChange { file, .. } in &changes.changes {
            if let Some((id, _)) = file.carried {
                self.unsettled.queue_file_check(id);
            }
        }
    }
}
