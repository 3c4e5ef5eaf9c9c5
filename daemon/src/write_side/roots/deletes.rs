//! Known files that delete events named since the last rescan: their loss was observed.

use std::collections::HashSet;

use simdex_schema::FileKey;

use crate::write_side::watch::loss::HELD_FROM;

/// Files remembered; a loss of more is not explained by events, and held.
const REMEMBERED: usize = 1 << 20;

/// Files deleted since the last rescan.
#[derive(Default)]
pub(super) struct Deletes {
    /// Files by 128-bit hashes of their paths.
    named: HashSet<[u8; 16]>,
    /// Files that walks of directories missed and accepted as gone.
    missed: u64,
}

impl Deletes {
    /// Notes that these were named by a delete event.
    pub(super) fn add(&mut self, keys: &[FileKey]) {
        let room = REMEMBERED - self.named.len().min(REMEMBERED);
        self.named.extend(keys.iter().take(room).map(hash));
    }

    /// How many of these were named.
    pub(super) fn among(&self, keys: &[FileKey]) -> u64 {
        let named = |key: &&FileKey| self.named.contains(&hash(key));
        keys.iter().filter(named).count() as u64
    }

    /// Counts files that the walk of a directory missed; returns false, without counting them, if the total
    /// requires an assessment of the whole root: a loss must not be accepted folder by folder.
    pub(super) fn may_miss(&mut self, files: u64) -> bool {
        let missed = self.missed.saturating_add(files);
        let may = missed < HELD_FROM;
        if may {
            self.missed = missed;
        }
        may
    }

    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

fn hash(key: &FileKey) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(&key.path).as_bytes()[..16]);
    short
}

#[cfg(test)]
mod tests {
    use simdex_schema::RootId;

    use super::*;

    #[test]
    fn a_delete_explains_its_own_file_and_no_other() {
        let key = |number: u32| FileKey {
            root: RootId(1),
            path: format!("f{number}").into_bytes(),
        };
        let mut deletes = Deletes::default();
        deletes.add(&[key(1), key(2)]);
        assert_eq!(deletes.among(&[key(2), key(3), key(4)]), 1);
        deletes.forget();
        assert_eq!(deletes.among(&[key(2)]), 0);
    }

    #[test]
    fn losses_of_folders_are_believed_up_to_what_a_rescan_believes() {
        let mut deletes = Deletes::default();
        assert!(deletes.may_miss(HELD_FROM - 1) && deletes.may_miss(0));
        assert!(!deletes.may_miss(1));
        deletes.forget();
        assert!(deletes.may_miss(1));
    }
}
