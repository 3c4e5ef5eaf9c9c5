//! The times and bounds of a watcher.

use std::time::Duration;

use crate::config::WatchConfig;

/// The times and bounds of a watcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchSettings {
    /// A path must be quiet for this long before its hint is sent.
    pub debounce: Duration,
    /// The hint for a path that is never quiet is sent after this long.
    pub max_delay: Duration,
    /// Hints for a path that changes again and again become less frequent, down to one in this time.
    pub hot_delay: Duration,
    /// Interval of rescans of a native root.
    pub rescan_every: Duration,
    /// Interval of rescans of a polled root.
    pub poll_every: Duration,
    /// How often to check that the root still exists.
    pub check_every: Duration,
    /// Most paths held back; if there are more, a rescan replaces them.
    pub pending_limit: usize,
}

impl WatchSettings {
    /// The configured settings; the others have their defaults.
    pub fn of(config: &WatchConfig) -> Self {
        Self {
            debounce: Duration::from_millis(config.debounce_ms),
            max_delay: Duration::from_secs(config.max_delay_seconds),
            rescan_every: Duration::from_secs(config.rescan_seconds.max(1)),
            poll_every: Duration::from_secs(config.poll_seconds.max(1)),
            ..Self::default()
        }
    }
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            debounce: Duration::from_millis(500),
            max_delay: Duration::from_secs(5),
            hot_delay: Duration::from_secs(60),
            rescan_every: Duration::from_secs(3_600),
            poll_every: Duration::from_secs(30),
            check_every: Duration::from_secs(5),
            pending_limit: 100_000,
        }
    }
}
