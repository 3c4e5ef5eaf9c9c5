//! The status of a root.

use std::path::Path;

use simdex_proto::text::counted;
use simdex_schema::DirectoryIdentity;

use super::LossToken;
use crate::write_side::watch::probe::InodeId;

/// The status of a root.
#[derive(Clone, Debug)]
pub struct RootStatus {
    /// The root's state.
    pub state: RootState,
    /// Files whose removal waits for a person.
    pub pending_loss: u64,
    /// The directory that was last walked completely.
    pub identity: Option<DirectoryIdentity>,
    /// The directory that was proven to be this root, in this run; `None` if there is none now.
    pub proven: Option<InodeId>,
    /// Token of the loss that a person would confirm, while the state is [`RootState::LossHeld`] or
    /// [`RootState::Replaced`].
    pub shown_token: Option<LossToken>,
    /// Further information: unreadable directories, errors.
    pub detail: String,
}

impl RootStatus {
    /// The token of what a person would confirm, if anything waits for that.
    pub fn loss_token(&self) -> Option<LossToken> {
        let waits = matches!(self.state, RootState::LossHeld | RootState::Replaced);
        self.shown_token.filter(|_| waits)
    }

    /// Logs that the files of the root at this path keep their last state from now on, or do so no longer.
    pub(super) fn log_change(&self, path: &Path, before: RootState) {
        let (path, state) = (path.display(), self.state.name());
        if self.state.keeps_files() {
            let reason = self.reason_kept();
            tracing::warn!(root = %path, state, reason, "the files of a root keep their last state");
        } else if before.keeps_files() {
            tracing::info!(root = %path, state, "a root is usable again");
        }
    }

    fn reason_kept(&self) -> String {
        let missing = || format!("{} missing at once", counted(self.pending_loss, "file"));
        match (self.pending_loss, self.detail.as_str()) {
            (0, detail) => detail.to_owned(),
            (_, "") => missing(),
            (_, detail) => format!("{detail}; {}", missing()),
        }
    }

    /// Marks it as in step with its share, whose directory has this identity; if the identity could not be
    /// determined, the recorded one is kept.
    pub fn mark_in_step(&mut self, identity: Option<DirectoryIdentity>) {
        self.state = RootState::Watching;
        self.pending_loss = 0;
        self.shown_token = None;
        self.detail = String::new();
        self.identity = identity.or(self.identity);
    }
}

/// The state of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootState {
    /// A walk is under way or still to come.
    Scanning,
    /// Up to date except for changes under way.
    Watching,
    /// Missing or unreadable; its files keep their last state.
    Stale,
    /// Another directory is at its path; its files keep their last state until the right one is
    /// back or a person confirms.
    Replaced,
    /// A rescan missed so many files that a person must confirm.
    LossHeld,
}

impl RootState {
    /// Whether recorded files are kept whatever the share shows.
    fn keeps_files(self) -> bool {
        matches!(self, Self::Stale | Self::Replaced | Self::LossHeld)
    }

    /// The name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scanning => "scanning",
            Self::Watching => "watching",
            Self::Stale => "stale",
            Self::Replaced => "replaced",
            Self::LossHeld => "loss-held",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_that_cannot_be_learnt_takes_nothing_from_the_record() {
        let identity = |inode| {
            Some(DirectoryIdentity {
                inode,
                file_system: 0xEF53,
                file_system_id: None,
            })
        };
        let inode = InodeId {
            device: 1,
            inode: 2,
            mount: 3,
        };
        let mut status = RootStatus {
            state: RootState::LossHeld,
            pending_loss: 1_100,
            identity: identity(2),
            proven: Some(inode),
            shown_token: Some(LossToken::of_held(inode, 1_100, [].iter())),
            detail: "kept".to_owned(),
        };
        assert!(status.loss_token().is_some());
        status.mark_in_step(None);
        assert_eq!(status.identity, identity(2));
        assert_eq!(
            (status.state, status.pending_loss),
            (RootState::Watching, 0)
        );
        assert_eq!((status.loss_token(), &*status.detail), (None, ""));
        status.mark_in_step(identity(9));
        assert_eq!(status.identity, identity(9));
    }
}
