//! The guarantee as a whole: a follower of the hints, and of nothing else, ends with the contents
//! of the disk, whatever happened in between.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use simdex_schema::FileStat;

use super::lifecycle;
use crate::config::RootMode;
use crate::write_side::watch::anchor::Anchor;
use crate::write_side::watch::walk::{PathState, WalkEntry, WalkLimits, look, walk_beneath};
use crate::write_side::watch::{Hint, RootWatcher, WalkCause, WatchSettings};

type Files = BTreeMap<PathBuf, FileStat>;

fn on_disk(root: &Path, start: &Path) -> Files {
    let mut files = Files::new();
    let anchor = Anchor::open(root).unwrap();
    walk_beneath(&anchor, start, WalkLimits::default(), &mut |seen| {
        if let WalkEntry::File { path, stat } = seen {
            files.insert(path, stat);
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    files
}

/// The simplest possible engine.
fn follow(files: &mut Files, root: &Path, hint: Hint) {
    match hint {
        Hint::Path(path) => {
            let below = path.strip_prefix(root).unwrap();
            if let PathState::Seen(WalkEntry::File { path, stat }, _) =
                look(&Anchor::open(root).unwrap(), below)
            {
                files.insert(path, stat);
            }
        }
        Hint::Removed(gone) => files.retain(|path, _| !path.starts_with(&gone)),
        Hint::Subtree(directory) => {
            files.retain(|path, _| !path.starts_with(&directory));
            files.extend(on_disk(root, &directory));
        }
        Hint::WalkRoot(_) => *files = on_disk(root, root),
        Hint::Flushed(_) => {}
    }
}

/// A small generator with a seed, so that a failure can be reproduced.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn path(&mut self, root: &Path) -> PathBuf {
        let depth = 1 + self.roll(3);
        (0..depth).fold(root.to_owned(), |path, _| {
            path.join(self.roll(3).to_string())
        })
    }
}

/// Makes one change; it is intended that some fail (no such directory, not empty). Hard links are
/// left out: see `native`.
fn change(dice: &mut Dice, root: &Path) {
    let (path, other) = (dice.path(root), dice.path(root));
    let _ = match dice.roll(8) {
        0..=2 => {
            let _ = fs::create_dir_all(&path);
            fs::write(path.join("file"), path.as_os_str().as_encoded_bytes())
        }
        3 | 4 => fs::rename(&path, &other),
        5 => fs::rename(path.join("file"), other.join("file")),
        6 => fs::remove_dir_all(&path),
        _ => fs::copy(path.join("file"), other.join("copy")).map(drop),
    };
}

/// Follows hints in the simplest way, for the test.
struct HintFollower {
    root: PathBuf,
    hints: Receiver<Hint>,
    files: Files,
}

impl HintFollower {
    fn follow_one(&mut self, timeout: Duration) -> bool {
        let Ok(hint) = self.hints.recv_timeout(timeout) else {
            return false;
        };
        follow(&mut self.files, &self.root, hint);
        true
    }

    /// Follows hints until nothing differs from the disk.
    fn settle(&mut self, when: &str) {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(60) {
            while self.follow_one(Duration::from_millis(20)) {}
            if self.files == on_disk(&self.root, &self.root) {
                return;
            }
        }
        let disk = on_disk(&self.root, &self.root);
        let missed: Vec<_> = disk
            .keys()
            .filter(|path| !self.files.contains_key(*path))
            .collect();
        let ghosts: Vec<_> = self
            .files
            .keys()
            .filter(|path| !disk.contains_key(*path))
            .collect();
        panic!("{when}: missed {missed:?}, ghosts {ghosts:?}");
    }
}

fn converges(seed: u64, settings: &WatchSettings, room: usize) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().to_owned();
    let (sink, hints) = sync_channel(room);
    let (_watcher, _) =
        RootWatcher::start(&lifecycle(), 1, &root, RootMode::Native, settings, sink).unwrap();
    assert_eq!(hints.recv().unwrap(), Hint::WalkRoot(WalkCause::Start));
    let mut engine = HintFollower {
        root: root.clone(),
        hints,
        files: Files::new(),
    };
    let mut dice = Dice(seed);
    for _ in 0..1_500 {
        change(&mut dice, &root);
        engine.follow_one(Duration::ZERO);
    }
    engine.settle(&format!("seed {seed}, after the burst"));
    // No directory created during the burst may be unwatched.
    for directory in walkdir::WalkDir::new(&root).into_iter().flatten() {
        if directory.file_type().is_dir() {
            fs::write(directory.path().join("after"), "").unwrap();
            engine.settle(&format!("seed {seed}, {}", directory.path().display()));
        }
    }
}

fn quick() -> WatchSettings {
    WatchSettings {
        debounce: Duration::from_millis(10),
        max_delay: Duration::from_millis(50),
        hot_delay: Duration::from_millis(200),
        ..WatchSettings::default()
    }
}

#[test]
fn following_the_hints_ends_with_what_the_disk_holds() {
    for seed in 0..4 {
        converges(seed, &quick(), 1_000);
    }
}

#[test]
fn so_it_does_when_everything_overflows() {
    for seed in 100..102 {
        converges(
            seed,
            &WatchSettings {
                pending_limit: 3,
                ..quick()
            },
            1,
        );
    }
}
