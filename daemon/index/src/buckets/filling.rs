//! Writing the buckets of a run, in order.

use simdex_schema::meta::RunOfScheme;
use simdex_schema::posting::{
    KEY_BITS, MAX_BUCKET_BITS, MAX_SHARDS, Posting, encode_bucket, shard_key,
};
use simdex_signature::SchemeKind;

use crate::IndexError;
use crate::store::RunWriter;

/// Target size of a bucket, and bytes assumed per posting, to choose the number of buckets.
const BUCKET_BYTES: u64 = 2048;
const POSTING_BYTES: u64 = 5;

/// Postings of one scheme that are being written to a run.
pub(crate) struct RunFiller<'a, 'b> {
    run: &'a mut (dyn RunWriter + 'b),
    scheme: SchemeKind,
    held: RunOfScheme,
    /// Postings of the bucket that is not complete yet.
    bucket: Vec<Posting>,
}

impl<'a, 'b> RunFiller<'a, 'b> {
    /// Sized for this many postings.
    pub(crate) fn new(
        run: &'a mut (dyn RunWriter + 'b),
        scheme: SchemeKind,
        postings: u64,
    ) -> Self {
        let held = RunOfScheme {
            bits: bits_for(postings),
            ..RunOfScheme::default()
        };
        Self {
            run,
            scheme,
            held,
            bucket: Vec::new(),
        }
    }

    /// Adds postings that are sorted, distinct and greater than all before.
    pub(crate) fn add(&mut self, postings: &[Posting]) -> Result<(), IndexError> {
        let bits = self.held.bits;
        for some in postings.chunk_by(|a, b| a.0.bucket(bits) == b.0.bucket(bits)) {
            let is_open = |last: &Posting| last.0.bucket(bits) == some[0].0.bucket(bits);
            if !self.bucket.last().is_some_and(is_open) {
                self.write_bucket()?;
            }
            self.bucket.extend_from_slice(some);
        }
        Ok(())
    }

    /// Writes the last bucket; returns what the run now holds.
    pub(crate) fn finish(mut self) -> Result<RunOfScheme, IndexError> {
        self.write_bucket()?;
        Ok(self.held)
    }

    fn write_bucket(&mut self) -> Result<(), IndexError> {
        let Some((first, _)) = self.bucket.first() else {
            return Ok(());
        };
        let number = first.bucket(self.held.bits);
        let shards = encode_bucket(&self.bucket);
        if shards.len() > MAX_SHARDS {
            return Err(IndexError::TooLong(format!(
                "bucket {number} of {}",
                self.scheme.name()
            )));
        }
        for (at, shard) in (0u16..).zip(&shards) {
            let key = shard_key(self.scheme, self.held.bits, number, at);
            self.run.put(&key, shard)?;
            self.held.bytes += shard.len() as u64;
        }
        self.held.postings += self.bucket.len() as u64;
        self.bucket.clear();
        Ok(())
    }
}

/// Bucket bits for this many postings: buckets of 1 to 2 KB.
pub(super) fn bits_for(postings: u64) -> u8 {
    let buckets = (postings.saturating_mul(POSTING_BYTES))
        .div_ceil(BUCKET_BYTES)
        .max(1);
    let bits = u64::BITS - (buckets - 1).leading_zeros();
    (bits as u8).min(MAX_BUCKET_BITS).min(KEY_BITS as u8)
}
