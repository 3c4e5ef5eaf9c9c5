//! The table of document frequencies that the judgement ships with.
//!
//! Texts: the last versions of all histories, long RFCs, and every twentieth error page and notice, so that no
//! kind of text outweighs the others. Listed are words of letters in 2 % of the documents or more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use simdex_judge::signal::terms::words;
use simdex_signature::CanonicalText;

use super::HISTORIES;
use crate::figure::Figures;
use crate::labelled::real;
use crate::study::Settings;

/// Documents a listed word stands in, for each hundred.
const LEAST_PERCENT: usize = 2;
/// Words of one line.
const OF_LINE: usize = 12;

/// Writes `terms.txt` beside the figures.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let mut texts = Vec::new();
    for folder in HISTORIES {
        let histories = real::histories(&settings.folder(folder)?)?;
        texts.extend(
            histories
                .into_iter()
                .filter_map(|mut history| history.versions.pop()),
        );
    }
    texts.extend(real::texts(&settings.folder("long")?, "txt")?);
    for folder in ["short/cpp-docs", "short/rustsec"] {
        let all = real::texts(&settings.folder(folder)?, "md")?;
        texts.extend(all.into_iter().step_by(20));
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in &texts {
        let canonical = CanonicalText::from_extracted(text);
        let distinct: BTreeSet<&str> = words(canonical.as_str()).collect();
        for word in distinct.into_iter().filter(|word| is_listed(word)) {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count * 100 >= LEAST_PERCENT * texts.len());
    fs::create_dir_all(&settings.figures)?;
    let path = settings.figures.join("terms.txt");
    fs::write(&path, table(texts.len(), &counts)).with_context(|| path.display().to_string())?;
    figures.put("documents", texts.len() as f64, "")?;
    figures.put("words", counts.len() as f64, "")?;
    Ok(figures.note(&format!("written: {}", path.display()))?)
}

fn is_listed(word: &str) -> bool {
    word.chars().all(char::is_alphabetic)
}

fn table(documents: usize, counts: &BTreeMap<String, usize>) -> String {
    let mut by_count: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (word, count) in counts {
        by_count.entry(*count).or_default().push(word);
    }
    let mut table = format!(
        "# Document frequencies of common words, counted by `study judge-terms`: how many documents hold each.\n\
         documents {documents}\n"
    );
    for (count, words) in by_count.iter().rev() {
        for line in words.chunks(OF_LINE) {
            // Writing to a String cannot fail.
            let _ = writeln!(table, "{count} {}", line.join(" "));
        }
    }
    table
}
