//! Which contents and containers a walk need not look at again: those at rest, whose records say that reading the same
//! bytes again would give the same result.
//!
//! A caller that finds one at rest notes it. The note is refused if records of contents changed since the caller
//! looked: what a batch writes is forgotten *after* the write, so nothing read before it stays noted. A container is
//! forgotten with each file in it, and with each content that a file in it holds; the files of a content that was known
//! before are looked up. Notes hold for this process alone: what a reader can do stays the same as long as it runs.
//!
//! A content is identified by 64 bits of its hash. Among 10⁹ contents, two share these with a probability of about a
//! thirtieth; a content mistaken for another is not tried again until the next start.

use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};
use simdex_schema::{ContentHash, FileKey, key};

use crate::batch::Batch;
use crate::store::{RecordStore, StoreError};

/// Maximum bytes of an entry of either kind: a map doubles when it is seven eighths full.
const EACH: u64 = 40;

/// Maximum number of files of rewritten contents that are looked up per batch, to forget the containers that hold them;
/// if there are more, all containers are forgotten.
const MAX_HOLDERS: usize = 1 << 14;

/// What is at rest, as far as there is room to note it.
#[derive(Debug)]
pub(crate) struct KnownUnchanged {
    state: Mutex<State>,
    max_entries: usize,
    hasher: RandomState,
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
pub(crate) struct Invalidated {
    contents: Vec<ContentHash>,
    files: Vec<u64>,
}

/// How to find the files that hold the contents a batch wrote.
#[derive(Clone, Copy)]
pub(crate) enum Holders<'a> {
    /// There is nothing to look up: only files written in the same batch hold these contents.
    Written,
    /// Files are looked up in the records.
    OnRecord(&'a dyn RecordStore),
}

impl KnownUnchanged {
    /// Takes at most this many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            state: Mutex::default(),
            max_entries: usize::try_from(bytes / EACH).unwrap_or(usize::MAX),
            hasher: RandomState::new(),
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
        if state.changes == seen && state.len() < self.max_entries {
            state.contents.insert(prefix(&hash.0));
        }
    }

    /// Whether everything inside a file of this content is at rest.
    pub(crate) fn has_container(&self, file: &FileKey, hash: ContentHash) -> bool {
        let name = self.hash_key(&key::file(file));
        self.lock().containers.get(&name) == Some(&prefix(&hash.0))
    }

    /// Notes a file whose members were found at rest, like [`Self::note_content`].
    pub(crate) fn note_container(&self, file: &FileKey, hash: ContentHash, seen: u64) {
        let name = self.hash_key(&key::file(file));
        let mut state = self.lock();
        if state.changes == seen && state.len() < self.max_entries {
            state.containers.insert(name, prefix(&hash.0));
        }
    }

    /// What a batch is about to write.
    pub(crate) fn invalidated_by(&self, batch: &Batch<'_>) -> Invalidated {
        let contents = batch.written(key::prefix::CONTENT);
        let files = batch.written(key::prefix::FILE);
        let on_disk = files.filter_map(key::file_in_key);
        Invalidated {
            contents: contents
                .filter_map(|key| ContentHash::from_slice(&key[1..]))
                .collect(),
            files: on_disk.map(|key| self.hash_key_of(&key)).collect(),
        }
    }

    /// Forgets what a batch wrote.
    pub(crate) fn forget(&self, invalidated: &Invalidated, holders: Holders<'_>) {
        let files = self.files_in_containers(invalidated, holders);
        let mut state = self.lock();
        state.changes += 1;
        for content in &invalidated.contents {
            state.contents.remove(&prefix(&content.0));
        }
        match files {
            // A content that cannot be looked up may be in any container.
            Err(_) | Ok(None) => state.containers.clear(),
            Ok(Some(files)) => invalidated.files.iter().chain(&files).for_each(|file| {
                state.containers.remove(file);
            }),
        }
    }

    /// The names of the files on disk that hold written contents, according to the records; `None` if there are too
    /// many.
    fn files_in_containers(
        &self,
        invalidated: &Invalidated,
        holders: Holders<'_>,
    ) -> Result<Option<Vec<u64>>, StoreError> {
        let mut files = Vec::new();
        let Holders::OnRecord(records) = holders else {
            return Ok(Some(files));
        };
        if self.lock().containers.is_empty() {
            return Ok(Some(files));
        }
        let mut left = MAX_HOLDERS;
        for content in &invalidated.contents {
            records.scan(&key::files_of_content(*content), None, &mut |link, _| {
                let file = key::file_in_link(link);
                files.extend(file.map(|file| self.hash_key_of(&file)));
                left = left.saturating_sub(1);
                match left {
                    0 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            })?;
        }
        Ok((left > 0).then_some(files))
    }

    /// The number of bytes it takes, and the maximum.
    pub(crate) fn weight(&self) -> (u64, u64) {
        let state = self.lock();
        let buckets = state.contents.capacity() * 9 + state.containers.capacity() * 17;
        (buckets as u64 * 8 / 7, self.max_entries as u64 * EACH)
    }

    fn hash_key(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// The name of the file on disk that this file is or lies in.
    fn hash_key_of(&self, file: &FileKey) -> u64 {
        self.hash_key(&key::file(&file.on_disk()))
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

    fn written(unchanged: &KnownUnchanged, keys: &[Vec<u8>], held: &[(ContentHash, &FileKey)]) {
        let store = MemoryStore::new();
        let links = held
            .iter()
            .map(|(content, file)| key::file_of_content(*content, file));
        let mut on_record = Batch::new(store.records());
        links.for_each(|link| on_record.put(link, Vec::new()));
        on_record.write().unwrap();
        let mut batch = Batch::new(store.records());
        keys.iter().for_each(|key| batch.put(key.clone(), vec![1]));
        let invalidated = unchanged.invalidated_by(&batch);
        unchanged.forget(&invalidated, Holders::OnRecord(store.records()));
    }

    #[test]
    fn what_was_read_before_a_change_is_not_noted_after_it() {
        let unchanged = KnownUnchanged::new(1 << 20);
        let seen = unchanged.changes();
        unchanged.note_content(content(1), seen);
        assert!(unchanged.has_content(content(1)) && !unchanged.has_content(content(2)));
        written(&unchanged, &[key::content(content(2))], &[]);
        assert!(unchanged.has_content(content(1)), "another was written");
        unchanged.note_content(content(2), seen);
        assert!(
            !unchanged.has_content(content(2)),
            "it may have changed since it was read"
        );
        written(&unchanged, &[key::content(content(1))], &[]);
        assert!(!unchanged.has_content(content(1)));
    }

    #[test]
    fn a_container_rests_until_anything_in_it_or_a_content_of_that_changes() {
        let unchanged = KnownUnchanged::new(1 << 20);
        let (a, b) = (file("a.zip"), file("b.zip"));
        let (in_a, in_b) = (a.member(b"x"), b.member(b"y").member(b"z"));
        let held = [(content(8), &in_a), (content(9), &in_b)];
        let note = || {
            let seen = unchanged.changes();
            unchanged.note_container(&a, content(1), seen);
            unchanged.note_container(&b, content(1), seen);
        };
        note();
        assert!(unchanged.has_container(&a, content(1)));
        assert!(
            !unchanged.has_container(&a, content(2)),
            "it holds another content now"
        );
        written(
            &unchanged,
            &[key::file(&a.member(b"x").member(b"y"))],
            &held,
        );
        assert!(
            !unchanged.has_container(&a, content(1)) && unchanged.has_container(&b, content(1))
        );
        note();
        written(&unchanged, &[key::content(content(7))], &held);
        assert!(
            unchanged.has_container(&a, content(1)) && unchanged.has_container(&b, content(1)),
            "neither holds it"
        );
        written(&unchanged, &[key::content(content(9))], &held);
        assert!(
            unchanged.has_container(&a, content(1)) && !unchanged.has_container(&b, content(1))
        );
    }

    #[test]
    fn a_content_that_is_in_too_many_files_makes_all_containers_go() {
        let unchanged = KnownUnchanged::new(1 << 20);
        let (a, b) = (file("a.zip"), file("b.zip"));
        unchanged.note_container(&a, content(1), 0);
        let members: Vec<FileKey> = (0..MAX_HOLDERS)
            .map(|at| b.member(at.to_string().as_bytes()))
            .collect();
        let held: Vec<_> = members.iter().map(|file| (content(9), file)).collect();
        written(&unchanged, &[key::content(content(9))], &held[1..]);
        assert!(unchanged.has_container(&a, content(1)));
        written(&unchanged, &[key::content(content(9))], &held);
        assert!(!unchanged.has_container(&a, content(1)));
    }

    #[test]
    fn so_many_are_noted_and_no_more() {
        let unchanged = KnownUnchanged::new(10 * EACH);
        for at in 0..20 {
            unchanged.note_content(content(at), 0);
        }
        let noted = (0..20).filter(|at| unchanged.has_content(content(*at)));
        assert_eq!(noted.count(), 10);
        let (bytes, limit) = unchanged.weight();
        assert!(bytes <= limit, "{bytes} of {limit}");
    }
}
