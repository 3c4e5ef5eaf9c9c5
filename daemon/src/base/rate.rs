//! How fast something was done in a window of time until now, and how long what waits will take.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What is done within this time of each other is counted together.
const STEP: Duration = Duration::from_secs(1);

/// How fast waiting work is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Done in a second.
    pub per_second: f64,
    /// Time until all waiting work is done at this rate; `None` if nothing was done lately, or if further work is still
    /// being found.
    pub left: Option<Duration>,
    /// Whether it takes longer than `left`: some of the work was deferred because it takes more than the rest.
    pub takes_longer: bool,
}

impl Pace {
    /// The pace while further work is still being found: how much is left is not known.
    pub fn without_end(self) -> Self {
        Self { left: None, ..self }
    }

    /// The pace when `deferred` of the `waiting` were put off as more costly: `left` is then a lower bound, and unknown
    /// if they are more than half.
    pub fn with_deferred(self, deferred: u64, waiting: u64) -> Self {
        Self {
            left: self.left.filter(|_| deferred <= waiting / 2),
            takes_longer: deferred > 0,
            ..self
        }
    }
}

/// Counts of what was done lately: one for each second of the window, and one more, at most.
#[derive(Debug)]
pub struct RateWindow {
    /// What was done longer ago does not count.
    window: Duration,
    /// When a step began, and what was done in it.
    steps: VecDeque<(Instant, u64)>,
    /// When there was work again after there had been none.
    begun: Option<Instant>,
}

impl RateWindow {
    /// Counts over a window.
    pub fn over(window: Duration) -> Self {
        Self {
            window,
            steps: VecDeque::new(),
            begun: None,
        }
    }

    /// Call when there is work to do and there was none before.
    pub fn begin(&mut self, now: Instant) {
        self.steps.clear();
        self.begun = Some(now);
    }

    /// Counts this many as done just now.
    pub fn done(&mut self, now: Instant, count: u64) {
        self.begun.get_or_insert(now);
        match self.steps.back_mut() {
            Some((at, counted)) if now.saturating_duration_since(*at) < STEP => *counted += count,
            _ => self.steps.push_back((now, count)),
        }
        let window = self.window;
        let is_past = |at: Instant| now.saturating_duration_since(at) >= window;
        while self.steps.front().is_some_and(|(at, _)| is_past(*at)) {
            self.steps.pop_front();
        }
    }

    /// The current pace, with this many waiting; `None` if nothing waits, or if work has hardly begun.
    pub fn pace(&self, now: Instant, waiting: u64) -> Option<Pace> {
        let begun = self.begun.filter(|_| waiting > 0)?;
        let lasted = now.saturating_duration_since(begun).min(self.window);
        if lasted < STEP {
            return None;
        }
        let is_recent = |at: Instant| now.saturating_duration_since(at) < self.window;
        let recent = self.steps.iter().filter(|(at, _)| is_recent(*at));
        let done: u64 = recent.map(|(_, count)| count).sum();
        let per_second = done as f64 / lasted.as_secs_f64();
        let left = waiting as f64 / per_second;
        Some(Pace {
            per_second,
            left: Duration::try_from_secs_f64(left).ok(),
            takes_longer: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(begin: Instant, seconds: f64) -> Instant {
        begin + Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_pace_is_that_of_the_last_seconds_and_says_how_long_the_rest_takes() {
        let (begin, mut window) = (Instant::now(), RateWindow::over(Duration::from_secs(10)));
        window.begin(begin);
        assert_eq!(window.pace(after(begin, 0.5), 10), None, "hardly begun");
        for step in 1..=40 {
            window.done(after(begin, f64::from(step) / 4.0), 25);
        }
        let pace = window.pace(after(begin, 10.0), 500).unwrap();
        assert!((pace.per_second - 100.0).abs() < 1e-9, "{pace:?}");
        assert_eq!(pace.left, Some(Duration::from_secs(5)));
        assert!(window.steps.len() <= 11);
        // Five seconds later nothing more was done: slower. After some more it stands still.
        let pace = window.pace(after(begin, 15.0), 500).unwrap();
        assert!((pace.per_second - 50.0).abs() < 5.0, "{pace:?}");
        let still = window.pace(after(begin, 21.0), 500).unwrap();
        assert_eq!((still.per_second, still.left), (0.0, None));
    }

    #[test]
    fn while_further_work_is_found_nobody_knows_how_long_the_rest_takes() {
        let (begin, mut window) = (Instant::now(), RateWindow::over(Duration::from_secs(10)));
        window.begin(begin);
        window.done(after(begin, 1.0), 10);
        let pace = window.pace(after(begin, 2.0), 10).unwrap();
        let endless = pace.without_end();
        assert!(pace.left.is_some() && endless.left.is_none());
        assert_eq!(endless.per_second, pace.per_second);
    }

    #[test]
    fn what_is_put_off_takes_longer_and_if_it_is_most_nobody_knows_how_long() {
        let pace = Pace {
            per_second: 2.0,
            left: Some(Duration::from_secs(50)),
            takes_longer: false,
        };
        let told = |deferred| {
            let pace = pace.with_deferred(deferred, 100);
            (pace.left.is_some(), pace.takes_longer)
        };
        let expected = [(0, (true, false)), (50, (true, true)), (51, (false, true))];
        assert!(expected.iter().all(|(deferred, is)| told(*deferred) == *is));
    }

    #[test]
    fn nothing_is_said_while_nothing_waits_and_a_rest_does_not_count() {
        let (begin, mut window) = (Instant::now(), RateWindow::over(Duration::from_secs(10)));
        assert_eq!(window.pace(begin, 3), None);
        window.begin(begin);
        window.done(after(begin, 1.0), 10);
        assert_eq!(window.pace(after(begin, 2.0), 0), None);
        // Idle for half a minute, then something comes again.
        window.begin(after(begin, 30.0));
        window.done(after(begin, 31.0), 10);
        let pace = window.pace(after(begin, 32.0), 10).unwrap();
        assert!((pace.per_second - 5.0).abs() < 1e-9, "{pace:?}");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let (begin, mut window) = (Instant::now(), RateWindow::over(Duration::from_secs(10)));
        (0..1000).for_each(|at| window.done(after(begin, f64::from(at)), 1));
        assert!(window.steps.len() <= 11);
        let pace = window.pace(after(begin, 999.0), 60).unwrap();
        assert!((pace.per_second - 1.0).abs() < 0.11, "{pace:?}");
    }
}
