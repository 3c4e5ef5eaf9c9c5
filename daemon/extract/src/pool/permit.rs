//! The right to one worker.

use super::queue::WaiterId;
use super::{Pool, Worker};
use crate::Outcome;

/// The right to one worker, returned when it is dropped.
pub(super) struct WorkerPermit<'a> {
    pub(super) pool: &'a Pool,
    pub(super) waiter: WaiterId,
}

impl WorkerPermit<'_> {
    /// A worker: an idle one if there is one, otherwise a new one.
    pub(super) fn worker(&self) -> Result<Worker, Outcome> {
        loop {
            let idle = self.pool.lock().idle.pop();
            match idle {
                Some(worker) if worker.is_ready() => return Ok(worker),
                Some(worker) => drop(self.pool.forget(&worker)),
                None => return self.pool.start_worker(),
            }
        }
    }
}

impl Drop for WorkerPermit<'_> {
    fn drop(&mut self) {
        self.pool.lock().queue.done(self.waiter);
        self.pool.freed.notify_all();
    }
}
