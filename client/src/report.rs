//! A report that arrives file by file, written with the caller's rights and checked before it gets its name.
//!
//! It grows in a hidden folder beside its destination (folders 0700, files 0600), and is renamed once it is complete. If
//! anything ends it earlier, nothing is left behind; the next one there removes what a killed process left.

mod left_over;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use simdex_proto::lines::UnreadFile;
use simdex_proto::manifest::{FileEntry, checked_hash};

use crate::Error;
use crate::wire::{ReportPiece, RunReportReply, Summary};
use left_over::{hidden_path, lock, remove_left_over};

const MANIFEST: &str = "manifest.json";
/// Files written at the same time; the daemon has four open.
const MAX_OPEN: usize = 16;
/// Longest name of a file in bytes, and deepest nesting of folders.
const LONGEST_NAME: usize = 256;
const DEEPEST: usize = 4;
/// Attempts at finding a free name for the hidden folder.
const TRIES: u32 = 100;

/// A report that was written and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedReport {
    /// Path of the report.
    pub out: PathBuf,
    /// The BLAKE3 that binds its manifest, in hexadecimal. Kept elsewhere, it tells this report from a forged one.
    pub manifest: String,
    /// The counts of the report.
    pub summary: Summary,
    /// For a question: its totals by name.
    pub findings: HashMap<String, u64>,
    /// For `copies-of`: the files asked about whose text was not compared.
    pub not_compared: Vec<UnreadFile>,
}

impl From<SavedReport> for RunReportReply {
    fn from(saved: SavedReport) -> Self {
        Self {
            out: crate::path_bytes(&saved.out),
            summary: Some(saved.summary),
            manifest: saved.manifest,
            findings: saved.findings,
            changes: None,
            not_compared: saved.not_compared.into_iter().map(Into::into).collect(),
        }
    }
}

/// A report being written; removed unless it is published.
pub(crate) struct ReportFolder {
    out: PathBuf,
    hidden: PathBuf,
    /// Tells other runs that the hidden folder is in use.
    _lock: File,
    open: BTreeMap<String, OpenFile>,
    done: BTreeMap<String, FileSum>,
    folders: BTreeSet<PathBuf>,
    published: bool,
}

/// A file being written.
struct OpenFile {
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
}

/// A file that is complete.
#[derive(PartialEq)]
struct FileSum {
    bytes: u64,
    blake3: String,
}

#[derive(Deserialize)]
struct Manifest {
    files: Vec<FileEntry>,
    #[serde(default)]
    findings: HashMap<String, u64>,
    #[serde(default)]
    files_not_compared: Vec<UnreadFile>,
}

impl ReportFolder {
    /// Creates the hidden folder beside `out`, an absolute path that must not exist.
    pub(crate) fn begin(out: &Path) -> Result<Self, Error> {
        let failed = |source: io::Error| unwritable(out, source);
        let (Some(parent), Some(name)) = (out.parent(), out.file_name()) else {
            return Err(failed(io::ErrorKind::InvalidInput.into()));
        };
        if fs::symlink_metadata(out).is_ok() {
            return Err(failed(io::ErrorKind::AlreadyExists.into()));
        }
        remove_left_over(parent);
        for number in 0..TRIES {
            let hidden = hidden_path(parent, &name.to_string_lossy(), number);
            match DirBuilder::new().mode(0o700).create(&hidden) {
                Ok(()) => {
                    return Ok(Self {
                        out: out.to_owned(),
                        _lock: lock(&hidden).map_err(failed)?,
                        hidden,
                        open: BTreeMap::new(),
                        done: BTreeMap::new(),
                        folders: BTreeSet::new(),
                        published: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(failed(io::ErrorKind::AlreadyExists.into()))
    }

    /// Adds a piece to its file.
    pub(crate) fn add(&mut self, piece: &ReportPiece) -> Result<(), Error> {
        let name = &piece.path;
        if self.done.contains_key(name) {
            return Err(Error::BadReport("a file continues after its end"));
        }
        if !self.open.contains_key(name) {
            let growing = self.create(name)?;
            self.open.insert(name.clone(), growing);
        }
        if let Some(growing) = self.open.get_mut(name) {
            let written = growing.file.write_all(&piece.bytes);
            written.map_err(|source| unwritable(&self.out.join(name), source))?;
            growing.hasher.update(&piece.bytes);
            growing.bytes += piece.bytes.len() as u64;
        }
        if piece.last {
            self.finish(name)?;
        }
        Ok(())
    }

    fn create(&mut self, name: &str) -> Result<OpenFile, Error> {
        let parts: Vec<_> = Path::new(name).components().collect();
        let plain = |part: &Component<'_>| match part {
            Component::Normal(part) => !part.to_string_lossy().starts_with('.'),
            _ => false,
        };
        let short = name.len() <= LONGEST_NAME && parts.len() <= DEEPEST;
        if parts.is_empty() || !short || !parts.iter().all(plain) || name.contains('\0') {
            return Err(Error::BadReport("a file has a name that leads elsewhere"));
        }
        if self.open.len() >= MAX_OPEN {
            return Err(Error::BadReport("too many files grow at the same time"));
        }
        let mut folder = PathBuf::new();
        for part in &parts[..parts.len() - 1] {
            folder.push(part);
            self.folder(&folder)?;
        }
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(0o600);
        let file = options.open(self.hidden.join(name));
        Ok(OpenFile {
            file: file.map_err(|source| unwritable(&self.out.join(name), source))?,
            hasher: blake3::Hasher::new(),
            bytes: 0,
        })
    }

    fn folder(&mut self, folder: &Path) -> Result<(), Error> {
        if self.folders.contains(folder) {
            return Ok(());
        }
        let made = DirBuilder::new()
            .mode(0o700)
            .create(self.hidden.join(folder));
        made.map_err(|source| unwritable(&self.out.join(folder), source))?;
        self.folders.insert(folder.to_owned());
        Ok(())
    }

    fn finish(&mut self, name: &str) -> Result<(), Error> {
        let Some(growing) = self.open.remove(name) else {
            return Ok(());
        };
        let sum = FileSum {
            bytes: growing.bytes,
            blake3: growing.hasher.finalize().to_hex().to_string(),
        };
        self.done.insert(name.to_owned(), sum);
        Ok(())
    }

    /// Checks the received files against the manifest, and renames the report to its destination.
    pub(crate) fn publish(mut self, summary: Summary) -> Result<SavedReport, Error> {
        let (manifest, listed) = self.check()?;
        let failed = |source| unwritable(&self.out, source);
        sync_all(&self.hidden).map_err(failed)?;
        if fs::symlink_metadata(&self.out).is_ok() {
            return Err(failed(io::ErrorKind::AlreadyExists.into()));
        }
        fs::rename(&self.hidden, &self.out).map_err(failed)?;
        self.published = true;
        sync_folder(self.out.parent().unwrap_or(Path::new("/"))).map_err(failed)?;
        Ok(SavedReport {
            out: self.out.clone(),
            manifest,
            summary,
            findings: listed.findings,
            not_compared: listed.files_not_compared,
        })
    }

    /// The manifest's hash and what is in it, if it lists exactly the files received.
    fn check(&self) -> Result<(String, Manifest), Error> {
        if !self.open.is_empty() {
            return Err(Error::BadReport("a file lacks its end"));
        }
        let path = self.hidden.join(MANIFEST);
        let text = fs::read_to_string(&path);
        let text = text.map_err(|_| Error::BadReport("it has no manifest"))?;
        let digest =
            checked_hash(&text).ok_or(Error::BadReport("its manifest lacks its own hash"))?;
        let mut manifest: Manifest = serde_json::from_str(&text)
            .map_err(|_| Error::BadReport("its manifest is malformed"))?;
        let mut named = BTreeMap::new();
        for file in std::mem::take(&mut manifest.files) {
            let (bytes, blake3) = (file.bytes, file.blake3);
            if named.insert(file.path, FileSum { bytes, blake3 }).is_some() {
                return Err(Error::BadReport("its manifest names a file twice"));
            }
        }
        let came = self.done.iter().filter(|(name, _)| *name != MANIFEST);
        if !came.eq(named.iter()) {
            return Err(Error::BadReport(
                "its files are not those that its manifest names",
            ));
        }
        Ok((digest, manifest))
    }
}

impl Drop for ReportFolder {
    fn drop(&mut self) {
        if !self.published {
            // Nothing is lost: the report has no name yet.
            let _ = fs::remove_dir_all(&self.hidden);
        }
    }
}

/// Syncs a folder by syncing its whole file system at once. A report may have a hundred thousand small files, and each
/// fsync would wait for the disk.
fn sync_all(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn unwritable(path: &Path, source: io::Error) -> Error {
    let path = path.to_owned();
    Error::Unwritable { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn piece(path: &str, bytes: &[u8], last: bool) -> ReportPiece {
        ReportPiece {
            path: path.to_owned(),
            bytes: bytes.to_vec(),
            last,
        }
    }

    /// A manifest that lists these files.
    fn manifest(files: &[(&str, &str)]) -> String {
        let lines = files.iter().map(|(path, text)| {
            let (bytes, hash) = (text.len(), blake3::hash(text.as_bytes()));
            format!("    {{\"path\":\"{path}\",\"bytes\":{bytes},\"blake3\":\"{hash}\"}}")
        });
        let lines: Vec<_> = lines.collect();
        let head = format!("{{\n  \"files\": [\n{}\n  ],\n", lines.join(",\n"));
        simdex_proto::manifest::with_hash(&head)
    }

    const FILES: [(&str, &str); 2] = [("groups.jsonl", "{}\n"), ("text/a.txt", "some text")];

    /// Receives these pieces in an empty directory, and returns the outcome.
    fn saved(pieces: &[ReportPiece]) -> (tempfile::TempDir, Result<SavedReport, Error>) {
        let dir = tempfile::tempdir().expect("temporary directory");
        let mut folder = ReportFolder::begin(&dir.path().join("report")).expect("begun");
        let added = pieces.iter().try_for_each(|piece| folder.add(piece));
        let saved = match added {
            Ok(()) => folder.publish(Summary::default()),
            Err(error) => {
                drop(folder);
                Err(error)
            }
        };
        (dir, saved)
    }

    fn pieces(manifest: &str) -> Vec<ReportPiece> {
        vec![
            piece("groups.jsonl", b"{", false),
            piece("text/a.txt", b"some text", true),
            piece("groups.jsonl", b"}\n", false),
            piece("groups.jsonl", b"", true),
            piece("manifest.json", manifest.as_bytes(), true),
        ]
    }

    #[test]
    fn files_grow_side_by_side_and_get_their_name_when_all_are_there() {
        let (dir, saved) = saved(&pieces(&manifest(&FILES)));
        let saved = saved.expect("whole");
        let text = fs::read_to_string(saved.out.join("groups.jsonl"));
        assert_eq!(text.expect("written"), "{}\n");
        let mode = |name: &str| {
            let found = fs::metadata(saved.out.join(name)).expect("there");
            found.permissions().mode() & 0o777
        };
        assert_eq!(
            (mode(""), mode("text"), mode("text/a.txt")),
            (0o700, 0o700, 0o600)
        );
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 1);
    }

    #[test]
    fn what_the_manifest_does_not_bear_out_leaves_nothing() {
        let whole = manifest(&FILES);
        let more = [&FILES[..], &[("text/b.txt", "")]].concat();
        let other = [FILES[0], ("text/a.txt", "other text")];
        let wrong = [
            pieces(&manifest(&more)),
            pieces(&manifest(&FILES[..1])),
            pieces(&manifest(&other)),
            pieces(&whole.replace("groups", "gruops")),
            pieces("{}"),
            pieces(&whole)[..4].to_vec(),
            [pieces(&whole), vec![piece("more", b"", true)]].concat(),
            [pieces(&whole), vec![piece("more", b"", false)]].concat(),
            [pieces(&whole), vec![piece("text/a.txt", b"", true)]].concat(),
        ];
        for (number, pieces) in wrong.iter().enumerate() {
            let (dir, saved) = saved(pieces);
            assert!(matches!(saved, Err(Error::BadReport(_))), "{number}");
            assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 0);
        }
    }

    #[test]
    fn a_name_never_leads_out_of_the_report() {
        for name in [
            "",
            "/etc/x",
            "../x",
            "a/../../x",
            "./x",
            ".x",
            "a/.x",
            "a/b/c/d/e",
            "a\0b",
        ] {
            let (dir, saved) = saved(&[piece(name, b"x", true)]);
            assert!(matches!(saved, Err(Error::BadReport(_))), "{name}");
            assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 0);
        }
    }

    #[test]
    fn what_exists_or_appears_meanwhile_is_not_touched() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let out = dir.path().join("report");
        let mut folder = ReportFolder::begin(&out).expect("begun");
        for piece in pieces(&manifest(&FILES)) {
            folder.add(&piece).expect("added");
        }
        std::os::unix::fs::symlink("/nowhere", &out).expect("link");
        let late = folder.publish(Summary::default());
        assert!(matches!(late, Err(Error::Unwritable { .. })));
        assert!(matches!(
            ReportFolder::begin(&out),
            Err(Error::Unwritable { .. })
        ));
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 1);
    }
}
