//! Whether a root is in step with its share after a walk, and whether it is as it was shown.

use std::sync::Arc;

use simdex_index::Cancel;

use super::{Engine, EngineError, lock};
use crate::write_side::roots::{Root, RootState, RootStatus};
use crate::write_side::walk_queue::WalkQueue;

impl Engine {
    /// Has every root walked; returns their statuses. Watched roots are walked by their own threads, so that the
    /// caller can give up on a share that hangs.
    pub(super) fn walk_all(&self, cancel: &Cancel) -> Result<Vec<RootStatus>, EngineError> {
        let queues = lock(&self.walks).clone();
        let watched = |root: &Arc<Root>| queues.iter().find(|(of, _)| *of == root.id);
        let want = |(_, walks): &(_, Arc<WalkQueue>)| {
            walks.want_sync();
            (walks.end_generation(), Arc::clone(walks))
        };
        let wanted: Vec<(u64, Arc<WalkQueue>)> =
            self.roots.iter().filter_map(watched).map(want).collect();
        let is_walking = || {
            let mut wanted = wanted.iter();
            wanted.any(|(generation, walks)| !walks.is_done_through(*generation))
        };
        self.pipeline.wait_while(is_walking, cancel)?;
        let walked = |root: &Arc<Root>| match watched(root) {
            Some(_) => Ok(root.last_walk()),
            None => self.rescan(root, cancel),
        };
        self.roots.iter().map(walked).collect()
    }
}

/// Fails if a root cannot be in step with its share: stale, replaced, or with a loss held.
pub(super) fn require_synced(root: &Root, status: &RootStatus) -> Result<(), EngineError> {
    let path = root.path.display();
    let confirm = || {
        let token = status.loss_token().map(|token| format!(" --token {token}"));
        format!(
            "`simctl roots confirm-loss {path}{}`",
            token.unwrap_or_default()
        )
    };
    match status.state {
        RootState::Watching | RootState::Scanning => Ok(()),
        RootState::Stale => Err(EngineError::Unsynced {
            reason: format!("the root {path} is stale ({})", status.detail),
            advice: "mount it again, make it readable, or remove it from the config".to_owned(),
        }),
        RootState::Replaced => Err(EngineError::Unsynced {
            reason: format!(
                "the root {path} is not the one on record ({})",
                status.detail
            ),
            advice: format!(
                "mount the right one, or accept this one, and what is missing as deleted, with {}",
                confirm()
            ),
        }),
        RootState::LossHeld => Err(EngineError::Unsynced {
            reason: format!(
                "{} files of the root {path} are missing at once and are kept until the loss is \
                 confirmed",
                status.pending_loss
            ),
            advice: format!("check the share, then run {}", confirm()),
        }),
    }
}

/// Why a loss is not accepted as real.
pub(super) fn not_as_shown(root: &Root) -> EngineError {
    let RootStatus {
        state,
        pending_loss,
        ..
    } = root.status();
    let missing = match state {
        RootState::LossHeld => {
            format!(", and {pending_loss} files are missing, which are not those shown")
        }
        _ => String::new(),
    };
    let (path, state) = (root.path.display(), state.name());
    EngineError::Unsynced {
        reason: format!(
            "the root {path} has changed since it was shown: now it is {state}{missing}"
        ),
        advice: "check the share and `simctl roots`, and confirm what that shows".to_owned(),
    }
}
