//! Known files that delete events named since the last rescan: a loss among them was seen to happen.

use std::collections::HashSet;

use simdex_schema::FileKey;

/// Files remembered; of more a loss is not explained, and held.
const REMEMBERED: usize = 1 << 20;

/// Files by 128-bit hashes of their paths.
#[derive(Default)]
pub(super) struct Deletes(HashSet<[u8; 16]>);

impl Deletes {
    /// These were named by a delete event.
    pub(super) fn add(&mut self, keys: &[FileKey]) {
        let room = REMEMBERED - self.0.len().min(REMEMBERED);
        self.0.extend(keys.iter().take(room).map(hash));
    }

    /// How many of these were named.
    pub(super) fn among(&self, keys: &[FileKey]) -> u64 {
        let named = |key: &&FileKey| self.0.contains(&hash(key));
        keys.iter().filter(named).count() as u64
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
}
