//! Checks a report: the manifest is as written, the files are exactly those listed, each as listed,
//! and every diff applies.
//!
//! Any change, addition or removal of a file or a line of the manifest is detected. A report that
//! somebody rewrote as a whole, including manifest and hash, is not detected: to guard against
//! that, keep the manifest's hash elsewhere, and compare it with [`Verified::manifest`].

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use simdex_proto::lines::{Diff, Operation};
use simdex_proto::manifest::{FileEntry, checked_hash};
use thiserror::Error;

use super::LONGEST_MANIFEST;
use crate::base::report_files::MANIFEST;
use crate::read_side::difference::operations::{OperationError, apply_operations};
use crate::read_side::difference::{ApplyError, apply};
use crate::write_side::watch::anchor::Anchor;
use crate::write_side::watch::open::{OpenError, open_regular};

/// What was verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Files equal to their checksums, not counting the manifest.
    pub files: u64,
    /// Diffs that produce the member's text from the principal's.
    pub diffs: u64,
    /// The hash over all lines of the manifest, in hexadecimal.
    pub manifest: String,
}

/// What is wrong with a report.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// There is something that is not a regular file: a link, a device, a FIFO.
    #[error("{} is not a regular file", path.display())]
    NotRegular {
        /// Path of the file.
        path: PathBuf,
    },
    /// The manifest, or a line of `diffs.jsonl`, is malformed.
    #[error("{} is malformed: {source}", path.display())]
    Malformed {
        /// The manifest, or `diffs.jsonl`.
        path: PathBuf,
        /// What is wrong with its JSON.
        source: serde_json::Error,
    },
    /// The manifest does not end with the hash of its own lines.
    #[error("{} was modified: its content does not match the hash in its last line", path.display())]
    Unbound {
        /// Path of the manifest.
        path: PathBuf,
    },
    /// A name leads out of the report, or is in the manifest twice.
    #[error("{name:?} is no file of this report")]
    Name {
        /// The name, as in the manifest or a line of `diffs.jsonl`.
        name: String,
    },
    /// A file that the manifest does not list.
    #[error("{} is not in the manifest", path.display())]
    Extra {
        /// The file or folder.
        path: PathBuf,
    },
    /// The number of diffs in the manifest is wrong.
    #[error("the manifest counts {counted} differences, and there are {found}")]
    Count {
        /// Their number according to the manifest.
        counted: u64,
        /// Their number according to the lines of `diffs.jsonl`.
        found: u64,
    },
    /// A file was changed after the report was written.
    #[error("{} differs from its checksum", path.display())]
    Changed {
        /// Path of the file.
        path: PathBuf,
    },
    /// A diff does not apply to the principal's text.
    #[error("{} does not apply: {source}", path.display())]
    Diff {
        /// Path of the diff.
        path: PathBuf,
        /// Why it does not apply.
        source: ApplyError,
    },
    /// The operations of a diff do not apply to the principal's text.
    #[error("{} does not apply: {source}", path.display())]
    Operations {
        /// Path of the operations.
        path: PathBuf,
        /// Why they do not apply.
        source: OperationError,
    },
    /// A diff applies, but produces another text than the member's.
    #[error("{} gives another text than the member's", path.display())]
    Result {
        /// Path of the diff.
        path: PathBuf,
    },
}

/// The report's directory: its path as given, and a handle to it.
struct OpenedReport<'a> {
    path: &'a Path,
    anchor: Anchor,
}

impl OpenedReport<'_> {
    fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }
}

/// Files by name, as in the manifest.
type Entries = BTreeMap<String, FileEntry>;

/// Checks a report made by [`super::write()`]. Opens only regular files below it, and follows no links.
///
/// # Errors
/// The first problem found.
pub fn verify(report: &Path) -> Result<Verified, VerifyError> {
    #[derive(Deserialize)]
    struct Manifest {
        diffs: u64,
        files: Vec<FileEntry>,
    }
    let missing = |source| VerifyError::Read {
        path: report.to_owned(),
        source,
    };
    // Links on the path to the report are the caller's own; below the report none is followed.
    let real = report.canonicalize().map_err(missing)?;
    let anchor = Anchor::open(&real).map_err(|refusal| missing(io::Error::other(refusal)))?;
    let report = &OpenedReport {
        path: report,
        anchor,
    };
    let path = report.join(MANIFEST);
    let text = read(report, MANIFEST, LONGEST_MANIFEST)?;
    let Some(digest) = checked_hash(&text) else {
        return Err(VerifyError::Unbound { path });
    };
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|source| VerifyError::Malformed { path, source })?;
    let entries = entries(manifest.files)?;
    nothing_else(report, &entries)?;
    for entry in entries.values() {
        checksum(report, entry)?;
    }
    let found = diffs(report, &entries)?;
    if found != manifest.diffs {
        let counted = manifest.diffs;
        return Err(VerifyError::Count { counted, found });
    }
    Ok(Verified {
        files: entries.len() as u64,
        diffs: found,
        manifest: digest,
    })
}

/// The files by name; each is below the report, and listed once.
fn entries(files: Vec<FileEntry>) -> Result<Entries, VerifyError> {
    let mut entries = Entries::new();
    for entry in files {
        let plain = Path::new(&entry.path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let name = entry.path.clone();
        let wrong = !plain || name.is_empty() || name == MANIFEST;
        if wrong || entries.insert(name.clone(), entry).is_some() {
            return Err(VerifyError::Name { name });
        }
    }
    Ok(entries)
}

/// Checks that every file of the directory is in the manifest, and that every folder contains such files.
fn nothing_else(report: &OpenedReport<'_>, entries: &Entries) -> Result<(), VerifyError> {
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let path = report.join(&folder);
        let failed = |source| VerifyError::Read {
            path: path.clone(),
            source,
        };
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = folder.join(entry.file_name());
            let kind = entry.file_type().map_err(failed)?;
            let known = name.to_str().is_some_and(|name| match kind.is_dir() {
                true => is_folder(name, entries),
                false => name == MANIFEST || entries.contains_key(name),
            });
            let path = report.join(&name);
            if !known {
                return Err(VerifyError::Extra { path });
            }
            if kind.is_dir() {
                open.push(name);
            } else if !kind.is_file() {
                return Err(VerifyError::NotRegular { path });
            }
        }
    }
    Ok(())
}

fn is_folder(name: &str, entries: &Entries) -> bool {
    let inside = format!("{name}/");
    let next = entries.range(inside.clone()..).next();
    next.is_some_and(|(next, _)| next.starts_with(&inside))
}

fn checksum(report: &OpenedReport<'_>, entry: &FileEntry) -> Result<(), VerifyError> {
    let path = report.join(&entry.path);
    let file = open(report, &entry.path)?;
    let failed = |source| VerifyError::Read {
        path: path.clone(),
        source,
    };
    // A file that is too long is not read to its end, which may be far away.
    if file.metadata().map_err(failed)?.len() != entry.bytes {
        return Err(VerifyError::Changed { path });
    }
    let mut hasher = blake3::Hasher::new();
    let hashed = hasher.update_reader(file.take(entry.bytes));
    match hashed.map(|hasher| hasher.finalize()) {
        Err(source) => Err(VerifyError::Read { path, source }),
        Ok(hash) if hash.to_hex().as_str() == entry.blake3 => Ok(()),
        Ok(_) => Err(VerifyError::Changed { path }),
    }
}

fn diffs(report: &OpenedReport<'_>, entries: &Entries) -> Result<u64, VerifyError> {
    const DIFFS: &str = "diffs.jsonl";
    // The report of a compliance question has no diffs.
    if !entries.contains_key(DIFFS) {
        return Ok(0);
    }
    let path = report.join(DIFFS);
    let failed = |source| VerifyError::Read {
        path: path.clone(),
        source,
    };
    let mut count = 0;
    for line in BufReader::new(open(report, DIFFS)?).lines() {
        let line: Diff = serde_json::from_str(&line.map_err(failed)?).map_err(|source| {
            let path = path.clone();
            VerifyError::Malformed { path, source }
        })?;
        if let (Some(diff), Some(from), Some(to)) = (line.diff, line.from_text, line.to_text) {
            let text = |name: &str| listed(report, name, entries);
            let (from, to) = (text(&from)?, text(&to)?);
            applies(report.join(&diff), &text(&diff)?, &from, &to)?;
            if let Some(operations) = line.operations {
                let path = report.join(&operations);
                operations_apply(path, &text(&operations)?, &from, &to)?;
            }
            count += 1;
        }
    }
    Ok(count)
}

fn applies(path: PathBuf, diff: &str, from: &str, to: &str) -> Result<(), VerifyError> {
    match apply(diff, from) {
        Err(source) => Err(VerifyError::Diff { path, source }),
        Ok(text) if text == to => Ok(()),
        Ok(_) => Err(VerifyError::Result { path }),
    }
}

fn operations_apply(path: PathBuf, lines: &str, from: &str, to: &str) -> Result<(), VerifyError> {
    let operations = lines.lines().map(serde_json::from_str);
    let operations = match operations.collect::<Result<Vec<Operation>, _>>() {
        Ok(operations) => operations,
        Err(source) => return Err(VerifyError::Malformed { path, source }),
    };
    match apply_operations(&operations, from) {
        Err(source) => Err(VerifyError::Operations { path, source }),
        Ok(text) if text == to => Ok(()),
        Ok(_) => Err(VerifyError::Result { path }),
    }
}

/// The text of a file that the manifest lists, and that was therefore checked.
fn listed(report: &OpenedReport<'_>, name: &str, entries: &Entries) -> Result<String, VerifyError> {
    let entry = entries.get(name).ok_or_else(|| VerifyError::Name {
        name: name.to_owned(),
    })?;
    read(report, name, entry.bytes)
}

fn open(report: &OpenedReport<'_>, name: &str) -> Result<File, VerifyError> {
    let path = report.join(name);
    open_regular(&report.anchor, Path::new(name)).map_err(|error| match error {
        OpenError::NotRegular | OpenError::Outside => VerifyError::NotRegular { path },
        OpenError::Vanished => VerifyError::Read {
            path,
            source: io::ErrorKind::NotFound.into(),
        },
        OpenError::RootUnusable(source) | OpenError::Unreadable(source) | OpenError::Io(source) => {
            VerifyError::Read { path, source }
        }
    })
}

fn read(report: &OpenedReport<'_>, name: &str, longest: u64) -> Result<String, VerifyError> {
    let mut text = String::new();
    let read = open(report, name)?.take(longest).read_to_string(&mut text);
    read.map_err(|source| VerifyError::Read {
        path: report.join(name),
        source,
    })?;
    Ok(text)
}
