//! What signature schemes estimate of two texts, beside the exact numbers.
//!
//! A comparison has both texts at hand, so that any scheme can be asked, including those that the index does not
//! keep: both texts are signed here, in the same way, and compared. What a scheme does not define is left out and
//! marked as such, never replaced by a number: Min_n and Sketch_n give no containment, and BSW_n gives no interval
//! where its error was not measured.

use simdex_index::{IndexReader, MemoryAccount};
use simdex_signature::laboratory::{
    Method, Recipe, RecipeSignature, Shingling, Signer, Unanswerable, containment, resemblance,
};
use simdex_signature::{Estimate, Rung, SchemeKind, ShingleSet, Unit, Window};

use crate::read_side::query::{QueryError, RatioEstimate, ShingledText};

/// A scheme that two texts may be compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedScheme {
    /// Fingerprints divisible by n.
    ModN,
    /// The smallest window of each content-defined chunk, of n windows on average.
    BswN,
    /// The n smallest fingerprints.
    MinN,
    /// The smallest fingerprint of each of n bins.
    SketchN,
}

/// The schemes that a comparison is asked to use.
#[derive(Clone, Debug, Default)]
pub struct SchemeSelection {
    /// Those of the index if none is named.
    pub schemes: Vec<ComparedScheme>,
    /// Their n, from 1 to [`Method::MAX_N`]; without one, that of signatures that the index keeps of
    /// texts of this length.
    pub n: Option<u64>,
}

/// What the signatures of one scheme estimate.
pub struct SchemeEstimate {
    /// How both were signed.
    pub method: Method,
    /// Shingles that were signed.
    pub window: Window,
    /// Estimated resemblance, with its interval if the scheme gives one.
    pub resemblance: RatioEstimate,
    /// Estimated containment of a in b; `None` if the scheme gives none.
    pub of_a: Option<RatioEstimate>,
    /// Estimated containment of b in a; `None` if the scheme gives none.
    pub of_b: Option<RatioEstimate>,
}

/// Bytes that a fingerprint of both texts takes in fixed-size signatures, and while they are made.
const ENTRY_BYTES: u64 = 96;
/// Bytes that a fingerprint of one of the texts takes in signatures that grow with the text, and while it is sorted.
const SAMPLED_BYTES: u64 = 32;
/// Bytes that the words of a text take for each of its bytes, if all words have one letter.
const WORDS_BYTES: u64 = 4;

/// Estimates by each requested scheme.
pub(super) fn estimates(
    index: &IndexReader,
    texts: [&ShingledText; 2],
    selection: &SchemeSelection,
    account: &MemoryAccount,
) -> Result<Vec<SchemeEstimate>, QueryError> {
    let own = own_schemes(index);
    let schemes = match selection.schemes.as_slice() {
        [] => own.as_slice(),
        named => named,
    };
    let window = index.window();
    let estimates = schemes.iter().map(|scheme| {
        let method = method(index, *scheme, selection.n, texts)?;
        estimate(method, window, texts, account)
    });
    estimates.collect()
}

/// The schemes that the index keeps of texts.
fn own_schemes(index: &IndexReader) -> Vec<ComparedScheme> {
    let kept = index.parameters().schemes.of_texts();
    let compared = kept.filter_map(|scheme| match scheme {
        SchemeKind::ModN => Some(ComparedScheme::ModN),
        SchemeKind::BswN => Some(ComparedScheme::BswN),
        SchemeKind::MinN => Some(ComparedScheme::MinN),
        SchemeKind::SketchN => Some(ComparedScheme::SketchN),
        // Super-shingles only tell candidates.
        SchemeKind::Chunks | SchemeKind::SuperShingles => None,
    });
    compared.collect()
}

/// A scheme with its n.
fn method(
    index: &IndexReader,
    scheme: ComparedScheme,
    n: Option<u64>,
    texts: [&ShingledText; 2],
) -> Result<Method, QueryError> {
    let ladder = index.ladder();
    // The index chooses the rung of a document from its whole text.
    let whole = texts.map(|text| text.canonical.as_bytes().len() as u64);
    let modulus = || -> Result<u64, QueryError> {
        let rung = |length| ladder.rung_of_text(length);
        let Some(n) = n else {
            return Ok(whole
                .map(rung)
                .into_iter()
                .fold(Rung::ZERO, Rung::max)
                .modulus());
        };
        let signed = texts.map(|text| text.signed.as_bytes().len() as u64);
        held_at(n, signed)
    };
    let size = n.unwrap_or(ladder.fixed_size().modulus());
    let size = size.clamp(1, Method::MAX_N) as u32;
    Ok(match scheme {
        ComparedScheme::ModN => Method::mod_n(modulus()?),
        ComparedScheme::BswN => Method::BswN { n: modulus()? },
        ComparedScheme::MinN => Method::min_n(size),
        ComparedScheme::SketchN => Method::sketch_n(size),
    })
}

/// The modulus n, if signatures of texts of these lengths, in bytes, can be held.
fn held_at(n: u64, lengths: [u64; 2]) -> Result<u64, QueryError> {
    let min_n = lengths[0]
        .max(lengths[1])
        .div_ceil(ShingleSet::LISTED as u64);
    match n >= min_n {
        true => Ok(n),
        false => Err(QueryError::SignatureTooLong { n, min_n }),
    }
}

fn estimate(
    method: Method,
    window: Window,
    texts: [&ShingledText; 2],
    account: &MemoryAccount,
) -> Result<SchemeEstimate, QueryError> {
    account.cancel().check()?;
    let invalid = |error: &dyn std::error::Error| QueryError::Invalid(error.to_string());
    let _held = account.take_large(signing_bytes(method, window, texts))?;
    let shingling = Shingling::from(window);
    let signer = Signer::new(Recipe { method, shingling }).map_err(|error| invalid(&error))?;
    let sign = |text: &ShingledText| signer.sign(text.signed.as_str());
    let a = sign(texts[0]);
    account.cancel().check()?;
    let b = sign(texts[1]);
    let measured = resemblance(&a, &b).map_err(|error| invalid(&error))?;
    Ok(SchemeEstimate {
        method,
        window,
        resemblance: measured.into(),
        of_a: contained(&a, &b).map_err(|error| invalid(&error))?,
        of_b: contained(&b, &a).map_err(|error| invalid(&error))?,
    })
}

/// The containment, if the scheme gives one.
fn contained(
    part: &RecipeSignature,
    whole: &RecipeSignature,
) -> Result<Option<RatioEstimate>, Unanswerable> {
    match containment(part, whole) {
        Err(Unanswerable::NoContainment(_)) => Ok(None),
        found => found.map(|found: Option<Estimate>| Some(found.into())),
    }
}

/// Most bytes that signing both texts takes.
fn signing_bytes(method: Method, window: Window, texts: [&ShingledText; 2]) -> u64 {
    let bytes: u64 = texts
        .iter()
        .map(|text| text.signed.as_bytes().len() as u64)
        .sum();
    let kept = match method.gives_containment() {
        true => (bytes / method.n()).saturating_mul(SAMPLED_BYTES),
        false => method.n().saturating_mul(ENTRY_BYTES),
    };
    let words = match window.unit() {
        Unit::Bytes => 0,
        Unit::Words => bytes.saturating_mul(WORDS_BYTES),
    };
    kept.saturating_add(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_modulus_of_long_texts_is_told() {
        let most = ShingleSet::LISTED as u64;
        assert_eq!(held_at(1, [most, 20]).unwrap(), 1);
        let refused = held_at(7, [20, 8 * most]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "at n = 7 a signature of these texts is too long to be held; the least n is 8"
        );
        assert_eq!(held_at(8, [20, 8 * most]).unwrap(), 8);
    }
}
