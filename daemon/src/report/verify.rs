//! Checking a report: every file as the manifest says, every diff applies.
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use super::lines::DiffLine;
use super::stage::FileEntry;
use crate::difference::{ApplyError, apply};

/// What was found in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Files equal to their checksums.
    pub files: u64,
    /// Diffs that give the member's text from the principal's.
    pub diffs: u64,
}

/// What is wrong with a report.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The manifest, or a line of `diffs.jsonl`, is malformed.
    #[error("{} is malformed: {source}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
    /// A name leads out of the report.
    #[error("{name:?} is no file of this report")]
    Name {
        /// The name.
        name: String,
    },
    /// A file was changed after the report was written.
    #[error("{} differs from its checksum", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A diff does not apply to the principal's text.
    #[error("{} does not apply: {source}", path.display())]
    Diff {
        /// The diff.
        path: PathBuf,
        /// The cause.
        source: ApplyError,
    },
    /// A diff applies and gives another text than the member's.
    #[error("{} gives another text than the member's", path.display())]
    Result {
        /// The diff.
        path: PathBuf,
    },
}

/// Checks a report made by [`super::write`].
///
/// # Errors
/// The first thing found wrong.
pub fn verify(report: &Path) -> Result<Verified, VerifyError> {
    #[derive(Deserialize)]
    struct Manifest {
        files: Vec<FileEntry>,
    }
    let path = report.join("manifest.json");
    let text = read(&path)?;
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|source| VerifyError::Malformed { path, source })?;
    for entry in &manifest.files {
        checksum(report, entry)?;
    }
    Ok(Verified {
        files: manifest.files.len() as u64,
        diffs: diffs(report)?,
    })
}

fn checksum(report: &Path, entry: &FileEntry) -> Result<(), VerifyError> {
    let path = inside(report, &entry.path)?;
    let mut hasher = blake3::Hasher::new();
    let hashed =
        File::open(&path).and_then(|file| hasher.update_reader(file).map(|h| h.finalize()));
    match hashed {
        Err(source) => Err(VerifyError::Read { path, source }),
        Ok(hash) if hash.to_hex().as_str() == entry.blake3 => Ok(()),
        Ok(_) => Err(VerifyError::Changed { path }),
    }
}

fn diffs(report: &Path) -> Result<u64, VerifyError> {
    let path = report.join("diffs.jsonl");
    let failed = |source| VerifyError::Read {
        path: path.clone(),
        source,
    };
    let mut count = 0;
    for line in BufReader::new(File::open(&path).map_err(failed)?).lines() {
        let line: DiffLine = serde_json::from_str(&line.map_err(failed)?).map_err(|source| {
            let path = path.clone();
            VerifyError::Malformed { path, source }
        })?;
        if let (Some(diff), Some(from), Some(to)) = (line.diff, line.from_text, line.to_text) {
            applies(
                inside(report, &diff)?,
                &inside(report, &from)?,
                &inside(report, &to)?,
            )?;
            count += 1;
        }
    }
    Ok(count)
}

fn applies(path: PathBuf, from: &Path, to: &Path) -> Result<(), VerifyError> {
    match apply(&read(&path)?, &read(from)?) {
        Err(source) => Err(VerifyError::Diff { path, source }),
        Ok(text) if text == read(to)? => Ok(()),
        Ok(_) => Err(VerifyError::Result { path }),
    }
}

/// A name below the report, and only there.
fn inside(report: &Path, name: &str) -> Result<PathBuf, VerifyError> {
    let plain = Path::new(name)
        .components()
        .all(|c| matches!(c, Component::Normal(_)));
    if plain && !name.is_empty() {
        return Ok(report.join(name));
    }
    Err(VerifyError::Name {
        name: name.to_owned(),
    })
}

fn read(path: &Path) -> Result<String, VerifyError> {
    let path_buf = path.to_path_buf();
    fs::read_to_string(path).map_err(|source| VerifyError::Read {
        path: path_buf,
        source,
    })
}
