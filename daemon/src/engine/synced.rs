//! Whether a root is in step with its share after a walk, and whether it is as it was shown.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use simdex_index::Cancel;

use super::{Engine, EngineError, lock};
use crate::write_side::roots::{Root, RootState, RootStatus};
use crate::write_side::walk_queue::WalkQueue;

/// So long at most are hints waited for that a watcher was asked to tell: one that hangs in a share, or lets go of it,
/// says nothing.
const HINTS: Duration = Duration::from_secs(2);

/// Numbers of requests to tell hints.
static TELLING: AtomicU64 = AtomicU64::new(0);

impl Engine {
    /// Has every watcher tell what was touched by now, and waits until that is queued or walked: events of files that a
    /// walk has read would count as changes once they were told.
    pub(super) fn take_in_hints(&self, cancel: &Cancel) -> Result<(), EngineError> {
        let number = TELLING.fetch_add(1, Ordering::Relaxed) + 1;
        let queues = lock(&self.walks).clone();
        let is_asked = |(of, _): &(_, Arc<WalkQueue>)| {
            let root = self.roots.iter().find(|root| root.id == *of);
            root.is_some_and(|root| root.tell_hints_now(number))
        };
        let asked: Vec<Arc<WalkQueue>> = queues
            .into_iter()
            .filter(is_asked)
            .map(|(_, walks)| walks)
            .collect();
        let until = Instant::now() + HINTS;
        let is_telling = || {
            let all_told = asked.iter().all(|walks| walks.is_told(number));
            !all_told && Instant::now() < until
        };
        self.pipeline.wait_while(is_telling, cancel)?;
        let wanted = asked.iter().map(|walks| (walks.end_generation(), walks));
        let wanted: Vec<_> = wanted.collect();
        let is_walking = || {
            let mut wanted = wanted.iter();
            wanted.any(|(generation, walks)| !walks.is_done_through(*generation))
                && Instant::now() < until
        };
        self.pipeline.wait_while(is_walking, cancel)
    }

    /// Has every root walked; what that came to. Roots that are watched are walked by their own threads: of a share
    /// that hangs the caller leaves when it gives up.
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
