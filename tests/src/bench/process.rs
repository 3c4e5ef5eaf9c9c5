//! What the operating system says of this process and its files.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::Context;
use rustix::fs::{Advice, fadvise};

/// Most memory this process had resident at once, in megabytes (Linux: VmHWM).
pub(super) fn peak_memory_mb() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line
        .and_then(|line| line.trim().strip_suffix(" kB"))
        .context("no VmHWM line")?;
    Ok(kib.parse::<f64>()? * 1024.0 / 1e6)
}

/// Asks the operating system to forget what it holds of the files directly in `dir`.
pub(super) fn drop_cached(dir: &Path) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let file = File::open(entry?.path())?;
        if file.metadata()?.is_file() {
            file.sync_all()?;
            fadvise(&file, 0, None, Advice::DontNeed)?;
        }
    }
    Ok(())
}

/// Bytes of disk allocated to the files in `dir` and below.
pub(super) fn allocated(dir: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += match metadata.is_dir() {
            true => allocated(&entry.path())?,
            // POSIX counts blocks of 512 bytes, whatever the file system's block size.
            false => metadata.blocks() * 512,
        };
    }
    Ok(bytes)
}

/// Processes that wanted to run over the last minute, on average: above the number of processors,
/// figures of time say little.
pub(super) fn load() -> anyhow::Result<f64> {
    let text = std::fs::read_to_string("/proc/loadavg")?;
    Ok(text
        .split(' ')
        .next()
        .context("an empty load average")?
        .parse()?)
}
