//! A file of labels: a rater's verdicts on pairs, one JSON line each, append-only.
//!
//! A label counts once its line is on disk ([`LabelsFile::append`] returns then). A line that a crash cut off was never
//! acknowledged: it is skipped, and removed when the next label is written. Nothing else is removed: a file with any
//! other invalid line is refused unchanged.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use simdex_proto::lines::{Label, LabelledPair, Line};

use crate::Error;
use crate::regular_file::open_regular;

/// Largest file of labels or pairs, in bytes.
const LONGEST: u64 = 256 << 20;

/// The first bytes of a label's line.
const BEGINNING: &[u8] = br#"{"type":"label","v":1,"#;

/// A file of labels that this process appends to; no other process does meanwhile.
#[derive(Debug)]
pub struct LabelsFile {
    path: PathBuf,
    file: File,
    labels: Vec<Label>,
    /// Where the complete labels end, until the first new one is written after them.
    end: Option<End>,
}

/// Where the complete labels of a file end.
#[derive(Clone, Copy, Debug)]
struct End {
    /// Length of the complete labels, in bytes.
    whole: usize,
    /// Length of the file, in bytes.
    length: usize,
    /// The last label lacks its line feed.
    is_open: bool,
}

impl LabelsFile {
    /// Opens a file of labels, which must be a regular file; creates a missing one, readable by its owner alone.
    ///
    /// # Errors
    /// [`Error::NotRegular`], [`Error::Unwritable`], [`Error::LabelsInUse`], [`Error::NoLabel`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Unwritable {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true).create(true).mode(0o600);
        let file = open_regular(path, options).map_err(failed)?;
        let mut file = file.ok_or_else(|| not_regular(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let path = path.to_owned();
                return Err(Error::LabelsInUse { path });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let (labels, end) = parse(&text(&mut file, path)?, path)?;
        file.sync_all().map_err(failed)?;
        sync_folder(path).map_err(failed)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            labels,
            end: Some(end),
        })
    }

    /// All labels, in the order in which they were written.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Appends a label; returns once it is on disk.
    ///
    /// # Errors
    /// [`Error::Unwritable`]; the label does not count then.
    pub fn append(&mut self, label: Label) -> Result<(), Error> {
        let mut line = serde_json::to_vec(&Line::of(&label)).unwrap_or_default();
        line.push(b'\n');
        let mended = self.mend();
        let before = mended.and_then(|()| self.file.metadata());
        let written = before.and_then(|before| {
            let before = before.len();
            let written = self.file.write_all(&line);
            let written = written.and_then(|()| self.file.sync_data());
            // A label that was not acknowledged must not remain.
            written.or_else(|error| self.file.set_len(before).and(Err(error)))
        });
        written.map_err(|source| Error::Unwritable {
            path: self.path.clone(),
            source,
        })?;
        self.labels.push(label);
        Ok(())
    }

    /// Removes what a crash cut off, so that the next line begins on its own.
    fn mend(&mut self) -> io::Result<()> {
        let Some(End {
            whole,
            length,
            is_open,
        }) = self.end
        else {
            return Ok(());
        };
        if self.file.metadata()?.len() != length as u64 {
            return Err(io::Error::other("it was changed meanwhile; start again"));
        }
        if whole < length {
            self.file.set_len(whole as u64)?;
        }
        if is_open {
            self.file.write_all(b"\n")?;
        }
        self.end = None;
        Ok(())
    }
}

/// The labels of a file, which must be a regular one.
///
/// # Errors
/// [`Error::NotRegular`], [`Error::Unreadable`], [`Error::NoLabel`].
pub fn read_labels(path: &Path) -> Result<Vec<Label>, Error> {
    read_labels_from(open(path)?, path)
}

/// Reads labels to the end of `source`, such as standard input; `name` stands for it in errors.
///
/// # Errors
/// [`Error::Unreadable`], [`Error::NoLabel`].
pub fn read_labels_from(source: impl Read, name: &Path) -> Result<Vec<Label>, Error> {
    Ok(parse(&text(source, name)?, name)?.0)
}

/// The pairs of a file whose lines name two files with their documents, such as the output of `simctl pairs --json`;
/// lines of other types are skipped. It must be a regular file.
///
/// # Errors
/// [`Error::NotRegular`], [`Error::Unreadable`], [`Error::NoPair`].
pub fn read_pairs(path: &Path) -> Result<Vec<LabelledPair>, Error> {
    let text = text(open(path)?, path)?;
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let words = std::str::from_utf8(line).ok();
        match words.and_then(LabelledPair::parse) {
            Some(pair) => pairs.push(pair),
            None if line.trim_ascii().is_empty() || words.is_some_and(is_of_other_type) => {}
            None => {
                return Err(Error::NoPair {
                    path: path.to_owned(),
                    line: number,
                });
            }
        }
    }
    Ok(pairs)
}

/// Whether a line is one that `simctl` prints beside pairs.
fn is_of_other_type(line: &str) -> bool {
    #[derive(Deserialize)]
    struct Typed {
        r#type: String,
    }
    let typed = serde_json::from_str::<Typed>(line);
    typed.is_ok_and(|typed| !["pair", "label"].contains(&&*typed.r#type))
}

fn open(path: &Path) -> Result<File, Error> {
    let file = open_regular(path, OpenOptions::new().read(true));
    let file = file.map_err(|source| unreadable(path, source))?;
    file.ok_or_else(|| not_regular(path))
}

fn not_regular(path: &Path) -> Error {
    Error::NotRegular {
        path: path.to_owned(),
    }
}

fn unreadable(path: &Path, source: io::Error) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        source,
    }
}

fn text(source: impl Read, path: &Path) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    let read = source.take(LONGEST + 1).read_to_end(&mut text);
    read.map_err(|source| unreadable(path, source))?;
    match text.len() as u64 > LONGEST {
        true => {
            let longer = io::Error::other("it is longer than 256 MiB");
            Err(unreadable(path, longer))
        }
        false => Ok(text),
    }
}

/// The labels in a text, and where the complete ones end.
fn parse(text: &[u8], path: &Path) -> Result<(Vec<Label>, End), Error> {
    let (mut labels, mut whole) = (Vec::new(), 0);
    for (number, line) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
        match Label::parse(line) {
            Ok(label) => labels.push(label),
            Err(_) if line.trim_ascii().is_empty() => {}
            Err(_) if is_cut_off(line) => break,
            Err(reason) => {
                return Err(Error::NoLabel {
                    path: path.to_owned(),
                    line: number,
                    reason,
                });
            }
        }
        whole += line.len();
    }
    let is_open = text[..whole].last().is_some_and(|byte| *byte != b'\n');
    let length = text.len();
    let end = End {
        whole,
        length,
        is_open,
    };
    Ok((labels, end))
}

/// Whether this can be what a crash left of a label: its beginning, or zeros in place of its bytes.
fn is_cut_off(line: &[u8]) -> bool {
    let zeros = line.iter().rev().take_while(|byte| **byte == 0).count();
    let there = &line[..line.len() - zeros];
    !line.ends_with(b"\n") && (BEGINNING.starts_with(there) || there.starts_with(BEGINNING))
}

/// Makes the name of a new file durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests;
