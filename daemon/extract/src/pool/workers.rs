//! The workers themselves: started, put back when idle, retired, and reaped when lost.

use super::*;

impl Pool {
    /// Gives a worker back for the next document.
    pub(super) fn check_in(&self, worker: Worker) {
        let mut state = self.lock();
        // Places beyond the usual number are for a time only, and so are their workers.
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

    /// Ends a worker; tells what its fault means for the document.
    pub(super) fn reap(&self, worker: Worker, fault: Fault) -> Outcome {
        let closed = self.forget(&worker);
        let outcome = worker.reap(fault);
        if closed {
            return Outcome::Failed(Reason::ShuttingDown);
        }
        warn!(reason = outcome.reason().map(Reason::code), "worker lost");
        outcome
    }

    /// Takes a worker off the list of the living before it is reaped; true when shutting down.
    pub(super) fn forget(&self, worker: &Worker) -> bool {
        let mut state = self.lock();
        let pid = worker.pid();
        state.alive.retain(|alive| Some(*alive) != pid);
        state.closed
    }

    /// Starts a worker into the place the caller holds.
    pub(super) fn start_worker(&self) -> Result<Worker, Outcome> {
        let spawned = match &self.spawner {
            Ok(spawner) => spawner.spawn(),
            Err(error) => Err(io::Error::from(error.kind())),
        };
        let (worker, greeting) = spawned.map_err(|error| {
            warn!(%error, "no extraction worker could be started");
            Outcome::Failed(Reason::NoWorker)
        })?;
        let Greeting { report, readers } = greeting;
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
