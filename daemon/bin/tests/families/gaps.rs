//! Histories with one big rewrite, and documents that only look like one.

use super::*;

/// A document in ten parts of which each version replaces one; the first few parts of version `rewritten` on are kept,
/// and all others are new.
fn history(versions: usize, rewritten: usize, kept: usize) -> Vec<(String, String)> {
    let part = |at: usize, slot: usize| {
        let changed = (at + 19 - slot) / 20;
        let era = u64::from(at >= rewritten && slot >= kept);
        prose(1_000 + era * 5_000 + (changed * 100 + slot) as u64, 40)
    };
    let text = |at: usize| (0..20).map(|slot| part(at, slot)).collect::<String>();
    (0..versions)
        .map(|at| (format!("v{at:02}.txt"), text(at)))
        .collect()
}

fn names(family: &Family) -> Vec<String> {
    let mut names: Vec<_> = family.versions.concat();
    names.sort();
    names
}

fn gaps(family: &Family) -> Vec<(&str, &str)> {
    let across = family.edges.iter().map(|edge| edge.across_gap);
    let named = family.named().into_iter().zip(across);
    named
        .filter(|(_, across)| *across)
        .map(|(edge, _)| edge)
        .collect()
}

#[test]
fn a_rewritten_document_is_found_whole_from_any_version_by_the_times() {
    let files = history(16, 8, 11);
    let daemon = start(&files);
    dated(&daemon, &files, |at| at as u64);
    for (asked, _) in &files {
        let family = Family::of_file(&daemon, asked);
        assert_eq!(family.versions.len(), 16, "from {asked}");
        assert_eq!(gaps(&family), [("v07.txt", "v08.txt")], "from {asked}");
        assert!(family.summary.near_misses.is_empty());
        let edge = family.edges.iter().find(|edge| edge.across_gap).unwrap();
        assert!((0.3..0.5).contains(&edge.resemblance), "{edge:?}");
    }
}

#[test]
fn a_rewritten_document_is_found_whole_from_any_version_by_the_texts() {
    let files = history(16, 8, 13);
    let daemon = start(&files);
    dated(&daemon, &files, |_| 0);
    for (asked, _) in &files {
        let family = Family::of_file(&daemon, asked);
        assert_eq!(family.versions.len(), 16, "from {asked}");
        let across = gaps(&family);
        assert!(
            matches!(
                across[..],
                [("v07.txt", "v08.txt") | ("v08.txt", "v07.txt")]
            ),
            "{across:?} from {asked}"
        );
    }
}

#[test]
fn a_document_that_goes_on_beside_the_other_is_no_version_of_it_and_is_named() {
    let mut files = history(12, 6, 11);
    let daemon = start(&files);
    // The same texts, but each of the second half is as old as one of the first.
    dated(&daemon, &files, |at| (at % 6) as u64);
    files.truncate(6);
    for (asked, _) in &files {
        let family = Family::of_file(&daemon, asked);
        assert_eq!(family.versions.len(), 6, "from {asked}");
        let [miss] = &family.summary.near_misses[..] else {
            panic!("{:?}", family.summary.near_misses);
        };
        assert_eq!(miss.reason(), wire::NearMissReason::TimesOverlap);
        assert!((0.3..0.5).contains(&miss.resemblance), "{miss:?}");
        let path = String::from_utf8_lossy(&miss.path).into_owned();
        assert!(path.ends_with("v06.txt"), "{path}");
    }
}

#[test]
fn documents_of_one_template_are_no_versions_of_one_another() {
    let letter = |at: usize| {
        let text = format!("{}{}", prose(1, 120), prose(100 + at as u64, 100));
        (format!("letter{at}.txt"), text)
    };
    let files: Vec<_> = (0..6).map(letter).collect();
    let daemon = start(&files);
    for times in [1, 0] {
        dated(&daemon, &files, |at| at as u64 * times);
        let family = Family::of_file(&daemon, "letter2.txt");
        assert_eq!(names(&family), ["letter2.txt"]);
        let misses = &family.summary.near_misses;
        let reasons: Vec<_> = misses.iter().map(wire::NearMiss::reason).collect();
        assert_eq!(reasons, [wire::NearMissReason::TooFew; 5]);
    }
    // Nor of a document with a history that had the same template.
    let mut files = files;
    let grown = |at: usize| {
        let text = format!(
            "{}{}{}",
            prose(1, 120),
            prose(90, 80),
            prose(95, 5 * at as u64)
        );
        (format!("old{at}.txt"), text)
    };
    files.extend((0..4).map(grown));
    let daemon = start(&files);
    for times in [1, 0] {
        dated(&daemon, &files, |at| (at as u64 + 6) % 10 * times);
        let family = Family::of_file(&daemon, "old1.txt");
        assert_eq!(
            names(&family),
            ["old0.txt", "old1.txt", "old2.txt", "old3.txt"]
        );
        let reasons = family
            .summary
            .near_misses
            .iter()
            .map(wire::NearMiss::reason);
        let is_apart = |reason| {
            use wire::NearMissReason::{OthersAsNear, TooFew};
            matches!(reason, TooFew | OthersAsNear)
        };
        assert!(reasons.clone().count() > 1 && reasons.clone().all(is_apart));
    }
}

/// The middle one is near to both; the others are near to it alone, and it is all but the first.
#[test]
fn a_neighbour_of_a_version_that_was_not_asked_about_is_found_from_any() {
    let first = prose(1, 400);
    let middle = format!("{first}{}", prose(2, 30));
    let last = {
        let words: Vec<&str> = middle.split_inclusive(' ').collect();
        let kept = words.len() * 53 / 100;
        words[words.len() - kept..].concat()
    };
    let files: Vec<(String, String)> = [("a.txt", first), ("b.txt", middle), ("c.txt", last)]
        .map(|(name, text)| (name.to_owned(), format!("{text}{}", ending(name))))
        .into();
    let daemon = start(&files);
    dated(&daemon, &files, |at| at as u64);
    for (asked, _) in &files {
        let family = Family::of_file(&daemon, asked);
        assert_eq!(names(&family), ["a.txt", "b.txt", "c.txt"], "from {asked}");
    }
}

#[test]
fn what_stands_in_the_tree_is_not_named_as_left_out() {
    let part = prose(1, 400);
    // It resembles the part by less than a link demands, and contains it.
    let whole = format!("{part} {}", prose(2, 550));
    let files: Vec<_> = [("part.txt", part), ("whole.txt", whole)]
        .map(|(name, text)| (name.to_owned(), text))
        .into();
    let daemon = start(&files);
    dated(&daemon, &files, |at| at as u64);
    for (asked, _) in &files {
        let family = Family::of_file(&daemon, asked);
        assert_eq!(names(&family), ["part.txt", "whole.txt"], "from {asked}");
        assert!((0.3..0.5).contains(&family.edges[0].resemblance));
        assert_eq!(family.summary.near_misses, [], "from {asked}");
    }
}

/// What the last text has alone, so that neither contains the other.
fn ending(name: &str) -> String {
    match name {
        "c.txt" => prose(3, 12),
        _ => String::new(),
    }
}

/// Real documents, each revision a day after the one before.
#[test]
fn a_real_history_with_rewrites_is_nearly_whole_from_any_revision() {
    let Some(corpora) = std::env::var_os("SIMDEX_CORPORA") else {
        eprintln!("skipped: no folder of real documents");
        return;
    };
    let folder = std::path::Path::new(&corpora).join("../histories/peps/pep-0000.txt");
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("skipped: no histories");
        return;
    };
    let mut files: Vec<(String, String)> = entries
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let bytes = std::fs::read(entry.path()).unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect();
    files.sort();
    let daemon = start(&files);
    for days in [1, 0] {
        dated(&daemon, &files, |at| at as u64 * days);
        let counts: Vec<usize> = [0, 60, 536]
            .into_iter()
            .map(|at| names(&Family::of_file(&daemon, &files[at].0)).len())
            .collect();
        eprintln!("{days}: {counts:?}");
        assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
        assert!(counts[0] >= 530, "{counts:?}");
    }
}
