//! A map by document id that takes little more memory than its values.
//!
//! Ids are assigned in ascending order and never reused, so most of those in use are adjacent. They are divided into
//! pages of 64: a page is one word of bits, which tells the ids present, and their values in order. A hash map would
//! take up to twice the memory, twice that while it grows, and two cache misses for each of the thousands of candidates
//! that a request looks up; here the map of pages stays in the processor's cache.

use rustc_hash::FxHashMap;
use simdex_schema::DocId;

/// Number of ids in a page.
const PAGE: u64 = u64::BITS as u64;

/// Values by document id.
#[derive(Debug)]
pub(crate) struct IdMap<V> {
    pages: FxHashMap<u64, Page<V>>,
    len: usize,
}

#[derive(Debug)]
struct Page<V> {
    /// Which ids of the page are present.
    present: u64,
    /// Their values, by ascending id.
    values: Vec<V>,
}

/// The position of an id in a page: its bit, and how many ids present come before it.
struct Place {
    bit: u64,
    at: usize,
}

impl<V> Page<V> {
    fn place(&self, id: DocId) -> Place {
        let bit = 1 << (id.0 % PAGE);
        Place {
            bit,
            at: (self.present & (bit - 1)).count_ones() as usize,
        }
    }
}

impl<V> IdMap<V> {
    /// The value of an id.
    pub(crate) fn get(&self, id: DocId) -> Option<&V> {
        let page = self.pages.get(&(id.0 / PAGE))?;
        let Place { bit, at } = page.place(id);
        match page.present & bit {
            0 => None,
            _ => page.values.get(at),
        }
    }

    /// The value of an id; inserts `absent` if there is none.
    pub(crate) fn get_or_insert(&mut self, id: DocId, absent: V) -> &mut V {
        let page = self.pages.entry(id.0 / PAGE).or_insert(Page {
            present: 0,
            values: Vec::new(),
        });
        let Place { bit, at } = page.place(id);
        if page.present & bit == 0 {
            page.present |= bit;
            page.values.insert(at, absent);
            self.len += 1;
        }
        &mut page.values[at]
    }

    /// Removes an id and returns its value.
    pub(crate) fn remove(&mut self, id: DocId) -> Option<V> {
        let page = self.pages.get_mut(&(id.0 / PAGE))?;
        let Place { bit, at } = page.place(id);
        if page.present & bit == 0 {
            return None;
        }
        page.present &= !bit;
        self.len -= 1;
        let value = page.values.remove(at);
        if page.present == 0 {
            self.pages.remove(&(id.0 / PAGE));
        } else if page.values.len() * 2 < page.values.capacity() {
            page.values.shrink_to_fit();
        }
        Some(value)
    }

    /// Approximate bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.len * size_of::<V>() + self.pages.capacity() * size_of::<(u64, Page<V>)>()
    }
}

impl<V> Default for IdMap<V> {
    fn default() -> Self {
        Self {
            pages: FxHashMap::default(),
            len: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_holds_what_a_map_holds(
            steps in prop::collection::vec((0u64..200, prop::option::of(any::<u32>())), 0..400)
        ) {
            let (mut map, mut model) = (IdMap::default(), BTreeMap::new());
            for (id, value) in steps {
                match value {
                    Some(value) => {
                        *map.get_or_insert(DocId(id), 0) = value;
                        model.insert(id, value);
                    }
                    None => prop_assert_eq!(map.remove(DocId(id)), model.remove(&id)),
                }
                prop_assert_eq!(map.len, model.len());
            }
            for id in 0..200 {
                prop_assert_eq!(map.get(DocId(id)), model.get(&id));
            }
            let values: usize = map.pages.values().map(|page| page.values.len()).sum();
            prop_assert_eq!(values, model.len());
        }
    }

    #[test]
    fn pages_that_are_empty_go_and_ids_may_lie_anywhere() {
        let mut map = IdMap::default();
        for id in [0, 63, 64, u64::MAX] {
            *map.get_or_insert(DocId(id), 0) += id;
        }
        assert_eq!(map.pages.len(), 3);
        assert_eq!(map.get(DocId(u64::MAX)), Some(&u64::MAX));
        for id in [0, 63, 64, u64::MAX] {
            assert_eq!(map.remove(DocId(id)), Some(id));
        }
        assert!(map.pages.is_empty() && map.get(DocId(0)).is_none());
    }
}
