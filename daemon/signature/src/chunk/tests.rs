//! Chunk maps cover their input, survive edits, and shared spans are equal bytes.

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

/// Every promise about spans but completeness.
fn assert_sound(a: &[u8], b: &[u8], spans: &[Span]) {
    let mut end = 0;
    for span in spans {
        let (from_a, from_b) = (span.offset_a as usize, span.offset_b as usize);
        let (to_a, to_b) = (from_a + span.length as usize, from_b + span.length as usize);
        assert!(span.length > 0 && from_a >= end);
        assert_eq!(a[from_a..to_a], b[from_b..to_b]);
        assert!(to_a == a.len() || to_b == b.len() || a[to_a] != b[to_b]);
        assert!(from_a == end || from_b == 0 || a[from_a - 1] != b[from_b - 1]);
        end = to_a;
    }
}

proptest! {
    #[test]
    fn chunks_cover_everything_once(bytes in prop::collection::vec(any::<u8>(), 0..9000), raw: bool) {
        let size = if raw { ChunkSize::RAW } else { ChunkSize::TEXT };
        let chunks = chunk_map(&bytes, size);
        let mut end = 0;
        for chunk in &chunks {
            prop_assert_eq!(chunk.offset, end);
            prop_assert!(chunk.length > 0 && chunk.length <= u64::from(size.max));
            end += chunk.length;
        }
        prop_assert_eq!(end, bytes.len() as u64);
    }

    #[test]
    fn spans_are_sound_on_repetitive_input(pieces_a in prop::collection::vec(0u64..4, 0..12),
                                           pieces_b in prop::collection::vec(0u64..4, 0..12)) {
        let join = |pieces: Vec<u64>| pieces.iter().flat_map(|&p| noise(700, p)).collect::<Vec<_>>();
        let (a, b) = (join(pieces_a), join(pieces_b));
        assert_sound(&a, &b, &shared_spans(&a, &b));
    }

    #[test]
    fn one_edit_leaves_two_maximal_spans(at in 3000usize..17_000, removed in 1usize..50) {
        let a = noise(20_000, 1);
        let mut b = a.clone();
        b.splice(at..at + removed, *b"EDITED");
        let spans = shared_spans(&a, &b);
        assert_sound(&a, &b, &spans);
        prop_assert_eq!(spans.len(), 2);
        let total: u64 = spans.iter().map(|span| span.length).sum();
        prop_assert!(total as usize >= a.len() - removed);
    }
}

#[test]
fn equal_inputs_share_one_span_and_unlike_ones_none() {
    let a = noise(5000, 1);
    let whole = Span {
        offset_a: 0,
        offset_b: 0,
        length: 5000,
    };
    assert_eq!(shared_spans(&a, &a), [whole]);
    assert_eq!(shared_spans(&a, &noise(5000, 2)), []);
    assert_eq!(shared_spans(&a, b""), []);
    assert_eq!(shared_spans(b"", &a), []);
}

#[test]
fn a_moved_passage_is_found_where_it_went() {
    let (x, y) = (noise(6000, 1), noise(6000, 2));
    let (a, b) = ([x.clone(), y.clone()].concat(), [y, x].concat());
    let spans = shared_spans(&a, &b);
    assert_sound(&a, &b, &spans);
    let found: Vec<_> = spans
        .iter()
        .map(|s| (s.offset_a, s.offset_b, s.length))
        .collect();
    assert_eq!(found, [(0, 6000, 6000), (6000, 0, 6000)]);
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
