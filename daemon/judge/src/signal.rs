//! The signals by which a pair is judged, in the order of their cost.
//!
//! | signal | what it is | cost |
//! |---|---|---|
//! | `same-root` | both files are under one root | on record |
//! | `same-folder` | both are in one folder | on record |
//! | `same-author` | both documents state one author or sender | on record |
//! | `same-name` | [likeness of the file names](name) | on record |
//! | `length-distance` | [body-length distance](length_distance) | on record |
//! | `resemblance` | of all shingles, as the answer shows it | counted by the question |
//! | `containment-least` | the lesser of both containments | counted by the question |
//! | `containment-most` | the greater of both containments | counted by the question |
//! | `same-title` | [exact title match](title) | both texts are read |
//! | `own-words` | [shared words that are not common ones](own_words) | linear in the texts |
//! | `own-numbers` | [shared numbers](own_words) | linear in the texts |
//! | `first-own-words` | [`own-words` at the beginnings](own_words) | linear in the texts |
//! | `difference-rarity` | [rarity of the words that differ](difference) | linear in the texts |
//! | `difference-balance` | [words replaced, or only added](difference) | linear in the texts |
//! | `simhash-distance` | [Charikar's similarity hash](simhash) | linear in the texts |
//! | `tf-idf-distance` | [the top 100 terms](tf_idf) | linear in the texts |
//! | `bsw-resemblance` | [resemblance by BSW_n](bsw) | linear in the texts |
//! | `snippet-mcd` | [compression distance to the nearest passage](snippet) | compresses the shorter text |
//! | `ncd` | [normalised compression distance](compression) | compresses both texts |
//! | `mcd` | [modified compression distance](compression) | compresses both texts |

pub mod bsw;
pub mod compression;
pub mod difference;
pub mod idf;
pub mod inside;
pub mod name;
pub mod own_words;
pub mod simhash;
pub mod snippet;
pub mod term_counts;
pub mod term_slots;
pub mod terms;
pub mod tf_idf;
pub mod title;

/// One measure of how two documents are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signal {
    /// Both files are under one root.
    SameRoot,
    /// Both files are in one folder.
    SameFolder,
    /// Both documents state one author or sender.
    SameAuthor,
    /// Likeness of the file names.
    SameName,
    /// Difference of the lengths of both canonical texts, as a share of the longer one.
    LengthDistance,
    /// |A∩B| / |A∪B| over all shingles.
    Resemblance,
    /// The lesser of both containments.
    ContainmentLeast,
    /// The greater of both containments.
    ContainmentMost,
    /// Exact title match.
    SameTitle,
    /// Share of words in common, leaving out those of the table of common words.
    OwnWords,
    /// Share of numbers in common.
    OwnNumbers,
    /// Share in common of the first words that are not in the table of common words.
    FirstOwnWords,
    /// Mean rarity of the words that differ.
    DifferenceRarity,
    /// How far as many words were put in as were left out.
    DifferenceBalance,
    /// Share of differing bits of Charikar's similarity hash.
    SimhashDistance,
    /// Distance of the top 100 terms.
    TfIdfDistance,
    /// Resemblance of BSW_n signatures.
    BswResemblance,
    /// Modified compression distance of the shorter text and the nearest passage of the longer.
    SnippetMcd,
    /// Normalised compression distance.
    Ncd,
    /// Modified normalised compression distance.
    Mcd,
}

/// What a signal needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// Nothing besides what is on record or was counted for the answer.
    Known,
    /// Both texts, read once from front to back.
    Text,
    /// Several compressions of both texts.
    Compression,
}

impl Cost {
    /// All costs, cheapest first.
    pub const ALL: [Self; 3] = [Self::Known, Self::Text, Self::Compression];
}

/// How many signals there are.
pub(crate) const COUNT: usize = 20;

impl Signal {
    /// All signals, cheapest first.
    pub const ALL: [Self; COUNT] = [
        Self::SameRoot,
        Self::SameFolder,
        Self::SameAuthor,
        Self::SameName,
        Self::LengthDistance,
        Self::Resemblance,
        Self::ContainmentLeast,
        Self::ContainmentMost,
        Self::SameTitle,
        Self::OwnWords,
        Self::OwnNumbers,
        Self::FirstOwnWords,
        Self::DifferenceRarity,
        Self::DifferenceBalance,
        Self::SimhashDistance,
        Self::TfIdfDistance,
        Self::BswResemblance,
        Self::SnippetMcd,
        Self::Ncd,
        Self::Mcd,
    ];

    /// The name in model files, JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::SameRoot => "same-root",
            Self::SameFolder => "same-folder",
            Self::SameAuthor => "same-author",
            Self::SameName => "same-name",
            Self::LengthDistance => "length-distance",
            Self::Resemblance => "resemblance",
            Self::ContainmentLeast => "containment-least",
            Self::ContainmentMost => "containment-most",
            Self::SameTitle => "same-title",
            Self::OwnWords => "own-words",
            Self::OwnNumbers => "own-numbers",
            Self::FirstOwnWords => "first-own-words",
            Self::DifferenceRarity => "difference-rarity",
            Self::DifferenceBalance => "difference-balance",
            Self::SimhashDistance => "simhash-distance",
            Self::TfIdfDistance => "tf-idf-distance",
            Self::BswResemblance => "bsw-resemblance",
            Self::SnippetMcd => "snippet-mcd",
            Self::Ncd => "ncd",
            Self::Mcd => "mcd",
        }
    }

    /// The signal with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.name() == name)
    }

    /// What it needs.
    pub fn cost(self) -> Cost {
        match self.index() {
            0..=7 => Cost::Known,
            8..=16 => Cost::Text,
            _ => Cost::Compression,
        }
    }

    /// Whether it says only where a document is or whose it is, and nothing about its text.
    pub fn is_of_place(self) -> bool {
        self <= Self::SameName
    }

    /// Whether it says where two files are: a text that is no file has no value of it.
    pub(crate) fn is_of_file(self) -> bool {
        matches!(self, Self::SameRoot | Self::SameFolder | Self::SameName)
    }

    /// Whether it needs the table of common words to know the language.
    pub(crate) fn is_of_table(self) -> bool {
        matches!(
            self,
            Self::OwnWords | Self::FirstOwnWords | Self::DifferenceRarity
        )
    }

    /// Its index in [`Signal::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// What is known about a pair without its texts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KnownSignals {
    /// Whether both files are under one root; `None` if one is no file of the index.
    pub same_root: Option<bool>,
    /// Whether both are in one folder.
    pub same_folder: Option<bool>,
    /// Whether both state one author; `None` if one states none.
    pub same_author: Option<bool>,
    /// Likeness of the file names, from 0 to 1.
    pub same_name: Option<f64>,
    /// Bytes of both canonical texts.
    pub lengths: [u64; 2],
    /// |A∩B| / |A∪B| over all shingles.
    pub resemblance: f64,
    /// Containment of the first in the second, then of the second in the first.
    pub containments: [f64; 2],
    /// Whether quoted lines were left out of the text of one document.
    pub is_quoting: bool,
}

impl KnownSignals {
    /// The greater of both containments.
    pub(crate) fn most_contained(&self) -> f64 {
        self.containments[0].max(self.containments[1])
    }

    /// The value of a signal of [`Cost::Known`]; `None` if it is not known, or needs the texts.
    pub fn value(&self, signal: Signal) -> Option<f64> {
        let flag = |known: Option<bool>| known.map(|same| f64::from(u8::from(same)));
        match signal {
            Signal::SameRoot => flag(self.same_root),
            Signal::SameFolder => flag(self.same_folder),
            Signal::SameAuthor => flag(self.same_author),
            Signal::SameName => self.same_name,
            Signal::LengthDistance => Some(length_distance(self.lengths)),
            Signal::Resemblance => Some(self.resemblance),
            Signal::ContainmentLeast => Some(self.containments[0].min(self.containments[1])),
            Signal::ContainmentMost => Some(self.most_contained()),
            _ => None,
        }
    }
}

/// Body-length distance (Huffman et al. 2007, §3.2.1): |len(A) − len(B)| / max(len(A), len(B)), 0 for two empty texts.
/// The body is the canonical text.
pub fn length_distance([a, b]: [u64; 2]) -> f64 {
    match a.max(b) {
        0 => 0.0,
        longest => a.abs_diff(b) as f64 / longest as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_distinct_names_and_come_by_cost() {
        for (at, signal) in Signal::ALL.into_iter().enumerate() {
            assert_eq!(signal.index(), at);
            assert_eq!(Signal::named(signal.name()), Some(signal));
        }
        assert!(Signal::ALL.is_sorted_by_key(|signal| signal.cost()));
        assert_eq!(
            Signal::ALL
                .map(Signal::is_of_place)
                .iter()
                .filter(|of| **of)
                .count(),
            4
        );
    }

    #[test]
    fn the_length_distance_by_hand() {
        assert_eq!(length_distance([0, 0]), 0.0);
        assert_eq!(length_distance([75, 100]), 0.25);
        assert_eq!(length_distance([100, 75]), 0.25);
        assert_eq!(length_distance([0, 9]), 1.0);
        assert_eq!(length_distance([u64::MAX, u64::MAX]), 0.0);
    }
}
