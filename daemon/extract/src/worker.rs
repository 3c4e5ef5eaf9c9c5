//! The worker process: confine itself, then read one document after the other.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::thread;

use crate::input::Input;
use crate::protocol::{self, Answers, Hello, Reply, Request, Setup, Task};
use crate::sandbox::{self, SandboxReport};
use crate::sink::Sink;
use crate::{EXTRACTOR_VERSION, Reason, formats};

/// Added to the niceness of a worker: while it reads, the daemon answers.
const GIVE_WAY: i32 = 10;
/// Parsers recurse; an overflow below this depth is a file made for it.
const STACK_BYTES: usize = 64 << 20;
/// A worker that has grown beyond this asks to be replaced.
const MAX_RESIDENT_BYTES: u64 = 300 << 20;

/// The hidden subcommand of the daemon's binary: serves documents from stdin until it closes.
///
/// Started by a [`Pool`](crate::Pool) only; started by hand it ends with a failure at once.
#[must_use]
pub fn worker_main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The main thread confines the process and waits; the thread with the big stack does the rest.
fn run() -> io::Result<()> {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let setup: Setup = protocol::receive(&stream)?;
    // Where it is refused, a worker competes as an equal.
    let _ = rustix::process::nice(GIVE_WAY);
    // A panic's message may quote the document.
    std::panic::set_hook(Box::new(|_| {}));
    let memory = Memory::open();
    let report = sandbox::confine_process(&setup);
    let parser = thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || serve(&stream, &setup, report, &memory))?;
    parser
        .join()
        .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
}

fn serve(
    stream: &UnixStream,
    setup: &Setup,
    mut report: SandboxReport,
    memory: &Memory,
) -> io::Result<()> {
    let answers = Answers::on(stream)?;
    sandbox::confine_threads(&mut report);
    let hello = Hello {
        extractor_version: EXTRACTOR_VERSION,
        enforced: report.enforced,
        missing: report.missing,
    };
    protocol::send(stream, &hello)?;
    loop {
        let (request, document) = match protocol::receive_with_descriptor(stream) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            received => received?,
        };
        if !answer(&answers, setup, request, document.into(), memory)? {
            return Ok(());
        }
    }
}

/// Reads one document and answers. False when this worker should not go on.
fn answer(
    answers: &Answers,
    setup: &Setup,
    request: Request,
    document: File,
    memory: &Memory,
) -> io::Result<bool> {
    sandbox::grant_cpu(setup.cpu_seconds)?;
    let input = Input::new(document, request.length);
    let limit = usize::try_from(setup.output_bytes).unwrap_or(usize::MAX);
    let members = Box::new(answers.members(request.nonce));
    let sink = Sink::new(limit, setup.budgets.clone(), members);
    let extraction = match request.task {
        Task::Read => formats::extract(&input, request.name.as_deref(), sink),
        Task::JoinPages => formats::join_pages(&input, sink),
    };
    // After a panic the parser's own state is not to be trusted.
    let panicked = extraction.outcome.reason() == Some(Reason::ParserPanic);
    let grown = memory
        .resident_bytes()
        .is_some_and(|bytes| bytes > MAX_RESIDENT_BYTES);
    let (reply, text) = Reply::of(extraction, request.nonce, panicked || grown);
    let last = reply.last;
    answers.reply(reply, text.as_bytes())?;
    Ok(!last)
}

/// The process's own memory figures, opened while files can be.
struct Memory {
    statm: Option<File>,
    page_bytes: u64,
}

impl Memory {
    fn open() -> Self {
        Self {
            statm: File::open("/proc/self/statm").ok(),
            page_bytes: rustix::param::page_size() as u64,
        }
    }

    /// Resident memory: the second number of `statm`, in pages.
    fn resident_bytes(&self) -> Option<u64> {
        let mut buffer = [0; 128];
        let count = self.statm.as_ref()?.read_at(&mut buffer, 0).ok()?;
        let line = std::str::from_utf8(&buffer[..count]).ok()?;
        let pages: u64 = line.split(' ').nth(1)?.parse().ok()?;
        Some(pages * self.page_bytes)
    }
}
