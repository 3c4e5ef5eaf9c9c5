//! The thread that frees the room of replaced records and dead texts.

use std::time::{Duration, Instant};

use simdex_index::{Fault, IndexError};

use super::PipelineState;
use crate::base::causes::causes;
use crate::error::Failure;

/// How often it checks whether there is work, which only requires sizes.
const EVERY: Duration = Duration::from_secs(2);
/// How long it waits after an attempt that the machine did not allow.
const AFTER_FAILURE: Duration = Duration::from_secs(600);

/// When records or texts may be compacted again. Each waits only for itself: texts need less room than records, and
/// what they free may be what the records lack.
#[derive(Clone, Copy, Debug, Default)]
struct Attempts {
    not_before: Option<Instant>,
}

impl Attempts {
    fn is_due(&self, now: Instant) -> bool {
        self.not_before.is_none_or(|until| until <= now)
    }

    /// Notes whether an attempt that just ended was allowed by the machine.
    fn ended(&mut self, is_done: bool) {
        self.not_before = (!is_done).then(|| Instant::now() + AFTER_FAILURE);
    }
}

impl PipelineState {
    /// Rewrites records and texts wherever they take much more room than they need.
    pub(super) fn compact_periodically(&self) {
        let [mut records, mut texts] = [Attempts::default(); 2];
        while self.lifecycle.wait(EVERY) {
            let cancel = self.lifecycle.cancel();
            if records.is_due(Instant::now()) {
                let done = self.writer.compact_records(cancel).map(usize::from);
                records.ended(self.handle_compacted("records", done));
            }
            if texts.is_due(Instant::now()) {
                texts.ended(self.handle_compacted("texts", self.writer.compact_texts(cancel)));
            }
        }
    }

    /// Logs the result of compacting, and fails the engine if the index failed; returns false if it is to be tried
    /// later.
    fn handle_compacted(&self, what: &str, done: Result<usize, IndexError>) -> bool {
        match done {
            Ok(0) => {}
            Ok(_) => tracing::info!("{what} of the index were rewritten"),
            Err(error) if error.fault() == Fault::Index => {
                self.lifecycle.fail(Failure::Index(causes(&error)));
            }
            Err(error) => {
                let reason = causes(&error);
                tracing::warn!(
                    reason,
                    "the {what} of the index take more space than they need and could not be \
                     rewritten; tried again in 10 minutes"
                );
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_attempt_is_repeated_after_its_pause_and_a_successful_one_at_once() {
        let (mut records, mut texts) = (Attempts::default(), Attempts::default());
        records.ended(false);
        texts.ended(true);
        let now = Instant::now();
        assert!(!records.is_due(now) && texts.is_due(now));
        assert!(records.is_due(now + AFTER_FAILURE));
    }
}
