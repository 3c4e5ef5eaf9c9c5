//! The text that people are shown of a difference by words.

use std::convert::Infallible;

use super::*;

fn shown(a: &str, b: &str) -> String {
    let difference = WordDifference::between(a, b);
    let written = difference.shown_while(("old", "new"), |_| Ok::<_, Infallible>(()));
    written.unwrap_or_else(|never| match never {})
}

#[test]
fn a_changed_word_stands_among_some_around_it() {
    let a = "The supplier delivers\nwithin 30 days of the order.\n";
    let b = "The supplier\ndelivers within 45 days\nof the order, in full.\n";
    assert_eq!(
        shown(a, b),
        "--- old\n+++ new\n@@ -2 +2 @@\n\
         The supplier delivers within [-30-]{+45+} days of the order{+, in full+}.\n"
    );
    assert_eq!(shown(a, &a.replace('\n', " ")), "");
}

#[test]
fn places_far_apart_are_apart_and_their_surroundings_cut() {
    let words: Vec<String> = (0..300).map(|at| format!("word{at}")).collect();
    let a = words.join(" ");
    let b = a.replace("word50 ", "").replace("word200", "other");
    let text = shown(&a, &b);
    assert_eq!(text.matches("@@ -1 +1 @@").count(), 2, "{text}");
    assert!(
        text.contains("… word") && text.contains("word49 [-word50-] word51"),
        "{text}"
    );
    assert!(text.contains("[-word200-]{+other+}"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 78),
        "{text}"
    );
}

#[test]
fn what_moved_says_where_from() {
    let line = |name: &str| {
        (0..20)
            .map(|at| format!("{name}{at}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (one, two, three) = (line("a"), line("b"), line("c"));
    let a = format!("{one}\n{two}\n{three}\n");
    let b = format!("{two}\n{three}\n{one}\n");
    let text = shown(&a, &b);
    assert!(text.contains("{>line 1: a0 a1"), "{text}");
    assert!(!text.contains("[-") && !text.contains("{+"), "{text}");
}

#[test]
fn what_nobody_waits_for_any_more_is_not_aligned_to_the_end() {
    let text = |seed: u32| -> String {
        let words = (0..60_000u32).map(|at| format!("{} ", at.wrapping_mul(seed) % 9_973));
        words.collect()
    };
    let (a, b) = (text(7), text(11));
    let mut asked = 0;
    let found = WordDifference::between_while(&a, &b, &mut || {
        asked += 1;
        Ok::<_, ()>(())
    });
    assert!(found.is_ok() && asked > 40, "{asked}");
    // While words are found, and while they are aligned.
    for last in [3, asked - 3] {
        let mut asked = 0;
        let found = WordDifference::between_while(&a, &b, &mut || {
            asked += 1;
            if asked < last { Ok(()) } else { Err(asked) }
        });
        assert_eq!((found.err(), asked), (Some(last), last));
    }
}

#[test]
fn a_bullet_within_a_line_is_shown_and_one_at_its_beginning_is_not() {
    assert_eq!(shown("\u{2022} one\ntwo\n", "one\ntwo\n"), "");
    let shown = shown("one \u{2022} two\n", "one two\n");
    assert!(shown.ends_with("one [-\u{2022}-] two\n"), "{shown}");
}
