//! From an extracted text to its signatures: canonical form, then the fingerprints of each scheme.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use simdex_schema::meta::SCHEMES as SCHEME_COUNT;
use simdex_schema::posting::scheme_number;
use simdex_schema::{DocumentRecord, Schemes};
use simdex_signature::{
    BswN, CanonicalText, Chunks, Fingerprint, Ladder, MinN, ModN, Rung, SchemeKind, Signature,
    SignedText, SketchN, SuperShingles, TemplateLines, Window,
};

use crate::shared::IndexShared;
use crate::{IndexError, MemoryAccount, MemoryPermit};

/// Makes an extracted text canonical, with a permit for the result.
///
/// Takes a permit of 9/8 of the text's length first. Few canonical texts are longer: for those it returns that permit,
/// takes one for the longest possible canonical text, and starts again.
///
/// # Errors
/// [`IndexError::Cancelled`] if the account is cancelled while it waits for a permit.
pub fn canonicalise(
    text: &str,
    account: &MemoryAccount,
) -> Result<(CanonicalText, Option<MemoryPermit>), IndexError> {
    let usual = (text.len() + text.len() / 8).min(CanonicalText::MAX_BYTES);
    let permit = account.take_large(usual as u64)?;
    let canonical = CanonicalText::bounded(text, usual);
    if !canonical.is_cut() || usual == CanonicalText::MAX_BYTES {
        return Ok((canonical, permit));
    }
    drop((canonical, permit));
    let mut permit = account.take_large(CanonicalText::MAX_BYTES as u64)?;
    let canonical = CanonicalText::from_extracted(text);
    if let Some(permit) = &mut permit {
        permit.shrink_to(canonical.as_bytes().len() as u64);
    }
    Ok((canonical, permit))
}

/// How the index signs texts: what of a text is signed, and its signatures by every scheme that the index holds.
///
/// Signing reads nothing of the index. The rungs are those of the sampling in force when the signer was made.
#[derive(Clone, Copy)]
pub struct TextSigner<'a> {
    window: Window,
    ladder: Ladder,
    schemes: Schemes,
    /// Lines that are not signed.
    template_lines: &'a TemplateLines,
    /// Nanoseconds spent signing, by scheme.
    spent: &'a [AtomicU64; SCHEME_COUNT],
}

impl<'a> TextSigner<'a> {
    pub(crate) fn of(shared: &'a IndexShared) -> Self {
        Self {
            window: shared.window(),
            ladder: shared.ladder(),
            schemes: shared.parameters.schemes,
            template_lines: &shared.template_lines,
            spent: &shared.signing,
        }
    }

    /// Windows of every text signature.
    pub fn window(&self) -> Window {
        self.window
    }

    /// How many fingerprints a document keeps.
    pub fn ladder(&self) -> Ladder {
        self.ladder
    }

    /// The lines that are left out of what is signed and compared.
    pub fn template_lines(&self) -> &'a TemplateLines {
        self.template_lines
    }

    /// The part of a text that is signed and compared. Has a permit if that is not the whole canonical text, which is
    /// shared otherwise.
    pub fn signed_text(
        &self,
        canonical: &CanonicalText,
        account: &MemoryAccount,
    ) -> Result<(SignedText, Option<MemoryPermit>), IndexError> {
        if !self.template_lines.stand_in(canonical) {
            return Ok((SignedText::whole(canonical.clone()), None));
        }
        let mut permit = account.take_large(canonical.as_bytes().len() as u64)?;
        let signed = SignedText::of(canonical, self.template_lines);
        if let Some(permit) = &mut permit {
            permit.shrink_to(signed.as_bytes().len() as u64);
        }
        Ok((signed, permit))
    }

    /// Signs the text of a document with every scheme that the index holds, Mod_n first, at the rung that the ladder
    /// has for it; only this function decides the rung. `length` is what the document's record states: that of the
    /// canonical text that identified it, which is longer if template lines are left out, and may have been an older
    /// version. So the record alone tells whether a document is signed as the ladder says.
    pub fn sign(&self, text: &SignedText, length: u64) -> Vec<Signature> {
        let started = Instant::now();
        let rung = self.ladder.rung_of_text(length);
        let mut mod_n = ModN::sign(text, self.window, rung);
        // A text that repeats itself, or has lines left out, has fewer shingles than its length suggests.
        let finer = self.ladder.rung_of_kept(rung, mod_n.len() as u64);
        if finer < rung {
            mod_n = ModN::sign(text, self.window, finer);
        }
        self.count_spent(SchemeKind::ModN, started.elapsed());
        self.with_others(text, mod_n)
    }

    /// Signs a text at the rung at which it was signed before.
    pub(crate) fn sign_at(&self, text: &SignedText, rung: Rung) -> Vec<Signature> {
        let started = Instant::now();
        let mod_n = ModN::sign(text, self.window, rung);
        self.count_spent(SchemeKind::ModN, started.elapsed());
        self.with_others(text, mod_n)
    }

    /// Adds the signatures of the other schemes; those whose size follows the text's are made at the rung of Mod_n.
    fn with_others(&self, text: &SignedText, mod_n: Signature) -> Vec<Signature> {
        let (window, size) = (self.window, self.ladder.fixed_size());
        let rung = mod_n.rung();
        let mut signatures = vec![mod_n];
        for scheme in self.schemes.of_texts() {
            let started = Instant::now();
            signatures.push(match scheme {
                SchemeKind::BswN => BswN::sign(text, window, rung),
                SchemeKind::MinN => MinN::sign(text, window, size),
                SchemeKind::SketchN => SketchN::sign(text, window, size),
                SchemeKind::SuperShingles => SuperShingles::sign(text, window),
                SchemeKind::ModN | SchemeKind::Chunks => continue,
            });
            self.count_spent(scheme, started.elapsed());
        }
        signatures
    }

    /// Maximum bytes of the fixed-size sketches of a text while they are made, for the schemes that the index holds.
    pub fn fixed_size_bytes(&self) -> u64 {
        let held = self.schemes.of_texts();
        let schemes = held.filter(|scheme| scheme.is_of_fixed_size()).count() as u64;
        // Min_n collects twice n before the greater ones are dropped.
        schemes * 2 * size_of::<Fingerprint>() as u64 * self.ladder.fixed_size().modulus()
    }

    /// Adds to the time spent signing.
    fn count_spent(&self, scheme: SchemeKind, time: Duration) {
        let at = usize::from(scheme_number(scheme));
        self.spent[at].fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// The signature of raw bytes, which their record holds: there is no text to sign again.
pub fn forward_signature(record: &DocumentRecord) -> Signature {
    let fingerprints = record.forward.iter().map(|f| Fingerprint(*f)).collect();
    Signature::new(Chunks::SCHEME, record.rung, fingerprints)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cancel, MemoryBudget};

    #[test]
    fn the_permit_for_a_canonical_text_follows_its_length() {
        let budget = MemoryBudget::new(128 << 20);
        let account = budget.account(&Cancel::never());
        let (small, permit) = canonicalise("A text", &account).unwrap();
        assert_eq!(
            (small.as_str(), permit.is_none(), budget.used()),
            ("a text", true, 0)
        );
        let usual = "usual ".repeat(200_000);
        let (canonical, permit) = canonicalise(&usual, &account).unwrap();
        assert_eq!(canonical, CanonicalText::from_extracted(&usual));
        assert_eq!(permit.unwrap().bytes(), 1_350_000);
        let grows = "\u{fdfa}".repeat(400_000);
        let (canonical, permit) = canonicalise(&grows, &account).unwrap();
        assert_eq!(canonical, CanonicalText::from_extracted(&grows));
        assert!(!canonical.is_cut());
        assert_eq!(permit.unwrap().bytes(), canonical.as_bytes().len() as u64);
        assert_eq!(budget.used(), 0);
    }
}
