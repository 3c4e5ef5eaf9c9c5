//! A comparison of two texts of 500 KB: the time of each part, for texts already in memory.
//!
//! The second text is the first with some words changed; the same in lines of another width, with a chapter in another
//! place; and another text of the same words.

use std::hint::black_box;
use std::time::Instant;

use anyhow::ensure;
use simdex_index::Cancel;
use simdexd::read_side::compare::{CompareParams, Forms, SchemeSelection, compare};
use simdexd::read_side::difference::operations::{apply_operations, operations};
use simdexd::read_side::difference::unified;
use simdexd::read_side::difference::words::WordDifference;
use simdexd::read_side::query::{RelationThresholds, Subject};

use super::Settings;
use super::answers::open;
use super::process::load;
use crate::corpus::Versions;
use crate::figure::{Figures, median};
use crate::sandbox::Sandbox;

/// Words of about seven bytes.
const WORDS: usize = 71_500;
const RUNS: usize = 7;

pub(super) fn run(_: Settings, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    figures.put("load of this machine at start", load()?, "processes")?;
    let versions = Versions::new(20_261_124, WORDS);
    let old = versions.text(1, 0, 10);
    let edited = versions.text(1, 5, 10);
    let words: Vec<&str> = edited.split(' ').collect();
    let (first, last) = words.split_at(words.len() / 3);
    let (chapter, rest) = first.split_at(2_000);
    let moved = [rest, last, chapter].concat();
    let a = wrapped(&old.split(' ').collect::<Vec<_>>(), 10);
    for (name, b) in [
        ("edited", wrapped(&words, 10)),
        ("edited, moved and in other lines", wrapped(&moved, 8)),
        (
            "unlike",
            wrapped(&versions.text(2, 0, 10).split(' ').collect::<Vec<_>>(), 10),
        ),
    ] {
        measure(name, &a, &b, figures)?;
    }
    Ok(())
}

fn wrapped(words: &[&str], width: usize) -> String {
    let lines = words.chunks(width).map(|line| line.join(" ") + "\n");
    lines.collect()
}

fn measure(name: &str, a: &str, b: &str, figures: &mut Figures<'_>) -> anyhow::Result<()> {
    let difference = WordDifference::between(a, b);
    let found: Vec<_> = operations(&difference).collect();
    ensure!(apply_operations(&found, a).as_deref() == Ok(b));
    let extent = difference.extent;
    let columns = [
        ("bytes", (a.len() + b.len()) as f64 / 2.0, ""),
        ("words removed", extent.removed as f64, ""),
        ("added", extent.added as f64, ""),
        ("moved", extent.moved as f64, ""),
        ("operations", found.len() as f64, ""),
    ];
    figures.row(name, &columns)?;
    let by_words = timed(|| WordDifference::between(a, b).operations.len());
    let by_lines = timed(|| unified("a", "b", a, b).len());
    figures.put("  words aligned", by_words, "ms")?;
    figures.put("  lines aligned and written", by_lines, "ms")?;
    let whole = whole(a, b)?;
    figures.against(
        "  the whole comparison, in all forms",
        whole,
        "ms",
        "target: less than 200",
    )?;
    Ok(())
}

/// All that a question does but extracting.
fn whole(a: &str, b: &str) -> anyhow::Result<f64> {
    let sandbox = Sandbox::new()?;
    let opened = open(&sandbox)?;
    let index = opened.index.reader();
    let account = index.memory().requests.account(&Cancel::never());
    let asked = CompareParams {
        names: ("a", "b"),
        thresholds: RelationThresholds::both(0.8),
        forms: Forms {
            lines: true,
            words: true,
            operations: true,
        },
        longest: 16 << 20,
        schemes: &SchemeSelection::default(),
        model: None,
        account: &account,
    };
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let begin = Instant::now();
        let side = |text: &str| Subject::from_text(index, text.to_owned(), &account);
        let compared = compare(index, &side(a)?, &side(b)?, &asked)?;
        black_box(&compared);
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        ensure!(compared.diff.is_ok() && compared.outside_spans == 0);
    }
    Ok(median(times))
}

/// Milliseconds of one run.
fn timed(run: impl Fn() -> usize) -> f64 {
    let times = (0..RUNS).map(|_| {
        let begin = Instant::now();
        black_box(run());
        begin.elapsed().as_secs_f64() * 1e3
    });
    median(times.collect())
}
