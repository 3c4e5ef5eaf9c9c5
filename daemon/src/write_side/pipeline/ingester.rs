//! The threads that ingest one file after another, until the engine ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::SyncSender;

use simdex_index::IndexError;
use simdex_schema::FileKey;

use super::ingest_queue::{NextStep, queue_key};
use super::{IngestedJob, POLL_INTERVAL, PipelineState};
use crate::host::alarms::AlarmSource;
use crate::write_side::ingest::{Ingest, IngestOutcome, gave_up};
use crate::write_side::roots::Trouble;

impl PipelineState {
    /// An ingester thread: ingests one file after another.
    pub(super) fn ingest_jobs(&self, number: usize, results: &SyncSender<IngestedJob>) {
        loop {
            let mut job = match self.queue.next(POLL_INTERVAL) {
                NextStep::Job(job) => job,
                NextStep::Idle => continue,
                NextStep::Ended => return,
            };
            let Some(outcome) = self.ingest_until_done(number, &job.key) else {
                return;
            };
            self.queue.release_ingester(&job.key);
            job.to_retry = matches!(outcome, IngestOutcome::RetryLater(_));
            let change = outcome.change();
            if results.send(IngestedJob { job, change }).is_err() {
                return;
            }
        }
    }

    /// Ingests a file, and retries while the index fails. Returns `None` when the engine ends:
    /// answers of workers are then discarded, because they report `shutting-down`.
    fn ingest_until_done(&self, number: usize, key: &FileKey) -> Option<IngestOutcome> {
        // A panic leaves no write half done: ingesting writes at most one record, in a batch of its own
        // (the reading time, by `record_reading` below).
        let ingest = || match catch_unwind(AssertUnwindSafe(|| self.ingest(key))) {
            Ok(outcome) => Ok(outcome?),
            Err(_) => {
                let path = String::from_utf8_lossy(&key.path);
                tracing::error!(path = %path.escape_debug(), "ingesting a file panicked");
                Ok(self.after_panic(key)?)
            }
        };
        let keep_going = || Ok(self.lifecycle.cancel().check()?);
        let outcome = self
            .lifecycle
            .until_done(AlarmSource::Ingester(number), ingest, keep_going)
            .ok()?;
        keep_going().ok().map(|()| outcome)
    }

    /// The outcome of a file whose ingestion panicked. If its content is on record, that is kept with everything in it,
    /// and its root reports the trouble; otherwise it is recorded as failed. The next rescan tries again in both cases.
    fn after_panic(&self, key: &FileKey) -> Result<IngestOutcome, IndexError> {
        let recorded = self.writer.registry().file(key)?;
        let has_content = recorded.is_some_and(|record| record.content().is_some());
        match self.roots.get(key.root).filter(|_| has_content) {
            Some(root) => {
                root.saw_trouble(&key.path, Trouble::Kept);
                Ok(IngestOutcome::Unchanged)
            }
            None => Ok(IngestOutcome::Changed(gave_up(key))),
        }
    }

    fn ingest(&self, key: &FileKey) -> Result<IngestOutcome, IndexError> {
        let Some(root) = self.roots.get(key.root) else {
            return Ok(IngestOutcome::Unchanged);
        };
        let (limits, cancel) = (&self.host.config.extract, self.lifecycle.cancel());
        let (index, registry) = (self.writer.reader(), self.writer.registry());
        let (pool, own) = (&self.pool, &self.own_reports);
        let ingest = Ingest::new(index, registry, pool, own, limits, queue_key(key), cancel);
        let outcome = ingest.file(&root, key.clone())?;
        if let IngestOutcome::Reverified(record) = &outcome {
            self.writer.record_reading(key, record)?;
        }
        Ok(outcome)
    }
}
