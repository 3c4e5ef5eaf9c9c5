//! The worker process: confines itself, then reads one document after the other.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::thread;

use crate::protocol::{self, Answers, Hello, Reply, Request, Setup, Task};
use crate::resident::ResidentMemory;
use crate::sandbox::{self, SandboxReport};
use crate::{Budgets, EXTRACTOR_VERSION, Extraction, MemberOut, Reader, Reason};

/// Added to the niceness of a worker, so that the daemon can answer while it reads.
const NICE_INCREMENT: i32 = 10;
/// Parsers recurse; a file that overflows this much stack was made for it.
const STACK_BYTES: usize = 64 << 20;
/// A worker that has grown beyond this asks to be replaced.
const MAX_RESIDENT_BYTES: u64 = 300 << 20;

/// One document for a reader, and the limits of its answer.
pub struct ReadJob {
    /// The document, to be read by position: the daemon holds a descriptor of the same open file.
    pub document: File,
    /// Its length when the daemon looked; what was added since is not read.
    pub length: u64,
    /// Its file name, if one is known.
    pub name: Option<String>,
    /// What the worker is to do.
    pub task: Task,
    /// Longest text of the answer, in bytes.
    pub output_bytes: usize,
    /// Bounds of its structure.
    pub budgets: Budgets,
    /// Receives the files inside; members in the [`Extraction`] itself are not sent.
    pub members: Box<dyn MemberOut>,
}

/// The readers of a worker.
pub struct Readers {
    /// The readers that are built in.
    pub built_in: Vec<Reader>,
    /// Reads a document; must catch the panics of its parsers.
    pub read: fn(ReadJob) -> Extraction,
}

/// The hidden subcommand of the daemon's binary: reads documents from stdin until it closes.
///
/// Only a [`Pool`](crate::Pool) starts it; started by hand it fails at once.
#[must_use]
pub fn worker_main(readers: Readers) -> ExitCode {
    match run(readers) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The main thread confines the process and waits; the thread with the big stack does the rest.
fn run(readers: Readers) -> io::Result<()> {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let setup: Setup = protocol::receive(&stream)?;
    // If `nice` fails, the thread runs at normal priority.
    let _ = rustix::process::nice(NICE_INCREMENT);
    // A panic's message may quote the document.
    std::panic::set_hook(Box::new(|_| {}));
    let memory = ResidentMemory::open();
    let report = sandbox::confine_process(&setup);
    let parser = thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || serve(&stream, &setup, report, readers, &memory))?;
    parser
        .join()
        .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
}

fn serve(
    stream: &UnixStream,
    setup: &Setup,
    mut report: SandboxReport,
    readers: Readers,
    memory: &ResidentMemory,
) -> io::Result<()> {
    let answers = Answers::on(stream)?;
    sandbox::confine_threads(&mut report);
    let hello = Hello {
        extractor_version: EXTRACTOR_VERSION,
        readers: readers.built_in,
        enforced: report.enforced,
        missing: report.missing,
    };
    protocol::send(stream, &hello)?;
    loop {
        let (request, document): (Request, _) = match protocol::receive_with_descriptor(stream) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            received => received?,
        };
        let nonce = request.nonce;
        sandbox::grant_cpu(setup.cpu_seconds)?;
        let extraction = (readers.read)(job(&answers, setup, request, document.into()));
        if !answer(&answers, nonce, extraction, memory)? {
            return Ok(());
        }
    }
}

fn job(answers: &Answers, setup: &Setup, request: Request, document: File) -> ReadJob {
    ReadJob {
        document,
        length: request.length,
        name: request.name,
        task: request.task,
        output_bytes: usize::try_from(setup.output_bytes).unwrap_or(usize::MAX),
        budgets: setup.budgets.clone(),
        members: Box::new(answers.members(request.nonce)),
    }
}

/// Answers one request. Returns false if this worker should not continue.
fn answer(
    answers: &Answers,
    nonce: u64,
    extraction: Extraction,
    memory: &ResidentMemory,
) -> io::Result<bool> {
    // After a panic the parser's own state cannot be trusted.
    let panicked = extraction.outcome.reason() == Some(Reason::ParserPanic);
    let grown = memory
        .bytes()
        .is_some_and(|bytes| bytes > MAX_RESIDENT_BYTES);
    let (reply, text) = Reply::of(extraction, nonce, panicked || grown);
    let last = reply.last;
    answers.reply(reply, text.as_bytes())?;
    Ok(!last)
}
