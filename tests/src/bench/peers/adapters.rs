//! Other programs, each measured by its adapter in `tests/python/peers.py`, in a process of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::measured::{Answers, Found, IndexCost, Measured, Pairs};

/// The adapters by name.
pub(super) const PEERS: [&str; 6] = [
    "sourmash",
    "DuckDB",
    "datasketch LSH",
    "datasketch Ensemble",
    "rensa",
    "gaoya",
];

/// Measures a program on so many postings of the documents in a folder; says why where it is not installed.
pub(super) fn measure(
    name: &str,
    folder: &Path,
    postings: u64,
) -> anyhow::Result<Result<Measured, String>> {
    let mut command = python("peers.py");
    command.arg(folder).arg(name).stderr(Stdio::inherit());
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return Ok(Err(format!("{name} was not measured: no Python, {error}"))),
    };
    ensure!(
        output.status.success(),
        "{name} could not be measured: {}",
        output.status
    );
    let measured: Value = serde_json::from_slice(&output.stdout)?;
    if let Some(missing) = measured["missing"].as_str() {
        return Ok(Err(format!("{name} was not measured: no {missing}")));
    }
    parse(name, &measured, postings as f64).map(Ok)
}

/// A script of `tests/python`, to be run by the Python in `PYTHON`.
pub(in super::super) fn python(script: &str) -> Command {
    let scripts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("python");
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    command.arg(scripts.join(script));
    command
}

fn parse(name: &str, of: &Value, postings: f64) -> anyhow::Result<Measured> {
    let deleted = &of["deleted"];
    ensure!(
        deleted.is_null() || deleted["found"] == 0,
        "{name} finds documents that it deleted: {}",
        deleted["found"]
    );
    Ok(Measured {
        name: format!("{name} {}", of["version"].as_str().unwrap_or_default()),
        index: IndexCost {
            build: [number(&of["build"])?, number(&of["build_processor"])?],
            postings,
            disk: of["disk"].as_f64(),
            memory: Some(number(&of["memory"])? / 1e6),
            delete: deleted["seconds"].as_f64(),
        },
        answers: [answers(&of["similar"])?, answers(&of["containing"])?],
        pairs: pairs(&of["pairs"])?,
        pairs_of_families: pairs(&of["pairs_of_families"])?,
    })
}

fn pairs(of: &Value) -> anyhow::Result<Option<Pairs>> {
    let pairs = (!of.is_null()).then(|| {
        anyhow::Ok(Pairs {
            seconds: [number(&of["seconds"])?, number(&of["processor"])?],
            count: number(&of["pairs"])?,
            found: found(&of["found"])?,
        })
    });
    pairs.transpose()
}

fn answers(of: &Value) -> anyhow::Result<Answers> {
    let times = list(&of["seconds"])?.iter().map(number);
    Ok(Answers {
        times: times
            .map(|seconds| seconds.map(Duration::from_secs_f64))
            .collect::<anyhow::Result<_>>()?,
        processor: number(&of["processor"])?,
        found: found(&of["found"])?,
    })
}

fn found(of: &Value) -> anyhow::Result<Found> {
    let documents = |of: &Value| -> anyhow::Result<BTreeSet<u64>> {
        let numbers = list(of)?.iter().map(Value::as_u64);
        numbers
            .collect::<Option<_>>()
            .context("not a list of documents")
    };
    list(of)?.iter().map(documents).collect()
}

fn list(of: &Value) -> anyhow::Result<&Vec<Value>> {
    of.as_array().context("not a list")
}

fn number(of: &Value) -> anyhow::Result<f64> {
    of.as_f64().context("not a number")
}
