//! Watches for calls of the storage engine that do not return: an alarm is raised when one takes long, and
//! after the configured time the process ends. Nothing else helps: the stuck call holds locks that every other
//! call needs, including the one that closes the store.

use std::time::Duration;

use simdex_index::store::oldest_call;

use crate::host::alarms::{AlarmSource, Alarms};

/// The alarm is raised after this fraction of the time after which the process ends.
const ALARM_PART: u32 = 10;

/// The calls watched, and for how long a call may be under way.
pub(super) struct StuckStoreWatch {
    limit: Duration,
    /// Whether this watch has raised its alarm.
    raised: bool,
}

impl StuckStoreWatch {
    /// Watches for calls under way for this long.
    pub(super) fn new(limit: Duration) -> Self {
        let raised = false;
        Self { limit, raised }
    }

    /// Checks all calls now under way; returns why the process must end, if it must.
    pub(super) fn look(&mut self, alarms: &Alarms) -> Option<String> {
        self.judge(oldest_call().unwrap_or_default(), alarms)
    }

    fn judge(&mut self, oldest: Duration, alarms: &Alarms) -> Option<String> {
        if oldest < self.limit / ALARM_PART {
            if std::mem::take(&mut self.raised) {
                alarms.clear(AlarmSource::StuckStore);
            }
            return None;
        }
        self.raised = true;
        let limit = self.limit.as_secs();
        let reason = format!(
            "a call of the storage engine does not return; after {limit} s (store.stuck_seconds) the daemon ends, \
             to be started again"
        );
        alarms.raise(AlarmSource::StuckStore, &reason, None);
        (oldest >= self.limit).then(|| {
            format!(
                "a call of the storage engine has not returned for {limit} s (store.stuck_seconds)"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_call_is_an_alarm_while_it_lasts_and_a_stuck_one_the_end() {
        let alarms = Alarms::default();
        let mut watch = StuckStoreWatch::new(Duration::from_secs(600));
        let mut look = |seconds| watch.judge(Duration::from_secs(seconds), &alarms);
        let stands = || {
            alarms
                .gravest()
                .map(|alarm| (alarm.source, alarm.is_answering()))
        };
        assert_eq!((look(59), stands()), (None, None));
        assert_eq!(look(60), None);
        assert_eq!(stands(), Some((AlarmSource::StuckStore, true)));
        assert_eq!(look(599), None);
        assert_eq!((look(0), stands()), (None, None), "it returned");
        let reason = look(600).unwrap();
        assert!(reason.contains("600 s"), "{reason}");
        assert!(stands().is_some());
    }
}
