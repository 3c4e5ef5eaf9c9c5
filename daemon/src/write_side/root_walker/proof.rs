//! Proves that the directory at a root's path is the root on record, before anything is concluded from it.

use simdex_index::IndexError;

use super::{Result, RootWalker};
use crate::write_side::identity::{RootIdentity, verify_root};
use crate::write_side::roots::{LossToken, Root, RootState};
use crate::write_side::watch::anchor::{Anchor, RootRefusal};

impl RootWalker<'_> {
    /// The directory at a root's path, if it is the root on record; otherwise updates the root's status.
    pub(super) fn prove_root(&self, root: &Root) -> Result<Option<Anchor>> {
        let anchor = match Anchor::open_listable(&root.path) {
            Ok(anchor) => anchor,
            Err(refusal) => return self.mark_stale(root, &refusal).map(|()| None),
        };
        match verify_root(self.registry, root, &anchor)? {
            RootIdentity::Same => {
                root.update(self.writer, |status| status.proven = Some(anchor.inode()))?;
                Ok(Some(anchor))
            }
            RootIdentity::Refused(refusal) => self.mark_stale(root, &refusal).map(|()| None),
            RootIdentity::Other(found, why) => {
                let token = LossToken::of_replaced(anchor.inode(), found);
                root.update(self.writer, |status| {
                    status.proven = None;
                    status.shown_token = Some(token);
                    status.state = RootState::Replaced;
                    status.detail = why;
                })?;
                Ok(None)
            }
        }
    }

    /// The root's directory, as it was last proven.
    pub(super) fn proven_anchor(&self, root: &Root) -> Option<Anchor> {
        let anchor = Anchor::open_listable(&root.path).ok()?;
        (root.status().proven == Some(anchor.inode())).then_some(anchor)
    }

    /// Records that a root cannot be used in its present state. A shortage says nothing about the
    /// root: it is returned as an error, and the walk is to be repeated.
    pub(super) fn mark_stale(&self, root: &Root, refusal: &RootRefusal) -> Result<()> {
        if let Some(errno) = refusal.shortage() {
            return Err(IndexError::Shortage {
                what: format!("{} cannot be scanned", root.path.display()),
                source: errno.into(),
            }
            .into());
        }
        root.retry_walk_soon();
        root.update(self.writer, |status| {
            status.proven = None;
            status.state = RootState::Stale;
            status.detail = refusal.to_string();
        })?;
        Ok(())
    }
}
