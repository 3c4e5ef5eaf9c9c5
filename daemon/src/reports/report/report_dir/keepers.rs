//! Which user asked for which of the kept reports: no user has more than half of them, so that no user keeps others
//! from having any.
//!
//! The directory itself stores this, in `.simdex-keepers`: for each report that a user asked for, the number of the
//! user, `/`, the report's name and a zero byte. A report that does not exist any more is removed from it with the
//! next one; one that is not listed, such as a schedule's, belongs to nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::super::ReportError;
use super::{FILE_MODE, NEW_FILE, ReportDir};

const NAME: &str = ".simdex-keepers";
/// The new file, written before it replaces the old one.
const NEW: &str = ".simdex-keepers.new";
/// Longer than the names of as many reports as may be configured.
const LONGEST: u64 = 32 << 20;
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// Users by the names of the reports they asked for.
type UsersByReport = BTreeMap<OsString, u32>;
/// Reports under way of each user.
type ByUser = BTreeMap<u32, u32>;

/// Locked while the file is read and written.
#[derive(Debug, Default)]
pub(super) struct Keepers(Mutex<ByUser>);

/// A report under way that a user asked for; counts until it is dropped.
#[derive(Debug)]
pub(super) struct UnderWay<'a> {
    keepers: &'a Keepers,
    uid: u32,
}

impl Keepers {
    fn lock(&self) -> MutexGuard<'_, ByUser> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let mut under_way = self.keepers.lock();
        if let Some(count) = under_way.get_mut(&self.uid) {
            *count -= 1;
            if *count == 0 {
                under_way.remove(&self.uid);
            }
        }
    }
}

impl ReportDir {
    /// Most reports that one user may have in it.
    fn share(&self) -> u32 {
        self.max_reports.div_ceil(2)
    }

    /// Counts one more report of a user; fails if that exceeds their share.
    pub(super) fn admit(&self, uid: u32) -> Result<UnderWay<'_>, ReportError> {
        let mut under_way = self.keepers.lock();
        let kept = self.kept()?;
        let kept = kept.values().filter(|keeper| **keeper == uid).count();
        let begun = under_way.get(&uid).copied().unwrap_or(0);
        if kept as u64 + u64::from(begun) >= u64::from(self.share()) {
            return Err(ReportError::Share {
                path: self.path.clone(),
                share: self.share(),
                max_reports: self.max_reports,
            });
        }
        under_way.insert(uid, begun + 1);
        let keepers = &self.keepers;
        Ok(UnderWay { keepers, uid })
    }

    /// Records the report's user and then gives it its name, in this order: no crash leaves a user's report
    /// unassigned.
    pub(super) fn note_kept(
        &self,
        name: &OsStr,
        user_slot: &UnderWay<'_>,
        publish: impl FnOnce() -> Result<(), ReportError>,
    ) -> Result<(), ReportError> {
        let _others_wait = self.keepers.lock();
        let before = self.kept()?;
        let mut kept = before.clone();
        kept.insert(name.to_owned(), user_slot.uid);
        self.write_kept(&kept)?;
        publish().inspect_err(|_| {
            // Somebody else has taken the name.
            let _ = self.write_kept(&before);
        })
    }

    /// The existing reports that users asked for.
    fn kept(&self) -> Result<UsersByReport, ReportError> {
        let there: BTreeSet<OsString> = self.names()?.into_iter().collect();
        let mut text = Vec::new();
        match rustix::fs::openat(&self.directory, NAME, READ, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(UsersByReport::new()),
            Err(errno) => return Err(self.failed(NAME.as_ref(), errno.into())),
            Ok(file) => File::from(file)
                .take(LONGEST)
                .read_to_end(&mut text)
                .map_err(|source| self.failed(NAME.as_ref(), source))?,
        };
        let mut kept: UsersByReport = text.split(|byte| *byte == 0).filter_map(entry).collect();
        kept.retain(|name, _| there.contains(name));
        Ok(kept)
    }

    fn write_kept(&self, kept: &UsersByReport) -> Result<(), ReportError> {
        let mut text = Vec::new();
        for (name, uid) in kept {
            text.extend_from_slice(format!("{uid}/").as_bytes());
            text.extend_from_slice(name.as_bytes());
            text.push(0);
        }
        let written = self.replace_kept(&text);
        written.map_err(|source| self.failed(NAME.as_ref(), source))
    }

    fn replace_kept(&self, text: &[u8]) -> io::Result<()> {
        self.reserve(text.len())?;
        match rustix::fs::unlinkat(&self.directory, NEW, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno.into()),
        }
        let file = rustix::fs::openat(&self.directory, NEW, NEW_FILE, FILE_MODE)?;
        let mut file = File::from(file);
        file.write_all(text)?;
        file.sync_all()?;
        rustix::fs::renameat(&self.directory, NEW, &self.directory, NAME)?;
        Ok(rustix::fs::fsync(&self.directory)?)
    }
}

/// Parses one entry; `None` if it is incomplete.
fn entry(entry: &[u8]) -> Option<(OsString, u32)> {
    let slash = entry.iter().position(|byte| *byte == b'/')?;
    let uid = std::str::from_utf8(&entry[..slash]).ok()?.parse().ok()?;
    let name = OsString::from_vec(entry[slash + 1..].to_vec());
    Some((name, uid))
}
