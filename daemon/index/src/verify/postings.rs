//! Every block of postings decodes, holds postings of its own bucket, and finds the shards it names.

use std::ops::ControlFlow;

use simdex_schema::MetaRecord;
use simdex_schema::posting::{Bucket, Posting, postings_of};

use super::Verified;
use crate::IndexError;
use crate::store::PostingStore;

/// Reads all blocks.
pub(super) fn verify(
    store: &dyn PostingStore,
    meta: &MetaRecord,
    verified: &mut Verified,
) -> Result<(), IndexError> {
    let mut failed = Ok(());
    store.keys(&mut |key| {
        verified.postings += 1;
        let checked = check(store, meta, key);
        match verified.faults.absorb(checked) {
            Ok(Some(Some(fault))) => {
                let hex: String = key
                    .iter()
                    .take(24)
                    .map(|byte| format!("{byte:02x}"))
                    .collect();
                verified.faults.tell(format!("postings {hex}: {fault}"));
            }
            Ok(_) => {}
            Err(error) => {
                failed = Err(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    failed
}

/// What is wrong with one block, if anything.
fn check(
    store: &dyn PostingStore,
    meta: &MetaRecord,
    key: &[u8],
) -> Result<Option<&'static str>, IndexError> {
    let Some(block) = store.get(key)? else {
        return Ok(None);
    };
    let Ok([scheme, bits, b0, b1, b2, b3, s0, s1]) = <[u8; 8]>::try_from(key) else {
        return Ok(Some("a key of another form"));
    };
    match meta.bucket_bits.get(usize::from(scheme)) {
        None => return Ok(Some("a scheme that is not known")),
        // What a split left behind is dropped when the index next opens.
        Some(wanted) if *wanted != bits && !meta.merging => {
            return Ok(Some("a bucket of another width"));
        }
        Some(_) => {}
    }
    let mut postings = Vec::new();
    let read = if (s0, s1) == (0, 0) {
        let Ok(bucket) = Bucket::parse(&block) else {
            return Ok(Some("a directory that does not decode"));
        };
        for shard in bucket.further_shards() {
            let mut further = key.to_vec();
            further[6..].copy_from_slice(&shard.to_be_bytes());
            if store.get(&further)?.is_none() {
                return Ok(Some("a shard is missing"));
            }
        }
        postings_of(bucket.body(), &mut postings)
    } else {
        postings_of(&block, &mut postings)
    };
    let number = u32::from_be_bytes([b0, b1, b2, b3]);
    let strays = |posting: &Posting| posting.0.bucket(bits) != number;
    Ok(match read {
        Err(_) => Some("it does not decode"),
        Ok(()) if postings.iter().any(strays) => Some("postings of another bucket"),
        Ok(()) if !postings.is_sorted() => Some("postings out of order"),
        Ok(()) => None,
    })
}
