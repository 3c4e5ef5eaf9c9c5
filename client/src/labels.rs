//! A file of labels: a rater's verdicts on pairs, one JSON line each, append-only.
//!
//! A label counts once its line is on disk ([`LabelsFile::append`] returns then). A line that a crash cut off was never
//! acknowledged: it is skipped, and removed when the next label is written. Nothing else is removed: a file with any
//! other invalid line is refused unchanged.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use simdex_proto::lines::{Label, LabelledPair, Line};

use crate::Error;

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
    /// Opens a file of labels; creates a missing one, readable by its owner alone.
    ///
    /// # Errors
    /// [`Error::Unwritable`], [`Error::LabelsInUse`], [`Error::NoLabel`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Unwritable {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true).create(true).mode(0o600);
        let mut file = options.open(path).map_err(failed)?;
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

/// The labels of a file.
///
/// # Errors
/// [`Error::Unreadable`], [`Error::NoLabel`].
pub fn read_labels(path: &Path) -> Result<Vec<Label>, Error> {
    let mut file = open(path)?;
    Ok(parse(&text(&mut file, path)?, path)?.0)
}

/// The pairs of a file whose lines name two files with their documents, such as the output of `simctl pairs --json`;
/// lines of other types are skipped.
///
/// # Errors
/// [`Error::Unreadable`].
pub fn read_pairs(path: &Path) -> Result<Vec<LabelledPair>, Error> {
    let mut file = open(path)?;
    let text = String::from_utf8(text(&mut file, path)?);
    let text = text.map_err(|error| unreadable(path, io::Error::other(error)))?;
    Ok(text.lines().filter_map(LabelledPair::parse).collect())
}

fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|source| unreadable(path, source))
}

fn unreadable(path: &Path, source: io::Error) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        source,
    }
}

fn text(file: &mut File, path: &Path) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    let read = file.take(LONGEST + 1).read_to_end(&mut text);
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
        let words = std::str::from_utf8(line).ok();
        match words.and_then(Label::parse) {
            Some(label) => labels.push(label),
            None if line.trim_ascii().is_empty() => {}
            None if is_cut_off(line) => break,
            None => {
                return Err(Error::NoLabel {
                    path: path.to_owned(),
                    line: number,
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
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use simdex_proto::lines::Verdict;
    use simdex_proto::v1::LabelledFile;

    fn label(of: u8) -> Label {
        let file = |of: u8| LabelledFile {
            path: format!("/s/{of}").into_bytes(),
            document: vec![of; 32],
        };
        Label {
            pair: LabelledPair::new(&file(of), &file(0xff)),
            verdict: Verdict::Version,
            rater: "ada".to_owned(),
            at: "2026-11-23T03:00:00Z".to_owned(),
        }
    }

    fn places() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("labels");
        (dir, path)
    }

    #[test]
    fn what_was_appended_is_there_when_the_file_is_opened_again() {
        let (_dir, path) = places();
        let mut file = LabelsFile::open(&path).expect("opened");
        (1..=2).for_each(|of| file.append(label(of)).expect("appended"));
        assert!(matches!(
            LabelsFile::open(&path),
            Err(Error::LabelsInUse { .. })
        ));
        drop(file);
        let mut file = LabelsFile::open(&path).expect("opened");
        assert_eq!(file.labels(), [label(1), label(2)]);
        file.append(label(3)).expect("appended");
        assert_eq!(read_labels(&path).expect("read"), file.labels());
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    /// Opens labels that this test has closed: a process that another test starts has all open files for a moment.
    fn opened(path: &Path) -> LabelsFile {
        for _ in 0..1_000 {
            match LabelsFile::open(path) {
                Err(Error::LabelsInUse { .. }) => {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                opened => return opened.expect("opened"),
            }
        }
        panic!("{} stays in use", path.display());
    }

    #[test]
    fn a_line_that_a_crash_cut_off_at_any_byte_is_left_out_and_the_others_stay() {
        let (_dir, path) = places();
        let mut file = LabelsFile::open(&path).expect("opened");
        let mut second = label(2);
        second.rater = "Zoë".to_owned();
        for label in [label(1), second] {
            file.append(label).expect("appended");
        }
        drop(file);
        let whole = std::fs::read(&path).expect("read");
        let first = whole
            .iter()
            .position(|byte| *byte == b'\n')
            .expect("two lines")
            + 1;
        for cut in first..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("written");
            // Only the line feed is missing if all of the label is there.
            let expected = match cut == whole.len() - 1 {
                true => 2,
                false => 1,
            };
            assert_eq!(read_labels(&path).expect("read").len(), expected, "{cut}");
            let mut file = opened(&path);
            assert_eq!(file.labels().len(), expected);
            file.append(label(3)).expect("appended");
            drop(file);
            let labels = read_labels(&path).expect("read");
            assert_eq!(labels.last(), Some(&label(3)));
            assert_eq!(labels.len(), expected + 1);
        }
    }

    #[test]
    fn a_line_that_is_no_label_is_refused_by_its_number_and_nothing_is_changed() {
        let (_dir, path) = places();
        let mut file = LabelsFile::open(&path).expect("opened");
        file.append(label(1)).expect("appended");
        drop(file);
        let text = std::fs::read_to_string(&path).expect("read") + "\nnonsense\n";
        std::fs::write(&path, &text).expect("written");
        for refused in [LabelsFile::open(&path).err(), read_labels(&path).err()] {
            let said = refused.expect("refused").to_string();
            assert!(said.ends_with("line 3 is no label"), "{said}");
        }
        assert_eq!(std::fs::read_to_string(&path).expect("read"), text);
        let pairs = read_pairs(&path).expect("read");
        assert_eq!(pairs, [label(1).pair]);
    }

    #[test]
    fn a_file_of_something_else_is_refused_and_stays_as_it_is() {
        let (_dir, path) = places();
        let cut = &BEGINNING[..5];
        let line = serde_json::to_vec(&Line::of(&label(1))).expect("encoded");
        assert!(line.starts_with(BEGINNING));
        for other in [
            &b"secret"[..],
            b"\xff\xfe",
            b"\0x",
            b"{\"type\":\"pair\"",
            b"secret\n",
        ] {
            for before in [&b""[..], &[&line[..], b"\n"].concat()] {
                let text = [before, other].concat();
                std::fs::write(&path, &text).expect("written");
                for refused in [LabelsFile::open(&path).err(), read_labels(&path).err()] {
                    assert!(
                        matches!(refused, Some(Error::NoLabel { .. })),
                        "{refused:?}"
                    );
                }
                assert_eq!(std::fs::read(&path).expect("read"), text);
            }
        }
        // What a crash left also stays as long as nothing is written.
        for left in [cut, &[0; 700], &[&line[..40], &[0; 60]].concat()] {
            std::fs::write(&path, left).expect("written");
            let mut file = LabelsFile::open(&path).expect("opened");
            assert_eq!(std::fs::read(&path).expect("read"), left);
            file.append(label(3)).expect("appended");
            assert_eq!(read_labels(&path).expect("read"), [label(3)]);
        }
    }
}
