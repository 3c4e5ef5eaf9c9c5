//! What is concluded about a root, with hints put in by hand and no watcher: renames, swaps and files
//! that go while they are read.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod losses;
mod migrated;
mod moved;
mod unchanged;
mod under_way;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use simdex_index::Cancel;
use simdex_index::store::BeforeOperation;
use simdexd::config::{Config, ExtractConfig, RootConfig, RootMode};
use simdexd::engine::Engine;
use simdexd::host::Host;
use simdexd::write_side::roots::{Root, RootState};
use simdexd::write_side::walk_queue::{WalkQueue, WalkRequest};
use simdexd::write_side::watch::Hint;

/// An engine over one root that nobody watches.
struct Bed {
    _dir: tempfile::TempDir,
    top: PathBuf,
    engine: Arc<Engine>,
    walks: WalkQueue,
}

/// The program, whose workers wait for as long as the file [`GATE`] exists.
fn gated(top: &Path) -> PathBuf {
    let (script, gate) = (top.join("simdexd"), top.join(GATE));
    let lines = format!(
        "#!/bin/sh\nwhile [ \"$1\" = extract-worker ] && [ -e '{}' ]; do sleep 0.01; done\nexec '{}' \"$@\"\n",
        gate.display(),
        env!("CARGO_BIN_EXE_simdexd")
    );
    fs::write(&script, lines).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    script
}

/// Name of the file that keeps workers from starting.
const GATE: &str = "gate";

impl Bed {
    fn new(files: &[&str]) -> Self {
        Self::over(&["share"], files)
    }

    /// The files are below the first of these roots.
    fn over(roots: &[&str], files: &[&str]) -> Self {
        Self::hooked(roots, files, None)
    }

    /// Like [`Bed::over`], with a hook that is called before every operation of the store.
    fn hooked(roots: &[&str], files: &[&str], before: Option<Arc<BeforeOperation>>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let root = |name: &&str| {
            fs::create_dir(top.join(name)).unwrap();
            RootConfig {
                path: top.join(name),
                mode: RootMode::Poll,
            }
        };
        let config = Config {
            data_dir: Some(top.join("data")),
            roots: roots.iter().map(root).collect(),
            // One that is stopped is all there are.
            extract: ExtractConfig {
                workers: 1,
                ..ExtractConfig::default()
            },
            ..Config::default()
        };
        let mut host = Host::new(config, &gated(&top)).unwrap();
        host.test_hook = before;
        let engine = Arc::new(Engine::start_on_host(&Arc::new(host)).unwrap());
        let bed = Self {
            _dir: dir,
            top,
            engine,
            walks: WalkQueue::default(),
        };
        files.iter().for_each(|name| bed.write(name));
        bed.engine.sync(&Cancel::never()).unwrap();
        bed
    }

    fn root(&self) -> Arc<Root> {
        Arc::clone(self.engine.roots.iter().next().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.join("share").join(name)
    }

    fn write(&self, name: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(
            path,
            format!("{name}: a text that is long enough to be a document"),
        )
        .unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    /// Acts like the watcher's thread and the walking thread, and waits for the result. No rescan.
    fn hint(&self, hint: Hint) {
        let walk = match &hint {
            Hint::Subtree(path) => Some(WalkRequest::Below(path.clone())),
            _ => None,
        };
        match walk {
            Some(walk) => self
                .engine
                .dispatcher()
                .walk(&self.root(), &walk, &self.walks),
            None => self
                .engine
                .dispatcher()
                .act_on_hint(&self.root(), hint, &self.walks),
        }
        self.engine.barrier(&Cancel::never()).unwrap();
    }

    /// Paths below the root that are on record with a content.
    fn live(&self) -> BTreeSet<String> {
        let mut live = BTreeSet::new();
        let mut visit = |key: simdex_schema::FileKey, record: simdex_schema::FileRecord| {
            if record.content().is_some() {
                live.insert(String::from_utf8(key.path).unwrap());
            }
        };
        self.engine
            .index
            .registry()
            .files(self.root().id, &mut visit)
            .unwrap();
        live
    }

    fn disk(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.top.join("share")];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let below = path.strip_prefix(self.top.join("share")).unwrap();
                    found.insert(below.to_str().unwrap().to_owned());
                }
            }
        }
        found
    }

    fn agree(&self, when: &str) {
        assert_eq!(self.live(), self.disk(), "{when}");
    }
}

#[test]
fn a_directory_that_takes_anothers_name_within_the_debounce_leaves_no_ghosts() {
    let bed = Bed::new(&[
        "cur/a.txt",
        "cur/b/b.txt",
        "cur/same.txt",
        "new/c.txt",
        "new/same.txt",
    ]);
    bed.rename("cur", "old");
    bed.rename("new", "cur");
    // What stands at each path once it is quiet, as the watcher tells it.
    bed.hint(Hint::Subtree(bed.path("cur")));
    bed.hint(Hint::Removed(bed.path("new")));
    bed.hint(Hint::Subtree(bed.path("old")));
    bed.agree("without a rescan");
}

#[test]
fn a_storm_of_renames_leaves_no_ghosts() {
    let names: Vec<String> = (0..6)
        .flat_map(|directory| {
            (0..8).map(move |file| format!("d{directory}/s/{directory}-{file}.txt"))
        })
        .collect();
    let bed = Bed::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut dice = 7_u64;
    let mut roll = |sides: u64| {
        dice = dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };
    for round in 0..12 {
        let mut touched = BTreeSet::new();
        for _ in 0..6 {
            let (from, to) = (format!("d{}", roll(8)), format!("d{}", roll(8)));
            if !bed.path(&from).exists() || from == to {
                continue;
            }
            if bed.path(&to).exists() {
                bed.rename(&to, "aside");
                bed.rename(&from, &to);
                bed.rename("aside", &from);
            } else {
                bed.rename(&from, &to);
            }
            touched.extend([from, to]);
        }
        for name in touched {
            let path = bed.path(&name);
            let stands = path.exists();
            bed.hint(if stands {
                Hint::Subtree(path)
            } else {
                Hint::Removed(path)
            });
        }
        bed.agree(&format!("round {round}"));
    }
}

#[test]
fn so_many_missing_below_one_directory_are_for_the_whole_root_to_judge() {
    let bed = Bed::new(&[]);
    for number in 0..1_100 {
        let path = bed.path(&format!("d/{number}.txt"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("short {number}")).unwrap();
    }
    bed.engine.sync(&Cancel::never()).unwrap();
    fs::remove_dir_all(bed.path("d")).unwrap();
    fs::create_dir(bed.path("d")).unwrap();
    bed.hint(Hint::Subtree(bed.path("d")));
    assert_eq!(
        bed.live().len(),
        1_100,
        "one directory's walk believes no such loss"
    );
    assert_eq!(
        bed.walks.next(),
        Some(WalkRequest::Root),
        "the root is to be walked"
    );
    bed.engine
        .dispatcher()
        .walk(&bed.root(), &WalkRequest::Root, &bed.walks);
    assert_eq!(bed.root().status().state, RootState::LossHeld);
    assert_eq!(bed.live().len(), 1_100);
}

#[test]
fn a_great_move_that_was_indexed_before_it_is_judged_is_no_loss() {
    let bed = Bed::new(&[]);
    for number in 0..1_100 {
        let path = bed.path(&format!("d/{number}.txt"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("short {number}")).unwrap();
    }
    bed.engine.sync(&Cancel::never()).unwrap();
    bed.rename("d", "e");
    bed.hint(Hint::Subtree(bed.path("e")));
    assert_eq!(
        bed.live().len(),
        2_200,
        "the new names are on record before the old ones go"
    );
    bed.engine.sync(&Cancel::never()).unwrap();
    bed.agree("the moved files explain the missing ones");
}

#[test]
fn deletes_of_some_files_do_not_explain_the_loss_of_others() {
    let bed = Bed::new(&[]);
    for number in 0..2_200 {
        let directory = if number < 1_100 { "seen" } else { "lost" };
        let path = bed.path(&format!("{directory}/{number}.txt"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("short {number}")).unwrap();
    }
    bed.engine.sync(&Cancel::never()).unwrap();
    fs::remove_dir_all(bed.path("seen")).unwrap();
    bed.hint(Hint::Removed(bed.path("seen")));
    assert_eq!(bed.live().len(), 1_100);
    fs::remove_dir_all(bed.path("lost")).unwrap();
    assert!(bed.engine.sync(&Cancel::never()).is_err());
    assert_eq!(bed.root().status().state, RootState::LossHeld);
    assert_eq!(bed.live().len(), 1_100, "nobody was seen deleting these");
}

/// Processes this one started, by the parent that each process names: the kernel's own list of
/// children may leave some out while others come and go.
fn children() -> Vec<rustix::process::Pid> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let is_ours = |process: &fs::DirEntry| {
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // The name before them, in brackets, may hold anything: state, then parent.
        let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let parent = after_name.split(' ').nth(1).unwrap_or_default();
        parent == std::process::id().to_string()
    };
    let ids = processes.filter(is_ours).filter_map(|process| {
        let id = process.file_name().to_str()?.parse().ok()?;
        rustix::process::Pid::from_raw(id)
    });
    ids.collect()
}

/// Stops or continues every worker.
fn signal(signal: rustix::process::Signal) {
    for child in children() {
        let _ = rustix::process::kill_process(child, signal);
    }
}

/// Whether every thread of every worker has stopped: a signal to stop is taken by one thread, and the
/// others run on until it is.
fn all_stopped() -> bool {
    let threads = children().into_iter().filter_map(|child| {
        let tasks = format!("/proc/{}/task", child.as_raw_nonzero());
        Some(fs::read_dir(tasks).ok()?.flatten())
    });
    threads.flatten().all(|task| {
        let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        // The state comes after the name, which stands in brackets.
        stat.rsplit_once(") ")
            .is_none_or(|(_, rest)| rest.starts_with('T'))
    })
}

/// Runs the case below in a process of its own: it stops all of its workers.
#[test]
fn a_file_that_goes_while_it_is_read_is_no_ghost() {
    let alone = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "gone_while_read", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&alone.stdout);
    assert!(
        alone.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn gone_while_read() {
    let bed = Bed::new(&["first.txt"]);
    let since = Instant::now();
    // No worker answers: those that are there are stopped, and others do not start.
    fs::write(bed.top.join(GATE), "").unwrap();
    signal(rustix::process::Signal::STOP);
    while !all_stopped() {
        assert!(since.elapsed() < Duration::from_secs(50), "never stopped");
        std::thread::sleep(Duration::from_millis(1));
    }
    let names = ["d/alone.txt", "d/e/below.txt"];
    for name in names {
        bed.write(name);
        bed.engine
            .dispatcher()
            .act_on_hint(&bed.root(), Hint::Path(bed.path(name)), &bed.walks);
    }
    // The bytes of both were taken: their looks have seen them, and cannot end while no worker
    // answers.
    while snapshots() < names.len() {
        assert!(
            since.elapsed() < Duration::from_secs(50),
            "never read: {:?} {:?}",
            bed.live(),
            bed.engine.counts()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(bed.live().len(), 1, "not on record yet");
    fs::remove_dir_all(bed.path("d")).unwrap();
    bed.engine
        .dispatcher()
        .act_on_hint(&bed.root(), Hint::Removed(bed.path("d")), &bed.walks);
    fs::remove_file(bed.top.join(GATE)).unwrap();
    signal(rustix::process::Signal::CONT);
    bed.engine.barrier(&Cancel::never()).unwrap();
    bed.agree("after the reading ended");
}

/// Copies of files in memory that this process holds open.
fn snapshots() -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap();
    let links = open
        .flatten()
        .filter_map(|fd| fs::read_link(fd.path()).ok());
    let of_memory = links.filter(|target| target.to_string_lossy().contains("memfd:document"));
    of_memory.count()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one story, step by step")]
fn a_root_or_its_parent_replaced_by_a_symlink_is_neither_indexed_nor_forgotten() {
    for link_parent in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for name in ["above/share", "foreign/share"] {
            fs::create_dir_all(top.join(name)).unwrap();
            let text = format!("{name}: a text that is long enough to be a document");
            fs::write(
                top.join(name)
                    .join(format!("{}.txt", name.replace('/', "-"))),
                text,
            )
            .unwrap();
        }
        let config = Config {
            data_dir: Some(top.join("data")),
            roots: vec![RootConfig {
                path: top.join("above/share"),
                mode: RootMode::Poll,
            }],
            ..Config::default()
        };
        let engine = Engine::start(config, Path::new(env!("CARGO_BIN_EXE_simdexd"))).unwrap();
        let bed = Bed {
            _dir: dir,
            top: top.clone(),
            engine: engine.into(),
            walks: WalkQueue::default(),
        };
        bed.engine.sync(&Cancel::never()).unwrap();
        let own = BTreeSet::from(["above-share.txt".to_owned()]);
        assert_eq!(bed.live(), own);

        let (swapped, target) = match link_parent {
            true => ("above", "foreign"),
            false => ("above/share", "foreign/share"),
        };
        fs::rename(top.join(swapped), top.join("aside")).unwrap();
        symlink(top.join(target), top.join(swapped)).unwrap();
        // Hints that come before any rescan, of both trees.
        for name in ["above-share.txt", "foreign-share.txt"] {
            bed.hint(Hint::Path(top.join("above/share").join(name)));
        }
        assert_eq!(bed.live(), own, "hints");
        let refused = bed.engine.sync(&Cancel::never()).unwrap_err().to_string();
        assert!(refused.contains("is a symlink"), "{refused}");
        assert_eq!(bed.live(), own, "a rescan");
        assert_eq!(bed.root().status().state, RootState::Stale);
        assert!(
            bed.root().open_file(b"foreign-share.txt").is_err(),
            "readable"
        );

        fs::remove_file(top.join(swapped)).unwrap();
        fs::rename(top.join("aside"), top.join(swapped)).unwrap();
        bed.engine.sync(&Cancel::never()).unwrap();
        assert_eq!(
            (bed.live(), bed.root().status().state),
            (own, RootState::Watching)
        );
    }
}

#[test]
fn another_directory_in_a_roots_place_is_not_believed_until_it_is_confirmed() {
    let bed = Bed::new(&["a.txt", "b/b.txt", "c.txt"]);
    let known = bed.live();
    let share = bed.top.join("share");
    fs::rename(&share, bed.top.join("aside")).unwrap();
    fs::create_dir(&share).unwrap();
    bed.write("foreign.txt");
    bed.hint(Hint::Path(bed.path("foreign.txt")));
    bed.hint(Hint::Removed(bed.path("a.txt")));
    bed.hint(Hint::Subtree(bed.path("b")));
    let refused = bed.engine.sync(&Cancel::never()).unwrap_err();
    let advice = refused.advice().unwrap();
    assert!(advice.contains("confirm-loss"), "{advice}");
    assert_eq!(bed.root().status().state, RootState::Replaced);
    assert_eq!(bed.live(), known, "neither indexed nor removed");
    assert!(bed.root().open_file(b"foreign.txt").is_err(), "readable");

    let shown = bed.shown();
    assert!(advice.contains(&shown.to_string()), "{advice}");
    assert_eq!(bed.confirm(shown).unwrap(), 3);
    bed.engine.sync(&Cancel::never()).unwrap();
    bed.agree("once it is confirmed");
    let refused = bed.confirm(shown).unwrap_err();
    assert!(
        refused.to_string().contains("no held loss to confirm"),
        "{refused}"
    );
}

#[test]
fn a_copy_in_a_roots_place_holds_most_known_files_and_is_believed() {
    let bed = Bed::new(&["a.txt", "b/b.txt", "c.txt"]);
    let share = bed.top.join("share");
    fs::rename(&share, bed.top.join("aside")).unwrap();
    fs::create_dir_all(share.join("b")).unwrap();
    for name in ["a.txt", "b/b.txt"] {
        fs::copy(bed.top.join("aside").join(name), share.join(name)).unwrap();
    }
    bed.write("new.txt");
    bed.engine.sync(&Cancel::never()).unwrap();
    bed.agree("restored from a backup, say");
}
