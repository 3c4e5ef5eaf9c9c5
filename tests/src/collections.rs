//! Two commands over files: make a collection of near-duplicates, and compare pairs that were found with a list.
//!
//! `study collection` writes `documents/`, `log.jsonl` (what was done to which file, with every parameter) and
//! `pairs.tsv`, the pairs that are true by the way they were made; `study evaluate` takes such lists.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand};

use crate::evaluation::{Agreement, Pairs, adjusted_rand};
use crate::figure::Figures;
use crate::near_duplicates::{Collection, Document, chains};

/// What is done with files.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Makes a collection of near-duplicates from documents, with a log of what was done to each
    Collection(Making),
    /// Holds pairs that were found against a list: five counts, precision, recall, F1, and every disagreement
    Evaluate(Evaluating),
}

/// Of what a collection is made.
#[derive(Debug, Args)]
pub struct Making {
    /// The folder of documents, each a file of text
    #[arg(long, value_name = "DIR")]
    originals: PathBuf,
    /// A chain of operations a line, such as: delete 10; replace 0.5 [default: each operation, light and heavy]
    #[arg(long, value_name = "FILE")]
    chains: Option<PathBuf>,
    /// What all choices follow from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Where the collection is written: a folder that is not there yet, or an empty one
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// What is held against what.
#[derive(Debug, Args)]
pub struct Evaluating {
    /// The list: two names parted by a tab, a pair a line
    #[arg(long, value_name = "FILE")]
    list: PathBuf,
    /// The pairs that were found, written likewise
    #[arg(long, value_name = "FILE")]
    found: PathBuf,
    /// The documents, which names are paths below
    #[arg(long, value_name = "DIR")]
    documents: PathBuf,
}

/// Does what is asked for.
///
/// # Errors
/// Files that cannot be read or written, chains and lists that are none, and pairs of unknown documents.
pub fn run(command: &Command, figures: &mut Figures<'_>) -> Result<()> {
    match command {
        Command::Collection(making) => make(making, figures),
        Command::Evaluate(evaluating) => evaluate(evaluating, figures),
    }
}

fn make(making: &Making, figures: &mut Figures<'_>) -> Result<()> {
    let chains = match &making.chains {
        Some(file) => chains::parse(&read(file)?).with_context(|| file.display().to_string())?,
        None => chains::parse(chains::USUAL)?,
    };
    let mut originals = Vec::new();
    for name in names(&making.originals)? {
        let text = read(&making.originals.join(&name))?;
        originals.push(Document { name, text });
    }
    ensure!(
        !originals.is_empty(),
        "no document in {}; name a folder of texts",
        making.originals.display()
    );
    let out = &making.out;
    if fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty; name another folder", out.display());
    }
    check_names(&originals, chains.len())?;
    let made = Collection::generate(&originals, &chains, making.seed);
    for document in &made.documents {
        write(&out.join("documents").join(&document.name), &document.text)?;
    }
    let log: String = made
        .log
        .iter()
        .map(|entry| format!("{}\n", entry.json()))
        .collect();
    write(&out.join("log.jsonl"), &log)?;
    let pairs = Pairs::new(made.pairs());
    let list: String = pairs.iter().map(|(a, b)| format!("{a}\t{b}\n")).collect();
    write(&out.join("pairs.tsv"), &list)?;
    figures.put("originals", originals.len() as f64, "")?;
    figures.put("documents", made.documents.len() as f64, "")?;
    Ok(figures.put("pairs", pairs.len() as f64, "")?)
}

/// Fails if an original, or a folder of originals, has the name that a copy would have.
fn check_names(originals: &[Document], chains: usize) -> Result<()> {
    let names = originals.iter().map(|original| Path::new(&original.name));
    let taken: BTreeSet<&Path> = names.flat_map(Path::ancestors).collect();
    for original in originals {
        let copies = (1..=chains).map(|chain| Collection::name_of_copy(&original.name, chain));
        for copy in copies {
            ensure!(
                !taken.contains(Path::new(&copy)),
                "{copy} is an original, and a copy of {} would have this name; rename one of them",
                original.name
            );
        }
    }
    Ok(())
}

fn evaluate(evaluating: &Evaluating, figures: &mut Figures<'_>) -> Result<()> {
    let known: BTreeSet<String> = names(&evaluating.documents)?.into_iter().collect();
    let pairs = |file: &Path| {
        Pairs::parse(&read(file)?, &known).with_context(|| file.display().to_string())
    };
    let (list, found) = (pairs(&evaluating.list)?, pairs(&evaluating.found)?);
    let agreement = Agreement::of(&list, &found);
    let names = ["list", "found", "list alone", "found alone", "common"];
    for (name, count) in names.into_iter().zip(agreement.counts()) {
        figures.put(name, count as f64, "")?;
    }
    let measures = [
        ("precision", agreement.precision()),
        ("recall", agreement.recall()),
        ("F1", agreement.f1()),
    ];
    for (name, value) in measures {
        match value {
            Some(value) => figures.put(name, value, "")?,
            None => figures.note(&format!("{name}: no pair to tell it from"))?,
        }
    }
    let index = adjusted_rand(&list.groups(&known), &found.groups(&known))?;
    figures.put("adjusted Rand index", index, "")?;
    for (kind, pairs) in [("missed", &agreement.missed), ("extra", &agreement.extra)] {
        for (a, b) in pairs {
            figures.note(&format!("{kind}\t{a}\t{b}"))?;
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write(file: &Path, text: &str) -> Result<()> {
    let name = || file.display().to_string();
    fs::create_dir_all(file.parent().unwrap_or(file)).with_context(name)?;
    let mut out = fs::File::create_new(file).with_context(name)?;
    out.write_all(text.as_bytes()).with_context(name)
}

/// The files of a folder and all folders below it, as paths from it, in order.
fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        let entries = fs::read_dir(&at).with_context(|| at.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(below) = path.strip_prefix(folder) {
                names.push(name_in_lists(below)?);
            }
        }
    }
    names.sort();
    Ok(names)
}

/// A path as lists name it.
///
/// # Errors
/// A name that a line of a list cannot hold: not of UTF-8, or with a tab or a line break.
fn name_in_lists(path: &Path) -> Result<String> {
    let name = path.to_str().filter(|name| {
        let parts = ['\t', '\n', '\r'];
        !name.contains(parts)
    });
    let name = name.with_context(|| {
        format!("{path:?} cannot be named in a list of pairs; rename it, without tabs and line breaks and in UTF-8")
    })?;
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests;
