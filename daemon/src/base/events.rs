//! Changes as they become visible to queries, numbered and kept for a while for subscribers.
//!
//! Recording never blocks. The last [`MAX_EVENTS`] events are kept, in at most [`MAX_BYTES`]; a subscriber
//! that falls behind further, or resumes after an event that is older, is told that some were lost.
//! Nothing is recorded until somebody subscribes for the first time.

mod event;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;
use tokio::sync::watch;

pub use event::{Event, EventKind, EventSubject, VisibleChange};

/// Events kept at most; the oldest are dropped first.
const MAX_EVENTS: usize = 65_536;
/// Approximate limit of the bytes of events kept.
const MAX_BYTES: usize = 16 << 20;

/// The events asked for are no longer kept, or do not exist yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LostEvents {
    /// They existed, but are not kept any more.
    #[error(
        "the events after number {after} are no longer kept; the oldest one kept has number {oldest}"
    )]
    Dropped {
        /// The number resumed after.
        after: u64,
        /// The oldest number that is kept, or the next one to be assigned.
        oldest: u64,
    },
    /// No event has had this number yet.
    #[error("there is no event with number {after} yet; the last has number {last}")]
    Future {
        /// The number resumed after.
        after: u64,
        /// The last number that was assigned.
        last: u64,
    },
}

/// The hub between threads that change things and subscribers.
#[derive(Debug)]
pub struct Events {
    kept: Mutex<EventLog>,
    is_watched: AtomicBool,
    /// The last number, for subscribers that wait.
    last: watch::Sender<u64>,
}

#[derive(Debug)]
struct EventLog {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    /// The number of the next event.
    next: u64,
}

impl Default for Events {
    /// Numbering begins at the current microsecond: above the numbers of every earlier run, which had
    /// fewer events than microseconds, unless the clock was set back.
    fn default() -> Self {
        let now = u64::try_from(jiff::Timestamp::now().as_microsecond()).unwrap_or(1);
        Self::starting_at(now.max(1))
    }
}

impl Events {
    fn starting_at(next: u64) -> Self {
        Self {
            kept: Mutex::new(EventLog {
                events: VecDeque::new(),
                bytes: 0,
                next,
            }),
            is_watched: AtomicBool::new(false),
            last: watch::Sender::new(next - 1),
        }
    }

    /// Whether anybody subscribes or has subscribed; otherwise events need not be made.
    pub fn is_watched(&self) -> bool {
        self.is_watched.load(Ordering::Acquire)
    }

    /// Records a change, at the present time.
    pub fn record(&self, change: VisibleChange) {
        if !self.is_watched() {
            return;
        }
        let mut kept = self.lock();
        let at = jiff::Timestamp::now().as_microsecond();
        let number = kept.next;
        kept.push(Event { number, at, change });
        drop(kept);
        self.last.send_replace(number);
    }

    /// Notes that changes went unrecorded that should have been recorded: every subscriber is notified that
    /// events were lost, and no subscriber can resume across this point.
    pub fn mark_lost(&self) {
        if !self.is_watched() {
            return;
        }
        let mut kept = self.lock();
        kept.events.clear();
        kept.bytes = 0;
        kept.next += 1;
        let last = kept.next - 1;
        drop(kept);
        self.last.send_replace(last);
    }

    /// Watches from now on, or from the event after the one with this number.
    ///
    /// # Errors
    /// If events after that number are no longer kept, or the number has not been assigned yet.
    pub fn watch(self: &Arc<Self>, after: Option<u64>) -> Result<Subscriber, LostEvents> {
        self.is_watched.store(true, Ordering::Release);
        let kept = self.lock();
        let last = kept.next - 1;
        let after = after.unwrap_or(last);
        if after > last {
            return Err(LostEvents::Future { after, last });
        }
        kept.after(after)?;
        drop(kept);
        Ok(Subscriber {
            last: self.last.subscribe(),
            events: Arc::clone(self),
            after,
        })
    }

    fn lock(&self) -> MutexGuard<'_, EventLog> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventLog {
    fn push(&mut self, event: Event) {
        self.next += 1;
        self.bytes += event.bytes();
        self.events.push_back(Arc::new(event));
        while self.events.len() > MAX_EVENTS || self.bytes > MAX_BYTES {
            let Some(oldest) = self.events.pop_front() else {
                break;
            };
            self.bytes -= oldest.bytes();
        }
    }

    /// The event after this number; `None` if it is still to come.
    fn after(&self, after: u64) -> Result<Option<Arc<Event>>, LostEvents> {
        let oldest = self.events.front().map_or(self.next, |event| event.number);
        match (after + 1).checked_sub(oldest) {
            Some(at) => Ok(self.events.get(at as usize).cloned()),
            None => Err(LostEvents::Dropped { after, oldest }),
        }
    }
}

/// Takes event after event.
pub struct Subscriber {
    events: Arc<Events>,
    last: watch::Receiver<u64>,
    after: u64,
}

impl Subscriber {
    /// The number of the last event taken, or the one that the subscription began after.
    pub fn after(&self) -> u64 {
        self.after
    }

    /// The next event, as soon as there is one.
    ///
    /// # Errors
    /// If it is no longer kept.
    pub async fn next(&mut self) -> Result<Arc<Event>, LostEvents> {
        loop {
            self.last.mark_unchanged();
            let next = self.events.lock().after(self.after)?;
            if let Some(event) = next {
                self.after = event.number;
                return Ok(event);
            }
            // The sender lives as long as `events`.
            let _ = self.last.changed().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use simdex_schema::RootId;

    use super::*;

    fn change(path: &str) -> VisibleChange {
        VisibleChange {
            kind: EventKind::FileRemoved,
            root: Some(RootId(1)),
            unless_seen: Vec::new(),
            path: PathBuf::from(path),
            subject: EventSubject::default(),
            detail: String::new(),
        }
    }

    fn path(event: Result<Arc<Event>, LostEvents>) -> String {
        event.unwrap().change.path.display().to_string()
    }

    #[tokio::test]
    async fn a_subscriber_gets_what_is_recorded_later_and_resumes_where_it_ended() {
        let events = Arc::new(Events::starting_at(100));
        events.record(change("/nobody/watches"));
        assert!(!events.is_watched());
        let mut subscriber = events.watch(None).unwrap();
        assert_eq!(subscriber.after(), 99);
        for path in ["/a", "/b", "/c"] {
            events.record(change(path));
        }
        assert_eq!(path(subscriber.next().await), "/a");
        assert_eq!(subscriber.after(), 100);
        let mut resumed = events.watch(Some(100)).unwrap();
        assert_eq!(path(resumed.next().await), "/b");
        assert_eq!(path(subscriber.next().await), "/b");
        assert_eq!(path(subscriber.next().await), "/c");
        let later = Arc::clone(&events);
        let waits = tokio::spawn(async move { path(subscriber.next().await) });
        tokio::task::yield_now().await;
        later.record(change("/d"));
        assert_eq!(waits.await.unwrap(), "/d");
    }

    #[tokio::test]
    async fn what_is_no_longer_kept_is_not_passed_over_in_silence() {
        let events = Arc::new(Events::starting_at(100));
        let lost = events.watch(Some(42)).err();
        let (after, oldest) = (42, 100);
        assert_eq!(
            lost,
            Some(LostEvents::Dropped { after, oldest }),
            "of an earlier run"
        );
        let lost = events.watch(Some(100)).err();
        assert_eq!(
            lost,
            Some(LostEvents::Future {
                after: 100,
                last: 99
            })
        );
        let mut slow = events.watch(None).unwrap();
        for _ in 0..=MAX_EVENTS {
            events.record(change("/a"));
        }
        let lost = slow.next().await.err();
        let (after, oldest) = (99, 101);
        assert_eq!(lost, Some(LostEvents::Dropped { after, oldest }));
    }

    #[tokio::test]
    async fn changes_that_could_not_be_recorded_are_told_as_lost() {
        let events = Arc::new(Events::starting_at(100));
        let mut subscriber = events.watch(None).unwrap();
        events.record(change("/a"));
        let mut behind = events.watch(Some(99)).unwrap();
        assert_eq!(path(subscriber.next().await), "/a");
        events.mark_lost();
        assert!(subscriber.next().await.is_err() && behind.next().await.is_err());
        assert!(events.watch(Some(100)).is_err());
        let mut later = events.watch(None).unwrap();
        events.record(change("/b"));
        assert_eq!(path(later.next().await), "/b");
    }

    #[test]
    fn bytes_are_bounded_as_well() {
        let events = Arc::new(Events::starting_at(1));
        let _watcher = events.watch(None).unwrap();
        let long = "x".repeat(1 << 20);
        for _ in 0..20 {
            events.record(change(&long));
        }
        let kept = events.lock();
        assert!(kept.bytes <= MAX_BYTES && kept.events.len() == 15);
    }
}
