//! The thread that commits what the writer applied.

use std::sync::atomic::Ordering;
use std::time::Duration;

use simdex_index::IndexError;

use super::PipelineState;
use crate::host::alarms::AlarmSource;
use crate::host::lifecycle::Backoff;

impl PipelineState {
    /// Commits what was applied, every `commit_ms`: on a thread of its own, since a disk takes time
    /// and applied changes can be queried meanwhile.
    pub(super) fn commit_periodically(&self) {
        let every = Duration::from_millis(self.host.config.store.commit_ms.max(1));
        let mut backoff = Backoff::default();
        while self.lifecycle.wait(every) {
            if !self.host.is_temporary() {
                self.host.disk.restore();
            }
            if !self.uncommitted.swap(false, Ordering::AcqRel) {
                continue;
            }
            match self.commit() {
                Ok(()) => {
                    backoff = Backoff::default();
                    self.host.alarms.clear(AlarmSource::Commits);
                }
                Err(error) => {
                    self.uncommitted.store(true, Ordering::Release);
                    self.lifecycle
                        .try_again(AlarmSource::Commits, &error, &mut backoff);
                }
            }
        }
    }

    /// Makes what was applied power-safe.
    pub(super) fn commit(&self) -> Result<(), IndexError> {
        self.host.spare.lend(|| self.writer.commit())
    }
}
