//! The text of a subject in every form that a query needs.

use simdex_index::{
    HeldShingles, IndexError, IndexReader, MemoryAccount, MemoryPermit, canonicalise,
};
use simdex_judge::JudgedText;
use simdex_schema::DocumentHash;
use simdex_signature::{CanonicalText, SignedText};

/// A text with all its shingles.
pub struct ShingledText {
    /// The extracted text.
    pub extracted: String,
    /// The canonical text, which identifies its document.
    pub canonical: CanonicalText,
    /// Hash of the canonical text.
    pub hash: DocumentHash,
    /// The part of it that is compared: without the template lines.
    pub signed: SignedText,
    /// All shingles of the compared part.
    pub shingles: HeldShingles,
    /// Permits for the extracted, the canonical and the signed text.
    _permits: [Option<MemoryPermit>; 3],
}

impl ShingledText {
    /// The text in the form from which signals are computed.
    pub(crate) fn judged(&self) -> JudgedText {
        JudgedText::of(self.canonical.clone(), &self.extracted)
    }

    /// Canonicalises and shingles an extracted text that needs no permit or has this one.
    pub(super) fn of(
        index: &IndexReader,
        extracted: String,
        permit: Option<MemoryPermit>,
        account: &MemoryAccount,
    ) -> Result<Self, IndexError> {
        let (canonical, of_canonical) = canonicalise(&extracted, account)?;
        let (signed, of_signed) = index.signer().signed_text(&canonical, account)?;
        let shingles = index.shingles().of_text(&signed, account)?;
        Ok(Self {
            hash: DocumentHash(canonical.hash()),
            extracted,
            canonical,
            signed,
            shingles,
            _permits: [permit, of_canonical, of_signed],
        })
    }
}
