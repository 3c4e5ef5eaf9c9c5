//! Inputs that are bad because of what happens to them: truncated while they are read, unreadable, read
//! again and again (inputs 22, 27 and 64).

use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use anyhow::{Result, ensure};

use super::bed::{Bed, text};
use super::files::filled;
use crate::sandbox::Daemon;

const LENGTH: u64 = 32 << 20;
const STRIKES: u64 = 3;
const POISON: &str = "64-strikes.zip";
const TRUNCATED: &str = "22-truncated.txt";
const REWRITTEN: &str = "24-rewritten.txt";
/// Seeds of two texts that are as long as one another.
const TEXTS: [u64; 2] = [24, 124];
/// The input that is judged after [`strike`].
pub(super) const GIVEN_UP: &str = "content that fails three times";

pub(super) fn make(bed: &mut Bed) -> Result<()> {
    let path = bed.place(22, "file truncated while it is read", TRUNCATED)?;
    filled(&path, text(22).as_bytes(), LENGTH)?;
    // Attributes of a process where no security module gives them: open, and refuse to be read.
    let refusing = unreadable().join("current");
    if fs::read(&refusing).is_err() && refusing.is_file() {
        bed.place(27, "file whose reading fails", refusing)?;
    } else {
        bed.not_made.push((27, "file whose reading fails"));
    }
    bed.write(
        24,
        "new bytes of the same length and time",
        REWRITTEN,
        rewritten(TEXTS[0]),
    )?;
    // The first header of a package, and nothing that belongs to it.
    let poison = [&b"PK\x03\x04"[..], &[b'x'; 400]].concat();
    bed.write(64, GIVEN_UP, POISON, poison)
}

/// A root of files that cannot be read.
pub(super) fn unreadable() -> PathBuf {
    Path::new("/proc")
        .join(std::process::id().to_string())
        .join("attr")
}

fn rewritten(seed: u64) -> String {
    text(seed)[..1000].to_owned()
}

/// Puts other bytes of the same length and time into a file, which must be found by them.
pub(super) fn rewrite(folder: &Path, daemon: &Daemon) -> Result<()> {
    let path = folder.join(REWRITTEN);
    let time = fs::metadata(&path)?.modified()?;
    let text = rewritten(TEXTS[1]);
    fs::write(&path, &text)?;
    let file = File::options().write(true).open(&path)?;
    file.set_times(FileTimes::new().set_modified(time))?;
    daemon.sync()?;
    let found = daemon.simctl_reading(text.as_str(), ["find-similar", "-"])?;
    let found = found.success()?.lines_of("match")?;
    let is_it = |found: &serde_json::Value| found["path"].as_str().map(Path::new) == Some(&path);
    ensure!(
        found.iter().any(is_it),
        "the new bytes were not read: {found:?}"
    );
    Ok(())
}

/// Has the poison read again until it is given up.
pub(super) fn strike(folder: &Path, daemon: &Daemon) -> Result<()> {
    for turn in 0..STRIKES {
        let file = File::options().write(true).open(folder.join(POISON))?;
        let time = SystemTime::now() - Duration::from_secs(3600 * (turn + 1));
        file.set_times(FileTimes::new().set_modified(time))?;
        daemon.sync()?;
    }
    Ok(())
}

/// Has the truncated file read until it changed meanwhile: on a busy machine nobody may get to it while it is read. One
/// that never does is told by the comparison.
pub(super) fn until_caught(folder: &Path, daemon: &Daemon) -> Result<()> {
    for _ in 0..20 {
        let (state, _) = super::ends(daemon, None)?
            .remove(&folder.join(TRUNCATED))
            .unwrap_or_default();
        if state == "unstable" {
            break;
        }
        daemon.sync()?;
    }
    Ok(())
}

/// Shortens a file and lengthens it again for as long as it lives.
pub(super) struct Truncating {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Truncating {
    pub(super) fn begin(folder: &Path) -> Result<Self> {
        let file = File::options().write(true).open(folder.join(TRUNCATED))?;
        let over = Arc::<AtomicBool>::default();
        let end = Arc::clone(&over);
        let thread = thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                // Should it fail, the file is quiet and the check says so.
                let _ = file.set_len(LENGTH / 2).and_then(|()| file.set_len(LENGTH));
                thread::sleep(Duration::from_millis(2));
            }
        });
        let thread = Some(thread);
        Ok(Self { over, thread })
    }
}

impl Drop for Truncating {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
