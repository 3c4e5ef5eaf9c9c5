//! Shingles against their slow twins.

use super::*;

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
