//! A file of labels: what a rater says of pairs, one JSON line each, only ever appended to.
//!
//! A label counts once its line is on disk ([`LabelsFile::append`] returns then). A line that a crash cut off
//! was never acknowledged: it is left out, and removed when the file is next appended to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use simdex_proto::lines::{Label, LabelledPair, Line};

use crate::Error;

/// Bytes of a file of labels or pairs, at most.
const LONGEST: u64 = 256 << 20;

/// A file of labels that this process appends to; no other does meanwhile.
#[derive(Debug)]
pub struct LabelsFile {
    path: PathBuf,
    file: File,
    labels: Vec<Label>,
}

impl LabelsFile {
    /// Opens a file of labels, which is made where there is none, for its owner alone.
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
        let text = text(&mut file, path)?;
        let (labels, whole) = parse(&text, path)?;
        if whole < text.len() {
            file.set_len(whole as u64).map_err(failed)?;
        }
        if whole > 0 && !text[..whole].ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        sync_folder(path).map_err(failed)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            labels,
        })
    }

    /// All labels, in the order in which they were made.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Appends a label; returns once it is on disk.
    ///
    /// # Errors
    /// [`Error::Unwritable`]: the label does not count then.
    pub fn append(&mut self, label: Label) -> Result<(), Error> {
        let mut line = serde_json::to_vec(&Line::of(&label)).unwrap_or_default();
        line.push(b'\n');
        let before = self.file.metadata().map(|metadata| metadata.len());
        let written = before.and_then(|before| {
            let written = self.file.write_all(&line);
            let written = written.and_then(|()| self.file.sync_data());
            // What was not acknowledged must not be there.
            written.or_else(|error| self.file.set_len(before).and(Err(error)))
        });
        written.map_err(|source| Error::Unwritable {
            path: self.path.clone(),
            source,
        })?;
        self.labels.push(label);
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

/// The pairs of a file whose lines name two files with their documents, such as those that `simctl pairs --json`
/// prints; lines of other types are passed over.
///
/// # Errors
/// [`Error::Unreadable`].
pub fn read_pairs(path: &Path) -> Result<Vec<LabelledPair>, Error> {
    let mut file = open(path)?;
    let text = text(&mut file, path)?;
    Ok(text.lines().filter_map(LabelledPair::parse).collect())
}

fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|source| Error::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn text(file: &mut File, path: &Path) -> Result<String, Error> {
    let failed = |source| Error::Unreadable {
        path: path.to_owned(),
        source,
    };
    let mut text = String::new();
    let read = file.take(LONGEST + 1).read_to_string(&mut text);
    read.map_err(failed)?;
    match text.len() as u64 > LONGEST {
        true => Err(failed(io::Error::other("it is longer than 256 MiB"))),
        false => Ok(text),
    }
}

/// The labels of a text, and where the whole ones end.
fn parse(text: &str, path: &Path) -> Result<(Vec<Label>, usize), Error> {
    let (mut labels, mut whole) = (Vec::new(), 0);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        match Label::parse(line) {
            Some(label) => labels.push(label),
            None if !line.ends_with('\n') => break,
            None if line.trim().is_empty() => {}
            None => {
                return Err(Error::NoLabel {
                    path: path.to_owned(),
                    line: number,
                });
            }
        }
        whole += line.len();
    }
    Ok((labels, whole))
}

/// Makes the name of a new file power-safe.
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

    #[test]
    fn a_line_that_a_crash_cut_off_at_any_byte_is_left_out_and_the_others_stay() {
        let (_dir, path) = places();
        let mut file = LabelsFile::open(&path).expect("opened");
        (1..=2).for_each(|of| file.append(label(of)).expect("appended"));
        drop(file);
        let whole = std::fs::read(&path).expect("read");
        for cut in whole.len() / 2..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("written");
            // Only the end of the line is missing where all of the label is there.
            let expected = match cut == whole.len() - 1 {
                true => 2,
                false => 1,
            };
            assert_eq!(read_labels(&path).expect("read").len(), expected, "{cut}");
            let mut file = LabelsFile::open(&path).expect("opened");
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
}
