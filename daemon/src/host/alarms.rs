//! Alarms: reasons that keep changes from being applied now, for status, health and log.
//!
//! An alarm lasts from the first failure to the next success of the work concerned. Where several
//! threads do the same work, each has its own alarm, so that none ends the alarm of another. An
//! alarm is logged when it is raised, when its reason changes, and then once a minute.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use simdex_schema::RootId;
use tokio::sync::watch;

/// A lasting alarm is logged again this often.
const REMIND: Duration = Duration::from_secs(60);
/// Most alarms at once; beyond that the gravest are kept.
const MAX_ALARMS: usize = 1024;

/// The source of an alarm: the work that cannot continue, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlarmSource {
    /// The index is closed and being opened again.
    Index,
    /// A call of the storage engine does not return.
    StuckStore,
    /// Changes are not applied.
    Writer,
    /// Commits fail: applied changes are not power-safe.
    Commits,
    /// The ingester of this number does not ingest.
    Ingester(usize),
    /// A root is not walked.
    Walks(RootId),
    /// Files removed below a root stay in the index.
    Removals(RootId),
    /// Edges and groups are not found.
    Settler,
}

/// Why changes are not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// The work that cannot continue.
    pub source: AlarmSource,
    /// The error, in words for people.
    pub reason: String,
    /// When it was first raised, by the wall clock.
    pub since: SystemTime,
    /// When the work is tried again, if that is known.
    pub next_attempt: Option<SystemTime>,
    raised: Instant,
    logged: Instant,
}

impl Alarm {
    /// Whether questions are answered while the alarm lasts.
    pub fn is_answering(&self) -> bool {
        self.source != AlarmSource::Index
    }

    /// Whether it keeps the changes of this root from being applied.
    fn concerns(&self, root: RootId) -> bool {
        match self.source {
            AlarmSource::Walks(other) | AlarmSource::Removals(other) => other == root,
            _ => true,
        }
    }

    /// How long it has stood.
    pub fn lasts(&self) -> Duration {
        self.raised.elapsed()
    }
}

/// The daemon's health.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// Changes are applied and questions answered.
    Well,
    /// Questions are answered from what was applied before.
    Stalled,
    /// Nothing is answered.
    Away,
}

/// All current alarms.
pub struct Alarms {
    standing: Mutex<BTreeMap<AlarmSource, Alarm>>,
    health: watch::Sender<Health>,
}

impl Default for Alarms {
    fn default() -> Self {
        Self {
            standing: Mutex::default(),
            health: watch::Sender::new(Health::Well),
        }
    }
}

impl Alarms {
    /// Raises an alarm, or updates a current one; the work is tried again after `pause`.
    pub fn raise(&self, source: AlarmSource, reason: &str, pause: Option<Duration>) {
        let now = Instant::now();
        let mut standing = self.lock();
        let before = standing.get(&source);
        let was_logged = before.is_some_and(|alarm| {
            alarm.reason == reason && now.duration_since(alarm.logged) < REMIND
        });
        if !was_logged {
            tracing::error!(?source, reason, "changes are not applied");
        }
        let alarm = Alarm {
            source,
            reason: reason.to_owned(),
            since: before.map_or_else(SystemTime::now, |alarm| alarm.since),
            next_attempt: pause.and_then(|pause| SystemTime::now().checked_add(pause)),
            raised: before.map_or(now, |alarm| alarm.raised),
            logged: before
                .filter(|_| was_logged)
                .map_or(now, |alarm| alarm.logged),
        };
        standing.insert(source, alarm);
        if standing.len() > MAX_ALARMS {
            standing.pop_last();
        }
        self.tell(&standing);
    }

    /// Call when the work continues.
    pub fn clear(&self, source: AlarmSource) {
        let mut standing = self.lock();
        if standing.remove(&source).is_some() {
            tracing::info!(?source, "changes are applied again");
            self.tell(&standing);
        }
    }

    /// Clears all alarms, for a new engine.
    pub fn clear_all(&self) {
        let mut standing = self.lock();
        if !standing.is_empty() {
            standing.clear();
            tracing::info!("the index is open again");
            self.tell(&standing);
        }
    }

    /// The gravest current alarm.
    pub fn gravest(&self) -> Option<Alarm> {
        self.lock().values().next().cloned()
    }

    /// The gravest alarm that keeps the changes of a root from being applied.
    pub fn gravest_of(&self, root: RootId) -> Option<Alarm> {
        let standing = self.lock();
        let found = standing.values().find(|alarm| alarm.concerns(root));
        found.cloned()
    }

    /// Follows the daemon's health.
    pub fn health(&self) -> watch::Receiver<Health> {
        self.health.subscribe()
    }

    fn tell(&self, standing: &BTreeMap<AlarmSource, Alarm>) {
        let health = match standing.values().next() {
            None => Health::Well,
            Some(alarm) if alarm.is_answering() => Health::Stalled,
            Some(_) => Health::Away,
        };
        self.health.send_if_modified(|known| {
            let changed = *known != health;
            *known = health;
            changed
        });
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<AlarmSource, Alarm>> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_is_shown_with_its_first_time_and_its_last_reason() {
        let alarms = Alarms::default();
        let health = alarms.health();
        assert_eq!((alarms.gravest(), *health.borrow()), (None, Health::Well));
        alarms.raise(AlarmSource::Settler, "no memory", None);
        let first = alarms.gravest().unwrap();
        alarms.raise(AlarmSource::Settler, "no descriptors", Some(REMIND));
        let second = alarms.gravest().unwrap();
        assert_eq!(
            (first.since, second.reason.as_str()),
            (second.since, "no descriptors")
        );
        assert!(second.next_attempt.unwrap() > second.since);
        assert_eq!(*health.borrow(), Health::Stalled);
        alarms.raise(AlarmSource::Index, "the disk failed", None);
        assert_eq!(alarms.gravest().unwrap().source, AlarmSource::Index);
        assert_eq!(*health.borrow(), Health::Away);
        alarms.clear(AlarmSource::Index);
        alarms.clear(AlarmSource::Settler);
        assert_eq!((alarms.gravest(), *health.borrow()), (None, Health::Well));
    }

    #[test]
    fn a_root_that_recovers_ends_its_own_alarm_and_no_other() {
        let (alarms, [one, other]) = (Alarms::default(), [1, 2].map(RootId));
        alarms.raise(AlarmSource::Walks(one), "no descriptors", None);
        alarms.raise(AlarmSource::Walks(other), "no memory", None);
        assert_eq!(alarms.gravest_of(other).unwrap().reason, "no memory");
        alarms.clear(AlarmSource::Walks(one));
        assert_eq!(alarms.gravest().unwrap().reason, "no memory");
        assert_eq!(alarms.gravest_of(one), None);
        assert_eq!(*alarms.health().borrow(), Health::Stalled);
        alarms.clear(AlarmSource::Walks(other));
        assert_eq!(alarms.gravest(), None);
    }

    #[test]
    fn the_gravest_are_kept_of_very_many() {
        let alarms = Alarms::default();
        (0..MAX_ALARMS + 9)
            .for_each(|number| alarms.raise(AlarmSource::Ingester(number), "no memory", None));
        alarms.raise(AlarmSource::Writer, "no room", None);
        assert_eq!(alarms.lock().len(), MAX_ALARMS);
        assert_eq!(alarms.gravest().unwrap().source, AlarmSource::Writer);
    }
}
