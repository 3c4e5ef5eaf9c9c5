//! A text of a pair, with what signals cache of it: each part is computed once, when a signal first asks for it.
//!
//! Only the first [`JudgedText::LONGEST`] bytes of a canonical text are used (all of it by BSW_n), which bounds time
//! and memory.

use std::sync::OnceLock;

use simdex_signature::CanonicalText;

use crate::identifier;
use crate::signal::compression;
use crate::signal::inside::{self, WordRuns};
use crate::signal::own_words::OwnWords;
use crate::signal::simhash::Simhash;
use crate::signal::term_counts::TermCounts;
use crate::signal::term_slots::TermSlots;
use crate::signal::tf_idf::TopTerms;
use crate::signal::title;

/// One side of a pair. The query's own side is made once and judged against every hit.
#[derive(Debug, Default)]
pub struct JudgedText {
    canonical: CanonicalText,
    title: Option<String>,
    terms: OnceLock<TermCounts>,
    term_slots: OnceLock<TermSlots>,
    own_words: OnceLock<OwnWords>,
    word_runs: OnceLock<WordRuns>,
    simhash: OnceLock<Simhash>,
    top_terms: OnceLock<TopTerms>,
    compressed_once: OnceLock<u64>,
    compressed_twice: OnceLock<u64>,
}

impl JudgedText {
    /// Bytes of a canonical text that signals use.
    pub const LONGEST: usize = compression::LONGEST;

    /// The most memory that judging takes at once for a text of this many bytes, besides the text itself: its words
    /// with their counts, its signature, and buffers of the compressor.
    pub fn peak_bytes(length: u64) -> u64 {
        28 * length.min(Self::LONGEST as u64) + length / 4
    }

    /// A judged text, from a text as it was extracted.
    pub fn new(extracted: &str) -> Self {
        Self::of(CanonicalText::from_extracted(extracted), extracted)
    }

    /// A judged text whose canonical text is already available.
    pub fn of(canonical: CanonicalText, extracted: &str) -> Self {
        Self {
            canonical,
            title: title::of(extracted),
            ..Self::default()
        }
    }

    /// The canonical text.
    pub fn canonical(&self) -> &CanonicalText {
        &self.canonical
    }

    /// Whether the heads of both texts have identifiers of one kind that differ, as those of serial notices do.
    pub fn is_numbered_otherwise(&self, other: &Self) -> bool {
        identifier::differ(self.canonical.as_str(), other.canonical.as_str())
    }

    /// Whether both texts have the same words, each as often.
    pub fn has_same_words(&self, other: &Self) -> bool {
        self.terms() == other.terms_beside(self)
    }

    /// Whether the texts hardly differ between the first and the last run of words that they share ([`inside`]): they are
    /// one text in two frames, or one has a passage of the other.
    pub fn is_one_inside(&self, other: &Self) -> bool {
        let inside = self.word_runs().inside_difference(other.word_runs());
        inside.is_some_and(|differs| differs <= inside::ONE_TEXT)
    }

    /// Whether any word differs between the first and the last run of words that the texts share, or none is shared.
    pub fn differs_inside(&self, other: &Self) -> bool {
        let (own, others) = (self.word_runs(), other.word_runs());
        match own.inside_difference(others) {
            Some(differs) => differs > 0.0,
            None => !own.is_empty() && !others.is_empty(),
        }
    }

    /// The part of it that signals use.
    pub(crate) fn beginning(&self) -> &str {
        compression::beginning(self.canonical.as_str())
    }

    /// The title as it is compared.
    pub(crate) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The words with their counts.
    pub(crate) fn terms(&self) -> &TermCounts {
        self.terms.get_or_init(|| TermCounts::of(self.beginning()))
    }

    /// The words with their counts, found among those of the other text of a pair where it shares them.
    pub(crate) fn terms_beside(&self, other: &Self) -> &TermCounts {
        if let Some(terms) = self.terms.get() {
            return terms;
        }
        // Made first, since the other text may be this one.
        let known = other.terms();
        let slots = other.term_slots.get_or_init(|| known.slots());
        let found = || TermCounts::beside(self.beginning(), known, slots);
        self.terms.get_or_init(found)
    }

    /// The words that are not in the table of common words.
    pub fn own_words(&self) -> &OwnWords {
        let found = || OwnWords::of(self.beginning(), self.terms());
        self.own_words.get_or_init(found)
    }

    /// Whether the table of common words knows too few of its words: it is in another language, or in none.
    pub fn is_foreign(&self) -> bool {
        self.own_words().is_foreign()
    }

    /// Returns this text without any cached values.
    pub(crate) fn afresh(&self) -> Self {
        Self {
            canonical: self.canonical.clone(),
            title: self.title.clone(),
            ..Self::default()
        }
    }

    /// The runs of words.
    fn word_runs(&self) -> &WordRuns {
        let found = || WordRuns::of(self.beginning());
        self.word_runs.get_or_init(found)
    }

    /// The similarity hash.
    pub fn simhash(&self) -> Simhash {
        *self.simhash.get_or_init(|| Simhash::of(self.terms()))
    }

    /// The top terms.
    pub fn top_terms(&self) -> &TopTerms {
        self.top_terms.get_or_init(|| TopTerms::of(self.terms()))
    }

    /// Length of the text compressed.
    pub(crate) fn compressed_once(&self) -> u64 {
        let compressed = || compression::once(self.beginning());
        *self.compressed_once.get_or_init(compressed)
    }

    /// Length of the text followed by itself, compressed.
    pub(crate) fn compressed_twice(&self) -> u64 {
        let compressed = || compression::twice(self.beginning());
        *self.compressed_twice.get_or_init(compressed)
    }
}
