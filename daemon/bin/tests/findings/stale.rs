//! Stale versions: what is found beyond the groups, beside what `versions` says of the very files.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use simdex_client::{FamilyPart, FindOptions, Subject, wire};

use super::{DAY, Shares, of_kind};
use crate::daemon::prose;

impl Shares {
    /// Writes a file that was last changed so many days ago.
    pub(super) fn save(&self, name: &str, text: &str, days: u64) {
        let path = self.daemon.path(name);
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        let modified = SystemTime::now() - Duration::from_secs(days * DAY);
        file.set_modified(modified).unwrap();
    }

    pub(super) fn stale(&self, days: u64) -> (Vec<Value>, Value) {
        self.found(wire::ReportOptions {
            older_than_seconds: Some(days * DAY),
            ..of_kind("stale-versions")
        })
    }

    /// What `versions` shows: of each edge the files of the earlier and of the later version.
    pub(super) fn edges(&self, name: &str) -> Vec<([Vec<String>; 2], wire::VersionEdge)> {
        let daemon = &self.daemon;
        let subject = Subject::Path(daemon.path(name));
        let parts = daemon.wait(async {
            let mut parts = daemon
                .client
                .family(subject, &FindOptions::default())
                .await?;
            let (mut files, mut edges) = (Vec::new(), Vec::new());
            while let Some(part) = parts.next().await? {
                match part {
                    FamilyPart::Edge(edge) => edges.push(edge),
                    FamilyPart::File(file) => {
                        let path = file.r#match.unwrap_or_default().path;
                        files.push((file.version, String::from_utf8(path).unwrap()));
                    }
                }
            }
            Ok::<_, simdex_client::Error>((files, edges))
        });
        let (files, edges) = parts.unwrap();
        let named = |edge: wire::VersionEdge| {
            let short = |path: &String| self.short(&Value::from(path.as_str())).to_owned();
            let names = [edge.parent, edge.version].map(|version| {
                let of_version = files.iter().filter(|(of, _)| *of == version);
                of_version.map(|(_, path)| short(path)).collect()
            });
            (names, edge)
        };
        edges.into_iter().map(named).collect()
    }
}

/// Words of a text in which some are replaced, and some left out.
pub(super) fn rewritten(
    text: &str,
    seed: u64,
    replaced: std::ops::Range<usize>,
    dropped: usize,
) -> String {
    let mut words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
    let other = prose(seed, replaced.len() as u64);
    let other = other.split_whitespace().map(str::to_owned);
    words.splice(replaced, other);
    words.truncate(words.len() - dropped);
    words.join(" ")
}

/// Revisions too far apart for a group, a chain with a version that was restored, and branches that were merged, by age
/// in days.
fn revised() -> Vec<(String, String, u64)> {
    let base = prose(60, 1_200);
    let old = prose(61, 1_200);
    let old_2 = rewritten(&old, 71, 40..90, 0);
    let mut files = vec![
        ("rewritten-1".to_owned(), base.clone(), 900),
        (
            "rewritten-2".to_owned(),
            rewritten(&base, 70, 300..460, 120),
            100,
        ),
        ("twice-1".to_owned(), old, 900),
        (
            "twice-3".to_owned(),
            rewritten(&old_2, 72, 500..660, 120),
            100,
        ),
        ("twice-2".to_owned(), old_2, 800),
    ];
    let first = prose(62, 600);
    let mut text = first.clone();
    for at in 1..=5 {
        files.push((format!("chain-{at}"), text.clone(), 900 - 10 * at));
        text = rewritten(&text, 80 + at, at as usize * 40..at as usize * 40 + 20, 0);
    }
    files.push(("chain-restored".to_owned(), first.clone(), 700));
    files.push(("chain-between".to_owned(), first, 875));
    let base = prose(63, 1_200);
    let (x, y) = (
        rewritten(&base, 90, 100..300, 0),
        rewritten(&base, 91, 800..900, 0),
    );
    let merge = rewritten(&x, 91, 800..900, 0);
    files.extend([
        ("merged-0".to_owned(), base, 900),
        ("merged-x".to_owned(), x, 850),
        ("merged-y".to_owned(), y, 800),
        ("merged-z".to_owned(), merge, 100),
    ]);
    files
}

#[test]
fn what_versions_shows_as_earlier_is_stale_however_far_the_texts_are_apart() {
    let shares = Shares::new();
    for (name, text, days) in revised() {
        shares.save(&name, &text, days);
    }
    shares.daemon.sync();
    let (found, manifest) = shares.stale(400);
    let newest = |name: &str| {
        let line = found
            .iter()
            .find(|line| shares.short(&line["path"]) == name);
        line.map(|line| shares.short(&line["newest"]).to_owned())
    };
    for (name, last) in [
        ("rewritten-1", "rewritten-2"),
        ("twice-1", "twice-3"),
        ("twice-2", "twice-3"),
        ("chain-1", "chain-5"),
        ("chain-between", "chain-5"),
        ("chain-4", "chain-5"),
        ("merged-0", "merged-z"),
        ("merged-x", "merged-z"),
    ] {
        assert_eq!(newest(name).as_deref(), Some(last), "{name}");
    }
    // It was made after all that came of its text.
    for name in ["chain-restored", "chain-5", "rewritten-2", "merged-z"] {
        assert_eq!(newest(name), None, "{name}");
    }
    assert_eq!(manifest["findings"]["undecided_versions"], 0);
    edges_are_findings(&shares, &found);
}

/// Each edge of which the direction is known and the earlier version old is a finding, but for excerpts.
fn edges_are_findings(shares: &Shares, found: &[Value]) {
    let listed: BTreeSet<_> = found
        .iter()
        .map(|line| shares.short(&line["path"]))
        .collect();
    let mut edges = 0;
    for (name, ..) in revised() {
        for ([of_parent, _], edge) in shares.edges(&name) {
            assert_ne!(edge.direction(), wire::Direction::Unknown, "{of_parent:?}");
            assert_eq!(edge.kind(), wire::VersionKind::RevisedFrom, "{of_parent:?}");
            for file in of_parent.iter().filter(|file| *file != "chain-restored") {
                assert!(
                    listed.contains(file.as_str()),
                    "{file} of the family of {name}"
                );
                edges += 1;
            }
        }
    }
    assert!(edges > 20, "{edges}");
}

/// Texts that longer ones have taken in, with their ages in days.
fn taken_in() -> Vec<(&'static str, String, u64)> {
    let long = |seed: u64, parts: &[&String]| {
        let parts: Vec<_> = parts.iter().map(|part| part.as_str()).collect();
        format!("{} {}", prose(seed, 10_000), parts.join(" "))
    };
    let [old, late, kept, again] = [30, 31, 32, 33].map(|seed| prose(seed, 500));
    let [memo, memo_2] = [500, 540].map(|words| prose(34, words));
    vec![
        ("handbook.txt", long(40, &[&old, &late]), 20),
        // A longer document that came later still is the newest.
        ("handbook-2.txt", long(41, &[&old]), 10),
        ("old.txt", old, 900),
        // What was taken from an older document is no older version of it.
        ("archive.txt", long(42, &[&kept]), 600),
        ("extract.txt", kept, 500),
        // Of one date nothing tells which is the later.
        ("digest.txt", long(43, &[&again]), 700),
        ("same-day.txt", again, 700),
        // The last of a group of versions, too.
        ("book.txt", long(44, &[&memo_2]), 15),
        ("memo-1.txt", memo, 950),
        ("memo-2.txt", memo_2, 940),
        // What is younger than the age is not asked about.
        ("young.txt", late, 30),
    ]
}

#[test]
fn an_old_text_within_a_much_longer_later_one_is_stale() {
    let shares = Shares::new();
    let daemon = &shares.daemon;
    for (name, text, days) in taken_in() {
        shares.save(name, &text, days);
    }
    daemon.sync();
    let (found, manifest) = shares.found(wire::ReportOptions {
        older_than_seconds: Some(400 * DAY),
        ..of_kind("stale-versions")
    });
    assert_eq!(
        shares.triples(&found),
        [
            ("memo-1.txt", "superseded", "memo-2.txt"),
            ("memo-2.txt", "superseded", "book.txt"),
            ("old.txt", "superseded", "handbook.txt"),
        ]
    );
    assert_eq!(shares.short(&found[2]["newest"]), "handbook-2.txt");
    assert_eq!(found[2]["containment"], 1.0);
    assert!(found[2]["containment_of_other"].as_f64().unwrap() < 0.1);
    let sums = &manifest["findings"];
    let counted = (&sums["stale_files"], &sums["undecided_versions"]);
    assert_eq!(counted, (&3.into(), &1.into()));
    // The old text, the extract, its archive, and both of one day: each document once, and no younger one.
    assert_eq!(sums["looked_up"], 5);
}
