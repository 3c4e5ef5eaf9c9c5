//! Large containers between two of their parts: a partial record is never treated as complete.

use std::sync::Arc;

use crate::daemon::{program, prose, tar};
use simdex_extract::QueueKey;
use simdex_index::{Cancel, FileChange};
use simdex_schema::FileKey;
use simdexd::config::{Config, RootConfig, RootMode};
use simdexd::engine::Engine;
use simdexd::write_side::ingest::{Ingest, IngestOutcome};
use simdexd::write_side::roots::Root;

/// Files of the inner archive: more than go into one part.
const FILES: u64 = 100;

/// An index and workers over a share that nobody watches.
struct Bed {
    dir: tempfile::TempDir,
    engine: Engine,
}

impl Bed {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let share = dir.path().join("share");
        std::fs::create_dir(&share).unwrap();
        let config = Config {
            data_dir: Some(dir.path().join("data")),
            roots: vec![RootConfig {
                path: share,
                mode: RootMode::Poll,
            }],
            ..Config::default()
        };
        let engine = Engine::start(config, program()).unwrap();
        let bed = Self { dir, engine };
        // Only a root that was walked is known to be one.
        bed.engine.rescan(&bed.root(), &Cancel::never()).unwrap();
        bed
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.dir.path().join("share").join(name), content).unwrap();
    }

    fn root(&self) -> Arc<Root> {
        Arc::clone(self.engine.roots.iter().next().unwrap())
    }

    fn key(&self, name: &str) -> FileKey {
        let root = self.root();
        root.key(&root.path.join(name)).unwrap()
    }

    fn look(&self, name: &str) -> FileChange {
        let engine = &self.engine;
        let limits = &engine.config.extract;
        let ingest = Ingest::new(
            engine.index.reader(),
            engine.index.registry(),
            &engine.pool,
            &engine.own_reports,
            limits,
            QueueKey::default(),
            &Cancel::never(),
        );
        match ingest.file(&self.root(), self.key(name)).unwrap() {
            IngestOutcome::Changed(change) => change,
            IngestOutcome::Unchanged
            | IngestOutcome::Reverified(_)
            | IngestOutcome::RetryLater(_) => {
                panic!("{name} is to be read")
            }
        }
    }

    fn apply(&self, change: FileChange) {
        let applied = self.engine.writer().apply(&[change]).unwrap();
        assert!(applied.unknown_content.is_empty());
    }

    fn members(&self, name: &str) -> usize {
        self.engine
            .index
            .registry()
            .members(&self.key(name))
            .unwrap()
            .len()
    }
}

/// An archive in an archive.
fn nested() -> String {
    let names: Vec<String> = (0..FILES).map(|at| format!("{at}.txt")).collect();
    let texts: Vec<String> = (0..FILES).map(|at| prose(at + 1, 40)).collect();
    let files: Vec<_> = names
        .iter()
        .zip(&texts)
        .map(|(n, t)| (&**n, &**t))
        .collect();
    tar(&[("inner.tar", &tar(&files))])
}

#[test]
fn a_nested_archive_recorded_by_half_is_read_again() {
    let bed = Bed::new();
    bed.write("outer.tar", &nested());
    let mut parts = bed.look("outer.tar").parts();
    assert!(parts.len() > 2, "it is applied in parts");
    bed.apply(parts.pop_front().unwrap());
    // As after a kill: the rest of the parts is gone.
    let half = bed.members("outer.tar");
    assert!((2..100).contains(&half), "{half}");
    bed.look("outer.tar")
        .parts()
        .into_iter()
        .for_each(|part| bed.apply(part));
    assert_eq!(bed.members("outer.tar") as u64, 1 + FILES);
}

#[test]
fn another_file_of_the_same_bytes_copies_no_half() {
    let bed = Bed::new();
    let content = nested();
    bed.write("outer.tar", &content);
    bed.write("copy.tar", &content);
    bed.write(
        "longer.tar",
        &tar(&[("note.txt", "a note"), ("o.tar", &content)]),
    );
    let first = bed.look("outer.tar").parts().pop_front().unwrap();
    bed.apply(first);
    for (name, members) in [("copy.tar", 1 + FILES), ("longer.tar", 3 + FILES)] {
        bed.look(name)
            .parts()
            .into_iter()
            .for_each(|part| bed.apply(part));
        assert_eq!(bed.members(name) as u64, members, "{name}");
    }
}
