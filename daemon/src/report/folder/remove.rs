//! Removing a report that this daemon kept: what its manifest names, and nothing else.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

use rustix::fs::{AtFlags, Mode, OFlags};

use super::super::{LONGEST_MANIFEST, MANIFEST, ReportError, ReportKey};
use super::{DIRECTORY, ReportDir};

impl ReportDir {
    /// Removes the report of this name. Its manifest must bear this key's mark, and goes first: what is left of a
    /// report without it is none. A folder in which somebody put something else stays, with that alone.
    ///
    /// # Errors
    /// [`ReportError::Write`].
    pub fn remove(&self, name: &OsStr, key: &ReportKey) -> Result<(), ReportError> {
        self.remove_named(name, key)
            .map_err(|source| self.failed(name, source))
    }

    fn remove_named(&self, name: &OsStr, key: &ReportKey) -> io::Result<()> {
        let folder = rustix::fs::openat(&self.directory, name, DIRECTORY, Mode::empty())?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let manifest = rustix::fs::openat(&folder, MANIFEST, flags, Mode::empty())?;
        let mut text = String::new();
        File::from(manifest)
            .take(LONGEST_MANIFEST)
            .read_to_string(&mut text)?;
        let other = || io::Error::other("it is not a report of this daemon and was not removed");
        let files = key.listed(&text).ok_or_else(other)?;
        rustix::fs::unlinkat(&folder, MANIFEST, AtFlags::empty())?;
        let mut folders = BTreeSet::new();
        for file in files.keys() {
            folders.extend(file.match_indices('/').map(|(end, _)| &file[..end]));
            // Somebody may have removed it before.
            let _ = rustix::fs::unlinkat(&folder, file.as_str(), AtFlags::empty());
        }
        // The deepest first.
        for inner in folders.iter().rev() {
            let _ = rustix::fs::unlinkat(&folder, *inner, AtFlags::REMOVEDIR);
        }
        rustix::fs::unlinkat(&self.directory, name, AtFlags::REMOVEDIR)?;
        Ok(())
    }
}
