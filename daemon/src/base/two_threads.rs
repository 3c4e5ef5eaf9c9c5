//! Work on two threads, each of which takes the next part until none remains. (The
//! settler of the index parts its work in halves, so that what each thread reads does not depend on the other.)

use std::sync::Mutex;
use std::thread;

use simdex_index::IndexError;

use crate::base::lock::lock;

/// Does `each` for all parts, on this thread and on another with this name. After an error no further part is begun.
///
/// # Errors
/// An error of `each`, or [`IndexError::WorkerPanicked`] if the other thread panicked.
pub fn each_on_two_threads<T: Send>(
    name: &'static str,
    parts: impl Iterator<Item = T> + Send,
    each: &(dyn Fn(T) -> Result<(), IndexError> + Sync),
) -> Result<(), IndexError> {
    let remaining = Mutex::new(Some(parts));
    let next = || lock(&remaining).as_mut().and_then(Iterator::next);
    let work = || {
        while let Some(part) = next() {
            each(part).inspect_err(|_| *lock(&remaining) = None)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(name.to_owned());
        // If none can be started, this thread does everything.
        let other = thread.spawn_scoped(scope, work);
        let done = work();
        if let Ok(other) = other {
            let gone = || Err(IndexError::WorkerPanicked(name));
            other.join().unwrap_or_else(|_| gone())?;
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn is_second() -> bool {
        thread::current().name() == Some("second")
    }

    #[test]
    fn every_part_is_done_once_and_by_both_threads() {
        let (done, both) = (Mutex::new(Vec::new()), Barrier::new(2));
        let each = |part: usize| {
            // The first two parts wait for each other, so that each thread has one of them.
            if part < 2 {
                both.wait();
            }
            lock(&done).push((part, is_second()));
            Ok(())
        };
        each_on_two_threads("second", 0..100, &each).unwrap();
        let done = lock(&done);
        let parts: BTreeSet<usize> = done.iter().map(|(part, _)| *part).collect();
        assert_eq!((parts.len(), done.len()), (100, 100));
        let threads: BTreeSet<bool> = done.iter().map(|(_, second)| *second).collect();
        assert_eq!(threads.len(), 2);
    }

    #[test]
    fn an_error_on_either_thread_ends_both() {
        for fails_on_second in [false, true] {
            let (begun, both) = (AtomicUsize::new(0), Barrier::new(2));
            let each = |part: usize| {
                begun.fetch_add(1, Ordering::Relaxed);
                if part < 2 {
                    both.wait();
                    if is_second() == fails_on_second {
                        return Err(IndexError::Cancelled);
                    }
                }
                Ok(())
            };
            let ended = each_on_two_threads("second", 0..usize::MAX, &each);
            assert!(matches!(ended, Err(IndexError::Cancelled)));
            assert!(begun.into_inner() >= 2);
        }
    }

    #[test]
    fn a_panic_on_either_thread_leaves_the_rest_to_the_other_and_is_told() {
        for panics_on_second in [false, true] {
            let (done, both) = (AtomicUsize::new(0), Barrier::new(2));
            let each = |part: usize| {
                if part < 2 {
                    both.wait();
                    assert_ne!(is_second(), panics_on_second, "as it was asked to");
                }
                done.fetch_add(1, Ordering::Relaxed);
                Ok(())
            };
            let work = || each_on_two_threads("second", 0..100, &each);
            let ended = catch_unwind(AssertUnwindSafe(work));
            match panics_on_second {
                true => assert!(matches!(ended, Ok(Err(IndexError::WorkerPanicked(_))))),
                false => assert!(ended.is_err()),
            }
            assert_eq!(done.into_inner(), 99);
        }
    }
}
