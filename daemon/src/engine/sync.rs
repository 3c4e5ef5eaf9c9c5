//! Whether a root is in step with its share after a walk, and whether it is as it was shown.

use std::sync::Arc;
use std::time::{Duration, Instant};

use simdex_index::Cancel;
use simdex_proto::text::{counted, plural};

use super::{Engine, EngineError};
use crate::write_side::roots::{Root, RootState, RootStatus};
use crate::write_side::walk_queue::WalkQueue;

/// How long hints are waited for: a watcher that hangs in a share does not send them.
const LONGEST_FLUSH: Duration = Duration::from_secs(2);

/// Walks that were requested, each by its queue and the generation of the request.
pub(super) type RequestedWalks = Vec<(u64, Arc<WalkQueue>)>;

/// The walks requested of a queue by now.
pub(super) fn requested(walks: &Arc<WalkQueue>) -> (u64, Arc<WalkQueue>) {
    (walks.end_generation(), Arc::clone(walks))
}

/// Whether any of these walks is not done yet.
pub(super) fn is_any_walking(walks: &RequestedWalks) -> bool {
    let mut walks = walks.iter();
    walks.any(|(generation, walks)| !walks.is_done_through(*generation))
}

impl Engine {
    /// Makes every watcher send the hints that it holds back, and waits until they are queued and the walks requested
    /// by then are done, or for [`LONGEST_FLUSH`]. Otherwise hints of files that a walk has read already would count as
    /// changes afterwards.
    pub(super) fn flush_hints(&self, cancel: &Cancel) -> Result<(), EngineError> {
        let until = Instant::now() + LONGEST_FLUSH;
        let flushing = self.roots.iter().filter_map(|root| {
            let walks = root.walks()?;
            let number = walks.next_flush();
            root.flush_hints(number).then_some((number, walks))
        });
        let flushing: Vec<_> = flushing.collect();
        let is_flushing = || {
            let mut flushing = flushing.iter();
            flushing.any(|(number, walks)| !walks.is_flushed(*number)) && Instant::now() < until
        };
        self.pipeline.wait_while(is_flushing, cancel)?;
        let requested: RequestedWalks =
            flushing.iter().map(|(_, walks)| requested(walks)).collect();
        let is_walking = || is_any_walking(&requested) && Instant::now() < until;
        self.pipeline.wait_while(is_walking, cancel)
    }

    /// Walks every root and returns the results. Watched roots are walked by their own threads, so that a caller can
    /// give up waiting for a share that hangs.
    pub(super) fn walk_all(&self, cancel: &Cancel) -> Result<Vec<RootStatus>, EngineError> {
        let request = |walks: &Arc<WalkQueue>| {
            walks.request_sync();
            requested(walks)
        };
        let watched = self.roots.iter().filter_map(|root| root.walks());
        let requested_walks: RequestedWalks = watched.map(request).collect();
        self.pipeline
            .wait_while(|| is_any_walking(&requested_walks), cancel)?;
        let walked = |root: &Arc<Root>| match root.walks() {
            Some(_) => Ok(root.last_walk()),
            None => self.rescan(root, cancel),
        };
        self.roots.iter().map(walked).collect()
    }
}

/// How many roots an error names.
const MAX_NAMED: usize = 10;

/// A root that cannot be in step with its share: why, and what to do about it.
struct Unsynced {
    reason: String,
    advice: String,
}

/// Fails if a root cannot be in step with its share, and names all such roots: stale, replaced, or with a loss held.
pub(super) fn require_synced<'a>(
    walked: impl Iterator<Item = (&'a Root, &'a RootStatus)>,
) -> Result<(), EngineError> {
    let unsynced: Vec<Unsynced> = walked
        .filter_map(|(root, status)| unsynced(root, status))
        .collect();
    if unsynced.is_empty() {
        return Ok(());
    }
    let others = unsynced.len().saturating_sub(MAX_NAMED) as u64;
    let (mut reasons, mut advice) = (Vec::new(), Vec::new());
    for root in unsynced.into_iter().take(MAX_NAMED) {
        reasons.push(root.reason);
        if !advice.contains(&root.advice) {
            advice.push(root.advice);
        }
    }
    if others > 0 {
        reasons.push(format!("and {others} more root{}", plural(others)));
    }
    Err(EngineError::Unsynced {
        reason: reasons.join("; "),
        advice: advice.join("; "),
    })
}

fn unsynced(root: &Root, status: &RootStatus) -> Option<Unsynced> {
    let path = root.path.display();
    let confirm = || {
        let token = status.loss_token().map(|token| format!(" --token {token}"));
        format!(
            "`simctl roots confirm-loss {path}{}`",
            token.unwrap_or_default()
        )
    };
    let (reason, advice) = match status.state {
        RootState::Watching | RootState::Scanning => return None,
        RootState::Stale => (
            format!("the root {path} is stale ({})", status.detail),
            "mount it again, make it readable, or remove it from the config".to_owned(),
        ),
        RootState::Replaced => (
            format!(
                "the root {path} is not the one on record ({})",
                status.detail
            ),
            format!(
                "mount the right one, or accept this one, and what is missing as deleted, with {}",
                confirm()
            ),
        ),
        RootState::LossHeld => (
            format!(
                "{} missing at once below the root {path}: kept until the loss is confirmed",
                counted(status.pending_loss, "file")
            ),
            format!("check the share, then run {}", confirm()),
        ),
    };
    Some(Unsynced { reason, advice })
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
            let missing = counted(pending_loss, "file");
            format!(", with {missing} missing, not those that were shown")
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
