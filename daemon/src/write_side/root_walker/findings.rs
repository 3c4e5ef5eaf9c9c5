//! What a walk found beside what is on record: files that are missing, and those that may be the missing ones at another
//! path.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use simdex_schema::{FileKey, FileStat};

use crate::write_side::roots::LossToken;
use crate::write_side::watch::anchor::Anchor;

/// Most files not on record whose move keys a walk holds.
const MAX_ARRIVED: usize = 1 << 20;

/// The findings of a walk below a directory.
#[derive(Default)]
pub(super) struct WalkFindings {
    /// Recorded files with a content that the walk did not meet, in order, with their move keys.
    pub(super) missing: Vec<(FileKey, u64)>,
    /// Move keys of files that are not on record: a missing file with one of them has moved. At most [`MAX_ARRIVED`];
    /// of any further files it is not known that they moved, so that a loss is held rather than missed.
    pub(super) arrived: HashSet<u64>,
}

impl WalkFindings {
    /// Notes a file that is not on record.
    pub(super) fn note_arrived(&mut self, stat: &FileStat) {
        if self.arrived.len() < MAX_ARRIVED {
            self.arrived.insert(move_key(stat));
        }
    }

    /// Whether this file is among the missing ones.
    pub(super) fn misses(&self, key: &FileKey) -> bool {
        let missing = &self.missing;
        missing
            .binary_search_by(|(missed, _)| missed.cmp(key))
            .is_ok()
    }

    /// The token that identifies the loss of these files.
    pub(super) fn token(&self, anchor: &Anchor, lost: u64) -> LossToken {
        let missing = self.missing.iter().map(|(key, _)| key);
        LossToken::of_held(anchor.inode(), lost, missing)
    }
}

/// A key that stays the same when a file is moved: inode, length and time.
pub(super) fn move_key(stat: &FileStat) -> u64 {
    let mut hasher = DefaultHasher::new();
    (stat.inode, stat.length, stat.mtime).hash(&mut hasher);
    hasher.finish()
}
