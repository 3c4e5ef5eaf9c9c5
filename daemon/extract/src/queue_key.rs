//! What the queue for workers and the room for spooled bytes are shared out by.

/// How soon the caller needs the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Urgency {
    /// The walk over the shares, which has time.
    #[default]
    Backlog,
    /// Somebody waits for the answer.
    Question,
}

/// What a document counts against: places are shared between roots and users first, then between the folders of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueKey {
    /// A file on disk.
    Folder {
        /// Number of its root.
        root: u64,
        /// Number of its folder in that root, such as a hash of the path.
        folder: u64,
    },
    /// A document that a user asks about, by the user's id.
    User(u32),
}

impl Default for QueueKey {
    fn default() -> Self {
        Self::Folder { root: 0, folder: 0 }
    }
}

impl QueueKey {
    /// Whether both belong to one root, or to one user.
    pub(crate) fn has_root_of(self, other: Self) -> bool {
        match (self, other) {
            (Self::Folder { root, .. }, Self::Folder { root: of_other, .. }) => root == of_other,
            _ => self == other,
        }
    }
}
