//! Which principals are in long posting lists, so that a new version of a document meets the principal of its family
//! without all the other members. Also how many, so that lists with few are looked up first.
//!
//! A cached list holds every principal in it: a document that becomes one is added to the cached lists. A document that
//! ceased to be a principal may stay in a list, and one that became a principal again may be in it twice, except if it
//! was signed again, since all documents may be. The reader checks each, and counts those that pass on all shingles. Of
//! lists with very many principals only their number is cached.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use simdex_schema::DocId;
use simdex_schema::posting::PostingKey;
use simdex_signature::Fingerprint;

/// Lists at least this long are cached.
pub(crate) const PRINCIPALS_KEPT_FROM: usize = 64;
/// Principals held in all lists take 8 bytes each; a list counts as this many more.
const OF_LIST: usize = 8;
/// Maximum number of principals cached for one list.
const MAX_LIST_LENGTH: usize = 1 << 10;
/// Lists whose numbers of principals differ by less than this are looked up in any order, so that the lists looked up,
/// and cached, are the same for all versions of a document.
pub(crate) const PRINCIPALS_STEP: usize = 16;

/// The principals of long lists.
#[derive(Debug)]
pub(crate) struct PrincipalLists(Mutex<Lists>);

#[derive(Debug)]
struct Lists {
    by_key: FxHashMap<PostingKey, KnownPrincipals>,
    held: usize,
    /// Maximum number of principals held. When there are more, all are dropped and read again.
    max_held: usize,
}

/// What is known of the principals in one posting list.
#[derive(Debug)]
struct KnownPrincipals {
    /// How many principals are in it.
    count: usize,
    /// All of them; `None` if there are too many.
    principals: Option<Vec<DocId>>,
}

impl KnownPrincipals {
    /// The number of principals held, plus what the list itself counts as.
    fn held(&self) -> usize {
        self.principals.as_ref().map_or(0, Vec::len) + OF_LIST
    }
}

impl PrincipalLists {
    /// A cache of at most this many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Mutex::new(Lists {
            by_key: FxHashMap::default(),
            held: 0,
            max_held: usize::try_from(bytes).unwrap_or(usize::MAX) / size_of::<DocId>(),
        }))
    }

    /// Approximate bytes held, and the limit.
    pub(crate) fn kept(&self) -> (u64, u64) {
        let lists = self.lock();
        let bytes = |principals| (principals * size_of::<DocId>()) as u64;
        (bytes(lists.held), bytes(lists.max_held))
    }

    /// The principals of a list, if they are cached.
    pub(crate) fn get(&self, key: PostingKey) -> Option<Vec<DocId>> {
        self.lock().by_key.get(&key)?.principals.clone()
    }

    /// How many principals are in each of these lists, in steps of [`PRINCIPALS_STEP`]; 0 for a list that is not known.
    pub(crate) fn principal_counts(&self, keys: impl Iterator<Item = PostingKey>) -> Vec<usize> {
        let lists = self.lock();
        let count = |key| lists.by_key.get(&key).map_or(0, |kept| kept.count);
        keys.map(|key| count(key) / PRINCIPALS_STEP).collect()
    }

    /// Caches the principals of a list. No document may become a principal between reading the list and this call.
    pub(crate) fn keep(&self, key: PostingKey, principals: Vec<DocId>) {
        let kept = KnownPrincipals {
            count: principals.len(),
            principals: (principals.len() <= MAX_LIST_LENGTH).then_some(principals),
        };
        let mut lists = self.lock();
        lists.make_room(kept.held());
        if let Some(before) = lists.by_key.insert(key, kept) {
            lists.held = lists.held.saturating_sub(before.held());
        }
    }

    /// Adds a document with these fingerprints that became a principal.
    pub(crate) fn add(&self, id: DocId, fingerprints: &[Fingerprint]) {
        self.add_to_lists(id, fingerprints, false);
    }

    /// Adds a document with these fingerprints that became a principal, was signed again, and may have been a principal
    /// before. Numbers of lists whose principals are not held are not increased: the document may have been counted.
    pub(crate) fn add_again(&self, id: DocId, fingerprints: &[Fingerprint]) {
        self.add_to_lists(id, fingerprints, true);
    }

    /// Drops all lists: other documents are in them once many were signed again.
    pub(crate) fn clear(&self) {
        self.lock().let_go();
    }

    fn add_to_lists(&self, id: DocId, fingerprints: &[Fingerprint], may_stand_there: bool) {
        let mut lists = self.lock();
        let (mut added, mut let_go) = (0, 0);
        for fingerprint in fingerprints {
            let Some(kept) = lists.by_key.get_mut(&PostingKey::of(*fingerprint)) else {
                continue;
            };
            match &mut kept.principals {
                Some(list) if list.last() == Some(&id) => continue,
                Some(list) if may_stand_there && list.contains(&id) => continue,
                None if may_stand_there => continue,
                Some(list) if list.len() < MAX_LIST_LENGTH => {
                    list.push(id);
                    added += 1;
                }
                list => let_go += list.take().map_or(0, |list| list.len()),
            }
            kept.count += 1;
        }
        lists.held = lists.held.saturating_sub(let_go);
        lists.make_room(added);
    }

    /// The number of principals held in all lists, and how many that would be if none were in a list twice.
    #[cfg(test)]
    pub(crate) fn held_and_distinct(&self) -> (usize, usize) {
        let lists = self.lock();
        let lists = lists.by_key.values();
        let held: Vec<&Vec<DocId>> = lists.filter_map(|kept| kept.principals.as_ref()).collect();
        let distinct = |list: &&Vec<DocId>| {
            let ids: std::collections::BTreeSet<&DocId> = list.iter().collect();
            ids.len()
        };
        let all = held.iter().map(|list| list.len()).sum();
        (all, held.iter().map(distinct).sum())
    }

    // Every change is complete before the lock is released.
    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lists {
    fn make_room(&mut self, more: usize) {
        if self.held + more > self.max_held {
            self.let_go();
        }
        self.held += more;
    }

    fn let_go(&mut self) {
        self.by_key = FxHashMap::default();
        self.held = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_HELD: usize = 1 << 16;

    fn kept(lists: &PrincipalLists, f: Fingerprint) -> Option<Vec<DocId>> {
        lists.get(PostingKey::of(f))
    }

    #[test]
    fn whoever_becomes_a_principal_is_in_the_lists_that_are_kept() {
        let lists = PrincipalLists::new(MAX_HELD as u64 * 8);
        let (a, b) = (Fingerprint(64), Fingerprint(128));
        lists.keep(PostingKey::of(a), vec![DocId(3)]);
        lists.add(DocId(7), &[a, b]);
        lists.add(DocId(7), &[a]);
        assert_eq!(kept(&lists, a), Some(vec![DocId(3), DocId(7)]));
        assert_eq!(kept(&lists, b), None);
    }

    #[test]
    fn whoever_was_signed_anew_stands_once_in_a_list() {
        let lists = PrincipalLists::new(MAX_HELD as u64 * 8);
        let (a, long) = (Fingerprint(64), Fingerprint(128));
        let count = |of| lists.lock().by_key[&PostingKey::of(of)].count;
        lists.keep(PostingKey::of(a), vec![DocId(3), DocId(7)]);
        lists.keep(PostingKey::of(long), vec![DocId(3); MAX_LIST_LENGTH + 1]);
        for id in [3, 9, 7, 9] {
            lists.add_again(DocId(id), &[a, long]);
        }
        assert_eq!(kept(&lists, a), Some(vec![DocId(3), DocId(7), DocId(9)]));
        assert_eq!((count(a), count(long)), (3, MAX_LIST_LENGTH + 1));
        lists.clear();
        assert_eq!((kept(&lists, a), lists.lock().held), (None, 0));
    }

    #[test]
    fn there_is_room_for_so_many_and_all_are_let_go_for_more() {
        let lists = PrincipalLists::new(MAX_HELD as u64 * 8);
        let list = |at: usize| Fingerprint((at as u64 + 1) << 30);
        let each = MAX_LIST_LENGTH + OF_LIST;
        let max_held = MAX_HELD / each;
        for at in 0..=max_held {
            lists.keep(PostingKey::of(list(at)), vec![DocId(1); MAX_LIST_LENGTH]);
            if at == 0 {
                // Caching the same list once more takes no further room.
                lists.keep(PostingKey::of(list(at)), vec![DocId(1); MAX_LIST_LENGTH]);
            }
            let held = lists.lock().held;
            assert_eq!(held, if at < max_held { (at + 1) * each } else { each });
        }
        assert_eq!(kept(&lists, list(0)), None);
        assert!(kept(&lists, list(max_held)).is_some());
    }

    #[test]
    fn of_a_list_with_very_many_principals_their_number_is_kept() {
        let lists = PrincipalLists::new(MAX_HELD as u64 * 8);
        let (many, few) = (Fingerprint(64), Fingerprint(128));
        let counts = || {
            let keys = [many, few, Fingerprint(192)].map(PostingKey::of);
            lists.principal_counts(keys.into_iter())
        };
        lists.keep(PostingKey::of(many), vec![DocId(1); MAX_LIST_LENGTH]);
        lists.keep(PostingKey::of(few), vec![DocId(1); PRINCIPALS_STEP - 1]);
        assert!(kept(&lists, many).is_some());
        lists.add(DocId(2), &[many]);
        assert_eq!(kept(&lists, many), None);
        assert_eq!(lists.lock().held, 2 * OF_LIST + PRINCIPALS_STEP - 1);
        assert_eq!(counts(), [MAX_LIST_LENGTH / PRINCIPALS_STEP, 0, 0]);
        (0..PRINCIPALS_STEP as u64).for_each(|id| lists.add(DocId(9 + id), &[many, few]));
        assert_eq!(counts(), [MAX_LIST_LENGTH / PRINCIPALS_STEP + 1, 1, 0]);
    }
}
