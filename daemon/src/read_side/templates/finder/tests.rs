//! Recurring lines and their blocks, held against a plain count.

use super::*;
use proptest::prelude::*;

fn found(documents: &[Vec<&str>], min_documents: u32) -> Vec<(Vec<LineKey>, u32, u64)> {
    let keys: Vec<Vec<LineKey>> = documents
        .iter()
        .map(|lines| lines.iter().map(|line| LineKey::of(line)).collect())
        .collect();
    let mut sketching = Sketching::new(documents.len(), min_documents);
    keys.iter()
        .for_each(|lines| sketching.add(&of_lines(lines)));
    let mut counting = sketching.finish();
    (0..)
        .zip(&keys)
        .for_each(|(at, lines)| counting.add((at / 2, at), UnitKind::Line, &of_lines(lines)));
    assert!(!counting.is_truncated());
    let (blocks, found) = counting.finish(usize::MAX);
    assert_eq!(found, blocks.len() as u64);
    let blocks = blocks.into_iter();
    blocks
        .map(|block| (block.lines, block.documents, block.example))
        .collect()
}

fn of_lines(keys: &[LineKey]) -> Vec<Unit> {
    keys.iter().map(|key| Unit::from(*key)).collect()
}

fn keys(lines: &[&str]) -> Vec<LineKey> {
    lines.iter().map(|line| LineKey::of(line)).collect()
}

#[test]
fn lines_that_always_stand_together_are_one_block() {
    let documents = [
        vec!["head 1", "head 2", "first", "foot"],
        vec!["head 1", "head 2", "second", "foot", "after"],
        vec!["head 1", "head 2", "third"],
        vec!["alone", "foot"],
    ];
    assert_eq!(
        found(&documents, 3),
        [(keys(&["head 1", "head 2"]), 3, 0), (keys(&["foot"]), 3, 0)]
    );
    assert!(found(&documents, 4).is_empty());
}

#[test]
fn only_the_first_blocks_are_kept_and_all_are_counted() {
    let names: Vec<String> = (0..40).map(|at| format!("line {at}")).collect();
    let documents: Vec<Vec<&str>> = (0..42)
        .map(|at| names.iter().skip(at).map(String::as_str).collect())
        .collect();
    let keys: Vec<Vec<LineKey>> = documents.iter().map(|lines| keys(lines)).collect();
    let counted = |limit| {
        let mut sketching = Sketching::new(keys.len(), 2);
        keys.iter()
            .for_each(|lines| sketching.add(&of_lines(lines)));
        let mut counting = sketching.finish();
        (0..)
            .zip(&keys)
            .for_each(|(at, lines)| counting.add((at / 2, at), UnitKind::Line, &of_lines(lines)));
        counting.finish(limit)
    };
    let (all, found) = counted(usize::MAX);
    assert_eq!((all.len() as u64, found), (39, 39));
    assert_eq!(counted(7), (all[..7].to_vec(), 39));
}

#[test]
fn a_line_of_revisions_is_in_one_group() {
    let documents = [vec!["a", "b"], vec!["a"], vec!["b"], vec!["b", "a"]];
    let keys: Vec<Vec<LineKey>> = documents.iter().map(|lines| keys(lines)).collect();
    let mut sketching = Sketching::new(keys.len(), 2);
    keys.iter()
        .for_each(|lines| sketching.add(&of_lines(lines)));
    let mut counting = sketching.finish();
    // The first two are revisions of one document.
    for ((group, document), lines) in [(7, 0), (7, 1), (2, 2), (3, 3)].into_iter().zip(&keys) {
        counting.add((group, document), UnitKind::Line, &of_lines(lines));
    }
    let (blocks, _) = counting.finish(usize::MAX);
    let mut found: Vec<_> = blocks
        .iter()
        .map(|block| (block.lines[0], block.documents, block.groups))
        .collect();
    found.sort_unstable();
    let mut right = [(LineKey::of("a"), 3, 2), (LineKey::of("b"), 3, 3)];
    right.sort_unstable();
    assert_eq!(found, right);
}

#[test]
fn what_is_held_is_no_more_than_what_is_said() {
    let documents = 5_000;
    let sketching = Sketching::new(documents, 2);
    let places = sketching.candidates.capacity() as u64;
    assert!(places >= max_lines(documents) as u64);
    let map = (places * 8 / 7) * LINE_BYTES;
    let sketch = Sketch::bytes_for(width(documents));
    assert!(sketch + map <= Sketching::bytes_for(documents, 1_000));
}

#[test]
fn a_line_that_is_repeated_in_a_document_counts_once() {
    let documents = [vec!["a", "a", "a"], vec!["a", "b"], vec!["b", "a"]];
    let found = found(&documents, 2);
    assert_eq!(found[0], (keys(&["a"]), 3, 0));
    assert_eq!(found[1], (keys(&["b"]), 2, 1));
}

proptest! {
    #[test]
    fn every_recurring_line_is_in_one_block_with_its_count(
        documents in prop::collection::vec(prop::collection::vec(0usize..12, 0..8), 0..12), min_documents in 2u32..5,
    ) {
        const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let documents: Vec<Vec<&str>> =
            documents.iter().map(|lines| lines.iter().map(|&at| NAMES[at]).collect()).collect();
        let mut met: Vec<(LineKey, u32)> = Vec::new();
        for (lines, count, example) in found(&documents, min_documents) {
            let text = &documents[example as usize];
            let own = keys(text);
            prop_assert!(own.windows(lines.len()).any(|window| window == lines));
            met.extend(lines.iter().map(|&line| (line, count)));
        }
        met.sort();
        let counted = NAMES.map(|name| {
            let holding = documents.iter().filter(|lines| lines.contains(&name)).count();
            (LineKey::of(name), holding as u32)
        });
        let mut right: Vec<_> = counted.into_iter().filter(|(_, count)| *count >= min_documents).collect();
        right.sort();
        prop_assert_eq!(met, right);
    }
}
