//! What a watcher tells the dispatcher: where something may have changed, and why a root is to be walked.

use std::path::PathBuf;

/// A change that may have happened below a root; the dispatcher finds out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A path that is not a directory and may be new or changed.
    Path(PathBuf),
    /// A directory that is new, was moved here or changed its permissions: walk it.
    Subtree(PathBuf),
    /// Walk the whole root. Merge it with one already waiting.
    WalkRoot(WalkCause),
    /// A delete or a move away was seen and nothing is at the path now: it was a file, or a directory with everything
    /// under it. The root itself still existed. The path may never have been known.
    Removed(PathBuf),
    /// All hints of what was seen before [`RootWatcher::flush`](super::RootWatcher::flush) was called with this number have been sent.
    Flushed(u64),
}

/// Why the whole root must be walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WalkCause {
    /// The watcher has just started; native watches are already armed.
    Start,
    /// A periodic rescan is due.
    Timer,
    /// Events were lost: the kernel's queue, ours, or the table of pending paths was full.
    Overflow,
    /// The native watcher failed and was re-armed.
    WatcherError,
    /// Native watching could not be armed, whatever the error: from now on the root is polled
    /// ([`RootWatcher::chosen`](super::RootWatcher::chosen) says why).
    FellBackToPolling,
    /// The root is missing or unreadable: it is stale and nothing in it counts as deleted.
    RootGone,
    /// The root is there again.
    RootBack,
    /// Another directory is at the root's path: a mount came or went, or it was replaced. Losses
    /// found now are suspect at any size.
    RootReplaced,
}

impl WalkCause {
    /// A short code for logs and status.
    pub fn code(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Timer => "timer",
            Self::Overflow => "overflow",
            Self::WatcherError => "watcher-error",
            Self::FellBackToPolling => "polled-instead",
            Self::RootGone => "root-gone",
            Self::RootBack => "root-back",
            Self::RootReplaced => "root-replaced",
        }
    }
}
