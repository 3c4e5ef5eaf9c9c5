//! The thread that finds edges and keeps the groups while documents wait for it.

use std::time::Duration;

use simdex_index::IndexError;
use simdex_schema::DocId;

use super::Shared;
use crate::events::EventKind;

/// Looks whether anything waits at least this often.
const PATIENCE: Duration = Duration::from_millis(500);
/// After a failure of the index.
const PAUSE: Duration = Duration::from_secs(1);

impl Shared {
    /// Finds edges and keeps groups while anything waits.
    pub(super) fn settle(&self) {
        while self.cancel.check().is_ok() {
            if self.index.is_settled() {
                self.to_settle.wait(PATIENCE);
                continue;
            }
            let settled = self.index.settle_step(&self.cancel);
            match settled.and_then(|settled| self.tell_groups(&settled.regrouped)) {
                Ok(()) | Err(IndexError::Cancelled) => {}
                Err(error) => {
                    self.break_off(&error);
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }

    /// Tells of groups that may have changed, by the path of their principal.
    fn tell_groups(&self, principals: &[DocId]) -> Result<(), IndexError> {
        if !self.roots.iter().any(|root| root.is_heard()) {
            return Ok(());
        }
        for principal in principals {
            let files = self.index.files_of(*principal, &self.roots.view())?;
            let Some(key) = files.into_iter().next().map(|file| file.key) else {
                continue;
            };
            if let Some(root) = self.roots.get(key.root) {
                root.tell(EventKind::GroupChanged, &key.path, String::new);
            }
        }
        Ok(())
    }
}
