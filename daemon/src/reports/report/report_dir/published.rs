//! Reports that this daemon kept, recognised by their manifests: reading one, and removing exactly the files
//! that its manifest lists.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, OFlags};
use serde::Deserialize;

use simdex_proto::changes::{ReportTerms, list_of};
use simdex_proto::manifest::checked_hash;

use super::super::{EarlierReport, LONGEST_MANIFEST, ReportError};
use super::{DIRECTORY, ReportDir, check_name};
use crate::base::report_files::MANIFEST;
use crate::base::report_key::ReportKey;

const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// The manifest in a folder.
fn manifest(folder: &OwnedFd) -> io::Result<String> {
    let manifest = rustix::fs::openat(folder, MANIFEST, READ, Mode::empty())?;
    let mut text = String::new();
    File::from(manifest)
        .take(LONGEST_MANIFEST)
        .read_to_string(&mut text)?;
    Ok(text)
}

impl ReportDir {
    /// Removes the report of this name. Its manifest must bear this key's mark, and is removed first: without it the
    /// remaining files are no report. A folder into which somebody put something else stays, with only that in it.
    ///
    /// # Errors
    /// [`ReportError::Write`].
    pub fn remove(&self, name: &OsStr, key: &ReportKey) -> Result<(), ReportError> {
        self.remove_named(name, key)
            .map_err(|source| self.failed(name, source))
    }

    /// The number of groups in the report of this name, 0 if they were not counted; `None` if its manifest does not
    /// bear this key's mark.
    pub fn groups_in(&self, name: &OsStr, key: &ReportKey) -> Option<u64> {
        #[derive(Deserialize)]
        struct Manifest {
            groups: Option<u64>,
        }
        let folder = rustix::fs::openat(&self.directory, name, DIRECTORY, Mode::empty());
        let text = manifest(&folder.ok()?).ok()?;
        key.listed(&text)?;
        let manifest: Manifest = serde_json::from_str(&text).ok()?;
        Some(manifest.groups.unwrap_or(0))
    }

    /// The report of this name, to compare a later one with. Its manifest must bear this key's mark, and its list
    /// must match the manifest.
    ///
    /// # Errors
    /// [`ReportError::NoName`], [`ReportError::Earlier`].
    pub fn earlier_report(
        &self,
        name: &OsStr,
        key: &ReportKey,
    ) -> Result<EarlierReport, ReportError> {
        check_name(name)?;
        self.read_earlier(name, key).map_err(|source| {
            let said = match source.kind() {
                ErrorKind::NotFound => format!("none is named {name:?}"),
                _ => format!("{name:?}: {source}"),
            };
            ReportError::Earlier {
                source: io::Error::new(source.kind(), said),
            }
        })
    }

    fn read_earlier(&self, name: &OsStr, key: &ReportKey) -> io::Result<EarlierReport> {
        let folder = rustix::fs::openat(&self.directory, name, DIRECTORY, Mode::empty())?;
        let text = manifest(&folder)?;
        let other = || io::Error::other("it is not a report of this daemon");
        let files = key.listed(&text).ok_or_else(other)?;
        let terms = ReportTerms::of_manifest(&text).ok_or_else(other)?;
        let list = list_of(&terms.kind);
        let hash = files.get(list).ok_or_else(other)?;
        let list = rustix::fs::openat(&folder, list, READ, Mode::empty())?;
        let manifest = (checked_hash(&text).unwrap_or_default(), terms);
        EarlierReport::of(self.path.join(name), manifest, File::from(list), hash)
    }

    fn remove_named(&self, name: &OsStr, key: &ReportKey) -> io::Result<()> {
        let folder = rustix::fs::openat(&self.directory, name, DIRECTORY, Mode::empty())?;
        let text = manifest(&folder)?;
        let other = || io::Error::other("it is not a report of this daemon and was not removed");
        let files = key.listed(&text).ok_or_else(other)?;
        rustix::fs::unlinkat(&folder, MANIFEST, AtFlags::empty())?;
        let mut folders = BTreeSet::new();
        for file in files.keys() {
            folders.extend(file.match_indices('/').map(|(end, _)| &file[..end]));
            // Somebody may have removed it already.
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
