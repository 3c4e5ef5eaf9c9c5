//! A report that is written to a hidden folder of the directory, until it is published.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use rustix::fs::{AtFlags, RenameFlags};
use rustix::io::Errno;

use super::super::ReportError;
use super::super::sink::{Sink, SinkFile};
use super::keepers::UnderWay;
use super::{FILE_MODE, FOLDER_BYTES, FOLDER_MODE, NEW_FILE, ReportDir};

/// A report being written; removed with everything in it unless it is published.
#[derive(Debug)]
pub struct PendingReport<'a> {
    pub(super) parent: &'a ReportDir,
    pub(super) folder: OwnedFd,
    pub(super) hidden: String,
    pub(super) name: OsString,
    /// Files and folders created below, in order of creation.
    pub(super) created: RefCell<Vec<(String, AtFlags)>>,
    pub(super) published: Cell<bool>,
    /// The slot of a report that a user asked for.
    pub(super) user_slot: Option<UnderWay<'a>>,
}

impl PendingReport<'_> {
    /// Syncs what was written and gives the report its name; returns its path. The file system is synced as a whole:
    /// a report may have a hundred thousand small files, each of which would wait for the disk.
    ///
    /// # Errors
    /// [`ReportError::Exists`], [`ReportError::Write`].
    pub fn publish(self) -> Result<PathBuf, ReportError> {
        let parent = self.parent;
        let failed = |errno: Errno| parent.failed(&self.name, errno.into());
        rustix::fs::syncfs(&self.folder).map_err(failed)?;
        match &self.user_slot {
            Some(user_slot) => parent.note_kept(&self.name, user_slot, || self.rename())?,
            None => self.rename()?,
        }
        self.published.set(true);
        rustix::fs::fsync(&parent.directory).map_err(failed)?;
        Ok(parent.path.join(&self.name))
    }

    /// Renames without ever replacing something that appeared meanwhile.
    fn rename(&self) -> Result<(), ReportError> {
        let (parent, name) = (&self.parent.directory, &self.name);
        let taken = || self.parent.taken(name);
        let failed = |errno: Errno| self.parent.failed(name, errno.into());
        let flags = RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(parent, &self.hidden, parent, name, flags) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST | Errno::NOTEMPTY) => Err(taken()),
            // Some file systems do not support this: check first, then rename.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                if rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                    return Err(taken());
                }
                rustix::fs::renameat(parent, &self.hidden, parent, name).map_err(failed)
            }
            Err(errno) => Err(failed(errno)),
        }
    }
}

impl Drop for PendingReport<'_> {
    fn drop(&mut self) {
        self.parent.under_way.fetch_sub(1, Ordering::SeqCst);
        if self.published.get() {
            return;
        }
        for (name, kind) in self.created.borrow().iter().rev() {
            // Whatever somebody else put there stays, and then so does the hidden folder.
            let _ = rustix::fs::unlinkat(&self.folder, name, *kind);
        }
        let parent = self.parent.directory.as_fd();
        let _ = rustix::fs::unlinkat(parent, &self.hidden, AtFlags::REMOVEDIR);
    }
}

impl Sink for PendingReport<'_> {
    fn create_dir(&self, name: &str) -> io::Result<()> {
        self.parent.reserve(FOLDER_BYTES)?;
        rustix::fs::mkdirat(&self.folder, name, FOLDER_MODE)?;
        let folder = (name.to_owned(), AtFlags::REMOVEDIR);
        self.created.borrow_mut().push(folder);
        Ok(())
    }

    fn create_file<'a>(&'a self, name: &str) -> io::Result<Box<dyn SinkFile + 'a>> {
        let file = rustix::fs::openat(&self.folder, name, NEW_FILE, FILE_MODE)?;
        let made = (name.to_owned(), AtFlags::empty());
        self.created.borrow_mut().push(made);
        let parent = self.parent;
        let file = File::from(file);
        Ok(Box::new(PendingFile { file, parent }))
    }
}

/// A file of the report; it is synced with the others.
struct PendingFile<'a> {
    file: File,
    parent: &'a ReportDir,
}

impl Write for PendingFile<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.parent.reserve(buffer.len())?;
        self.file.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl SinkFile for PendingFile<'_> {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
