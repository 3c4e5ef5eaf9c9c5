//! Chunk maps cover their input, and their signatures compare.

use super::*;
use crate::{Ratio, resemblance};
use proptest::prelude::*;

/// Bytes without repeats of any length, from a fixed congruence.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let step = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(step).collect()
}

proptest! {
    #[test]
    fn chunks_cover_everything_once(bytes in prop::collection::vec(any::<u8>(), 0..9000)) {
        let size = ChunkSize::RAW;
        let chunks = chunk_map(&bytes, size);
        let mut end = 0;
        for chunk in &chunks {
            prop_assert_eq!(chunk.offset, end);
            prop_assert!(chunk.length > 0 && chunk.length <= u64::from(size.max));
            end += chunk.length;
        }
        prop_assert_eq!(end, bytes.len() as u64);
    }
}

#[test]
fn raw_signatures_nest_and_compare() {
    let a = noise(400_000, 1);
    let mut b = a.clone();
    b[200_000..200_004].copy_from_slice(b"edit");
    let fine = Chunks::sign(&a, Rung::ZERO);
    let coarse = Rung::new(2).unwrap();
    assert_eq!(fine.coarsened(coarse), Ok(Chunks::sign(&a, coarse)));
    let found = resemblance(&fine, &Chunks::sign(&b, coarse))
        .unwrap()
        .unwrap();
    assert!(found.value >= Ratio::new(0.9).unwrap());
    assert_eq!(Chunks::sign_by(&a, Ladder::default()).rung(), Rung::ZERO);
}
