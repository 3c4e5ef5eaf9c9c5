//! `calibrate`: how coarsely documents of each size may be sampled. On request, writes the evidence as a page and
//! applies the setting.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use simdex_client::lines::{Calibration, date};
use simdex_client::wire::{CalibrateReply, SamplingGroup, SizeGroup};
use simdex_client::{Error, path_bytes};

use crate::cli::CalibrateArgs;
use crate::commands::{Session, sampling};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::text::UNKNOWN;
use crate::output::{CalibrationPage, eprint_line};
use crate::progress::waiting;

pub(super) async fn run(session: &mut Session, args: &CalibrateArgs) -> Result<Outcome, Failure> {
    // Fail before the long work rather than after it.
    if let Some(page) = &args.report {
        check_place(page).map_err(|source| unwritable(page, source))?;
    }
    if args.apply && !args.yes {
        sampling::require_somebody()?;
    }
    session.apply_completeness_flags(&args.completeness).await?;
    let roots = session.root_ids(&args.roots).await?;
    let (precision, threshold) = (args.precision, args.threshold.value);
    let measuring = session.client.calibrate(precision, threshold, roots);
    let reply = waiting("measuring", measuring).await?;
    let is_json = session.printer.is_json();
    if is_json {
        session.printer.line(&Calibration::from(&reply))?;
    } else {
        session.printer.calibration(&reply, args.roots.is_empty())?;
    }
    if let Some(page) = &args.report {
        // The answer is not lost if the page cannot be written.
        session.printer.flush()?;
        write_page(page, &reply, &args.roots).map_err(|source| unwritable(page, source))?;
        if !is_json {
            eprint_line(format!("the evidence is in {}", page.display()));
        }
    }
    session.warn_if_incomplete(reply.completeness.as_ref());
    match args.apply {
        true => apply(session, &reply, args.yes).await,
        false => Ok(Outcome::Answered),
    }
}

/// Samples all documents as recommended.
async fn apply(
    session: &mut Session,
    reply: &CalibrateReply,
    is_confirmed: bool,
) -> Result<Outcome, Failure> {
    if !is_confirmed {
        session.printer.flush()?;
        sampling::ask("have all documents sampled as recommended, which signs them again?").await?;
    }
    let group = |group: &SizeGroup| SamplingGroup {
        from_bytes: group.from_bytes,
        n: group.n,
    };
    sampling::choose(session, Some(reply.groups.iter().map(group).collect())).await
}

/// Fails where a page cannot be written: its name is taken, or its folder does not exist.
fn check_place(page: &Path) -> io::Result<()> {
    if page.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    match page.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.metadata()?.is_dir() => {
            Err(io::ErrorKind::NotADirectory.into())
        }
        _ => Ok(()),
    }
}

/// Writes the page; never overwrites a file.
fn write_page(path: &Path, reply: &CalibrateReply, roots: &[PathBuf]) -> io::Result<()> {
    let roots: Vec<Vec<u8>> = roots.iter().map(|root| path_bytes(root)).collect();
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since.ok().and_then(|since| since.as_secs().try_into().ok());
    let at = date(now);
    let page = CalibrationPage {
        reply,
        roots: &roots,
        at: at.as_deref().unwrap_or(UNKNOWN),
    };
    let mut out = BufWriter::new(File::create_new(path)?);
    page.write(&mut out)?;
    out.flush()
}

fn unwritable(path: &Path, source: io::Error) -> Error {
    Error::Unwritable {
        path: path.to_owned(),
        source,
    }
}
