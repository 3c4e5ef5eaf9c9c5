//! Every run that the meta record names exists and is the right one; every block of postings decodes, holds postings of
//! its own bucket, and finds the shards it refers to; and each run holds as many as the record says.

use std::ops::ControlFlow;

use simdex_schema::meta::{RunOfScheme, SCHEMES};
use simdex_schema::posting::{Bucket, Posting, postings_of};
use simdex_schema::{MetaRecord, RunRecord};

use super::Verified;
use crate::IndexError;
use crate::store::{PostingRun, PostingStore};

/// Reads all blocks.
pub(super) fn verify(
    store: &dyn PostingStore,
    meta: &MetaRecord,
    verified: &mut Verified,
) -> Result<(), IndexError> {
    for record in &meta.runs {
        match verified
            .faults
            .absorb(store.run(record.number).map_err(IndexError::from))?
        {
            Some(Some(run)) if run.id() != record.id => {
                let number = record.number;
                let fault = format!("postings: run {number} is of another store or another time");
                verified.faults.tell(fault);
            }
            Some(Some(run)) => verify_run(&*run, record, verified)?,
            Some(None) => {
                let number = record.number;
                let fault = format!("postings: run {number} is missing or does not open");
                verified.faults.tell(fault);
            }
            None => {}
        }
    }
    Ok(())
}

fn verify_run(
    run: &dyn PostingRun,
    record: &RunRecord,
    verified: &mut Verified,
) -> Result<(), IndexError> {
    let mut held = [RunOfScheme::default(); SCHEMES];
    let mut failed = Ok(());
    run.keys(&mut |key| {
        verified.postings += 1;
        let checked = check(run, record, key, &mut held);
        match verified.faults.absorb(checked) {
            Ok(Some(Some(fault))) => {
                let hex: String = key
                    .iter()
                    .take(24)
                    .map(|byte| format!("{byte:02x}"))
                    .collect();
                let number = record.number;
                let fault = format!("postings of run {number}, {hex}: {fault}");
                verified.faults.tell(fault);
            }
            Ok(_) => {}
            Err(error) => {
                failed = Err(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    let counted = |of: &[RunOfScheme; SCHEMES]| of.map(|held| (held.postings, held.bytes));
    if failed.is_ok() && counted(&held) != counted(&record.schemes) {
        let fault = format!("postings: run {} holds others than counted", record.number);
        verified.faults.tell(fault);
    }
    failed
}

/// Returns what is wrong with one block, if anything; counts its postings.
fn check(
    run: &dyn PostingRun,
    record: &RunRecord,
    key: &[u8],
    held: &mut [RunOfScheme; SCHEMES],
) -> Result<Option<&'static str>, IndexError> {
    let Some(block) = run.get(key)? else {
        return Ok(None);
    };
    let Ok([scheme, bits, b0, b1, b2, b3, s0, s1]) = <[u8; 8]>::try_from(key) else {
        return Ok(Some("a key of another form"));
    };
    match record.schemes.get(usize::from(scheme)) {
        None => return Ok(Some("a scheme that is not known")),
        Some(expected) if expected.bits != bits => return Ok(Some("a bucket of another width")),
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
            if run.get(&further)?.is_none() {
                return Ok(Some("a shard is missing"));
            }
        }
        postings_of(bucket.body(), &mut postings)
    } else {
        postings_of(&block, &mut postings)
    };
    held[usize::from(scheme)].postings += postings.len() as u64;
    held[usize::from(scheme)].bytes += block.len() as u64;
    let number = u32::from_be_bytes([b0, b1, b2, b3]);
    let strays = |posting: &Posting| posting.0.bucket(bits) != number;
    Ok(match read {
        Err(_) => Some("it does not decode"),
        Ok(()) if postings.iter().any(strays) => Some("postings of another bucket"),
        Ok(()) if !postings.is_sorted() => Some("postings out of order"),
        Ok(()) => None,
    })
}
