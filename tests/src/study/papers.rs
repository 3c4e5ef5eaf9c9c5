//! The experiments of the papers as studies: each prints its table and draws its figure.
//!
//! Texts are taken in the papers' own form: white space is collapsed (Ye et al. 2008, §4.2), nothing
//! is folded. Edits follow from a seed, so a study gives the same figures in every run.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use simdex_signature::laboratory::{
    Method, Recipe, RecipeSignature, ShingleUnit, Shingling, Signer, similarity,
};

use super::Settings;
use crate::corpus::Random;
use crate::near_duplicates::{Spread, insert_a, remove_words};
use crate::plot::{Plot, Scale, Series};

pub(super) mod cherkasova_fig11;
pub(super) mod cherkasova_fig2;
pub(super) mod cherkasova_fig3;
pub(super) mod cherkasova_fig5;
pub(super) mod cherkasova_fig7;
pub(super) mod cherkasova_fig9;
mod derived;
pub(super) mod ignatov;
pub(super) mod ignatov_images;
pub(super) mod ignatov_table4;
pub(super) mod lexical;
pub(super) mod mod_n_error;
mod pair_counts;
pub(super) mod sketch_families;
pub(super) mod text_forms;
pub(super) mod units;
pub(super) mod ye;
pub(super) mod ye_recall;
pub(super) mod ye_text;
pub(super) mod ye_width;

/// Of all edits.
const SEED: u64 = 2009;

/// A document of a study.
pub(super) struct Text {
    name: String,
    pub(super) text: String,
}

impl Text {
    /// The folder that it lies in, of those below the one that was asked for.
    pub(super) fn folder(&self) -> Option<&str> {
        self.name.rsplit_once('/').map(|(folder, _)| folder)
    }
}

/// The texts of a folder and all folders below it, with collapsed white space, the shortest first.
fn texts(settings: &Settings, folder: &str, ending: &str) -> Result<Vec<Text>> {
    let mut texts = originals(settings, folder, ending)?;
    for text in &mut texts {
        text.text = text.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    texts.sort_by(|a, b| (a.text.len(), &a.name).cmp(&(b.text.len(), &b.name)));
    Ok(texts)
}

/// Real texts and copies that the generator makes of some of them.
pub(super) fn derived_texts(settings: &Settings) -> Result<Vec<String>> {
    let documents = derived::Derived::of(settings)?.documents.into_iter();
    Ok(documents.map(|document| document.text).collect())
}

/// The texts as they are, by name.
pub(super) fn originals(settings: &Settings, folder: &str, ending: &str) -> Result<Vec<Text>> {
    let folder = settings.folder(folder)?;
    let mut texts = Vec::new();
    gather((&folder, &folder), ending, &mut texts)?;
    ensure!(
        texts.len() > 1,
        "fewer than two .{ending} texts in {}",
        folder.display()
    );
    texts.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(texts)
}

/// Texts of a folder, named by their paths from the one above it that was asked for.
fn gather((folder, top): (&Path, &Path), ending: &str, texts: &mut Vec<Text>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            gather((&path, top), ending, texts)?;
        } else if path.extension().is_some_and(|e| e == ending) {
            let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
            texts.push(Text {
                name: super::shown(&path, top),
                text: String::from_utf8_lossy(&bytes).into_owned(),
            });
        }
    }
    Ok(())
}

/// What is done to a text, i times.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edit {
    Insert,
    Remove,
}

/// Every text with so many edits.
fn edited(texts: &[Text], edit: Edit, times: usize, spread: Spread) -> Vec<String> {
    let texts = texts.iter().zip((times as u64) << 32..);
    let edited = texts.map(|(text, stream)| {
        let random = &mut Random::new(SEED, stream);
        match edit {
            Edit::Insert => insert_a(&text.text, times, spread, random),
            Edit::Remove => remove_words(&text.text, times, spread, random),
        }
    });
    edited.collect()
}

/// A signer of byte windows.
fn signer(method: Method, window: u16) -> Result<Signer> {
    let shingling = Shingling::new(ShingleUnit::Bytes, window, 1)?;
    Ok(Signer::new(Recipe { method, shingling })?)
}

/// The signatures of texts.
fn signed(signer: &Signer, texts: &[Text]) -> Vec<RecipeSignature> {
    texts.iter().map(|text| signer.sign(&text.text)).collect()
}

/// The resemblance of each text, signed, to its edited copy.
fn resemblances(
    signer: &Signer,
    signed: &[RecipeSignature],
    copies: &[String],
) -> Result<Vec<f64>> {
    let pairs = signed.iter().zip(copies);
    pairs
        .map(|(signed, copy)| similar(signed, &signer.sign(copy)))
        .collect()
}

/// The resemblance two signatures show; 0 where they show none.
fn similar(a: &RecipeSignature, b: &RecipeSignature) -> Result<f64> {
    Ok(similarity(a, b)?.map_or(0.0, |found| found.get()))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The square root of the mean square.
fn root_mean_square(values: impl Iterator<Item = f64>) -> f64 {
    let squares: Vec<f64> = values.map(|value| value * value).collect();
    mean(&squares).sqrt()
}

/// Values in order, each with the share of values up to it.
fn distribution(mut values: Vec<f64>) -> Vec<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let all = values.len() as f64;
    let shares = (1..).map(|count| f64::from(count) / all);
    thinned(values.into_iter().zip(shares).collect())
}

/// As many points as a figure shows, some hundreds, and the last one.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(400).max(1);
    let last = points.last().copied();
    points.into_iter().step_by(step).chain(last).collect()
}

/// Draws a figure into the folder of figures.
fn draw(
    settings: &Settings,
    name: &str,
    title: &str,
    axes: (&str, &str),
    series: Vec<Series>,
) -> Result<()> {
    draw_to_scale(settings, name, title, axes, (Scale::Linear, series))
}

/// Draws lines like [`draw`], with a vertical axis of this scale.
fn draw_to_scale(
    settings: &Settings,
    name: &str,
    title: &str,
    axes: (&str, &str),
    (scale, series): (Scale, Vec<Series>),
) -> Result<()> {
    let plot = Plot {
        title: title.to_owned(),
        across: axes.0.to_owned(),
        up: axes.1.to_owned(),
        scale,
        series,
    };
    fs::create_dir_all(&settings.figures)?;
    let path = settings.figures.join(name).with_extension("svg");
    fs::write(&path, plot.svg()).with_context(|| path.display().to_string())
}

fn series(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
    Series {
        name: name.into(),
        points,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_named_by_their_paths_from_the_folder_asked_for() {
        let corpus = tempfile::tempdir().unwrap();
        fs::create_dir_all(corpus.path().join("all/one")).unwrap();
        for name in ["all/one/a.md", "all/b.md", "all/c.txt"] {
            fs::write(corpus.path().join(name), "x").unwrap();
        }
        let settings = Settings {
            corpus: Some(corpus.path().to_owned()),
            ..Settings::default()
        };
        let texts = originals(&settings, "all", "md").unwrap();
        let folders: Vec<_> = texts.iter().map(Text::folder).collect();
        assert_eq!(folders, [None, Some("one")]);
    }
}
