//! A lock that is handed over first come, first served: a thread that releases it and wants it again goes to
//! the end of the line.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a waiting thread is asked whether to continue.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The line of waiting threads, which take turns one at a time.
#[derive(Debug, Default)]
pub struct Turns {
    line: Mutex<WaitingLine>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct WaitingLine {
    /// Numbers in the order of arrival; the first has its turn, once it has noticed.
    waiting: VecDeque<u64>,
    next: u64,
    /// The turn being held is hidden from [`Turns::are_taken`].
    is_quiet: bool,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub struct Turn<'a> {
    turns: &'a Turns,
    number: u64,
}

impl Turns {
    /// Waits for its turn.
    ///
    /// # Errors
    /// That of `keep_going`, which is called periodically while waiting; the place in the line is given up.
    pub fn take<E>(&self, keep_going: impl Fn() -> Result<(), E>) -> Result<Turn<'_>, E> {
        let mut line = self.lock();
        let number = line.next;
        line.next += 1;
        line.waiting.push_back(number);
        // Given back however this function ends.
        let turn = Turn {
            turns: self,
            number,
        };
        while line.waiting.front() != Some(&number) {
            drop(line);
            keep_going()?;
            let others = |line: &mut WaitingLine| line.waiting.front() != Some(&number);
            let waited = self
                .moved
                .wait_timeout_while(self.lock(), POLL_INTERVAL, others);
            line = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(turn)
    }

    /// Whether anybody has a turn or waits for one; a quiet turn does not count.
    pub fn are_taken(&self) -> bool {
        let line = self.lock();
        line.waiting.len() > usize::from(line.is_quiet)
    }

    /// How many have a turn or wait for one.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    fn lock(&self) -> MutexGuard<'_, WaitingLine> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// Hides this turn from [`Turns::are_taken`].
    #[must_use]
    pub fn quiet(self) -> Self {
        self.turns.lock().is_quiet = true;
        self
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut line = self.turns.lock();
        if line.waiting.front() == Some(&self.number) {
            line.is_quiet = false;
        }
        line.waiting.retain(|number| *number != self.number);
        drop(line);
        self.turns.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn goes_on() -> Result<(), &'static str> {
        Ok(())
    }

    fn until_in_line(turns: &Turns, count: usize) {
        while turns.len() < count {
            std::thread::yield_now();
        }
    }

    #[test]
    fn who_comes_again_waits_behind_those_who_came_before() {
        let turns = Turns::default();
        let (order, came) = channel();
        std::thread::scope(|scope| {
            let first = turns.take(goes_on).unwrap();
            let waiting = order.clone();
            let turns = &turns;
            scope.spawn(move || {
                let _turn = turns.take(goes_on).unwrap();
                waiting.send("the one who waited").unwrap();
            });
            until_in_line(turns, 2);
            drop(first);
            let _again = turns.take(goes_on).unwrap();
            order.send("the one who came again").unwrap();
        });
        drop(order);
        let order: Vec<_> = came.iter().collect();
        assert_eq!(order, ["the one who waited", "the one who came again"]);
    }

    #[test]
    fn who_gives_up_leaves_the_line() {
        let turns = Turns::default();
        let first = turns.take(goes_on).unwrap();
        assert_eq!(turns.take(|| Err("given up")).unwrap_err(), "given up");
        assert_eq!(turns.len(), 1);
        drop(first);
        assert!(!turns.are_taken());
    }

    #[test]
    fn a_quiet_turn_keeps_others_waiting_and_is_not_told() {
        let turns = Turns::default();
        let first = turns.take(goes_on).unwrap();
        assert!(turns.are_taken());
        let first = first.quiet();
        assert!(!turns.are_taken());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.take(goes_on).map(drop));
            until_in_line(&turns, 2);
            assert!(turns.are_taken(), "one waits");
            drop(first);
            waiting.join().unwrap().unwrap();
        });
        let _next = turns.take(goes_on).unwrap();
        assert!(turns.are_taken(), "only the first was quiet");
    }
}
