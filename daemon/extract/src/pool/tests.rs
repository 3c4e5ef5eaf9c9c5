//! The pool with workers that misbehave: each fault costs one document, and the next one is read.
//!
//! The workers are this test binary, started again for one of the ignored tests below. They behave until they are sent
//! a document with the text [`BAD`].

use std::ffi::OsString;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::process::Signal;

use super::*;
use crate::member::{MemberHead, MemberOut};
use crate::protocol::{self, Answers, Hello, Reply, Setup, Status, Task};
use crate::{
    EXTRACTOR_VERSION, ExtractedText, Fact, Facts, MemberPolicy, ReadJob, Reader, Readers, Role,
    sandbox,
};

const BAD: &[u8] = b"misbehave now";

/// The command for an ignored test of this binary.
pub(crate) fn test_worker(test: &str) -> WorkerCommand {
    let args = [
        "--ignored",
        "--exact",
        test,
        "--nocapture",
        "--test-threads=1",
    ];
    WorkerCommand {
        program: std::env::current_exe().unwrap(),
        args: args.map(OsString::from).to_vec(),
    }
}

/// A read-only file with this content.
pub(crate) fn document(content: &[u8]) -> File {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    File::open(file.path()).unwrap()
}

fn pool(misbehaviour: &str, limits: Limits) -> Pool {
    Pool::new(
        test_worker(&format!("pool::tests::worker_{misbehaviour}")),
        1,
        limits,
    )
}

fn read(pool: &Pool, content: &[u8]) -> Outcome {
    pool.extract(document(content), &ReadOptions::default())
        .outcome
}

fn text_of(outcome: Outcome) -> String {
    match outcome {
        Outcome::Text { text, .. } => text.into_string(),
        other => panic!("no text but {other:?}"),
    }
}

/// A good document, the bad one, a good one again.
fn assert_one_lost(misbehaviour: &str, limits: Limits, expected: &Outcome) {
    let pool = pool(misbehaviour, limits);
    assert_eq!(text_of(read(&pool, b"before")), "before");
    assert_eq!(&read(&pool, BAD), expected, "{misbehaviour}");
    assert_eq!(text_of(read(&pool, b"after")), "after");
}

fn crashed(reason: Reason) -> Outcome {
    Outcome::Crashed(reason)
}

#[test]
fn a_hanging_worker_is_killed_by_the_wall_clock() {
    // Generous, since the good documents must make it on a loaded machine.
    let limits = Limits {
        wall: Duration::from_secs(10),
        ..Limits::default()
    };
    assert_one_lost("hang", limits, &Outcome::TimedOut(Reason::WallLimit));
}

#[test]
fn a_dripping_worker_gains_no_time() {
    let limits = Limits {
        wall: Duration::from_secs(10),
        ..Limits::default()
    };
    assert_one_lost("drip", limits, &Outcome::TimedOut(Reason::WallLimit));
}

#[test]
fn a_busy_worker_is_killed_by_its_cpu_limit() {
    let limits = Limits {
        cpu: Duration::from_secs(1),
        ..Limits::default()
    };
    assert_one_lost("spin", limits, &Outcome::TimedOut(Reason::CpuLimit));
}

#[test]
fn a_memory_eater_fails_on_its_limit() {
    assert_one_lost(
        "eat",
        Limits::default(),
        &Outcome::Failed(Reason::MemoryLimit),
    );
}

#[test]
fn deaths_are_told_apart() {
    assert_one_lost(
        "overflow",
        Limits::default(),
        &crashed(Reason::StackOverflow),
    );
    assert_one_lost("abort", Limits::default(), &crashed(Reason::Signal));
    assert_one_lost("leave", Limits::default(), &crashed(Reason::NoReply));
    assert_one_lost("panic", Limits::default(), &crashed(Reason::NoReply));
    assert_one_lost("break_off", Limits::default(), &crashed(Reason::NoReply));
}

#[test]
fn a_worker_killed_from_outside_is_no_fault_of_the_document() {
    for death in ["killed", "terminated"] {
        assert_one_lost(death, Limits::default(), &Outcome::Failed(Reason::Killed));
    }
    assert!(Reason::Killed.is_machine_fault() && !Reason::Signal.is_machine_fault());
    // One that closes its socket and does not exit is killed by us, which is its own fault.
    assert_one_lost("close", Limits::default(), &crashed(Reason::NoReply));
}

#[test]
fn a_full_spool_is_no_fault_of_the_document() {
    let pool = pool_of("pack").with_spool(SpoolBudget::new(std::env::temp_dir(), 1 << 20));
    assert_eq!(text_of(read(&pool, b"before")), "before");
    assert_eq!(read(&pool, BAD), Outcome::Failed(Reason::SpoolFailed));
    assert_eq!(text_of(read(&pool, b"after")), "after");
    let options = ReadOptions {
        members: MemberPolicy::Discard,
        ..ReadOptions::default()
    };
    let discarded = pool.extract(document(BAD), &options);
    assert_eq!(discarded.outcome.reason(), None, "it needs no room");
    assert_eq!(pool.space().used(), 0);
    let gone = tempfile::tempdir().unwrap();
    let pool = pool_of("pack").with_spool(SpoolBudget::new(gone.path().to_owned(), 1 << 30));
    drop(gone);
    assert_eq!(read(&pool, BAD), Outcome::Failed(Reason::SpoolFailed));
}

fn pool_of(misbehaviour: &str) -> Pool {
    pool(misbehaviour, Limits::default())
}

#[test]
fn a_document_that_hangs_holds_up_only_itself() {
    let pool = pool("hang", Limits::default());
    let late = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let hanging = scope.spawn(|| {
            let outcome = read(&pool, BAD);
            late.store(true, std::sync::atomic::Ordering::SeqCst);
            outcome
        });
        while pool.lock().queue.is_idle() && !hanging.is_finished() {
            std::thread::yield_now();
        }
        assert_eq!(text_of(read(&pool, b"a neighbour")), "a neighbour");
        assert!(!late.load(std::sync::atomic::Ordering::SeqCst), "it waited");
        // Its own time is longer than anybody wants to wait.
        pool.shutdown();
        let ended = hanging.join().unwrap();
        assert_eq!(ended, Outcome::Failed(Reason::ShuttingDown));
    });
}

#[test]
fn lies_are_not_believed() {
    for lie in [
        "many_members",
        "other_member",
        "other_nonce",
        "huge_text",
        "huge_frame",
        "bad_utf8",
        "no_json",
        "bad_name",
    ] {
        assert_one_lost(lie, Limits::default(), &crashed(Reason::BadReply));
    }
}

#[test]
fn a_flood_on_stderr_blocks_nothing() {
    let pool = pool("shout", Limits::default());
    assert_eq!(text_of(read(&pool, BAD)), "shouted");
    assert_eq!(text_of(read(&pool, b"after")), "after");
}

#[test]
fn a_worker_that_talks_out_of_turn_is_replaced_before_the_next_document() {
    let pool = pool("chatter", Limits::default());
    assert_eq!(text_of(read(&pool, BAD)), "chattered");
    assert_eq!(text_of(read(&pool, b"after")), "after");
}

#[test]
fn a_worker_has_its_documents_read_and_reports_its_sandbox() {
    let pool = Pool::new(
        test_worker("pool::tests::worker_real"),
        2,
        Limits::default(),
    );
    let report = pool.sandbox();
    assert!(
        report.enforced.iter().any(|piece| piece == "memory limit"),
        "{report}"
    );
    let options = ReadOptions {
        name: Some("list.md".into()),
        ..ReadOptions::default()
    };
    assert!(pool.has_reader(Reader::Plain) && !pool.has_reader(Reader::Pdf));
    let extraction = pool.extract(document("- Grüße\n".as_bytes()), &options);
    assert_eq!(text_of(extraction.outcome), "- Grüße\n");
    assert_eq!(extraction.parser, "list.md", "what the reader was told");
}

#[test]
fn many_threads_share_few_workers() {
    let limits = Limits {
        documents_per_worker: 3,
        ..Limits::default()
    };
    let pool = Pool::new(test_worker("pool::tests::worker_real"), 2, limits);
    std::thread::scope(|scope| {
        for caller in 0..8 {
            let pool = &pool;
            scope.spawn(move || {
                for turn in 0..4 {
                    let content = format!("caller {caller} turn {turn}");
                    assert_eq!(text_of(read(pool, content.as_bytes())), content);
                }
            });
        }
    });
    let state = pool.lock();
    assert!(
        state.idle.len() <= 2 && state.queue.is_idle() && state.alive.len() == state.idle.len()
    );
}

#[test]
fn documents_that_no_worker_should_see_are_answered_at_once() {
    let limits = Limits {
        input_bytes: 3,
        ..Limits::default()
    };
    let none = WorkerCommand {
        program: "/nonexistent".into(),
        args: vec![],
    };
    let pool = Pool::new(none, 1, limits);
    assert_eq!(read(&pool, b""), Outcome::NoText(Reason::EmptyFile));
    assert_eq!(read(&pool, b"four"), Outcome::TooLarge(Reason::InputLimit));
    assert_eq!(read(&pool, b"one"), Outcome::Failed(Reason::NoWorker));
    let writable = tempfile::tempfile().unwrap();
    let (socket, _other) = UnixStream::pair().unwrap();
    let options = ReadOptions::default();
    let refused = Outcome::Failed(Reason::ReadError);
    assert_eq!(pool.extract(&writable, &options).outcome, refused);
    assert_eq!(pool.extract(&socket, &options).outcome, refused);
    assert!(pool.sandbox().is_degraded());
}

#[test]
fn shutdown_ends_a_document_under_way_and_all_later_ones() {
    let pool = pool("hang", Limits::default());
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| read(&pool, BAD));
        while pool.lock().alive.is_empty() && !reader.is_finished() {
            std::thread::yield_now();
        }
        pool.shutdown();
        assert_eq!(
            reader.join().unwrap(),
            Outcome::Failed(Reason::ShuttingDown)
        );
    });
    assert_eq!(read(&pool, b"later"), Outcome::Failed(Reason::ShuttingDown));
    assert!(pool.lock().alive.is_empty());
}

// From here on: workers, started by the tests above.

#[test]
#[ignore = "a worker: started by the other tests"]
fn worker_real() {
    let _ = crate::worker_main(Readers {
        built_in: vec![Reader::Plain],
        read: as_text,
    });
}

/// A reader that reads every document as text, under its own name.
fn as_text(mut job: ReadJob) -> Extraction {
    let mut text = String::new();
    let read = job.document.read_to_string(&mut text);
    let text = ExtractedText::new(text);
    let partial = read.err().map(|_| Reason::ReadError);
    Extraction {
        outcome: Outcome::Text { text, partial },
        media_type: "text/plain".into(),
        reader: Some(Reader::Plain),
        parser: job.name.unwrap_or_else(|| "none".into()),
        warnings: Vec::new(),
        facts: Facts::default(),
        members: Vec::new(),
    }
}

/// Answers every document with its own text, except [`BAD`], which `misbehave` answers.
fn fake(misbehave: impl Fn(&UnixStream, &Request)) {
    serve(|stream, request, text| {
        if text == BAD {
            misbehave(stream, request);
        } else {
            answer(stream, request.nonce, &text);
        }
    });
}

/// Reads no document, and joins pages by writing a few words before them.
#[test]
#[ignore = "a worker: started by the other tests"]
fn worker_joins() {
    serve(|stream, request, text| match request.task {
        Task::Read => {
            let unread = Reply {
                status: Status::Failed,
                reason: Some(Reason::ParserPanic),
                media_type: "application/pdf".into(),
                ..reply(request.nonce, b"")
            };
            send(stream, unread, b"");
        }
        Task::JoinPages => {
            let text = [b"the worker joined: ", &*text].concat();
            let mut joined = reply(request.nonce, &text);
            joined.facts.count(Fact::RunningLines, 3);
            send(stream, joined, &text);
        }
    });
}

/// Answers every request by `answer`, which gets the document's bytes.
fn serve(answer: impl Fn(&UnixStream, &Request, Vec<u8>)) {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned().unwrap());
    let Ok(setup) = protocol::receive::<Setup>(&stream) else {
        return;
    };
    sandbox::confine_process(&Setup {
        address_space: 1 << 30,
        ..setup
    });
    let hello = Hello {
        extractor_version: EXTRACTOR_VERSION,
        readers: Reader::ALL.to_vec(),
        enforced: vec![],
        missing: vec![],
    };
    protocol::send(&stream, &hello).unwrap();
    while let Ok((request, document)) = protocol::receive_with_descriptor::<Request>(&stream) {
        let mut text = Vec::new();
        File::from(document).read_to_end(&mut text).unwrap();
        answer(&stream, &request, text);
    }
}

/// A complete and valid reply of a fake worker.
pub(crate) fn reply(nonce: u64, text: &[u8]) -> Reply {
    Reply {
        nonce,
        status: Status::Text,
        reason: None,
        media_type: "text/plain".into(),
        reader: Some(Reader::Plain),
        parser: "fake".into(),
        warnings: vec![],
        facts: Facts::default(),
        text_bytes: text.len() as u64,
        last: false,
    }
}

/// Sends this reply with this text, whatever it announces.
fn send(stream: &UnixStream, reply: Reply, text: &[u8]) {
    Answers::on(stream).unwrap().reply(reply, text).unwrap();
}

fn answer(stream: &UnixStream, nonce: u64, text: &[u8]) {
    send(stream, reply(nonce, text), text);
}

/// Sends a signal to itself, as if somebody else had sent it.
fn raise(signal: Signal) {
    rustix::process::kill_process(rustix::process::getpid(), signal).unwrap();
    sleep_long();
}

fn sleep_long() {
    std::thread::sleep(Duration::from_secs(600));
}

/// Declares one worker per line: its name and what it does on [`BAD`].
macro_rules! workers {
    ($($name:ident => $misbehave:expr;)+) => {
        $(
            #[test]
            #[ignore = "a worker: started by the other tests"]
            fn $name() {
                fake($misbehave);
            }
        )+
    };
}

workers! {
    worker_hang => |_, _| sleep_long();
    worker_drip => |mut stream, _| {
        // A frame of an allowed length that arrives byte by byte.
        stream.write_all(&60_000_u32.to_le_bytes()).unwrap();
        loop {
            stream.write_all(b" ").unwrap();
            std::thread::sleep(Duration::from_millis(200));
        }
    };
    worker_spin => |_, _| loop {
        black_box(0);
    };
    worker_eat => |_, _| {
        let mut all = Vec::new();
        loop {
            all.push(black_box(vec![1_u8; 16 << 20]));
        }
    };
    worker_overflow => |_, _| {
        black_box(overflow(0));
    };
    worker_abort => |_, _| std::process::abort();
    worker_killed => |_, _| raise(Signal::KILL);
    worker_terminated => |_, _| raise(Signal::TERM);
    worker_close => |stream, _| {
        stream.shutdown(std::net::Shutdown::Both).unwrap();
        sleep_long();
    };
    worker_pack => |stream, request| {
        let answers = Answers::on(stream).unwrap();
        let mut members = answers.members(request.nonce);
        members.begin(&MemberHead::new("x", Role::Entry)).unwrap();
        // The daemon may have stopped listening.
        let _ = members.chunk(&vec![0; 2 << 20]);
        let _ = members.end(None);
        let _ = answers.reply(reply(request.nonce, b""), b"");
    };
    worker_leave => |_, _| std::process::exit(0);
    worker_panic => |_, _| panic!("as a parser would");
    worker_break_off => |stream, request| {
        let announced = Reply { text_bytes: 1000, ..reply(request.nonce, b"") };
        send(stream, announced, b"");
        std::process::exit(0);
    };
    worker_other_nonce => |stream, request| {
        answer(stream, request.nonce + 1, b"text of another");
        sleep_long();
    };
    worker_huge_text => |stream, request| {
        let huge = Reply { text_bytes: 1 << 40, ..reply(request.nonce, b"") };
        send(stream, huge, b"");
        sleep_long();
    };
    worker_huge_frame => |mut stream, _| {
        stream.write_all(&[0xff; 64]).unwrap();
        sleep_long();
    };
    worker_many_members => |stream, request| {
        let answers = Answers::on(stream).unwrap();
        let mut members = answers.members(request.nonce);
        let entries = Limits::default().budgets.entries;
        for _ in 0..=entries {
            // The daemon may have stopped listening.
            let _ = members.begin(&MemberHead::new("x", Role::Entry));
            let _ = members.end(None);
        }
        let _ = answers.flush();
        sleep_long();
    };
    worker_other_member => |stream, request| {
        let head = MemberHead::new("x", Role::Entry);
        let answers = Answers::on(stream).unwrap();
        answers.members(request.nonce + 1).begin(&head).unwrap();
        answers.flush().unwrap();
        sleep_long();
    };
    worker_bad_utf8 => |stream, request| {
        answer(stream, request.nonce, b"\xff\xfe");
        sleep_long();
    };
    worker_no_json => |mut stream, _| {
        stream.write_all(b"\x04\0\0\0nope").unwrap();
        sleep_long();
    };
    worker_bad_name => |stream, request| {
        let named = Reply { media_type: "../../etc".repeat(50), ..reply(request.nonce, b"") };
        send(stream, named, b"");
        sleep_long();
    };
    worker_shout => |stream, request| {
        for _ in 0..1000 {
            let _ = io::stderr().write_all(&[b'!'; 1024]);
        }
        answer(stream, request.nonce, b"shouted");
    };
    worker_chatter => |stream, request| {
        send(stream, reply(request.nonce, b"chattered"), b"chattered and on and on");
    };
}

#[expect(unconditional_recursion, reason = "the stack is to overflow")]
fn overflow(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    overflow(depth + 1) + frame[7]
}

#[test]
fn who_gives_up_does_not_wait_for_a_worker_that_others_have() {
    let pool = pool("hang", Limits::default());
    let question =
        || pool.acquire_worker(Lane::Question, QueueKey::default(), &KeepGoing::default());
    let held = [(); 3].map(|()| question().unwrap());
    let calls = AtomicU64::new(0);
    let options = ReadOptions {
        keep_going: KeepGoing::asking(move || calls.fetch_add(1, Ordering::SeqCst) == 0),
        ..ReadOptions::default()
    };
    let given_up = pool.extract(document(b"a text"), &options);
    let ended = Outcome::Failed(Reason::ShuttingDown);
    assert_eq!(given_up.outcome, ended, "while it waited");
    drop(held);
    assert_eq!(text_of(read(&pool, b"after")), "after");
}
