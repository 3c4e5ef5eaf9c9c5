//! From an extracted text to its signatures: canonical form, then the fingerprints of each scheme.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use simdex_schema::DocumentRecord;
use simdex_schema::posting::scheme_number;
use simdex_signature::{
    BswN, CanonicalText, Chunks, Fingerprint, ModN, Rung, SchemeKind, Signature,
};

use crate::{IndexError, IndexReader, MemoryAccount, MemoryPermit};

/// Makes an extracted text canonical, with a permit for the result.
///
/// Takes a permit of 9/8 of the text's length first. Few canonical texts are longer: for those it gives
/// that permit back, takes one of the longest possible canonical text, and starts again.
///
/// # Errors
/// [`IndexError::Cancelled`] if the account is cancelled while it waits for a permit.
pub fn canonicalise(
    text: &str,
    account: &MemoryAccount,
) -> Result<(CanonicalText, Option<MemoryPermit>), IndexError> {
    let usual = (text.len() + text.len() / 8).min(CanonicalText::MOST_BYTES);
    let permit = account.take_large(usual as u64)?;
    let canonical = CanonicalText::bounded(text, usual);
    if !canonical.is_cut() || usual == CanonicalText::MOST_BYTES {
        return Ok((canonical, permit));
    }
    drop((canonical, permit));
    let mut permit = account.take_large(CanonicalText::MOST_BYTES as u64)?;
    let canonical = CanonicalText::from_extracted(text);
    if let Some(permit) = &mut permit {
        permit.shrink_to(canonical.as_bytes().len() as u64);
    }
    Ok((canonical, permit))
}

impl IndexReader {
    /// Signs a canonical text with every scheme that is on, Mod_n first.
    pub fn sign_text(&self, text: &CanonicalText, rung: Rung) -> Vec<Signature> {
        let timed = |kind, sign: &dyn Fn() -> Signature| {
            let started = Instant::now();
            let signature = sign();
            self.spent_signing(kind, started.elapsed());
            signature
        };
        let window = self.window();
        let mut signatures = vec![timed(SchemeKind::ModN, &|| ModN::sign(text, window, rung))];
        if self.shared.parameters.bsw_n {
            signatures.push(timed(SchemeKind::BswN, &|| BswN::sign(text, window, rung)));
        }
        signatures
    }

    /// Counts time spent signing.
    fn spent_signing(&self, scheme: SchemeKind, time: Duration) {
        let at = usize::from(scheme_number(scheme));
        self.shared.signing[at].fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
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
