//! The second thread of an index, for the one request that holds its permit.
//!
//! Many requests that start threads of their own would have more threads than processors. A request that finds the permit
//! taken works on one thread. A holder may start threads itself, or run a job on the thread that is kept for it: a thread
//! is started once, since starting one takes as long as much of what is done on it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// What the kept thread does. It keeps nothing alive that the request that started it has to give up.
pub type Job = Box<dyn FnOnce() + Send>;

/// The permit, and the thread once a job needed it.
#[derive(Debug, Default)]
pub(crate) struct SecondThreadSlot {
    is_taken: AtomicBool,
    jobs: Mutex<Option<SyncSender<Job>>>,
}

impl SecondThreadSlot {
    /// The permit, if no other request holds it.
    pub(crate) fn take(self: &Arc<Self>) -> Option<SecondThread> {
        let was_taken = self.is_taken.swap(true, Ordering::Acquire);
        (!was_taken).then(|| SecondThread {
            slot: Arc::clone(self),
        })
    }
}

/// The permit for a second thread: one request holds it at a time, until it drops it.
#[derive(Debug)]
pub struct SecondThread {
    slot: Arc<SecondThreadSlot>,
}

impl SecondThread {
    /// Has a job done on the kept thread; returns at once. `false` if it will not be done: the thread has not come to an
    /// earlier job, since the processors are busy, or no thread can be started.
    pub fn start(&self, job: Job) -> bool {
        let mut jobs = self
            .slot
            .jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if jobs.is_none() {
            *jobs = started();
        }
        let sent = jobs.as_ref().map(|jobs| jobs.try_send(job));
        if let Some(Err(TrySendError::Disconnected(_))) = sent {
            *jobs = None;
        }
        matches!(sent, Some(Ok(())))
    }
}

impl Drop for SecondThread {
    fn drop(&mut self) {
        self.slot.is_taken.store(false, Ordering::Release);
    }
}

/// Starts the thread, which ends with the index.
fn started() -> Option<SyncSender<Job>> {
    let (jobs, receiver) = sync_channel(1);
    let thread = thread::Builder::new().name("request-2".to_owned());
    let thread = thread.spawn(move || run(&receiver));
    thread.is_ok().then_some(jobs)
}

/// Does jobs one after another. Whoever needs the result of a job that panics finds that it is not there.
fn run(jobs: &Receiver<Job>) {
    while let Ok(job) = jobs.recv() {
        drop(catch_unwind(AssertUnwindSafe(job)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn one_permit_is_held_at_a_time() {
        let slot = Arc::new(SecondThreadSlot::default());
        let taken = slot.take().unwrap();
        assert!(slot.take().is_none());
        drop(taken);
        assert!(slot.take().is_some());
    }

    #[test]
    fn jobs_run_on_one_thread_after_one_that_panicked_too() {
        let slot = Arc::new(SecondThreadSlot::default());
        let (done, threads) = channel();
        let job = |panics: bool| -> Job {
            let done = done.clone();
            Box::new(move || {
                done.send(thread::current().id()).unwrap();
                assert!(!panics, "as the test wants it");
            })
        };
        let ran = [true, false, false].map(|panics| {
            let second = slot.take().unwrap();
            // The job before it may be about to end.
            while !second.start(job(panics)) {
                thread::yield_now();
            }
            threads.recv().unwrap()
        });
        assert!(ran.iter().all(|thread| *thread == ran[0]));
        assert_ne!(ran[0], thread::current().id());
    }

    #[test]
    fn a_thread_that_is_behind_takes_no_more_jobs() {
        let slot = Arc::new(SecondThreadSlot::default());
        let second = slot.take().unwrap();
        let (go_on, wait) = channel::<()>();
        let (begun, begins) = channel();
        let waits = move || {
            begun.send(()).unwrap();
            wait.recv().unwrap_err();
        };
        assert!(second.start(Box::new(waits)));
        begins.recv().unwrap();
        // One job waits for the first to end; a third is not taken.
        assert!(second.start(Box::new(|| {})));
        assert!(!second.start(Box::new(|| {})));
        drop(go_on);
    }
}
