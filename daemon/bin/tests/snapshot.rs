//! Everything said about a file applies to the bytes that were hashed, whatever happens to the file
//! meanwhile; and what the machine does not allow is no fault of a document.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]
#![allow(dead_code, reason = "the other tests use the rest of the bed")]

mod daemon;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use daemon::{program, prose, tar};
use simdex_extract::{
    CrashJournal, KeepGoing, Limits, Pool, QueueKey, SpoolBudget, WaitPolicy, WorkerCommand,
};
use simdex_index::{Cancel, FileChange, NewContent, SeenFile};
use simdex_schema::file::FileOutcome;
use simdex_schema::{
    ContentHash, ContentRecord, FileKey, FileRecord, FileStat, ReaderVersion, Reason, State,
};
use simdexd::config::{Config, RootConfig, RootMode};
use simdexd::engine::Engine;
use simdexd::reports::maker::{self, ReportKind, ReportRequest};
use simdexd::reports::report::ReportDir;
use simdexd::write_side::ingest::{Ingest, IngestOutcome};
use simdexd::write_side::roots::Root;
use simdexd::write_side::watch::stat::Observe;

/// An index over a share that nobody watches yet.
struct Bed {
    dir: tempfile::TempDir,
    engine: Arc<Engine>,
}

impl Bed {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let share = dir.path().join("share");
        std::fs::create_dir(&share).unwrap();
        let mut config = Config {
            data_dir: Some(dir.path().join("data")),
            roots: vec![RootConfig {
                path: share,
                mode: RootMode::Poll,
            }],
            ..Config::default()
        };
        config.watch.poll_seconds = 1_000_000;
        let engine = Arc::new(Engine::start(config, program()).unwrap());
        let bed = Self { dir, engine };
        // Only a root that was walked is known to be one.
        bed.engine.rescan(&bed.root(), &Cancel::never()).unwrap();
        bed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("share").join(name)
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).unwrap();
    }

    fn root(&self) -> Arc<Root> {
        Arc::clone(self.engine.roots.iter().next().unwrap())
    }

    fn key(&self, name: &str) -> FileKey {
        self.root().key(&self.path(name)).unwrap()
    }

    /// Looks at a file with workers of another pool.
    fn look(&self, name: &str, pool: &Pool) -> IngestOutcome {
        let limits = &self.engine.config.extract;
        let ingest = Ingest::new(
            self.engine.index.reader(),
            self.engine.index.registry(),
            pool,
            &self.engine.own_reports,
            limits,
            QueueKey::default(),
            &Cancel::never(),
        );
        ingest.file(&self.root(), self.key(name)).unwrap()
    }

    fn apply(&self, change: FileChange) {
        let applied = self.engine.writer().apply(&[change]).unwrap();
        assert!(applied.unknown_content.is_empty());
    }

    fn content_of(&self, name: &str) -> Option<ContentHash> {
        let record = self.engine.index.registry().file(&self.key(name)).unwrap();
        record.and_then(|record| record.content())
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        self.engine.stop();
    }
}

fn hash(text: &str) -> ContentHash {
    ContentHash(*blake3::hash(text.as_bytes()).as_bytes())
}

/// Workers that run a script before they start: after a file was hashed, before it is read.
fn pool_after(script: &str) -> Pool {
    let command = WorkerCommand {
        program: "/bin/sh".into(),
        args: vec![
            "-c".into(),
            format!("{script}; exec \"$0\" extract-worker").into(),
            program().into(),
        ],
    };
    Pool::new(command, 1, Limits::default())
}

fn pool() -> Pool {
    pool_after(":")
}

fn file_of(looked: IngestOutcome) -> (FileRecord, Option<String>, Option<State>) {
    match looked {
        IngestOutcome::Changed(change) => {
            let file = change.into_file().expect("a file that holds no others");
            let SeenFile {
                record, content, ..
            } = file;
            let state = content.as_ref().map(|content| content.record.state);
            let text = content.and_then(|content| content.document?.text);
            (record, text, state)
        }
        _ => panic!("the file is to be recorded"),
    }
}

/// The file that a look recorded, which holds no others.
fn read_anew(looked: IngestOutcome) -> SeenFile {
    let file = looked.change().and_then(FileChange::into_file);
    file.expect("it is to be read")
}

#[test]
fn a_text_is_bound_to_the_bytes_that_were_hashed() {
    for words in [50, 200_000] {
        let bed = Bed::new();
        let (old, new) = (prose(1, words), prose(2, words));
        bed.write("a.txt", &old);
        bed.write("new", &new);
        let (from, to) = (bed.path("new"), bed.path("a.txt"));
        // Changed in place like a store into a mapped page, whose times would not show it.
        let swap = "dd conv=notrunc status=none bs=1M";
        let swap = format!(
            "{swap} if={} of={} </dev/null",
            from.display(),
            to.display()
        );
        let (record, text, _) = file_of(bed.look("a.txt", &pool_after(&swap)));
        assert_ne!(
            std::fs::read_to_string(&to).unwrap(),
            old,
            "the swap failed"
        );
        assert_eq!(record.content(), Some(hash(&old)));
        assert_eq!(text, Some(old), "the text of other bytes");
        assert!(record.last_read.is_some());
    }
}

#[test]
fn what_the_machine_does_not_allow_is_no_strike_and_is_tried_again() {
    let bed = Bed::new();
    // Too long for memory, so that it needs room for a copy.
    let long = prose(1, 200_000);
    bed.write("long.txt", &long);
    bed.write(
        "files.tar",
        &tar(&[("a.txt", &prose(2, 60)), ("b.txt", &prose(3, 60))]),
    );
    let killed = pool_after("kill -9 $$");
    for round in 0..4 {
        let full = pool().with_spool(SpoolBudget::new(bed.dir.path().to_owned(), 1 << 20));
        for (name, pool) in [("long.txt", &full), ("files.tar", &killed)] {
            match bed.look(name, pool) {
                IngestOutcome::RetryLater(Some(change)) => {
                    let SeenFile {
                        key,
                        record,
                        content,
                    } = change.into_file().expect("nothing of it was read");
                    let FileOutcome::Unread(state, reason) = &record.outcome else {
                        panic!("{name} was not read");
                    };
                    assert_eq!(*state, State::Unstable, "{reason:?}");
                    assert!(round == 0 && content.is_none());
                    bed.apply(FileChange::file(SeenFile::without_content(key, record)));
                }
                IngestOutcome::RetryLater(None) => {
                    assert!(round > 0, "{name}: nothing is on record")
                }
                IngestOutcome::Unchanged
                | IngestOutcome::Reverified(_)
                | IngestOutcome::Changed(_) => {
                    panic!("{name} is not to be given up")
                }
            }
        }
    }
    let (record, text, state) = file_of(bed.look("long.txt", &pool()));
    assert_eq!((record.content(), text), (Some(hash(&long)), Some(long)));
    assert_eq!(state, Some(State::Indexed));
    let IngestOutcome::Changed(change) = bed.look("files.tar", &pool()) else {
        panic!("it is to be read")
    };
    assert_eq!(change.members().len(), 2);
}

#[test]
fn what_is_known_stays_where_another_try_fails_by_the_machines_fault() {
    let bed = Bed::new();
    let text = prose(1, 60);
    bed.write("a.txt", &text);
    let SeenFile {
        key,
        record,
        content,
    } = read_anew(bed.look("a.txt", &pool()));
    let mut content = content.unwrap();
    // Recorded as if read by an older extractor.
    content.record.reader.as_mut().unwrap().version = 0;
    let content = Some(content);
    bed.apply(FileChange::file(SeenFile {
        key,
        record,
        content,
    }));
    let looked = bed.look("a.txt", &pool_after("kill -9 $$"));
    assert!(matches!(looked, IngestOutcome::RetryLater(None)));
    assert_eq!(bed.content_of("a.txt"), Some(hash(&text)));
}

#[test]
fn a_content_is_read_again_for_its_own_reader_only() {
    let bed = Bed::new();
    bed.write("a.txt", &prose(1, 60));
    let SeenFile {
        key,
        record,
        content,
    } = read_anew(bed.look("a.txt", &pool()));
    let content = content.unwrap();
    let read = content.record.reader.clone().unwrap();
    assert_eq!(read.reader, "plain");
    let is_current_as = |extractor, reader| {
        let record_of_content = ContentRecord {
            extractor,
            reader,
            ..content.record.clone()
        };
        bed.apply(FileChange::file(SeenFile {
            key: key.clone(),
            record: FileRecord {
                racy: false,
                ..record.clone()
            },
            content: Some(Box::new(NewContent {
                record: record_of_content,
                document: None,
            })),
        }));
        matches!(bed.look("a.txt", &pool()), IngestOutcome::Unchanged)
    };
    let older = ReaderVersion {
        version: read.version - 1,
        ..read.clone()
    };
    assert!(
        is_current_as(0, Some(read.clone())),
        "other readers changed"
    );
    assert!(is_current_as(read.version, None), "as format 3 recorded it");
    assert!(!is_current_as(read.version - 1, None), "an old extractor");
    assert!(
        !is_current_as(read.version, Some(older)),
        "its reader changed"
    );
}

#[test]
fn a_document_that_the_daemon_crashed_on_twice_is_not_tried_a_third_time() {
    let bed = Bed::new();
    let text = prose(1, 60);
    bed.write("a.txt", &text);
    bed.write("b.txt", &prose(2, 60));
    let data = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        // The daemon dies at work on it: nothing clears the mark.
        let journal = CrashJournal::open(data.path()).unwrap();
        let entry = journal
            .begin(hash(&text).0, WaitPolicy::MayWait, &KeepGoing::default())
            .unwrap();
        entry.working();
        std::mem::forget(entry);
    }
    // A worker that were asked would kill itself.
    let pool =
        pool_after("kill -9 $$").with_crash_journal(CrashJournal::open(data.path()).unwrap());
    let (record, _, state) = file_of(bed.look("a.txt", &pool));
    assert_eq!(record.content(), Some(hash(&text)));
    assert_eq!(state, Some(State::Quarantined));
    let pool = self::pool().with_crash_journal(CrashJournal::open(data.path()).unwrap());
    let (.., state) = file_of(bed.look("b.txt", &pool));
    assert_eq!(state, Some(State::Indexed), "others are read");
}

#[test]
fn a_content_that_fails_is_read_by_three_walks_and_no_more() {
    let bed = Bed::new();
    // The first header of a package, and nothing that belongs to it.
    bed.write("a.docx", &format!("PK\u{3}\u{4}{}", "x".repeat(400)));
    let mut seen = Vec::new();
    for _ in 0..4 {
        bed.engine.rescan(&bed.root(), &Cancel::never()).unwrap();
        bed.engine.barrier(&Cancel::never()).unwrap();
        let hash = bed.content_of("a.docx").unwrap();
        let content = bed.engine.index.registry().content(hash).unwrap().unwrap();
        seen.push((content.state, content.strikes));
    }
    let failed = State::Failed;
    let quarantined = (State::Quarantined, 3);
    assert_eq!(seen, [(failed, 1), (failed, 2), quarantined, quarantined]);
}

#[test]
fn bytes_that_changed_without_a_trace_are_found_in_the_background() {
    let bed = Bed::new();
    let (now, before) = (prose(1, 60), prose(2, 60));
    bed.write("a.txt", &now);
    bed.write("b.txt", &before);
    bed.engine.rescan(&bed.root(), &Cancel::never()).unwrap();
    bed.engine.barrier(&Cancel::never()).unwrap();
    // On record as if its bytes had been others, with the very times it has now.
    let stat = FileStat::of(&bed.path("a.txt")).unwrap();
    let record = FileRecord::new(stat, FileOutcome::Content(hash(&before)));
    let file = SeenFile::without_content(bed.key("a.txt"), record);
    bed.apply(FileChange::file(file));
    bed.engine.rescan(&bed.root(), &Cancel::never()).unwrap();
    bed.engine.barrier(&Cancel::never()).unwrap();
    assert_eq!(
        bed.content_of("a.txt"),
        Some(hash(&before)),
        "no rescan can know"
    );
    bed.engine.watch().unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while bed.content_of("a.txt") != Some(hash(&now)) {
        assert!(Instant::now() < deadline, "it is stale for ever");
        std::thread::sleep(Duration::from_millis(20));
    }
    let record = bed
        .engine
        .index
        .registry()
        .file(&bed.key("a.txt"))
        .unwrap()
        .unwrap();
    assert!(record.last_read.is_some());
}

#[test]
fn a_file_of_a_report_of_our_own_that_changed_without_a_trace_is_found_in_the_background() {
    let bed = Bed::new();
    bed.write("a.txt", &prose(1, 60));
    let synced = || {
        bed.engine.rescan(&bed.root(), &Cancel::never()).unwrap();
        bed.engine.barrier(&Cancel::never()).unwrap();
    };
    synced();
    let reports = ReportDir::open(&bed.root().path).unwrap();
    let folder = reports.begin("report".as_ref()).unwrap();
    let request = ReportRequest {
        view: bed.engine.roots.view(),
        threshold: bed.engine.threshold(),
        containment: bed.engine.threshold(),
        strict: false,
        load: None,
        kind: ReportKind::Groups(Vec::new()),
        with_judgement: false,
        since: None,
        sent_files: Arc::default(),
    };
    let account = bed
        .engine
        .index
        .reader()
        .memory()
        .requests
        .account(&Cancel::never());
    maker::download(&bed.engine, &folder, request, &account).unwrap();
    folder.publish().unwrap();
    // Other bytes, on record as they were written and with the very times they have now.
    let (name, hidden) = ("report/groups.jsonl", prose(2, 60));
    bed.write(name, &hidden);
    let stat = FileStat::of(&bed.path(name)).unwrap();
    let record = FileRecord::unread(stat, State::Skipped, Reason::OwnReport);
    bed.apply(FileChange::file(SeenFile::without_content(
        bed.key(name),
        record,
    )));
    synced();
    assert_eq!(bed.content_of(name), None, "no rescan can know");
    bed.engine.watch().unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while bed.content_of(name) != Some(hash(&hidden)) {
        assert!(Instant::now() < deadline, "it is hidden for ever");
        std::thread::sleep(Duration::from_millis(20));
    }
}
