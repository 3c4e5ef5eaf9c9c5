//! Short forms of one template, as in Cherkasova et al. 2009, §5: false pairs with the template and without it.
//!
//! The list of template lines is what `simctl templates --lines` prints. What a single group holds is marked for a
//! person to decide on; here the decision is to take all of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::figure::Figures;
use crate::jsonl::text;
use crate::sandbox::{Daemon, Sandbox};
use crate::study::template_pairs::{Pair, forms};

/// False pairs that are left at most once the template is.
const MOST_FALSE: usize = 1;
/// Pairs of revisions that may be lost with it: what they have of their own is so short that one word more is a fifth.
const MOST_MISSED: usize = 4;

pub(super) fn run(figures: &mut Figures<'_>) -> Result<()> {
    let (forms, truth) = forms();
    let sandbox = Sandbox::new()?;
    for (number, form) in forms.iter().enumerate() {
        sandbox.write(format!("{number:04}.txt"), form)?;
    }
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let before = Judged::of(&daemon)?;
    before.print("with the template", &truth, figures)?;
    let list = sandbox.beside("template-lines.txt");
    let printed = daemon.simctl_in_words(["templates", "--lines"])?;
    let printed = String::from_utf8(printed.success()?.stdout)?;
    fs::write(&list, decided(&printed))?;
    ensure!(daemon.stop()?.success());

    let daemon = sandbox.serve().template_lines(&list).start()?;
    daemon.sync()?;
    let after = Judged::of(&daemon)?;
    after.print("without", &truth, figures)?;
    ensure!(daemon.stop()?.success());
    let false_pairs = after.false_pairs(&truth);
    ensure!(
        false_pairs.len() <= MOST_FALSE,
        "{} pairs are false: {false_pairs:?}",
        false_pairs.len()
    );
    let taken: Vec<_> = false_pairs.intersection(&after.taken).collect();
    ensure!(taken.is_empty(), "judged the same or a version: {taken:?}");
    let missed: Vec<_> = truth.difference(&after.pairs).collect();
    ensure!(
        missed.len() <= MOST_MISSED,
        "pairs of revisions are lost: {missed:?}"
    );
    Ok(())
}

/// A printed list with the marks taken off its lines; what says where they are stays a comment.
fn decided(printed: &str) -> String {
    let lines = printed.lines().map(|line| match line.strip_prefix("# ") {
        Some(line) if !line.starts_with("in ") && !line.starts_with("cut: ") => line,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The pairs of an index, with those judged the same document or a version.
struct Judged {
    pairs: BTreeSet<Pair>,
    taken: BTreeSet<Pair>,
}

impl Judged {
    fn of(daemon: &Daemon) -> Result<Self> {
        let answer = daemon
            .simctl(["pairs", "--judge", "on"])?
            .ended_with(&[0, 1])?;
        let (mut pairs, mut taken) = (BTreeSet::new(), BTreeSet::new());
        for line in answer.lines_of("pair")? {
            let (a, b) = (number(text(&line, "a")?)?, number(text(&line, "b")?)?);
            let pair = (a.min(b), a.max(b));
            pairs.insert(pair);
            let class = line["judgement"]["class"].as_str();
            if matches!(class, Some("same" | "version")) {
                taken.insert(pair);
            }
        }
        Ok(Self { pairs, taken })
    }

    fn false_pairs(&self, truth: &BTreeSet<Pair>) -> BTreeSet<Pair> {
        self.pairs.difference(truth).copied().collect()
    }

    fn print(&self, name: &str, truth: &BTreeSet<Pair>, figures: &mut Figures<'_>) -> Result<()> {
        let false_pairs = self.false_pairs(truth);
        let columns = [
            ("pairs", self.pairs.len() as f64, ""),
            ("true", truth.len() as f64, ""),
            ("false", false_pairs.len() as f64, ""),
            (
                "of these judged same or version",
                false_pairs.intersection(&self.taken).count() as f64,
                "",
            ),
            ("missed", truth.difference(&self.pairs).count() as f64, ""),
        ];
        figures.row(&format!("forms {name}"), &columns)?;
        Ok(())
    }
}

/// The number of a form, by its file.
fn number(path: &str) -> Result<usize> {
    let name = Path::new(path).file_stem().context("no name")?;
    Ok(name.to_string_lossy().parse()?)
}
