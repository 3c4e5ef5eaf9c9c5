//! The thread that finds edges and keeps the groups while documents wait for it.

use std::ops::ControlFlow;
use std::time::Duration;

use simdex_index::IndexError;
use simdex_schema::DocId;

use super::Shared;
use crate::alarms::Part;
use crate::events::EventKind;
use crate::lifecycle::Backoff;

/// Longest sleep of the settler between checks for documents that are not settled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

impl Shared {
    /// Finds edges and keeps groups while anything waits.
    pub(super) fn settle(&self) {
        let mut backoff = Backoff::default();
        while self.lifecycle.cancel().check().is_ok() {
            if self.index.is_settled() {
                // What a step failed at may have been removed.
                self.host.alarms.clear(Part::Settler);
                self.to_settle.wait(POLL_INTERVAL);
                continue;
            }
            let settled = self.index.settle_step(self.lifecycle.cancel());
            match settled.and_then(|settled| self.publish_groups(&settled.regrouped)) {
                Ok(()) => {
                    backoff = Backoff::default();
                    self.host.alarms.clear(Part::Settler);
                }
                Err(error) => {
                    self.lifecycle
                        .try_again(Part::Settler, &error, &mut backoff);
                }
            }
        }
    }

    /// Publishes groups that may have changed, by the path of their principal.
    fn publish_groups(&self, principals: &[DocId]) -> Result<(), IndexError> {
        if !self.roots.iter().any(|root| root.is_heard()) {
            return Ok(());
        }
        for principal in principals {
            self.index
                .visit_files_of(*principal, &self.roots.view(), &mut |file| {
                    if let Some(root) = self.roots.get(file.key.root) {
                        root.tell(EventKind::GroupChanged, &file.key.path, String::new);
                    }
                    ControlFlow::Break(())
                })?;
        }
        Ok(())
    }
}
