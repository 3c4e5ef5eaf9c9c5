//! Ignatov, Jánosi-Rancz and Kuznetsov 2009, Tables 2 and 3, and the conclusions on shingle length
//! (§5): pairs found by description units in common, against a list of pairs.
//!
//! The list is that of a generated collection, true by the way it was made. The paper's clusters are
//! maximal sets of documents with k units in common; two documents are in one exactly if the two have
//! k units in common, so pairs are counted from these.

use std::collections::BTreeSet;

use anyhow::Result;
use simdex_signature::laboratory::{
    Family, Method, Order, Recipe, RecipeSignature, ShingleUnit, Shingling, Signer, agreeing,
};

use super::{SEED, draw, originals, series};
use crate::evaluation::{Agreement, Pairs};
use crate::figure::Figures;
use crate::near_duplicates::{Collection, Document, Operation};
use crate::study::Settings;

/// Pairs of each disagreement that are listed.
const REVIEWED: usize = 3;

/// "n minimal elements in a permutation": 100 units of 20-word shingles, 150 of 10-word ones.
pub(crate) fn table2(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let collection = collection(settings, figures)?;
    let tables = [
        (least_of_one(100), 20, &[100, 95, 90, 85][..]),
        (least_of_one(150), 10, &[150, 145, 140, 135, 130, 125]),
    ];
    tables_of(settings, "ignatov-table2", &collection, &tables, figures)
}

/// "Minimal elements in n permutations": 100 units of 20-word shingles.
pub(crate) fn table3(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let collection = collection(settings, figures)?;
    let tables = [(least_of_each(100), 20, &[100, 95, 90, 85][..])];
    tables_of(settings, "ignatov-table3", &collection, &tables, figures)
}

/// Prints tables and draws what they find of the list.
fn tables_of(
    settings: &Settings,
    name: &str,
    collection: &Collection,
    tables: &[(Method, u16, &[u64])],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let mut lines = Vec::new();
    for (method, length, thresholds) in tables {
        let points = table(collection, *method, *length, thresholds, figures)?;
        lines.push(series(format!("{length} words"), points));
    }
    let axes = ("units in common", "found of the list's pairs, %");
    draw(
        settings,
        name,
        "Pairs of the list by units in common",
        axes,
        lines,
    )
}

/// Lengths of 5 to 20 words and both methods: F1 by threshold.
pub(crate) fn lengths(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let collection = collection(settings, figures)?;
    let list = Pairs::new(collection.pairs());
    let mut lines = Vec::new();
    for length in [5, 10, 15, 20] {
        for (method, name) in [(least_of_one(100), "one"), (least_of_each(100), "each")] {
            let signed = signed(&collection, method, length)?;
            let mut points = Vec::new();
            for least in (5..=100).rev().step_by(5) {
                let agreement = Agreement::of(&list, &found(&collection, &signed, least)?);
                points.push((least as f64, agreement.f1().unwrap_or(0.0)));
            }
            let at = |least: f64| {
                points
                    .iter()
                    .find(|(t, _)| *t == least)
                    .map_or(0.0, |p| p.1)
            };
            let columns = [
                ("F1 at 85", at(85.0), ""),
                ("at 50", at(50.0), ""),
                ("at 20", at(20.0), ""),
            ];
            figures.row(&format!("{length} words, {name}"), &columns)?;
            lines.push(series(format!("{length} words, {name}"), points));
        }
    }
    figures.note("the paper: length 10 is nearest to the list, the two methods differ little")?;
    draw(
        settings,
        "ignatov-lengths",
        "F1 by units in common, of 100",
        ("units in common", "F1"),
        lines,
    )
}

fn least_of_one(n: u32) -> Method {
    Method::MinN {
        n,
        order: Order::Matrix { seed: SEED },
    }
}

fn least_of_each(n: u32) -> Method {
    Method::SketchN {
        n,
        family: Family::Matrices { seed: SEED },
    }
}

/// The 30 shortest of the long texts with eleven copies each: every operation alone, light and
/// heavy, and a chain.
fn collection(settings: &Settings, figures: &mut Figures<'_>) -> Result<Collection> {
    let mut texts = originals(settings, "long", "txt")?;
    texts.sort_by_key(|text| text.text.len());
    let originals = texts.into_iter().take(30).map(|text| Document {
        name: text.name,
        text: text.text,
    });
    let originals: Vec<Document> = originals.collect();
    let collection = Collection::generate(&originals, &chains(), SEED);
    let (documents, pairs) = (collection.documents.len(), collection.pairs().len());
    figures.put("documents", documents as f64, "")?;
    figures.put("pairs on the list", pairs as f64, "")?;
    Ok(collection)
}

/// What is done to each text: every operation alone, light and heavy, and three of them.
pub(super) fn chains() -> Vec<Vec<Operation>> {
    let replace = |percent| Operation::Replace { percent };
    let delete = |percent| Operation::Delete { percent };
    let repeat = Operation::Repeat {
        paragraphs: 2,
        times: 2,
    };
    let pairs = vec![('q', 'k'), ('z', 's')];
    vec![
        vec![Operation::Reorder { percent: 30.0 }],
        vec![Operation::Reorder { percent: 100.0 }],
        vec![delete(10.0)],
        vec![delete(30.0)],
        vec![Operation::Add { percent: 10.0 }],
        vec![Operation::Add { percent: 30.0 }],
        vec![replace(0.5)],
        vec![replace(3.0)],
        vec![repeat.clone()],
        vec![Operation::Characters { pairs }],
        vec![delete(10.0), replace(0.5), repeat],
    ]
}

fn signed(collection: &Collection, method: Method, length: u16) -> Result<Vec<RecipeSignature>> {
    let shingling = Shingling::new(ShingleUnit::Words, length, 1)?;
    let signer = Signer::new(Recipe { method, shingling })?;
    Ok(collection
        .documents
        .iter()
        .map(|document| signer.sign(&document.text))
        .collect())
}

/// The pairs with this many units in common.
fn found(collection: &Collection, signed: &[RecipeSignature], least: u64) -> Result<Pairs> {
    let mut found = BTreeSet::new();
    for b in 0..signed.len() {
        for a in 0..b {
            if agreeing(&signed[a], &signed[b])? >= least {
                let name = |at: usize| collection.documents[at].name.clone();
                found.insert((name(a), name(b)));
            }
        }
    }
    Ok(Pairs::new(found))
}

fn table(
    collection: &Collection,
    method: Method,
    length: u16,
    thresholds: &[u64],
    figures: &mut Figures<'_>,
) -> Result<Vec<(f64, f64)>> {
    let list = Pairs::new(collection.pairs());
    let signed = signed(collection, method, length)?;
    let mut points = Vec::new();
    for &least in thresholds {
        let agreement = Agreement::of(&list, &found(collection, &signed, least)?);
        let [in_list, found, missed, extra, common] = agreement.counts().map(|count| count as f64);
        let columns = [
            ("list", in_list, ""),
            ("found", found, ""),
            ("list alone", missed, ""),
            ("found alone", extra, ""),
            ("common", common, ""),
        ];
        figures.row(&format!("{length} words, {least} in common"), &columns)?;
        points.push((least as f64, 100.0 * common / in_list.max(1.0)));
        for (what, pairs) in [
            ("found alone", &agreement.extra),
            ("list alone", &agreement.missed),
        ] {
            for (a, b) in pairs.iter().take(REVIEWED) {
                figures.note(&format!("  for review, {what}: {a} and {b}"))?;
            }
        }
    }
    Ok(points)
}
