//! Compares a report with an earlier one of its kind, and writes the changes as lines to a file beside the later one.

mod lists;

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use serde::Deserialize;
use simdex_proto::changes::{Caveat, ReportTerms, Totals, is_comparable, list_of};
use simdex_proto::manifest::{FileEntry, checked_hash};

use crate::Error;
use lists::{Hashed, Lists};

const MANIFEST: &str = "manifest.json";
/// Longest manifest that is read, in bytes.
const LONGEST_MANIFEST: u64 = 512 << 20;

/// A report that later ones of its kind are compared with. Its list has the hash that its manifest states.
#[derive(Debug)]
pub struct EarlierReport {
    /// Its groups, or its findings.
    list: File,
    /// The hash of that list, from the manifest.
    of_list: String,
    /// Where it is, for errors.
    place: PathBuf,
    terms: ReportTerms,
    /// The BLAKE3 that binds its manifest, in hexadecimal.
    pub manifest: String,
}

/// Summary of the changes, and the file that lists them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedChanges {
    /// The file, one line per change.
    pub out: PathBuf,
    /// How much changed.
    pub totals: Totals,
    /// Why some changes may be missing or not come from the files.
    pub caveats: Vec<Caveat>,
}

#[derive(Deserialize)]
struct Manifest {
    files: Vec<FileEntry>,
}

impl EarlierReport {
    /// Opens a report by its directory or its manifest, and checks its list.
    ///
    /// # Errors
    /// [`Error::Unreadable`], [`Error::NoEarlierReport`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let folder = match path.file_name().is_some_and(|name| name == MANIFEST) {
            true => path.parent().unwrap_or(Path::new("")),
            false => path,
        };
        let text = manifest_of(folder)?;
        let none = |why| Error::NoEarlierReport {
            path: path.to_owned(),
            why,
        };
        let digest = checked_hash(&text).ok_or(none("its manifest lacks its own hash"))?;
        let manifest: Manifest =
            serde_json::from_str(&text).map_err(|_| none("its manifest is malformed"))?;
        let terms = ReportTerms::of_manifest(&text).ok_or(none("its manifest is malformed"))?;
        let name = list_of(&terms.kind);
        let named = manifest.files.iter().find(|file| file.path == name);
        let named = named.ok_or(none("its manifest names no list of what changes"))?;
        let place = folder.join(name);
        let mut hasher = blake3::Hasher::new();
        let hashed = open_regular(&place).and_then(|mut list| {
            hasher.update_reader(&list)?;
            list.rewind()?;
            Ok(list)
        });
        let list = hashed.map_err(unreadable(&place))?;
        if hasher.finalize().to_hex().as_str() != named.blake3 {
            return Err(none("its list was changed after it was written"));
        }
        Ok(Self {
            list,
            of_list: named.blake3.clone(),
            place,
            terms,
            manifest: digest,
        })
    }

    /// Refuses a report of another kind than the later one, since their lists hold different things.
    ///
    /// # Errors
    /// [`Error::NoEarlierReport`].
    pub fn check_kind(&self, later: &str) -> Result<(), Error> {
        let why = match (self.terms.kind == later, is_comparable(later)) {
            (true, true) => return Ok(()),
            (false, _) => "it is of another kind",
            (_, false) => {
                "components and cores have nothing that stays from one report to the next"
            }
        };
        Err(Error::NoEarlierReport {
            path: self.place.clone(),
            why,
        })
    }

    /// Path of the file of changes for a report at `out`.
    pub fn changes_of(out: &Path) -> PathBuf {
        let mut name: OsString = out.as_os_str().to_owned();
        name.push(".changes.jsonl");
        name.into()
    }

    /// Fails if changes were already written beside a report at `out`. Call this before the report is made, which may
    /// take hours.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    pub fn check_place(out: &Path) -> Result<(), Error> {
        let path = Self::changes_of(out);
        match path.symlink_metadata() {
            Ok(_) => Err(Error::Unwritable {
                path,
                source: io::ErrorKind::AlreadyExists.into(),
            }),
            // Any other obstacle is found when the file is written.
            Err(_) => Ok(()),
        }
    }

    /// Writes the changes from this report to the one at `out` into a file beside the latter, completely or not at all.
    ///
    /// # Errors
    /// [`Error::Unwritable`], also if the file exists; [`Error::Unreadable`]; [`Error::NoEarlierReport`], also if the
    /// later report is of another kind.
    pub fn write_changes(self, out: &Path) -> Result<SavedChanges, Error> {
        let place = Self::changes_of(out);
        let hidden = hidden(&place);
        let later = ReportTerms::of_manifest(&manifest_of(out)?);
        let caveats = later.as_ref().map(|later| self.terms.caveats(later));
        later.map_or(Ok(()), |later| self.check_kind(&later.kind))?;
        let written = self.compare(out, &hidden);
        let named = written.and_then(|totals| {
            // Never overwrite an existing file.
            fs::hard_link(&hidden, &place).map_err(|source| Error::Unwritable {
                path: place.clone(),
                source,
            })?;
            Ok(totals)
        });
        let _ = fs::remove_file(&hidden);
        Ok(SavedChanges {
            totals: named?,
            caveats: caveats.unwrap_or_default(),
            out: place,
        })
    }

    fn compare(self, out: &Path, to: &Path) -> Result<Totals, Error> {
        let unwritable = |source| Error::Unwritable {
            path: to.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(to);
        let lines = BufWriter::new(file.map_err(unwritable)?);
        let later = out.join(list_of(&self.terms.kind));
        let hasher = RefCell::new(blake3::Hasher::new());
        let mut lists = Lists::new(Hashed::of(&self.list, &hasher), lines);
        let totals = open_regular(&later).and_then(|later| lists.compare(&self.terms.kind, later));
        let (lines, failed) = lists.into_written();
        failed.map_or(Ok(()), |source| Err(unwritable(source)))?;
        let totals = totals.map_err(|source| Error::Unreadable {
            path: later,
            source,
        })?;
        // It was checked before the later report was made, possibly long ago.
        if hasher.borrow().finalize().to_hex().as_str() != self.of_list {
            return Err(Error::NoEarlierReport {
                path: self.place,
                why: "it was changed while the later report was made",
            });
        }
        let written = lines.into_inner().map_err(io::IntoInnerError::into_error);
        written
            .and_then(|file| file.sync_all())
            .map_err(unwritable)?;
        Ok(totals)
    }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Unreadable { path, source }
}

/// The manifest of the report in a folder.
fn manifest_of(folder: &Path) -> Result<String, Error> {
    let place = folder.join(MANIFEST);
    let mut text = String::new();
    let read =
        open_regular(&place).and_then(|file| file.take(LONGEST_MANIFEST).read_to_string(&mut text));
    read.map_err(unreadable(&place))?;
    Ok(text)
}

/// Opens a regular file only: a report may lie where others can write, and a pipe would block the caller.
fn open_regular(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits() as i32)
        .open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        )),
    }
}

fn hidden(place: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(place.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    place.with_file_name(name)
}
