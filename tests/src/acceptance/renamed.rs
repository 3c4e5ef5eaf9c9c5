//! A chain of versions whose product was renamed: found whole, across the version from which on the new name stands
//! everywhere.
//!
//! Names are withheld, as in `families`. With the times of the files every link from one version to the next must be an
//! edge. Where times are withheld too the versions must be one family all the same; there the edge across the new name
//! joins those two texts that resemble each other most, and these may be neighbours of the two versions in question.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::corpus::{Random, Versions};
use crate::figure::Figures;
use crate::version_chains::{Times, measure_with};

/// Versions of a generated document, and words of each.
const VERSIONS: usize = 16;
const WORDS: usize = 9_000;
/// One word in this many is the product's name: twice as often as in the densest of the real histories.
const NAMED_EVERY: usize = 15;
/// How often else it is; then few shingles of the text are without it.
const NAMED_ELSE: [usize; 5] = [6, 8, 10, 12, 20];
/// Words that each version changes.
const CHANGED: u64 = 45;

/// The most versions of a real history that is taken.
const LONGEST: usize = 60;

/// Generated documents, each renamed from another version on.
pub(super) fn generated(figures: &mut Figures<'_>) -> Result<()> {
    let places = [(1, 1), (2, VERSIONS / 2), (3, VERSIONS - 1)];
    let often = NAMED_ELSE.map(|every| (4, VERSIONS / 2, every));
    let histories = places.map(|(document, from)| (document, from, NAMED_EVERY));
    for (document, from, every) in histories.into_iter().chain(often) {
        let texts = (0..VERSIONS).map(|version| {
            let name = if version < from {
                "Meridian"
            } else {
                "Northwind Pro"
            };
            text(document, version, name, every)
        });
        let history = history(texts)?;
        let from = from + 1;
        let name =
            format!("document {document}, named every {every} words, else from version {from} on");
        found_whole(&name, history.path(), VERSIONS, figures)?;
    }
    Ok(())
}

/// Text of a version: all changes up to it.
fn text(document: u64, version: usize, product: &str, every: usize) -> String {
    let prose = Versions::new(20_091_105, WORDS).text(document, 0, 1);
    let mut words: Vec<String> = prose.split(' ').map(str::to_owned).collect();
    for step in 1..=version as u64 {
        let mut random = Random::new(document, step);
        for at in 0..CHANGED {
            let place = random.below(words.len() as u64) as usize;
            words[place] = format!("revised{step}of{at}");
        }
    }
    let named = words
        .chunks(every)
        .map(|some| format!("{} {product}", some.join(" ")));
    named.collect::<Vec<_>>().join("\n")
}

/// The longest real histories that name one product throughout, renamed from their middle on.
pub(super) fn real(corpora: &Path, figures: &mut Figures<'_>) -> Result<()> {
    let folder = corpora.join("versions/site-policy");
    let mut taken = 0;
    for (family, files) in longest(&folder)? {
        let texts = files.iter().map(fs::read_to_string);
        let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
        let as_it_is = history(texts.iter().cloned())?;
        let as_it_is = measure_with(&[as_it_is.path().to_owned()], Times::Withheld)?;
        // Histories with a gap of their own say nothing of renaming; times would join them across it.
        if as_it_is.families != 1 || as_it_is.edges != as_it_is.links {
            continue;
        }
        let from = texts.len() / 2;
        let renamed = texts.iter().enumerate().map(|(at, text)| match at < from {
            true => text.clone(),
            false => text
                .replace("GitHub", "Northwind")
                .replace("github", "northwind"),
        });
        let renamed = history(renamed)?;
        found_whole(&family, renamed.path(), texts.len(), figures)?;
        taken += 1;
        if taken == 3 {
            break;
        }
    }
    ensure!(taken > 0, "no history is whole before it is renamed");
    Ok(())
}

/// Families by their number of versions, the longest first.
fn longest(folder: &Path) -> Result<Vec<(String, Vec<PathBuf>)>> {
    let manifest = folder.join("MANIFEST.tsv");
    let manifest = fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
    let mut families: BTreeMap<&str, Vec<(u32, PathBuf)>> = BTreeMap::new();
    for row in manifest.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [family, version, .., file] = cells[..] else {
            anyhow::bail!("a short row: {row}")
        };
        let versions = families.entry(family).or_default();
        versions.push((version.parse()?, folder.join(file)));
    }
    let mut families: Vec<_> = families
        .into_iter()
        .filter(|(_, versions)| versions.len() <= LONGEST)
        .map(|(family, mut versions)| {
            versions.sort_unstable();
            let files = versions
                .into_iter()
                .map(|(_, file)| file)
                .collect::<Vec<_>>();
            (family.to_owned(), files)
        })
        .collect();
    families.sort_by_key(|(family, files)| (std::cmp::Reverse(files.len()), family.clone()));
    Ok(families)
}

/// A folder that holds one history, as those of real documents are kept.
fn history(texts: impl Iterator<Item = String>) -> Result<TempDir> {
    let folder = tempfile::tempdir()?;
    let mut manifest = "family\tversion\tfile\n".to_owned();
    for (version, text) in (1..).zip(texts) {
        fs::write(folder.path().join(format!("{version}.md")), text)?;
        manifest += &format!("renamed\t{version}\t{version}.md\n");
    }
    fs::write(folder.path().join("MANIFEST.tsv"), manifest)?;
    Ok(folder)
}

/// One answer must hold all versions, and each link from one to the next.
fn found_whole(
    name: &str,
    folder: &Path,
    versions: usize,
    figures: &mut Figures<'_>,
) -> Result<()> {
    let histories = [folder.to_owned()];
    let found = measure_with(&histories, Times::Told)?;
    let withheld = measure_with(&histories, Times::Withheld)?;
    let count = f64::from;
    let columns = [
        ("versions", versions as f64, ""),
        ("families", count(found.families), ""),
        ("links of different texts", count(found.links), ""),
        ("of these edges", count(found.edges), ""),
        ("families, times withheld", count(withheld.families), ""),
        ("edges", count(withheld.edges), ""),
    ];
    figures.row(name, &columns)?;
    let families = found.families.max(withheld.families);
    ensure!(
        families == 1,
        "{name}: its versions are in {families} families"
    );
    ensure!(
        found.edges == found.links,
        "{name}: {} of {} links are edges",
        found.edges,
        found.links
    );
    Ok(())
}
