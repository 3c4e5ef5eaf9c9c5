//! Pairs that a scan reports, compared with all pairs counted exactly.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::documents::Documents;
use super::scanned::Scanned;
use crate::figure::Figures;
use crate::jsonl::{number, text};

/// Two ways to divide the same counts differ by less.
const EQUAL: f64 = 1e-12;

/// What became of a scan's pairs.
struct Outcome {
    /// Pairs of documents reported, as places; the smaller first.
    reported: BTreeSet<(usize, usize)>,
    /// Pairs of documents at or above the threshold.
    exact: BTreeSet<(usize, usize)>,
    /// Lines whose numbers differ from the exact ones.
    wrong: Vec<Value>,
}

impl Outcome {
    fn of(scanned: &Scanned, documents: &Documents, threshold: f64) -> Result<Self> {
        let (mut reported, mut wrong) = (BTreeSet::new(), Vec::new());
        for pair in &scanned.pairs {
            let (a, b) = (documents.named(pair, "a")?, documents.named(pair, "b")?);
            if !is_exact(pair, documents, a, b)? {
                wrong.push(pair.clone());
            }
            if a != b {
                reported.insert((a.min(b), a.max(b)));
            }
        }
        let exact = documents.truth.pairs(threshold).into_iter().collect();
        Ok(Self {
            reported,
            exact,
            wrong,
        })
    }

    fn print(&self, figures: &mut Figures<'_>) -> Result<()> {
        let found = self.exact.intersection(&self.reported).count() as f64;
        let recall = 100.0 * found / self.exact.len().max(1) as f64;
        figures.put(
            "document pairs at the threshold",
            self.exact.len() as f64,
            "pairs",
        )?;
        figures.put(
            "document pairs reported",
            self.reported.len() as f64,
            "pairs",
        )?;
        figures.against(
            "found of those at the threshold",
            recall,
            "%",
            "at least 99",
        )?;
        figures.against("reported below it", self.below() as f64, "pairs", "none")?;
        figures.against(
            "lines with a number not exact",
            self.wrong.len() as f64,
            "pairs",
            "none",
        )?;
        ensure!(
            recall >= 99.0,
            "only {recall} % of the exact pairs are reported"
        );
        ensure!(
            self.below() == 0,
            "{} pairs are reported below the threshold",
            self.below()
        );
        ensure!(
            self.wrong.is_empty(),
            "numbers are not exact: {:?}",
            self.wrong.first()
        );
        Ok(())
    }

    fn below(&self) -> usize {
        self.reported.difference(&self.exact).count()
    }
}

/// Whether relation and numbers of a pair are what exact counting gives.
fn is_exact(pair: &Value, documents: &Documents, a: usize, b: usize) -> Result<bool> {
    let exact = documents.truth.ratios(a, b);
    let expected = [
        ("resemblance", exact.resemblance),
        ("containment_of_a", exact.containment_of_a),
        ("containment_of_b", exact.containment_of_b),
    ];
    let mut equal = pair["verified"] == true;
    for (field, value) in expected {
        equal &= (number(pair, field)? - value).abs() <= EQUAL;
    }
    let near = pair["relation"] == "near-duplicate";
    let identical = pair["relation"] == "identical-text" || pair["relation"] == "identical-bytes";
    Ok(equal && if a == b { identical } else { near })
}

/// A pair of files of different documents must be listed once, and each pair of files of a pair of
/// documents must be.
fn lists_every_file(scanned: &Scanned, documents: &Documents, outcome: &Outcome) -> Result<()> {
    let mut listed = HashSet::new();
    for pair in scanned
        .pairs
        .iter()
        .filter(|pair| pair["relation"] == "near-duplicate")
    {
        let (a, b) = (text(pair, "a")?, text(pair, "b")?);
        ensure!(a < b, "the greater path stands first in {pair}");
        ensure!(listed.insert((a, b)), "{pair} is listed twice");
    }
    let files = |&(a, b): &(usize, usize)| documents.paths[a].len() * documents.paths[b].len();
    let wanted: usize = outcome.reported.iter().map(files).sum();
    ensure!(
        listed.len() == wanted,
        "{} pairs of files instead of {wanted}",
        listed.len()
    );
    Ok(())
}

/// Scans a folder and holds its pairs against the exact ones.
fn held(
    folder: &Path,
    threshold: f64,
    figures: &mut Figures<'_>,
) -> Result<(Scanned, Documents, Outcome)> {
    let scanned = Scanned::of([folder], threshold)?;
    let documents = Documents::of(&scanned.files)?;
    let outcome = Outcome::of(&scanned, &documents, threshold)?;
    figures.put("documents", documents.texts.len() as f64, "documents")?;
    outcome.print(figures)?;
    lists_every_file(&scanned, &documents, &outcome)?;
    Ok((scanned, documents, outcome))
}

pub(super) fn parkr(corpora: &Path, figures: &mut Figures<'_>) -> Result<()> {
    let folder = corpora.join("labelled/parkr/ndd/test");
    let (_, documents, outcome) = held(&folder, 0.5, figures)?;
    let ratios = outcome
        .exact
        .iter()
        .map(|&(a, b)| documents.truth.ratios(a, b).resemblance);
    figures.put(
        "least resemblance among them",
        ratios.fold(1.0, f64::min),
        "",
    )?;
    ensure!(
        outcome.exact.len() == 10,
        "there are {} exact pairs",
        outcome.exact.len()
    );
    ensure!(
        outcome.reported == outcome.exact,
        "the pairs reported are not the 10"
    );
    Ok(())
}

pub(super) fn cpp_docs(corpora: &Path, figures: &mut Figures<'_>) -> Result<()> {
    held(&corpora.join("short/cpp-docs"), 0.8, figures).map(drop)
}

pub(super) fn rustsec(corpora: &Path, figures: &mut Figures<'_>) -> Result<()> {
    held(&corpora.join("short/rustsec"), 0.8, figures).map(drop)
}

pub(super) fn versions(corpora: &Path, figures: &mut Figures<'_>) -> Result<()> {
    let folder = corpora.join("versions");
    let (scanned, documents, outcome) = held(&folder, 0.8, figures)?;
    let mut links = Links::default();
    for history in ["site-policy", "policies"] {
        for (a, b) in consecutive(&folder.join(history))? {
            links.count(&a, &b, &scanned, &documents, &outcome)?;
        }
    }
    let share = 100.0 * links.found as f64 / links.alike.max(1) as f64;
    figures.put("consecutive versions", links.all as f64, "links")?;
    figures.put("of these without text", links.without_text as f64, "links")?;
    figures.put("of these at 0.8 or more", links.alike as f64, "links")?;
    figures.put("of these the same text", links.same as f64, "links")?;
    figures.against("found at 0.8 or more", share, "%", "at least 99")?;
    ensure!(
        links.alike > 0 && share >= 99.0,
        "only {share} % of the links are found"
    );
    Ok(())
}

/// Consecutive versions, and what became of them.
#[derive(Default)]
struct Links {
    all: usize,
    without_text: usize,
    alike: usize,
    same: usize,
    found: usize,
}

impl Links {
    fn count(
        &mut self,
        a: &str,
        b: &str,
        scanned: &Scanned,
        documents: &Documents,
        outcome: &Outcome,
    ) -> Result<()> {
        self.all += 1;
        let (Some(a_at), Some(b_at)) = (documents.place(a), documents.place(b)) else {
            self.without_text += 1;
            return Ok(());
        };
        if documents.truth.ratios(a_at, b_at).resemblance < 0.8 {
            return Ok(());
        }
        self.alike += 1;
        self.same += usize::from(a_at == b_at);
        // Two files of one text are no pair of documents; their group lists both.
        let found = if a_at == b_at {
            share_a_group(scanned, a, b)
        } else {
            outcome.reported.contains(&(a_at.min(b_at), a_at.max(b_at)))
        };
        self.found += usize::from(found);
        Ok(())
    }
}

fn share_a_group(scanned: &Scanned, a: &str, b: &str) -> bool {
    scanned.groups.iter().any(|group| {
        let members = group["members"].as_array().into_iter().flatten();
        members.filter(|m| m["path"] == a || m["path"] == b).count() == 2
    })
}

/// Paths of consecutive versions of one family, as MANIFEST.tsv lists them.
fn consecutive(history: &Path) -> Result<Vec<(String, String)>> {
    let manifest = history.join("MANIFEST.tsv");
    let manifest = fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
    let rows = manifest.lines().skip(1).map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let [family, version, .., file] = cells[..] else {
            anyhow::bail!("a short row: {row}")
        };
        Ok((family, version.parse::<u32>()?, file))
    });
    let rows: Vec<_> = rows.collect::<Result<_>>()?;
    let is_link = |pair: &&[(&str, u32, &str)]| pair[0].0 == pair[1].0 && pair[0].1 < pair[1].1;
    let path = |file: &str| history.join(file).to_string_lossy().into_owned();
    let links = rows.windows(2).filter(is_link);
    Ok(links
        .map(|pair| (path(pair[0].2), path(pair[1].2)))
        .collect())
}
