//! A loss that a person takes as real: what was shown, and no more.
//!
//! Between the moment at which a loss is shown and the one at which it is confirmed a share may go, or lose more.
//! So the root is proven and walked once more, and what differs from what was shown is judged anew in place of
//! being believed.

use super::{Anchor, Rescan, Result, Root, RootState, WalkFindings};

/// What a person was shown of a root, and confirms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownLoss {
    /// So many files of the root on record are missing.
    Held(u64),
    /// Another directory stands at its path, to be taken for the root.
    Replaced,
}

impl ShownLoss {
    fn state(self) -> RootState {
        match self {
            Self::Held(_) => RootState::LossHeld,
            Self::Replaced => RootState::Replaced,
        }
    }
}

impl Rescan<'_> {
    /// Takes a held loss as real, or the directory at the root's path for the root: removes every file on record
    /// that is not there. Returns how many; none, and removes nothing, where the root is not as it was shown.
    pub fn confirm_loss(&self, root: &Root, shown: ShownLoss) -> Result<Option<u64>> {
        let _walking = self.walking(root)?;
        if root.state() != shown.state() {
            return Ok(None);
        }
        match shown {
            ShownLoss::Held(most) => self.confirm_held(root, most),
            ShownLoss::Replaced => self.confirm_replaced(root),
        }
    }

    fn confirm_held(&self, root: &Root, most: u64) -> Result<Option<u64>> {
        let Some(anchor) = self.prove(root)? else {
            return Ok(None);
        };
        let Some(found) = self.walk_root(root, &anchor)? else {
            return Ok(None);
        };
        let lost = self.unmoved(root, &found, most)?;
        if lost > most {
            self.hold(root, lost)?;
            return Ok(None);
        }
        self.remove(root, &anchor, found).map(Some)
    }

    /// How many of the missing files were not found elsewhere; where so few are missing that it makes no odds, all.
    fn unmoved(&self, root: &Root, found: &WalkFindings, most: u64) -> Result<u64> {
        let missed = found.missing.len() as u64;
        if missed <= most {
            return Ok(missed);
        }
        let (keys, kinds): (Vec<_>, Vec<_>) = found.missing.iter().cloned().unzip();
        let (_, moved) = self.known_and_moved(root, &keys, &kinds, &found.arrived)?;
        Ok(missed.saturating_sub(moved))
    }

    fn confirm_replaced(&self, root: &Root) -> Result<Option<u64>> {
        let shown = root.status().replaced_by;
        // Where the right one is back, or none is there, nothing is to be confirmed.
        if self.prove(root)?.is_some() || root.state() != RootState::Replaced {
            return Ok(None);
        }
        let anchor = Anchor::open_listable(&root.path).ok();
        let is_shown = |anchor: &Anchor| shown == Some(anchor.inode());
        let Some(anchor) = anchor.filter(is_shown) else {
            return Ok(None);
        };
        root.update(self.writer, |status| status.proven = Some(anchor.inode()))?;
        let taken = match self.walk_root(root, &anchor) {
            Ok(Some(found)) => self.remove(root, &anchor, found).map(Some),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        if !matches!(taken, Ok(Some(_))) {
            // It is not taken for the root by halves.
            root.update(self.writer, |status| status.proven = None)?;
        }
        taken
    }

    /// Enqueues all that is missing; how many files that is. The root is in step with its share from here on.
    fn remove(&self, root: &Root, anchor: &Anchor, found: WalkFindings) -> Result<u64> {
        let removed = found.missing.len() as u64;
        self.enqueue_missing(found)?;
        let identity = anchor.identity().ok();
        root.update(self.writer, |status| {
            status.identity = identity;
            status.pending_loss = 0;
            status.state = RootState::Watching;
            status.detail = String::new();
        })?;
        Ok(removed)
    }
}
