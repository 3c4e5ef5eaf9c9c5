//! Alignments are true, find what little edits leave, and cost no more than they say.

use proptest::prelude::*;

use super::work::STEPS_A_LOOK;
use super::*;

/// Aligns two texts by their lines.
fn align_lines(a: &[u32], b: &[u32]) -> Alignment {
    let aligned = align_lines_while(a, b, &mut || Ok::<_, Infallible>(()));
    aligned.unwrap_or_else(|never| match never {})
}

/// Numbers that look random, of so many kinds.
fn noise(length: usize, kinds: u64, seed: u64) -> Vec<u32> {
    let mut state = seed;
    let step = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % kinds) as u32
    };
    (0..length).map(step).collect()
}

/// Runs are equal and ascend in both, moves are equal, and nothing is in two of them.
fn assert_true(a: &[u32], b: &[u32], found: &Alignment) {
    let (mut end_a, mut end_b) = (0, 0);
    let mut taken = [vec![false; a.len()], vec![false; b.len()]];
    let mut take = |run: &Run| {
        assert!(run.length > 0);
        assert_eq!(a[run.of_a()], b[run.of_b()]);
        for (taken, range) in taken.iter_mut().zip([run.of_a(), run.of_b()]) {
            assert!(taken[range.clone()].iter().all(|taken| !taken));
            taken[range].fill(true);
        }
    };
    for run in &found.runs {
        assert!(run.a >= end_a && run.b >= end_b);
        assert!(run.a > end_a || run.b > end_b || end_a + end_b == 0);
        (end_a, end_b) = (run.of_a().end, run.of_b().end);
        take(run);
    }
    assert!(found.moves.is_sorted_by_key(|run| run.b));
    for run in &found.moves {
        assert!(run.length >= MOVED_WORDS);
        take(run);
    }
}

fn common(found: &Alignment) -> usize {
    found.runs.iter().map(|run| run.length).sum()
}

/// The longest common subsequence, by the table of all lengths.
fn longest_common(a: &[u32], b: &[u32]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (at, y) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if x == y {
                diagonal + 1
            } else {
                above.max(row[at])
            };
            diagonal = above;
        }
    }
    row[b.len()]
}

proptest! {
    #[test]
    fn alignments_are_true(
        kinds in 1u64..40, lengths in (0usize..200, 0usize..200), seeds in any::<(u64, u64)>(),
    ) {
        let (a, b) = (noise(lengths.0, kinds, seeds.0), noise(lengths.1, kinds, seeds.1));
        assert_true(&a, &b, &align_lines(&a, &b));
        assert_true(&a, &b, &align_words(&a, &b));
    }

    #[test]
    fn blocks_in_another_order_are_runs_and_moves(order in Just((0..8u64).collect::<Vec<_>>()).prop_shuffle()) {
        let block = |seed: &u64| noise(40, 1 << 30, seed + 1);
        let a: Vec<u32> = (0..8).flat_map(|seed| block(&seed)).collect();
        let b: Vec<u32> = order.iter().flat_map(block).collect();
        let found = align_words(&a, &b);
        assert_true(&a, &b, &found);
        let moved: usize = found.moves.iter().map(|run| run.length).sum();
        prop_assert_eq!(common(&found) + moved, a.len());
    }

    #[test]
    fn where_nothing_divides_the_alignment_is_the_longest(
        a in prop::collection::vec(0u32..3, 0..60), b in prop::collection::vec(0u32..3, 0..60),
    ) {
        let mut go_on = || Ok::<_, ()>(());
        let mut work = Work::asking(&mut go_on);
        let mut search = Search::new(&a, &b, &mut work);
        prop_assert!(search.greedy(Gap::whole(&a, &b)).is_ok());
        prop_assert!(!search.is_cut_short);
        let found = Alignment { runs: joined(search.runs), ..Alignment::default() };
        assert_true(&a, &b, &found);
        prop_assert_eq!(common(&found), longest_common(&a, &b));
    }
}

#[test]
fn little_edits_leave_all_else() {
    let a = noise(5_000, 900, 1);
    let mut b = a.clone();
    for at in [4_000, 2_500, 30] {
        b[at] = 1 << 20;
        b.insert(at / 2, 1 << 21);
    }
    let found = align_words(&a, &b);
    assert_true(&a, &b, &found);
    assert_eq!((common(&found), found.moves.len()), (5_000 - 3, 0));
    assert_eq!(common(&align_lines(&a, &b)), 5_000 - 3);
    assert!(!found.is_cut_short);
}

#[test]
fn a_block_that_moved_is_a_move_from_a_number_of_words_on() {
    let text = noise(2_000, 1 << 30, 7);
    for length in [MOVED_WORDS - 1, MOVED_WORDS, 300] {
        let (before, rest) = text.split_at(500);
        let (block, rest) = rest.split_at(length);
        let (between, after) = rest.split_at(800);
        let b = [before, between, block, after].concat();
        let found = align_words(&text, &b);
        assert_true(&text, &b, &found);
        let moved = Run {
            a: 500,
            b: 1_300,
            length,
        };
        let expected = (length >= MOVED_WORDS).then_some(moved);
        assert_eq!(found.moves, Vec::from_iter(expected));
    }
}

#[test]
fn a_word_here_and_there_does_not_divide_a_change() {
    // Twenty words replaced by twenty others, of which one in the middle is the same.
    let (before, after) = (noise(50, 1 << 30, 1), noise(50, 1 << 30, 2));
    let (mut old, mut new) = (noise(20, 1 << 30, 3), noise(20, 1 << 30, 4));
    (old[10], new[9]) = (5, 5);
    let [a, b] = [&old, &new].map(|middle| [&before[..], middle, &after].concat());
    assert_eq!(align_words(&a, &b).runs.len(), 2);
    assert_eq!(align_lines(&a, &b).runs.len(), 3);
}

#[test]
fn the_work_is_linear_whatever_the_texts_are() {
    let length = 60_000;
    let unlike = [noise(length, 1 << 30, 1), noise(length, 1 << 30, 2)];
    let one_word = [vec![7; length], vec![7; length / 2]];
    let few_words = [noise(length, 3, 1), noise(length, 3, 2)];
    let periodic = [
        [1, 2, 3].repeat(length / 3),
        [3, 1, 2, 4].repeat(length / 4),
    ];
    let prose = [noise(length, 2_000, 1), noise(length, 2_000, 2)];
    let mut shuffled = unlike[0].clone();
    shuffled.reverse();
    let reversed = [unlike[0].clone(), shuffled];
    for (number, [a, b]) in [unlike, one_word, few_words, periodic, prose, reversed]
        .iter()
        .enumerate()
    {
        for found in [align_words(a, b), align_lines(a, b)] {
            assert_true(a, b, &found);
            let each = found.steps / (a.len() + b.len()) as u64;
            assert!(each <= 300, "{each} steps an item in case {number}");
        }
    }
}

#[test]
fn it_is_asked_whether_to_go_on_again_and_again_and_ends_where_it_may_not() {
    let length = 60_000;
    let pairs = [
        [noise(length, 1 << 30, 1), noise(length, 1 << 30, 2)],
        [noise(length, 3, 1), noise(length, 3, 2)],
        [noise(length, 2_000, 1), noise(length, 2_000, 2)],
    ];
    for [a, b] in &pairs {
        // Between two looks: the items of a look, and what is not divided.
        let most = STEPS_A_LOOK + ((a.len() + b.len()) * MOVED_WORDS) as u64;
        for align in [align_words_while::<u64>, align_lines_while] {
            let mut asked = 0;
            let found = align(a, b, &mut || {
                asked += 1;
                Ok(())
            })
            .unwrap();
            assert!((found.steps / most..=found.steps / STEPS_A_LOOK).contains(&asked));
            assert!(asked > 4, "{asked} of {} steps", found.steps);
            for last in 1..=asked {
                let mut asked = 0;
                let ended = align(a, b, &mut || {
                    asked += 1;
                    if asked < last { Ok(()) } else { Err(asked) }
                });
                assert_eq!((ended, asked), (Err(last), last));
                if last == 3 {
                    break;
                }
            }
        }
    }
    let text = "word ".repeat(100_000);
    let mut asked = 0;
    let ended = Vocabulary::default().words_while(&text, &mut || {
        asked += 1;
        if asked < 3 { Ok(()) } else { Err(()) }
    });
    assert_eq!((ended, asked), (Err(()), 3));
}

#[test]
fn words_see_through_line_breaks_case_and_invisible_signs() {
    let mut vocabulary = Vocabulary::default();
    let a =
        vocabulary.words("The supplier\ndeliv\u{ad}ers within 30\u{a0}days,\n\u{2022} at most.");
    let b = vocabulary.words("  the SUPPLIER delivers\r\n\r\nwithin 30 days, at\tmost.");
    assert_eq!(a.keys, b.keys);
    assert_eq!(a.keys.len(), 10);
    assert_ne!(vocabulary.words("thirty").keys, vocabulary.words("30").keys);
    // Accents in one character or two; a sign of its own for three points.
    assert_eq!(
        vocabulary.words("caf\u{e9}\u{2026}").keys,
        vocabulary.words("cafe\u{301}...").keys
    );
}

#[test]
fn a_bullet_is_a_word_where_the_canonical_text_keeps_it() {
    let same = |a: &str, b: &str| {
        let mut vocabulary = Vocabulary::default();
        let [words_a, words_b] = [a, b].map(|text| vocabulary.words(text).keys);
        let canonical = [a, b].map(crate::CanonicalText::from_extracted);
        assert_eq!(
            words_a == words_b,
            canonical[0] == canonical[1],
            "{a:?} {b:?}"
        );
        words_a == words_b
    };
    assert!(same("one\n\u{2022} two", "one\ntwo"));
    assert!(same(" \u{200b}\u{2022}\t\u{25aa} \u{ad}two", "two"));
    assert!(same("one\n \u{2022} \u{2022}\n two", "one two"));
    assert!(!same("one \u{2022} two", "one two"));
    assert!(!same("one \u{2022} two", "one\n\u{2022} two"));
    assert!(!same("\u{2022}two", "two"));
    assert!(!same("\u{2022}\u{2022} two", "two"));
    assert!(!same("\u{2022}\u{301} two", "two"));
}

proptest! {
    /// Words alone are told apart by signs around them; here they stand between spaces.
    #[test]
    fn texts_of_the_same_words_are_the_same_canonical_text(
        a in prop::collection::vec((0usize..5, any::<bool>()), 0..9),
        b in prop::collection::vec((0usize..5, any::<bool>()), 0..9),
    ) {
        let text = |words: &[(usize, bool)]| -> String {
            let words = words.iter().map(|(word, is_last)| {
                let word = ["\u{2022}", "\u{25aa}", "a", "\u{ad}", "-"][*word];
                format!("{word}{}", if *is_last { "\n" } else { " " })
            });
            words.collect()
        };
        let (a, b) = (text(&a), text(&b));
        let mut vocabulary = Vocabulary::default();
        let same = vocabulary.words(&a).keys == vocabulary.words(&b).keys;
        let [a, b] = [a, b].map(|text| crate::CanonicalText::from_extracted(&text));
        prop_assert_eq!(same, a == b);
    }
}

#[test]
fn words_are_where_they_are_said_to_be() {
    let text = "Don't (really)\n\u{65e5}\u{672c}\u{304b} caf\u{e9}!";
    let words = Vocabulary::default().words(text);
    let written: Vec<&str> = words
        .places
        .iter()
        .map(|place| &text[place.clone()])
        .collect();
    let expected = [
        "Don",
        "'",
        "t",
        "(",
        "really",
        ")",
        "\u{65e5}",
        "\u{672c}",
        "\u{304b}",
        "caf\u{e9}",
        "!",
    ];
    assert_eq!(written, expected);
    assert_eq!(word_count(text), 11);
    // A long run is pieces, cut between characters.
    let long = "\u{e4}".repeat(100);
    assert_eq!(Vocabulary::default().words(&long).keys.len(), 4);
}

proptest! {
    #[test]
    fn words_ascend_within_the_text(text in any::<String>()) {
        let words = Vocabulary::default().words(&text);
        let mut end = 0;
        for place in &words.places {
            prop_assert!(place.start >= end && place.end > place.start);
            prop_assert!(text.get(place.clone()).is_some());
            end = place.end;
        }
        prop_assert!(words.keys.len() as u64 <= word_count(&text));
    }
}
