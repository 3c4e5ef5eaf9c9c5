//! Postings in the buckets of one run: reading the posting lists of keys ([`Buckets::read_bucket`]), reading all in
//! order ([`Cursor`]), and writing ([`RunFiller`]).

use std::ops::Range;

use roaring::RoaringTreemap;
use simdex_schema::DocId;
use simdex_schema::meta::RunOfScheme;
use simdex_schema::posting::{
    Bucket, KEY_BITS, Lookup, Posting, PostingKey, documents_of, postings_of, scheme_number,
    shard_key,
};
use simdex_signature::SchemeKind;

use crate::IndexError;
use crate::runs::Run;
use crate::store::{Block, PostingRun};
use crate::work::WorkCounters;

mod filling;
#[cfg(test)]
mod tests;

pub(crate) use filling::RunFiller;

/// Maximum number of documents in a list that is cached apart from its block.
const MAX_IN_CACHED_LIST: usize = 64;

/// The buckets of one scheme in one run.
#[derive(Clone, Copy)]
pub(crate) struct Buckets<'a> {
    pub(crate) run: &'a dyn PostingRun,
    pub(crate) scheme: SchemeKind,
    pub(crate) held: RunOfScheme,
    /// Documents whose postings do not count.
    stale: Option<&'a RoaringTreemap>,
    /// Counts what is fetched for requests and groups.
    work: Option<&'a WorkCounters>,
}

/// What to do with the posting list of a key that spans many shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommonLists {
    /// Read it like any other.
    Read,
    /// Leave it unread if it spans more further shards than this.
    SkipAbove(usize),
}

impl CommonLists {
    fn skip(self, further: &Range<u16>) -> bool {
        match self {
            Self::Read => false,
            Self::SkipAbove(max_shards) => further.len() > max_shards,
        }
    }
}

/// The documents of a key, ascending; `None` if the list is common and was skipped.
pub(crate) type PostingList = Option<Vec<DocId>>;

impl<'a> Buckets<'a> {
    pub(crate) fn of(run: &'a Run, scheme: SchemeKind) -> Self {
        Self {
            run: &*run.blocks,
            scheme,
            held: run.record.schemes[usize::from(scheme_number(scheme))],
            stale: run.stale_of(scheme),
            work: None,
        }
    }

    /// Counts the blocks that are fetched, from memory or disk.
    pub(crate) fn counted(self, work: &'a WorkCounters) -> Self {
        let work = Some(work);
        Self { work, ..self }
    }

    fn count_block(&self) {
        self.work.iter().for_each(|work| work.block_read());
    }

    /// Whether the postings of a document count.
    pub(crate) fn counts(&self, id: DocId) -> bool {
        self.stale.is_none_or(|stale| !stale.contains(id.0))
    }

    /// Leaves out the documents at the end of a list whose postings do not count.
    fn drop_stale(&self, list: &mut Vec<DocId>, from: usize) {
        if self.stale.is_some() {
            list.extract_if(from.., |id| !self.counts(*id))
                .for_each(drop);
        }
    }

    /// The bucket that a key lies in.
    pub(crate) fn number(&self, key: PostingKey) -> u32 {
        key.bucket(self.held.bits)
    }

    /// Appends the documents of a key that is the only one asked for in its bucket, shard by shard. Returns false if
    /// the list is common and was skipped.
    pub(crate) fn read_key(
        &self,
        key: PostingKey,
        common: CommonLists,
        list: &mut Vec<DocId>,
    ) -> Result<bool, IndexError> {
        let (number, begin) = (self.number(key), list.len());
        let in_memory = self.run.kept_block(&self.key(number, 0));
        let is_in_memory = in_memory.is_some();
        if !is_in_memory && let Some(known) = self.run.kept_list(&self.list_key(key)) {
            self.count_block();
            let ids = known.as_chunks().0.iter();
            list.extend(ids.map(|id| DocId(u64::from_le_bytes(*id))));
            self.drop_stale(list, begin);
            return Ok(true);
        }
        let first = match in_memory {
            None => self.shard(number, 0)?,
            in_memory => {
                self.count_block();
                in_memory
            }
        };
        let Some(first) = first else {
            return Ok(true);
        };
        let damaged = |_| self.damaged(number);
        let bucket = Bucket::parse(&first).map_err(damaged)?;
        let further = bucket.shards_of(key);
        if common.skip(&further) {
            return Ok(false);
        }
        if bucket.is_first_of(key) {
            documents_of(bucket.body(), key, list).map_err(damaged)?;
        }
        for shard in further {
            let body = self.further_shard(number, shard)?;
            documents_of(&body, key, list).map_err(damaged)?;
        }
        let found = &list[begin..];
        if !is_in_memory && found.len() <= MAX_IN_CACHED_LIST {
            let ids = found.iter().flat_map(|id| id.0.to_le_bytes());
            let part: Vec<u8> = ids.collect();
            self.run.keep_list(&self.list_key(key), &part);
        }
        self.drop_stale(list, begin);
        Ok(true)
    }

    /// The cache key of a list.
    fn list_key(&self, key: PostingKey) -> [u8; 8] {
        (u64::from(scheme_number(self.scheme)) << KEY_BITS | key.bits()).to_be_bytes()
    }

    /// The posting lists of keys that ascend and lie in one bucket, which is read once for all of them.
    pub(crate) fn read_bucket(
        &self,
        number: u32,
        keys: &[PostingKey],
        common: CommonLists,
    ) -> Result<Vec<PostingList>, IndexError> {
        let mut lists: Vec<PostingList> = vec![Some(Vec::new()); keys.len()];
        let Some(first) = self.shard(number, 0)? else {
            return Ok(lists);
        };
        let bucket = Bucket::parse(&first).map_err(|_| self.damaged(number))?;
        let further: Vec<Range<u16>> = keys.iter().map(|key| bucket.shards_of(*key)).collect();
        for (list, further) in lists.iter_mut().zip(&further) {
            if common.skip(further) {
                *list = None;
            }
        }
        self.read_shard(number, bucket.body(), keys, &mut lists)?;
        let mut from = 0;
        for shard in bucket.further_shards() {
            // Both ends of the ranges ascend with the keys.
            from += further[from..].partition_point(|range| range.end <= shard);
            let through = from + further[from..].partition_point(|range| range.start <= shard);
            if lists[from..through].iter().all(Option::is_none) {
                continue;
            }
            let body = self.further_shard(number, shard)?;
            self.read_shard(
                number,
                &body,
                &keys[from..through],
                &mut lists[from..through],
            )?;
        }
        let read = lists.iter_mut().flatten();
        read.for_each(|list| self.drop_stale(list, 0));
        Ok(lists)
    }

    /// Adds the documents in one shard to the lists that are not skipped.
    fn read_shard(
        &self,
        number: u32,
        body: &[u8],
        keys: &[PostingKey],
        lists: &mut [PostingList],
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

    /// Appends all postings of a bucket, in order.
    fn load(&self, number: u32, out: &mut Vec<Posting>) -> Result<(), IndexError> {
        let read = |shard| self.run.get(&self.key(number, shard));
        let Some(first) = read(0)? else {
            return Ok(());
        };
        let damaged = |_| self.damaged(number);
        let bucket = Bucket::parse(&first).map_err(damaged)?;
        postings_of(bucket.body(), out).map_err(damaged)?;
        for shard in bucket.further_shards() {
            let body = read(shard)?.ok_or_else(|| self.damaged(number))?;
            postings_of(&body, out).map_err(damaged)?;
        }
        Ok(())
    }

    fn key(&self, bucket: u32, shard: u16) -> [u8; 8] {
        shard_key(self.scheme, self.held.bits, bucket, shard)
    }

    fn shard(&self, bucket: u32, shard: u16) -> Result<Option<Block>, IndexError> {
        self.count_block();
        Ok(self.run.look_up(&self.key(bucket, shard))?)
    }

    fn further_shard(&self, bucket: u32, shard: u16) -> Result<Block, IndexError> {
        let found = self.shard(bucket, shard)?;
        found.ok_or_else(|| self.damaged(bucket))
    }

    fn damaged(&self, bucket: u32) -> IndexError {
        IndexError::Damaged(format!("bucket {bucket} of {}", self.scheme.name()))
    }
}

/// All postings of a scheme in one run, in order, with one bucket in memory at a time.
pub(crate) struct Cursor<'a> {
    buckets: Buckets<'a>,
    next_bucket: u32,
    loaded: Vec<Posting>,
    taken: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(buckets: Buckets<'a>) -> Self {
        Self {
            buckets,
            next_bucket: 0,
            loaded: Vec::new(),
            taken: 0,
        }
    }

    /// Begins with the postings whose keys do not lie below `start`.
    pub(crate) fn starting_at(buckets: Buckets<'a>, start: u64) -> Result<Self, IndexError> {
        let mut cursor = Self::new(buckets);
        cursor.next_bucket = buckets.number(PostingKey::from_bits(start));
        cursor.take_below(start, &mut Vec::new())?;
        Ok(cursor)
    }

    /// Appends the postings whose keys lie below `end` and were not taken yet.
    pub(crate) fn take_below(
        &mut self,
        end: u64,
        out: &mut Vec<Posting>,
    ) -> Result<(), IndexError> {
        let held = self.buckets.held;
        loop {
            let rest = &self.loaded[self.taken..];
            let below = rest.partition_point(|posting| posting.0.bits() < end);
            let buckets = self.buckets;
            let counts = |posting: &&Posting| buckets.counts(posting.1);
            out.extend(rest[..below].iter().filter(counts));
            self.taken += below;
            let first_key = u64::from(self.next_bucket) << (KEY_BITS - u32::from(held.bits));
            let ended = self.next_bucket >> held.bits > 0 || held.postings == 0;
            if ended || self.taken < self.loaded.len() || first_key >= end {
                return Ok(());
            }
            self.loaded.clear();
            self.taken = 0;
            self.buckets.load(self.next_bucket, &mut self.loaded)?;
            self.next_bucket += 1;
        }
    }
}
