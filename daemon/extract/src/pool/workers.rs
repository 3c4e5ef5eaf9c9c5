//! The workers themselves: started, put back when idle, retired, and reaped when lost.

use std::io;
use std::sync::PoisonError;
use std::time::Instant;

use tracing::warn;

use super::Pool;
use super::permit::WorkerPermit;
use super::queue::{self, Lane};
use crate::process::{Handshake, Worker, WorkerFault};
use crate::queue_key::QueueKey;
use crate::{KeepGoing, Outcome, Reason};

impl Pool {
    /// Waits for its turn to use a worker, as long as somebody waits for the document.
    pub(super) fn acquire_worker(
        &self,
        lane: Lane,
        key: QueueKey,
        keep_going: &KeepGoing,
    ) -> Result<WorkerPermit<'_>, Outcome> {
        let mut state = self.lock();
        let waiter = state.queue.join(lane, key);
        loop {
            if state.closed || !keep_going.check() {
                state.queue.leave(waiter);
                drop(state);
                // It may have been its turn.
                self.freed.notify_all();
                return Err(Outcome::Failed(Reason::ShuttingDown));
            }
            if state.queue.enter(waiter, self.workers, Instant::now()) {
                // The next in the queue may have a turn as well.
                self.freed.notify_all();
                return Ok(WorkerPermit { pool: self, waiter });
            }
            // A document under way may become slow during the wait, which is not notified.
            let waited = self.freed.wait_timeout(state, queue::SLOW_AFTER / 4);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns a worker for the next document.
    pub(super) fn check_in(&self, worker: Worker) {
        let mut state = self.lock();
        // Places above the usual number are temporary, and so are their workers.
        if state.closed || state.idle.len() >= self.workers {
            drop(state);
            return self.retire(worker);
        }
        state.idle.push(worker);
    }

    /// Ends a worker that has done nothing wrong.
    pub(super) fn retire(&self, worker: Worker) {
        self.forget(&worker);
        drop(worker);
    }

    /// Ends a worker; returns what its fault means for the document.
    pub(super) fn reap(&self, worker: Worker, fault: WorkerFault) -> Outcome {
        let closed = self.forget(&worker);
        let outcome = worker.reap(fault);
        if closed {
            return Outcome::Failed(Reason::ShuttingDown);
        }
        warn!(reason = outcome.reason().map(Reason::code), "worker lost");
        outcome
    }

    /// Removes a worker from the list of living ones before it is reaped; returns true while shutting down.
    pub(super) fn forget(&self, worker: &Worker) -> bool {
        let mut state = self.lock();
        let pid = worker.pid();
        state.alive.retain(|alive| Some(*alive) != pid);
        state.closed
    }

    /// Starts a worker in the place that the caller holds.
    pub(super) fn start_worker(&self) -> Result<Worker, Outcome> {
        let spawned = match &self.spawner {
            Ok(spawner) => spawner.spawn(),
            Err(error) => Err(io::Error::from(error.kind())),
        };
        let (worker, handshake) = spawned.map_err(|error| {
            warn!(%error, "no extraction worker could be started");
            Outcome::Failed(Reason::NoWorker)
        })?;
        let Handshake { report, readers } = handshake;
        let mut state = self.lock();
        if state.report.is_none() && report.is_degraded() {
            warn!(%report, "extraction sandbox");
        }
        state.report = Some(report);
        state.readers = readers;
        if state.closed {
            return Err(Outcome::Failed(Reason::ShuttingDown));
        }
        state.alive.extend(worker.pid());
        Ok(worker)
    }
}
