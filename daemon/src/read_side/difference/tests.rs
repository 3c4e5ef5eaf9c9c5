//! Diffs survive a round trip, by our own applier and by the `patch` tool.
use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use similar::TextDiff;

use super::*;

fn check(a: &str, b: &str) {
    let patch = unified("a", "b", a, b);
    assert_eq!(apply(&patch, a).as_deref(), Ok(b), "{patch}");
    assert_eq!(patch.is_empty(), a == b);
}

fn between<'a>(a: &'a str, b: &'a str) -> Difference<'a> {
    Difference::between(lines(a), lines(b), &mut || Ok::<_, ()>(())).unwrap()
}

#[test]
fn texts_of_every_shape_go_there_and_back() {
    let long = "word ".repeat(200_000);
    let texts = [
        "",
        "\n",
        "a",
        "a\n",
        "a\r\nb\r\n",
        "a\nb\n",
        "a\rb",
        "a\r",
        "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n",
        "+\n-\n@@\n\\ No newline at end of file\n",
        "\\ No newline at end of file",
        "no\u{0}nul\u{85}\u{2028}lines\u{b}\u{c}",
        long.as_str(),
        &long[5..],
    ];
    for a in texts {
        for b in texts {
            check(a, b);
        }
    }
}

#[test]
fn a_missing_final_line_end_is_said_on_its_side() {
    assert_eq!(
        unified("a", "b", "x\ny", "x\ny\n"),
        "--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+y\n"
    );
    assert_eq!(
        unified("a", "b", "", "x"),
        "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"
    );
}

#[test]
fn a_carriage_return_is_not_a_line_end() {
    let patch = unified("a", "b", "x\ry\r", "x\ry");
    assert!(patch.contains("-x\ry\r\n\\ No newline"), "{patch:?}");
}

#[test]
fn the_form_is_that_of_the_library_but_for_a_carriage_return_at_the_end() {
    let theirs = |a: &str, b: &str| {
        let mut config = TextDiff::configure();
        let diff = config
            .newline_terminated(true)
            .diff_slices(&lines(a), &lines(b));
        diff.unified_diff()
            .context_radius(CONTEXT)
            .header("a", "b")
            .to_string()
    };
    let same = [
        ("x\ny\n", "x\nz\n"),
        ("x\ny", "x\ny\n"),
        ("", "x"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
    ];
    for (a, b) in same {
        assert_eq!(unified("a", "b", a, b), theirs(a, b), "{a:?} {b:?}");
    }
    let (a, b) = ("x\ny\r", "x\nz\r");
    assert_eq!(apply(&unified("a", "b", a, b), a).as_deref(), Ok(b));
    assert!(
        apply(&theirs(a, b), a).is_err(),
        "then ours is not needed any more"
    );
}

#[test]
fn names_stay_on_their_line() {
    let patch = unified("a\n+++ evil", "b c\u{202e}", "1\n", "2\n");
    let head: Vec<_> = patch.lines().take(3).collect();
    assert_eq!(
        head,
        [
            "--- \"a\\n+++ evil\"",
            "+++ \"b c\\342\\200\\256\"",
            "@@ -1 +1 @@"
        ]
    );
    assert!(unified("a b", "c", "1", "2").starts_with("--- a b\t\n+++ c\n"));
}

#[test]
fn a_search_that_was_ended_costs_brevity_not_truth() {
    // Lines that recur, in no common order: nothing divides them.
    let text = |step: u32| -> String {
        (0..20_000)
            .map(|i| format!("{}\n", i * step % 7919 % 5))
            .collect()
    };
    let (a, b) = (text(3), text(5));
    let patch = unified("a", "b", &a, &b);
    assert_eq!(apply(&patch, &a), Ok(b.clone()));
    assert!(between(&a, &b).cut_short);
}

#[test]
fn the_extent_counts_lines_and_places() {
    let a: String = (0..40).map(|i| format!("{i}\n")).collect();
    let b = a.replace("5\n6\n", "five\n").replace("30\n", "30\n \n");
    let found = between(&a, &b).extent();
    let Extent {
        hunks,
        removed,
        added,
        blank,
    } = found;
    assert_eq!((hunks, removed, added, blank), (2, 2, 2, 1));
}

#[test]
fn a_patch_is_refused_where_it_does_not_fit() {
    let patch = unified("a", "b", "1\n2\n3\n", "1\ntwo\n3\n");
    let mismatch = ApplyError::Mismatch {
        line: 4,
        text_line: 1,
    };
    assert_eq!(apply(&patch, "x\n2\n3\n"), Err(mismatch));
    assert_eq!(
        apply(&patch, "1\n2\n3"),
        Err(ApplyError::Mismatch {
            line: 7,
            text_line: 3
        })
    );
    let cut: String = patch.split_inclusive('\n').take(5).collect();
    assert!(matches!(
        apply(&cut, "1\n2\n3\n"),
        Err(ApplyError::Syntax { line: 6, .. })
    ));
    let moved = patch.replace("@@ -1,3 +1,3 @@", "@@ -9,3 +9,3 @@");
    assert_eq!(
        apply(&moved, "1\n2\n3\n"),
        Err(ApplyError::Misplaced { line: 3 })
    );
    let other_side = patch.replace("@@ -1,3 +1,3 @@", "@@ -1,3 +2,3 @@");
    assert_eq!(
        apply(&other_side, "1\n2\n3\n"),
        Err(ApplyError::Misplaced { line: 3 })
    );
    let trailing = format!("{patch}noise\n");
    assert!(matches!(
        apply(&trailing, "1\n2\n3\n"),
        Err(ApplyError::Syntax { line: 8, .. })
    ));
    assert!(apply("noise", "").is_err());
    assert!(apply("--- a\n+++ b\n", "").is_err());
}

/// Lines from a small alphabet, so that they recur, with all kinds of line ends.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[abc]{0,2}",
        "[-+@ \\\\]{1,3}[a-b]?",
        "\\PC{0,6}",
        any::<String>()
    ];
    let end = prop_oneof![Just("\n"), Just("\n"), Just("\r\n"), Just("\r"), Just("")];
    prop::collection::vec((line, end), 0..24)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

proptest! {
    #[test]
    fn applied_to_the_first_text_it_gives_the_second(a in text(), b in text()) {
        let patch = unified("a", "b", &a, &b);
        prop_assert_eq!(apply(&patch, &a), Ok(b));
    }

    #[test]
    fn applying_noise_never_panics(patch in text(), a in text()) {
        let _ = apply(&patch, &a);
        let _ = apply(&format!("--- a\n+++ b\n@@ -1 +1 @@\n{patch}"), &a);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_patch_tool_agrees(a in text(), b in text()) {
        prop_assume!(a != b);
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&from, &a).unwrap();
        let mut tool = Command::new("patch");
        tool.args(["--binary", "--quiet", "--fuzz=0", "-o"]).arg(&to).arg(&from);
        let Ok(mut tool) = tool.stdin(Stdio::piped()).spawn() else {
            eprintln!("skipped: no `patch` tool here");
            return Ok(());
        };
        let patch = unified("a", "b", &a, &b);
        tool.stdin.take().unwrap().write_all(patch.as_bytes()).unwrap();
        prop_assert!(tool.wait().unwrap().success(), "{}", patch);
        prop_assert_eq!(std::fs::read_to_string(&to).unwrap_or_default(), b);
    }
}

#[test]
fn a_text_is_cut_between_words_and_a_long_word_between_characters() {
    use super::shown::{first_words, last_words};
    assert_eq!(first_words("one two three", 9), "one two");
    assert_eq!(last_words("one two three", 9), "three");
    assert_eq!(
        (first_words("all", 3), last_words("all", 3)),
        ("all", "all")
    );
    // Something is left of a word that is longer, whatever surrounds it.
    let word = "ä".repeat(9);
    for text in [word.clone(), format!(" {word} "), format!("a\t{word} b")] {
        for cut in [first_words(&text, 6), last_words(&text, 6)] {
            assert!(!cut.is_empty() && cut.len() <= 6, "{text:?}: {cut:?}");
        }
    }
    assert_eq!(last_words(&format!(" {word} "), 6), "ää");
}
