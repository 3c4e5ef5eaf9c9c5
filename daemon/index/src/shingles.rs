//! Shingle sets of documents kept for verification, bounded by the bytes they hold; and such a set in
//! use, with its permit.
//!
//! Two generations: what is used moves to the young one; when that is half full it becomes the old
//! one and the former old one is dropped. Every operation is O(1) and no list is kept.

use std::collections::HashMap;
use std::sync::Arc;

use std::ops::Deref;

use simdex_schema::DocId;
use simdex_signature::ShingleSet;

use crate::MemoryPermit;

/// A document's shingles, with the permit for what counting them takes.
#[derive(Debug)]
pub struct HeldSet {
    pub(crate) set: Arc<ShingleSet>,
    pub(crate) permit: Option<MemoryPermit>,
}

impl HeldSet {
    /// A set that is small enough to need no permit.
    pub(crate) fn of_small(set: Arc<ShingleSet>) -> Self {
        Self { set, permit: None }
    }

    /// The set without a permit, where it needs none.
    pub(crate) fn small(self) -> Option<Arc<ShingleSet>> {
        self.permit.is_none().then_some(self.set)
    }
}

impl Deref for HeldSet {
    type Target = ShingleSet;

    fn deref(&self) -> &ShingleSet {
        &self.set
    }
}

pub(crate) struct SetCache {
    young: HashMap<DocId, Arc<ShingleSet>>,
    old: HashMap<DocId, Arc<ShingleSet>>,
    /// Bytes in `young`.
    held: u64,
    limit: u64,
}

impl SetCache {
    /// Holds at most `limit` bytes, and one set more.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            held: 0,
            limit,
        }
    }

    pub(crate) fn get(&mut self, id: DocId) -> Option<Arc<ShingleSet>> {
        if let Some(set) = self.young.get(&id) {
            return Some(Arc::clone(set));
        }
        let set = self.old.remove(&id)?;
        self.insert(id, Arc::clone(&set));
        Some(set)
    }

    pub(crate) fn insert(&mut self, id: DocId, set: Arc<ShingleSet>) {
        let bytes = set.held_bytes();
        if bytes > self.limit / 2 {
            return;
        }
        if self.held + bytes > self.limit / 2 {
            self.old = std::mem::take(&mut self.young);
            self.held = 0;
        }
        self.held += bytes;
        let before = self.young.insert(id, set);
        self.held -= before.map_or(0, |set| set.held_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_signature::{CanonicalText, Window};

    fn set(id: u64) -> Arc<ShingleSet> {
        let text: String = (0..40).map(|i| format!("{} ", id * 1_000 + i)).collect();
        let canonical = CanonicalText::from_extracted(&text);
        Arc::new(ShingleSet::new(&canonical, Window::DEFAULT))
    }

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let size = set(1).held_bytes();
        let mut cache = SetCache::new(size * 8);
        for id in 0..30 {
            cache.insert(DocId(id), set(id));
            assert!(
                cache.get(DocId(0)).is_some(),
                "document 0 was used just before"
            );
            assert!(cache.young.len() + cache.old.len() <= 10);
        }
        assert!(cache.get(DocId(5)).is_none());
    }
}
