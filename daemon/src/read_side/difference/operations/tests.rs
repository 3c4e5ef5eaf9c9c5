//! Operations survive a round trip, ignore line breaks, and detect moves.

use proptest::prelude::*;

use super::*;
use crate::read_side::difference::words::WordExtent;

fn between(a: &str, b: &str) -> Vec<Operation> {
    operations(&WordDifference::between(a, b)).collect()
}

fn check(a: &str, b: &str) {
    let found = between(a, b);
    assert_eq!(apply_operations(&found, a).as_deref(), Ok(b), "{found:?}");
    let is_plain = found.iter().all(|operation| operation.op == Op::Equal);
    assert_eq!(is_plain, a == b, "{found:?}");
    // They survive a round trip through JSON.
    let written = serde_json::to_string(&found).unwrap();
    assert_eq!(
        serde_json::from_str::<Vec<Operation>>(&written).unwrap(),
        found
    );
}

/// Words from a small vocabulary in lines of `width` words.
fn wrapped(words: &[String], width: usize) -> String {
    words
        .chunks(width)
        .map(|line| line.join(" ") + "\n")
        .collect()
}

fn words(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("word{at}")).collect()
}

#[test]
fn texts_of_every_shape_go_there_and_back() {
    let long = "word ".repeat(20_000);
    let texts = [
        "",
        "\n",
        "a",
        "A\n",
        "a\r\nb\r\n",
        "a\nb\n",
        "\u{2022} a\n\u{2022} b",
        "the old man",
        "the new  man ",
        "the man",
        "caf\u{e9}",
        "cafe\u{301}",
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
fn one_changed_word_is_one_word_in_whatever_lines() {
    let old = words(3_000);
    let mut new = old.clone();
    new[1_500] = "changed".to_owned();
    let (a, b) = (wrapped(&old, 7), wrapped(&new, 11));
    check(&a, &b);
    let found = WordDifference::between(&a, &b);
    let one = WordExtent {
        removed: 1,
        added: 1,
        ..WordExtent::default()
    };
    assert_eq!(found.extent, one);
    let changes: Vec<_> = between(&a, &b)
        .into_iter()
        .filter(|operation| !matches!(operation.op, Op::Equal | Op::Reformat))
        .collect();
    let [change] = &changes[..] else {
        panic!("{changes:?}");
    };
    assert_eq!(change.op, Op::Replace);
    assert_eq!(change.removed.as_deref(), Some("word1500"));
    assert_eq!(change.added.as_deref(), Some("changed"));
    assert_eq!(&a[change.offset_a as usize..][..8], "word1500");
    assert_eq!(&b[change.offset_b as usize..][..7], "changed");
}

#[test]
fn a_block_that_moved_is_one_move_with_both_places() {
    let all = words(2_000);
    let (before, rest) = all.split_at(400);
    let (block, rest) = rest.split_at(60);
    let (between_them, after) = rest.split_at(700);
    let a = wrapped(&all, 9);
    let b = wrapped(&[before, between_them, block, after].concat(), 8);
    check(&a, &b);
    let found = WordDifference::between(&a, &b);
    let expected = WordExtent {
        moved: 60,
        blocks_moved: 1,
        ..WordExtent::default()
    };
    assert_eq!(found.extent, expected);
    let moves = between(&a, &b);
    let [moved] = &moves
        .iter()
        .filter(|it| it.op == Op::Move)
        .collect::<Vec<_>>()[..]
    else {
        panic!("{moves:?}");
    };
    assert!(a[moved.offset_a as usize..].starts_with("word400"));
    assert!(b[moved.offset_b as usize..].starts_with("word400"));
    assert!(moved.added.as_deref().unwrap().ends_with("word459"));
}

#[test]
fn a_text_that_is_moved_twice_is_refused_before_it_is_copied_twice() {
    let a = "one two three four";
    let moved = |number: u64| Operation {
        op: Op::Move,
        offset_a: 0,
        length_a: a.len() as u64,
        offset_b: number * a.len() as u64,
        length_b: a.len() as u64,
        removed: None,
        added: None,
    };
    let mut third = moved(2);
    third.length_b = 1;
    // The third is not a valid operation, and is not reached.
    assert_eq!(
        apply_operations(&[moved(0), moved(1), third], a),
        Err(OperationError::Misplaced(2))
    );
}

#[test]
fn operations_that_were_changed_do_not_apply() {
    let a = "one two three four\nfive";
    let found = between(a, "one 2 three\nfour five six");
    assert!(apply_operations(&found, a).is_ok());
    let refused = |change: &dyn Fn(&mut Vec<Operation>)| {
        let mut changed = found.clone();
        change(&mut changed);
        apply_operations(&changed, a).unwrap_err()
    };
    let at = |op: Op| found.iter().position(|it| it.op == op).unwrap();
    let (replace, insert) = (at(Op::Replace), at(Op::Insert));
    assert_eq!(
        refused(&|all| all[replace].removed = Some("2wo".to_owned())),
        OperationError::Mismatch(replace + 1)
    );
    assert_eq!(
        refused(&|all| all[insert].added = None),
        OperationError::Malformed(insert + 1)
    );
    assert_eq!(
        refused(&|all| all[insert].added = Some("sixty".to_owned())),
        OperationError::Malformed(insert + 1)
    );
    assert_eq!(refused(&|all| all.swap(0, 1)), OperationError::Misplaced(1));
    assert!(matches!(
        refused(&|all| drop(all.remove(replace))),
        OperationError::Misplaced(_)
    ));
    assert_eq!(
        refused(&|all| all[replace].offset_a = 9_000),
        OperationError::Mismatch(replace + 1)
    );
    assert_eq!(
        apply_operations(&found, &format!("{a} more")),
        Err(OperationError::LeftOut(a.len() as u64))
    );
    assert_eq!(apply_operations(&[], "a"), Err(OperationError::LeftOut(0)));
}

/// Words from a small alphabet with all kinds of white space, so that they recur.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof!["[abc]{0,2}", "[A-C.,;]{1,3}", "\\PC{0,4}", any::<String>()];
    let space = prop_oneof![
        Just(" "),
        Just(" "),
        Just("\n"),
        Just("\r\n"),
        Just("  "),
        Just("")
    ];
    let few = prop::collection::vec((word, space), 0..30);
    few.prop_map(|words| {
        words
            .into_iter()
            .map(|(word, space)| word + space)
            .collect()
    })
}

/// Blocks in some order, so that some move.
fn blocks() -> impl Strategy<Value = String> {
    let blocks = prop::collection::vec((0usize..5, prop_oneof![Just("\n"), Just(" ")]), 0..8);
    blocks.prop_map(|blocks| {
        let block = |number: usize, end| {
            let words = (0..15).map(|at| format!("w{number}x{at}"));
            words.collect::<Vec<_>>().join(end) + "\n\n"
        };
        blocks
            .into_iter()
            .map(|(number, end)| block(number, end))
            .collect()
    })
}

proptest! {
    #[test]
    fn applied_to_the_first_text_they_give_the_second(a in text(), b in text()) {
        check(&a, &b);
    }

    #[test]
    fn what_moved_goes_there_and_back(a in blocks(), b in blocks()) {
        check(&a, &b);
    }

    #[test]
    fn applying_operations_to_another_text_never_panics(a in text(), b in text(), c in text()) {
        let _ = apply_operations(&between(&a, &b), &c);
    }
}
