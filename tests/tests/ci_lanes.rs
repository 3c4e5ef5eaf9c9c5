//! What `.ci/run` runs of the tests: all of them, and each once.

use std::fs;

use super::{targets, text, top};

/// A program that is not built for tests of its own has none in its file and no further files; one that is
/// must be named by those who run tests.
#[test]
fn no_test_of_a_program_is_left_out() {
    let ci = fs::read_to_string(top().join(".ci/run")).expect("what a change must pass");
    for (program, path) in targets("bin") {
        let name = text(&program["name"]);
        let source = fs::read_to_string(path).expect("a program");
        let parts = ["#[test]", "\nmod ", "\npub mod "];
        let has_none = parts.iter().all(|part| !source.contains(part));
        let is_run = program["test"] == true && ci.contains(&format!("--bin {name}"));
        assert!(is_run || program["test"] == false && has_none, "{name}");
    }
}

/// The lanes name programs of tests by patterns: each program is run in one lane, and in one only.
#[test]
fn every_program_of_tests_is_run_in_one_lane() {
    let ci = fs::read_to_string(top().join(".ci/run")).expect("what a change must pass");
    let lanes = ci.lines().filter(|line| line.starts_with("lane "));
    let patterns: Vec<&str> = lanes
        .flat_map(|lane| lane.split("--test '").skip(1))
        .filter_map(|rest| rest.split('\'').next())
        .collect();
    for (program, _) in targets("test") {
        let name = text(&program["name"]);
        let running = patterns.iter().filter(|pattern| is_match(pattern, &name));
        assert_eq!(running.count(), 1, "{name} among {patterns:?}");
    }
    let one =
        ["ac*", "ac", "[!ap]*", "a[!c]*", "[ab]c*"].map(|pattern| is_match(pattern, "acceptance"));
    assert_eq!(one, [true, false, false, false, true]);
}

/// Whether a name matches a pattern of letters, of sets (`[!ab]`: any but these) and of a last `*`.
fn is_match(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    while let Some(wanted) = pattern.next() {
        let set: String = match wanted {
            '*' => return true,
            '[' => pattern.by_ref().take_while(|end| *end != ']').collect(),
            letter => letter.to_string(),
        };
        let (letters, is_wanted) = match set.strip_prefix('!') {
            Some(others) => (others, false),
            None => (set.as_str(), true),
        };
        let met = name.next().map(|letter| letters.contains(letter));
        if met != Some(is_wanted) {
            return false;
        }
    }
    name.next().is_none()
}
