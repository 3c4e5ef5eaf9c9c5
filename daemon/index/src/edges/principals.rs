//! Which principals stand in long lists of fingerprints, so that a new version of a document meets the
//! principal of its family without all the other members.
//!
//! What is kept of a list holds every principal in it: whoever becomes one is added to the lists that are
//! kept. One that is none any more may stay, and one that is again may stand there twice; whoever reads asks,
//! and counts what passes on all shingles.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use simdex_schema::DocId;
use simdex_schema::posting::PostingKey;
use simdex_signature::Fingerprint;

/// Lists at least as long are kept.
pub(crate) const LONG: usize = 64;
/// Principals held in all lists, 8 bytes each; a list counts [`OF_LIST`] more. When there are more, all
/// are let go and read anew.
const MOST_HELD: usize = 4 << 20;
const OF_LIST: usize = 8;

/// The principals of long lists.
#[derive(Debug, Default)]
pub(crate) struct PrincipalLists(Mutex<Lists>);

#[derive(Debug, Default)]
struct Lists {
    by_key: FxHashMap<PostingKey, Vec<DocId>>,
    held: usize,
}

impl PrincipalLists {
    /// The principals of a list, where they are kept.
    pub(crate) fn read<T>(&self, key: PostingKey, read: impl FnOnce(&[DocId]) -> T) -> Option<T> {
        self.lock().by_key.get(&key).map(|list| read(list))
    }

    /// Keeps the principals of a list. Nobody may become a principal between the reading of the list and
    /// this.
    pub(crate) fn keep(&self, key: PostingKey, principals: Vec<DocId>) {
        let mut lists = self.lock();
        lists.make_room(principals.len() + OF_LIST);
        let before = lists.by_key.insert(key, principals);
        if let Some(before) = before {
            lists.held = lists.held.saturating_sub(before.len() + OF_LIST);
        }
    }

    /// A document with these fingerprints became a principal.
    pub(crate) fn add(&self, id: DocId, fingerprints: &[Fingerprint]) {
        let mut lists = self.lock();
        let mut added = 0;
        for fingerprint in fingerprints {
            let list = lists.by_key.get_mut(&PostingKey::of(*fingerprint));
            if let Some(list) = list.filter(|list| list.last() != Some(&id)) {
                list.push(id);
                added += 1;
            }
        }
        lists.make_room(added);
    }

    // Every change is whole before the lock is given back.
    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lists {
    fn make_room(&mut self, more: usize) {
        if self.held + more > MOST_HELD {
            *self = Self::default();
        }
        self.held += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_becomes_a_principal_is_in_the_lists_that_are_kept() {
        let lists = PrincipalLists::default();
        let (a, b) = (Fingerprint(64), Fingerprint(128));
        let kept = |f: Fingerprint| lists.read(PostingKey::of(f), <[DocId]>::to_vec);
        lists.keep(PostingKey::of(a), vec![DocId(3)]);
        lists.add(DocId(7), &[a, b]);
        lists.add(DocId(7), &[a]);
        assert_eq!(kept(a), Some(vec![DocId(3), DocId(7)]));
        assert_eq!(kept(b), None);
        lists.keep(PostingKey::of(b), vec![DocId(1); MOST_HELD - OF_LIST]);
        assert_eq!(kept(a), None, "there is no room for both");
        assert_eq!(kept(b).map(|list| list.len()), Some(MOST_HELD - OF_LIST));
    }
}
