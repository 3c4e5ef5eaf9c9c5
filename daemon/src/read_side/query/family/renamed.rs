//! Texts compared as if their names had not been replaced.

use simdex_index::{Cancel, HeldShingles, IndexError, MemoryAccount, ShingleSets, canonicalise};
use simdex_signature::SignedText;

use crate::read_side::families::{LinkRule, Renaming, renaming};
use crate::read_side::query::{Overlap, ShingledText};

/// Texts that resemble each other this much are not searched for replaced names.
const ALIKE: f64 = 0.8;
/// Undoing a replacement must raise the resemblance by this much: otherwise it explains nothing.
const MIN_GAIN: f64 = 0.1;

/// Names that were replaced between two texts, and what these share apart from that.
#[derive(Clone, Debug)]
pub struct Renamed {
    /// The names, the most frequent first.
    pub renamings: Vec<Renaming>,
    /// Resemblance of the earlier text and the later one with its names replaced by those of the earlier.
    pub resemblance: f64,
}

/// Finds names whose replacement explains why two texts, the earlier one first, resemble each other so little; `None`
/// if there are none, or if the texts would not be linked without it either.
pub(super) fn find_renamed(
    shingles: ShingleSets<'_>,
    [earlier, later]: [&ShingledText; 2],
    overlap: &Overlap,
    rule: &LinkRule,
    (account, cancel): (&MemoryAccount, &Cancel),
) -> Result<Option<Renamed>, IndexError> {
    let resemblance = overlap.resemblance.value.unwrap_or(0.0);
    if resemblance >= ALIKE {
        return Ok(None);
    }
    let renamings = renaming::renamings(earlier.signed.as_str(), later.signed.as_str());
    if renamings.is_empty() {
        return Ok(None);
    }
    let undone = shingled_undone(shingles, later, &renamings, account)?;
    let without = Overlap::exact(&earlier.shingles, &undone, cancel)?;
    let without = without.resemblance.value.unwrap_or(0.0);
    let is_explained = without >= rule.resemblance.max(resemblance + MIN_GAIN);
    Ok(is_explained.then_some(Renamed {
        renamings,
        resemblance: without,
    }))
}

/// All shingles of a text after replacements are undone, one after the other.
pub(super) fn shingled_undone(
    shingles: ShingleSets<'_>,
    text: &ShingledText,
    renamings: &[Renaming],
    account: &MemoryAccount,
) -> Result<HeldShingles, IndexError> {
    let length = text.signed.as_bytes().len() as u64;
    let _held = account.take_large(length)?;
    let undone = renaming::undone(text.signed.as_str(), renamings);
    let (canonical, _held) = canonicalise(&undone, account)?;
    shingles.of_text(&SignedText::whole(canonical), account)
}
