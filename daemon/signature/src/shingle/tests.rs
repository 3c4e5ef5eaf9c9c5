//! Shingles against their slow twins, sorting and sharing against the standard library.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

proptest! {
    #[test]
    fn sorting_agrees_with_the_standard_sort(
        values in prop::collection::vec(any::<u64>(), 0..5000), narrow in 0u32..64,
    ) {
        let values: Vec<_> = values.into_iter().map(|v| Fingerprint(v >> narrow)).collect();
        let expected: BTreeSet<_> = values.iter().copied().collect();
        prop_assert!(sorted_distinct(values).iter().eq(&expected));
    }

    #[test]
    fn sharing_agrees_with_set_intersection(
        a in prop::collection::btree_set(0u64..500, 0..40),
        b in prop::collection::btree_set(0u64..500, 0..400),
    ) {
        let expected = a.intersection(&b).count() as u64;
        let list = |set: BTreeSet<u64>| set.into_iter().map(Fingerprint).collect::<Vec<_>>();
        let (a, b) = (list(a), list(b));
        prop_assert_eq!(shared(&a, &b), expected);
        prop_assert_eq!(shared(&b, &a), expected);
        prop_assert_eq!(shared_by_search(&a, &b), expected);
    }
}

#[test]
fn slabs_have_every_window_once() {
    let text: Vec<u8> = (0..3 * SLAB + 5).map(|at| (at * 7 % 251) as u8).collect();
    for (length, width) in [
        (0, 20),
        (19, 20),
        (20, 20),
        (SLAB, 1),
        (SLAB + 19, 20),
        (SLAB + 20, 20),
        (text.len(), 20),
    ] {
        let windows = slabs(&text[..length], width).flat_map(|slab| slab.windows(width));
        assert!(
            windows.eq(text[..length].windows(width)),
            "{length} {width}"
        );
    }
}

#[test]
fn words_of_long_texts_are_all_there() {
    let text: String = (0..3 * WORDS).map(|i| format!("{} ", i % 9_973)).collect();
    let text = CanonicalText::from_extracted(&text);
    for width in [1, 3] {
        let window = Window::words(width).unwrap();
        let mut all = Vec::new();
        for_each_run(&text, window, |run| all.extend_from_slice(run));
        assert_eq!(all, crate::reference::shingles(&text, window));
    }
}

#[test]
fn a_shingle_that_returns_without_end_is_selected_a_bounded_number_of_times() {
    let one_letter = CanonicalText::from_extracted(&"x".repeat(5 * SLAB));
    let mut selected = Vec::new();
    select_shingles(&one_letter, Window::DEFAULT, Rung::ZERO, &mut selected);
    assert!(selected.len() <= SLAB, "{}", selected.len());
    assert!(!selected.is_empty());
}
