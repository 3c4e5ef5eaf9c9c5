//! What independent readers say of files: `study/readers.py` asks them, two of it at once.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Settings;
use crate::jsonl::{of_type, parse, text};

/// Copies of the script that run at once.
const SCRIPTS: usize = 2;

/// One file as one reader reads it.
pub(super) struct Reading {
    /// Path of the file.
    pub(super) path: PathBuf,
    /// Its format by its bytes, as the script tells it.
    pub(super) format: String,
    /// Who read it.
    pub(super) reader: String,
    /// Its text; none of a container and where the reader does not open it.
    pub(super) text: Option<String>,
    /// Whether the reader opens it.
    pub(super) opens: bool,
}

/// What all readers say.
pub(super) struct References {
    /// By path; of one file the reference first.
    pub(super) readings: Vec<Reading>,
    /// Libraries and programs that are not installed.
    pub(super) missing: BTreeSet<String>,
}

/// Asks every reader about every file of a listed format; of these formats only, where any is
/// named. Kept answers are taken where they are there.
pub(super) fn read(settings: &Settings, paths: &[PathBuf], only: &[&str]) -> Result<References> {
    let Some(keep) = &settings.keep else {
        return understood(&asked(paths, only)?, paths, only);
    };
    if !keep.exists() {
        fs::write(keep, asked(paths, &[])?).with_context(|| keep.display().to_string())?;
    }
    understood(&fs::read(keep)?, paths, only)
}

/// The lines the scripts print; only that Python is missing, where it is.
fn asked(paths: &[PathBuf], only: &[&str]) -> Result<Vec<u8>> {
    if !is_installed("python3") {
        return Ok(br#"{"type":"missing","tool":"python3"}"#.to_vec());
    }
    thread::scope(|scope| {
        let parts: Vec<_> = (0..SCRIPTS)
            .map(|part| {
                let own: Vec<&Path> = paths
                    .iter()
                    .skip(part)
                    .step_by(SCRIPTS)
                    .map(|p| &**p)
                    .collect();
                scope.spawn(move || script(&own, only, None))
            })
            .collect();
        let mut lines = Vec::new();
        for part in parts {
            let answered = part.join().ok().context("a reading thread ended early")?;
            lines.extend(answered?);
        }
        Ok(lines)
    })
}

/// Runs the script over these files, with the libraries of a folder before those installed.
fn script(paths: &[&Path], only: &[&str], libraries: Option<&Path>) -> Result<Vec<u8>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("study/readers.py");
    let mut python = Command::new("python3");
    if let Some(libraries) = libraries {
        python.env("PYTHONPATH", libraries);
    }
    let mut child = python
        .arg(&script)
        .args(["--only", &only.join(",")])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("python3 does not run")?;
    let (mut input, output) = (
        child.stdin.take().context("no input")?,
        child.stdout.take().context("no output")?,
    );
    let names = paths.iter().map(|path| path.to_string_lossy());
    let names: String = names.map(|name| format!("{name}\n")).collect();
    let mut lines = Vec::new();
    thread::scope(|scope| -> Result<()> {
        // Written beside the reading: neither side waits for the other for ever.
        scope.spawn(move || input.write_all(names.as_bytes()));
        for line in BufReader::new(output).split(b'\n') {
            lines.extend(line?);
            lines.push(b'\n');
        }
        Ok(())
    })?;
    ensure!(child.wait()?.success(), "{} failed", script.display());
    Ok(lines)
}

/// Readings of these files and formats, by path.
fn understood(lines: &[u8], paths: &[PathBuf], only: &[&str]) -> Result<References> {
    let lines = parse(lines)?;
    let missing = of_type(lines.clone(), "missing");
    let missing = missing
        .iter()
        .map(|line| Ok(text(line, "tool")?.to_owned()));
    let wanted: BTreeSet<&Path> = paths.iter().map(|path| &**path).collect();
    let mut readings: Vec<Reading> = of_type(lines, "reading")
        .iter()
        .map(reading)
        .collect::<Result<_>>()?;
    readings.retain(|reading| {
        wanted.contains(&*reading.path)
            && (only.is_empty() || only.contains(&reading.format.as_str()))
    });
    // Stable: the readers of one file stay in their order.
    readings.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(References {
        readings,
        missing: missing.collect::<Result<_>>()?,
    })
}

fn reading(line: &Value) -> Result<Reading> {
    Ok(Reading {
        path: text(line, "path")?.into(),
        format: text(line, "format")?.to_owned(),
        reader: text(line, "reader")?.to_owned(),
        text: line["text"].as_str().map(str::to_owned),
        opens: line["opens"] == true,
    })
}

/// Whether a program lies on the search path.
pub(super) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_library_prints_is_no_answer() -> Result<()> {
        if !is_installed("python3") {
            println!("skipped: no python3 here");
            return Ok(());
        }
        let folder = tempfile::tempdir()?;
        fs::write(
            folder.path().join("xlrd.py"),
            "import os\nprint('*** no CODEPAGE record')\nos.write(1, b'more\\n')\n",
        )?;
        let file = folder.path().join("a.txt");
        fs::write(&file, "some text")?;
        let lines = script(&[&file], &["txt"], Some(folder.path()))?;
        let answers = understood(&lines, std::slice::from_ref(&file), &[])?;
        ensure!(!answers.missing.contains("xlrd"), "it was imported");
        ensure!(answers.readings.len() == 1 && answers.readings[0].opens);
        Ok(())
    }
}
