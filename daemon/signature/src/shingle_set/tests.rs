//! Sets against their slow twins; sets in parts against sets that are listed.

use super::*;
use crate::reference;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn set(text: &str, window: Window) -> ShingleSet {
    ShingleSet::new(&CanonicalText::from_extracted(text), window)
}

fn bytes(width: u16) -> Window {
    Window::bytes(width).unwrap()
}

/// A text of some variety, with repeats.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab ]{0,600}",
        "[a-z ]{0,3000}",
        ("[a-z]{1,9}", 1usize..400).prop_map(|(word, times)| word.repeat(times)),
    ]
}

fn is_listed(set: &ShingleSet) -> bool {
    matches!(set.form, Form::Listed(_))
}

proptest! {
    #[test]
    fn the_set_agrees_with_its_twin(text in "[ab ]{0,900}", words: bool, w in 1u16..12) {
        let text = CanonicalText::from_extracted(&text);
        let window = if words { Window::words(w) } else { Window::bytes(w) }.unwrap();
        let expected: BTreeSet<_> = reference::shingles(&text, window).into_iter().collect();
        let set = ShingleSet::new(&text, window);
        prop_assert!(set.sampled(Rung::ZERO).iter().eq(&expected));
    }

    #[test]
    fn measures_are_those_of_the_byte_windows(a in "[ab]{0,60}", b in "[ab]{0,60}", w in 1u16..12) {
        let (one, other) = (set(&a, bytes(w)), set(&b, bytes(w)));
        let (a, b, w) = (a.as_bytes(), b.as_bytes(), w.into());
        prop_assert_eq!(one.resemblance(&other).map(Ratio::get), reference::resemblance(a, b, w));
        prop_assert_eq!(one.resemblance(&other), other.resemblance(&one));
        prop_assert_eq!(
            one.containment_in(&other).map(Ratio::get),
            reference::containment(a, b, w)
        );
    }

    #[test]
    fn a_set_in_parts_answers_as_a_listed_one(a in texts(), b in texts(), most in 1usize..300, r in 0u8..4) {
        let (a, b) = (CanonicalText::from_extracted(&a), CanonicalText::from_extracted(&b));
        let whole = |text| ShingleSet::listing(text, bytes(5), usize::MAX);
        let parts = |text| ShingleSet::listing(text, bytes(5), most);
        let (whole_a, whole_b, parts_a, parts_b) = (whole(&a), whole(&b), parts(&a), parts(&b));
        prop_assert!(is_listed(&whole_a));
        prop_assert_eq!(is_listed(&parts_a), whole_a.len() <= most);
        prop_assert_eq!(parts_a.len(), whole_a.len());
        prop_assert_eq!(parts_a.counts_by_rung(), whole_a.counts_by_rung());
        let rung = Rung::new(r).unwrap();
        prop_assert_eq!(parts_a.sampled(rung), whole_a.sampled(rung));
        let mut visited = Vec::new();
        let seen = parts_a.visit(|part| {
            prop_assert!(part.len() <= most.max(1));
            visited.extend_from_slice(part);
            Ok::<_, TestCaseError>(())
        });
        seen?;
        prop_assert_eq!(visited, whole_a.sampled(Rung::ZERO));
        let count = |a: &ShingleSet, b: &ShingleSet| {
            let by_rung = a.count_shared_by_rung(b, || Ok::<_, ()>(())).unwrap();
            assert_eq!(a.count_shared(b, || Ok::<_, ()>(())), Ok(by_rung[0]));
            by_rung
        };
        let expected = count(&whole_a, &whole_b);
        let at_rung = crate::sorted::shared(&whole_a.sampled(rung), &whole_b.sampled(rung));
        prop_assert_eq!(expected[usize::from(rung.get())], at_rung);
        for (a, b) in [(&parts_a, &parts_b), (&parts_a, &whole_b), (&whole_a, &parts_b)] {
            prop_assert_eq!(count(a, b), expected);
        }
        prop_assert_eq!(parts_b.resemblance(&parts_a), whole_a.resemblance(&whole_b));
    }

    #[test]
    fn a_part_holds_all_up_to_its_end_wherever_the_fingerprints_crowd(
        values in prop::collection::vec(any::<u64>(), 0..400), narrow in 0u32..64, fits in 1usize..50,
    ) {
        let values: Vec<_> = values.into_iter().map(|v| Fingerprint(v >> narrow)).collect();
        let expected: BTreeSet<_> = values.iter().copied().collect();
        let mut all = Vec::new();
        let mut passes = 0;
        let each = |gather: &mut Gather| values.chunks(7).for_each(|run| gather.add(run));
        let Ok(()) = in_parts(span(values.len(), fits), fits, each, |part| {
            all.extend_from_slice(part);
            passes += 1;
            Ok::<_, Infallible>(())
        });
        prop_assert!(all.iter().eq(&expected));
        // Even shares, and one more for each half of what fits.
        let shares = values.len() / (fits - fits / 4) + 2;
        prop_assert!(passes <= shares + expected.len() / (fits / 2).max(1), "{} passes", passes);
    }
}

#[test]
fn a_question_that_nobody_waits_for_ends_between_parts() {
    let words: String = (0..900u32).map(|i| format!("{} ", i * i % 9973)).collect();
    let text = CanonicalText::from_extracted(&words);
    let set = ShingleSet::listing(&text, Window::DEFAULT, 100);
    let mut asked = 0;
    let ended = set.count_shared(&set, || {
        asked += 1;
        if asked == 3 { Err("gone") } else { Ok(()) }
    });
    assert_eq!((ended, asked), (Err("gone"), 3));
    assert_eq!(set.visit(|_| Err("gone")), Err("gone"));
}

#[test]
fn a_set_in_parts_holds_its_text_and_no_list() {
    let words: String = (0..900u32).map(|i| format!("{} ", i * i % 9973)).collect();
    let text = CanonicalText::from_extracted(&words);
    let length = text.as_bytes().len() as u64;
    let listed = ShingleSet::new(&text, Window::DEFAULT);
    assert_eq!(listed.held_bytes(), 8 * listed.len() as u64);
    let parted = ShingleSet::listing(&text, Window::DEFAULT, 100);
    assert_eq!(parted.held_bytes(), length);
    assert_eq!(ShingleSet::peak_bytes(length), 16 * length);
    assert_eq!(ShingleSet::peak_bytes(u64::MAX), 128 << 20);
}

#[test]
fn a_text_shorter_than_a_window_is_not_comparable() {
    let (short, long) = (
        set("short", Window::DEFAULT),
        set(&"long ".repeat(9), Window::DEFAULT),
    );
    assert!(short.is_empty());
    assert_eq!(short.resemblance(&short), None);
    assert_eq!(short.containment_in(&long), None);
    assert_eq!(long.containment_in(&short), Some(Ratio::ZERO));
}

#[test]
fn containment_is_directed() {
    let part = set("the quick brown fox jumps", bytes(5));
    let whole = set("see: the quick brown fox jumps over the lazy dog", bytes(5));
    assert_eq!(part.containment_in(&whole), Some(Ratio::ONE));
    assert!(whole.containment_in(&part) < Some(Ratio::ONE));
    assert_eq!(whole.resemblance(&whole), Some(Ratio::ONE));
}
