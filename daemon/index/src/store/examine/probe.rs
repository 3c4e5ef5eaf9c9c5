//! The probe: opens a store and reads all of it, in a child process that may hang or die instead of the daemon.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use crate::store::short_memory::{CACHE_BYTES, memory_was_short};
use crate::store::{SledStore, StoreError, StoreOptions};

/// Exit codes of the probe, read by [`crate::store::open_checked`]. From `sysexits.h` where one fits.
pub(in crate::store) mod exit {
    pub(in crate::store) const SOUND: u8 = 0;
    /// A code that nothing else exits with: because of it a store is given up.
    pub(in crate::store) const DAMAGED: u8 = 65;
    pub(in crate::store) const UNKNOWN: u8 = 74;
    pub(in crate::store) const LOCKED: u8 = 75;
}

/// The stack of the thread that probes.
const STACK_BYTES: usize = 8 << 20;

/// What the probe writes to standard output before it opens the store.
pub(in crate::store) const BEGUN: &str = "probe-has-begun";
/// What it writes before it reads something other than the records, and before it continues with them: a crash or a
/// hang shows nothing else.
const READS: &str = "probe-reads ";

/// The part of a store that the probe is reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Part {
    Records,
    /// A run of postings, by number.
    Run(u32),
}

impl Part {
    /// Writes this to standard output.
    fn tell(self) {
        let number = match self {
            Self::Records => 0,
            Self::Run(number) => number,
        };
        // A parent that does not read it mistakes damage to a run for damage to the store.
        let _ = writeln!(std::io::stdout(), "{READS}{number}");
    }

    /// The part that a probe with this output was reading last.
    pub(in crate::store) fn last_begun(stdout: &str) -> Self {
        let number = |line: &str| line.strip_prefix(READS)?.parse().ok();
        match stdout.lines().rev().find_map(number) {
            Some(run @ 1..) => Self::Run(run),
            _ => Self::Records,
        }
    }
}

/// What a probe found.
#[derive(Debug)]
pub enum ProbeResult {
    /// Every value was read and matches its checksum.
    Sound {
        /// Number of records that were read.
        records: u64,
        /// Number of posting blocks that were read, of all runs.
        postings: u64,
    },
    /// The store cannot be opened or holds a corrupt value.
    Damaged {
        /// What is wrong with it, as a clause without a full stop.
        reason: String,
    },
    /// The store could not be examined: it is locked or its files cannot be read.
    Unknown(StoreError),
}

/// Opens the store in `dir`, verifies every value and closes it cleanly. On a damaged store this
/// may never return: run it in a child process under a time limit.
pub fn probe(dir: &Path) -> ProbeResult {
    match examine(dir) {
        Ok((records, postings)) => ProbeResult::Sound { records, postings },
        // sled may panic in any way if one of its allocations was refused.
        Err(error @ StoreError::Damaged { .. }) if memory_was_short() => {
            ProbeResult::Unknown(error.for_want_of_memory())
        }
        Err(error @ (StoreError::Damaged { .. } | StoreError::Corrupt { .. })) => {
            ProbeResult::Damaged {
                reason: error.to_string(),
            }
        }
        Err(error) => ProbeResult::Unknown(error),
    }
}

fn examine(dir: &Path) -> Result<(u64, u64), StoreError> {
    let options = StoreOptions {
        cache_bytes: CACHE_BYTES,
    };
    let about_run = |number| Part::Run(number).tell();
    let store = SledStore::open_telling(dir, options, &about_run)?;
    Part::Records.tell();
    let records = store.verify_records()?;
    let postings = store.verify_runs(&about_run)?;
    Part::Records.tell();
    store.close()?;
    Ok((records, postings))
}

/// The body of the child process: probes `dir`, writes to standard error what is wrong and returns the exit code: 0
/// sound, 65 damaged, 75 locked, 74 unknown.
pub fn probe_main(dir: &Path) -> ExitCode {
    // A daemon that is killed must not leave a probe behind that keeps the lock from the next one.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    ExitCode::from(probe_code(dir))
}

pub(in crate::store) fn probe_code(dir: &Path) -> u8 {
    let path = dir.to_owned();
    // The stack of a thread is allocated at its beginning; that of the main thread grows, and if memory is short the
    // process would end as if it had crashed.
    let probing = std::thread::Builder::new()
        .name("probe".into())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            // A parent that does not read it never mistakes a crash for damage.
            let _ = writeln!(std::io::stdout(), "{BEGUN}");
            probe(&path)
        });
    let verdict = match probing.map(std::thread::JoinHandle::join) {
        Ok(Ok(verdict)) => verdict,
        Ok(Err(_)) => ProbeResult::Unknown(StoreError::Internal("the probe panicked".to_owned())),
        Err(error) => ProbeResult::Unknown(StoreError::io("start a thread for", dir)(error)),
    };
    let (code, message) = match verdict {
        ProbeResult::Sound { .. } => return exit::SOUND,
        ProbeResult::Damaged { reason } => (exit::DAMAGED, reason),
        // The parent reports this in its own words.
        ProbeResult::Unknown(StoreError::Locked { .. }) => return exit::LOCKED,
        ProbeResult::Unknown(error) => (exit::UNKNOWN, with_cause(&error)),
    };
    // Nobody to tell if standard error is closed; the exit code says enough.
    let _ = writeln!(std::io::stderr(), "{message}");
    code
}

fn with_cause(error: &StoreError) -> String {
    use std::error::Error as _;
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
