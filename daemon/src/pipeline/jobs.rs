//! Files named and not yet looked at: one line a root, served in turn, so that a root with a burst of
//! slow files delays its own files and not those of the others.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use simdex_schema::RootId;

use crate::progress::Job;

/// Files that wait in one line before who names another waits too.
const LINE: usize = 1024;

/// The lines.
#[derive(Default)]
pub(super) struct Jobs {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: BTreeMap<RootId, VecDeque<Job>>,
    /// The root served last: the next one is next.
    last: Option<RootId>,
    closed: bool,
}

/// What a reader is to do.
pub(super) enum Next {
    /// Look at this.
    Look(Job),
    /// Nothing came.
    Idle,
    /// Nothing will come any more.
    Ended,
}

impl Jobs {
    /// Lines a file up; waits while its line is full.
    pub(super) fn push(&self, job: Job) {
        let full = |state: &mut State| {
            let line = state.lines.get(&job.key.root);
            !state.closed && line.is_some_and(|line| line.len() >= LINE)
        };
        let waited = self.changed.wait_while(self.lock(), full);
        self.add(waited.unwrap_or_else(PoisonError::into_inner), job);
    }

    /// Lines a file up once more, whatever stands there: who reads must not wait for who names.
    pub(super) fn push_again(&self, job: Job) {
        self.add(self.lock(), job);
    }

    fn add(&self, mut state: MutexGuard<'_, State>, job: Job) {
        // What is named after the end is dropped: its barriers end with an error.
        if !state.closed {
            state.lines.entry(job.key.root).or_default().push_back(job);
            drop(state);
            self.changed.notify_all();
        }
    }

    /// The next file, of the next root that has one; waits for it at most `patience`.
    pub(super) fn next(&self, patience: Duration) -> Next {
        let none = |state: &mut State| state.lines.is_empty() && !state.closed;
        let waited = self.changed.wait_timeout_while(self.lock(), patience, none);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        if state.closed {
            return Next::Ended;
        }
        let Some(job) = state.take() else {
            return Next::Idle;
        };
        drop(state);
        self.changed.notify_all();
        Next::Look(job)
    }

    /// Drops what waits, and all that comes.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.lines.clear();
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self) -> Option<Job> {
        let after = self
            .lines
            .keys()
            .find(|root| Some(**root) > self.last)
            .copied();
        let root = after.or_else(|| self.lines.keys().next().copied())?;
        self.last = Some(root);
        let line = self.lines.get_mut(&root)?;
        let job = line.pop_front();
        if line.is_empty() {
            self.lines.remove(&root);
        }
        job
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use simdex_schema::FileKey;

    fn job(progress: &Progress, root: u32, path: &str) -> Job {
        let key = FileKey {
            root: RootId(root),
            path: path.into(),
        };
        progress.submit(key).unwrap()
    }

    fn looked(jobs: &Jobs) -> Option<(u32, Vec<u8>)> {
        match jobs.next(Duration::ZERO) {
            Next::Look(job) => Some((job.key.root.0, job.key.path)),
            Next::Idle | Next::Ended => None,
        }
    }

    #[test]
    fn roots_are_served_in_turn_and_each_in_its_order() {
        let (jobs, progress) = (Jobs::default(), Progress::default());
        for (root, path) in [(7, "a"), (7, "b"), (7, "c"), (2, "x"), (9, "y")] {
            jobs.push(job(&progress, root, path));
        }
        let order: Vec<_> = std::iter::from_fn(|| looked(&jobs)).collect();
        let named = |(root, path): (u32, &str)| (root, path.as_bytes().to_vec());
        assert_eq!(
            order,
            [(2, "x"), (7, "a"), (9, "y"), (7, "b"), (7, "c")].map(named)
        );
    }

    #[test]
    fn a_full_line_holds_up_its_own_root_only_and_the_end_frees_who_waits() {
        let (jobs, progress) = (Jobs::default(), Progress::default());
        for number in 0..LINE {
            jobs.push(job(&progress, 1, &number.to_string()));
        }
        jobs.push(job(&progress, 2, "other root"));
        jobs.push_again(job(&progress, 1, "again"));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| jobs.push(job(&progress, 1, "one more")));
            std::thread::yield_now();
            jobs.close();
            waiting.join().unwrap();
        });
        assert!(matches!(jobs.next(Duration::ZERO), Next::Ended));
    }
}
