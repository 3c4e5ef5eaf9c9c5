//! From which containment on a document "holds" another one: what is listed at each threshold of pairs whose truth is
//! known by how they were made, and of real documents.
//!
//! Pairs are directed: a part, and a document that may hold it. Containment is counted on all shingles, so that no
//! sampling has a part in it. All kinds have the same number of pairs, so precision is that of such a mix; a repository
//! with many letters of one letterhead has more of what is false.

use anyhow::Result;
use simdex_signature::{CanonicalText, ShingleSet, Window};

use super::Settings;
use super::papers::{Text, originals};
use crate::figure::{Cell, Figures};

mod cases;

use cases::{Truth, kinds};

/// Thresholds that are tried, of which 0.5 is the default.
const THRESHOLDS: [f64; 11] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95];
/// Real documents of one folder, at most, of which all pairs are counted.
const DOCUMENTS: usize = 200;

/// The containments of one kind of pair.
struct Counted {
    name: String,
    truth: Truth,
    containments: Vec<f64>,
}

impl Counted {
    /// The share of pairs that are listed at a threshold.
    fn listed(&self, threshold: f64) -> f64 {
        let listed = self
            .containments
            .iter()
            .filter(|found| **found >= threshold);
        listed.count() as f64 / self.containments.len().max(1) as f64
    }

    fn row(&self) -> (String, Vec<Cell>) {
        let cells = THRESHOLDS.map(|threshold| Cell::Figure(self.listed(threshold)));
        (
            format!("{}: {}", self.truth.name(), self.name),
            cells.to_vec(),
        )
    }
}

/// A row for each kind of pair, with a column for each threshold; then recall and precision, then real documents.
pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let counted = kinds().into_iter().map(|kind| Counted {
        containments: kind.pairs.iter().filter_map(of_pair).collect(),
        name: kind.name,
        truth: kind.truth,
    });
    let counted: Vec<Counted> = counted.collect();
    figures
        .note("share of the pairs of each kind that are listed, by the threshold of containment")?;
    let rows: Vec<_> = counted.iter().map(Counted::row).collect();
    table(figures, &rows)?;
    let mut sums = Vec::new();
    for (name, wanted) in [
        ("the document", &[Truth::Held][..]),
        ("it or an excerpt", &[Truth::Held, Truth::Excerpt]),
    ] {
        sums.extend(quality(name, &counted, wanted));
    }
    figures.note("recall, precision and F1 of \"holds …\", each kind alike")?;
    table(figures, &sums)?;
    real(settings, figures)
}

fn table(figures: &mut Figures<'_>, rows: &[(String, Vec<Cell>)]) -> Result<()> {
    let columns = THRESHOLDS.map(|threshold| threshold.to_string());
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    Ok(figures.table(&columns, rows)?)
}

fn set(text: &str) -> ShingleSet {
    ShingleSet::new(&CanonicalText::from_extracted(text), Window::DEFAULT)
}

/// The containment of the first text in the second; `None` if the first has no shingle.
fn of_pair([part, whole]: &[String; 2]) -> Option<f64> {
    let found = set(part).containment_in(&set(whole))?;
    Some(found.get())
}

/// Recall, precision and F1 by threshold, where kinds of the wanted truths are right, and those of none are wrong.
fn quality(name: &str, counted: &[Counted], wanted: &[Truth]) -> Vec<(String, Vec<Cell>)> {
    let sum = |threshold: f64, is_of: &dyn Fn(Truth) -> bool| -> f64 {
        let kinds = counted.iter().filter(|kind| is_of(kind.truth));
        kinds.map(|kind| kind.listed(threshold)).sum()
    };
    let is_wanted = |truth: Truth| wanted.contains(&truth);
    let all = sum(0.0, &is_wanted);
    let of = |threshold| {
        let right = sum(threshold, &is_wanted);
        let wrong = sum(threshold, &|truth| truth == Truth::Neither);
        let (recall, precision) = (right / all, right / (right + wrong));
        [recall, precision, 2.0 * right / (right + wrong + all)]
    };
    let figures = THRESHOLDS.map(of);
    let names = ["recall", "precision", "F1"].into_iter().enumerate();
    let rows = names.map(|(at, figure)| {
        let cells = figures.iter().map(|figures| Cell::Figure(figures[at]));
        (format!("{name}: {figure}"), cells.collect())
    });
    rows.collect()
}

/// Real documents: consecutive versions, and all pairs of documents of one kind, which hardly ever hold one another.
fn real(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let mut rows = Vec::new();
    for (folder, ending, of) in [
        ("versions", "md", consecutive as fn(&[Text]) -> Vec<f64>),
        ("long", "txt", all_pairs),
        ("short/cpp-docs", "md", all_pairs),
        ("short/rustsec", "md", all_pairs),
    ] {
        let Ok(texts) = originals(settings, folder, ending) else {
            figures.note(&format!("{folder} is not here: left out"))?;
            continue;
        };
        let containments = of(&texts);
        let counted = Counted {
            name: format!("{} of {folder}", containments.len()),
            truth: match folder {
                "versions" => Truth::Held,
                _ => Truth::Neither,
            },
            containments,
        };
        rows.push(counted.row());
    }
    figures.note(
        "share of pairs of real documents: consecutive versions; documents of one kind, directed",
    )?;
    table(figures, &rows)
}

/// The containment of each version of a policy in the next.
fn consecutive(texts: &[Text]) -> Vec<f64> {
    let pairs = texts.windows(2);
    let pairs = pairs.filter(|pair| pair[0].folder() == pair[1].folder());
    let found = pairs.filter_map(|pair| of_pair(&[pair[0].text.clone(), pair[1].text.clone()]));
    found.collect()
}

/// The containments of all of some documents in one another.
fn all_pairs(texts: &[Text]) -> Vec<f64> {
    let step = texts.len().div_ceil(DOCUMENTS);
    let sets: Vec<ShingleSet> = texts
        .iter()
        .step_by(step)
        .map(|text| set(&text.text))
        .collect();
    let mut found = Vec::new();
    for (at, part) in sets.iter().enumerate() {
        let others = sets.iter().enumerate().filter(|(other, _)| *other != at);
        let containments = others.filter_map(|(_, whole)| part.containment_in(whole));
        found.extend(containments.map(|ratio| ratio.get()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_and_precision_count_each_kind_alike() {
        let kind = |truth, containments: &[f64]| Counted {
            name: String::new(),
            truth,
            containments: containments.to_vec(),
        };
        let counted = [
            kind(Truth::Held, &[1.0, 1.0, 0.4, 0.05]),
            kind(Truth::Excerpt, &[0.3]),
            kind(Truth::Neither, &[0.3, 0.05]),
        ];
        let of = |wanted: &[Truth]| -> Vec<[f64; 2]> {
            let rows = quality("", &counted, wanted);
            let figure = |row: usize, at: usize| match rows[row].1[at] {
                Cell::Figure(value) => value,
                Cell::Word(_) => f64::NAN,
            };
            [1, 4].map(|at| [figure(0, at), figure(1, at)]).to_vec()
        };
        assert_eq!(of(&[Truth::Held]), [[0.75, 0.6], [0.5, 1.0]]);
        let both = of(&[Truth::Held, Truth::Excerpt]);
        assert_eq!(both, [[0.875, 1.75 / 2.25], [0.25, 1.0]]);
    }
}
