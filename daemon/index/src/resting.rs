//! Which contents and containers a walk need not look at again: those at rest, whose records say that reading the same
//! bytes again would give the same result.
//!
//! A caller that finds one at rest notes it here. The note is refused if records of contents changed since the caller
//! read them. Notes are forgotten *after* a batch was written, so that nothing read before it stays noted. They hold
//! for this process only, since the readers do not change while it runs. A content is identified by 64 bits of its
//! hash; among a thousand million contents the probability of any collision is one in thirty. A content that is
//! mistaken for another is not tried again until the next start.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};
use simdex_schema::{ContentHash, FileKey, key};

use crate::batch::Batch;

/// Maximum bytes of an entry of either kind: a map doubles when it is seven eighths full.
const EACH: u64 = 40;

/// What is at rest, as far as there is room to note it.
#[derive(Debug)]
pub(crate) struct Resting {
    state: Mutex<State>,
    most: usize,
    names: RandomState,
}

#[derive(Debug, Default)]
struct State {
    /// Incremented each time something is forgotten.
    changes: u64,
    contents: FxHashSet<u64>,
    /// The contents of files on disk whose members are all at rest, by their keys.
    containers: FxHashMap<u64, u64>,
}

/// What a batch writes: to be forgotten once it is written.
pub(crate) struct Touched {
    contents: Vec<u64>,
    files: Vec<u64>,
}

impl Resting {
    /// Takes at most this many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            state: Mutex::default(),
            most: usize::try_from(bytes / EACH).unwrap_or(usize::MAX),
            names: RandomState::new(),
        }
    }

    /// The number of changes: read it before records are read, and pass it when their result is noted.
    pub(crate) fn changes(&self) -> u64 {
        self.lock().changes
    }

    pub(crate) fn has_content(&self, hash: ContentHash) -> bool {
        self.lock().contents.contains(&prefix(&hash.0))
    }

    /// Notes a content that was found at rest, unless anything changed since or there is no room.
    pub(crate) fn note_content(&self, hash: ContentHash, seen: u64) {
        let mut state = self.lock();
        if state.changes == seen && state.len() < self.most {
            state.contents.insert(prefix(&hash.0));
        }
    }

    /// Whether everything inside a file of this content is at rest.
    pub(crate) fn has_container(&self, file: &FileKey, hash: ContentHash) -> bool {
        let name = self.name(&key::file(file));
        self.lock().containers.get(&name) == Some(&prefix(&hash.0))
    }

    /// Notes a file whose members were found at rest, like [`Self::note_content`].
    pub(crate) fn note_container(&self, file: &FileKey, hash: ContentHash, seen: u64) {
        let name = self.name(&key::file(file));
        let mut state = self.lock();
        if state.changes == seen && state.len() < self.most {
            state.containers.insert(name, prefix(&hash.0));
        }
    }

    /// What a batch is about to write.
    pub(crate) fn touched(&self, batch: &Batch<'_>) -> Touched {
        let contents = batch.written(key::prefix::CONTENT);
        let files = batch.written(key::prefix::FILE);
        let on_disk = files.filter_map(|key| Some(key::file(&key::file_in_key(key)?.on_disk())));
        Touched {
            contents: contents.map(|key| prefix(&key[1..])).collect(),
            files: on_disk.map(|key| self.name(&key)).collect(),
        }
    }

    /// Forgets what was written. If contents were known before, members of any container may have them: all containers
    /// are forgotten.
    pub(crate) fn forget(&self, touched: &Touched, were_known: bool) {
        let mut state = self.lock();
        state.changes += 1;
        for content in &touched.contents {
            state.contents.remove(content);
        }
        match were_known {
            true => state.containers.clear(),
            false => touched.files.iter().for_each(|file| {
                state.containers.remove(file);
            }),
        }
    }

    /// Bytes in use, and the limit.
    pub(crate) fn weight(&self) -> (u64, u64) {
        let state = self.lock();
        let buckets = state.contents.capacity() * 9 + state.containers.capacity() * 17;
        (buckets as u64 * 8 / 7, self.most as u64 * EACH)
    }

    fn name(&self, key: &[u8]) -> u64 {
        self.names.hash_one(key)
    }

    // Every change is complete before the lock is released.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn len(&self) -> usize {
        self.contents.len() + self.containers.len()
    }
}

fn prefix(hash: &[u8]) -> u64 {
    hash.first_chunk()
        .map_or(0, |first| u64::from_be_bytes(*first))
}

#[cfg(test)]
mod tests {
    use simdex_schema::RootId;

    use super::*;
    use crate::store::{MemoryStore, Store};

    fn content(byte: u8) -> ContentHash {
        ContentHash([byte; 32])
    }

    fn file(path: &str) -> FileKey {
        FileKey {
            root: RootId(1),
            path: path.as_bytes().to_vec(),
        }
    }

    fn written(resting: &Resting, keys: &[Vec<u8>], were_known: bool) {
        let store = MemoryStore::new();
        let mut batch = Batch::new(store.records());
        keys.iter().for_each(|key| batch.put(key.clone(), vec![1]));
        resting.forget(&resting.touched(&batch), were_known);
    }

    #[test]
    fn what_was_read_before_a_change_is_not_noted_after_it() {
        let resting = Resting::new(1 << 20);
        let seen = resting.changes();
        resting.note_content(content(1), seen);
        assert!(resting.has_content(content(1)) && !resting.has_content(content(2)));
        written(&resting, &[key::content(content(2))], false);
        assert!(resting.has_content(content(1)), "another was written");
        resting.note_content(content(2), seen);
        assert!(
            !resting.has_content(content(2)),
            "it may have changed since it was read"
        );
        written(&resting, &[key::content(content(1))], true);
        assert!(!resting.has_content(content(1)));
    }

    #[test]
    fn a_container_rests_until_anything_in_it_or_a_known_content_changes() {
        let resting = Resting::new(1 << 20);
        let (a, b) = (file("a.zip"), file("b.zip"));
        let note = || {
            let seen = resting.changes();
            resting.note_container(&a, content(1), seen);
            resting.note_container(&b, content(1), seen);
        };
        note();
        assert!(resting.has_container(&a, content(1)));
        assert!(
            !resting.has_container(&a, content(2)),
            "it holds another content now"
        );
        written(&resting, &[key::file(&a.member(b"x").member(b"y"))], false);
        assert!(!resting.has_container(&a, content(1)) && resting.has_container(&b, content(1)));
        note();
        written(&resting, &[key::content(content(9))], false);
        assert!(
            resting.has_container(&a, content(1)),
            "a content that is new is in none"
        );
        written(&resting, &[key::content(content(9))], true);
        assert!(!resting.has_container(&a, content(1)) && !resting.has_container(&b, content(1)));
    }

    #[test]
    fn so_many_are_noted_and_no_more() {
        let resting = Resting::new(10 * EACH);
        for at in 0..20 {
            resting.note_content(content(at), 0);
        }
        let noted = (0..20).filter(|at| resting.has_content(content(*at)));
        assert_eq!(noted.count(), 10);
        let (bytes, limit) = resting.weight();
        assert!(bytes <= limit, "{bytes} of {limit}");
    }
}
