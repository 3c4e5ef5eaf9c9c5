//! The workers of the daemon: bounded in number, replaced when worn, called from many threads.

mod improve;
mod permit;
mod queue;
mod result;
mod workers;

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FileType, OFlags};
use rustix::process::Pid;
use tracing::{debug, warn};

pub use result::JournaledRead;

use self::permit::WorkerPermit;
use self::queue::{Lane, Queue};
use self::result::unread;
use crate::crash_journal::{CrashJournal, JournalEntry, NotTried, WaitPolicy};
use crate::document_request::DocumentRequest;
use crate::process::{Spawner, Worker, WorkerCommand, WorkerFault, kill_group};
use crate::protocol::{Request, Setup, Task};
use crate::queue_key::QueueKey;
use crate::spool_budget::SpoolBudget;
use crate::{
    ExternalTools, Extraction, KeepGoing, Limits, Outcome, ReadOptions, Reader, Reason,
    SandboxReport,
};

/// Longest file name that is passed on, in bytes (the longest Linux has).
const MAX_NAME_BYTES: usize = 255;

/// Bytes that may be spooled unless a limit is set.
const SPOOL_BYTES: u64 = 4 << 30;

/// Worker processes: `workers` as a rule; up to 2 × `workers` + 2 while documents are slow (see `queue`). All methods
/// may be called from many threads at once.
#[derive(Debug)]
pub struct Pool {
    spawner: io::Result<Spawner>,
    workers: usize,
    limits: Limits,
    space: SpoolBudget,
    journal: Option<CrashJournal>,
    external_tools: Option<ExternalTools>,
    state: Mutex<State>,
    freed: Condvar,
    nonce: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Worker>,
    queue: Queue,
    /// Every living worker. An entry is removed before its worker is reaped, so no number is stale.
    alive: Vec<Pid>,
    report: Option<SandboxReport>,
    /// Readers built into the workers; empty until one was started.
    readers: Vec<Reader>,
    closed: bool,
}

impl Pool {
    /// A pool with `workers` (at least one) usual places; processes are started when needed.
    #[must_use]
    pub fn new(command: WorkerCommand, workers: usize, limits: Limits) -> Self {
        let setup = Setup {
            address_space: limits.address_space,
            cpu_seconds: limits.cpu.as_secs() + u64::from(limits.cpu.subsec_nanos() > 0),
            output_bytes: limits.output_bytes,
            budgets: limits.budgets.clone(),
        };
        Self {
            spawner: Spawner::start(command, setup),
            workers: workers.max(1),
            limits,
            space: SpoolBudget::new(std::env::temp_dir(), SPOOL_BYTES),
            journal: None,
            external_tools: None,
            state: Mutex::default(),
            freed: Condvar::new(),
            nonce: AtomicU64::new(1),
        }
    }

    /// Keeps snapshots and members in this space, not in the system's directory for temporary files.
    #[must_use]
    pub fn with_spool(mut self, space: SpoolBudget) -> Self {
        self.space = space;
        self
    }

    /// Where snapshots and members are kept.
    #[must_use]
    pub fn space(&self) -> &SpoolBudget {
        &self.space
    }

    /// Records what is under way, so that a crash of the daemon counts against it.
    #[must_use]
    pub fn with_crash_journal(mut self, journal: CrashJournal) -> Self {
        self.journal = Some(journal);
        self
    }

    /// Records that the content of this hash is about to be read, until the entry is dropped; `None` if no journal
    /// is kept. Waits for a suspect while `keep_going` allows.
    ///
    /// # Errors
    /// If it must not be read, see [`NotTried`].
    fn begin(
        &self,
        hash: [u8; 32],
        wait_policy: WaitPolicy,
        keep_going: &KeepGoing,
    ) -> Result<Option<JournalEntry<'_>>, NotTried> {
        let journal = self.journal.as_ref();
        let begun = journal.map(|journal| journal.begin(hash, wait_policy, keep_going));
        begun.transpose()
    }

    /// Notes that the daemon is about to end: from now on a kill counts against no document.
    pub fn stopping(&self) {
        self.journal.iter().for_each(CrashJournal::stopping);
    }

    /// Uses external tools for documents that our own readers cannot read.
    #[must_use]
    pub fn with_external_tools(mut self, external_tools: ExternalTools) -> Self {
        self.external_tools = Some(external_tools);
        self
    }

    /// The external tools in use, if any.
    #[must_use]
    pub fn external_tools(&self) -> Option<&ExternalTools> {
        self.external_tools.as_ref()
    }

    /// Reads the text of `document`, an open regular file that can be read and not written, without an entry in the
    /// crash journal: for tests, the fuzzer and examples. The daemon calls [`Pool::extract_journaled`].
    ///
    /// Waits for a free worker, then at most [`Limits::wall`] for its answer.
    pub fn extract(&self, document: impl AsFd, options: &ReadOptions) -> Extraction {
        self.extract_timed(document.as_fd(), options).0
    }

    /// Extracts a document, and measures the time it spent at workers and programs.
    fn extract_timed(
        &self,
        document: BorrowedFd<'_>,
        options: &ReadOptions,
    ) -> (Extraction, Duration) {
        let mut took = Duration::ZERO;
        let extraction = self
            .measure(document)
            .and_then(|length| self.queue_and_read((document, length), options, &mut took))
            .unwrap_or_else(|outcome| unread(outcome, document));
        let improved = self.improve(extraction, document, options, &mut took);
        (improved, took)
    }

    /// Reads the text of a content as one that may crash the daemon: it is entered into the crash journal until the
    /// entry is dropped, which the caller does when it has finished with the text. One that the daemon crashed on twice
    /// is not read.
    pub fn extract_journaled(
        &self,
        document: impl AsFd,
        hash: [u8; 32],
        options: &ReadOptions,
        wait_policy: WaitPolicy,
    ) -> JournaledRead<'_> {
        let document = document.as_fd();
        let refused = |outcome| JournaledRead {
            extraction: unread(outcome, document),
            entry: None,
            took: Duration::ZERO,
        };
        match self.begin(hash, wait_policy, &options.keep_going) {
            Ok(entry) => {
                let (extraction, took) = self.extract_timed(document, options);
                entry.iter().for_each(JournalEntry::working);
                JournaledRead {
                    extraction,
                    entry,
                    took,
                }
            }
            Err(NotTried::Quarantined) => refused(Outcome::Crashed(Reason::DaemonCrashed)),
            Err(NotTried::Cancelled) => refused(Outcome::Failed(Reason::ShuttingDown)),
            Err(NotTried::NotRecorded(error)) => {
                warn!(%error, "cannot record which documents are being read");
                refused(Outcome::Failed(Reason::SpoolFailed))
            }
        }
    }

    /// The longest text of a document, in bytes.
    #[must_use]
    pub fn longest_text(&self) -> u64 {
        self.limits.output_bytes
    }

    /// The sandbox of the workers; starts one to find out if none has been started yet.
    #[must_use]
    pub fn sandbox(&self) -> SandboxReport {
        let known = self.lock().report.clone();
        let started = || {
            self.acquire_worker(Lane::Question, QueueKey::default(), &KeepGoing::default())?
                .worker()
        };
        known.unwrap_or_else(|| match started() {
            Ok(worker) => {
                self.check_in(worker);
                self.lock().report.clone().unwrap_or_default()
            }
            Err(_) => SandboxReport {
                missing: vec!["everything (no worker could be started)".to_owned()],
                ..SandboxReport::default()
            },
        })
    }

    /// Whether this reader is built into the workers; one must have been started.
    #[must_use]
    pub fn has_reader(&self, reader: Reader) -> bool {
        self.lock().readers.contains(&reader)
    }

    /// Kills all workers, and ends external tools. Documents under way, and all later ones, end as `shutting-down`.
    pub fn shutdown(&self) {
        let mut state = self.lock();
        state.closed = true;
        for &pid in &state.alive {
            // A dead one that is not yet reaped does no harm.
            kill_group(pid);
        }
        let idle = std::mem::take(&mut state.idle);
        state
            .alive
            .retain(|pid| !idle.iter().any(|worker| worker.pid() == Some(*pid)));
        drop(state);
        drop(idle);
        self.freed.notify_all();
    }

    /// The length of a document, if it may be sent to a worker at all.
    fn measure(&self, document: BorrowedFd<'_>) -> Result<u64, Outcome> {
        let unreadable = |_| Outcome::Failed(Reason::ReadError);
        let stat = rustix::fs::fstat(document).map_err(unreadable)?;
        let flags = rustix::fs::fcntl_getfl(document).map_err(unreadable)?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        // A worker must not be able to write through what it is given.
        if !is_file || flags.intersection(OFlags::RWMODE) != OFlags::RDONLY {
            return Err(Outcome::Failed(Reason::ReadError));
        }
        match u64::try_from(stat.st_size).unwrap_or(0) {
            0 => Err(Outcome::NoText(Reason::EmptyFile)),
            length if length > self.limits.input_bytes => {
                Err(Outcome::TooLarge(Reason::InputLimit))
            }
            length => Ok(length),
        }
    }

    /// Waits for its turn, then has a worker read a document.
    fn queue_and_read(
        &self,
        (document, length): (BorrowedFd<'_>, u64),
        options: &ReadOptions,
        took: &mut Duration,
    ) -> Result<Extraction, Outcome> {
        let name = options
            .name
            .as_ref()
            .filter(|name| name.len() <= MAX_NAME_BYTES)
            .cloned();
        let nonce = self.nonce.fetch_add(1, Ordering::Relaxed);
        let document_request = DocumentRequest {
            document,
            request: Request {
                nonce,
                length,
                name,
                task: Task::Read,
            },
            members: options.members,
            space: self.space.charged_to(options.queue_key),
        };
        let lane = Lane::of(options.urgency, length);
        let permit = self.acquire_worker(lane, options.queue_key, &options.keep_going)?;
        self.read_with_respawn(&permit, &document_request, took)
    }

    /// Has a worker of this permit read a document, or a fresh one if the first died before it received it; adds the
    /// time that the document spent there.
    fn read_with_respawn(
        &self,
        permit: &WorkerPermit<'_>,
        document_request: &DocumentRequest<'_>,
        took: &mut Duration,
    ) -> Result<Extraction, Outcome> {
        match self.read_on_one_worker(permit, document_request, took) {
            // The worker died between two documents, which is not this one's fault.
            Err(NoAnswer::Unsent) => self.read_on_one_worker(permit, document_request, took),
            answer => answer,
        }
        .map_err(|lost| match lost {
            NoAnswer::Unsent => Outcome::Failed(Reason::NoWorker),
            NoAnswer::With(outcome) => outcome,
        })
    }

    /// Has one worker read a document once, and then returns the worker to the pool, replaces it or reaps it.
    fn read_on_one_worker(
        &self,
        permit: &WorkerPermit<'_>,
        document_request: &DocumentRequest<'_>,
        took: &mut Duration,
    ) -> Result<Extraction, NoAnswer> {
        let mut worker = permit.worker().map_err(NoAnswer::With)?;
        let documents_per_worker = self.limits.documents_per_worker;
        let start = Instant::now();
        let answer = worker.read(document_request, &self.limits);
        *took += start.elapsed();
        match answer {
            Ok((extraction, fit)) => {
                if fit && worker.served() < documents_per_worker {
                    self.check_in(worker);
                } else {
                    debug!(served = worker.served(), "worker replaced");
                    self.retire(worker);
                }
                Ok(extraction)
            }
            Err(WorkerFault::Unsent) => {
                self.retire(worker);
                Err(NoAnswer::Unsent)
            }
            Err(fault) => Err(NoAnswer::With(self.reap(worker, fault))),
        }
    }

    fn is_closed(&self) -> bool {
        self.lock().closed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// Why a worker gave no answer for a document.
enum NoAnswer {
    /// The document never reached a worker.
    Unsent,
    /// It failed with this outcome for the document.
    With(Outcome),
}

#[cfg(test)]
pub(crate) mod tests;
