//! Every answer states its completeness: queried while the index is being built, while documents are not
//! settled, while a root is missing, while texts are damaged.

mod every;
mod measured;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::daemon::{Daemon, code, program, prose, tar};
use every::{anchor, every_answer, keep_reports};
use simdex_client::completeness::{Completeness, Pending};
use simdex_client::wire::get_group_request::Source;
use simdex_client::{Client, Error, FindKind, FindOptions, Limits, Subject, wire};
use simdex_index::Cancel;
use simdex_index::store::Operation;
use simdexd::config::{Config, Mebibytes, RootConfig, RootMode};
use simdexd::engine::{CompletenessCheck, Engine};
use tonic::Code;

/// Holds threads of the daemon before they do something to the store.
#[derive(Default)]
struct Gate {
    held: Mutex<Option<Held>>,
    opened: Condvar,
    waiting: AtomicUsize,
}

/// The group of threads that is held.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    /// The threads that apply changes.
    Writer,
    /// The thread that walks a root on request.
    Walk,
    /// The threads that settle documents, with the unnamed threads that find candidates for them.
    Settler,
}

impl Gate {
    fn close(&self, held: Held) {
        *self.held.lock().unwrap() = Some(held);
    }

    fn open(&self) {
        *self.held.lock().unwrap() = None;
        self.opened.notify_all();
    }

    fn pass(&self, operation: Operation) {
        let thread = std::thread::current();
        let who = match (thread.name(), operation) {
            (Some("writer"), Operation::Write) => Held::Writer,
            (Some("walks-1"), Operation::Read) => Held::Walk,
            // What it knows already it does not read.
            (Some("settler") | None, Operation::Read | Operation::Write) => Held::Settler,
            _ => return,
        };
        let held = self.held.lock().unwrap();
        self.waiting.fetch_add(1, Ordering::SeqCst);
        drop(self.opened.wait_while(held, |held| *held == Some(who)));
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Threads that are held.
    fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// Opens the gate at the end of a test, however it ends.
struct Opened<'a>(&'a Gate);

/// A daemon that has settled one file and keeps reports, and the gate of its store.
fn gated() -> (Daemon, Arc<Gate>) {
    let gate = Arc::<Gate>::default();
    let asked = Arc::clone(&gate);
    let before = move |operation| {
        asked.pass(operation);
        Ok(())
    };
    let daemon = Daemon::hooked_with(Arc::new(before), keep_reports);
    let (name, text) = anchor();
    std::fs::write(daemon.path(name), text).unwrap();
    daemon.sync();
    (daemon, gate)
}

/// Two versions of one text, a copy, and something else.
fn share() -> Vec<(&'static str, String)> {
    let text = prose(1, 400);
    vec![
        ("copy.txt", text.clone()),
        ("new.txt", format!("{text} {}", prose(2, 40))),
        ("old.txt", text),
        ("other.txt", prose(3, 400)),
    ]
}

fn told(completeness: &Option<wire::Completeness>) -> Completeness {
    completeness.as_ref().expect("it says nothing").into()
}

fn pending(completeness: &Option<wire::Completeness>) -> Pending {
    let told = told(completeness);
    assert!(!told.complete);
    told.pending.expect("it says not what")
}

fn status(daemon: &Daemon) -> wire::StatusReply {
    daemon.wait(daemon.client.status()).unwrap()
}

/// A client that waits this long for the end of a request.
fn impatient(daemon: &Daemon, work: Duration) -> Client {
    let limits = Limits {
        work,
        ..Limits::default()
    };
    let socket = daemon.config.socket.as_ref().unwrap();
    daemon.wait(Client::connect_with(socket, limits)).unwrap()
}

/// Asks again until it is so; a minute is far more than anything here takes.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a walk is over and the new files that it found are queued. A file that was written just before it
/// was read is among them once more.
fn await_queued(daemon: &Daemon, new: u64) {
    let status = || status(daemon);
    until("the walk is over and new files are queued", || {
        let status = status();
        status.roots[0].state == "watching" && status.queued >= new
    });
}

/// Writes the files and has the daemon look at them, while it is held.
fn write_all(daemon: &Daemon) {
    for (name, text) in share() {
        std::fs::write(daemon.path(name), text).unwrap();
    }
    daemon.wait(daemon.client.rescan(&[])).unwrap();
}

#[test]
fn while_changes_are_queued_no_answer_looks_finished() {
    let (daemon, gate) = gated();
    let _opened = Opened(&gate);
    for (what, said) in every_answer(&daemon) {
        assert!(told(&said).complete, "{what}");
    }
    gate.close(Held::Writer);
    write_all(&daemon);
    // The walk itself may be counted for a moment; the files are until they are applied.
    await_queued(&daemon, 4);
    for (what, said) in every_answer(&daemon) {
        assert!(pending(&said).queued >= 4, "{what}");
    }
    let unread = daemon.path("new.txt");
    let unknown = daemon.wait(daemon.client.describe(&unread)).unwrap_err();
    let unknown = unknown.to_string();
    assert!(
        unknown.contains("not a file the index knows; the index is not complete"),
        "{unknown}"
    );
    let outside = daemon.wait(daemon.client.describe("/nowhere/new.txt".as_ref()));
    let outside = outside.unwrap_err().to_string();
    assert!(!outside.contains("not complete"), "{outside}");
    let strict = daemon.client.clone().strict(true);
    let refused = daemon.wait(strict.groups(None, Vec::new()));
    assert_eq!(code(&refused.map(drop)), Code::FailedPrecondition);
    gate.open();
    let waited = daemon.wait(daemon.client.wait()).unwrap();
    assert!(Completeness::from(&waited).complete, "{waited:?}");
    for (what, said) in every_answer(&daemon) {
        assert!(told(&said).complete, "{what}");
    }
    assert!(daemon.wait(strict.groups(None, Vec::new())).is_ok());
}

#[test]
fn while_documents_are_not_settled_answers_count_them() {
    let (daemon, gate) = gated();
    let _opened = Opened(&gate);
    gate.close(Held::Settler);
    // Members of one container are applied in one batch. Otherwise the settler might be held at its write of the
    // first document, with the writer's lock, before the others are applied.
    let files = share();
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, &**text)).collect();
    std::fs::write(daemon.path("share.tar"), tar(&files)).unwrap();
    daemon.wait(daemon.client.rescan(&[])).unwrap();
    let unsettled = || status(&daemon).completeness.unwrap().pending;
    until("documents that are not settled", || {
        unsettled().is_some_and(|pending| pending.unsettled > 0)
    });
    let groups = daemon.wait(async {
        let groups = daemon.client.groups(None, Vec::new()).await.unwrap();
        groups.summary().await.unwrap()
    });
    assert!(pending(&groups.completeness).unsettled > 0);
    let version = daemon.path("share.tar!/new.txt");
    let group_of_version = || daemon.wait(daemon.client.group_of_file(&version));
    until("a version that is in no group yet", || {
        group_of_version().is_ok_and(|found| found.group.is_none() && found.unsettled)
    });
    let impatient = impatient(&daemon, Duration::from_millis(300));
    assert!(daemon.wait(impatient.wait()).is_err(), "it does not wait");
    gate.open();
    daemon.wait(daemon.client.wait()).unwrap();
    let found = group_of_version().unwrap();
    assert!(found.group.is_some() && !found.unsettled);
    let groups = daemon.wait(async {
        let groups = daemon.client.groups(None, Vec::new()).await.unwrap();
        groups.summary().await.unwrap()
    });
    assert_eq!(
        (told(&groups.completeness).complete, groups.groups),
        (true, Some(1))
    );
}

#[test]
fn a_walk_whose_caller_goes_away_is_made_to_its_end() {
    let (daemon, gate) = gated();
    let _opened = Opened(&gate);
    for (name, text) in share() {
        std::fs::write(daemon.path(name), text).unwrap();
    }
    gate.close(Held::Walk);
    let caller = impatient(&daemon, Duration::from_secs(60));
    daemon.wait(async {
        let asked = tokio::spawn(async move { caller.sync().await });
        while gate.waiting() == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        asked.abort();
    });
    gate.open();
    let waited = daemon.wait(daemon.client.wait()).unwrap();
    assert!(told(&Some(waited)).complete);
    assert_eq!(status(&daemon).summary.unwrap().files_on_disk, 5);
}

#[test]
fn a_missing_root_is_named_by_an_answer_and_not_waited_for() {
    let daemon = Daemon::without_root();
    let waited = daemon.wait(daemon.client.wait()).unwrap();
    assert_eq!(pending(&Some(waited)).stale_roots, 1);
    let (_, summary) = daemon
        .find(FindKind::Similar, Subject::Text(prose(1, 50)))
        .unwrap();
    let expected = Pending {
        stale_roots: 1,
        ..Pending::default()
    };
    assert_eq!(pending(&summary.completeness), expected);
}

#[test]
fn roots_that_went_are_told_by_every_answer_and_all_named_by_a_sync() {
    let mut beside = Vec::new();
    let daemon = Daemon::with(&[anchor()], |config| {
        keep_reports(config);
        for name in ["gone", "other"] {
            let path = config.roots[0].path.with_file_name(name);
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join("a.txt"), prose(4, 400)).unwrap();
            let mode = RootMode::Poll;
            beside.push(path.clone());
            config.roots.push(RootConfig { path, mode });
        }
    });
    let aside = |path: &Path| std::fs::rename(path, path.with_extension("aside")).unwrap();
    beside.iter().for_each(|path| aside(path));
    std::fs::create_dir(&beside[1]).unwrap();
    let refused = daemon.wait(daemon.client.sync()).unwrap_err().to_string();
    for said in [
        format!("{} is stale", beside[0].display()),
        format!("{} is not the one on record", beside[1].display()),
    ] {
        assert!(refused.contains(&said), "{refused}");
    }
    for (what, said) in every_answer(&daemon) {
        let pending = pending(&said);
        assert_eq!(pending.stale_roots, 2, "{what}: {pending:?}");
    }
}

#[test]
fn a_file_that_the_machine_keeps_failing_is_told_as_such_and_not_waited_for() {
    // One that needs more room for its copy than all copies have.
    let files = [("long.txt", prose(1, 400_000)), ("short.txt", prose(2, 40))];
    let daemon = Daemon::with(&files, |config| {
        config.extract.spool_mib = Mebibytes(1);
    });
    let expected = Pending {
        retrying: 1,
        ..Pending::default()
    };
    let waited = daemon.wait(impatient(&daemon, Duration::from_secs(30)).wait());
    assert_eq!(pending(&Some(waited.unwrap())), expected);
    let (_, summary) = daemon
        .find(FindKind::Similar, Subject::Text(prose(2, 40)))
        .unwrap();
    assert_eq!(pending(&summary.completeness), expected);
    assert_eq!(pending(&status(&daemon).completeness), expected);
    let strict = daemon.client.clone().strict(true);
    let refused = daemon.wait(async { strict.groups(None, Vec::new()).await.map(drop) });
    assert_eq!(code(&refused), Code::FailedPrecondition);
    std::fs::write(daemon.path("long.txt"), prose(1, 40)).unwrap();
    daemon.sync();
    assert!(told(&status(&daemon).completeness).complete);
}

#[test]
fn a_file_that_fails_in_one_root_leaves_answers_about_another_complete() {
    let daemon = Daemon::with(&[("long.txt", prose(1, 400_000))], |config| {
        config.extract.spool_mib = Mebibytes(1);
        let path = config.roots[0].path.with_file_name("beside");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("short.txt"), prose(2, 40)).unwrap();
        let mode = RootMode::Poll;
        config.roots.push(RootConfig { path, mode });
    });
    let strict = daemon.client.clone().strict(true);
    let roots = daemon.wait(daemon.client.roots()).unwrap();
    let asked = |root: &wire::Root| {
        let ids = vec![root.id];
        code(&daemon.wait(async { strict.groups(None, ids).await.map(drop) }))
    };
    let answered: Vec<Code> = roots.iter().map(asked).collect();
    assert_eq!(answered, [Code::FailedPrecondition, Code::Ok]);
}

/// Damages every text that is stored in a data directory.
fn damage_texts(data: &Path) {
    for segment in std::fs::read_dir(data.join("text")).unwrap() {
        let segment = segment.unwrap().path();
        let mut bytes = std::fs::read(&segment).unwrap();
        bytes.iter_mut().skip(40).for_each(|byte| *byte ^= 0x55);
        std::fs::write(segment, bytes).unwrap();
    }
}

/// Damages all texts. Checks that a document whose text is damaged is refused by the name of a file that holds it.
fn assert_named_once_damaged(daemon: &Daemon, file: &Path) {
    use wire::get_document_request::Source;
    let text_of = |source: Source| daemon.wait(daemon.client.document(source, true));
    let by_path = || Source::Path(simdex_client::path_bytes(file));
    let read = text_of(by_path()).unwrap();
    damage_texts(&daemon.dir.path().join("data"));
    for source in [by_path(), Source::Document(read.document)] {
        let refused = text_of(source);
        assert_eq!(code(&refused), Code::DataLoss);
        let said = refused.unwrap_err().to_string();
        let named = format!("the text of {} is damaged: ", file.display());
        assert!(said.contains(&named), "{said}");
    }
}

#[test]
fn while_texts_are_damaged_answers_go_on_and_say_so_unless_they_must_be_complete() {
    let mut files = share();
    // Longer than what is kept in memory once it was read.
    files.push(("long.txt", prose(4, 200_000)));
    files.push(anchor());
    let daemon = Daemon::with(&files, keep_reports);
    let long = daemon.path("long.txt");
    assert_named_once_damaged(&daemon, &long);
    for (what, said) in every_answer(&daemon) {
        assert!(pending(&said).damaged > 0, "{what}");
    }
    let strict = daemon.client.clone().strict(true);
    let out = daemon.dir.path().join("refused");
    let side = || wire::Side {
        source: Some(wire::side::Source::Text(prose(1, 400))),
        name: Vec::new(),
    };
    let refusals = daemon.wait(async {
        let options = FindOptions::default();
        let text = Subject::Text(prose(1, 400));
        [
            strict.pairs(None, Vec::new()).await.map(drop),
            strict.groups(None, Vec::new()).await.map(drop),
            strict
                .find(FindKind::Similar, text, &options)
                .await
                .map(drop),
            strict.files(Vec::new(), Vec::new()).await.map(drop),
            strict.describe(&daemon.path("long.txt")).await.map(drop),
            strict.compare(side(), side()).await.map(drop),
            strict.calibrate(None, None, Vec::new()).await.map(drop),
            strict
                .download_report(&out, None, wire::ReportOptions::default())
                .await
                .map(drop),
        ]
    });
    for refused in &refusals {
        assert_eq!(code(refused), Code::DataLoss);
        let said = refused.as_ref().unwrap_err().to_string();
        let named = format!("one damaged text is that of {}", long.display());
        assert!(said.contains(&named), "{said}");
    }
    daemon.sync();
    for (what, said) in every_answer(&daemon) {
        assert!(told(&said).complete, "{what}");
    }
}

/// A share of one text, longer than what is kept in memory once it was read, and the config of a daemon for it.
fn one_long_text() -> (tempfile::TempDir, Config) {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    std::fs::create_dir(top.join("share")).unwrap();
    std::fs::write(top.join("share/long.txt"), prose(4, 200_000)).unwrap();
    let root = RootConfig {
        path: top.join("share"),
        mode: RootMode::Poll,
    };
    let config = Config {
        data_dir: Some(top.join("data")),
        roots: vec![root],
        ..Config::default()
    };
    (dir, config)
}

#[test]
fn damaged_texts_count_until_they_are_read_again_and_stay_on_record_while_their_root_is_away() {
    let (dir, config) = one_long_text();
    let [data, share, away] = ["data", "share", "away"].map(|name| dir.path().join(name));
    let never = Cancel::never();
    let begin = || Engine::start(config.clone(), program()).unwrap();
    let damaged = |engine: &Engine| engine.completeness(&engine.roots.view()).damaged();
    let engine = begin();
    engine.sync(&never).unwrap();
    let index = engine.index.reader();
    let [document] = index.documents().with_text(&engine.roots.view())[..] else {
        panic!("one document");
    };
    assert_eq!(damaged(&engine), 0);
    std::fs::rename(&share, &away).unwrap();
    damage_texts(&data);
    let account = index.memory().requests.account(&never);
    assert!(index.texts().read(document, &account).is_err());
    drop(engine.sync(&never));
    assert_eq!(damaged(&engine), 1);
    assert_eq!(
        index.documents().with_text(&engine.roots.view()),
        [document]
    );
    drop(account);
    engine.close().unwrap();
    // The end and the start let go of what cannot be read.
    let engine = begin();
    drop(engine.sync(&never));
    assert_eq!(damaged(&engine), 1);
    std::fs::rename(&away, &share).unwrap();
    engine.sync(&never).unwrap();
    assert_eq!(damaged(&engine), 0);
    assert_eq!(
        engine
            .index
            .reader()
            .documents()
            .with_text(&engine.roots.view())
            .len(),
        1
    );
}

#[test]
fn an_answer_that_met_a_damaged_text_says_so_although_a_walk_let_it_go_before_the_end() {
    let (dir, config) = one_long_text();
    let top = dir.path();
    let engine = Engine::start(config, program()).unwrap();
    engine.sync(&Cancel::never()).unwrap();
    let (index, view) = (engine.index.reader(), engine.roots.view());
    let [document] = index.documents().with_text(&view)[..] else {
        panic!("one document");
    };
    let check = CompletenessCheck::begin(&engine, &view, false).unwrap();
    assert!(check.verdict().unwrap().complete);
    damage_texts(&top.join("data"));
    let account = index.memory().requests.account(&Cancel::never());
    assert!(index.texts().read(document, &account).is_err());
    // As a walk does.
    assert_eq!(engine.writer().release_damaged_texts().unwrap().len(), 1);
    assert!(index.documents().damaged().is_empty());
    let told = check.verdict().unwrap();
    assert_eq!(told.pending.map(|pending| pending.damaged), Some(1));
}

#[test]
fn a_file_leads_to_its_group_and_the_groups_id_to_its_files() {
    let daemon = Daemon::start(&share());
    let (client, all) = (&daemon.client, Vec::new);
    let listed = daemon.wait(async {
        let mut groups = client.groups(None, all()).await.unwrap();
        let group = groups.next().await.unwrap().unwrap();
        assert!(groups.next().await.unwrap().is_none());
        group
    });
    for name in ["copy.txt", "new.txt", "old.txt"] {
        let path = daemon.path(name);
        let shown = daemon.wait(client.describe(&path)).unwrap();
        assert!(told(&shown.completeness).complete);
        assert_eq!(shown.file.unwrap().group, Some(listed.id), "{name}");
        let of = daemon.wait(client.group_of_file(&path)).unwrap();
        assert_eq!(of.group.as_ref(), Some(&listed), "{name}");
        assert!(told(&of.completeness).complete);
    }
    let by_id = daemon.wait(client.group(Source::Id(listed.id))).unwrap();
    assert_eq!(by_id.group, Some(listed.clone()));
    let alone = daemon.path("other.txt");
    let found = daemon.wait(client.group_of_file(&alone)).unwrap();
    assert_eq!((found.group, found.unsettled), (None, false));
    let shown = daemon.wait(client.describe(&alone)).unwrap();
    assert_eq!(shown.file.unwrap().group, None);
    let ask = |source| -> Result<wire::GetGroupReply, Error> { daemon.wait(client.group(source)) };
    assert_eq!(code(&ask(Source::Id(listed.id + 1))), Code::NotFound);
    assert_eq!(
        code(&ask(Source::Path(b"/no/such".to_vec()))),
        Code::NotFound
    );
}
