//! A loss that a person confirms as real: exactly what was shown, and no more.
//!
//! Between showing a loss and confirming it, a share may disappear, lose more, or lose something else. So the root
//! is proven and walked once more, and anything that differs from what was shown is assessed again instead of being
//! accepted.

use super::findings::WalkFindings;
use super::{Anchor, LossToken, Result, Root, RootState, RootWalker};

impl RootWalker<'_> {
    /// Accepts a held loss as real, or the directory at the root's path as the root: removes every recorded file
    /// that does not exist. Returns how many; returns `None`, and removes nothing of the loss, if the root is not
    /// as it was shown.
    pub fn confirm_loss(&self, root: &Root, shown: LossToken) -> Result<Option<u64>> {
        let _walking = self.take_walk_turn(root)?;
        let status = root.status();
        if status.loss_token() != Some(shown) {
            return Ok(None);
        }
        match status.state {
            RootState::Replaced => self.confirm_replaced(root, shown),
            _ => self.confirm_held(root, shown),
        }
    }

    fn confirm_held(&self, root: &Root, shown: LossToken) -> Result<Option<u64>> {
        let Some(anchor) = self.prove_root(root)? else {
            return Ok(None);
        };
        let Some(found) = self.walk_root(root, &anchor)? else {
            return Ok(None);
        };
        let lost = self.unmoved(root, &found)?;
        if found.token(&anchor, lost) != shown {
            self.accept_or_hold(root, &anchor, found)?;
            return Ok(None);
        }
        let identity = anchor.identity().ok();
        self.accept_missing(root, identity, found).map(Some)
    }

    /// How many of the missing files were not found elsewhere.
    fn unmoved(&self, root: &Root, found: &WalkFindings) -> Result<u64> {
        let (keys, move_keys): (Vec<_>, Vec<_>) = found.missing.iter().cloned().unzip();
        let (_, moved) = self.known_and_moved(root, &keys, &move_keys, &found.arrived)?;
        Ok((keys.len() as u64).saturating_sub(moved.len() as u64))
    }

    fn confirm_replaced(&self, root: &Root, shown: LossToken) -> Result<Option<u64>> {
        // If the right directory is back, or there is none, there is nothing to confirm.
        if self.prove_root(root)?.is_some() || root.state() != RootState::Replaced {
            return Ok(None);
        }
        // The record is of the old directory and is replaced too: a directory without an identity cannot be accepted.
        let anchor = Anchor::open_listable(&root.path).ok();
        let known = anchor.and_then(|anchor| anchor.identity().ok().map(|of| (anchor, of)));
        let is_shown = |(anchor, identity): &(Anchor, _)| {
            LossToken::of_replaced(anchor.inode(), *identity) == shown
        };
        let Some((anchor, identity)) = known.filter(is_shown) else {
            return Ok(None);
        };
        root.update(self.writer, |status| status.proven = Some(anchor.inode()))?;
        let taken = match self.walk_root(root, &anchor) {
            Ok(Some(found)) => self.accept_missing(root, Some(identity), found).map(Some),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        if !matches!(taken, Ok(Some(_))) {
            // Do not leave the root half accepted.
            root.update(self.writer, |status| status.proven = None)?;
        }
        taken
    }
}
