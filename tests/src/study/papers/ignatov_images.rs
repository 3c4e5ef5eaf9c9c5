//! Ignatov et al. 2009, §1: images of fixed, of logarithmic and of linear size ("every nth shingle"). How near each comes
//! to the resemblance of all shingles, and what it keeps.
//!
//! Fixed and logarithmic images keep the smallest fingerprints; those of logarithmic size are compared by the smaller
//! number of both. Linear ones are taken twice: every nth shingle by its place, as the words say, and by its
//! fingerprint, which is Mod_n.

use anyhow::Result;
use simdex_signature::Fingerprint;
use simdex_signature::laboratory::{Method, Recipe, ShingleUnit, Shingler, Shingling, Signer};

use super::derived::{Derived, common, distinct, resemblance, shingles};
use super::{draw, root_mean_square, series};
use crate::figure::Figures;
use crate::study::Settings;

/// Words of a shingle.
const LENGTH: u16 = 10;
/// Fingerprints of an image of fixed size.
const FIXED: usize = 100;
/// Times the binary logarithm of the number of shingles.
const LOGARITHMIC: f64 = 10.0;
/// A linear image keeps one shingle in this many.
const LINEAR: u64 = 25;

/// Makes the image of a text.
type Image = fn(&str) -> Result<Vec<Fingerprint>>;
/// Estimates the resemblance of two texts from their images.
type Estimate = fn(&[Fingerprint], &[Fingerprint]) -> f64;

const IMAGES: [(&str, Image, Estimate); 4] = [
    ("fixed", |text| least(text, |_| FIXED), of_least),
    ("logarithmic", |text| least(text, logarithm), of_least),
    ("linear, by place", every_nth, |a, b| resemblance(a, b)),
    ("linear, by fingerprint (Mod_n)", mod_n, |a, b| {
        resemblance(a, b)
    }),
];

/// A row for each kind of image.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let derived = Derived::of(settings)?;
    let of_all = |image: Image| -> Result<Vec<Vec<Fingerprint>>> {
        let documents = derived.documents.iter();
        documents.map(|document| image(&document.text)).collect()
    };
    let exact = of_all(|text| shingles(text, ShingleUnit::Words, LENGTH))?;
    let places: std::collections::BTreeMap<&str, usize> = derived
        .documents
        .iter()
        .zip(0..)
        .map(|(document, at)| (document.name.as_str(), at))
        .collect();
    let pairs: Vec<(usize, usize)> = derived
        .list
        .iter()
        .map(|(a, b)| (places[a.as_str()], places[b.as_str()]))
        .collect();
    figures.put("pairs", pairs.len() as f64, "")?;
    let mut marks = Vec::new();
    for (name, image, estimate) in IMAGES {
        let images = of_all(image)?;
        let kept: usize = images.iter().map(Vec::len).sum();
        let errors = pairs
            .iter()
            .map(|&(a, b)| estimate(&images[a], &images[b]) - resemblance(&exact[a], &exact[b]));
        let errors: Vec<f64> = errors.collect();
        let kept = kept as f64 / images.len() as f64;
        let bias = 100.0 * super::mean(&errors);
        let error = 100.0 * root_mean_square(errors.into_iter());
        let columns = [
            ("fingerprints a document", kept, ""),
            ("bias", bias, "points"),
            ("error", error, "points"),
        ];
        figures.row(name, &columns)?;
        marks.push(series(name, vec![(kept, error)]));
    }
    draw(
        settings,
        "ignatov-images",
        "What images keep, and how far their estimates are off",
        ("fingerprints a document", "error, points"),
        marks,
    )?;
    Ok(figures
        .note("every nth shingle by its place loses the alignment with the first word put in")?)
}

fn logarithm(shingles: usize) -> usize {
    (LOGARITHMIC * (shingles.max(2) as f64).log2()).ceil() as usize
}

/// The smallest fingerprints: as many as `size` says of their number.
fn least(text: &str, size: impl Fn(usize) -> usize) -> Result<Vec<Fingerprint>> {
    let mut all = shingles(text, ShingleUnit::Words, LENGTH)?;
    all.truncate(size(all.len()));
    Ok(all)
}

/// The share of the smallest fingerprints of both together, as many as the smaller image has, that both have.
fn of_least(a: &[Fingerprint], b: &[Fingerprint]) -> f64 {
    let size = a.len().min(b.len());
    let mut both = distinct([a, b].concat());
    both.truncate(size);
    let in_both = common(&both, a) + common(&both, b) - both.len();
    in_both as f64 / both.len().max(1) as f64
}

fn every_nth(text: &str) -> Result<Vec<Fingerprint>> {
    let shingler = Shingler::new(Shingling::new(ShingleUnit::Words, LENGTH, LINEAR as u16)?);
    Ok(distinct(shingler.shingles(text)))
}

fn mod_n(text: &str) -> Result<Vec<Fingerprint>> {
    let signer = Signer::new(Recipe {
        method: Method::mod_n(LINEAR),
        shingling: Shingling::new(ShingleUnit::Words, LENGTH, 1)?,
    })?;
    Ok(distinct(signer.sign(text).units()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_of_both_estimate_the_resemblance_of_all() {
        let image = |of: [u64; 4]| of.map(Fingerprint).to_vec();
        // The smallest of both are 1, 2, 3 and 4, of which two are in both.
        assert_eq!(of_least(&image([1, 2, 3, 9]), &image([2, 3, 4, 8])), 0.5);
        assert_eq!(of_least(&[], &image([1, 2, 3, 4])), 0.0);
        assert_eq!(logarithm(1_024), 100);
    }
}
