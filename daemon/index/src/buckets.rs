//! Postings in buckets: reading the documents of a key, and merging the buffer into the store.
//!
//! A merge is idempotent: it takes the union of what a bucket holds and what is added, so that a
//! merge cut short by a crash is simply done again. Concurrent readers see the old or the new
//! bucket: shard 0 is replaced last and names the others.

use std::ops::ControlFlow;

use simdex_schema::DocId;
use simdex_schema::meta::SCHEMES;
use simdex_schema::posting::{
    BASES, Bucket, KEY_BITS, MAX_BUCKET_BITS, Posting, PostingKey, documents_of, encode_bucket,
    postings_of, shard_key,
};
use simdex_signature::SchemeKind;

use crate::IndexError;
use crate::store::PostingStore;

/// A list that spans more shards than this is long: read after all others.
const LONG_LIST_SHARDS: u16 = 8;
/// Shards of a bucket, so that the two ranges of shard numbers stay apart (room for 80 million
/// documents of one fingerprint).
const MOST_SHARDS: u16 = BASES[1] - BASES[0];
/// Bytes a bucket aims at, and bytes a posting takes, for the number of buckets.
const BUCKET_BYTES: u64 = 1024;
const POSTING_BYTES: u64 = 6;
/// Readers that meet a bucket being rewritten try again this often.
const RETRIES: usize = 8;

/// The buckets of one scheme.
#[derive(Clone, Copy)]
pub(crate) struct Buckets<'a> {
    pub(crate) store: &'a dyn PostingStore,
    pub(crate) scheme: SchemeKind,
    pub(crate) bits: u8,
}

/// What a look-up found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// All documents of the key were appended.
    All,
    /// The list is long and was not read.
    Long,
}

/// What a merge changed.
#[derive(Default, Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    pub(crate) postings: i64,
    pub(crate) bytes: i64,
}

/// Takes the number of a bucket, what it holds, and the added postings that lie in it.
type VisitBucket<'a> = dyn FnMut(u32, Loaded, &[Posting]) -> Result<(), IndexError> + 'a;

impl Buckets<'_> {
    /// Appends the documents of a key; with `skip_long`, a list over many shards is left unread.
    pub(crate) fn documents_of(
        &self,
        key: PostingKey,
        skip_long: bool,
        out: &mut Vec<DocId>,
    ) -> Result<Found, IndexError> {
        let mark = out.len();
        for _ in 0..RETRIES {
            match self.try_documents_of(key, skip_long, out)? {
                Some(found) => return Ok(found),
                None => out.truncate(mark),
            }
        }
        Err(self.damaged(key.bucket(self.bits)))
    }

    /// None where a shard named by the directory is gone: the bucket was rewritten meanwhile.
    fn try_documents_of(
        &self,
        key: PostingKey,
        skip_long: bool,
        out: &mut Vec<DocId>,
    ) -> Result<Option<Found>, IndexError> {
        let number = key.bucket(self.bits);
        let Some(first) = self.shard(number, 0)? else {
            return Ok(Some(Found::All));
        };
        let bucket = Bucket::parse(&first).map_err(|_| self.damaged(number))?;
        let further = bucket.shards_of(key);
        if skip_long && further.len() > usize::from(LONG_LIST_SHARDS) {
            return Ok(Some(Found::Long));
        }
        documents_of(bucket.body(), key, out).map_err(|_| self.damaged(number))?;
        for shard in further {
            let Some(body) = self.shard(number, shard)? else {
                return Ok(None);
            };
            documents_of(&body, key, out).map_err(|_| self.damaged(number))?;
        }
        Ok(Some(Found::All))
    }

    fn shard(&self, bucket: u32, shard: u16) -> Result<Option<Vec<u8>>, IndexError> {
        Ok(self
            .store
            .get(&shard_key(self.scheme, self.bits, bucket, shard))?)
    }

    fn damaged(&self, bucket: u32) -> IndexError {
        IndexError::Damaged(format!("bucket {bucket} of {}", self.scheme.name()))
    }

    /// Merges sorted, distinct postings into the buckets they lie in; postings of documents that
    /// `keep` refuses are dropped from every bucket that is written.
    pub(crate) fn merge(
        &self,
        added: &[Posting],
        keep: &dyn Fn(DocId) -> bool,
    ) -> Result<Merged, IndexError> {
        let mut merged = Merged::default();
        for run in added.chunk_by(|a, b| a.0.bucket(self.bits) == b.0.bucket(self.bits)) {
            let number = run[0].0.bucket(self.bits);
            let old = self.load(number)?;
            let mut all = merge(&old.postings, run);
            all.retain(|posting| keep(posting.1));
            let bytes = self.replace(number, &old, &all)?;
            merged.postings += all.len() as i64 - old.postings.len() as i64;
            merged.bytes += bytes as i64 - old.bytes as i64;
        }
        Ok(merged)
    }

    /// Writes everything anew with more bucket bits, old postings and added ones together; counts
    /// all of it. The old buckets stay until [`drop_stale`], so that readers and a crash find them.
    pub(crate) fn split(
        &self,
        bits: u8,
        added: &[Posting],
        keep: &dyn Fn(DocId) -> bool,
    ) -> Result<Merged, IndexError> {
        let wider = Self { bits, ..*self };
        let mut total = Merged::default();
        self.each_bucket(added, &mut |_, old, run| {
            let mut all = merge(&old.postings, run);
            all.retain(|posting| keep(posting.1));
            for part in all.chunk_by(|a, b| a.0.bucket(bits) == b.0.bucket(bits)) {
                let number = part[0].0.bucket(bits);
                total.bytes += wider.replace(number, &Loaded::default(), part)? as i64;
                total.postings += part.len() as i64;
            }
            Ok(())
        })?;
        Ok(total)
    }

    /// Merges as [`Buckets::merge`] does, but visits every bucket and counts all that is there.
    pub(crate) fn recount(
        &self,
        added: &[Posting],
        keep: &dyn Fn(DocId) -> bool,
    ) -> Result<Merged, IndexError> {
        let mut total = Merged::default();
        self.each_bucket(added, &mut |number, old, run| {
            let mut all = merge(&old.postings, run);
            all.retain(|posting| keep(posting.1));
            let bytes = if all == old.postings {
                old.bytes
            } else {
                self.replace(number, &old, &all)?
            };
            total.bytes += bytes as i64;
            total.postings += all.len() as i64;
            Ok(())
        })?;
        Ok(total)
    }

    /// Visits all buckets in order, each with the added postings that lie in it.
    fn each_bucket(
        &self,
        added: &[Posting],
        visit: &mut VisitBucket<'_>,
    ) -> Result<(), IndexError> {
        let mut rest = added;
        for number in 0..1u32 << self.bits {
            let inside = |posting: &Posting| posting.0.bucket(self.bits) == number;
            let here = rest.iter().take_while(|posting| inside(posting)).count();
            let (run, after) = rest.split_at(here);
            rest = after;
            visit(number, self.load(number)?, run)?;
        }
        Ok(())
    }

    /// All postings of a bucket.
    fn load(&self, number: u32) -> Result<Loaded, IndexError> {
        let Some(first) = self.shard(number, 0)? else {
            return Ok(Loaded::default());
        };
        let damaged = |_| self.damaged(number);
        let bucket = Bucket::parse(&first).map_err(damaged)?;
        let mut loaded = Loaded {
            bytes: first.len(),
            next_base: bucket.next_base(),
            ..Loaded::default()
        };
        loaded.further = bucket.further_shards().collect();
        // A posting takes about five bytes.
        loaded.postings.reserve(first.len() / 4);
        postings_of(bucket.body(), &mut loaded.postings).map_err(damaged)?;
        for shard in &loaded.further {
            let body = self
                .shard(number, *shard)?
                .ok_or_else(|| self.damaged(number))?;
            loaded.bytes += body.len();
            postings_of(&body, &mut loaded.postings).map_err(damaged)?;
        }
        Ok(loaded)
    }

    /// Writes a bucket: further shards under new numbers, then shard 0, then the old ones go.
    fn replace(&self, number: u32, old: &Loaded, all: &[Posting]) -> Result<usize, IndexError> {
        let base = old.next_base;
        let shards = encode_bucket(all, base);
        if shards.len() > usize::from(MOST_SHARDS) {
            return Err(IndexError::TooLong(format!(
                "bucket {number} of {}",
                self.scheme.name()
            )));
        }
        for (further, shard) in (base..).zip(shards.iter().skip(1)) {
            let key = shard_key(self.scheme, self.bits, number, further);
            self.store.put(&key, shard)?;
        }
        let first_key = shard_key(self.scheme, self.bits, number, 0);
        match shards.first() {
            Some(first) => self.store.put(&first_key, first)?,
            None => self.store.delete(&first_key)?,
        }
        for shard in &old.further {
            self.store
                .delete(&shard_key(self.scheme, self.bits, number, *shard))?;
        }
        Ok(shards.iter().map(Vec::len).sum())
    }
}

/// Deletes every shard whose bucket bits are not those of its scheme: what a split left behind.
pub(crate) fn drop_stale(
    store: &dyn PostingStore,
    bucket_bits: &[u8; SCHEMES],
) -> Result<(), IndexError> {
    let mut stale = Vec::new();
    store.keys(&mut |key| {
        let scheme = key.first().and_then(|at| bucket_bits.get(usize::from(*at)));
        if scheme != key.get(1) {
            stale.push(key.to_vec());
        }
        ControlFlow::Continue(())
    })?;
    stale.iter().try_for_each(|key| store.delete(key))?;
    Ok(())
}

/// Merges two sorted, distinct runs into one.
fn merge(a: &[Posting], b: &[Posting]) -> Vec<Posting> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        out.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

/// A bucket read whole.
struct Loaded {
    postings: Vec<Posting>,
    bytes: usize,
    further: Vec<u16>,
    next_base: u16,
}

impl Default for Loaded {
    fn default() -> Self {
        Self {
            postings: Vec::new(),
            bytes: 0,
            further: Vec::new(),
            next_base: BASES[0],
        }
    }
}

/// Bucket bits for this many postings: buckets of about 1 KB.
pub(crate) fn bits_for(postings: u64) -> u8 {
    let buckets = (postings * POSTING_BYTES).div_ceil(BUCKET_BYTES).max(1);
    let bits = u64::BITS - (buckets - 1).leading_zeros();
    (bits as u8).min(MAX_BUCKET_BITS).min(KEY_BITS as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{MemoryStore, Store};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn buckets(store: &MemoryStore, bits: u8) -> Buckets<'_> {
        Buckets {
            store: store.postings(),
            scheme: SchemeKind::ModN,
            bits,
        }
    }

    fn all(buckets: &Buckets<'_>) -> Vec<Posting> {
        (0..1 << buckets.bits)
            .flat_map(|b| buckets.load(b).unwrap().postings)
            .collect()
    }

    fn posting() -> impl Strategy<Value = Posting> {
        let key = prop_oneof![Just(7u64), 0u64..1 << KEY_BITS];
        (key, 0u64..3_000).prop_map(|(key, doc)| (PostingKey::from_bits(key), DocId(doc)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn merging_and_splitting_equal_a_set(
            batches in prop::collection::vec(prop::collection::btree_set(posting(), 0..2_000), 1..4),
            dead in 0u64..3_000,
        ) {
            let store = MemoryStore::new();
            let keep = |id: DocId| id.0 != dead;
            let mut expected = BTreeSet::new();
            let mut count = 0;
            for batch in &batches {
                expected.extend(batch.iter().copied());
                let run: Vec<Posting> = batch.iter().copied().collect();
                count += buckets(&store, 3).merge(&run, &keep).unwrap().postings;
                // Doing it again changes nothing.
                count += buckets(&store, 3).merge(&run, &keep).unwrap().postings;
            }
            expected.retain(|posting| keep(posting.1));
            let expected: Vec<Posting> = expected.into_iter().collect();
            prop_assert_eq!(&all(&buckets(&store, 3)), &expected);
            prop_assert_eq!(count, expected.len() as i64);

            let total = buckets(&store, 3).recount(&[], &keep).unwrap();
            prop_assert_eq!(total.postings, expected.len() as i64);

            let total = buckets(&store, 3).split(6, &[], &keep).unwrap();
            prop_assert_eq!(total.postings, expected.len() as i64);
            drop_stale(store.postings(), &[6, 0, 0]).unwrap();
            prop_assert_eq!(&all(&buckets(&store, 6)), &expected);
            prop_assert!(all(&buckets(&store, 3)).is_empty());
        }
    }

    #[test]
    fn a_long_list_is_named_or_read_whole() {
        let store = MemoryStore::new();
        let key = PostingKey::from_bits(1);
        let run: Vec<Posting> = (0..60_000).map(|id| (key, DocId(id))).collect();
        buckets(&store, 0).merge(&run, &|_| true).unwrap();
        let mut out = Vec::new();
        assert!(
            buckets(&store, 0)
                .documents_of(key, true, &mut out)
                .unwrap()
                == Found::Long
        );
        assert!(out.is_empty());
        buckets(&store, 0)
            .documents_of(key, false, &mut out)
            .unwrap();
        assert_eq!(out.len(), 60_000);
    }

    #[test]
    fn a_crash_before_shard_0_leaves_the_bucket_as_it_was() {
        let store = MemoryStore::new();
        let key = PostingKey::from_bits(1);
        let run: Vec<Posting> = (0..20_000).map(|id| (key, DocId(id))).collect();
        let target = buckets(&store, 0);
        target.merge(&run, &|_| true).unwrap();
        // What a rewrite puts down before it reaches shard 0.
        let next = target.load(0).unwrap().next_base;
        let cut_short = encode_bucket(&run[..9_000], next);
        for (index, shard) in cut_short.iter().enumerate().skip(1) {
            let key = shard_key(SchemeKind::ModN, 0, 0, next + index as u16 - 1);
            store.postings().put(&key, shard).unwrap();
        }
        assert_eq!(target.load(0).unwrap().postings, run);
    }

    #[test]
    fn buckets_grow_with_the_postings() {
        assert_eq!(
            (bits_for(0), bits_for(170), bits_for(40_000_000)),
            (0, 0, 18)
        );
        assert_eq!(bits_for(u64::MAX / 8), MAX_BUCKET_BITS);
    }
}
