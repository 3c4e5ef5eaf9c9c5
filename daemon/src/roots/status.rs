//! Where a root stands.

use simdex_schema::DirectoryIdentity;

use crate::watch::probe::InodeId;

/// What is known of a root now.
#[derive(Clone, Debug)]
pub struct RootStatus {
    /// Where it stands.
    pub state: RootState,
    /// Files whose removal waits for a person.
    pub pending_loss: u64,
    /// The directory that was last walked whole.
    pub identity: Option<DirectoryIdentity>,
    /// The directory that was proven to be this root, in this run; none where there is none now.
    pub proven: Option<InodeId>,
    /// The directory that was judged to be another, while the state is [`RootState::Replaced`].
    pub replaced_by: Option<InodeId>,
    /// Things worth saying: unreadable directories, errors.
    pub detail: String,
}

/// Where a root stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootState {
    /// Being walked.
    Scanning,
    /// Up to date but for changes under way.
    Watching,
    /// Missing or unreadable; its files keep their last state.
    Stale,
    /// Another directory stands at its path; its files keep their last state until the right one is
    /// back or a person confirms.
    Replaced,
    /// A rescan missed so many files that a person must confirm.
    LossHeld,
}

impl RootState {
    /// As it is shown.
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
