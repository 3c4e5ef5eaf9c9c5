//! Labelled pairs of real texts, of folders of real documents where they are.
//!
//! What each folder's truth rests on: `versions/*` and `../histories/peps` are revision histories, so that two
//! files of one family are versions, at a distance of known steps and dates. `short/cpp-docs` are pages of one
//! template, `short/rustsec` serial notices: two of them are documents of their own, however alike. Of
//! `crossformat` the kinds of one RFC are the same. Texts of all of them go through [`Cases`] as well.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use simdex_judge::Class;
use simdex_signature::{CanonicalText, ShingleSet, Window};

use super::cases::Cases;
use super::generated::of_block;
use super::{Document, LabelledPair, Tongue};
use crate::acceptance::files_below;
use crate::corpus::Random;
use crate::near_duplicates::Stock;

/// Steps between both versions of a pair, with the kind that a pair is of.
const DISTANCES: [(usize, &str); 6] = [
    (1, "history, 1 step"),
    (2, "history, 2 steps"),
    (4, "history, 4 steps"),
    (8, "history, 8 steps"),
    (16, "history, 16 steps"),
    (32, "history, 32 steps"),
];
/// Pairs of a family for each distance.
const OF_DISTANCE: usize = 2;
/// Texts of each folder that go through all cases.
const BASES: usize = 40;
/// Longest text that goes through all cases, in bytes.
const LONGEST: u64 = 120_000;

/// A history: its versions, earliest first.
pub struct History {
    /// Name of the family in `MANIFEST.tsv`.
    pub name: String,
    /// The texts of its versions.
    pub versions: Vec<String>,
}

/// A text as any reader decodes it.
fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The histories of a folder with a `MANIFEST.tsv`.
///
/// # Errors
/// A missing file, or a row that is too short.
pub fn histories(folder: &Path) -> Result<Vec<History>> {
    let manifest = fs::read_to_string(folder.join("MANIFEST.tsv"))?;
    let mut families: BTreeMap<String, Vec<(u32, String)>> = BTreeMap::new();
    for row in manifest.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [family, version, .., file] = cells[..] else {
            anyhow::bail!("a short row: {row}")
        };
        let family = families.entry(family.to_owned()).or_default();
        family.push((version.parse()?, file.to_owned()));
    }
    let history = |(name, mut versions): (String, Vec<(u32, String)>)| {
        versions.sort();
        let versions = versions.iter().map(|(_, file)| read(&folder.join(file)));
        let versions = versions.collect::<Result<_>>()?;
        Ok(History { name, versions })
    };
    families.into_iter().map(history).collect()
}

/// Pairs of versions of one history at all distances it has.
pub fn of_history(history: &History, source: u64) -> Vec<LabelledPair> {
    let random = &mut Random::new(2007, source);
    let mut pairs = Vec::new();
    for (distance, kind) in DISTANCES
        .into_iter()
        .filter(|(distance, _)| *distance < history.versions.len())
    {
        for _ in 0..OF_DISTANCE {
            let from = random.below((history.versions.len() - distance) as u64) as usize;
            let [a, b] = [from, from + distance].map(|at| Document::new(&history.versions[at]));
            pairs.push(LabelledPair {
                kind,
                source,
                family: source,
                class: Class::Version,
                documents: [a, b],
            });
        }
    }
    pairs
}

/// Texts of a folder, of at most [`LONGEST`] bytes.
///
/// # Errors
/// A folder or file that cannot be read.
pub fn texts(folder: &Path, ending: &str) -> Result<Vec<String>> {
    let mut paths = files_below(folder)?;
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|end| end == ending));
    let short = |path: &Path| fs::metadata(path).is_ok_and(|found| found.len() <= LONGEST);
    let short = paths.iter().filter(|path| short(path));
    short.map(|path| read(path)).collect()
}

/// For each text its nearest others, by shared fingerprints: pairs of one template that a question brings up.
/// Quadratic in the texts of the folder.
pub fn of_template(
    texts: &[String],
    kind: &'static str,
    source: u64,
    most: usize,
) -> Vec<LabelledPair> {
    let sets: Vec<ShingleSet> = texts
        .iter()
        .map(|text| ShingleSet::new(&CanonicalText::from_extracted(text), Window::DEFAULT))
        .collect();
    let mut nearest: Vec<(u64, usize, usize)> = Vec::new();
    for (a, set) in sets.iter().enumerate() {
        let near = sets[..a].iter().enumerate().filter_map(|(b, other)| {
            let resemblance = set.resemblance(other)?.get();
            (resemblance >= 0.1).then_some(((resemblance * 1e6) as u64, a, b))
        });
        let mut near: Vec<_> = near.collect();
        near.sort_unstable_by(|a, b| b.cmp(a));
        nearest.extend(near.into_iter().take(2));
    }
    nearest.sort_unstable_by(|a, b| b.cmp(a));
    // The nearest half of all that are wanted, and the others evenly spread: near misses matter most.
    let (first, rest) = nearest.split_at(nearest.len().min(most / 2));
    let step = (rest.len() / (most / 2).max(1)).max(1);
    let chosen = first.iter().chain(rest.iter().step_by(step));
    let pair = |&(_, a, b): &(u64, usize, usize)| LabelledPair {
        kind,
        // Neighbouring pages stay together: the earlier text names the source.
        source: (source << 32) | (a.min(b) as u64 / 16),
        family: source,
        class: Class::TemplateOnly,
        documents: [Document::new(&texts[a]), Document::new(&texts[b])],
    };
    chosen.map(pair).collect()
}

/// All cases of some texts, evenly chosen. They are of one family where the texts are of one template, and else each of
/// its own.
pub fn cases(texts: &[String], source: u64, family: Option<u64>) -> Vec<LabelledPair> {
    if texts.is_empty() {
        return Vec::new();
    }
    let step = (texts.len() / BASES).max(1);
    let bases: Vec<String> = texts.iter().step_by(step).cloned().collect();
    let mut pairs = Vec::new();
    for (at, text) in bases.iter().enumerate() {
        let others = of_block(&bases, at);
        let stock = Stock::of(others.iter().map(String::as_str));
        let own = (source << 32) | at as u64;
        let cases = Cases {
            source: own,
            family: family.unwrap_or(own),
            tongue: Tongue::English,
            seed: 2007,
            stock: &stock,
            others: &others,
        };
        pairs.extend(cases.of_text(text));
    }
    pairs
}
