//! The thread that frees the room of replaced records and dead texts.

use std::time::Duration;

use simdex_index::{Fault, IndexError};

use super::Shared;
use crate::base::causes::causes;
use crate::error::Failure;

/// How often it checks whether there is work, which only requires sizes.
const EVERY: Duration = Duration::from_secs(2);
/// How long it waits after an attempt that the machine did not allow.
const AFTER_FAILURE: Duration = Duration::from_secs(600);

impl Shared {
    /// Rewrites records and texts wherever they take much more room than they need.
    pub(super) fn compact_at_times(&self) {
        let mut pause = EVERY;
        while self.lifecycle.wait(pause) {
            let cancel = self.lifecycle.cancel();
            let records = self.writer.compact_records(cancel);
            let records = self.report_outcome("records", records.map(usize::from));
            let texts = self.report_outcome("texts", self.writer.compact_texts(cancel));
            pause = match records && texts {
                true => EVERY,
                false => AFTER_FAILURE,
            };
        }
    }

    /// Logs the result of compacting, and fails the engine if the index failed; returns false if it is to be tried
    /// later.
    fn report_outcome(&self, what: &str, done: Result<usize, IndexError>) -> bool {
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
