//! Stale versions: what nothing superseded, though a later text contains most of it; and that whatever is called
//! superseded is so by an edge that `versions` shows, or by a longer text that took it in.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use simdex_client::wire;

use super::stale::rewritten;
use super::{DAY, Shares};
use crate::daemon::prose;

/// Shares with these files: a name, a text, and the days since it was last changed.
fn saved(files: &[(String, String, u64)]) -> Shares {
    let shares = Shares::new();
    for (name, text, days) in files {
        shares.save(name, text, *days);
    }
    shares.daemon.sync();
    shares
}

/// Each superseded file with the one that superseded it and the newest.
fn superseded(shares: &Shares) -> Vec<[String; 3]> {
    let (found, _) = shares.stale(90);
    let names =
        |line: &Value| ["path", "of", "newest"].map(|field| shares.short(&line[field]).to_owned());
    let mut all: Vec<_> = found.iter().map(names).collect();
    // What every share holds.
    all.retain(|[path, ..]| !path.contains("plan-"));
    all.sort();
    all
}

/// A text, and the same one with some words of its own after it.
fn with_own(text: &str, seed: u64, words: u64) -> String {
    format!("{text} {}", prose(seed, words))
}

/// A contract in four versions with a branch, and a late export of the first version.
fn contract() -> Vec<(String, String, u64)> {
    let first = prose(60, 600);
    let second = with_own(&first, 61, 12);
    let third = with_own(&second, 62, 30);
    let branch = with_own(&third, 63, 15);
    let fourth = with_own(&third, 64, 15);
    let export = with_own(&first, 65, 8);
    let files = [
        ("v1.txt", first, 900),
        ("v2.txt", second, 800),
        ("v3.txt", third, 700),
        ("v3b.txt", branch, 650),
        ("v4.txt", fourth, 600),
        ("v1 export.txt", export, 300),
    ];
    files
        .map(|(name, text, days)| (name.to_owned(), text, days))
        .to_vec()
}

#[test]
fn a_late_export_of_the_first_version_supersedes_no_later_one() {
    let shares = saved(&contract());
    let superseded = superseded(&shares);
    let files: Vec<_> = superseded.iter().map(|[path, ..]| path.as_str()).collect();
    assert_eq!(files, ["v1.txt", "v2.txt", "v3.txt"], "{superseded:?}");
    for [_, by, newest] in &superseded[1..] {
        assert!(by != "v1 export.txt" && newest != "v1 export.txt");
    }
}

#[test]
fn of_two_versions_with_the_same_date_none_is_superseded_whatever_their_texts_tell() {
    let shares = Shares::new();
    let first = prose(75, 400);
    let grown = with_own(&first, 76, 40);
    let date = SystemTime::now() - Duration::from_secs(900 * DAY);
    // Seconds that the first was modified after the other, as where both were copied.
    for later in [0, 2, 3_000] {
        for (name, text, after) in [("first.txt", &first, later), ("grown.txt", &grown, 0)] {
            let path = shares.daemon.path(name);
            fs::write(&path, text).unwrap();
            let file = fs::File::options().write(true).open(path).unwrap();
            let modified = date + Duration::from_secs(after);
            file.set_modified(modified).unwrap();
        }
        shares.daemon.sync();
        let edges = shares.edges("first.txt");
        let told = edges.iter().map(|(_, edge)| edge.direction());
        assert_eq!(told.collect::<Vec<_>>(), [wire::Direction::Text]);
        assert!(superseded(&shares).is_empty(), "{later} s");
    }
}

#[test]
fn what_merely_contains_an_old_version_is_not_its_newest() {
    let first = prose(60, 600);
    let second = with_own(&first, 61, 12);
    let dossier = with_own(&first, 62, 3_000);
    let revised = with_own(&dossier, 63, 50);
    let files = [
        ("first.txt", first, 900),
        ("second.txt", second, 800),
        ("dossier.txt", dossier, 300),
        ("dossier-2.txt", revised, 200),
    ];
    let files = files.map(|(name, text, days)| (name.to_owned(), text, days));
    let superseded = superseded(&saved(&files));
    let of_first = ["first.txt", "second.txt", "second.txt"].map(str::to_owned);
    assert!(superseded.contains(&of_first), "{superseded:?}");
}

/// A text in which a name stands in every sixth word.
fn with_name(name: &str) -> String {
    let words = prose(64, 1_500);
    let words: Vec<_> = words.split_whitespace().collect();
    let parts = words
        .chunks(5)
        .map(|part| format!("{} {name}", part.join(" ")));
    parts.collect::<Vec<_>>().join(" ")
}

/// Two notices may differ by a name alone: `versions` shows which, and a report that people delete by does not.
#[test]
fn nothing_is_superseded_by_a_text_under_another_name() {
    let alpha = ("alpha.txt".to_owned(), with_name("Alpha"), 900);
    let beta = ("beta.txt".to_owned(), with_name("Beta Pro"), 300);
    let shares = saved(&[alpha, beta]);
    let edges = shares.edges("alpha.txt");
    let (_, edge) = &edges[0];
    assert_eq!(edge.renamings.len(), 1);
    assert_eq!(edge.direction(), wire::Direction::ModificationTime);
    assert!(edge.resemblance < 0.5, "{edge:?}");
    assert!(superseded(&shares).is_empty());
}

/// Six parts in ten of a contract, saved a year later.
#[test]
fn a_contract_is_not_superseded_by_its_first_part() {
    let first = prose(66, 600);
    let contract = with_own(&first, 67, 400);
    let files = [
        ("contract.txt", contract, 900),
        ("first part.txt", first, 500),
    ];
    let shares = saved(&files.map(|(name, text, days)| (name.to_owned(), text, days)));
    let edges = shares.edges("contract.txt");
    assert!(edges[0].1.resemblance > 0.5, "{edges:?}");
    assert!(superseded(&shares).is_empty());
}

/// A form, and what was made of it for each of four parties.
fn signed_forms() -> Vec<(String, String, u64)> {
    let form = prose(51, 400);
    let mut files = vec![("form.txt".to_owned(), form.clone(), 900)];
    for at in 1..=4 {
        let signed = with_own(&form, 200 + at, 40);
        files.push((format!("signed-{at}.txt"), signed, 900 - 30 * at));
    }
    files
}

#[test]
fn of_a_form_and_what_was_made_of_it_the_form_alone_is_superseded() {
    let shares = saved(&signed_forms());
    let superseded = superseded(&shares);
    let files: Vec<_> = superseded.iter().map(|[path, ..]| path.as_str()).collect();
    assert_eq!(files, ["form.txt"], "{superseded:?}");
}

#[test]
fn a_book_with_the_form_in_it_supersedes_the_form_and_not_what_was_made_of_it() {
    let mut files = signed_forms();
    let [form, signed] = [0, 2].map(|at| files[at].1.clone());
    files.push(("handbook.txt".to_owned(), with_own(&form, 300, 3_000), 200));
    let shares = saved(&files);
    let found = superseded(&shares);
    assert_eq!(found.len(), 1, "{found:?}");
    // A file of one of them takes in that one.
    files.push(("file.txt".to_owned(), with_own(&signed, 301, 3_000), 100));
    let shares = saved(&files);
    let found = superseded(&shares);
    let of_signed = ["signed-2.txt", "file.txt", "file.txt"].map(str::to_owned);
    assert!(found.contains(&of_signed), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
}

/// Numbers for what is made up; the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

/// Texts made of one another in many ways: revised, filled in, cut, taken into longer ones, at any time.
fn families() -> Vec<(String, String, u64)> {
    let mut numbers = Numbers(7);
    let mut files = Vec::new();
    for family in 0..6_u64 {
        let mut texts = vec![prose(1_000 + family, 300)];
        for at in 0..12_u64 {
            let seed = 2_000 + 20 * family + at;
            let of = texts[numbers.below(texts.len() as u64) as usize].clone();
            let words = of.split_whitespace().count();
            let from = numbers.below(words as u64 - 100) as usize;
            texts.push(match numbers.below(5) {
                0 => with_own(&of, seed, 40),
                1 => rewritten(&of, seed, from..from + 25, 0),
                2 => rewritten(&of, seed, from..from + 90, 20),
                3 => rewritten(&of, seed, from..from, words / 3),
                _ => with_own(&of, seed, 900),
            });
        }
        for (at, text) in texts.into_iter().enumerate() {
            let days = 100 + numbers.below(800);
            files.push((format!("f{family}-{at:02}.txt"), text, days));
        }
    }
    files
}

#[test]
fn whatever_is_superseded_is_so_by_an_edge_of_versions_or_by_a_longer_text_that_took_it_in() {
    let shares = saved(&families());
    let (found, _) = shares.stale(90);
    let (mut by_edge, mut by_container) = (0, 0);
    for line in &found {
        let [path, by] = ["path", "of"].map(|field| shares.short(&line[field]));
        let is_edge = shares.edges(path).iter().any(|([earlier, later], edge)| {
            let is_named = |names: &[String], name| names.iter().any(|one| one == name);
            is_named(earlier, path)
                && is_named(later, by)
                && edge.kind() != wire::VersionKind::ContainedIn
        });
        let ratio = |field| line[field].as_f64().unwrap();
        let took_in = ratio("containment") >= 0.8
            && ratio("containment_of_other") < ratio("containment")
            && ratio("resemblance") < 0.5;
        assert!(is_edge || took_in, "{line}");
        by_edge += usize::from(is_edge);
        by_container += usize::from(!is_edge);
    }
    assert!(by_edge > 30, "{by_edge} and {by_container}");
}
