//! The host of extraction: worker processes that can be killed, and the rules between them and the
//! daemon. It holds no parser.
//!
//! Documents are hostile: a parser may loop, overflow its stack, eat all memory or be taken over.
//! So the daemon never parses. It takes a private copy of a file and hands its descriptor to a worker (the same binary,
//! started again). The worker holds one socket (its stdin), the descriptor of the document being read, no environment,
//! and no right to open anything else ([`Pool::sandbox`] tells what the kernel enforces). A worker answers with text or
//! with a [`Reason`]; whatever else it does costs that one document and that one process.
//!
//! | side | modules |
//! |---|---|
//! | daemon | [`Pool`] → `process` (one child) → `protocol` |
//! | worker | [`worker_main`] → `sandbox`, then one [`ReadJob`] per document |
//!
//! The program passes the function that reads a document to [`worker_main`]: the readers are in a crate above this one,
//! and the daemon's library depends only on this one.

mod budget;
mod crash_journal;
mod deadline_reader;
mod document_request;
mod extension;
mod external_tools;
mod fact;
mod keep_going;
mod member;
mod member_bytes;
mod member_spool;
mod outcome;
mod pool;
mod private_bytes;
mod process;
mod protocol;
mod queue_key;
mod reader;
mod resident;
mod sandbox;
mod snapshot;
mod spool_budget;
mod worker;

use std::time::Duration;

pub use budget::Budgets;
pub use crash_journal::{CrashJournal, JournalEntry, NotTried, WaitPolicy};
pub use extension::mismatched_extension;
pub use external_tools::{ExternalToolLimits, ExternalTools, external_tool_main};
pub use fact::{Fact, Facts};
pub use keep_going::KeepGoing;
pub use member::{Member, MemberHead, MemberOut, Role};
pub use member_bytes::MemberBytes;
pub use member_spool::MemberPolicy;
pub use outcome::{ExtractedText, Extraction, Outcome};
pub use pool::{JournaledRead, Pool};
pub use private_bytes::PrivateFile;
pub use process::{WorkerCommand, group_of, kill_group};
pub use protocol::Task;
pub use queue_key::{QueueKey, Urgency};
pub use reader::{EXTRACTOR_VERSION, Reader};
pub use resident::ResidentMemory;
pub use sandbox::SandboxReport;
pub use simdex_codes::Reason;
pub use snapshot::{Snapshot, SnapshotError};
pub use spool_budget::SpoolBudget;
pub use worker::{ReadJob, Readers, worker_main};

/// Limits of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Virtual memory of a worker, in bytes.
    pub address_space: u64,
    /// CPU time of one document, rounded up to whole seconds.
    pub cpu: Duration,
    /// Wall clock time of one document.
    pub wall: Duration,
    /// Text of one document, in bytes of UTF-8; longer text is cut.
    pub output_bytes: u64,
    /// Longest file that is read at all, in bytes.
    pub input_bytes: u64,
    /// Documents a worker reads before it is replaced.
    pub documents_per_worker: u32,
    /// Bounds of the structure of one document.
    pub budgets: Budgets,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            address_space: 2 << 30,
            cpu: Duration::from_secs(30),
            wall: Duration::from_secs(60),
            output_bytes: 64 << 20,
            input_bytes: 1 << 30,
            documents_per_worker: 500,
            budgets: Budgets::default(),
        }
    }
}

/// How a document is to be read: its file name, and how it is queued.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The file name that its container gives it. It only distinguishes kinds of text (`.md`, `.csv`); otherwise the
    /// content decides.
    pub name: Option<String>,
    /// How soon the caller needs the answer.
    pub urgency: Urgency,
    /// The root and folder, or the user, that it counts against in the queue.
    pub queue_key: QueueKey,
    /// Whether the files inside are kept or discarded.
    pub members: MemberPolicy,
    /// Tells whether somebody still waits for it: called while it waits for a worker, and while programs read it.
    pub keep_going: KeepGoing,
}
