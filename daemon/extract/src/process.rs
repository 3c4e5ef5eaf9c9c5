//! One worker process as the daemon holds it: starting, sending documents, killing, and finding out why it ended.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufReader, PipeReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::process::{Pid, Signal};
use tracing::warn;

use crate::deadline_reader::DeadlineReader;
use crate::document_request::DocumentRequest;
use crate::member_spool::MemberCollector;
use crate::protocol::{self, Hello, Setup};
use crate::{EXTRACTOR_VERSION, Extraction, Limits, Outcome, Reader, Reason, SandboxReport};

/// How long a worker may take to confine itself and send its first frame.
const HELLO_LIMIT: Duration = Duration::from_secs(30);
/// How long a worker that closed its socket may take to end by itself.
const END_LIMIT: Duration = Duration::from_secs(5);

/// Bytes taken from a worker's socket at once.
const GATHERED: usize = 64 << 10;
/// Longest text read from a worker's stderr: what a pipe holds.
const MAX_SAID: u64 = 64 << 10;

/// Signals that no fault of a worker raises: the kernel sends them when memory is short, or somebody else does. A
/// compromised worker may send them to itself, and thereby gets another attempt.
const FOREIGN_SIGNALS: &[i32] = &[
    libc::SIGKILL,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGPWR,
];

/// How to start a worker: a program that calls [`worker_main`](crate::worker_main()).
#[derive(Debug, Clone)]
pub struct WorkerCommand {
    /// The program, normally the daemon's own executable.
    pub program: PathBuf,
    /// Its arguments, normally `extract-worker`.
    pub args: Vec<OsString>,
}

/// Starts workers from one thread that lives as long as the pool: a worker dies with the thread that started it (parent
/// death signal), and callers' threads come and go.
#[derive(Debug)]
pub(crate) struct Spawner {
    orders: SyncSender<SyncSender<io::Result<Worker>>>,
    setup: Setup,
}

impl Spawner {
    pub(crate) fn start(command: WorkerCommand, setup: Setup) -> io::Result<Self> {
        let (orders, inbox): (_, Receiver<SyncSender<_>>) = sync_channel(0);
        thread::Builder::new()
            .name("extract-spawner".into())
            .spawn(move || {
                for reply in inbox {
                    // It survives its own panic: without it no worker would ever be started again.
                    let started = catch_unwind(|| Worker::start(&command));
                    let panicked = |_| Err(io::Error::other("starting a worker panicked"));
                    // The caller waits for it; if the caller is gone, the worker is dropped and killed.
                    let _ = reply.send(started.unwrap_or_else(panicked));
                }
            })?;
        Ok(Self { orders, setup })
    }

    /// Starts a worker and waits until it has confined itself.
    pub(crate) fn spawn(&self) -> io::Result<(Worker, Handshake)> {
        let (reply, answer) = sync_channel(1);
        let gone = |_| io::Error::other("the spawner thread ended");
        self.orders.send(reply).map_err(|_| gone(()))?;
        let mut worker = answer.recv().map_err(|_| gone(()))??;
        let handshake = worker.shake_hands(&self.setup)?;
        Ok((worker, handshake))
    }
}

/// The group that a child leads, if the system returned its number.
#[must_use]
pub fn group_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Kills a process group whose leader is not reaped; harmless if all of it has just ended by itself.
pub fn kill_group(group: Pid) {
    let _ = rustix::process::kill_process_group(group, Signal::KILL);
}

/// The report of a worker about itself, before it gets a document.
pub(crate) struct Handshake {
    /// What its sandbox enforces.
    pub(crate) report: SandboxReport,
    /// Readers built into it.
    pub(crate) readers: Vec<Reader>,
}

/// A running worker. Dropping it kills it.
pub(crate) struct Worker {
    child: Child,
    answers: BufReader<DeadlineReader>,
    stderr: PipeReader,
    served: u32,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Worker({})", self.child.id())
    }
}

/// Why a worker gave no valid answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkerFault {
    /// It was dead before the document reached it.
    Unsent,
    /// The wall clock time ran out.
    TimedOut,
    /// The wall clock time ran out, while the machine kept it from running.
    Starved,
    /// It closed its socket.
    Closed,
    /// It sent an invalid answer.
    BadReply,
    /// The daemon's side failed: the bytes of members could not be kept, or the socket failed.
    Machine,
}

impl Worker {
    /// Starts the process: without environment, in its own process group, with the socket as its stdin. Its stderr is a
    /// pipe that never blocks it; it is read when the worker dies.
    fn start(command: &WorkerCommand) -> io::Result<Self> {
        let (stream, theirs) = UnixStream::pair()?;
        let (stderr, stderr_writer) = io::pipe()?;
        rustix::fs::fcntl_setfl(&stderr, OFlags::NONBLOCK)?;
        rustix::fs::fcntl_setfl(&stderr_writer, OFlags::NONBLOCK)?;
        stream.set_write_timeout(Some(HELLO_LIMIT))?;
        let answers = DeadlineReader::new(stream);
        let child = Command::new(&command.program)
            .args(&command.args)
            .env_clear()
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(stderr_writer)
            .process_group(0)
            .spawn()?;
        Ok(Self {
            child,
            answers: BufReader::with_capacity(GATHERED, answers),
            stderr,
            served: 0,
        })
    }

    fn shake_hands(&mut self, setup: &Setup) -> io::Result<Handshake> {
        protocol::send(self.stream(), setup)?;
        self.answers.get_mut().wait_for(HELLO_LIMIT);
        let mut hello: Hello = protocol::receive(&mut self.answers)?;
        if hello.extractor_version != EXTRACTOR_VERSION {
            return Err(io::Error::other("the worker is of another version"));
        }
        Ok(Handshake {
            readers: std::mem::take(&mut hello.readers),
            report: SandboxReport::from_hello(hello),
        })
    }

    pub(crate) fn pid(&self) -> Option<Pid> {
        group_of(&self.child)
    }

    /// Number of documents answered so far.
    pub(crate) fn served(&self) -> u32 {
        self.served
    }

    /// Whether it waits for a document: alive, and with no unexpected output.
    pub(crate) fn is_ready(&self) -> bool {
        use rustix::net::{RecvFlags, recv};
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        let peeked = recv(self.stream(), &mut [0; 1], flags);
        self.answers.buffer().is_empty() && matches!(peeked, Err(rustix::io::Errno::AGAIN))
    }

    /// Has `document` read. The second value says whether the worker can take another.
    pub(crate) fn read(
        &mut self,
        document_request: &DocumentRequest<'_>,
        limits: &Limits,
    ) -> Result<(Extraction, bool), WorkerFault> {
        match self.exchange(document_request, limits) {
            Err(WorkerFault::TimedOut) if self.answers.get_ref().was_starved() => {
                Err(WorkerFault::Starved)
            }
            answer => answer,
        }
    }

    /// Sends the request, then receives the members, the reply and the text before the wall clock limit.
    fn exchange(
        &mut self,
        document_request: &DocumentRequest<'_>,
        limits: &Limits,
    ) -> Result<(Extraction, bool), WorkerFault> {
        let request = &document_request.request;
        let worker = self.pid();
        self.answers.get_mut().wait_for_worker(worker, limits.wall);
        protocol::send_with_descriptor(self.stream(), request, document_request.document)
            .map_err(|_| WorkerFault::Unsent)?;
        let mut members = MemberCollector::new(
            &document_request.space,
            &limits.budgets,
            document_request.members,
        )
        .map_err(|_| WorkerFault::Machine)?;
        let reply = protocol::receive_reply(&mut self.answers, request.nonce, &mut members);
        let reply = reply.map_err(|error| match members.failure() {
            Some(failure) => spool_failed(&failure),
            None => WorkerFault::of(error),
        })?;
        if !reply.is_sound(request.nonce, limits.output_bytes) {
            return Err(WorkerFault::BadReply);
        }
        let text = self.read_text(reply.text_bytes)?;
        let last = reply.last;
        let members = members
            .into_members()
            .map_err(|error| spool_failed(&error))?;
        let extraction = reply
            .into_extraction(text, members)
            .ok_or(WorkerFault::BadReply)?;
        self.served += 1;
        self.drain_stderr();
        Ok((extraction, !last))
    }

    /// Ends the worker and returns what `fault` means for the document.
    pub(crate) fn reap(mut self, fault: WorkerFault) -> Outcome {
        if fault == WorkerFault::Closed {
            self.wait_a_little();
        }
        let (status, by_us) = self.end();
        match fault {
            WorkerFault::TimedOut => Outcome::TimedOut(Reason::WallLimit),
            WorkerFault::Starved => Outcome::Failed(Reason::MachineBusy),
            WorkerFault::BadReply => Outcome::Crashed(Reason::BadReply),
            WorkerFault::Machine => Outcome::Failed(Reason::SpoolFailed),
            WorkerFault::Unsent | WorkerFault::Closed if by_us => Outcome::Crashed(Reason::NoReply),
            WorkerFault::Unsent | WorkerFault::Closed => {
                cause_of_death(status, &self.drain_stderr())
            }
        }
    }

    /// Lets a worker that closed its socket finish dying, so that its status tells the cause.
    fn wait_a_little(&mut self) {
        let deadline = Instant::now() + END_LIMIT;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills the process group and reaps the child; harmless if it is already dead. The second value says whether it
    /// was still alive, so that we caused its end.
    fn end(&mut self) -> (Option<ExitStatus>, bool) {
        let alive = matches!(self.child.try_wait(), Ok(None));
        if let (true, Some(pid)) = (alive, self.pid()) {
            // It may end by itself between the two calls; it is not reaped before `wait`.
            kill_group(pid);
        }
        (self.child.wait().ok(), alive)
    }

    /// Its output on stderr, as much as a pipe holds: the end is when nothing more is available.
    fn drain_stderr(&mut self) -> Vec<u8> {
        let mut said = Vec::new();
        let _ = (&self.stderr).take(MAX_SAID).read_to_end(&mut said);
        said
    }

    /// Reads the text, growing with what arrives rather than by the announced length.
    fn read_text(&mut self, length: u64) -> Result<String, WorkerFault> {
        let mut bytes = Vec::new();
        let mut text = (&mut self.answers).take(length);
        let count = text.read_to_end(&mut bytes).map_err(WorkerFault::of)?;
        if (count as u64) < length {
            return Err(WorkerFault::Closed);
        }
        String::from_utf8(bytes).map_err(|_| WorkerFault::BadReply)
    }

    fn stream(&self) -> &UnixStream {
        self.answers.get_ref().stream()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

impl WorkerFault {
    /// Blames the worker only for errors that the machine cannot cause.
    fn of(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut => Self::TimedOut,
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe => Self::Closed,
            io::ErrorKind::InvalidData => Self::BadReply,
            _ => Self::Machine,
        }
    }
}

fn spool_failed(error: &io::Error) -> WorkerFault {
    warn!(%error, "the files inside a document cannot be kept; it is tried again later");
    WorkerFault::Machine
}

/// The cause of a death without answer, from the exit status and Rust's messages on stderr.
fn cause_of_death(status: Option<ExitStatus>, stderr: &[u8]) -> Outcome {
    let said = String::from_utf8_lossy(stderr);
    match status.and_then(|status| status.signal()) {
        Some(libc::SIGXCPU) => Outcome::TimedOut(Reason::CpuLimit),
        Some(libc::SIGABRT) if said.contains("memory allocation of") => {
            Outcome::Failed(Reason::MemoryLimit)
        }
        Some(libc::SIGABRT) if said.contains("overflowed its stack") => {
            Outcome::Crashed(Reason::StackOverflow)
        }
        Some(signal) if FOREIGN_SIGNALS.contains(&signal) => Outcome::Failed(Reason::Killed),
        Some(_) => Outcome::Crashed(Reason::Signal),
        None => Outcome::Crashed(Reason::NoReply),
    }
}
