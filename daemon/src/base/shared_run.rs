//! Work that several callers want at the same time and whose result serves them all: a run that begins
//! after a call serves it, whichever caller started the run.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a waiting caller checks whether to continue.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Runs of one piece of work, at most one at a time. Callers that arrive while one is under way wait for
/// the next, which one of them does for all.
#[derive(Debug)]
pub struct SharedRun<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    /// Number of the last run begun.
    begun: u64,
    /// Whether that run is under way.
    running: bool,
    /// Number and result of the last run that succeeded.
    done: Option<(u64, T)>,
}

impl<T> Default for SharedRun<T> {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                begun: 0,
                running: false,
                done: None,
            }),
            changed: Condvar::new(),
        }
    }
}

impl<T: Clone> SharedRun<T> {
    /// The result of a run that begins after this call, done by another caller or by `work` here.
    ///
    /// # Errors
    /// An error of `work` done here, never another caller's; an error of `keep_going`, which is called
    /// periodically while another caller is at work.
    pub fn run<E>(
        &self,
        work: impl FnOnce() -> Result<T, E>,
        keep_going: impl Fn() -> Result<(), E>,
    ) -> Result<T, E> {
        let mut state = self.lock();
        let after = state.begun;
        while state.running {
            drop(state);
            keep_going()?;
            let waited = self
                .changed
                .wait_timeout_while(self.lock(), POLL_INTERVAL, |state| {
                    state.running && !state.serves(after)
                });
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if let Some((_, result)) = state.done.as_ref().filter(|(run, _)| *run > after) {
                return Ok(result.clone());
            }
        }
        state.begun += 1;
        state.running = true;
        let run = state.begun;
        drop(state);
        let ending = Ending(self);
        let result = work()?;
        self.lock().done = Some((run, result.clone()));
        drop(ending);
        Ok(result)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    /// Whether there is a result for callers that arrived when this many runs had begun.
    fn serves(&self, after: u64) -> bool {
        self.done.as_ref().is_some_and(|(run, _)| *run > after)
    }
}

/// Ends a run, however it ended.
struct Ending<'a, T>(&'a SharedRun<T>);

impl<T> Drop for Ending<'_, T> {
    fn drop(&mut self) {
        let state = self.0.state.lock();
        state.unwrap_or_else(PoisonError::into_inner).running = false;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    fn goes_on() -> Result<(), &'static str> {
        Ok(())
    }

    /// Waits until a run is under way.
    fn until_running<T: Clone>(shared: &SharedRun<T>) {
        while !shared.lock().running {
            std::thread::yield_now();
        }
    }

    fn waits(gate: &Receiver<()>) -> Result<u64, &'static str> {
        gate.recv().map(|()| 1).map_err(|_| "the gate is gone")
    }

    #[test]
    fn callers_that_come_during_a_run_share_the_next() {
        let (shared, runs) = (SharedRun::default(), AtomicU64::new(1));
        let (open, gate) = channel();
        let count = || Ok(runs.fetch_add(1, Ordering::Relaxed) + 1);
        let waiting = AtomicU64::new(0);
        // A caller that is asked whether to continue arrived before the run ended.
        let waits_once = || {
            let is_new = Cell::new(true);
            let waiting = &waiting;
            move || {
                waiting.fetch_add(u64::from(is_new.replace(false)), Ordering::Relaxed);
                goes_on()
            }
        };
        std::thread::scope(|scope| {
            let (shared, count, waits_once) = (&shared, &count, &waits_once);
            let first = scope.spawn(move || shared.run(|| waits(&gate), goes_on));
            until_running(shared);
            let others: Vec<_> = (0..4)
                .map(|_| scope.spawn(move || shared.run(count, waits_once())))
                .collect();
            while waiting.load(Ordering::Relaxed) < 4 {
                std::thread::yield_now();
            }
            open.send(()).unwrap();
            assert_eq!(first.join().unwrap(), Ok(1));
            for other in others {
                assert!(
                    other.join().unwrap().unwrap() > 1,
                    "an earlier run is no answer"
                );
            }
        });
        assert_eq!(runs.into_inner(), 2, "they shared one");
    }

    #[test]
    fn a_run_that_fails_fails_its_caller_alone() {
        let shared = SharedRun::default();
        let (open, gate) = channel::<()>();
        std::thread::scope(|scope| {
            let shared = &shared;
            let first = scope.spawn(move || shared.run(|| waits(&gate), goes_on));
            until_running(shared);
            let second = scope.spawn(|| shared.run(|| Ok(2), goes_on));
            drop(open);
            assert_eq!(first.join().unwrap(), Err("the gate is gone"));
            assert_eq!(second.join().unwrap(), Ok(2));
        });
    }

    #[test]
    fn a_caller_that_gives_up_does_not_wait() {
        let shared = SharedRun::default();
        let (open, gate) = channel();
        std::thread::scope(|scope| {
            let shared = &shared;
            let first = scope.spawn(move || shared.run(|| waits(&gate), goes_on));
            until_running(shared);
            assert_eq!(shared.run(|| Ok(2), || Err("given up")), Err("given up"));
            open.send(()).unwrap();
            assert_eq!(first.join().unwrap(), Ok(1));
        });
    }
}
