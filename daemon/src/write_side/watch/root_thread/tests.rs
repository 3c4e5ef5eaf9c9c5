//! The hints of the thread of one root, with notes put in by hand.

use std::fs;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;

use tempfile::TempDir;

use super::*;

struct DrivenThread {
    dir: TempDir,
    thread: RootThread,
    hints: Receiver<Hint>,
}

/// The thread of `root` below a new directory, driven by hand and not started.
fn kept(sink: usize) -> DrivenThread {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("root");
    fs::create_dir(&path).unwrap();
    let settings = WatchSettings {
        debounce: Duration::ZERO,
        ..WatchSettings::default()
    };
    let (sender, hints) = sync_channel(sink);
    let setup = RootThreadSetup {
        root: 3,
        path,
        mode: RootMode::Poll,
        settings,
        sink: sender,
    };
    let chosen = ChosenMode {
        mode: RootMode::Poll,
        why: String::new(),
    };
    let mut thread = RootThread::new(setup, Inbox::new(8), Arc::new(Mutex::new(chosen)));
    assert!(!thread.check_root(), "first seen now");
    thread.outbox.clear();
    DrivenThread { dir, thread, hints }
}

impl DrivenThread {
    fn path(&self, name: &str) -> PathBuf {
        self.thread.setup.path.join(name)
    }

    fn touch(&mut self, name: &str) {
        let path = self.path(name);
        self.thread.handle_note(RootNote::Touched(path));
    }

    fn outbox(&self) -> Vec<Hint> {
        self.thread.outbox.iter().cloned().collect()
    }
}

#[test]
fn what_is_told_is_what_stands_there_now() {
    let mut kept = kept(8);
    fs::create_dir(kept.path("dir")).unwrap();
    for name in ["dir/inside", "file"] {
        fs::write(kept.path(name), "").unwrap();
    }
    for name in ["gone", "file", "dir/inside", "dir/gone", "dir"] {
        kept.touch(name);
    }
    kept.thread.run_due_work();
    let expected = [
        Hint::Subtree(kept.path("dir")),
        Hint::Removed(kept.path("dir/gone")),
        Hint::Path(kept.path("file")),
        Hint::Removed(kept.path("gone")),
    ];
    assert_eq!(kept.outbox(), expected);
}

#[test]
fn when_the_root_is_gone_no_file_in_it_is_called_removed() {
    let mut kept = kept(8);
    fs::write(kept.path("a"), "").unwrap();
    kept.touch("a");
    fs::rename(kept.path(""), kept.dir.path().join("aside")).unwrap();
    kept.thread.run_due_work();
    assert_eq!(kept.outbox(), [Hint::WalkRoot(WalkCause::RootGone)]);
    kept.touch("a");
    kept.thread.run_due_work();
    assert_eq!(
        kept.outbox(),
        [Hint::WalkRoot(WalkCause::RootGone)],
        "late events say nothing"
    );
}

#[test]
fn when_an_empty_mount_point_is_left_behind_nothing_is_called_removed() {
    let mut kept = kept(8);
    kept.touch("a");
    fs::rename(kept.path(""), kept.dir.path().join("aside")).unwrap();
    fs::create_dir(kept.path("")).unwrap();
    kept.thread.run_due_work();
    assert_eq!(kept.outbox(), [Hint::WalkRoot(WalkCause::RootReplaced)]);
}

#[test]
fn a_full_sink_keeps_hints_in_order_and_loses_none() {
    let mut kept = kept(1);
    for name in ["a", "b"] {
        kept.touch(name);
    }
    kept.thread.run_due_work();
    assert!(kept.thread.deliver().is_ok());
    kept.touch("c");
    kept.thread.run_due_work();
    assert_eq!(
        kept.outbox(),
        [Hint::Removed(kept.path("b"))],
        "c waits in the debouncer"
    );
    assert_eq!(
        kept.hints.try_recv().unwrap(),
        Hint::Removed(kept.path("a"))
    );
    assert!(kept.thread.deliver().is_ok());
    kept.thread.run_due_work();
    assert_eq!(
        kept.hints.try_recv().unwrap(),
        Hint::Removed(kept.path("b"))
    );
    assert_eq!(kept.outbox(), [Hint::Removed(kept.path("c"))]);
}

#[test]
fn what_somebody_waits_for_is_told_before_its_time_and_then_that_all_was() {
    let mut kept = kept(8);
    kept.thread.pending = Debouncer::new(&WatchSettings::default());
    kept.touch("a");
    kept.thread.run_due_work();
    assert_eq!(kept.outbox(), [], "it was touched just now");
    kept.thread.handle_note(RootNote::Flush(7));
    kept.thread.run_due_work();
    let hints = [Hint::Removed(kept.path("a")), Hint::Flushed(7)];
    assert_eq!(kept.outbox(), hints);
    // Of a root that is gone nothing is told, and nobody waits for it.
    kept.thread.outbox.clear();
    kept.thread.mark_root_gone();
    kept.thread.outbox.clear();
    kept.thread.handle_note(RootNote::Flush(8));
    kept.thread.run_due_work();
    assert_eq!(kept.outbox(), [Hint::Flushed(8)]);
}

#[test]
fn a_waiting_rescan_is_not_asked_for_twice() {
    let mut kept = kept(1);
    kept.thread.queue_rescan(WalkCause::Timer);
    kept.thread.queue_rescan(WalkCause::Timer);
    kept.thread.queue_rescan(WalkCause::Overflow);
    assert_eq!(
        kept.outbox(),
        [
            Hint::WalkRoot(WalkCause::Timer),
            Hint::WalkRoot(WalkCause::Overflow)
        ]
    );
}

#[test]
fn a_root_that_comes_and_goes_unheard_leaves_only_its_last_state() {
    let mut kept = kept(1);
    let (root, aside) = (kept.path(""), kept.dir.path().join("aside"));
    for _ in 0..3 {
        fs::rename(&root, &aside).unwrap();
        kept.thread.check_root();
        fs::rename(&aside, &root).unwrap();
        kept.thread.check_root();
    }
    assert_eq!(kept.outbox(), [Hint::WalkRoot(WalkCause::RootBack)]);
}

#[test]
fn lost_notes_become_a_rescan() {
    let mut kept = kept(8);
    for number in 0..20 {
        kept.thread
            .inbox
            .put(RootNote::Touched(kept.path(&number.to_string())));
    }
    kept.thread.run_due_work();
    assert!(kept.outbox().contains(&Hint::WalkRoot(WalkCause::Overflow)));
}

#[test]
fn without_watches_the_root_is_polled_and_says_so() {
    let mut kept = kept(8);
    kept.thread.fall_back(&ArmError::Limit);
    let chosen = kept.thread.chosen.lock().unwrap().clone();
    assert_eq!(chosen.mode, RootMode::Poll);
    assert!(chosen.why.contains("max_user_watches"), "{}", chosen.why);
    assert_eq!(
        kept.outbox(),
        [Hint::WalkRoot(WalkCause::FellBackToPolling)]
    );
    let poll = kept.thread.setup.settings.poll_every;
    assert!(kept.thread.next_rescan <= Instant::now() + poll);
}

#[test]
fn a_root_that_fell_back_is_watched_again_after_a_while() {
    let mut kept = kept(8);
    kept.thread.setup.mode = RootMode::Native;
    let mode = |thread: &RootThread| thread.chosen.lock().unwrap().mode;
    kept.thread.fall_back(&ArmError::Limit);
    kept.thread.extend_watches_and_rescan(WalkCause::Timer);
    assert_eq!(mode(&kept.thread), RootMode::Poll, "too early");
    kept.thread.next_try = Some(Instant::now());
    kept.thread.outbox.clear();
    kept.thread.extend_watches_and_rescan(WalkCause::Timer);
    assert_eq!(mode(&kept.thread), RootMode::Native);
    assert!(kept.thread.native.is_some());
    assert_eq!(
        kept.outbox(),
        [Hint::WalkRoot(WalkCause::Timer)],
        "walked once the watches stand"
    );
}

#[test]
fn a_watcher_that_failed_behind_an_overflow_is_armed_anew() {
    let mut kept = kept(8);
    kept.thread.setup.mode = RootMode::Native;
    kept.thread.arm();
    let before = kept.thread.native.as_ref().unwrap().retired();
    for cause in [WalkCause::Overflow, WalkCause::WatcherError] {
        kept.thread.handle_note(RootNote::Missed(cause));
    }
    kept.thread.run_due_work();
    assert_eq!(kept.outbox(), [Hint::WalkRoot(WalkCause::WatcherError)]);
    assert!(before.load(Ordering::Acquire), "the old watcher is dropped");
    assert!(kept.thread.native.is_some());
}

#[test]
fn tries_to_watch_a_root_again_become_rare() {
    let mut kept = kept(8);
    let settings = kept.thread.setup.settings.clone();
    let waits: Vec<Duration> = (0..12)
        .map(|_| {
            let now = Instant::now();
            kept.thread.poll_for_now(&ArmError::Limit);
            kept.thread.next_try.unwrap() - now
        })
        .collect();
    assert!(waits[0] >= settings.poll_every && waits[1] >= 2 * settings.poll_every);
    assert!(waits[11] >= settings.rescan_every);
}

#[test]
fn a_sink_nobody_reads_any_more_ends_the_thread() {
    let mut kept = kept(1);
    drop(kept.hints);
    kept.thread.queue_rescan(WalkCause::Timer);
    assert!(kept.thread.deliver().is_err());
}

#[test]
fn a_root_that_a_walk_could_not_use_is_walked_again_at_the_next_check() {
    let mut kept = kept(8);
    let far = kept.thread.next_rescan;
    kept.thread.handle_note(RootNote::RetryWalk);
    let soon = kept.thread.next_rescan;
    assert!(soon < far && soon <= Instant::now() + kept.thread.setup.settings.check_every);
    kept.thread.next_rescan = Instant::now();
    kept.thread.run_due_work();
    assert_eq!(kept.outbox(), [Hint::WalkRoot(WalkCause::Timer)]);
}
