//! The end of one engine: stopped, or failed. Its threads are started here, so that none dies
//! unnoticed, and wait here, so that none sleeps through the end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use simdex_index::{Cancel, Fault, IndexError};

use crate::base::causes::causes;
use crate::base::wakeup::Wakeup;
use crate::error::{EngineError, Failure};
use crate::host::alarms::{AlarmSource, Alarms};

/// First and longest pause before something is tried again.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));
/// A thread that reads a share has this long to end: the share may hang, and nothing waits for it longer.
pub const SHARE_THREAD_TIMEOUT: Duration = Duration::from_secs(60);
/// How often threads are checked for having ended.
const JOIN_INTERVAL: Duration = Duration::from_millis(2);

/// Pauses that double.
pub struct Backoff {
    next: Duration,
    longest: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self::between(PAUSES.0, PAUSES.1)
    }
}

impl Backoff {
    /// Doubles from the first pause up to the longest.
    pub fn between(first: Duration, longest: Duration) -> Self {
        let next = first;
        Self { next, longest }
    }

    /// The next pause.
    pub fn pause(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(self.longest);
        pause
    }
}

/// Waits for threads until a moment; returns false if one still runs: it is left behind.
pub fn join_until(threads: Vec<JoinHandle<()>>, until: Instant) -> bool {
    let ended = |thread: &JoinHandle<()>| {
        while !thread.is_finished() {
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(JOIN_INTERVAL);
        }
        true
    };
    let mut all = true;
    for thread in threads {
        match ended(&thread) {
            // The thread itself reported its panic.
            true => drop(thread.join()),
            false => all = false,
        }
    }
    all
}

/// Whether one engine still runs; shared by all its threads.
pub struct Lifecycle {
    alarms: Arc<Alarms>,
    /// Wakes the supervisor when the engine has failed.
    wakeup: Arc<Wakeup>,
    /// Set at the end, for work that polls it.
    cancel: Cancel,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    ended: bool,
    failure: Option<Failure>,
    at_end: Vec<Box<dyn Fn() + Send>>,
}

impl Lifecycle {
    /// The lifecycle of an engine that is starting.
    pub fn new(alarms: Arc<Alarms>, wakeup: Arc<Wakeup>) -> Arc<Self> {
        Arc::new(Self {
            alarms,
            wakeup,
            cancel: Cancel::never(),
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Cancelled at the end.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Runs `act` at the end, for threads that wait for something else.
    pub fn at_end(&self, act: impl Fn() + Send + 'static) {
        self.lock().at_end.push(Box::new(act));
    }

    /// Ends the engine.
    pub fn end(&self) {
        self.end_with(None);
    }

    /// Ends the engine because it failed. Only the first failure counts.
    pub fn fail(&self, failure: Failure) {
        self.end_with(Some(failure));
        self.wakeup.wake();
    }

    fn end_with(&self, failure: Option<Failure>) {
        let mut state = self.lock();
        if let (None, Some(failure)) = (&state.failure, failure) {
            let reason = failure.to_string();
            tracing::error!(reason, "the engine cannot continue");
            state.failure = Some(failure);
        }
        state.ended = true;
        self.cancel.cancel();
        let acts = std::mem::take(&mut state.at_end);
        drop(state);
        self.changed.notify_all();
        acts.iter().for_each(|act| act());
    }

    /// Why the engine failed, if it did.
    pub fn failure(&self) -> Option<Failure> {
        self.lock().failure.clone()
    }

    /// Waits; returns false, at once, when the engine ends.
    pub fn wait(&self, pause: Duration) -> bool {
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), pause, |state| !state.ended);
        !waited.unwrap_or_else(PoisonError::into_inner).0.ended
    }

    /// Repeats work that failed by a shortage of the index, with pauses and an alarm, until it succeeds. `keep_going`
    /// is called before each repetition; its error ends the repetition, and so does the end of the engine.
    pub fn until_done<T>(
        &self,
        source: AlarmSource,
        mut work: impl FnMut() -> Result<T, EngineError>,
        keep_going: impl Fn() -> Result<(), EngineError>,
    ) -> Result<T, EngineError> {
        let (mut backoff, mut failed) = (Backoff::default(), false);
        loop {
            let error = match work() {
                Ok(done) => {
                    if failed {
                        self.alarms.clear(source);
                    }
                    return Ok(done);
                }
                Err(EngineError::Index(error)) => error,
                Err(error) => return Err(error),
            };
            failed = true;
            let again = self.try_again(source, &error, &mut backoff);
            keep_going()?;
            if !again {
                return Err(error.into());
            }
        }
    }

    /// Handles an error of the index: waits, with an alarm, until it is time to try again, or ends
    /// the engine. Returns false if the engine ends.
    pub fn try_again(
        &self,
        source: AlarmSource,
        error: &IndexError,
        backoff: &mut Backoff,
    ) -> bool {
        match (error, error.fault()) {
            (IndexError::Cancelled, _) => self.wait(Duration::ZERO),
            (error, Fault::Index) => {
                self.fail(Failure::Index(causes(error)));
                false
            }
            (error, _) => self.pause(source, &causes(error), backoff),
        }
    }

    /// Waits, with an alarm, until it is time to try again; returns false if the engine ends.
    pub fn pause(&self, source: AlarmSource, reason: &str, backoff: &mut Backoff) -> bool {
        let pause = backoff.pause();
        self.alarms.raise(source, reason, Some(pause));
        self.wait(pause)
    }

    /// Starts a thread whose panic ends the engine.
    pub fn spawn(
        self: &Arc<Self>,
        name: String,
        work: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<JoinHandle<()>> {
        let lifecycle = Arc::clone(self);
        let thread = std::thread::Builder::new().name(name.clone());
        thread.spawn(move || {
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                lifecycle.fail(Failure::Panic(name));
            }
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_index::store::StoreError;
    use simdex_schema::RootId;

    const WALKS: AlarmSource = AlarmSource::Walks(RootId(1));

    fn lifecycle() -> (Arc<Lifecycle>, Arc<Alarms>) {
        let alarms = Arc::<Alarms>::default();
        (Lifecycle::new(Arc::clone(&alarms), Arc::default()), alarms)
    }

    #[test]
    fn a_thread_that_panics_ends_the_engine_and_wakes_who_waits() {
        let (lifecycle, _) = lifecycle();
        let waiting = Arc::clone(&lifecycle);
        let waiter = lifecycle
            .spawn("waiter".into(), move || {
                assert!(!waiting.wait(Duration::from_secs(3600)));
            })
            .unwrap();
        let failing = lifecycle.spawn("failing".into(), || panic!("on purpose"));
        failing.unwrap().join().unwrap();
        waiter.join().unwrap();
        assert_eq!(lifecycle.failure(), Some(Failure::Panic("failing".into())));
        assert!(lifecycle.cancel().check().is_err());
    }

    #[test]
    fn a_shortage_is_an_alarm_and_a_pause_a_failed_sync_is_the_end() {
        let (lifecycle, alarms) = lifecycle();
        let mut backoff = Backoff::between(Duration::ZERO, Duration::ZERO);
        let shortage = IndexError::TooLong("a bucket".into());
        assert!(lifecycle.try_again(AlarmSource::Writer, &shortage, &mut backoff));
        assert_eq!(alarms.gravest().unwrap().source, AlarmSource::Writer);
        assert_eq!(lifecycle.failure(), None);
        let failed = IndexError::from(StoreError::SyncFailed);
        assert!(!lifecycle.try_again(AlarmSource::Writer, &failed, &mut backoff));
        assert_eq!(
            lifecycle.failure(),
            Some(Failure::Index(failed.to_string()))
        );
        // A later failure changes nothing.
        lifecycle.fail(Failure::Panic("late".into()));
        assert_eq!(
            lifecycle.failure(),
            Some(Failure::Index(failed.to_string()))
        );
    }

    #[test]
    fn a_shortage_is_repeated_until_it_passes_or_the_caller_gives_up() {
        let (lifecycle, alarms) = lifecycle();
        let mut tries = 0;
        let mut shortage = || {
            tries += 1;
            match tries {
                1 => Err(IndexError::TooLong("a bucket".into()).into()),
                _ => Ok(tries),
            }
        };
        let raised = || {
            assert_eq!(alarms.gravest().unwrap().source, WALKS);
            Ok(())
        };
        assert_eq!(
            lifecycle.until_done(WALKS, &mut shortage, raised).unwrap(),
            2
        );
        assert!(alarms.gravest().is_none(), "what passed is no alarm");
        let lasting = || Err::<(), _>(IndexError::TooLong("a bucket".into()).into());
        let impatient = || Err(EngineError::NotApplied("no room".into()));
        let refused = lifecycle.until_done(WALKS, lasting, impatient);
        assert!(matches!(refused, Err(EngineError::NotApplied(_))));
    }

    #[test]
    fn a_thread_that_hangs_is_left_behind_and_the_others_are_waited_for() {
        let (lifecycle, _) = lifecycle();
        let (release, gate) = std::sync::mpsc::channel::<()>();
        let hangs = lifecycle.spawn("hangs".into(), move || {
            let _ = gate.recv();
        });
        let ends = lifecycle.spawn("ends".into(), || {});
        let threads = vec![hangs.unwrap(), ends.unwrap()];
        assert!(!join_until(threads, Instant::now()));
        drop(release);
        let ends = lifecycle.spawn("ends".into(), || {}).unwrap();
        let timeout = Duration::from_secs(3_600);
        assert!(join_until(vec![ends], Instant::now() + timeout));
    }

    #[test]
    fn pauses_double_up_to_a_bound() {
        let mut backoff = Backoff::between(Duration::from_secs(1), Duration::from_secs(5));
        let pauses = [(); 5].map(|()| backoff.pause().as_secs());
        assert_eq!(pauses, [1, 2, 4, 5, 5]);
    }
}
