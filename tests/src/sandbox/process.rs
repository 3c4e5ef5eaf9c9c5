//! The kernel's information about other processes, and the rights it grants them.

use std::fs;
use std::thread;

use anyhow::{Result, anyhow};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

/// Children of all threads of a process.
pub fn children(parent: u32) -> Vec<u32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{parent}/task")) else {
        return Vec::new();
    };
    let listed = tasks.flatten().map(|task| task.path().join("children"));
    let lines = listed.filter_map(|path| fs::read_to_string(path).ok());
    let ids = |line: String| -> Vec<u32> {
        let words = line.split_whitespace();
        words.filter_map(|word| word.parse().ok()).collect()
    };
    lines.flat_map(ids).collect()
}

/// The most a process had resident at once (`VmHWM`), in KiB.
pub fn high_water_kib(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// Starts programs that permissions bind even where root runs the test: their bounding set lacks what lets root pass
/// them by.
pub fn bound_by_permissions<T: Send>(start: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let start = || {
        if rustix::process::geteuid().is_root() {
            for capability in [CapabilitySet::DAC_OVERRIDE, CapabilitySet::DAC_READ_SEARCH] {
                remove_capability_from_bounding_set(capability)?;
            }
        }
        start()
    };
    // The set is a thread's own, and is handed down to what the thread starts.
    thread::scope(|scope| scope.spawn(start).join())
        .map_err(|_| anyhow!("the starting thread panicked"))?
}
