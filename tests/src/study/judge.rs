//! Studies of the judgement: its table of terms, its model, and the tables of Huffman et al. 2007.

use anyhow::Result;
use simdex_judge::evaluation::{SourcedPair, Spread, Validated, nine_seeds};
use simdex_judge::training::Growth;
use simdex_judge::{Class, Signal};

use super::Settings;
use crate::acceptance::files_below;
use crate::figure::Figures;
use crate::labelled::{Body, Document, LabelledPair, Tongue, generated, measured, real, sources};

mod columns;
pub(super) mod cost;
pub(super) mod growth;
mod held_out;
pub(super) mod languages;
pub(super) mod model;
mod rendering;
mod ripper;
pub(super) mod rules;
#[cfg(test)]
mod shipped;
pub(super) mod sites;
pub(super) mod table1;
pub(super) mod table2;
pub(super) mod terms;

/// The labelled pairs.
const SEED: u64 = 2007;
/// Generated texts that go through all cases.
const TEXTS: u64 = 150;
/// Pairs of one template of each folder.
const TEMPLATES: usize = 400;
/// Folders of revision histories.
const HISTORIES: [&str; 3] = [
    "../histories/peps",
    "versions/policies",
    "versions/site-policy",
];

/// All labelled pairs: generated ones, and those of real documents where they are.
fn labelled(settings: &Settings, figures: &mut Figures<'_>) -> Result<Vec<LabelledPair>> {
    let mut pairs = generated::pairs(SEED, TEXTS, Tongue::English);
    if let Err(error) = of_real_documents(settings, &mut pairs) {
        figures.note(&format!("generated pairs alone: {error:#}"))?;
    }
    sources::part(&mut pairs);
    Ok(pairs)
}

fn of_real_documents(settings: &Settings, pairs: &mut Vec<LabelledPair>) -> Result<()> {
    let mut sources = 1_000_000..;
    let mut next = || sources.next().unwrap_or_default();
    let mut latest = Vec::new();
    for folder in HISTORIES {
        for history in real::histories(&settings.folder(folder)?)? {
            pairs.extend(real::of_history(&history, next()));
            latest.extend(
                history
                    .versions
                    .last()
                    .filter(|text| text.len() < 120_000)
                    .cloned(),
            );
        }
    }
    let errors = real::texts(&settings.folder("short/cpp-docs")?, "md")?;
    let notices = real::texts(&settings.folder("short/rustsec")?, "md")?;
    let long = real::texts(&settings.folder("long")?, "txt")?;
    let templates = [next(), next()];
    pairs.extend(real::of_template(
        &errors,
        "error page",
        templates[0],
        TEMPLATES,
    ));
    pairs.extend(real::of_template(
        &notices,
        "notice",
        templates[1],
        TEMPLATES,
    ));
    for (texts, family) in [
        (&latest, None),
        (&errors, Some(templates[0])),
        (&notices, Some(templates[1])),
        (&long, None),
    ] {
        pairs.extend(real::cases(texts, next(), family));
    }
    pairs.extend(formats(settings, next())?);
    Ok(())
}

/// The kinds of one RFC, as the readers read them.
fn formats(settings: &Settings, source: u64) -> Result<Vec<LabelledPair>> {
    let mut paths = files_below(&settings.folder("crossformat")?)?;
    paths.retain(|path| path.extension().is_some_and(|end| end != "xml"));
    paths.sort();
    let texts = super::extracted::extract(&paths)?;
    let documents: Vec<_> = paths
        .iter()
        .zip(texts.iter().map(|read| Document::new(&read.text)))
        .collect();
    let mut pairs = Vec::new();
    for (at, (path, a)) in documents.iter().enumerate() {
        let others = documents[at + 1..].iter();
        for (_, b) in others.filter(|(other, _)| other.file_stem() == path.file_stem()) {
            pairs.push(LabelledPair {
                kind: "format",
                source: (source << 32) | (at as u64 / 3),
                family: (source << 32) | (at as u64 / 3),
                class: Class::Same,
                documents: [a.clone(), b.clone()],
            });
        }
    }
    Ok(pairs)
}

/// The measured pairs without what they are cases of.
fn sourced(pairs: &[LabelledPair], body: Body) -> Vec<SourcedPair> {
    measured(pairs, body)
        .into_iter()
        .map(|(_, pair)| pair)
        .collect()
}

/// A cross-validation with these signals, for what they tell.
fn validated(pairs: &[SourcedPair], signals: &[Signal]) -> Result<Vec<Validated>> {
    let growth = Growth::of(signals.to_vec());
    Ok(nine_seeds(pairs, &growth, &|| true)?)
}

/// A cross-validation of models that are grown as the shipped one is.
fn validated_as_shipped(pairs: &[SourcedPair]) -> Result<Vec<Validated>> {
    Ok(nine_seeds(pairs, &Growth::default(), &|| true)?)
}

/// One row: precision, recall and F1 of the median run, with the quartiles of F1.
fn put(figures: &mut Figures<'_>, name: &str, runs: &[Validated]) -> Result<()> {
    let spread = Spread::of(runs.iter().map(|run| 100.0 * run.quality.f1()).collect());
    let median = runs.first().map(|run| run.quality).unwrap_or_default();
    let columns = [
        ("P", tenth(100.0 * median.precision()), ""),
        ("R", tenth(100.0 * median.recall()), ""),
        ("F", tenth(100.0 * median.f1()), ""),
        ("from", tenth(spread.lower), ""),
        ("to", tenth(spread.upper), ""),
        ("errors", f64::from(median.errors()), ""),
    ];
    Ok(figures.row(name, &columns)?)
}

/// One decimal, as the paper's tables have it.
fn tenth(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}

/// All signals of the texts.
fn of_texts() -> Vec<Signal> {
    Growth::default().signals
}
