//! The handle of the thread that makes due reports.

use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

use simdex_index::Cancel;

/// The handle of the running thread; dropping it stops its work and ends it.
pub struct SchedulerThread {
    cancel: Cancel,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SchedulerThread {
    /// The handle of a thread that ends once `stop` is dropped; `cancel` ends its work.
    pub(super) fn new(cancel: Cancel, stop: Sender<()>, thread: JoinHandle<()>) -> Self {
        Self {
            cancel,
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for SchedulerThread {
    fn drop(&mut self) {
        self.cancel.cancel();
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the scheduler thread panicked");
        }
    }
}
