//! Documents made from a seed, the same on every machine.

use simdex_signature::{Fingerprint, Rung, Scheme, SchemeKind, Signature, Window};

mod planted;

pub use planted::{Kind, Planted, family_sizes};

/// Pseudo-random numbers: SplitMix64 (Steele et al. 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers of their own for every pair of seed and stream.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = Self(seed);
        let seed = mixed.next();
        Self(seed ^ stream.wrapping_mul(0xD129_0D9C_3B7A_5F6D))
    }

    /// The next 64 bits.
    #[expect(
        clippy::should_implement_trait,
        reason = "it never ends, so there is no Option"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        // `mixed` is the finaliser of SplitMix64.
        Fingerprint(self.0).mixed()
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform below `bound`, which must not be 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

/// A corpus of signatures without text: any document of it is made alone, from its number.
///
/// A document holds about 400 fingerprints (50 and an exponential of mean 350, cut at 2,000). Of
/// documents 15 % are near-duplicates: an earlier document with 1 to 20 % of its fingerprints
/// replaced. Each of 100 boilerplate fingerprints stands in max(1 %, 20 % / rank) of the others.
#[derive(Clone, Copy, Debug)]
pub struct Synthetic {
    /// Of all random numbers.
    pub seed: u64,
}

impl Synthetic {
    /// All documents are signed at the coarsest rung of documents, n = 64.
    pub const RUNG: Rung = Rung::MAX_DOCUMENT;
    const LEAST: f64 = 50.0;
    const MEAN_ABOVE: f64 = 350.0;
    const MOST: f64 = 2000.0;
    const NEAR_DUPLICATES: f64 = 0.15;
    const BOILERPLATE: u64 = 100;
    /// Stream of the boilerplate; documents have the streams of their numbers.
    const BOILERPLATE_STREAM: u64 = u64::MAX;

    /// The fingerprints of a document, in no order.
    pub fn fingerprints(&self, document: u64) -> Vec<Fingerprint> {
        let mut random = Random::new(self.seed, document);
        if document > 0 && random.chance(Self::NEAR_DUPLICATES) {
            let original = self.fingerprints(random.below(document));
            return edited(original, &mut random);
        }
        let above = -Self::MEAN_ABOVE * (1.0 - random.unit()).ln();
        let count = (Self::LEAST + above).min(Self::MOST) as usize;
        let mut all: Vec<Fingerprint> = (0..count).map(|_| selected(&mut random)).collect();
        let mut shared = Random::new(self.seed, Self::BOILERPLATE_STREAM);
        for rank in 1..=Self::BOILERPLATE {
            let boilerplate = selected(&mut shared);
            if random.chance((0.2 / rank as f64).max(0.01)) {
                all.push(boilerplate);
            }
        }
        all
    }

    /// The Mod_n signature of a document.
    pub fn signature(&self, document: u64) -> Signature {
        signature(self.fingerprints(document))
    }

    /// The Mod_n signature of an edited copy of a document; `random` says of which edits.
    pub fn edited_copy(&self, document: u64, random: &mut Random) -> Signature {
        signature(edited(self.fingerprints(document), random))
    }
}

fn signature(fingerprints: Vec<Fingerprint>) -> Signature {
    let scheme = Scheme::of_text(SchemeKind::ModN, Window::DEFAULT);
    Signature::new(scheme, Synthetic::RUNG, fingerprints)
}

/// Replaces 1 to 20 % of the fingerprints.
fn edited(mut fingerprints: Vec<Fingerprint>, random: &mut Random) -> Vec<Fingerprint> {
    let share = 0.01 + 0.19 * random.unit();
    for fingerprint in &mut fingerprints {
        if random.chance(share) {
            *fingerprint = selected(random);
        }
    }
    fingerprints
}

/// A fingerprint as Mod_n selects it: divisible by n, its further trailing zeros geometric.
fn selected(random: &mut Random) -> Fingerprint {
    Fingerprint(random.next() << Synthetic::RUNG.get())
}

/// A corpus of texts: families of [`Prose::FAMILY`] versions of one text of about 3,000 characters,
/// each with 2 to 12 % of its words replaced; a third of the families carry one of five letterheads.
#[derive(Clone, Copy, Debug)]
pub struct Prose {
    /// Of all random numbers.
    pub seed: u64,
}

impl Prose {
    /// Versions of one text.
    pub const FAMILY: u64 = 25;
    const WORDS: u64 = 20_000;
    const LENGTH: usize = 450;
    const LETTERHEAD: usize = 40;
    const LETTERHEADS: u64 = 5;

    /// A document; `edition` 0 is the stored one, others are further edited copies of it.
    pub fn text(&self, document: u64, edition: u64) -> String {
        self.text_of(document, edition, Self::LENGTH)
    }

    /// A text with this many words, of about seven characters each.
    pub fn text_of(&self, document: u64, edition: u64, length: usize) -> String {
        let family = document / Self::FAMILY;
        let mut random = Random::new(self.seed, family);
        let mut words: Vec<u64> = Vec::new();
        if random.chance(0.33) {
            let letterhead = u64::MAX - random.below(Self::LETTERHEADS);
            words.extend(Self::words(
                &mut Random::new(self.seed, letterhead),
                Self::LETTERHEAD,
            ));
        }
        words.extend(Self::words(&mut random, length));
        let mut edits = Random::new(self.seed ^ 1, document);
        edit(&mut words, 0.02 + 0.1 * edits.unit(), &mut edits);
        if edition > 0 {
            edit(
                &mut words,
                0.02,
                &mut Random::new(self.seed ^ edition, document),
            );
        }
        words.into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn words(random: &mut Random, count: usize) -> Vec<u64> {
        (0..count).map(|_| random.below(Self::WORDS)).collect()
    }
}

fn edit(words: &mut [u64], share: f64, random: &mut Random) {
    for word in words {
        if random.chance(share) {
            *word = random.below(Prose::WORDS);
        }
    }
}

/// Texts in families of any size, each made alone from its number.
#[derive(Clone, Copy, Debug)]
pub struct Versions {
    seed: u64,
    words: usize,
}

impl Versions {
    /// Texts of about this many words, seven bytes each.
    pub fn new(seed: u64, words: usize) -> Self {
        Self { seed, words }
    }

    /// A version in a family of this many: one word in a hundred replaced, and longer the later it is,
    /// by one part in twenty at most.
    pub fn text(&self, family: u64, version: u64, of: u64) -> String {
        let mut words = Prose::words(&mut Random::new(self.seed, family), self.words);
        let mut edits = Random::new(self.seed ^ 1 ^ family << 32, version);
        edit(&mut words, 0.01, &mut edits);
        let more = self.words as u64 * version / of / 20;
        let mut appended = Random::new(self.seed ^ 2, family);
        words.extend(Prose::words(&mut appended, more as usize));
        words.into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// One of many texts that share all but an eighth, so that any two resemble each other at 0.78.
    pub fn near_miss(&self, number: u64) -> String {
        let shared = self.words - self.words / 8;
        let mut words = Prose::words(&mut Random::new(self.seed, u64::MAX), shared);
        let own = self.words - shared;
        words.extend(Prose::words(&mut Random::new(self.seed, number), own));
        words.into_iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

/// A word of the synthetic language: two to four syllables.
fn word(number: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "ka",
        "he",
    ];
    let mut random = Random::new(number, 3);
    (0..2 + random.below(3))
        .map(|_| SYLLABLES[random.below(16) as usize])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORPUS: Synthetic = Synthetic { seed: 1 };

    #[test]
    fn the_corpus_is_as_described() {
        let documents: Vec<Signature> = (0..2_000).map(|d| CORPUS.signature(d)).collect();
        let total: usize = documents.iter().map(Signature::len).sum();
        let mean = total / documents.len();
        assert!((380..=420).contains(&mean), "{mean}");
        let common = Random::new(CORPUS.seed, Synthetic::BOILERPLATE_STREAM);
        let common = selected(&mut common.clone());
        let holds = |s: &&Signature| s.fingerprints().binary_search(&common).is_ok();
        let share = documents.iter().filter(holds).count() * 100 / documents.len();
        assert!((15..=25).contains(&share), "{share} %");
    }

    #[test]
    fn an_edited_copy_keeps_most_fingerprints() {
        let (original, mut random) = (CORPUS.signature(7), Random::new(2, 0));
        let copy = CORPUS.edited_copy(7, &mut random);
        let kept = |f: &&Fingerprint| original.fingerprints().binary_search(f).is_ok();
        let kept = copy.fingerprints().iter().filter(kept).count();
        assert!(kept < original.len() && kept * 10 > original.len() * 7);
    }

    #[test]
    fn a_family_is_near_duplicates_and_families_differ() {
        let corpus = Prose { seed: 1 };
        let set = |document| {
            let canonical =
                simdex_signature::CanonicalText::from_extracted(&corpus.text(document, 0));
            simdex_signature::ShingleSet::new(&canonical, Window::DEFAULT)
        };
        let (a, b, c) = (set(0), set(1), set(Prose::FAMILY));
        assert!((2_500..4_500).contains(&a.len()), "{}", a.len());
        assert!(a.resemblance(&b).unwrap().get() > 0.3);
        assert!(a.resemblance(&c).unwrap().get() < 0.1);
    }

    #[test]
    fn a_document_depends_on_seed_and_number_alone() {
        assert_eq!(CORPUS.signature(9), CORPUS.signature(9));
        assert_ne!(CORPUS.signature(9), Synthetic { seed: 2 }.signature(9));
    }
}
