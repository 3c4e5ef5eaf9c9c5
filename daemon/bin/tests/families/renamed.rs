//! A chain whose product was renamed: found whole from any of its versions, however often the name stands in its texts.

use std::fmt::Write as _;

use super::{Family, dated, set_modified};
use crate::daemon::{Daemon, prose};
use simdex_client::wire;

/// Versions of a chain; from this one on the product has its new name.
const VERSIONS: usize = 8;
const RENAMED_FROM: usize = 4;

/// A version with a name in every `density` words. Each version revises a word in fifty.
fn version(density: usize, at: usize, name: &str) -> String {
    let mut words: Vec<String> = prose(700, 1_500).split(' ').map(str::to_owned).collect();
    for step in 1..=at {
        for (place, word) in words.iter_mut().enumerate() {
            if place % 401 == step * 37 {
                *word = format!("revised{step}");
            }
        }
    }
    let mut text = String::new();
    for part in words.chunks(density - 1) {
        let _ = write!(text, "{} {name} ", part.join(" "));
    }
    text
}

fn chain(density: usize) -> Vec<(String, String)> {
    let text = |at: usize| match at < RENAMED_FROM {
        true => version(density, at, "Alpha"),
        false => version(density, at, "Beta Pro"),
    };
    let file = |at: usize| (format!("v{at}.txt"), text(at));
    (0..VERSIONS).map(file).collect()
}

fn links(family: &Family) -> Vec<(String, String)> {
    super::sorted(family)
}

fn whole() -> Vec<(String, String)> {
    let name = |at: usize| format!("v{at}.txt");
    (1..VERSIONS).map(|at| (name(at - 1), name(at))).collect()
}

fn across(family: &Family) -> &wire::VersionEdge {
    let edge = family.edges.iter();
    let mut edges = edge.filter(|edge| edge.version as usize == RENAMED_FROM + 1);
    edges.next().expect("an edge across the new name")
}

#[test]
fn a_chain_is_whole_across_a_name_in_every_4_to_20_words() {
    for density in [4, 6, 8, 10, 12, 20] {
        let files = chain(density);
        let daemon = super::start(&files);
        dated(&daemon, &files, |at| at as u64);
        for asked in ["v0.txt", "v3.txt", "v4.txt", "v7.txt"] {
            let family = Family::of_file(&daemon, asked);
            assert_eq!(
                links(&family),
                whole(),
                "every {density} words, from {asked}"
            );
            let edge = across(&family);
            let said: Vec<_> = edge.renamings.iter().collect();
            let [renaming] = said[..] else {
                panic!("every {density} words: {said:?}")
            };
            assert_eq!((&*renaming.from, &*renaming.to), ("alpha", "beta pro"));
            assert!(edge.resemblance_renamed > Some(0.8), "{edge:?}");
            assert!(density > 8 || edge.resemblance < 0.5, "{edge:?}");
        }
    }
}

/// With a name in every third word hardly any shingle is without it, so that nothing leads from one to the other.
#[test]
fn a_name_in_every_third_word_is_too_often() {
    let files = chain(3);
    let daemon = super::start(&files);
    dated(&daemon, &files, |at| at as u64);
    let family = Family::of_file(&daemon, "v0.txt");
    assert_eq!(family.versions.len(), RENAMED_FROM);
}

/// By their times, the first two of each name come before the others.
#[test]
fn branches_under_two_names_are_placed_by_what_they_share_otherwise() {
    let files: Vec<_> = (0..6)
        .map(|at| {
            let name = if at % 2 == 0 { "Alpha" } else { "Beta" };
            (format!("v{at}.txt"), version(8, at, name))
        })
        .collect();
    let daemon = super::start(&files);
    for (at, (name, _)) in files.iter().enumerate() {
        set_modified(&daemon, name, 1_600_000_000 + at as u64 * 86_400);
    }
    daemon.sync();
    let family = Family::of_file(&daemon, "v5.txt");
    let name = |at: usize| format!("v{at}.txt");
    let expected: Vec<_> = (1..6).map(|at| (name(at - 1), name(at))).collect();
    assert_eq!(links(&family), expected);
    assert!(family.edges.iter().all(|edge| edge.renamings.len() == 1));
}

/// Letters of one form name different parties throughout, but otherwise say other things as well.
#[test]
fn what_shares_no_more_once_its_names_are_the_same_is_no_version() {
    let letter = |seed: u64, name: &str| {
        let form = version(8, 0, name);
        format!(
            "{} {}",
            form.get(..2_000).unwrap_or(&form),
            prose(seed, 600)
        )
    };
    let daemon = Daemon::start(&[("a.txt", letter(1, "Alpha")), ("b.txt", letter(2, "Beta"))]);
    let family = Family::of_file(&daemon, "a.txt");
    assert_eq!(family.versions.len(), 1);
}
