//! Cherkasova et al. 2009, §7, and Ye, Wen and Ma 2008, §2.1: what overlap shingles of other units see. Coarser units
//! miss more of it, since one changed word changes the whole unit. And ibid. §4: which windows of bytes and
//! of words are equivalent ("a 10-word shingle is 80 to 100 bytes, a 5-word one 40 to 50").

use anyhow::Result;
use simdex_signature::laboratory::{
    Method, Recipe, ShingleUnit, Shingling, Signer, agreeing, containment,
};

use super::derived::resemblance;
use super::{Edit, Text, draw, edited, mean, originals, series, texts};
use crate::figure::Figures;
use crate::near_duplicates::Spread;
use crate::study::Settings;

/// What is compared, the finest first: name, unit, length.
const UNITS: [(&str, ShingleUnit, u16); 8] = [
    ("20 bytes", ShingleUnit::Bytes, 20),
    ("5 words", ShingleUnit::Words, 5),
    ("45 bytes", ShingleUnit::Bytes, 45),
    ("10 words", ShingleUnit::Words, 10),
    ("90 bytes", ShingleUnit::Bytes, 90),
    ("1 sentence", ShingleUnit::Sentences, 1),
    ("1 line", ShingleUnit::Lines, 1),
    ("4 lines", ShingleUnit::Lines, 4),
];
/// Words that are removed from a text.
const EDITS: [usize; 4] = [1, 10, 50, 200];

/// Overlap by unit, of texts with words removed and of excerpts; then lengths and equivalence.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    // Lines as they are: collapsed white space would leave one.
    let long = originals(settings, "long", "txt")?;
    let mut lines = Vec::new();
    for (name, unit, length) in UNITS {
        let signer = signer(Method::mod_n(1), unit, length)?;
        let points = overlap(&long, &signer, name, figures)?;
        lines.push(series(name, points));
    }
    whole_chunks(&long, figures)?;
    side_by_side(&long, figures)?;
    in_common(&long, figures)?;
    ten_edits(settings, figures)?;
    figures.note(
        "an excerpt is the middle tenth of a text, from within a line and a word to within another",
    )?;
    draw(
        settings,
        "units",
        "Resemblance after words were removed",
        ("words removed", "resemblance"),
        lines,
    )?;
    equivalence(settings, figures)
}

fn signer(method: Method, unit: ShingleUnit, length: u16) -> Result<Signer> {
    let shingling = Shingling::new(unit, length, 1)?;
    Ok(Signer::new(Recipe { method, shingling })?)
}

/// The traditional chunks, compared whole, and schemes that sample as many windows.
fn whole_chunks(long: &[Text], figures: &mut Figures<'_>) -> Result<()> {
    for (name, method) in [
        ("chunks of 1 KB", Method::WholeChunks { n: 1_024 }),
        ("least window of each", Method::BswN { n: 1_024 }),
        ("one window of 1,024", Method::mod_n(1_024)),
    ] {
        let signer = signer(method, ShingleUnit::Bytes, 20)?;
        overlap(long, &signer, name, figures)?;
    }
    Ok(())
}

/// Shingles of fixed length that do not overlap, the cheapest of the policies: a word removed shifts all after it.
fn side_by_side(long: &[Text], figures: &mut Figures<'_>) -> Result<()> {
    for (name, unit, length) in [
        ("10 words side by side", ShingleUnit::Words, 10),
        ("1 KB side by side", ShingleUnit::Bytes, 1_024),
    ] {
        let shingling = Shingling::new(unit, length, length)?;
        let signer = Signer::new(Recipe {
            method: Method::mod_n(1),
            shingling,
        })?;
        overlap(long, &signer, name, figures)?;
    }
    Ok(())
}

/// Texts that still have so many shingles of lines in common with their copies, after Shivakumar and Garcia-Molina 1998
/// and Cho et al. 2000 (Ye et al. 2008, table 1).
fn in_common(long: &[Text], figures: &mut Figures<'_>) -> Result<()> {
    for (name, lines, least) in [
        ("25 times 2 lines in common", 2, 25),
        ("15 times 4 lines in common", 4, 15),
    ] {
        let signer = signer(Method::mod_n(1), ShingleUnit::Lines, lines)?;
        let signed: Vec<_> = long.iter().map(|text| signer.sign(&text.text)).collect();
        let found = |copies: &[String]| -> Result<f64> {
            let found = signed.iter().zip(copies).map(|(signed, copy)| {
                let common = agreeing(signed, &signer.sign(copy))?;
                anyhow::Ok(f64::from(u8::from(common >= least)))
            });
            Ok(mean(&found.collect::<Result<Vec<_>>>()?))
        };
        let removed = EDITS.map(|edits| edited(long, Edit::Remove, edits, Spread::Random));
        let excerpts: Vec<String> = long.iter().map(|text| middle(&text.text).into()).collect();
        let names = [
            "1 removed",
            "10 removed",
            "50 removed",
            "200 removed",
            "excerpt",
        ];
        let copies = removed.iter().chain([&excerpts]);
        let columns = names
            .into_iter()
            .zip(copies)
            .map(|(name, copies)| Ok((name, found(copies)?, "")));
        figures.row(name, &columns.collect::<Result<Vec<_>>>()?)?;
    }
    Ok(())
}

/// Entries that ten tiny edits in 2 KB leave of 20 whole chunks, and of the minima of as many stretches (Cherkasova et
/// al. 2009, §2).
fn ten_edits(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let mut texts = texts(settings, "long", "txt")?;
    for text in &mut texts {
        text.text.truncate(text.text.floor_char_boundary(2_048));
    }
    let copies = edited(&texts, Edit::Insert, 10, Spread::Uniform);
    let changed = |method| -> Result<f64> {
        let signer = signer(method, ShingleUnit::Bytes, 20)?;
        let shares = texts.iter().zip(&copies).map(|(text, copy)| {
            let (text, copy) = (signer.sign(&text.text), signer.sign(copy));
            let kept = agreeing(&text, &copy)? as f64 / text.len().max(1) as f64;
            anyhow::Ok(1.0 - kept)
        });
        Ok(mean(&shares.collect::<Result<Vec<_>>>()?))
    };
    let columns = [
        (
            "whole chunks",
            100.0 * changed(Method::WholeChunks { n: 100 })?,
            "%",
        ),
        (
            "bsw_n, n = 100",
            100.0 * changed(Method::BswN { n: 100 })?,
            "%",
        ),
    ];
    Ok(figures.row("entries changed by 10 edits of 2 KB", &columns)?)
}

/// One row: the mean resemblance after edits, and how much of an excerpt is seen in its text.
fn overlap(
    texts: &[Text],
    signer: &Signer,
    name: &str,
    figures: &mut Figures<'_>,
) -> Result<Vec<(f64, f64)>> {
    let signed: Vec<_> = texts.iter().map(|text| signer.sign(&text.text)).collect();
    let (mut columns, mut points) = (Vec::new(), Vec::new());
    for edits in EDITS {
        let copies = edited(texts, Edit::Remove, edits, Spread::Random);
        let seen = mean(&super::resemblances(signer, &signed, &copies)?);
        columns.push((format!("{edits} removed"), seen));
        points.push((edits as f64, seen));
    }
    let excerpts = texts.iter().zip(&signed).map(|(text, signed)| {
        let part = signer.sign(middle(&text.text));
        anyhow::Ok(containment(&part, signed)?.map_or(0.0, |found| found.value.get()))
    });
    columns.push((
        "excerpt".to_owned(),
        mean(&excerpts.collect::<Result<Vec<_>>>()?),
    ));
    let columns: Vec<_> = columns
        .iter()
        .map(|(name, seen)| (name.as_str(), *seen, ""))
        .collect();
    figures.row(name, &columns)?;
    Ok(points)
}

/// The middle tenth of a text.
fn middle(text: &str) -> &str {
    let at = |share: f64| text.floor_char_boundary((text.len() as f64 * share) as usize);
    &text[at(0.45)..at(0.55)]
}

/// Bytes of a shingle of words, and how far its resemblances are from those by bytes.
fn equivalence(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let texts = texts(settings, "long", "txt")?;
    for (words, bytes) in [(5, [30, 40, 50]), (10, [60, 80, 100])] {
        let lengths = texts.iter().map(|text| {
            let count = text.text.split(' ').count();
            (text.text.len() + 1) as f64 / count as f64
        });
        let length = mean(&lengths.collect::<Vec<_>>()) * f64::from(words) - 1.0;
        figures.put(&format!("mean length of {words} words"), length, "bytes")?;
        let by_words = after_edits(&texts, ShingleUnit::Words, words)?;
        for width in bytes {
            let by_bytes = after_edits(&texts, ShingleUnit::Bytes, width)?;
            let apart = by_words.iter().zip(&by_bytes).map(|(a, b)| a - b);
            let columns = [("mean difference", mean(&apart.collect::<Vec<_>>()), "")];
            figures.row(&format!("{words} words and {width} bytes"), &columns)?;
        }
    }
    Ok(figures.note("the paper: 10 words are 80 to 100 bytes, 5 words 40 to 50")?)
}

/// The exact resemblances of all texts to copies with words removed.
fn after_edits(texts: &[Text], unit: ShingleUnit, length: u16) -> Result<Vec<f64>> {
    let mut found = Vec::new();
    for edits in EDITS {
        let copies = edited(texts, Edit::Remove, edits, Spread::Random);
        for (text, copy) in texts.iter().zip(&copies) {
            let [a, b] =
                [&text.text, copy].map(|text| super::derived::shingles(text, unit, length));
            found.push(resemblance(&a?, &b?));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_text_is_a_tenth_of_it() {
        let text = "é".repeat(1_000);
        let found = middle(&text).len();
        assert!((198..=202).contains(&found), "{found}");
    }
}
