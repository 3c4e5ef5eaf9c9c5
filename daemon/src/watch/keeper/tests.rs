//! What a keeper tells of one root, with notes put in by hand.

use std::fs;
use std::sync::mpsc::sync_channel;

use tempfile::TempDir;

use super::*;

struct Kept {
    dir: TempDir,
    keeper: Keeper,
    hints: Receiver<(u32, Hint)>,
}

/// A keeper of `root` below a new directory, driven by hand and not on a thread.
fn kept(sink: usize) -> Kept {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("root");
    fs::create_dir(&path).unwrap();
    let settings = Settings {
        debounce: Duration::ZERO,
        ..Settings::default()
    };
    let (sender, hints) = sync_channel(sink);
    let setup = KeeperSetup {
        root: 3,
        path,
        mode: Mode::Poll,
        settings,
        sink: sender,
    };
    let chosen = ChosenMode {
        mode: Mode::Poll,
        why: String::new(),
    };
    let mut keeper = Keeper::new(setup, Inbox::new(8), Arc::new(Mutex::new(chosen)));
    assert!(!keeper.check_root(), "first seen now");
    keeper.outbox.clear();
    Kept { dir, keeper, hints }
}

impl Kept {
    fn path(&self, name: &str) -> PathBuf {
        self.keeper.setup.path.join(name)
    }

    fn touch(&mut self, name: &str) {
        let path = self.path(name);
        self.keeper.take(Note::Touched(path));
    }

    fn outbox(&self) -> Vec<Hint> {
        self.keeper.outbox.iter().cloned().collect()
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
    kept.keeper.tick();
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
    kept.keeper.tick();
    assert_eq!(kept.outbox(), [Hint::Rescan(Cause::RootGone)]);
    kept.touch("a");
    kept.keeper.tick();
    assert_eq!(
        kept.outbox(),
        [Hint::Rescan(Cause::RootGone)],
        "late events say nothing"
    );
}

#[test]
fn when_an_empty_mount_point_is_left_behind_nothing_is_called_removed() {
    let mut kept = kept(8);
    kept.touch("a");
    fs::rename(kept.path(""), kept.dir.path().join("aside")).unwrap();
    fs::create_dir(kept.path("")).unwrap();
    kept.keeper.tick();
    assert_eq!(kept.outbox(), [Hint::Rescan(Cause::RootReplaced)]);
}

#[test]
fn a_full_sink_keeps_hints_in_order_and_loses_none() {
    let mut kept = kept(1);
    for name in ["a", "b"] {
        kept.touch(name);
    }
    kept.keeper.tick();
    assert!(kept.keeper.deliver().is_ok());
    kept.touch("c");
    kept.keeper.tick();
    assert_eq!(
        kept.outbox(),
        [Hint::Removed(kept.path("b"))],
        "c waits in the debouncer"
    );
    assert_eq!(
        kept.hints.try_recv().unwrap(),
        (3, Hint::Removed(kept.path("a")))
    );
    assert!(kept.keeper.deliver().is_ok());
    kept.keeper.tick();
    assert_eq!(
        kept.hints.try_recv().unwrap(),
        (3, Hint::Removed(kept.path("b")))
    );
    assert_eq!(kept.outbox(), [Hint::Removed(kept.path("c"))]);
}

#[test]
fn a_waiting_rescan_is_not_asked_for_twice() {
    let mut kept = kept(1);
    kept.keeper.promise(Cause::Timer);
    kept.keeper.promise(Cause::Timer);
    kept.keeper.promise(Cause::Overflow);
    assert_eq!(
        kept.outbox(),
        [Hint::Rescan(Cause::Timer), Hint::Rescan(Cause::Overflow)]
    );
}

#[test]
fn a_root_that_comes_and_goes_unheard_leaves_only_its_last_state() {
    let mut kept = kept(1);
    let (root, aside) = (kept.path(""), kept.dir.path().join("aside"));
    for _ in 0..3 {
        fs::rename(&root, &aside).unwrap();
        kept.keeper.check_root();
        fs::rename(&aside, &root).unwrap();
        kept.keeper.check_root();
    }
    assert_eq!(kept.outbox(), [Hint::Rescan(Cause::RootBack)]);
}

#[test]
fn lost_notes_become_a_rescan() {
    let mut kept = kept(8);
    for number in 0..20 {
        kept.keeper
            .inbox
            .put(Note::Touched(kept.path(&number.to_string())));
    }
    kept.keeper.tick();
    assert!(kept.outbox().contains(&Hint::Rescan(Cause::Overflow)));
}

#[test]
fn without_watches_the_root_is_polled_and_says_so() {
    let mut kept = kept(8);
    kept.keeper.fall_back(&ArmError::Limit);
    let chosen = kept.keeper.chosen.lock().unwrap().clone();
    assert_eq!(chosen.mode, Mode::Poll);
    assert!(chosen.why.contains("max_user_watches"), "{}", chosen.why);
    assert_eq!(kept.outbox(), [Hint::Rescan(Cause::WatchLimit)]);
    let poll = kept.keeper.setup.settings.poll_every;
    assert!(kept.keeper.next_rescan <= Instant::now() + poll);
}

#[test]
fn a_root_that_fell_back_is_watched_again_after_a_while() {
    let mut kept = kept(8);
    kept.keeper.setup.mode = Mode::Native;
    let mode = |keeper: &Keeper| keeper.chosen.lock().unwrap().mode;
    kept.keeper.fall_back(&ArmError::Limit);
    kept.keeper.rescan(Cause::Timer);
    assert_eq!(mode(&kept.keeper), Mode::Poll, "too early");
    kept.keeper.next_try = Some(Instant::now());
    kept.keeper.outbox.clear();
    kept.keeper.rescan(Cause::Timer);
    assert_eq!(mode(&kept.keeper), Mode::Native);
    assert!(kept.keeper.native.is_some());
    assert_eq!(
        kept.outbox(),
        [Hint::Rescan(Cause::Timer)],
        "walked once the watches stand"
    );
}

#[test]
fn tries_to_watch_a_root_again_become_rare() {
    let mut kept = kept(8);
    let settings = kept.keeper.setup.settings.clone();
    let waits: Vec<Duration> = (0..12)
        .map(|_| {
            let now = Instant::now();
            kept.keeper.poll_for_now(&ArmError::Limit);
            kept.keeper.next_try.unwrap() - now
        })
        .collect();
    assert!(waits[0] >= settings.poll_every && waits[1] >= 2 * settings.poll_every);
    assert!(waits[11] >= settings.rescan_every);
}

#[test]
fn a_sink_nobody_reads_any_more_ends_the_keeper() {
    let mut kept = kept(1);
    drop(kept.hints);
    kept.keeper.promise(Cause::Timer);
    assert!(kept.keeper.deliver().is_err());
}

#[test]
fn a_root_that_a_walk_could_not_use_is_walked_again_at_the_next_check() {
    let mut kept = kept(8);
    let far = kept.keeper.next_rescan;
    kept.keeper.take(Note::Doubted);
    let soon = kept.keeper.next_rescan;
    assert!(soon < far && soon <= Instant::now() + kept.keeper.setup.settings.check_every);
    kept.keeper.next_rescan = Instant::now();
    kept.keeper.tick();
    assert_eq!(kept.outbox(), [Hint::Rescan(Cause::Timer)]);
}
