//! What a report of stale versions, a list of pairs by containment and one of copied folders cost, in texts and records
//! read: in proportion to the documents and to what is found, and not to the square of them.

use std::fs;

use simdex_client::{PairOptions, wire};

use super::{DAY, Shares, of_kind};
use crate::daemon::prose;

/// Work of one call, as the index counts it.
#[derive(Debug)]
struct Cost {
    texts: u64,
    lists: u64,
    contents: u64,
}

impl Shares {
    fn cost<T>(&self, call: impl FnOnce() -> T) -> (T, Cost) {
        let work = || self.daemon.engine().index.work();
        let before = work();
        let found = call();
        let after = work();
        let cost = Cost {
            texts: after.texts_read - before.texts_read,
            lists: after.lists_read - before.lists_read,
            contents: after.contents_read - before.contents_read,
        };
        (found, cost)
    }

    /// What a report of all stale versions costs, and how many files it lists.
    fn cost_of_stale(&self) -> (usize, Cost) {
        let options = wire::ReportOptions {
            older_than_seconds: Some(400 * DAY),
            ..of_kind("stale-versions")
        };
        let ((found, _), cost) = self.cost(|| self.found(options));
        (found.len(), cost)
    }
}

/// Up to eight times as many documents may cost this much more.
fn assert_in_proportion(what: &str, [few, many]: [u64; 2]) {
    assert!(many <= 9 * few + 40, "{what}: {few} became {many}");
}

/// Shares with these old texts beside the others, the earlier ones older.
fn old(texts: Vec<String>) -> Shares {
    let shares = Shares::new();
    let count = texts.len() as u64;
    for (at, text) in (0..).zip(texts) {
        shares.save(&format!("old-{at:03}.txt"), &text, 1_000 + count - at);
    }
    shares.daemon.sync();
    shares
}

/// A history, each version with a sentence more.
fn history(count: u64) -> Vec<String> {
    let sentence = |at| prose(100 + at, 12);
    let version = |at| (0..at).map(sentence).collect::<Vec<_>>().join(" ");
    (0..count)
        .map(|at| format!("{} {}", prose(50, 600), version(at)))
        .collect()
}

/// A form, and copies that were filled in: branches of it, each of which contains most of each other one, so that only
/// the form is superseded.
fn forms(count: u64) -> Vec<String> {
    let form = prose(51, 600);
    let filled = |at| match at {
        0 => form.clone(),
        _ => format!("{form} {}", prose(200 + at, 40)),
    };
    (0..count).map(filled).collect()
}

/// Copies of a form, then the file that holds them all.
fn filed_forms(count: u64) -> Vec<String> {
    let mut texts = forms(count - 1);
    texts.push(format!("{} {}", texts.join(" "), prose(52, 3_000)));
    texts
}

/// Excerpts, then the collection that holds them all.
fn collection(count: u64) -> Vec<String> {
    let mut texts: Vec<_> = (0..count).map(|at| prose(400 + at, 100)).collect();
    texts.push(texts.join(" "));
    texts
}

/// Texts that have nothing in common.
fn strangers(count: u64) -> Vec<String> {
    (0..count).map(|at| prose(800 + at, 200)).collect()
}

#[test]
fn stale_versions_cost_as_much_as_there_are_documents_and_findings() {
    for (what, texts, least) in [
        ("history", history as fn(u64) -> Vec<String>, [9, 36]),
        ("forms", forms, [1, 1]),
        ("filed forms", filed_forms, [9, 79]),
        ("collection", collection, [10, 40]),
        ("strangers", strangers, [0, 0]),
    ] {
        let [(found, few), (found_in_many, many)] =
            [10, 80].map(|count| old(texts(count)).cost_of_stale());
        let found = [found, found_in_many];
        assert!(
            found[0] >= least[0] && found[1] >= least[1],
            "{what}: {found:?}"
        );
        assert!(what != "forms" || found == least, "{what}: {found:?}");
        assert_in_proportion(&format!("texts of {what}"), [few.texts, many.texts]);
        assert_in_proportion(&format!("lists of {what}"), [few.lists, many.lists]);
        assert_in_proportion(&format!("records of {what}"), [few.contents, many.contents]);
    }
}

#[test]
fn pairs_by_containment_cost_as_much_as_there_are_documents_and_pairs() {
    let cost = |texts: Vec<String>| {
        let shares = old(texts);
        let options = PairOptions {
            containment_threshold: Some(0.8),
            ..PairOptions::default()
        };
        let client = &shares.daemon.client;
        let asked = async {
            let listed = client.pairs_with(options, Vec::new()).await?;
            listed.summary().await
        };
        let (summary, cost) = shares.cost(|| shares.daemon.wait(asked));
        (summary.unwrap().pairs.unwrap(), cost)
    };
    for (what, texts) in [
        ("collection", collection as fn(u64) -> _),
        ("strangers", strangers),
    ] {
        let [(_, few), (pairs, many)] = [10, 40].map(|count| cost(texts(count)));
        assert!(what == "strangers" || pairs >= 40, "{pairs}");
        assert_in_proportion(&format!("texts of {what}"), [few.texts, many.texts]);
        assert_in_proportion(&format!("lists of {what}"), [few.lists, many.lists]);
    }
    // More than 64 documents are joined: each list of the index is read once besides, whatever their number.
    let [(_, few), (_, many)] = [80, 160].map(|count| cost(collection(count)));
    let is_doubled = |few: u64, many: u64| 4 * many <= 9 * few;
    assert!(is_doubled(few.texts, many.texts), "{few:?} {many:?}");
    assert!(is_doubled(few.lists, many.lists), "{few:?} {many:?}");
}

#[test]
fn the_first_pairs_cost_as_much_as_they_are_and_not_as_all() {
    // Families of three versions.
    let families = |count: u64| {
        let text = |at| format!("{} {}", prose(50 + at / 3, 200), prose(900 + at, 8));
        (0..3 * count).map(text).collect::<Vec<_>>()
    };
    let cost = |count: u64, limit: Option<u64>| {
        let shares = old(families(count));
        let options = PairOptions {
            limit,
            ..PairOptions::default()
        };
        let client = &shares.daemon.client;
        let asked = async {
            let listed = client.pairs_with(options, Vec::new()).await?;
            listed.summary().await
        };
        let (summary, cost) = shares.cost(|| shares.daemon.wait(asked));
        let summary = summary.unwrap();
        (summary.pairs.unwrap(), summary.truncated, cost)
    };
    let (all, truncated, whole) = cost(40, None);
    assert!(all >= 120 && !truncated, "{all}");
    let [few, many] = [10, 40].map(|count| {
        let (listed, truncated, first) = cost(count, Some(5));
        assert_eq!((listed, truncated), (5, true));
        first
    });
    assert!(many.texts <= few.texts + 8, "{few:?} {many:?}");
    assert!(many.lists <= few.lists * 2, "{few:?} {many:?}");
    assert!(8 * many.texts < whole.texts, "{many:?} {whole:?}");
}

#[test]
fn copied_folders_cost_as_much_as_there_are_files_and_read_no_text() {
    let cost = |folders: u64| {
        let shares = Shares::new();
        for folder in 0..folders {
            for copy in ["one", "two"] {
                let place = shares.daemon.path(&format!("{copy}/{folder}"));
                fs::create_dir_all(&place).unwrap();
                // Of each folder one file is a revision, and one is in all folders.
                for (file, text) in [
                    ("a.txt", prose(100 + folder, 100)),
                    ("b.txt", format!("{} {copy}", prose(600 + folder, 100))),
                    ("c.txt", prose(99, 100)),
                ] {
                    fs::write(place.join(file), text).unwrap();
                }
            }
        }
        shares.daemon.sync();
        let (pairs, cost) = shares.cost(|| {
            let client = &shares.daemon.client;
            let asked = async {
                let listed = client.folder_copies(None, None, 0, Vec::new()).await?;
                listed.summary().await
            };
            shares.daemon.wait(asked).unwrap().pairs
        });
        assert!(pairs >= 1);
        assert_eq!((cost.texts, cost.lists), (0, 0), "{cost:?}");
        cost.contents
    };
    assert_in_proportion("records", [10, 80].map(cost));
}
