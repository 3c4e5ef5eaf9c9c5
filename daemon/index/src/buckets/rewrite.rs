//! Writing buckets: merging the buffer into them, splitting them where there are too many postings.
//!
//! A merge is idempotent: it takes the union of what a bucket holds and what is added, so that a merge
//! cut short by a crash is simply done again.

use std::ops::ControlFlow;

use simdex_schema::DocId;
use simdex_schema::meta::SCHEMES;
use simdex_schema::posting::{
    BASES, Bucket, KEY_BITS, MAX_BUCKET_BITS, Posting, encode_bucket, postings_of, shard_key,
};

use super::Buckets;
use crate::IndexError;
use crate::store::PostingStore;

/// Shards of a bucket, so that the two ranges of shard numbers stay apart (room for 80 million
/// documents of one fingerprint).
const MOST_SHARDS: u16 = BASES[1] - BASES[0];
/// Bytes a bucket aims at, and bytes a posting takes, for the number of buckets.
const BUCKET_BYTES: u64 = 1024;
const POSTING_BYTES: u64 = 6;

/// What a merge changed.
#[derive(Default, Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    pub(crate) postings: i64,
    pub(crate) bytes: i64,
}

/// Takes the number of a bucket, what it holds, and the added postings that lie in it.
type VisitBucket<'a> = dyn FnMut(u32, Loaded, &[Posting]) -> Result<(), IndexError> + 'a;

impl Buckets<'_> {
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
    pub(super) fn load(&self, number: u32) -> Result<Loaded, IndexError> {
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
pub(super) struct Loaded {
    pub(super) postings: Vec<Posting>,
    bytes: usize,
    further: Vec<u16>,
    pub(super) next_base: u16,
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
