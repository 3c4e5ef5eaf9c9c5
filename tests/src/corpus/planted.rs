//! A repository of texts in known relations: families of versions whose sizes follow a power law, forms filled in, and
//! originals with what was made of each: edited copies, excerpts, the same in another order, with more, or quoted.

use super::{Prose, Random, Versions, word};
use crate::near_duplicates::operation::{self, Operation, Stock};

/// What a document of [`Planted`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// One version of many.
    Version,
    /// A form filled in: all but an eighth is the same in a hundred of them, which resemble one another at about 0.78.
    Form,
    /// A text that the following kinds were made of.
    Original,
    /// So many words of a thousand replaced.
    Edited(u32),
    /// Paragraphs in another order.
    Reordered,
    /// With an eighth more at the end.
    Appended,
    /// A mail with a reply above the whole text.
    Mail,
    /// So many words of a hundred, in one piece.
    Excerpt(u32),
}

impl Kind {
    /// One original and what is made of it, each once.
    const SET: [Self; 10] = [
        Self::Original,
        Self::Edited(5),
        Self::Edited(20),
        Self::Edited(100),
        Self::Reordered,
        Self::Appended,
        Self::Mail,
        Self::Excerpt(5),
        Self::Excerpt(15),
        Self::Excerpt(50),
    ];

    /// Its name in tables.
    pub fn name(self) -> String {
        match self {
            Self::Version => "version".to_owned(),
            Self::Form => "form".to_owned(),
            Self::Original => "original".to_owned(),
            Self::Edited(thousandths) => format!("edited {}%", f64::from(thousandths) / 10.0),
            Self::Reordered => "reordered".to_owned(),
            Self::Appended => "appended".to_owned(),
            Self::Mail => "mail".to_owned(),
            Self::Excerpt(percent) => format!("excerpt {percent}%"),
        }
    }
}

/// The repository: any document of it is made alone, from its number. Half of all are versions, a twentieth are forms;
/// three in ten of all but excerpts begin with one of five letterheads.
#[derive(Clone, Debug)]
pub struct Planted {
    seed: u64,
    documents: u64,
    /// Sizes of the families of versions, and the number of the first document of each.
    families: Vec<(u64, u64)>,
}

impl Planted {
    /// Of the largest family, in a repository that is large enough.
    const LARGEST: u64 = 2_500;
    /// Forms of one template.
    const TEMPLATE: u64 = 100;
    /// Words of a version and of a form.
    const WORDS: usize = 600;
    /// Words of an original: this many, and up to as many again twice.
    const LEAST_WORDS: u64 = 400;
    const PARAGRAPH: usize = 50;
    const LETTERHEAD: usize = 40;
    const LETTERHEADS: u64 = 5;

    /// A repository of so many documents.
    pub fn new(seed: u64, documents: u64) -> Self {
        let largest = (documents / 10).min(Self::LARGEST);
        Self::with_families(seed, documents, family_sizes(documents / 2, largest))
    }

    /// A repository of so many documents, whose families have `size` versions each, at least one; the last family has what
    /// is left.
    pub fn with_families_of(seed: u64, documents: u64, size: u64) -> Self {
        let (versions, size) = (documents / 2, size.max(1));
        let firsts = (0..versions).step_by(usize::try_from(size).unwrap_or(usize::MAX));
        let sizes = firsts.map(|first| size.min(versions - first)).collect();
        Self::with_families(seed, documents, sizes)
    }

    fn with_families(seed: u64, documents: u64, sizes: Vec<u64>) -> Self {
        let mut first = 0;
        let families = sizes.into_iter().map(|size| {
            first += size;
            (size, first - size)
        });
        let families = families.collect();
        Self {
            seed,
            documents,
            families,
        }
    }

    /// Number of documents.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// What this document is.
    pub fn kind(&self, document: u64) -> Kind {
        match document {
            version if version < self.first_form() => Kind::Version,
            form if form < self.first_original() => Kind::Form,
            other => Kind::SET[((other - self.first_original()) % 10) as usize],
        }
    }

    /// The text of this document.
    pub fn text(&self, document: u64) -> String {
        let text = match self.kind(document) {
            Kind::Version => {
                let family = self
                    .families
                    .partition_point(|&(_, first)| first <= document)
                    - 1;
                let (size, first) = self.families[family];
                let versions = Versions::new(self.seed, Self::WORDS);
                versions.text(family as u64, document - first, size)
            }
            Kind::Form => {
                let form = document - self.first_form();
                let template = self.seed ^ 3 ^ (form / Self::TEMPLATE) << 32;
                Versions::new(template, Self::WORDS).near_miss(form)
            }
            kind => self.made(kind, document),
        };
        match (self.kind(document), self.letterhead(document)) {
            (Kind::Excerpt(_), _) | (_, None) => text,
            (_, Some(letterhead)) => format!("{letterhead}\n\n{text}"),
        }
    }

    fn first_form(&self) -> u64 {
        self.documents / 2
    }

    fn first_original(&self) -> u64 {
        self.first_form() + self.documents / 20
    }

    fn letterhead(&self, document: u64) -> Option<String> {
        let mut random = Random::new(self.seed ^ 4, document);
        random.chance(0.3).then(|| {
            let stream = u64::MAX - random.below(Self::LETTERHEADS);
            prose(&mut Random::new(self.seed ^ 5, stream), Self::LETTERHEAD)
        })
    }

    /// The original of a set.
    fn original(&self, set: u64) -> String {
        let mut random = Random::new(self.seed ^ 6, set);
        let words = Self::LEAST_WORDS + random.below(2 * Self::LEAST_WORDS);
        prose(&mut random, words as usize)
    }

    /// A document of a set.
    fn made(&self, kind: Kind, document: u64) -> String {
        let set = (document - self.first_original()) / Kind::SET.len() as u64;
        let original = self.original(set);
        let mut random = Random::new(self.seed ^ 7, document);
        let words: Vec<&str> = original.split(' ').collect();
        match kind {
            Kind::Edited(thousandths) => {
                let percent = f64::from(thousandths) / 10.0;
                self.edited(&original, Operation::Replace { percent }, set, &mut random)
            }
            Kind::Reordered => {
                let percent = 100.0;
                self.edited(&original, Operation::Reorder { percent }, set, &mut random)
            }
            Kind::Appended => {
                let more = prose(&mut random, words.len() / 8);
                format!("{original}\n\n{more}")
            }
            Kind::Mail => {
                let reply = 20 + random.below(200) as usize;
                let reply = prose(&mut random, reply);
                format!("{reply}\n\n-----Original Message-----\n\n{original}")
            }
            Kind::Excerpt(percent) => {
                let length = words.len() * percent as usize / 100;
                let from = random.below((words.len() - length) as u64) as usize;
                words[from..from + length].join(" ")
            }
            Kind::Original | Kind::Version | Kind::Form => original,
        }
    }

    /// A text edited with words of another.
    fn edited(&self, text: &str, by: Operation, set: u64, random: &mut Random) -> String {
        let other = self.original(set + 1);
        let stock = Stock::of([other.as_str()].into_iter());
        operation::chain(text, &[by], &stock, random).0
    }
}

/// Random words, in paragraphs.
fn prose(random: &mut Random, words: usize) -> String {
    let words: Vec<String> = Prose::words(random, words).into_iter().map(word).collect();
    let paragraphs = words
        .chunks(Planted::PARAGRAPH)
        .map(|words| words.join(" "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Sizes of families that fall with their rank from the largest, of so many documents in all.
pub fn family_sizes(documents: u64, largest: u64) -> Vec<u64> {
    let (mut sizes, mut left) = (Vec::new(), documents);
    while left > 0 {
        let rank = sizes.len() as u64 + 1;
        let size = (largest / rank).clamp(1, left);
        sizes.push(size);
        left -= size;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use simdex_oracle::ratios;
    use simdex_signature::CanonicalText;

    use super::*;

    fn canonical(text: &str) -> CanonicalText {
        CanonicalText::from_extracted(text)
    }

    #[test]
    fn families_are_as_described() {
        let sizes = family_sizes(25_000, 2_500);
        assert_eq!(sizes[..3], [2_500, 1_250, 833]);
        assert_eq!(sizes.iter().sum::<u64>(), 25_000);
        assert_eq!(
            *Planted::new(1, 100_000).families.first().unwrap(),
            (2_500, 0)
        );
        let equal = Planted::with_families_of(1, 220, 25);
        assert_eq!(equal.families[..2], [(25, 0), (25, 25)]);
        assert_eq!(equal.families.last().unwrap(), &(10, 100));
    }

    #[test]
    fn kinds_and_letterheads_have_their_shares_and_no_text_comes_twice() {
        let planted = Planted::new(1, 2_000);
        let (mut kinds, mut texts, mut letterheads) = (BTreeMap::new(), HashSet::new(), 0);
        for document in 0..2_000 {
            *kinds.entry(planted.kind(document)).or_insert(0) += 1;
            letterheads += u32::from(planted.letterhead(document).is_some());
            assert!(
                texts.insert(canonical(&planted.text(document)).hash()),
                "{document}"
            );
        }
        assert_eq!((kinds[&Kind::Version], kinds[&Kind::Form]), (1_000, 100));
        assert_eq!((kinds[&Kind::Mail], kinds[&Kind::Excerpt(5)]), (90, 90));
        assert!((500..700).contains(&letterheads), "{letterheads}");
    }

    #[test]
    fn what_is_made_of_an_original_relates_to_it_as_described() {
        let planted = Planted::new(1, 2_000);
        let first = planted.first_original();
        let bare = |document| canonical(&planted.made(planted.kind(document), document));
        for set in (first..2_000).step_by(10).take(20) {
            for (at, kind) in Kind::SET.into_iter().enumerate().skip(1) {
                let found = ratios(&bare(set), &bare(set + at as u64)).unwrap();
                let (figure, bounds) = match kind {
                    Kind::Edited(5) => (found.resemblance, 0.93..1.0),
                    Kind::Edited(20) => (found.resemblance, 0.8..0.95),
                    Kind::Edited(_) => (found.resemblance, 0.35..0.7),
                    Kind::Reordered => (found.resemblance, 0.75..1.0),
                    Kind::Excerpt(_) => (found.containment_of_b, 0.85..1.01),
                    _ => (found.containment_of_a, 0.99..1.01),
                };
                assert!(bounds.contains(&figure), "{kind:?}: {found:?}");
            }
        }
    }

    #[test]
    fn versions_resemble_one_another_and_forms_nearly_do() {
        let planted = Planted::new(1, 2_000);
        let bare = |document: u64| {
            let text = planted.text(document);
            let text = match planted.letterhead(document) {
                Some(letterhead) => text[letterhead.len()..].to_owned(),
                None => text,
            };
            canonical(&text)
        };
        let resemblance = |a, b| ratios(&bare(a), &bare(b)).unwrap().resemblance;
        assert!(resemblance(0, 1) > 0.8);
        assert!(resemblance(0, planted.families[1].1) < 0.1);
        let form = planted.first_form();
        let near = resemblance(form, form + 1);
        assert!((0.7..0.8).contains(&near), "{near}");
    }
}
