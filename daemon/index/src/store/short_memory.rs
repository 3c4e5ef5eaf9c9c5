//! Whether memory was short: what failed then says nothing about a store.

/// The probe reads each page once, so a large cache would not help it.
pub(super) const CACHE_BYTES: u64 = 64 << 20;

/// Whether this process has come near the limit of its address space.
pub(in crate::store) fn memory_was_short() -> bool {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    let Some(limit) = limit else {
        return false;
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmPeak:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|kib| kib.parse::<u64>().ok());
    // If the peak is not known, memory may have been short.
    peak.is_none_or(|kib| (kib << 10).saturating_add(CACHE_BYTES) > limit)
}
