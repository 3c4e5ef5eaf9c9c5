//! Changes as they become visible to queries, told to whoever watches.
//!
//! Telling never waits: a watcher that falls behind by more than [`KEPT`] events loses the oldest
//! and is told so.

use std::path::PathBuf;

use simdex_schema::RootId;
use tokio::sync::broadcast;

/// Events kept for a watcher that is behind.
const KEPT: usize = 4_096;

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A file is new or has changed, and was read.
    FileIndexed,
    /// A file is new or has changed, and nothing of it could be read; the detail says why.
    FileUnread,
    /// A file is gone.
    FileRemoved,
    /// Near-duplicates were found or lost.
    GroupChanged,
    /// A root changed its state.
    RootState,
}

impl EventKind {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::FileIndexed => "file-indexed",
            Self::FileUnread => "file-unread",
            Self::FileRemoved => "file-removed",
            Self::GroupChanged => "group-changed",
            Self::RootState => "root-state",
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What changed.
    pub kind: EventKind,
    /// Where: a watcher that may not see this root hears nothing of it.
    pub root: RootId,
    /// The file, or the root.
    pub path: PathBuf,
    /// More about it.
    pub detail: String,
    /// Microseconds since 1970.
    pub at: i64,
}

/// The hub between those who change things and those who watch.
#[derive(Debug)]
pub struct Events(broadcast::Sender<Event>);

impl Default for Events {
    fn default() -> Self {
        Self(broadcast::Sender::new(KEPT))
    }
}

impl Events {
    /// Whether anybody watches; where nobody does, events need not be made.
    pub fn is_heard(&self) -> bool {
        self.0.receiver_count() > 0
    }

    /// Tells a change, at the present time.
    pub fn tell(&self, kind: EventKind, root: RootId, path: PathBuf, detail: String) {
        let at = jiff::Timestamp::now().as_microsecond();
        // Nobody may be listening; that is no error.
        let _ = self.0.send(Event {
            kind,
            root,
            path,
            detail,
            at,
        });
    }

    /// Everything told from now on.
    pub fn watch(&self) -> broadcast::Receiver<Event> {
        self.0.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_watches_hears_what_is_told_later_and_nobody_need_watch() {
        let events = Events::default();
        events.tell(
            EventKind::FileRemoved,
            RootId(1),
            "/a".into(),
            String::new(),
        );
        assert!(!events.is_heard());
        let mut watcher = events.watch();
        assert!(events.is_heard());
        events.tell(EventKind::RootState, RootId(1), "/b".into(), "stale".into());
        let heard = watcher.try_recv().unwrap();
        assert_eq!(
            (heard.kind.name(), heard.detail.as_str()),
            ("root-state", "stale")
        );
        assert!(watcher.try_recv().is_err());
    }
}
