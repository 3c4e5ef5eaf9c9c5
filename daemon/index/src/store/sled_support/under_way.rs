//! How long calls of sled have been running.
//!
//! A call of sled can wait for ever: if one transaction fills more buffers than sled has threads that write (see
//! [`super::writes`]); and if writing the first buffer of a transaction fails after its last was written, since sled
//! wakes nobody then. The caller keeps its locks, so another thread must notice. Opening is not counted: it reads a log
//! of any length in one call.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The origin of times.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);
/// The calls of all threads that ever called and still exist.
static CALLS: Mutex<Vec<Weak<Call>>> = Mutex::new(Vec::new());

/// For one thread, when its outermost call began, in milliseconds after [`EPOCH`] plus one; 0 while there is none.
#[derive(Default)]
struct Call(AtomicU64);

thread_local! {
    static CALL: RefCell<Option<Arc<Call>>> = const { RefCell::new(None) };
}

/// Ends a call, also if it panics.
struct End(Option<Arc<Call>>);

impl Drop for End {
    fn drop(&mut self) {
        if let Some(call) = &self.0 {
            call.0.store(0, Ordering::Relaxed);
        }
    }
}

/// Runs a call, which counts as running until it returns. Nested calls are parts of it.
pub(in crate::store) fn counted<T>(call: impl FnOnce() -> T) -> T {
    let _end = begin();
    call()
}

fn begin() -> End {
    // Calls are not counted while the thread ends.
    let call = CALL.try_with(|call| Arc::clone(call.borrow_mut().get_or_insert_with(register)));
    let outermost = call.ok().filter(|call| {
        let now = EPOCH.elapsed().as_millis() as u64 + 1;
        let began = call
            .0
            .compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        began.is_ok()
    });
    End(outermost)
}

fn register() -> Arc<Call> {
    let call = Arc::<Call>::default();
    let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    calls.retain(|call| call.strong_count() > 0);
    calls.push(Arc::downgrade(&call));
    #[cfg(test)]
    LazyLock::force(&tests::WATCHDOG);
    call
}

/// How long the oldest call of sled in this process has been running; `None` if there is none. Costs one
/// look for each thread that called.
pub fn oldest_call() -> Option<Duration> {
    let now = EPOCH.elapsed().as_millis() as u64 + 1;
    let calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let began = calls
        .iter()
        .filter_map(Weak::upgrade)
        .map(|call| call.0.load(Ordering::Relaxed));
    let oldest = began.filter(|began| *began > 0).min()?;
    Some(Duration::from_millis(now.saturating_sub(oldest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::panic::catch_unwind;

    /// Longer than any call of sled takes in a test.
    const STUCK: Duration = Duration::from_secs(180);

    /// Ends the tests of this crate if sled never returns, which the daemon does for itself: they would wait for ever.
    pub(super) static WATCHDOG: LazyLock<()> = LazyLock::new(|| {
        std::thread::spawn(|| {
            while oldest_call().is_none_or(|age| age < STUCK) {
                std::thread::sleep(Duration::from_secs(1));
            }
            // Not captured with the output of a test, which an abort would lose; `.ci/run` looks for it.
            let _ = writeln!(
                std::io::stderr(),
                "a call of sled has not returned for {STUCK:?}: its writer threads wait for each other"
            );
            std::process::abort();
        });
    });

    /// Whether this thread has a running call.
    fn is_counted() -> bool {
        CALL.with_borrow(|call| {
            call.as_ref()
                .is_some_and(|call| call.0.load(Ordering::Relaxed) > 0)
        })
    }

    #[test]
    fn a_call_counts_from_the_outermost_beginning_to_its_end() {
        counted(|| {
            counted(|| assert!(is_counted()));
            assert!(is_counted(), "the outer call goes on");
            assert!(oldest_call().is_some());
        });
        assert!(!is_counted());
    }

    #[test]
    fn a_call_that_panics_has_ended() {
        catch_unwind(|| counted(|| panic!("on purpose"))).unwrap_err();
        assert!(!is_counted());
    }

    #[test]
    fn a_call_of_another_thread_that_hangs_grows_old() {
        let (release, gate) = std::sync::mpsc::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        let hangs = std::thread::spawn(move || {
            counted(|| {
                tell.send(()).unwrap();
                gate.recv().unwrap_err();
            });
        });
        told.recv().unwrap();
        // Another test's call may be older; none is younger.
        let first = oldest_call().unwrap();
        while oldest_call().unwrap() <= first.max(Duration::from_millis(20)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(release);
        hangs.join().unwrap();
    }
}
