//! Ye, Wen and Ma 2008, §3.1: what the width of a shingle costs, in words, measured as they do, by precision and
//! recall of pairs at a threshold. And Ye, Wen and Ma 2006, §4.3: a join that is cut into pieces, to fit the memory,
//! misses the pairs that lie in two pieces.
//!
//! The truth is the list of a generated collection ([`super::derived`]), so that no width is its own truth. The
//! paper's was the same comparison without sampling, at one width.

use anyhow::{Context, Result};
use simdex_signature::Fingerprint;
use simdex_signature::laboratory::ShingleUnit;

use super::derived::{Derived, shingles};
use super::{SEED, draw, series};
use crate::corpus::Random;
use crate::evaluation::{Agreement, Pairs};
use crate::figure::Figures;
use crate::jsonl;
use crate::sandbox::{Sandbox, scan};
use crate::study::Settings;

const WIDTHS: [u16; 7] = [1, 2, 3, 5, 10, 15, 20];
/// The lowest first.
const THRESHOLDS: [f64; 2] = [0.5, 0.8];
/// Pieces that a join is cut into.
const PIECES: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// Precision and recall by width.
pub(crate) fn width(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let derived = Derived::of(settings)?;
    figures.put("documents", derived.documents.len() as f64, "")?;
    figures.put("pairs on the list", derived.list.len() as f64, "")?;
    let mut lines = THRESHOLDS.map(|_| [Vec::new(), Vec::new()]);
    for width in WIDTHS {
        let sets = by_words(&derived, width)?;
        let found = derived.found(&sets, THRESHOLDS);
        for ((threshold, found), lines) in THRESHOLDS.iter().zip(&found).zip(&mut lines) {
            let agreement = Agreement::of(&derived.list, found);
            let precision = agreement.precision().unwrap_or(1.0);
            let recall = agreement.recall().unwrap_or(0.0);
            let columns = [("precision", precision, ""), ("recall", recall, "")];
            figures.row(&format!("{width} words at {threshold}"), &columns)?;
            for (line, value) in lines.iter_mut().zip([precision, recall]) {
                line.push((f64::from(width), value));
            }
        }
    }
    figures.note("the paper: greater w results in higher precision and lower recall")?;
    draw(
        settings,
        "ye-width",
        "Precision and recall by the width of a shingle",
        ("w, words", "precision, recall"),
        THRESHOLDS
            .iter()
            .zip(lines)
            .flat_map(|(threshold, [precision, recall])| {
                [
                    series(format!("precision at {threshold}"), precision),
                    series(format!("recall at {threshold}"), recall),
                ]
            })
            .collect(),
    )
}

/// The sets of shingles of this many words.
fn by_words(derived: &Derived, width: u16) -> Result<Vec<Vec<Fingerprint>>> {
    let documents = derived.documents.iter();
    let sets = documents.map(|document| shingles(&document.text, ShingleUnit::Words, width));
    sets.collect()
}

/// Pairs that a join finds in pieces, beside those that a scan of this product finds.
pub(crate) fn pieces(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let derived = Derived::of(settings)?;
    let threshold = THRESHOLDS[0];
    let [whole] = derived.found(&by_words(&derived, 10)?, [threshold]);
    figures.put("pairs of the whole join, 10 words", whole.len() as f64, "")?;
    for pieces in PIECES {
        let random = &mut Random::new(SEED, pieces);
        let piece: std::collections::BTreeMap<&str, u64> = derived
            .documents
            .iter()
            .map(|document| (document.name.as_str(), random.below(pieces)))
            .collect();
        let kept = whole
            .iter()
            .filter(|(a, b)| piece[a.as_str()] == piece[b.as_str()]);
        let recall = kept.count() as f64 / whole.len().max(1) as f64;
        figures.row(&format!("{pieces} pieces"), &[("recall", recall, "")])?;
    }
    let (found, exact) = scanned(&derived, threshold)?;
    let agreement = Agreement::of(&exact, &found);
    let recall = agreement.recall().unwrap_or(1.0);
    figures.row(
        "a scan of ours, by its own shingles",
        &[("recall", recall, "")],
    )?;
    for (a, b) in agreement.missed.iter().take(10) {
        figures.note(&format!("  for review: {a} and {b}"))?;
    }
    Ok(figures.note(
        "the paper: duplicates in two pieces are missed; ours is one join over all postings",
    )?)
}

/// The pairs that a scan reports, and those that the exact sets of its own shingles have.
fn scanned(derived: &Derived, threshold: f64) -> Result<(Pairs, Pairs)> {
    let sandbox = Sandbox::new()?;
    let width = simdexd::config::Config::default().parameters().window;
    let mut sets = Vec::new();
    for (number, document) in derived.documents.iter().enumerate() {
        // One line: of pages a reader takes running headers away, and others would be compared than are counted here.
        let text = document.text.split_whitespace().collect::<Vec<_>>();
        let text = text.join(" ");
        sandbox.write(format!("{number:04}.txt"), &text)?;
        let canonical = simdex_signature::CanonicalText::from_extracted(&text);
        sets.push(shingles(canonical.as_str(), ShingleUnit::Bytes, width)?);
    }
    let [exact] = derived.found(&sets, [threshold]);
    let threshold = threshold.to_string();
    let lines = scan([sandbox.share()], ["--pairs", "--threshold", &threshold])?.lines()?;
    let mut found = Vec::new();
    for pair in jsonl::of_type(lines, "pair") {
        let name = |side: &str| {
            let path = jsonl::text(&pair, side)?;
            let number = path
                .rsplit('/')
                .next()
                .and_then(|name| name.split('.').next());
            let number: usize = number.context("a file of ours")?.parse()?;
            anyhow::Ok(derived.documents[number].name.clone())
        };
        found.push((name("a")?, name("b")?));
    }
    Ok((Pairs::new(found), exact))
}
