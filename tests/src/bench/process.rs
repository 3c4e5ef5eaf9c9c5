//! Measurements of this process and its files by the operating system.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use rustix::fs::{Advice, fadvise};
use rustix::time::{ClockId, clock_gettime};

/// Most memory this process had resident at once, in megabytes (Linux: VmHWM).
pub(super) fn peak_memory_mb() -> anyhow::Result<f64> {
    megabytes("VmHWM:")
}

/// Makes [`peak_memory_mb`] begin anew from what is resident now.
pub(super) fn reset_peak_memory() -> anyhow::Result<()> {
    let path = "/proc/self/clear_refs";
    std::fs::write(path, "5").with_context(|| format!("cannot write {path}"))
}

fn megabytes(name: &str) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line
        .and_then(|line| line.trim().strip_suffix(" kB"))
        .with_context(|| format!("no line {name}"))?;
    Ok(kib.parse::<f64>()? * 1024.0 / 1e6)
}

/// Bytes this process has written to files, so far.
pub(super) fn bytes_written() -> anyhow::Result<u64> {
    counted("wchar: ")
}

/// Bytes this process has read from files, so far, wherever they came from.
pub(super) fn bytes_read() -> anyhow::Result<u64> {
    counted("rchar: ")
}

/// Calls of the system by which this process has read, so far.
pub(super) fn read_calls() -> anyhow::Result<u64> {
    counted("syscr: ")
}

fn counted(name: &str) -> anyhow::Result<u64> {
    let io = std::fs::read_to_string("/proc/self/io")?;
    let line = io.lines().find_map(|line| line.strip_prefix(name));
    let line = line.with_context(|| format!("no line {name}"))?;
    Ok(line.trim().parse()?)
}

/// Seconds of processor time that this process has taken, so far.
pub(super) fn processor_seconds() -> anyhow::Result<f64> {
    processor_seconds_of(std::process::id())
}

/// Seconds of processor time that a process has taken, so far, without its children.
pub(super) fn processor_seconds_of(process: u32) -> anyhow::Result<f64> {
    // Fields 14 and 15 of all: in user mode, and in the kernel.
    ticks(&stat_of(process), 11)
}

/// Seconds of processor time that children of this process took which have ended.
pub(super) fn children_processor_seconds() -> anyhow::Result<f64> {
    ticks(&stat_of(std::process::id()), 13)
}

/// Seconds of processor time that each thread of a process has taken, so far, by name; those of one name together.
pub(super) fn threads_processor_seconds(process: u32) -> anyhow::Result<HashMap<String, f64>> {
    let mut threads = HashMap::new();
    for task in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let task = task?.path();
        let name = std::fs::read_to_string(task.join("comm"))?;
        *threads.entry(name.trim_end().to_owned()).or_default() += ticks(&task.join("stat"), 11)?;
    }
    Ok(threads)
}

fn stat_of(process: u32) -> PathBuf {
    format!("/proc/{process}/stat").into()
}

/// Two neighbouring fields of a `stat` in seconds, by the place of the first after the state.
fn ticks(stat: &Path, at: usize) -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string(stat)?;
    let (_, fields) = stat.rsplit_once(") ").context("no name in stat")?;
    let ticks = fields.split(' ').skip(at).take(2).map(str::parse::<f64>);
    let ticks: f64 = ticks.sum::<Result<_, _>>()?;
    Ok(ticks / rustix::param::clock_ticks_per_second() as f64)
}

/// Processor time that this thread has taken, so far, in user mode and in the kernel.
pub(super) fn thread_processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Bytes of memory resident now, in megabytes (Linux: VmRSS).
pub(super) fn memory_mb() -> anyhow::Result<f64> {
    megabytes("VmRSS:")
}

/// Asks the operating system to forget what it holds of the files in `dir` and below.
pub(super) fn drop_cached(dir: &Path) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            drop_cached(&path)?;
            continue;
        }
        let file = File::open(path)?;
        file.sync_all()?;
        fadvise(&file, 0, None, Advice::DontNeed)?;
    }
    Ok(())
}

/// Copies a folder with all that is in it; what is copied to must not be there.
pub(super) fn copy_dir(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        match entry.metadata()?.is_dir() {
            true => copy_dir(&source, &target)?,
            false => drop(std::fs::copy(source, target)?),
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
