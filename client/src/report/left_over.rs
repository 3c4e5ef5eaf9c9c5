//! Half-written reports that a killed run left beside its destination, removed by the next run there.
//!
//! A run locks its hidden folder for as long as it writes. Only what certainly is a dead run's is removed: a folder
//! named like those of reports under way, owned by this user and closed to others, locked by nobody, of a process that
//! no longer exists, and with nothing hidden in it, since a report has no such file.

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::process::Pid;

/// Most entries of the directory that are looked at.
const MAX_ENTRIES: usize = 10_000;
/// What stands between the name of a report and the number of the process that writes it.
const MARK: &str = ".simctl-";

/// The hidden folder for a report of this name: attempt `number` of this process.
pub(super) fn hidden_path(parent: &Path, name: &str, number: u32) -> PathBuf {
    parent.join(format!(".{name}{MARK}{}-{number}", std::process::id()))
}

/// Locks the hidden folder of a report. The lock is held as long as it is open; where the file system has no locks, the
/// process alone tells that the folder is in use.
pub(super) fn lock(folder: &Path) -> io::Result<File> {
    let folder = File::open(folder)?;
    let _ = is_free(&folder);
    Ok(folder)
}

/// Removes what dead runs left in a directory. What cannot be removed is left as it is: the report matters more.
pub(super) fn remove_left_over(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.take(MAX_ENTRIES).flatten() {
        let process = process_of(entry.file_name().as_bytes());
        if let Some(process) = process
            && is_dead_run(&entry.path(), process)
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The process that made a hidden folder, if its name is one of ours.
fn process_of(name: &[u8]) -> Option<Pid> {
    let name = std::str::from_utf8(name).ok()?;
    let (_, end) = name.strip_prefix('.')?.rsplit_once(MARK)?;
    let (process, number) = end.split_once('-')?;
    let is_number = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    if !is_number(process) || !is_number(number) || number.is_empty() {
        return None;
    }
    Pid::from_raw(process.parse().ok()?)
}

/// Whether this is the folder of a run that ended without removing it. The lock is held while that is decided.
fn is_dead_run(folder: &Path, process: Pid) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let is_own = fs::symlink_metadata(folder)
        .is_ok_and(|found| found.is_dir() && found.uid() == own && found.mode() & 0o777 == 0o700);
    let is_gone = || {
        let found = rustix::process::test_kill_process(process);
        found == Err(rustix::io::Errno::SRCH)
    };
    let is_report = || {
        let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
        !entries.any(|entry| entry.file_name().as_bytes().starts_with(b"."))
    };
    is_own && is_gone() && File::open(folder).is_ok_and(|folder| is_free(&folder)) && is_report()
}

fn is_free(folder: &File) -> bool {
    rustix::fs::flock(folder, FlockOperation::NonBlockingLockExclusive).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::DirBuilderExt;

    /// A process that has ended.
    fn gone() -> u32 {
        let mut child = std::process::Command::new("true").spawn().expect("a child");
        child.wait().expect("its end");
        child.id()
    }

    fn folder(parent: &Path, name: &str, mode: u32) -> PathBuf {
        let path = parent.join(name);
        let made = fs::DirBuilder::new().mode(mode).create(&path);
        made.expect("a folder");
        fs::write(path.join("groups.jsonl"), "{}").expect("a file");
        path
    }

    #[test]
    fn only_what_a_dead_run_left_is_removed() {
        let dir = tempfile::tempdir().expect("a directory");
        let (gone, alive) = (gone(), std::process::id());
        let left = folder(dir.path(), &format!(".o1{MARK}{gone}-0"), 0o700);
        let kept = [
            folder(dir.path(), &format!(".o1{MARK}{alive}-0"), 0o700),
            folder(dir.path(), &format!(".o2{MARK}{gone}-0"), 0o750),
            folder(dir.path(), &format!(".o1.{gone}-0"), 0o700),
            folder(dir.path(), &format!("o1{MARK}{gone}-0"), 0o700),
            folder(dir.path(), &format!(".o1{MARK}{gone}-"), 0o700),
            folder(dir.path(), &format!(".o1{MARK}-{gone}-0"), 0o700),
            folder(dir.path(), &format!(".hidden{MARK}{gone}-0"), 0o700),
            folder(dir.path(), &format!(".locked{MARK}{gone}-0"), 0o700),
        ];
        fs::write(kept[6].join(".other"), "").expect("a file");
        let held = lock(&kept[7]).expect("a lock");
        let link = dir.path().join(format!(".o3{MARK}{gone}-0"));
        std::os::unix::fs::symlink(&kept[0], &link).expect("a link");
        remove_left_over(dir.path());
        assert!(!left.exists());
        assert!(
            kept.iter()
                .all(|folder| folder.join("groups.jsonl").exists())
        );
        assert!(link.is_symlink());
        drop(held);
        remove_left_over(dir.path());
        assert!(!kept[7].exists());
    }
}
