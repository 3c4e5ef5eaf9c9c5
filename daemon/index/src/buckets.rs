//! Postings in buckets: reading the documents of keys ([`Buckets::lists`]), and writing
//! ([`rewrite`]).
//!
//! A reader that meets a rewrite sees the old bucket or the new one: shard 0 is replaced last and names
//! the others. What readers check beyond that is in [`crate::layout`].

use std::ops::Range;

use simdex_schema::DocId;
use simdex_schema::posting::{Bucket, Lookup, PostingKey, shard_key};
use simdex_signature::SchemeKind;

use crate::IndexError;
use crate::store::PostingStore;

mod rewrite;
#[cfg(test)]
mod tests;

pub(crate) use rewrite::{bits_for, drop_stale};

/// A list that spans more shards than this is long: read after all others.
const LONG_LIST_SHARDS: usize = 8;

/// The buckets of one scheme.
#[derive(Clone, Copy)]
pub(crate) struct Buckets<'a> {
    pub(crate) store: &'a dyn PostingStore,
    pub(crate) scheme: SchemeKind,
    pub(crate) bits: u8,
}

/// The documents of a key, ascending; none where the list is long and was not read.
pub(crate) type List = Option<Vec<DocId>>;

impl Buckets<'_> {
    /// The lists of keys that ascend and lie in one bucket, which is read once for all of them; with
    /// `skip_long`, lists over many shards are left unread. None where a shard is gone that the bucket
    /// names: it was rewritten meanwhile, or is damaged.
    pub(crate) fn lists(
        &self,
        number: u32,
        keys: &[PostingKey],
        skip_long: bool,
    ) -> Result<Option<Vec<List>>, IndexError> {
        let mut lists: Vec<List> = vec![Some(Vec::new()); keys.len()];
        let Some(first) = self.shard(number, 0)? else {
            return Ok(Some(lists));
        };
        let bucket = Bucket::parse(&first).map_err(|_| self.damaged(number))?;
        let further: Vec<Range<u16>> = keys.iter().map(|key| bucket.shards_of(*key)).collect();
        for (list, further) in lists.iter_mut().zip(&further) {
            if skip_long && further.len() > LONG_LIST_SHARDS {
                *list = None;
            }
        }
        self.look_up(number, bucket.body(), keys, &mut lists)?;
        let mut from = 0;
        for shard in bucket.further_shards() {
            // Both ends of the ranges ascend with the keys.
            from += further[from..].partition_point(|range| range.end <= shard);
            let through = from + further[from..].partition_point(|range| range.start <= shard);
            if lists[from..through].iter().all(Option::is_none) {
                continue;
            }
            let Some(body) = self.shard(number, shard)? else {
                return Ok(None);
            };
            self.look_up(
                number,
                &body,
                &keys[from..through],
                &mut lists[from..through],
            )?;
        }
        Ok(Some(lists))
    }

    /// Adds what one shard holds to the lists that are read.
    fn look_up(
        &self,
        number: u32,
        body: &[u8],
        keys: &[PostingKey],
        lists: &mut [List],
    ) -> Result<(), IndexError> {
        let mut lookup = Lookup::new(body);
        for (key, list) in keys.iter().zip(lists) {
            if let Some(list) = list {
                let read = lookup.documents_of(*key, list);
                read.map_err(|_| self.damaged(number))?;
            }
        }
        Ok(())
    }

    fn shard(&self, bucket: u32, shard: u16) -> Result<Option<Vec<u8>>, IndexError> {
        Ok(self
            .store
            .get(&shard_key(self.scheme, self.bits, bucket, shard))?)
    }

    /// The error that says so of a bucket.
    pub(crate) fn damaged(&self, bucket: u32) -> IndexError {
        IndexError::Damaged(format!("bucket {bucket} of {}", self.scheme.name()))
    }
}
