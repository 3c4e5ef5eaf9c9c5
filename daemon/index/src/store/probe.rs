//! The probe: opens a store and reads all of it, in a child process that may hang or die in place
//! of the daemon.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use super::{Options, SledStore, StoreError};

/// Exit codes of the probe, read by [`super::open_checked`]. From `sysexits.h` where one fits.
pub(super) mod exit {
    pub(in super::super) const SOUND: u8 = 0;
    pub(in super::super) const DAMAGED: u8 = 1;
    pub(in super::super) const IO: u8 = 74;
    pub(in super::super) const LOCKED: u8 = 75;
}

/// The probe reads each page once, so a large cache would not help it.
const CACHE_BYTES: u64 = 64 << 20;

/// What a probe found.
#[derive(Debug)]
pub enum ProbeVerdict {
    /// Every value was read and matches its checksum.
    Sound {
        /// Number of records.
        records: u64,
        /// Number of posting blocks.
        postings: u64,
    },
    /// The store cannot be opened or holds a corrupt value.
    Damaged {
        /// What was found.
        reason: String,
    },
    /// The store could not be examined: it is locked or its files cannot be read.
    Unknown(StoreError),
}

/// Opens the store in `dir`, verifies every value and closes it cleanly. On a damaged store this
/// may never return: run it in a child process under a time limit.
pub fn probe(dir: &Path) -> ProbeVerdict {
    match examine(dir) {
        Ok((records, postings)) => ProbeVerdict::Sound { records, postings },
        Err(error @ (StoreError::Damaged { .. } | StoreError::Corrupt { .. })) => {
            ProbeVerdict::Damaged {
                reason: error.to_string(),
            }
        }
        Err(error) => ProbeVerdict::Unknown(error),
    }
}

fn examine(dir: &Path) -> Result<(u64, u64), StoreError> {
    let store = SledStore::open(
        dir,
        Options {
            cache_bytes: CACHE_BYTES,
        },
    )?;
    let counts = store.verify()?;
    store.close()?;
    Ok(counts)
}

/// The body of the child process: probes `dir`, says on standard error what is wrong and returns
/// the exit code: 0 sound, 1 damaged, 75 locked, 74 anything else.
pub fn probe_main(dir: &Path) -> ExitCode {
    // A daemon that is killed must not leave a probe behind that keeps the lock from the next one.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let (code, message) = match probe(dir) {
        ProbeVerdict::Sound { .. } => return ExitCode::from(exit::SOUND),
        ProbeVerdict::Damaged { reason } => (exit::DAMAGED, reason),
        // Whoever started the probe says so in its own words.
        ProbeVerdict::Unknown(StoreError::Locked { .. }) => return ExitCode::from(exit::LOCKED),
        ProbeVerdict::Unknown(error) => (exit::IO, error.to_string()),
    };
    // Nobody to tell if standard error is closed; the exit code says enough.
    let _ = writeln!(std::io::stderr(), "probe of {}: {message}", dir.display());
    ExitCode::from(code)
}
