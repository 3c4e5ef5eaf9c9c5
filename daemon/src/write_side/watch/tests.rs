//! Real threads and real events: hints that must arrive in the end, with long timeouts.

mod converge;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};

use tempfile::TempDir;

use super::*;
use crate::error::Failure;

const MAX_WAIT: Duration = Duration::from_secs(60);

fn quick() -> WatchSettings {
    WatchSettings {
        debounce: Duration::from_millis(30),
        max_delay: Duration::from_millis(300),
        hot_delay: Duration::from_millis(300),
        check_every: Duration::from_millis(50),
        ..WatchSettings::default()
    }
}

pub(super) fn lifecycle() -> Arc<Lifecycle> {
    Lifecycle::new(Arc::default(), Arc::default())
}

struct Watched {
    dir: TempDir,
    hints: Receiver<Hint>,
    watcher: RootWatcher,
}

fn watch_with(
    mode: RootMode,
    settings: &WatchSettings,
    room: usize,
    prepare: impl Fn(&Path),
) -> Watched {
    let dir = tempfile::tempdir().unwrap();
    prepare(&dir.path().join("root"));
    let (sink, hints) = sync_channel(room);
    let root = dir.path().join("root");
    let (watcher, _) = RootWatcher::start(&lifecycle(), 7, &root, mode, settings, sink).unwrap();
    Watched {
        dir,
        hints,
        watcher,
    }
}

/// A native watcher of an empty root, already armed.
fn watch() -> Watched {
    let watched = watch_with(RootMode::Native, &quick(), 1_000, |root| {
        fs::create_dir(root).unwrap()
    });
    watched.until("the start", |hint| {
        *hint == Hint::WalkRoot(WalkCause::Start)
    });
    watched
}

impl Watched {
    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("root").join(name)
    }

    fn write(&self, name: &str) {
        fs::write(self.path(name), name).unwrap();
    }

    /// Reads hints until one fits; returns those before it.
    fn until(&self, what: &str, fits: impl Fn(&Hint) -> bool) -> Vec<Hint> {
        let since = Instant::now();
        let mut before = Vec::new();
        while let Ok(hint) = self
            .hints
            .recv_timeout(MAX_WAIT.saturating_sub(since.elapsed()))
        {
            if fits(&hint) {
                return before;
            }
            before.push(hint);
        }
        panic!("no hint of {what}, only {before:?}");
    }

    fn until_hint(&self, hint: Hint) -> Vec<Hint> {
        self.until(&format!("{hint:?}"), |found| *found == hint)
    }
}

#[test]
fn a_file_is_told_when_written_changed_moved_and_removed() {
    let watched = watch();
    watched.write("a");
    watched.until_hint(Hint::Path(watched.path("a")));
    watched.write("a");
    watched.until_hint(Hint::Path(watched.path("a")));
    fs::rename(watched.path("a"), watched.path("b")).unwrap();
    watched.until_hint(Hint::Removed(watched.path("a")));
    fs::remove_file(watched.path("b")).unwrap();
    watched.until_hint(Hint::Removed(watched.path("b")));
}

#[test]
fn a_new_tree_is_told_as_a_whole_and_watched_from_then_on() {
    let watched = watch();
    fs::create_dir_all(watched.path("1/2/3")).unwrap();
    watched.write("1/2/3/early");
    watched.until_hint(Hint::Subtree(watched.path("1")));
    watched.write("1/2/3/late");
    watched.until_hint(Hint::Path(watched.path("1/2/3/late")));
}

#[test]
fn after_a_directory_is_renamed_its_files_are_told_under_the_new_name() {
    let watched = watch();
    fs::create_dir_all(watched.path("old/sub")).unwrap();
    watched.until_hint(Hint::Subtree(watched.path("old")));
    fs::rename(watched.path("old"), watched.path("new")).unwrap();
    let before = watched.until_hint(Hint::Removed(watched.path("old")));
    if !before.contains(&Hint::Subtree(watched.path("new"))) {
        watched.until_hint(Hint::Subtree(watched.path("new")));
    }
    watched.write("new/sub/a");
    watched.until_hint(Hint::Path(watched.path("new/sub/a")));
}

#[test]
fn two_directories_that_swap_names_are_both_watched_afterwards() {
    let watched = watch();
    for name in ["a", "b"] {
        fs::create_dir(watched.path(name)).unwrap();
    }
    watched.until_hint(Hint::Subtree(watched.path("b")));
    for (from, to) in [("a", "c"), ("b", "a"), ("c", "b")] {
        fs::rename(watched.path(from), watched.path(to)).unwrap();
    }
    watched.until_hint(Hint::Subtree(watched.path("b")));
    for name in ["a/x", "b/y"] {
        watched.write(name);
        watched.until_hint(Hint::Path(watched.path(name)));
    }
}

#[test]
fn a_directory_moved_in_is_told_and_one_moved_out_is_removed() {
    let watched = watch();
    let outside = watched.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a"), "").unwrap();
    fs::rename(&outside, watched.path("in")).unwrap();
    watched.until_hint(Hint::Subtree(watched.path("in")));
    fs::rename(watched.path("in"), &outside).unwrap();
    watched.until_hint(Hint::Removed(watched.path("in")));
}

#[test]
fn a_file_written_without_a_pause_is_told_all_the_same() {
    let watched = watch();
    let since = Instant::now();
    while since.elapsed() < MAX_WAIT {
        watched.write("log");
        if let Ok(hint) = watched.hints.try_recv() {
            assert_eq!(hint, Hint::Path(watched.path("log")));
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("starved");
}

#[test]
fn what_lies_behind_a_symlink_is_not_watched() {
    let watched = watch();
    let outside = watched.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, watched.path("link")).unwrap();
    watched.until_hint(Hint::Path(watched.path("link")));
    fs::write(outside.join("a"), "").unwrap();
    watched.write("last");
    let before = watched.until_hint(Hint::Path(watched.path("last")));
    assert!(
        !before.contains(&Hint::Path(watched.path("link/a"))),
        "{before:?}"
    );
}

#[test]
fn a_directory_that_may_not_be_read_does_not_blind_the_rest() {
    if rustix::process::geteuid().is_root() {
        return; // root reads everything
    }
    let watched = watch_with(RootMode::Native, &quick(), 100, |root| {
        for name in ["a", "locked", "z"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::set_permissions(root.join("locked"), fs::Permissions::from_mode(0o000)).unwrap();
    });
    watched.until_hint(Hint::WalkRoot(WalkCause::Start));
    assert_eq!(watched.watcher.chosen().mode, RootMode::Native);
    for name in ["a/1", "z/2"] {
        watched.write(name);
        watched.until_hint(Hint::Path(watched.path(name)));
    }
    fs::set_permissions(watched.path("locked"), fs::Permissions::from_mode(0o700)).unwrap();
    watched.until_hint(Hint::Subtree(watched.path("locked")));
    watched.write("locked/3");
    watched.until_hint(Hint::Path(watched.path("locked/3")));
}

#[test]
fn a_root_that_goes_and_comes_back_is_watched_again_and_nothing_is_removed() {
    let watched = watch();
    watched.write("a");
    watched.until_hint(Hint::Path(watched.path("a")));
    let (root, aside) = (watched.path(""), watched.dir.path().join("aside"));
    fs::rename(&root, &aside).unwrap();
    let gone = watched.until_hint(Hint::WalkRoot(WalkCause::RootGone));
    fs::rename(&aside, &root).unwrap();
    let back = watched.until_hint(Hint::WalkRoot(WalkCause::RootBack));
    let removed = |hint: &&Hint| matches!(hint, Hint::Removed(_));
    assert_eq!(gone.iter().chain(&back).find(removed), None);
    watched.write("b");
    watched.until_hint(Hint::Path(watched.path("b")));
}

#[test]
fn a_root_that_is_missing_at_the_start_is_waited_for() {
    let watched = watch_with(RootMode::Native, &quick(), 100, |_| {});
    watched.until_hint(Hint::WalkRoot(WalkCause::RootGone));
    fs::create_dir(watched.path("")).unwrap();
    watched.until_hint(Hint::WalkRoot(WalkCause::RootBack));
    watched.write("a");
    watched.until_hint(Hint::Path(watched.path("a")));
}

#[test]
fn a_polled_root_is_rescanned_again_and_again() {
    let settings = WatchSettings {
        poll_every: Duration::from_millis(20),
        ..quick()
    };
    let watched = watch_with(RootMode::Poll, &settings, 100, |root| {
        fs::create_dir(root).unwrap()
    });
    for cause in [WalkCause::Start, WalkCause::Timer, WalkCause::Timer] {
        assert!(watched.until_hint(Hint::WalkRoot(cause)).is_empty());
    }
    assert_eq!(watched.watcher.chosen().mode, RootMode::Poll);
}

#[test]
fn a_burst_beyond_the_limit_ends_in_a_rescan_with_a_slow_reader() {
    let settings = WatchSettings {
        pending_limit: 50,
        ..quick()
    };
    let watched = watch_with(RootMode::Native, &settings, 1, |root| {
        fs::create_dir(root).unwrap()
    });
    watched.until_hint(Hint::WalkRoot(WalkCause::Start));
    for number in 0..500 {
        watched.write(&number.to_string());
    }
    watched.until_hint(Hint::WalkRoot(WalkCause::Overflow));
}

#[test]
fn dropping_the_watcher_ends_its_thread_and_its_hints() {
    let watched = watch();
    let (hints, _dir) = (watched.hints, watched.dir);
    drop(watched.watcher);
    while hints.recv_timeout(Duration::ZERO).is_ok() {}
    assert_eq!(
        hints.recv_timeout(Duration::ZERO),
        Err(RecvTimeoutError::Disconnected)
    );
}

#[test]
fn a_watcher_that_has_ended_says_so() {
    let mut watched = watch();
    // Nobody listens any more: the thread ends by itself.
    drop(std::mem::replace(&mut watched.hints, sync_channel(1).1));
    let since = Instant::now();
    while !watched.watcher.chosen().why.contains("has ended") {
        assert!(since.elapsed() < MAX_WAIT, "{:?}", watched.watcher.chosen());
        watched.write("a");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_watcher_that_panics_ends_the_engine() {
    let (sink, _hints) = sync_channel(1);
    // No time is that late: the thread panics when it first reads the clock.
    let settings = WatchSettings {
        check_every: Duration::MAX,
        ..quick()
    };
    let (dir, lifecycle) = (tempfile::tempdir().unwrap(), lifecycle());
    let started = RootWatcher::start(&lifecycle, 7, dir.path(), RootMode::Poll, &settings, sink);
    let (watcher, _) = started.unwrap();
    assert!(!lifecycle.wait(MAX_WAIT), "it panicked in silence");
    let failure = lifecycle.failure();
    assert_eq!(failure, Some(Failure::Panic("watch-7".to_owned())));
    drop(watcher);
}

#[test]
fn a_relative_root_is_refused() {
    let (sink, _hints) = sync_channel(1);
    let started = RootWatcher::start(
        &lifecycle(),
        7,
        Path::new("share"),
        RootMode::Auto,
        &quick(),
        sink,
    );
    assert!(matches!(started, Err(WatchError::NotAbsolute(_))));
}

#[test]
fn auto_chooses_by_the_file_system_and_says_why() {
    let proc = choose(RootMode::Auto, Path::new("/proc"));
    assert_eq!(proc.mode, RootMode::Poll);
    let fs = probe::FileSystem::of(Path::new("/")).unwrap();
    let here = choose(RootMode::Auto, Path::new("/"));
    assert_eq!(here.mode == RootMode::Native, fs.events);
    assert!(here.why.contains(fs.name), "{}", here.why);
}
