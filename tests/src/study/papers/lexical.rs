//! The lexical methods that the papers name beside their own, over our texts: the ranking of versions by the identity
//! measure of Hoad and Zobel 2003 (Cherkasova et al. 2009, §7), beside COPS, SCAM, the lexical image and shingles; and the
//! stability of I-Match with one lexicon and with randomised ones (Kolcz et al. 2004; Ignatov et al. 2009, §1).

use std::collections::BTreeSet;

use anyhow::Result;
use simdex_signature::laboratory::ShingleUnit;

use super::derived::{Derived, containment, shingles};
use super::{Edit, Text, draw, edited, mean, series, texts};
use crate::evaluation::{Agreement, Pairs};
use crate::figure::Figures;
use crate::near_duplicates::{Document, Spread};
use crate::study::Settings;
use crate::study::baselines::i_match::{Lexicons, is_match};
use crate::study::baselines::image::Dictionary;
use crate::study::baselines::{Statistics, identity, image, overlap};

/// Words that are in this many documents are in the lexicon.
const BAND: std::ops::RangeInclusive<u64> = 3..=200;
/// Words that occur so often are in the dictionary of lexical images.
const IMAGE_BAND: std::ops::RangeInclusive<u64> = 5..=2_000;
/// Lexicons beside the first, and the share of words that each leaves out (Kolcz et al. 2004 use about as many).
const LEXICONS: usize = 10;
const LEFT_OUT: f64 = 0.3;
/// Words that are removed from a text.
const EDITS: [usize; 6] = [1, 2, 5, 10, 20, 50];
/// Notes that stability is tried on.
const NOTES: usize = 500;

/// A measure of two texts: how strongly it indicates that the second was made from the first.
type Measure<'a> = Box<dyn Fn(usize, usize) -> f64 + 'a>;

/// Derivatives of one query ranked among all documents.
pub(crate) fn ranking(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let derived = Derived::of(settings)?;
    let documents: Vec<&str> = derived.documents.iter().map(|d| d.text.as_str()).collect();
    let statistics = Statistics::of(documents.iter().copied());
    let dictionary = Dictionary::new(&statistics, IMAGE_BAND);
    let images: Vec<_> = documents
        .iter()
        .map(|text| dictionary.image(text))
        .collect();
    let sets = documents
        .iter()
        .map(|text| shingles(text, ShingleUnit::Words, 5));
    let sets = sets.collect::<Result<Vec<_>>>()?;
    let measures: [(&str, Measure<'_>); 5] = [
        (
            "identity (Hoad, Zobel)",
            Box::new(|q, d| identity::score(documents[q], documents[d], &statistics)),
        ),
        (
            "COPS, sentences",
            Box::new(|q, d| overlap::cops(documents[q], documents[d]).unwrap_or(0.0)),
        ),
        (
            "SCAM, words",
            Box::new(|q, d| overlap::scam(documents[q], documents[d]).unwrap_or(0.0)),
        ),
        (
            "lexical image",
            Box::new(|q, d| image::resemblance(&images[q], &images[d]).unwrap_or(0.0)),
        ),
        (
            "containment, 5 words",
            Box::new(|q, d| containment(&sets[q], &sets[d])),
        ),
    ];
    for (name, measure) in &measures {
        let ranks = ranks(&derived, measure);
        let first = ranks.iter().filter(|rank| **rank == 1.0).count() as f64;
        let columns = [
            ("mean rank", mean(&ranks), ""),
            (
                "before every other",
                100.0 * first / ranks.len().max(1) as f64,
                "%",
            ),
        ];
        figures.row(name, &columns)?;
    }
    Ok(figures.note("rank 1: no document of another origin stands before the copy")?)
}

/// The rank of every copy of every query: one more than the documents of other origins that rank above it.
fn ranks(derived: &Derived, measure: &Measure<'_>) -> Vec<f64> {
    let names: Vec<&str> = derived.documents.iter().map(|d| d.name.as_str()).collect();
    // Copies are named after what they were made of: "name~3".
    let origin = |at: usize| names[at].split('~').next().unwrap_or_default();
    let queries = (0..names.len()).filter(|at| {
        let is_copied = |other: usize| other != *at && origin(other) == names[*at];
        !names[*at].contains('~') && (0..names.len()).any(is_copied)
    });
    let mut ranks = Vec::new();
    for query in queries {
        let scores: Vec<f64> = (0..names.len()).map(|at| measure(query, at)).collect();
        let (own, others): (Vec<usize>, Vec<usize>) = (0..names.len())
            .filter(|at| *at != query)
            .partition(|at| origin(*at) == names[query]);
        for copy in own {
            let above = others
                .iter()
                .filter(|other| scores[**other] >= scores[copy]);
            ranks.push(1.0 + above.count() as f64);
        }
    }
    ranks
}

/// The share of texts that still match after edits.
pub(crate) fn stability(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let mut notes = texts(settings, "short", "md")?;
    let step = notes.len().div_ceil(NOTES).max(1);
    notes = notes.into_iter().step_by(step).collect();
    let statistics = Statistics::of(notes.iter().map(|text| text.text.as_str()));
    let plain = Lexicons::plain(&statistics, BAND);
    let randomised = plain.clone().randomised(LEXICONS, LEFT_OUT, super::SEED);
    let mut lines = Vec::new();
    for (name, lexicons) in [("I-Match", &plain), ("randomised lexicons", &randomised)] {
        let points = EDITS.map(|edits| (edits as f64, survivors(&notes, lexicons, edits)));
        let names = EDITS.map(|edits| format!("{edits} removed"));
        let columns: Vec<_> = names
            .iter()
            .zip(points)
            .map(|(name, (_, share))| (name.as_str(), 100.0 * share, "%"))
            .collect();
        figures.row(name, &columns)?;
        figures.put(
            &format!("{name}: pairs of notes that match"),
            matching(&notes, lexicons),
            "",
        )?;
        lines.push(series(name, points.to_vec()));
    }
    let by_shingles = EDITS.map(|edits| by_shingles(&notes, edits));
    let mut points = Vec::new();
    for (edits, share) in EDITS.iter().zip(by_shingles) {
        points.push((*edits as f64, share?));
    }
    let names = EDITS.map(|edits| format!("{edits} removed"));
    let shares = names.iter().zip(&points);
    let columns: Vec<_> = shares
        .map(|(name, (_, share))| (name.as_str(), 100.0 * share, "%"))
        .collect();
    figures.row("5 words, resemblance 0.5", &columns)?;
    lines.push(series("5 words, resemblance 0.5", points));
    figures.note("Kolcz et al.: randomised lexicons survive more edits than one lexicon")?;
    pairs_of_a_list(settings, figures)?;
    let axes = ("words removed", "texts that still match");
    draw(
        settings,
        "i-match-stability",
        "Stability under edits",
        axes,
        lines,
    )
}

/// What I-Match finds of a list of copies, made in all ways, beside shingles: it is as precise, and finds fewer pairs.
fn pairs_of_a_list(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let derived = Derived::of(settings)?;
    let documents = &derived.documents;
    let statistics = Statistics::of(documents.iter().map(|document| document.text.as_str()));
    let plain = Lexicons::plain(&statistics, BAND);
    let randomised = plain.clone().randomised(LEXICONS, LEFT_OUT, super::SEED);
    let words = documents
        .iter()
        .map(|document| shingles(&document.text, ShingleUnit::Words, 5));
    let [half, most] = derived.found(&words.collect::<Result<Vec<_>>>()?, [0.5, 0.8]);
    for (name, found) in [
        ("I-Match", matched(documents, &plain)),
        ("randomised lexicons", matched(documents, &randomised)),
        ("5 words, resemblance 0.5", half),
        ("5 words, resemblance 0.8", most),
    ] {
        let agreement = Agreement::of(&derived.list, &found);
        let [in_list, found, _, _, common] = agreement.counts().map(|count| count as f64);
        let columns = [
            ("pairs", found, ""),
            ("precision", common / found, ""),
            ("recall", common / in_list, ""),
        ];
        figures.row(&format!("of a list, {name}"), &columns)?;
    }
    Ok(())
}

/// The pairs of documents that match.
fn matched(documents: &[Document], lexicons: &Lexicons) -> Pairs {
    let hashes: Vec<_> = documents
        .iter()
        .map(|document| lexicons.sign(&document.text))
        .collect();
    let all = (0..hashes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let found = all.filter(|(a, b)| is_match(&hashes[*a], &hashes[*b]));
    let name = |at: usize| documents[at].name.clone();
    Pairs::new(found.map(|(a, b)| (name(a), name(b))))
}

/// The share of texts that match a copy with this many words removed.
fn survivors(notes: &[Text], lexicons: &Lexicons, edits: usize) -> f64 {
    let copies = edited(notes, Edit::Remove, edits, Spread::Random);
    let matching = notes
        .iter()
        .zip(&copies)
        .filter(|(text, copy)| is_match(&lexicons.sign(&text.text), &lexicons.sign(copy)));
    matching.count() as f64 / notes.len().max(1) as f64
}

/// The measure by shingles.
fn by_shingles(notes: &[Text], edits: usize) -> Result<f64> {
    let copies = edited(notes, Edit::Remove, edits, Spread::Random);
    let mut similar = 0;
    for (text, copy) in notes.iter().zip(&copies) {
        let [a, b] = [&text.text, copy].map(|text| shingles(text, ShingleUnit::Words, 5));
        similar += usize::from(super::derived::resemblance(&a?, &b?) >= 0.5);
    }
    Ok(f64::from(similar as u32) / notes.len().max(1) as f64)
}

/// Pairs of different texts that match all the same.
fn matching(notes: &[Text], lexicons: &Lexicons) -> f64 {
    let texts: BTreeSet<&str> = notes.iter().map(|text| text.text.as_str()).collect();
    let hashes: Vec<_> = texts.iter().map(|text| lexicons.sign(text)).collect();
    let pairs = (0..hashes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs
        .filter(|(a, b)| is_match(&hashes[*a], &hashes[*b]))
        .count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_texts_of_one_hash_match_and_copies_of_one_text_are_no_pair() {
        let note = |text: &str| Text {
            name: String::new(),
            text: text.to_owned(),
        };
        let notes = ["Red pens.", "pens red", "pens red", "blue pens"].map(note);
        let statistics = Statistics::of(notes.iter().map(|text| text.text.as_str()));
        let lexicons = Lexicons::plain(&statistics, 1..=9);
        assert_eq!(matching(&notes, &lexicons), 1.0);
    }

    #[test]
    fn a_copy_ranks_behind_the_others_that_score_as_much() {
        let named = |name: &str| Document {
            name: name.to_owned(),
            text: String::new(),
        };
        let derived = Derived {
            documents: ["a", "a~1", "a~2", "b", "c"].map(named).to_vec(),
            list: Pairs::default(),
        };
        let scores = [1.0, 0.9, 0.2, 0.5, 0.2];
        let measure: Measure<'_> = Box::new(move |_, at| scores[at]);
        assert_eq!(ranks(&derived, &measure), [1.0, 3.0]);
    }
}
