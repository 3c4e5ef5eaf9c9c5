//! When hints for a path are sent: the state machine under a simulated clock.

use std::path::Path;

use proptest::prelude::*;

use super::*;

/// A debouncer with a simulated clock, in milliseconds since the start.
struct Clocked {
    debouncer: Debouncer,
    start: Instant,
}

impl Clocked {
    fn new(limit: usize) -> Self {
        let settings = WatchSettings {
            pending_limit: limit,
            ..WatchSettings::default()
        };
        Self {
            debouncer: Debouncer::new(&settings),
            start: Instant::now(),
        }
    }

    fn at(&self, millis: u64) -> Instant {
        self.start + Duration::from_millis(millis)
    }

    fn touch(&mut self, millis: u64, path: &str) {
        self.debouncer.touch(self.at(millis), path.into());
    }

    fn due(&mut self, millis: u64) -> DueHints {
        let mut due = self.debouncer.due(self.at(millis));
        due.paths.sort();
        due
    }

    fn paths(&mut self, millis: u64) -> Vec<String> {
        self.due(millis)
            .paths
            .iter()
            .map(|p| p.display().to_string())
            .collect()
    }

    /// Touches `path` every `step` ms for `total` ms; returns when its hints were sent.
    fn hinted(&mut self, path: &str, step: u64, total: u64) -> Vec<u64> {
        let mut hinted = Vec::new();
        for millis in (0..total).step_by(10) {
            if millis % step == 0 {
                self.touch(millis, path);
            }
            if !self.paths(millis).is_empty() {
                hinted.push(millis);
            }
        }
        hinted
    }
}

#[test]
fn a_path_is_told_once_when_it_has_been_quiet() {
    let mut clock = Clocked::new(100);
    clock.touch(0, "a");
    clock.touch(300, "a");
    assert!(clock.paths(780).is_empty());
    assert_eq!(clock.paths(800), ["a"]);
    assert!(clock.paths(10_000).is_empty());
}

#[test]
fn a_path_that_is_never_quiet_is_told_after_the_longest_delay() {
    let mut clock = Clocked::new(100);
    let hinted = clock.hinted("log", 100, 5_100);
    assert_eq!(hinted, [5_000]);
}

#[test]
fn a_path_appended_forever_is_told_ever_more_seldom_at_last_once_a_minute() {
    let mut clock = Clocked::new(100);
    let hinted = clock.hinted("log", 1_000, 600_000);
    let gaps: Vec<_> = hinted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(
        gaps.windows(2).all(|pair| pair[0] <= pair[1] + 1_000),
        "{gaps:?}"
    );
    assert!(
        gaps.iter()
            .rev()
            .take(3)
            .all(|gap| (60_000..=62_000).contains(gap)),
        "{gaps:?}"
    );
}

#[test]
fn after_a_calm_spell_a_path_is_told_at_once_again() {
    let mut clock = Clocked::new(100);
    for second in 0..30 {
        clock.touch(second * 1_000, "a");
        clock.paths(second * 1_000 + 500);
    }
    // The gap has grown to at most 32 s: after twice that it is reset.
    clock.paths(62_000);
    clock.touch(200_000, "b");
    clock.paths(200_500);
    clock.touch(300_000, "a");
    assert_eq!(clock.paths(300_500), ["a"]);
}

#[test]
fn paths_do_not_wait_for_each_other() {
    let mut clock = Clocked::new(100);
    clock.touch(0, "a");
    clock.touch(400, "b");
    assert_eq!(clock.paths(500), ["a"]);
    assert_eq!(clock.paths(900), ["b"]);
}

#[test]
fn more_paths_than_the_limit_become_one_rescan() {
    let mut clock = Clocked::new(2);
    for name in ["a", "b", "c", "d"] {
        clock.touch(0, name);
    }
    clock.touch(0, "a");
    let due = clock.due(500);
    assert_eq!(due.paths, [Path::new("a"), Path::new("b")]);
    assert_eq!(due.rescan, Some(WalkCause::Overflow));
    assert_eq!(clock.due(10_000), DueHints::default());
}

#[test]
fn a_storm_of_overflows_rescans_at_most_once_in_the_longest_delay() {
    let mut clock = Clocked::new(100);
    let mut hinted = Vec::new();
    for millis in (0..20_000).step_by(10) {
        clock
            .debouncer
            .want_rescan(clock.at(millis), WalkCause::Overflow);
        if clock.due(millis).rescan.is_some() {
            hinted.push(millis);
        }
    }
    assert!((2..=4).contains(&hinted.len()), "{hinted:?}");
    assert!(
        hinted.windows(2).all(|pair| pair[1] - pair[0] >= 5_000),
        "{hinted:?}"
    );
}

#[test]
fn the_first_cause_of_a_rescan_is_told_unless_the_watcher_failed_behind_it() {
    let hinted = |causes: &[WalkCause]| {
        let mut clock = Clocked::new(100);
        for cause in causes {
            clock.debouncer.want_rescan(clock.at(0), *cause);
        }
        clock.due(60_000).rescan
    };
    use WalkCause::{Overflow, RootGone, WatcherError};
    assert_eq!(hinted(&[Overflow, RootGone]), Some(Overflow));
    assert_eq!(hinted(&[Overflow, WatcherError]), Some(WatcherError));
    assert_eq!(hinted(&[WatcherError, Overflow]), Some(WatcherError));
}

#[test]
fn what_somebody_waits_for_is_due_at_once_even_if_it_is_touched_again_and_again() {
    let mut clock = Clocked::new(100);
    clock.touch(10_000, "hot");
    assert_eq!(clock.paths(10_500), ["hot"]);
    clock.touch(10_600, "hot");
    clock.touch(10_600, "new");
    clock.debouncer.flush(clock.at(10_601));
    assert_eq!(clock.paths(10_601), ["hot", "new"]);
    clock.touch(10_700, "hot");
    assert!(clock.paths(12_600).is_empty(), "nobody waits for it");
    assert_eq!(clock.paths(12_601), ["hot"]);
}

#[test]
fn a_cleared_debouncer_tells_nothing() {
    let mut clock = Clocked::new(100);
    clock.touch(0, "a");
    clock
        .debouncer
        .want_rescan(clock.at(0), WalkCause::Overflow);
    clock.debouncer.clear();
    assert_eq!(clock.due(60_000), DueHints::default());
    assert_eq!(clock.debouncer.wake(), None);
}

proptest! {
    /// A caller that follows `wake` gets every path, none before its debounce.
    #[test]
    fn every_touched_path_is_told_after_its_last_touch(
        touches in prop::collection::vec((0u64..30_000, 0u8..5), 1..60),
    ) {
        let mut touches = touches;
        touches.sort_unstable();
        let mut clock = Clocked::new(100);
        let mut last_hinted = HashMap::new();
        for &(millis, path) in &touches {
            while let Some(wake) = clock.debouncer.wake().filter(|wake| *wake <= clock.at(millis)) {
                let paths = clock.debouncer.due(wake).paths;
                last_hinted.extend(paths.into_iter().map(|path| (path, wake)));
            }
            clock.touch(millis, &path.to_string());
        }
        while let Some(wake) = clock.debouncer.wake() {
            let paths = clock.debouncer.due(wake).paths;
            last_hinted.extend(paths.into_iter().map(|path| (path, wake)));
        }
        for &(millis, path) in &touches {
            let hinted = last_hinted[Path::new(&path.to_string())];
            prop_assert!(hinted >= clock.at(millis));
            prop_assert!(hinted <= clock.at(millis) + Duration::from_secs(130));
        }
    }
}
