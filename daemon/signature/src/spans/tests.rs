//! Spans are equal bytes, and hold exactly the windows that containment counts.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const WIDTH: usize = 20;

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

fn spans_of(a: &[u8], b: &[u8]) -> Vec<Span> {
    let found = shared_spans(a, b, WIDTH, usize::MAX);
    assert_eq!(found.covered, None);
    found.spans
}

/// The windows of `a` that `b` has too, and which of them lie in the text that spans cover.
fn shared_and_covered(a: &[u8], b: &[u8], spans: &[Span]) -> [u64; 2] {
    let of_b: BTreeSet<_> = b.windows(WIDTH).collect();
    let mut is_covered = vec![false; a.len()];
    for span in spans {
        is_covered[span.offset_a as usize..span.end_a() as usize].fill(true);
    }
    let (mut shared, mut covered) = (BTreeSet::new(), BTreeSet::new());
    for (at, window) in a.windows(WIDTH).enumerate() {
        if of_b.contains(window) {
            shared.insert(window);
            if is_covered[at..at + WIDTH].iter().all(|covered| *covered) {
                covered.insert(window);
            }
        }
    }
    [shared.len() as u64, covered.len() as u64]
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
    fn spans_are_sound_on_repetitive_input(pieces_a in prop::collection::vec(0u64..4, 0..12),
                                           pieces_b in prop::collection::vec(0u64..4, 0..12)) {
        let join = |pieces: Vec<u64>| pieces.iter().flat_map(|&p| noise(700, p)).collect::<Vec<_>>();
        let (a, b) = (join(pieces_a), join(pieces_b));
        assert_sound(&a, &b, &spans_of(&a, &b));
    }

    #[test]
    fn one_edit_leaves_two_maximal_spans(at in 3000usize..17_000, removed in 1usize..50) {
        let a = noise(20_000, 1);
        let mut b = a.clone();
        b.splice(at..at + removed, *b"EDITED");
        let spans = spans_of(&a, &b);
        assert_sound(&a, &b, &spans);
        prop_assert_eq!(spans.len(), 2);
        let total: u64 = spans.iter().map(|span| span.length).sum();
        prop_assert!(total as usize >= a.len() - removed);
    }
}

proptest! {
    #[test]
    fn every_window_that_is_counted_lies_in_a_span(
        pieces_a in prop::collection::vec((0u64..6, 0usize..60), 0..20),
        pieces_b in prop::collection::vec((0u64..6, 0usize..60), 0..20),
    ) {
        let join = |pieces: Vec<(u64, usize)>| {
            pieces.iter().flat_map(|&(p, length)| noise(length, p)).collect::<Vec<_>>()
        };
        let (a, b) = (join(pieces_a), join(pieces_b));
        let spans = spans_of(&a, &b);
        assert_sound(&a, &b, &spans);
        let [shared, covered] = shared_and_covered(&a, &b, &spans);
        prop_assert_eq!(shared, covered);
    }

    #[test]
    fn what_limits_leave_out_is_counted(
        pieces_a in prop::collection::vec((0u64..6, 0usize..90), 0..20),
        pieces_b in prop::collection::vec((0u64..6, 0usize..90), 0..20),
        indexed in 40usize..400, most in 1usize..5,
    ) {
        let join = |pieces: Vec<(u64, usize)>| {
            pieces.iter().flat_map(|&(p, length)| noise(length, p)).collect::<Vec<_>>()
        };
        let (a, b) = (join(pieces_a), join(pieces_b));
        let found = within(&a, &b, WIDTH, Limits { indexed, spans: most });
        assert_sound_but_for_length(&a, &b, &found.spans);
        prop_assert!(found.spans.len() <= most);
        let [shared, covered] = shared_and_covered(&a, &b, &found.spans);
        let said = found.covered.unwrap_or(shared);
        // Windows that lie across two spans are not known where not all were indexed.
        prop_assert!(said <= covered, "{} of {}", said, covered);
        if b.len() < indexed {
            prop_assert_eq!(said, covered);
        }
    }
}

fn assert_sound_but_for_length(a: &[u8], b: &[u8], spans: &[Span]) {
    let mut end = 0;
    for span in spans {
        let (from_a, from_b) = (span.offset_a as usize, span.offset_b as usize);
        let (to_a, to_b) = (from_a + span.length as usize, from_b + span.length as usize);
        assert!(span.length > 0 && from_a >= end);
        assert_eq!(a[from_a..to_a], b[from_b..to_b]);
        end = to_a;
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
    assert_eq!(spans_of(&a, &a), [whole]);
    assert_eq!(spans_of(&a, &noise(5000, 2)), []);
    assert_eq!(spans_of(&a, b""), []);
    assert_eq!(spans_of(b"", &a), []);
}

#[test]
fn a_moved_passage_is_found_where_it_went() {
    let (x, y) = (noise(6000, 1), noise(6000, 2));
    let (a, b) = ([x.clone(), y.clone()].concat(), [y, x].concat());
    let spans = spans_of(&a, &b);
    assert_sound(&a, &b, &spans);
    let found: Vec<_> = spans
        .iter()
        .map(|s| (s.offset_a, s.offset_b, s.length))
        .collect();
    assert_eq!(found, [(0, 6000, 6000), (6000, 0, 6000)]);
}
