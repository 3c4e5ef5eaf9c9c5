//! Unfinished reports that a killed daemon left, removed at the next start.
//!
//! Only what certainly belongs to this daemon is removed: a folder named like those of reports under way, owned by this
//! user, locked by nobody, and with nothing in it but files of reports of this user. Any other is left as it is, and
//! the log says so.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode};

use super::super::ReportError;
use super::{DIRECTORY, PREFIX, ReportDir};
use crate::base::report_files::{LOAD_FILES, MANIFEST, is_page_name};

/// Most folders that are examined at one start.
const MAX_ENTRIES: usize = 1_000;

impl ReportDir {
    /// Removes unfinished reports that were left over; returns how many were removed.
    ///
    /// # Errors
    /// [`ReportError::Directory`].
    pub fn remove_left_over(&self) -> Result<usize, ReportError> {
        let mut names: Vec<OsString> = Vec::new();
        self.visit_folders(&mut |name| {
            if is_hidden_name(name) {
                names.push(name.to_owned());
            }
            names.len() < MAX_ENTRIES
        })?;
        let mut removed = 0;
        for name in &names {
            let path = self.path.join(name);
            let path = path.display();
            match self.remove_hidden(name) {
                Ok(true) => {
                    removed += 1;
                    tracing::info!(%path, "a report that was left half-written was removed");
                }
                Ok(false) => tracing::warn!(%path, "not removed: it may belong to another daemon"),
                Err(error) => {
                    tracing::warn!(%path, %error, "a half-written report cannot be removed")
                }
            }
        }
        Ok(removed)
    }

    /// Removes one such folder; false if it may belong to somebody else, or is being written.
    fn remove_hidden(&self, name: &OsStr) -> io::Result<bool> {
        let folder = rustix::fs::openat(&self.directory, name, DIRECTORY, Mode::empty())?;
        let own = rustix::process::geteuid().as_raw();
        let is_own = rustix::fs::fstat(&folder)?.st_uid == own;
        let mut found = Vec::new();
        if !is_own || !lock(&folder) || !list(&folder, "", own, &mut found)? {
            return Ok(false);
        }
        for (path, kind) in found.iter().rev() {
            rustix::fs::unlinkat(&folder, path.as_str(), *kind)?;
        }
        rustix::fs::unlinkat(&self.directory, name, AtFlags::REMOVEDIR)?;
        Ok(true)
    }
}

/// Locks a folder for as long as it is open; false if it is locked already, or cannot be locked.
pub(super) fn lock(folder: &OwnedFd) -> bool {
    rustix::fs::flock(folder, FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Whether a folder has a name like those of reports under way.
pub(super) fn is_hidden_name(name: &OsStr) -> bool {
    let random = name.as_bytes().strip_prefix(PREFIX.as_bytes());
    random.is_some_and(|random| random.len() == 16 && random.iter().all(u8::is_ascii_hexdigit))
}

/// Lists the contents of a folder, each folder before its own contents; false if something is not part of a report.
fn list(
    folder: &OwnedFd,
    above: &str,
    own: u32,
    found: &mut Vec<(String, AtFlags)>,
) -> io::Result<bool> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let Ok(path) = name.to_str().map(|name| format!("{above}{name}")) else {
            return Ok(false);
        };
        let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if stat.st_uid != own {
            return Ok(false);
        }
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile if is_file(&path) => found.push((path, AtFlags::empty())),
            FileType::Directory if is_folder(&path) => {
                let inner = rustix::fs::openat(folder, name, DIRECTORY, Mode::empty())?;
                found.push((path.clone(), AtFlags::REMOVEDIR));
                if !list(&inner, &format!("{path}/"), own, found)? {
                    return Ok(false);
                }
            }
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Whether a report may have a folder at this path.
fn is_folder(path: &str) -> bool {
    let is_number =
        |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    matches!(path, "diffs" | "text" | "load") || path.strip_prefix("diffs/").is_some_and(is_number)
}

/// Whether a report may have a file at this path.
fn is_file(path: &str) -> bool {
    let ends = |file: &str, with: &[&str]| with.iter().any(|with| file.ends_with(with));
    match path.rsplit_once('/') {
        None => path == MANIFEST || is_page_name(path) || ends(path, &[".jsonl"]),
        Some(("load", file)) => LOAD_FILES.contains(&file),
        Some(("text", file)) => ends(file, &[".txt"]),
        Some((_, file)) => ends(file, &[".diff", ".jsonl"]),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::super::super::sink::Sink;
    use super::*;

    /// Creates an abandoned folder of a report under way, with one file of each kind.
    fn left_over(path: &Path, number: u64) -> std::path::PathBuf {
        let folder = path.join(format!("{PREFIX}{number:016x}"));
        for inner in ["diffs/17", "text", "load"] {
            fs::create_dir_all(folder.join(inner)).unwrap();
        }
        for file in [
            "manifest.json",
            "report.html",
            "groups.jsonl",
            "diffs/17/0123.diff",
            "diffs/17/0123.jsonl",
            "text/0123.txt",
            "load/documents.csv",
        ] {
            fs::write(folder.join(file), "x").unwrap();
        }
        folder
    }

    #[test]
    fn what_a_killed_daemon_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        let reports = ReportDir::open(&path).unwrap().with_max_reports(2);
        let gone = left_over(&path, 1);
        let with_note = left_over(&path, 2);
        fs::write(with_note.join("note.txt"), "mine").unwrap();
        let with_link = left_over(&path, 3);
        symlink("/etc", with_link.join("diffs/18")).unwrap();
        let other = [".simdex-report-notes", "report"].map(|name| path.join(name));
        other
            .iter()
            .for_each(|other| fs::create_dir(other).unwrap());
        let under_way = reports.begin(OsStr::new("now")).unwrap();
        under_way.create_file("groups.jsonl").unwrap();
        // Another process opens the directory, as at its start.
        let again = ReportDir::open(&path).unwrap();
        assert_eq!(again.remove_left_over().unwrap(), 1);
        assert!(!gone.exists());
        let stays = [&with_note, &with_link].into_iter().chain(&other);
        stays.for_each(|folder| assert!(folder.exists(), "{}", folder.display()));
        assert_eq!(fs::read_dir(&with_note).unwrap().count(), 7);
        // What is left over does not count as a report.
        under_way.publish().unwrap();
        assert!(path.join("now/groups.jsonl").is_file());
    }
}
