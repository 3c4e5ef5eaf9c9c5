//! The one directory in which the daemon keeps reports, and a report that is being written in it.
//!
//! The directory is opened once, without following symlinks, and everything below it is created through descriptors:
//! users who may rename things there cannot redirect us. A report is written to a hidden folder and gets its name when
//! it is complete; if it ends before that, nothing is left behind.
use std::cell::{Cell, RefCell};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::ReportError;
use crate::host::disk::DiskGuard;

mod keepers;
mod left_over;
mod pending;
mod published;

use keepers::Keepers;
pub use pending::PendingReport;

/// The prefix of the folder name of a report under way.
const PREFIX: &str = ".simdex-report-";

/// Approximate room that a folder takes.
const FOLDER_BYTES: usize = 4096;

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
const NEW_FILE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
const FOLDER_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// A directory that reports are kept in.
#[derive(Debug)]
pub struct ReportDir {
    path: PathBuf,
    directory: OwnedFd,
    /// Checked for room before anything is written; `None` if nobody else needs the disk.
    disk: Option<DiskGuard>,
    /// Most reports that it may hold.
    max_reports: u32,
    /// The number of reports under way.
    under_way: AtomicU32,
    keepers: Keepers,
}

impl ReportDir {
    /// Opens a directory, which must exist, by its absolute path without symlinks.
    ///
    /// # Errors
    /// [`ReportError::Directory`].
    pub fn open(path: &Path) -> Result<Self, ReportError> {
        let refused = |source: io::Error| ReportError::Directory {
            path: path.to_owned(),
            source,
        };
        let mut directory = rustix::fs::open("/", DIRECTORY, Mode::empty())
            .map_err(|errno| refused(errno.into()))?;
        if !path.is_absolute() {
            return Err(refused(io::Error::other("not an absolute path")));
        }
        for component in path.components() {
            match component {
                Component::RootDir => {}
                Component::Normal(name) => {
                    let next = rustix::fs::openat(&directory, name, DIRECTORY, Mode::empty());
                    directory = next.map_err(|errno| refused(errno.into()))?;
                }
                _ => return Err(refused(io::Error::other("`..` or `.` in the path"))),
            }
        }
        Ok(Self {
            path: path.to_owned(),
            directory,
            disk: None,
            max_reports: u32::MAX,
            under_way: AtomicU32::new(0),
            keepers: Keepers::default(),
        })
    }

    /// Keeps room free on its disk: reports stop at twice this many bytes.
    ///
    /// # Errors
    /// [`ReportError::Directory`].
    pub fn keeping_free(self, bytes: u64) -> Result<Self, ReportError> {
        let disk = DiskGuard::of(&self.path, &self.directory, bytes);
        let disk = disk.map_err(|source| ReportError::Directory {
            path: self.path.clone(),
            source,
        })?;
        Ok(self.watched_by(disk))
    }

    pub(crate) fn watched_by(self, disk: DiskGuard) -> Self {
        let disk = Some(disk);
        Self { disk, ..self }
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fails if this process cannot create folders in it: creates one like that of a report under way, and removes it.
    ///
    /// # Errors
    /// [`ReportError::NotWritable`], [`ReportError::DirectoryFull`].
    pub fn check_writable(&self) -> Result<(), ReportError> {
        let path = self.path.clone();
        let created = RandomName::new().and_then(|random| {
            let hidden = format!("{PREFIX}{random}");
            rustix::fs::mkdirat(&self.directory, &hidden, FOLDER_MODE)?;
            Ok(rustix::fs::unlinkat(
                &self.directory,
                &hidden,
                AtFlags::REMOVEDIR,
            )?)
        });
        created.map_err(|source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                ReportError::DirectoryFull { path }
            }
            _ => ReportError::NotWritable { path, source },
        })
    }

    /// Fails if its disk has no room for a report beside what is kept free.
    ///
    /// # Errors
    /// [`ReportError::DirectoryFull`].
    pub fn check_room(&self) -> Result<(), ReportError> {
        let room = self.reserve(FOLDER_BYTES);
        let path = self.path.clone();
        room.map_err(|_| ReportError::DirectoryFull { path })
    }

    /// Sets the number of reports at which no further one begins.
    pub fn with_max_reports(self, max_reports: u32) -> Self {
        Self {
            max_reports,
            ..self
        }
    }

    /// Fails if there are more folders than it may hold, including reports under way; what a killed daemon left of a
    /// report does not count.
    fn check_number(&self) -> Result<(), ReportError> {
        let mut folders: u32 = self.under_way.load(Ordering::SeqCst);
        self.visit_folders(&mut |name| {
            folders = folders.saturating_add(u32::from(!name.as_bytes().starts_with(b".")));
            folders <= self.max_reports
        })?;
        match folders > self.max_reports {
            true => {
                let (path, max_reports) = (self.path.clone(), self.max_reports);
                Err(ReportError::TooMany { path, max_reports })
            }
            false => Ok(()),
        }
    }

    /// The names of folders that may be reports, in no order, without those of reports under way.
    ///
    /// # Errors
    /// [`ReportError::Directory`].
    pub fn names(&self) -> Result<Vec<OsString>, ReportError> {
        let mut names = Vec::new();
        self.visit_folders(&mut |name| {
            if !name.as_bytes().starts_with(b".") {
                names.push(name.to_owned());
            }
            true
        })?;
        Ok(names)
    }

    /// Visits the names of everything that is not a regular file, until `visit` returns false.
    fn visit_folders(&self, visit: &mut dyn FnMut(&OsStr) -> bool) -> Result<(), ReportError> {
        let refused = |errno: Errno| ReportError::Directory {
            path: self.path.clone(),
            source: errno.into(),
        };
        let listed = rustix::fs::openat(&self.directory, ".", DIRECTORY, Mode::empty());
        let listed = listed.and_then(rustix::fs::Dir::new);
        for entry in listed.map_err(refused)? {
            let entry = entry.map_err(refused)?;
            let name = entry.file_name().to_bytes();
            let is_file = entry.file_type() == FileType::RegularFile;
            if !is_file && !matches!(name, b"." | b"..") && !visit(OsStr::from_bytes(name)) {
                break;
            }
        }
        Ok(())
    }

    /// Fails if the disk has no room for `bytes` beyond what is kept free.
    fn reserve(&self, bytes: usize) -> io::Result<()> {
        let disk = self.disk.as_ref();
        Ok(disk.map_or(Ok(()), |disk| disk.take_spare(bytes as u64))?)
    }

    /// Refuses a directory that is, or lies within, one of `others`: the data directory, a root.
    /// Directories are compared by device and inode on the path upwards, whatever their names.
    ///
    /// # Errors
    /// [`ReportError::Within`], [`ReportError::Directory`].
    pub fn check_apart(&self, others: &[PathBuf]) -> Result<(), ReportError> {
        let refused = |errno: Errno| ReportError::Directory {
            path: self.path.clone(),
            source: errno.into(),
        };
        let known = others.iter().filter_map(|other| {
            let found = std::fs::metadata(other).ok()?;
            Some((found.dev(), found.ino(), other))
        });
        let known: Vec<_> = known.collect();
        let mut at = self.directory.try_clone().map_err(|source| {
            let path = self.path.clone();
            ReportError::Directory { path, source }
        })?;
        loop {
            let here = rustix::fs::fstat(&at).map_err(refused)?;
            let within = known
                .iter()
                .find(|(device, inode, _)| (*device, *inode) == (here.st_dev, here.st_ino));
            if let Some((_, _, other)) = within {
                return Err(ReportError::Within {
                    path: self.path.clone(),
                    other: (*other).clone(),
                });
            }
            let above = rustix::fs::openat(&at, "..", DIRECTORY, Mode::empty()).map_err(refused)?;
            let parent = rustix::fs::fstat(&above).map_err(refused)?;
            if (parent.st_dev, parent.st_ino) == (here.st_dev, here.st_ino) {
                return Ok(());
            }
            at = above;
        }
    }

    /// Begins a report of this name for no user, that is, for a schedule.
    ///
    /// # Errors
    /// [`ReportError::Exists`], [`ReportError::NoName`], [`ReportError::TooMany`],
    /// [`ReportError::Write`].
    pub fn begin(&self, name: &OsStr) -> Result<PendingReport<'_>, ReportError> {
        self.begin_for(name, None)
    }

    /// Begins a report of this name that a user asked for.
    ///
    /// # Errors
    /// [`ReportError::Share`], and those of [`ReportDir::begin`].
    pub fn begin_for(
        &self,
        name: &OsStr,
        uid: Option<u32>,
    ) -> Result<PendingReport<'_>, ReportError> {
        check_name(name)?;
        let taken = rustix::fs::statat(&self.directory, name, AtFlags::SYMLINK_NOFOLLOW);
        if taken.is_ok() {
            return Err(self.taken(name));
        }
        let user_slot = uid.map(|uid| self.admit(uid)).transpose()?;
        self.reserve(FOLDER_BYTES)
            .map_err(|source| self.failed(name, source))?;
        let failed = |errno: Errno| self.failed(name, errno.into());
        let random = RandomName::new().map_err(|source| self.failed(name, source))?;
        let hidden = format!("{PREFIX}{random}");
        rustix::fs::mkdirat(&self.directory, &hidden, FOLDER_MODE).map_err(failed)?;
        let folder = rustix::fs::openat(&self.directory, &hidden, DIRECTORY, Mode::empty());
        let folder = folder.map_err(failed)?;
        // With the lock, another daemon that starts here does not remove it as left over.
        left_over::lock(&folder);
        self.under_way.fetch_add(1, Ordering::SeqCst);
        let begun = PendingReport {
            parent: self,
            folder,
            hidden,
            name: name.to_owned(),
            created: RefCell::default(),
            published: Cell::new(false),
            user_slot,
        };
        // Checked once its own folder exists, so that several that begin at once count each other.
        self.check_number()?;
        Ok(begun)
    }

    fn taken(&self, name: &OsStr) -> ReportError {
        let path = self.path.join(name);
        ReportError::Exists { path }
    }

    fn failed(&self, name: &OsStr, source: io::Error) -> ReportError {
        ReportError::writing(&format!("the folder {}", name.to_string_lossy()), source)
    }
}

/// Refuses what is not a valid name of a report: it must be one component of a path.
fn check_name(name: &OsStr) -> Result<(), ReportError> {
    let plain = Path::new(name).components().eq([Component::Normal(name)]);
    let bytes = name.as_bytes();
    match plain && !bytes.starts_with(b".") && !bytes.contains(&0) && bytes.len() <= 255 {
        true => Ok(()),
        false => Err(ReportError::NoName),
    }
}

/// Eight random bytes from the kernel, in hexadecimal.
struct RandomName(u64);

impl RandomName {
    fn new() -> io::Result<Self> {
        use std::io::Read;
        let mut bytes = [0; 8];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(u64::from_ne_bytes(bytes)))
    }
}

impl std::fmt::Display for RandomName {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests;
