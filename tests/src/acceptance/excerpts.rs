//! Paragraphs cut from long documents, searched for by their text alone.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::Value;
use simdex_signature::CanonicalText;

use super::documents::files_below;
use crate::corpus::Random;
use crate::figure::Figures;
use crate::sandbox::Sandbox;

/// Paragraphs asked for.
const PARAGRAPHS: usize = 200;
/// Share of a paragraph that its source holds at least.
const LEAST_HELD: f64 = 0.9;
/// Least length of a paragraph, characters.
const LEAST: usize = 1_000;
const SEED: u64 = 2;

/// A long document and its canonical text.
struct Source {
    path: PathBuf,
    text: String,
    canonical: CanonicalText,
}

pub(super) fn run(corpora: &Path, figures: &mut Figures<'_>) -> Result<()> {
    let folder = corpora.join("long");
    let sources = sources(&folder)?;
    let paragraphs = paragraphs(&sources);
    figures.put(
        "paragraphs of 1,000 characters or more",
        paragraphs.len() as f64,
        "",
    )?;
    let sandbox = Sandbox::new()?;
    let daemon = sandbox.serve().roots([(folder, "poll")]).start()?;
    daemon.sync()?;
    let (mut asked, mut first, mut whole, mut ties, mut missed) = (0, 0, 0, 0, Vec::new());
    for (source, paragraph) in paragraphs {
        if asked == PARAGRAPHS {
            break;
        }
        if holders(&sources, paragraph) > 1 {
            ties += 1;
            continue;
        }
        asked += 1;
        let answer = daemon.simctl_reading(paragraph, ["containing", "-"])?;
        let matches = answer.ended_with(&[0, 1])?.lines_of("match")?;
        if matches
            .first()
            .is_some_and(|best| is_source(best, &source.path))
        {
            first += 1;
            whole += u32::from(matches[0]["containment_of_query"] == 1.0);
        } else {
            missed.push((source.path.display(), matches.into_iter().next()));
        }
    }
    figures.put(
        "passed over: in several documents, a tie",
        f64::from(ties),
        "paragraphs",
    )?;
    figures.against(
        "source found first",
        f64::from(first),
        "paragraphs",
        &format!("of {asked}"),
    )?;
    figures.put("held whole by it", f64::from(whole), "paragraphs")?;
    ensure!(asked == PARAGRAPHS, "there are only {asked} paragraphs");
    ensure!(missed.is_empty(), "not found first: {missed:?}");
    Ok(())
}

/// Whether a match is this file and holds the query: all of it, unless the paragraph runs over the end
/// of a page, where its source has the line that runs through the pages kept apart, or words joined.
fn is_source(best: &Value, path: &Path) -> bool {
    let held = best["containment_of_query"].as_f64().unwrap_or_default();
    best["path"].as_str().map(Path::new) == Some(path) && held >= LEAST_HELD
}

fn sources(folder: &Path) -> Result<Vec<Source>> {
    let mut paths = files_below(folder)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let source = |path: PathBuf| {
        let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
        let canonical = CanonicalText::from_extracted(&text);
        Ok(Source {
            path,
            text,
            canonical,
        })
    };
    paths.into_iter().map(source).collect()
}

/// All paragraphs (text between blank lines) that are long enough, in an order drawn from the seed.
fn paragraphs(sources: &[Source]) -> Vec<(&Source, &str)> {
    let long = |text: &&str| text.chars().count() >= LEAST;
    let of = |source| {
        let Source { text, .. }: &Source = source;
        // What is no UTF-8 here is read by its own charset there.
        let clean = |text: &&str| !text.contains(char::REPLACEMENT_CHARACTER);
        text.split("\n\n")
            .map(str::trim)
            .filter(long)
            .filter(clean)
            .map(move |t| (source, t))
    };
    let mut all: Vec<_> = sources.iter().flat_map(of).collect();
    let mut random = Random::new(SEED, 0);
    all.sort_by_cached_key(|_| random.next());
    all
}

/// Documents that hold all of a paragraph.
fn holders(sources: &[Source], paragraph: &str) -> usize {
    let paragraph = CanonicalText::from_extracted(paragraph);
    let holds = |source: &&Source| source.canonical.as_str().contains(paragraph.as_str());
    sources.iter().filter(holds).count()
}
