//! `simdexd verify`: checks everything that a data directory or a report holds, without changing it.
//!
//! Opening a store writes to it (the engine recovers and rewrites its log, and the mark of a clean
//! close is removed), so a data directory is verified on a private copy of its `store/`; texts are
//! read in place. A shared lock is held during verification, so that no daemon starts meanwhile.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;
use simdex_index::integrity::{Verified, VerifyDepth};
use simdex_index::store::{self, StoreError, StoreOptions};

use crate::base::report_files::MANIFEST;
use crate::commands::answer::answer;
use crate::commands::exit;
use crate::error::EngineError;
use simdex_proto::text::counted;

/// What `verify` was asked for.
#[derive(clap::Args)]
pub struct VerifyArgs {
    /// A data directory that no daemon is using, or a report directory.
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Skip the texts: check only the store, the headers of the text blocks, and that each reference leads to a block.
    #[arg(long)]
    pub quick: bool,
    /// Make the temporary copy of the store, on which it is verified, in this directory [default: the system's
    /// directory for temporary files].
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
}

/// Verifies a data directory or a report.
pub fn run(args: &VerifyArgs, program: &Path) -> anyhow::Result<ExitCode> {
    let dir = &args.dir;
    if std::fs::symlink_metadata(dir.join(MANIFEST)).is_ok() {
        let verified = crate::reports::report::verify(dir)?;
        answer(format_args!(
            "the report {} is intact: {} with the right checksum and no others, {} that can be \
             applied; the hash of its manifest is {}",
            dir.display(),
            counted(verified.files, "file"),
            counted(verified.diffs, "difference"),
            verified.manifest
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !dir.join("store").is_dir() {
        anyhow::bail!(
            "{} is neither a data directory (no store/) nor a report (no manifest.json); name one",
            dir.display()
        );
    }
    let (verified, strays) = match data_dir(args, program) {
        Err(error) if error.store_damage().is_some() => {
            let reason = error.store_damage().unwrap_or_default();
            answer(format_args!("{} is damaged: {reason}", dir.display()))?;
            answer(WAY_OUT)?;
            return Ok(ExitCode::from(exit::DAMAGED));
        }
        verified => verified.with_context(|| format!("{} was not verified", dir.display()))?,
    };
    print(dir, args.quick, &verified, &strays)?;
    Ok(match verified.faults.count {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(exit::DAMAGED),
    })
}

/// What to do about damage.
pub(crate) const WAY_OUT: &str = "start the daemon: it reads the files of damaged texts again and sets a damaged \
                       store aside; if it does not, move store/ away, and it rebuilds the index";

/// What was read and found, and what lies in the store but counts for nothing.
fn data_dir(args: &VerifyArgs, program: &Path) -> Result<(Verified, Vec<PathBuf>), EngineError> {
    let locked = |error| match error {
        StoreError::Locked { .. } => EngineError::Locked(args.dir.clone()),
        other => EngineError::Index(other.into()),
    };
    let scratch = args.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let no_scratch = |source| EngineError::Scratch {
        path: scratch.clone(),
        source,
    };
    let temporary = tempfile::Builder::new()
        .prefix("simdex-verify-")
        .tempdir_in(&scratch)
        .map_err(no_scratch)?;
    let copy = temporary.path().join("store");
    let original = args.dir.join("store");
    // Held to the end: the texts are read in place.
    let _observed = store::copy_aside(&original, &copy).map_err(locked)?;
    let mut probe = Command::new(program);
    probe.arg("probe-store").arg(&copy);
    let limit = store::probe_time_limit(&copy);
    let opened =
        store::open_examined(&copy, StoreOptions::VERIFICATION, probe, limit).map_err(locked)?;
    let depth = match args.quick {
        true => VerifyDepth::Heads,
        false => VerifyDepth::Everything,
    };
    let texts = args.dir.join("text");
    let mut verified = simdex_index::integrity::verify(&opened, &texts, depth)?;
    let records = opened.records_folder();
    for path in store::damaged_settings(&original, &records).map_err(locked)? {
        let named = path.strip_prefix(&args.dir).unwrap_or(&path).display();
        let fault = format!("{named} is damaged; the next start of the daemon repairs it");
        verified.faults.tell(&fault);
    }
    if verified.records > 0 && store::witness_is_damaged(&original).map_err(locked)? {
        let fault = "store/COMMITTED is missing or damaged: whether the last changes were lost is \
                     not known; the next start of the daemon reads again what is missing";
        verified.faults.tell(fault);
    }
    let strays = store::strays(&original, &records, &verified.runs).map_err(locked)?;
    Ok((verified, strays))
}

fn print(dir: &Path, quick: bool, verified: &Verified, strays: &[PathBuf]) -> io::Result<()> {
    let Verified {
        records,
        postings,
        blocks,
        texts,
        text_bytes,
        dead_blocks,
        runs: _,
        faults,
    } = verified;
    let strays = strays
        .iter()
        .map(|stray| stray.strip_prefix(dir).unwrap_or(stray));
    let dir = dir.display();
    let read = match quick {
        true => "each of which has a block; no text was read (--quick)".to_owned(),
        false => format!("{text_bytes} bytes, all of which belong to their documents"),
    };
    if faults.count == 0 {
        answer(format_args!(
            "{dir} is intact: {}, {}, {}, {}, {read}",
            counted(*records, "record"),
            counted(*postings, "posting block"),
            counted(*blocks, "text block"),
            counted(*texts, "text"),
        ))?;
    } else {
        let count = counted(faults.count, "fault");
        answer(format_args!("{dir} is damaged: {count}"))?;
        for fault in &faults.messages {
            answer(format_args!("  {fault}"))?;
        }
        let unlisted = faults.count - faults.messages.len() as u64;
        if unlisted > 0 {
            answer(format_args!("  and {unlisted} more"))?;
        }
        answer(WAY_OUT)?;
    }
    if *dead_blocks > 0 {
        let blocks = counted(*dead_blocks, "unused text block");
        answer(format_args!("damaged, and harmless: {blocks}"))?;
    }
    for stray in strays {
        answer(format_args!(
            "{} is not in use: the next start of the daemon removes it, or sets it aside if it \
             may be records",
            stray.display()
        ))?;
    }
    Ok(())
}
