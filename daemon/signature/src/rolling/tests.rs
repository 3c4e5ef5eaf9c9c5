//! Both kernels against long division.

use super::block::SHORTEST;
use super::*;
use crate::chunk_minima::ChunkMinima;
use crate::modulus::RemainderTest;
use crate::reference;
use proptest::prelude::*;

fn collected(visit: impl FnOnce(&mut dyn FnMut(Fingerprint))) -> Vec<Fingerprint> {
    let mut all = Vec::new();
    visit(&mut |fingerprint| all.push(fingerprint));
    all
}

/// The kernel that this processor runs, and the one that every processor can.
fn kernels(width: usize) -> [RabinTables; 2] {
    [RabinTables::new(width), RabinTables::portable(width)]
}

/// All loops against long division.
fn agrees(bytes: &[u8], width: usize) {
    for tables in kernels(width) {
        agrees_by(&tables, bytes, width);
    }
}

fn agrees_by(tables: &RabinTables, bytes: &[u8], width: usize) {
    let expected = reference::window_fingerprints(bytes, width);
    assert_eq!(expected.len(), tables.windows_in(bytes.len()));
    let plain = collected(|visit| tables.for_each_plainly(bytes, visit));
    assert_eq!(
        plain,
        expected,
        "plainly, {} bytes, w = {width}",
        bytes.len()
    );
    let fast = collected(|visit| tables.for_each(bytes, visit));
    assert_eq!(
        fast,
        expected,
        "in lanes, {} bytes, w = {width}",
        bytes.len()
    );
}

#[test]
fn every_window_is_visited_once_at_every_edge_of_width_and_block() {
    let bytes: Vec<u8> = (0..9000u32).map(|i| (i * i * 31 + 7) as u8).collect();
    let shortest = LANES * SHORTEST;
    for width in [1, 2, 8, 9, 20, 160] {
        for blocks in [0, shortest, LONGEST_RUN, 2 * LONGEST_RUN + shortest] {
            for length in [0, width - 1, width, width + 1, width + 7, width + 63] {
                agrees(&bytes[..blocks + length], width);
            }
        }
    }
}

#[test]
fn runs_end_where_eight_windows_do_but_for_the_last() {
    let bytes: Vec<u8> = (0..5000u32).map(|i| (i * i * 31 + 7) as u8).collect();
    for length in (0..bytes.len()).step_by(37) {
        let mut runs = Vec::new();
        for tables in kernels(16) {
            tables.for_each_run(&bytes[..length], |run| runs.push(run.len()));
            let last = runs.pop();
            assert!(last.is_some() && runs.drain(..).all(|run| run.is_multiple_of(8)));
        }
    }
}

#[test]
fn the_work_of_a_byte_does_not_grow_with_the_width() {
    // One step is two look-ups in tables of one size; only their content knows the width.
    for width in [1, 20, 1000] {
        let tables = RabinTables::new(width);
        assert_eq!(size_of_val(&*tables.pop), 2048);
        assert_eq!(size_of_val(&crate::fingerprint::PUSH), 2048);
    }
}

#[test]
fn width_zero_is_taken_as_one() {
    assert_eq!(RabinTables::new(0).width(), 1);
}

proptest! {
    #[test]
    fn what_is_chosen_is_what_the_choice_says(
        bytes in prop::collection::vec(any::<u8>(), 0..5000), width in 1usize..60, n in 1u64..200, log2 in 0u8..8,
    ) {
        let rung = Rung::new(log2).unwrap();
        let all = reference::window_fingerprints(&bytes, width);
        let sorted = |mut list: Vec<Fingerprint>| { list.sort_unstable(); list };
        let kept = |wanted: &dyn Fn(u64) -> bool| sorted(all.iter().copied().filter(|f| wanted(f.0)).collect());
        for tables in kernels(width) {
            let chosen = |choice| {
                let mut chosen = Vec::new();
                tables.choose(&bytes, choice, &mut chosen);
                sorted(chosen)
            };
            prop_assert_eq!(chosen(Choice::Divisible(rung)), kept(&|f| f % rung.modulus() == 0));
            prop_assert_eq!(chosen(Choice::multiples_of(n)), kept(&|f| f % n == 0));
            prop_assert_eq!(chosen(Choice::Congruent(RemainderTest::new(n, n / 2))), kept(&|f| f % n == n / 2));
            let below = u64::MAX / n;
            prop_assert_eq!(chosen(Choice::Below(Fingerprint(below))), kept(&|f| f < below));
        }
    }

    #[test]
    fn minima_found_in_lanes_are_those_of_all_windows_in_a_row(
        bytes in prop::collection::vec(any::<u8>(), 0..5000), width in 1usize..60, n in 1u64..300,
    ) {
        let ends = Choice::multiples_of(n);
        let sorted = |mut list: Vec<Fingerprint>| { list.sort_unstable(); list };
        let mut minima = ChunkMinima::default();
        let mut expected = Vec::new();
        for fingerprint in reference::window_fingerprints(&bytes, width) {
            minima.add(&[fingerprint], |f| f.0 % n == 0, |least| expected.push(least));
        }
        expected.extend(minima.finish());
        let expected = sorted(expected);
        for tables in kernels(width) {
            let (mut kept, mut minima) = (Vec::new(), ChunkMinima::default());
            let join = |stretch, kept: &mut Vec<_>| minima.join(stretch, |f| kept.push(f));
            tables.minima(&bytes, ends, join, &mut kept);
            kept.extend(minima.finish());
            prop_assert_eq!(sorted(kept), &expected[..]);
        }
    }

    #[test]
    fn both_loops_agree_with_long_division(
        bytes in prop::collection::vec(any::<u8>(), 0..1000),
        width in 1usize..60,
    ) {
        agrees(&bytes, width);
    }
}
