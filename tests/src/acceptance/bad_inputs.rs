//! Bad inputs: whatever is in a share, each file gets the state that FORMAT.md states, the daemon continues,
//! and the files beside it are read.

mod archives;
mod bed;
mod contract;
mod files;
mod lively;
mod mail;
mod markup;
mod neighbours;
mod pdfs;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use serde_json::Value;

use self::bed::{Bed, Made};
use self::contract::Row;
use self::files::{Deep, LINKED};
use self::neighbours::{Memory, Neighbours};
use crate::figure::Figures;
use crate::jsonl::text;
use crate::sandbox::{Daemon, Sandbox};

/// What a worker may take here; small enough that inputs of a few hundred megabytes reach it.
const MEMORY_MIB: u64 = 1024;
/// The limits FORMAT.md names beside its table.
const CONFIG: &str = "[watch]\ndebounce_ms = 50\n[extract]\nmemory_mib = 1024\ncpu_seconds = 10\n\
     wall_seconds = 30\ninput_mib = 3072\ntext_mib = 8\nraw_mib = 1\ncontainer_mib = 128\ncontainer_entry_mib = 32\ncontainer_entries = 2000\n";
/// Below the share.
const FOLDER: &str = "bad";
/// Beside the share: the neighbours'.
const OTHER_ROOT: &str = "good";
const SECRET: &str = "the secret that lies beside the share says that nobody may ever find these \
     very words in the index whatever link or entity names the file they are written in";

pub(super) fn run(figures: &mut Figures<'_>) -> Result<()> {
    let rows = contract::rows()?;
    contract::named_tests_exist(&rows)?;
    let alone = Neighbours::alone()?;
    let sandbox = Sandbox::new()?;
    let mut bed = laid_out(&sandbox)?;
    let daemon = neighbours::served(&sandbox)?;
    let memory = Memory::watch(daemon.id());
    let folder = sandbox.share().join(FOLDER);
    let _deep = Deep::within(&bed.folder)?;
    fs::rename(&bed.folder, &folder)?;
    let linked = sandbox.beside(OTHER_ROOT).join(LINKED);
    fs::hard_link(folder.join(LINKED), &linked)?;
    bed.member(12, "hard link into another root", linked);
    let truncating = lively::Truncating::begin(&folder)?;
    let beside = Neighbours::among(&sandbox, &daemon)?;
    daemon.sync()?;
    lively::until_caught(&folder, &daemon)?;
    let early = bed.made.iter().filter(|made| !made.is_late());
    let mut wrong = compare(&folder, &daemon, &rows, early)?;
    drop(truncating);
    lively::rewrite(&folder, &daemon)?;
    lively::strike(&folder, &daemon)?;
    let late = bed.made.iter().filter(|made| made.is_late());
    wrong.extend(compare(&folder, &daemon, &rows, late)?);
    wrong.extend(unmade(&bed, &rows, figures)?);
    let peak = memory.peak_mib();
    let limit = format!("at most {MEMORY_MIB}");
    figures.against("peak memory of a worker", peak, "MiB", &limit)?;
    beside.against(&alone, figures)?;
    let listed = wrong.join("\n");
    ensure!(wrong.is_empty(), "{} differ:\n{listed}", wrong.len());
    ensure!(
        0.0 < peak && peak <= MEMORY_MIB as f64,
        "a worker took {peak} MiB, or none was seen"
    );
    beside.all_indexed(&sandbox, &daemon)?;
    nothing_leaked(&sandbox, &daemon)?;
    let status = daemon.stop()?;
    ensure!(status.success(), "the daemon ended with {status}");
    Ok(())
}

/// All inputs, still outside the share.
fn laid_out(sandbox: &Sandbox) -> Result<Bed> {
    let secret = sandbox.beside("secret.txt");
    fs::write(&secret, SECRET)?;
    let mut bed = Bed::new(sandbox.beside(FOLDER), secret)?;
    for make in [
        files::make,
        pdfs::make,
        archives::make,
        markup::make,
        mail::make,
        lively::make,
    ] {
        make(&mut bed)?;
    }
    Ok(bed)
}

/// Where inputs ended, against the table; what differs, a line each.
fn compare<'a>(
    folder: &Path,
    daemon: &Daemon,
    rows: &[Row],
    all: impl Iterator<Item = &'a Made>,
) -> Result<Vec<String>> {
    let ends = ends(daemon, None)?;
    let mut wrong = Vec::new();
    for made in all {
        let found = ends.get(&folder.join(&made.path));
        let found = found.cloned().unwrap_or_default();
        let row = rows.iter().find(|row| row.is(made.number, made.input));
        let at = format!("{} {} ({})", made.number, made.input, made.path.display());
        match row {
            None => wrong.push(format!("no row for {at}: {} {}", found.0, found.1)),
            Some(row) if !row.allows(&found) => {
                wrong.push(format!("{at}: {} {}, not {row}", found.0, found.1));
            }
            Some(_) => {}
        }
    }
    Ok(wrong)
}

/// Rows that are to be made here and that nobody makes.
fn unmade(bed: &Bed, rows: &[Row], figures: &mut Figures<'_>) -> Result<Vec<String>> {
    let made = bed.made.iter().map(|made| (made.number, made.input));
    let made: Vec<_> = made.chain(bed.not_made.iter().copied()).collect();
    let is_made = |row: &&Row| made.iter().any(|(number, input)| row.is(*number, input));
    for (number, input) in &bed.not_made {
        figures.put(&format!("not made here: {number} {input}"), 1.0, "")?;
    }
    figures.put("inputs", bed.made.len() as f64, "files")?;
    figures.put("rows", rows.len() as f64, "")?;
    let here = rows.iter().filter(|row| row.test.is_none());
    Ok(here
        .filter(|row| !is_made(row))
        .map(|row| format!("nobody makes {row}"))
        .collect())
}

/// State and reason of every file, below one root or all, by path.
fn ends(daemon: &Daemon, root: Option<&Path>) -> Result<HashMap<PathBuf, (String, String)>> {
    let root = root.map(|root| ["--root".as_ref(), root.as_os_str()]);
    let args = ["files".as_ref()]
        .into_iter()
        .chain(root.into_iter().flatten());
    let answer = daemon.simctl(args)?.ended_with(&[0, 1])?;
    let files = answer.lines_of("file")?;
    let end = |file: &Value| -> Result<_> {
        let reason = file["reason"].as_str().unwrap_or("-");
        Ok((
            path_of(file)?,
            (text(file, "state")?.to_owned(), reason.to_owned()),
        ))
    };
    files.iter().map(end).collect()
}

fn path_of(file: &Value) -> Result<PathBuf> {
    let Some(encoded) = file["path_bytes"].as_str() else {
        return Ok(text(file, "path")?.into());
    };
    let bytes = base64::engine::general_purpose::STANDARD.decode(encoded)?;
    Ok(OsString::from_vec(bytes).into())
}

/// Nothing was written outside, and nothing outside was read.
fn nothing_leaked(sandbox: &Sandbox, daemon: &Daemon) -> Result<()> {
    let asked = daemon.simctl_reading(SECRET, ["find-similar", "-"])?;
    let found = asked.ended_with(&[0, 1])?.lines_of("match")?;
    ensure!(found.is_empty(), "the secret was read: {found:?}");
    ensure!(daemon.simctl(["status"])?.success().is_ok(), "no status");
    let written = fs::read_dir(sandbox.beside("")).context("the sandbox")?;
    for entry in written {
        let name = entry?.file_name();
        if name.as_bytes().starts_with(b"49-") {
            bail!("{} was unpacked", Path::new(&name).display());
        }
    }
    Ok(())
}
