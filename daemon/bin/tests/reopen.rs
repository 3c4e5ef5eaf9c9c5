//! Faults of store and disk under a running daemon: said while they last, healed without a restart,
//! and nothing acknowledged wrongly. Each fault is armed by the test and lasts until it is disarmed.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]
#![allow(dead_code, reason = "the other tests use the rest of the bed")]

mod daemon;

use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use daemon::{Daemon, code, prose};
use simdex_client::wire::admin_client::AdminClient;
use simdex_client::wire::similarity_client::SimilarityClient;
use simdex_client::{FindKind, Subject, wire};
use simdex_index::store::{Operation, StoreError};
use simdexd::config::Config;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

const SOUND: u8 = 0;
const COMMITS_FAIL: u8 = 1;
const WRITES_PANIC: u8 = 2;
const READS_WAIT: u8 = 3;
const READS_FAIL: u8 = 4;
const RECHECK_PANICS: u8 = 5;
const DISK_FULL: u8 = 6;
const NO_DESCRIPTOR_TO_COMMIT: u8 = 7;
const WRITES_HANG: u8 = 8;

/// What the store does until told otherwise.
#[derive(Default)]
struct Store {
    fault: AtomicU8,
    /// Times it struck.
    struck: AtomicUsize,
    disarmed: (Mutex<()>, Condvar),
    /// Reads of the thread that reads files again.
    rechecks: AtomicUsize,
}

impl Store {
    fn arm(&self, fault: u8) {
        self.struck.store(0, Ordering::SeqCst);
        self.fault.store(fault, Ordering::SeqCst);
    }

    fn disarm(&self) {
        let _held = self.disarmed.0.lock().unwrap();
        self.fault.store(SOUND, Ordering::SeqCst);
        self.disarmed.1.notify_all();
    }

    /// Whether this caller is the one that a fault strikes, behind which another is armed.
    fn turns(&self, fault: u8, next: u8) -> bool {
        let order = Ordering::SeqCst;
        self.fault
            .compare_exchange(fault, next, order, order)
            .is_ok()
    }

    fn struck(&self) -> usize {
        self.struck.load(Ordering::SeqCst)
    }

    fn before(&self, operation: Operation) -> Result<(), StoreError> {
        let is_recheck = std::thread::current().name() == Some("recheck");
        if is_recheck && self.fault.load(Ordering::SeqCst) == RECHECK_PANICS {
            self.arm(SOUND);
            self.struck.fetch_add(1, Ordering::SeqCst);
            panic!("on purpose");
        }
        self.rechecks
            .fetch_add(usize::from(is_recheck), Ordering::SeqCst);
        match (self.fault.load(Ordering::SeqCst), operation) {
            (fault @ DISK_FULL, Operation::Write)
            | (fault @ NO_DESCRIPTOR_TO_COMMIT, Operation::Commit) => {
                self.struck.fetch_add(1, Ordering::SeqCst);
                // As the kernel says it.
                let (number, action) = match fault {
                    DISK_FULL => (28, "write"),
                    _ => (24, "open"),
                };
                let source = std::io::Error::from_raw_os_error(number);
                let path = PathBuf::from("/full");
                Err(StoreError::Io {
                    action,
                    path,
                    source,
                })
            }
            (COMMITS_FAIL, Operation::Commit) => {
                self.struck.fetch_add(1, Ordering::SeqCst);
                Err(StoreError::SyncFailed)
            }
            // Once: the next engine finds a sound store, and waits as soon as it reads.
            (READS_FAIL, Operation::Read) if self.turns(READS_FAIL, READS_WAIT) => {
                Err(StoreError::Sled("the engine fails on purpose".into()))
            }
            (WRITES_PANIC, Operation::Write) if self.turns(WRITES_PANIC, SOUND) => {
                self.struck.fetch_add(1, Ordering::SeqCst);
                panic!("on purpose");
            }
            (fault @ READS_WAIT, Operation::Read) | (fault @ WRITES_HANG, Operation::Write) => {
                self.struck.fetch_add(1, Ordering::SeqCst);
                let held = self.disarmed.0.lock().unwrap();
                let waits = |(): &mut ()| self.fault.load(Ordering::SeqCst) == fault;
                drop(self.disarmed.1.wait_while(held, waits).unwrap());
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn bed() -> (Daemon, Arc<Store>) {
    bed_with(|_| {})
}

fn bed_with(change: impl FnOnce(&mut Config)) -> (Daemon, Arc<Store>) {
    let (daemon, store) = bed_on(Arc::default(), change);
    daemon.sync();
    (daemon, store)
}

/// A daemon on a store that may be failing from the beginning.
fn bed_on(store: Arc<Store>, change: impl FnOnce(&mut Config)) -> (Daemon, Arc<Store>) {
    let asked = Arc::clone(&store);
    let before = Arc::new(move |operation| asked.before(operation));
    (Daemon::hooked_with(before, change), store)
}

fn write(daemon: &Daemon, name: &str, seed: u64) {
    std::fs::write(daemon.path(name), prose(seed, 200)).unwrap();
}

/// Asks again until it is so; a minute is far more than anything here takes.
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn status(daemon: &Daemon) -> wire::StatusReply {
    until("a status", || daemon.wait(daemon.client.status()).ok())
}

/// The alarm that stands, once it is of this kind.
fn alarm(daemon: &Daemon, answering: bool) -> wire::Alarm {
    until("an alarm", || {
        status(daemon)
            .alarm
            .filter(|alarm| alarm.answering == answering)
    })
}

fn is_healthy(daemon: &Daemon, service: &str) -> bool {
    let mut client = HealthClient::new(daemon.channel());
    let request = HealthCheckRequest {
        service: service.to_owned(),
    };
    let reply = daemon.wait(async { client.check(request).await }).unwrap();
    reply.into_inner().status() == ServingStatus::Serving
}

/// Everything is well again, and these files are known.
fn whole(daemon: &Daemon, files: &[&str]) {
    until("a sync", || daemon.wait(daemon.client.sync()).ok());
    for name in files {
        let subject = Subject::Path(daemon.path(name));
        daemon.find(FindKind::Similar, subject).unwrap();
    }
    until("no alarm", || status(daemon).alarm.is_none().then_some(()));
    until("health", || is_healthy(daemon, "").then_some(()));
    assert!(is_healthy(daemon, "simdex.v1.Similarity"));
}

#[test]
fn a_failed_commit_acknowledges_nothing_and_the_index_is_opened_again() {
    let (daemon, store) = bed();
    write(&daemon, "early.txt", 1);
    daemon.wait(daemon.client.sync()).unwrap();
    store.arm(COMMITS_FAIL);
    write(&daemon, "late.txt", 2);
    for _ in 0..3 {
        let synced = daemon.wait(daemon.client.sync());
        assert_eq!(code(&synced), Code::Unavailable, "{synced:?}");
    }
    assert!(store.struck() > 0);
    // Not waited out: after a failed commit nothing of the running index is to be believed.
    alarm(&daemon, false);
    store.disarm();
    whole(&daemon, &["early.txt", "late.txt"]);
}

#[test]
fn while_the_index_is_away_everybody_is_told_why_and_the_socket_stays() {
    let (daemon, store) = bed();
    write(&daemon, "a.txt", 3);
    daemon.wait(daemon.client.sync()).unwrap();
    store.arm(READS_FAIL);
    // Any access detects it: a query is enough.
    let asked = daemon.find(FindKind::Similar, Subject::Path(daemon.path("a.txt")));
    assert!(asked.is_err());
    until("reading at the next opening", || {
        (store.struck() > 0).then_some(())
    });
    let alarm = alarm(&daemon, false);
    assert!(alarm.reason.contains("on purpose"), "{}", alarm.reason);
    let asked = daemon.find(FindKind::Similar, Subject::Path(daemon.path("a.txt")));
    assert_eq!(code(&asked), Code::Unavailable);
    let said = asked.unwrap_err().to_string();
    assert!(said.contains("on purpose"), "{said}");
    assert!(!is_healthy(&daemon, "") && !is_healthy(&daemon, "simdex.v1.Similarity"));
    store.disarm();
    whole(&daemon, &["a.txt"]);
}

#[test]
fn a_query_whose_client_never_ends_it_does_not_keep_the_index_from_being_opened_again() {
    let (daemon, store) = bed();
    write(&daemon, "a.txt", 3);
    daemon.wait(daemon.client.sync()).unwrap();
    let query = wire::Query {
        source: Some(wire::query::Source::Path(
            daemon.path("a.txt").into_os_string().into_vec(),
        )),
        ..wire::Query::default()
    };
    let part = Some(wire::find_request::Part::Query(query));
    let (sender, requests) = tokio::sync::mpsc::channel(1);
    sender.try_send(wire::FindRequest { part }).unwrap();
    let channel = daemon.channel();
    let mut similarity = SimilarityClient::new(channel.clone());
    let find = async move {
        let requests = ReceiverStream::new(requests);
        similarity.find_similar(requests).await.map(drop)
    };
    let call = daemon.wait(async { tokio::spawn(find).abort_handle() });
    // Requests of one connection arrive in their order: once the second is answered, the first is being received.
    let mut admin = AdminClient::new(channel);
    daemon.wait(async {
        sender.reserve().await.unwrap();
        for _ in 0..20 {
            admin.status(wire::StatusRequest {}).await.unwrap();
        }
    });
    assert!(!call.is_finished());
    store.arm(COMMITS_FAIL);
    write(&daemon, "late.txt", 2);
    assert!(daemon.wait(daemon.client.sync()).is_err());
    alarm(&daemon, false);
    store.disarm();
    whole(&daemon, &["a.txt", "late.txt"]);
    assert!(!call.is_finished());
    call.abort();
}

#[test]
fn a_store_that_is_moved_away_is_not_begun_anew_and_opens_once_it_is_back() {
    let (daemon, _) = bed();
    write(&daemon, "early.txt", 1);
    daemon.wait(daemon.client.sync()).unwrap();
    let (store, away) = (
        daemon.data_dir().join("store"),
        daemon.data_dir().join("away"),
    );
    std::fs::rename(&store, &away).unwrap();
    write(&daemon, "late.txt", 2);
    let synced = daemon.wait(daemon.client.sync());
    assert_eq!(code(&synced), Code::Unavailable, "{synced:?}");
    until("a refusal to begin", || {
        alarm(&daemon, false)
            .reason
            .contains("it has no records")
            .then_some(())
    });
    assert!(!store.exists() && daemon.data_dir().join("text").is_dir());
    std::fs::rename(&away, &store).unwrap();
    whole(&daemon, &["early.txt", "late.txt"]);
    assert!(!daemon.data_dir().join("text.damaged-1").exists());
}

#[test]
fn a_store_that_is_put_back_before_its_texts_loses_no_document() {
    let (daemon, _) = bed();
    write(&daemon, "early.txt", 1);
    daemon.wait(daemon.client.sync()).unwrap();
    let (data, away) = (daemon.data_dir(), daemon.data_dir().join("away"));
    std::fs::create_dir(&away).unwrap();
    for name in ["store", "text"] {
        std::fs::rename(data.join(name), away.join(name)).unwrap();
    }
    write(&daemon, "late.txt", 2);
    let synced = daemon.wait(daemon.client.sync());
    assert_eq!(code(&synced), Code::Unavailable, "{synced:?}");
    // A copy, as a restore makes it: another file than the one that was open.
    copy_dir(&away.join("store"), &data.join("store"));
    until("a refusal without texts", || {
        let reason = alarm(&daemon, false).reason;
        reason.contains("missing or damaged").then_some(())
    });
    // Beside what was written after they went.
    copy_dir(&away.join("text"), &data.join("text"));
    whole(&daemon, &["early.txt", "late.txt"]);
    assert!(!data.join("store.damaged-1").exists() && !data.join("text.damaged-1").exists());
}

#[test]
fn a_store_that_is_restored_file_by_file_around_its_lock_is_waited_for() {
    let (daemon, _) = bed();
    write(&daemon, "early.txt", 1);
    daemon.wait(daemon.client.sync()).unwrap();
    let store = daemon.data_dir().join("store");
    let backup = daemon.data_dir().join("backup");
    std::fs::create_dir(&backup).unwrap();
    for name in ["db", "COMMITTED"] {
        std::fs::copy(store.join(name), backup.join(name)).unwrap();
    }
    for (seed, name) in [(2, "late.txt"), (3, "later.txt")] {
        write(&daemon, name, seed);
        daemon.wait(daemon.client.sync()).unwrap();
    }
    let put_back = |name: &str| std::fs::rename(backup.join(name), store.join(name)).unwrap();
    put_back("db");
    write(&daemon, "last.txt", 4);
    let synced = daemon.wait(daemon.client.sync());
    assert_eq!(code(&synced), Code::Unavailable, "{synced:?}");
    until("a refusal of half a restore", || {
        let reason = alarm(&daemon, false).reason;
        reason.contains("lost commits").then_some(())
    });
    put_back("COMMITTED");
    whole(&daemon, &["early.txt", "late.txt", "later.txt", "last.txt"]);
    let data = daemon.data_dir();
    assert!(!data.join("store.damaged-1").exists() && !data.join("text.damaged-1").exists());
}

fn copy_dir(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_dir(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn a_writer_that_panics_loses_no_change() {
    let (daemon, store) = bed();
    store.arm(WRITES_PANIC);
    write(&daemon, "a.txt", 4);
    // It fails, or waits for the next engine; it does not succeed without the file.
    let synced = daemon.wait(daemon.client.sync());
    assert_eq!(code(&synced), Code::Unavailable, "{synced:?}");
    assert_eq!(store.struck(), 1);
    whole(&daemon, &["a.txt"]);
}

#[test]
fn a_thread_in_the_background_that_panics_is_started_anew() {
    let (daemon, store) = bed_with(|config| config.watch.recheck_rest_seconds = 0);
    write(&daemon, "a.txt", 6);
    daemon.wait(daemon.client.sync()).unwrap();
    store.arm(RECHECK_PANICS);
    until("a panic", || (store.struck() == 1).then_some(()));
    let before = store.rechecks.load(Ordering::SeqCst);
    until("another thread in its place", || {
        (store.rechecks.load(Ordering::SeqCst) > before).then_some(())
    });
    whole(&daemon, &["a.txt"]);
}

#[test]
fn a_daemon_starts_on_a_full_disk_and_opens_its_index_once_there_is_room() {
    let store = Arc::<Store>::default();
    store.arm(DISK_FULL);
    let (daemon, store) = bed_on(store, |_| {});
    write(&daemon, "a.txt", 7);
    let alarm = alarm(&daemon, false);
    assert!(alarm.reason.contains("No space left"), "{}", alarm.reason);
    assert!(!is_healthy(&daemon, "") && !is_healthy(&daemon, "simdex.v1.Similarity"));
    let synced = daemon.wait(daemon.client.sync());
    assert_eq!(code(&synced), Code::Unavailable, "{synced:?}");
    let struck = store.struck();
    until("another try", || (store.struck() > struck).then_some(()));
    store.disarm();
    whole(&daemon, &["a.txt"]);
}

#[test]
fn a_refusal_of_the_disk_is_said_waited_out_and_made_up_for() {
    let (mut daemon, _) = bed();
    write(&daemon, "early.txt", 5);
    daemon.wait(daemon.client.sync()).unwrap();
    // Every start appends to a segment of its own, which cannot be made while a file stands in the
    // place of its folder.
    daemon.stop();
    daemon.start_again();
    daemon.wait(daemon.client.wait()).unwrap();
    let data = daemon.dir.path().join("data");
    let (texts, away) = (data.join("text"), data.join("away"));
    std::fs::rename(&texts, &away).unwrap();
    std::fs::write(&texts, "no folder").unwrap();
    let files: Vec<String> = (0..40).map(|at| format!("late-{at}.txt")).collect();
    for (seed, name) in (10..).zip(&files) {
        write(&daemon, name, seed);
    }
    daemon.wait(daemon.client.rescan(&[])).unwrap();
    let alarm = alarm(&daemon, true);
    let place = texts.display().to_string();
    assert!(alarm.reason.contains(&place), "{}", alarm.reason);
    assert!(alarm.next_attempt.is_some());
    until("changes that are not applied", || {
        let said = status(&daemon);
        let reason = said.alarm.as_ref().map(|alarm| alarm.reason.as_str());
        let root = (said.roots[0].state.as_str(), said.roots[0].detail.as_str());
        (said.queued > 0 && root == ("stalled", reason.unwrap_or_default())).then_some(())
    });
    until("no health", || (!is_healthy(&daemon, "")).then_some(()));
    assert!(is_healthy(&daemon, "simdex.v1.Similarity"));
    // A barrier does not succeed meanwhile, and says why it fails.
    let synced = daemon.wait(daemon.client.sync());
    assert_eq!(code(&synced), Code::Unavailable, "{synced:?}");
    let refused = synced.unwrap_err().to_string();
    assert!(refused.contains(&place), "{refused}");
    std::fs::remove_file(&texts).unwrap();
    std::fs::rename(&away, &texts).unwrap();
    // Without another walk: what was refused was kept.
    let all = files.len() as u64 + 1;
    until("all files", || {
        let summary = status(&daemon).summary;
        (summary.unwrap().files_on_disk == all).then_some(())
    });
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    whole(&daemon, &files);
}

#[test]
fn a_commit_whose_caller_gave_up_is_made_up_for() {
    let (daemon, store) = bed_with(|config| config.store.commit_ms = 1);
    write(&daemon, "early.txt", 5);
    daemon.wait(daemon.client.sync()).unwrap();
    // The committer has nothing left to do by then; the barrier commits all the same.
    std::thread::sleep(Duration::from_millis(300));
    store.arm(NO_DESCRIPTOR_TO_COMMIT);
    let synced = daemon.wait(daemon.client.sync());
    assert_eq!(code(&synced), Code::Unavailable, "{synced:?}");
    assert!(store.struck() > 0);
    assert!(status(&daemon).alarm.is_some());
    store.disarm();
    until("no alarm", || status(&daemon).alarm.is_none().then_some(()));
    whole(&daemon, &["early.txt"]);
}

#[test]
fn a_storage_engine_that_does_not_return_is_an_alarm_and_then_the_end_of_the_process() {
    let (mut daemon, store) = bed_with(|config| config.store.stuck_seconds = 4);
    store.arm(WRITES_HANG);
    write(&daemon, "a.txt", 7);
    // Its writes begin with this call, which waits for them.
    let brief = Duration::from_millis(200);
    let synced = daemon.wait(async { tokio::time::timeout(brief, daemon.client.sync()).await });
    assert!(synced.is_err(), "nothing is applied: {synced:?}");
    let stuck = alarm(&daemon, true);
    assert!(stuck.reason.contains("does not return"), "{}", stuck.reason);
    let mut running = daemon.take_running();
    let error = running.wait().unwrap_err().to_string();
    assert!(error.contains("has not returned for 4 s"), "{error}");
    // Nothing waits for the thread that hangs: not the runtime, not the store.
    running.leave();
    assert_eq!(store.struck(), 1);
}
