//! The thread that gives back the room of records that were replaced.

use std::time::Duration;

use simdex_index::Fault;

use super::Shared;
use crate::causes::causes;
use crate::lifecycle::Failure;

/// How often it asks whether there is anything to do, which depends on sizes alone.
const EVERY: Duration = Duration::from_secs(2);
/// How long it waits where the machine did not let it.
const AFTER_FAILURE: Duration = Duration::from_secs(600);

impl Shared {
    /// Rewrites the records wherever they take much more room than they need.
    pub(super) fn compact_at_times(&self) {
        let mut pause = EVERY;
        while self.lifecycle.wait(pause) {
            let done = self.index.compact_records(self.lifecycle.cancel());
            pause = EVERY;
            match done {
                Ok(false) => {}
                Ok(true) => tracing::info!("the records of the index were rewritten"),
                Err(error) if error.fault() == Fault::Index => {
                    self.lifecycle.fail(Failure::Index(causes(&error)));
                }
                Err(error) => {
                    let reason = causes(&error);
                    tracing::warn!(
                        reason,
                        "the records of the index take more room than they need and could not be \
                         rewritten: tried again in 10 minutes"
                    );
                    pause = AFTER_FAILURE;
                }
            }
        }
    }
}
