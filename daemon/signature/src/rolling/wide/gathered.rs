//! Fingerprints that were selected from registers, on their way to a list.

use std::arch::x86_64::{__m512i, __mmask8, _mm512_maskz_compress_epi64};

use super::{LANES, STEP, in_lanes};
use crate::fingerprint::Fingerprint;

/// Fingerprints that are held before they are handed on.
const HELD: usize = 512;

/// Selected fingerprints on their way to a list: packed without a branch, and handed on many at a time.
pub(super) struct Gathered<'l> {
    kept: [u64; HELD],
    end: usize,
    list: &'l mut Vec<Fingerprint>,
}

impl<'l> Gathered<'l> {
    pub(super) fn new(list: &'l mut Vec<Fingerprint>) -> Self {
        Self {
            kept: [0; HELD],
            end: 0,
            list,
        }
    }

    /// Adds the fingerprints of the wanted lanes. There must be room for all of them.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,gfni")]
    #[inline]
    pub(super) fn add(&mut self, wanted: __mmask8, fingerprints: __m512i) {
        // The next ones overwrite the lanes beyond those wanted.
        let packed = in_lanes(_mm512_maskz_compress_epi64(wanted, fingerprints));
        self.kept[self.end..self.end + LANES].copy_from_slice(&packed);
        self.end += wanted.count_ones() as usize;
    }

    /// Makes room for the fingerprints of [`STEP`] registers.
    #[inline]
    pub(super) fn make_room(&mut self) {
        if self.end + LANES * (STEP + 1) > HELD {
            self.hand_on();
        }
    }

    pub(super) fn hand_on(&mut self) {
        let kept = self.kept[..self.end].iter();
        self.list.extend(kept.copied().map(Fingerprint));
        self.end = 0;
    }
}
