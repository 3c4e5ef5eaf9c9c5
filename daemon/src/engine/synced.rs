//! Whether a root is in step with its share after a walk.

use super::EngineError;
use crate::roots::{Root, RootState, RootStatus};

/// Fails where a root cannot be in step with its share: stale, replaced, or with a loss held.
pub(super) fn require_synced(root: &Root, status: &RootStatus) -> Result<(), EngineError> {
    let path = root.path.display();
    match status.state {
        RootState::Watching | RootState::Scanning => Ok(()),
        RootState::Stale => Err(EngineError::Unsynced {
            reason: format!("the root {path} is stale ({})", status.detail),
            advice: "mount it again or let it be read, or take it out of the config".to_owned(),
        }),
        RootState::Replaced => Err(EngineError::Unsynced {
            reason: format!(
                "the root {path} is not the one on record ({})",
                status.detail
            ),
            advice: format!(
                "mount the right one, or take this one for it, and what is missing for deleted, with \
                 `simctl roots confirm-loss {path}`"
            ),
        }),
        RootState::LossHeld => Err(EngineError::Unsynced {
            reason: format!(
                "{} files of the root {path} are missing at once and kept until somebody confirms",
                status.pending_loss
            ),
            advice: format!("look at the share, then run `simctl roots confirm-loss {path}`"),
        }),
    }
}
