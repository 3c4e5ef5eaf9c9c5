//! A cache of recently used values, bounded by their weight: shingle sets, blocks of text, partners.
//!
//! Two generations: a value that is used moves to the young one. When that is half full it becomes the old one, and the
//! former old one is dropped. Every operation is O(1) and no list is kept.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Cheap clones of values by key.
#[derive(Debug)]
pub(crate) struct Cache<K, V>(Mutex<Generations<K, V>>);

#[derive(Debug)]
struct Generations<K, V> {
    young: HashMap<K, (V, u64)>,
    old: HashMap<K, (V, u64)>,
    /// Weight of `young`.
    held: u64,
    /// Weight of `old`, including what was moved from it since.
    held_old: u64,
    limit: u64,
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    /// A cache that holds at most this weight, in the unit that values are weighed in.
    pub(crate) fn new(limit: u64) -> Self {
        Self(Mutex::new(Generations {
            young: HashMap::new(),
            old: HashMap::new(),
            held: 0,
            held_old: 0,
            limit,
        }))
    }

    /// Returns a cached value.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let mut kept = self.lock();
        if let Some((value, _)) = kept.young.get(key) {
            return Some(value.clone());
        }
        let (key, (value, weight)) = kept.old.remove_entry(key)?;
        kept.insert(key, value.clone(), weight);
        Some(value)
    }

    /// Caches a value, unless it weighs more than half of the limit.
    pub(crate) fn insert(&self, key: K, value: V, weight: u64) {
        self.lock().insert(key, value, weight);
    }

    /// An upper bound of the cached weight, and the limit.
    pub(crate) fn weight(&self) -> (u64, u64) {
        let kept = self.lock();
        (kept.held + kept.held_old, kept.limit)
    }

    /// Drops all values.
    pub(crate) fn clear(&self) {
        let mut kept = self.lock();
        kept.young.clear();
        kept.old.clear();
        kept.held = 0;
        kept.held_old = 0;
    }

    // Every change is complete before the lock is released.
    fn lock(&self) -> MutexGuard<'_, Generations<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash, V> Generations<K, V> {
    fn insert(&mut self, key: K, value: V, weight: u64) {
        if weight > self.limit / 2 {
            return;
        }
        if self.held + weight > self.limit / 2 {
            self.old = std::mem::take(&mut self.young);
            self.held_old = std::mem::take(&mut self.held);
        }
        self.held += weight;
        let before = self.young.insert(key, (value, weight));
        self.held -= before.map_or(0, |(_, weight)| weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let cache = Cache::new(8 * 100);
        for key in 0..30 {
            cache.insert(key, key + 1_000, 100);
            assert_eq!(cache.get(&0), Some(1_000), "it was used just before");
            let kept = cache.lock();
            assert!(kept.young.len() + kept.old.len() <= 8);
            let least = 100 * (kept.young.len() + kept.old.len()) as u64;
            assert!((least..=800).contains(&(kept.held + kept.held_old)));
        }
        assert_eq!(cache.weight().1, 800);
        assert_eq!(cache.get(&5), None);
        cache.insert(5, 5, 401);
        assert_eq!(cache.get(&5), None, "it is too heavy");
        cache.clear();
        assert_eq!(cache.weight().0, 0);
        assert_eq!(cache.get(&0), None);
    }
}
