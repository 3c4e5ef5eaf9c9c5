//! How buckets are named right now, and whether a merge began or ended while one was read.
//!
//! A lookup holds no lock while it reads the store. It still misses nothing:
//!
//! 1. It first copies what the buffers hold for its keys, then reads their buckets. A posting moves
//!    from buffer to bucket, never back, and a merge publishes its buckets before it clears what it
//!    merged. So every posting that existed when the lookup began is in the copy or in a bucket that is
//!    read later.
//! 2. A bucket is read under the layout of that moment, and the read counts only if no merge began or
//!    ended before it finished. Between two such steps a bucket is rewritten at most once; the rewrite
//!    replaces shard 0 last and gives further shards other numbers. A concurrent reader therefore sees
//!    the old bucket, the new one, or a missing shard, and then it reads again.
//! 3. After a split the old buckets are deleted only once the new ones are published. A reader that
//!    misses one notices the new layout and reads the bucket under its new name.

use std::sync::atomic::{AtomicU64, Ordering};

use simdex_schema::posting::scheme_number;
use simdex_signature::SchemeKind;

/// Bits of the word for each scheme's bucket bits, which are at most 24.
const BITS: u32 = 8;
/// The lowest bit of the count of steps.
const STEP: u64 = 1 << (3 * BITS);

/// The layout; both parts in one word, so that they are read at once.
#[derive(Debug)]
pub(crate) struct Layout(AtomicU64);

/// The layout at one moment; equal only where no merge began or ended between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayoutAt(u64);

impl Layout {
    pub(crate) fn new(bucket_bits: [u8; 3]) -> Self {
        Self(AtomicU64::new(packed(bucket_bits)))
    }

    pub(crate) fn now(&self) -> LayoutAt {
        LayoutAt(self.0.load(Ordering::SeqCst))
    }

    /// A merge begins: from here on buckets may be rewritten. For the writer alone.
    pub(crate) fn merge_begins(&self) {
        self.0.fetch_add(STEP, Ordering::SeqCst);
    }

    /// A merge has ended, with buckets of this width. For the writer alone.
    pub(crate) fn merge_ended(&self, bucket_bits: [u8; 3]) {
        let steps = self.0.load(Ordering::SeqCst) & !(STEP - 1);
        let next = steps.wrapping_add(STEP) | packed(bucket_bits);
        self.0.store(next, Ordering::SeqCst);
    }
}

impl LayoutAt {
    /// Bits that name a bucket of this scheme.
    pub(crate) fn bits(self, scheme: SchemeKind) -> u8 {
        (self.0 >> (BITS * u32::from(scheme_number(scheme)))) as u8
    }
}

fn packed(bucket_bits: [u8; 3]) -> u64 {
    let [a, b, c] = bucket_bits;
    u64::from_le_bytes([a, b, c, 0, 0, 0, 0, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_of_a_merge_is_another_layout() {
        let layout = Layout::new([3, 24, 0]);
        let before = layout.now();
        assert_eq!(before, layout.now());
        layout.merge_begins();
        let during = layout.now();
        layout.merge_ended([4, 24, 0]);
        let after = layout.now();
        assert!(before != during && during != after && before != after);
        let bits = |at: LayoutAt| [SchemeKind::ModN, SchemeKind::BswN].map(|s| at.bits(s));
        assert_eq!((bits(before), bits(during)), ([3, 24], [3, 24]));
        assert_eq!(bits(after), [4, 24]);
        // As often as it likes.
        layout.0.store(!(STEP - 1), Ordering::SeqCst);
        layout.merge_ended([7, 8, 9]);
        assert_eq!(layout.now(), LayoutAt(packed([7, 8, 9])));
    }
}
