//! The folder in which a report grows until it is renamed into place.
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use tempfile::TempDir;

use super::ReportError;

/// How the folder of a report under way begins; what a killed daemon left may be removed.
const PREFIX: &str = ".simdex-report-";

/// A finished file: name below the report, size and BLAKE3.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct FileEntry {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) blake3: String,
}

/// A hidden sibling of the report to be; removed unless published.
pub(super) struct Stage {
    out: PathBuf,
    folder: TempDir,
    folders: Vec<PathBuf>,
    pub(super) files: Vec<FileEntry>,
}

impl Stage {
    /// Makes the folder beside `out`.
    pub(super) fn open(out: &Path) -> Result<Self, ReportError> {
        let path = out.to_path_buf();
        if out.file_name().is_none() {
            return Err(ReportError::NoName { path });
        }
        let parent = parent_of(out);
        if !parent.is_dir() {
            return Err(ReportError::NoParent { path, parent });
        }
        if fs::symlink_metadata(out).is_ok() {
            return Err(ReportError::Exists { path });
        }
        let mut builder = tempfile::Builder::new();
        let builder = builder
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700));
        let folder = builder.tempdir_in(&parent);
        let folder = folder.map_err(|source| failed(&path, source))?;
        Ok(Self {
            out: path,
            folder,
            folders: Vec::new(),
            files: Vec::new(),
        })
    }

    /// Makes a folder below the report.
    pub(super) fn folder(&mut self, name: &str) -> Result<(), ReportError> {
        let path = self.folder.path().join(name);
        let made = DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|source| failed(&self.out.join(name), source))?;
        self.folders.push(path);
        Ok(())
    }

    /// Starts a file below the report.
    pub(super) fn create(&self, name: &str) -> Result<StageFile, ReportError> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600);
        let file = file.open(self.folder.path().join(name));
        let file = file.map_err(|source| failed(&self.out.join(name), source))?;
        Ok(StageFile {
            name: name.to_owned(),
            path: self.out.join(name),
            out: BufWriter::new(Summed::new(file)),
        })
    }

    /// Syncs a file and notes its checksum.
    pub(super) fn finish(&mut self, file: StageFile) -> Result<(), ReportError> {
        let StageFile { name, path, out } = file;
        let summed = out
            .into_inner()
            .map_err(|e| failed(&path, e.into_error()))?;
        let synced = summed.file.sync_all();
        synced.map_err(|source| failed(&path, source))?;
        self.files.push(FileEntry {
            path: name,
            bytes: summed.bytes,
            blake3: summed.hasher.finalize().to_hex().to_string(),
        });
        Ok(())
    }

    /// Writes a whole file.
    pub(super) fn put(&mut self, name: &str, content: &[u8]) -> Result<(), ReportError> {
        let mut file = self.create(name)?;
        file.add(|out| out.write_all(content))?;
        self.finish(file)
    }

    /// Syncs the folders and renames the report into place.
    pub(super) fn publish(self) -> Result<PathBuf, ReportError> {
        let wrong = |source| failed(&self.out, source);
        for folder in self.folders.iter().rev().map(PathBuf::as_path) {
            sync_folder(folder).map_err(wrong)?;
        }
        sync_folder(self.folder.path()).map_err(wrong)?;
        rename_new(self.folder.path(), &self.out)?;
        // The folder bears its new name: there is nothing left to remove.
        let _ = self.folder.keep();
        sync_folder(&parent_of(&self.out)).map_err(|source| failed(&self.out, source))?;
        Ok(self.out)
    }
}

/// A file under way.
pub(super) struct StageFile {
    name: String,
    /// Where it will be, for messages.
    path: PathBuf,
    out: BufWriter<Summed>,
}

impl StageFile {
    /// Lets `write` add to the file.
    pub(super) fn add<F>(&mut self, write: F) -> Result<(), ReportError>
    where
        F: FnOnce(&mut dyn Write) -> io::Result<()>,
    {
        write(&mut self.out).map_err(|source| failed(&self.path, source))
    }
}

/// A file that counts and hashes what goes into it.
struct Summed {
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Summed {
    fn new(file: File) -> Self {
        let hasher = blake3::Hasher::new();
        Self {
            file,
            hasher,
            bytes: 0,
        }
    }
}

impl Write for Summed {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        self.hasher.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn failed(path: &Path, source: io::Error) -> ReportError {
    let path = path.to_path_buf();
    ReportError::Write { path, source }
}

fn parent_of(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_path_buf()
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Renames, but never over something that appeared meanwhile.
fn rename_new(from: &Path, to: &Path) -> Result<(), ReportError> {
    let taken = || ReportError::Exists {
        path: to.to_path_buf(),
    };
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(Errno::EXIST | Errno::NOTEMPTY) => Err(taken()),
        // Some file systems cannot: look first, then.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if fs::symlink_metadata(to).is_ok() {
                return Err(taken());
            }
            fs::rename(from, to).map_err(|source| failed(to, source))
        }
        Err(error) => Err(failed(to, error.into())),
    }
}
