//! A generator of near-duplicate collections: documents edited in known ways, by a known amount.
//!
//! After Ignatov, Jánosi-Rancz and Kuznetsov 2009, §3.2 and Table 1: six operations on paragraphs,
//! words and characters, in chains ([`operation`], [`chains`]); and Cherkasova et al. 2009, §3: insert "a " i
//! times or remove i words, at random or uniformly spread ([`spread`]). All of it follows from a
//! seed, and a log says what was done to which file and by how much.

use serde_json::{Value, json};

use crate::corpus::Random;

pub mod chains;
pub mod operation;
pub mod spread;

pub use operation::{Change, Operation, Stock};
pub use spread::{Spread, insert_a, remove_words};

/// How much there is of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Runs of lines with anything in them.
    pub paragraphs: usize,
    /// What ends with `.`, `!` or `?` before white space or the end of its paragraph.
    pub sentences: usize,
    /// Runs without white space.
    pub words: usize,
    /// Unicode characters, white space among them.
    pub characters: usize,
}

impl Size {
    /// The size of a text.
    pub fn of(text: &str) -> Self {
        let paragraphs = paragraphs(text);
        let sentences = paragraphs.iter().map(|paragraph| sentences(paragraph));
        Self {
            sentences: sentences.sum(),
            paragraphs: paragraphs.len(),
            words: text.split_whitespace().count(),
            characters: text.chars().count(),
        }
    }

    fn json(self) -> Value {
        json!({
            "paragraphs": self.paragraphs, "sentences": self.sentences,
            "words": self.words, "characters": self.characters,
        })
    }
}

/// The paragraphs of a text: what empty lines part.
pub fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let runs = lines.split(|line| line.trim().is_empty());
    let runs = runs.filter(|run| !run.is_empty());
    runs.map(|run| run.join("\n")).collect()
}

/// Sentences of a paragraph; one without an end is one too.
fn sentences(paragraph: &str) -> usize {
    let mut words = paragraph.split_whitespace().peekable();
    let mut count = 0;
    while let Some(word) = words.next() {
        let ends = word.ends_with(['.', '!', '?']) || words.peek().is_none();
        count += usize::from(ends);
    }
    count
}

/// A document of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The name that the log knows it by.
    pub name: String,
    /// All of its text.
    pub text: String,
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The document that was edited.
    pub input: String,
    /// The size of that document.
    pub size: Size,
    /// What it became.
    pub output: String,
    /// The size of that.
    pub edited: Size,
    /// What was done, in order.
    pub changes: Vec<Change>,
}

impl Entry {
    /// The entry as JSON.
    pub fn json(&self) -> Value {
        let changes: Vec<Value> = self.changes.iter().map(Change::json).collect();
        json!({
            "input": self.input, "size": self.size.json(),
            "output": self.output, "edited": self.edited.json(), "changes": changes,
        })
    }
}

/// A collection made by editing: the originals, the edited copies, and the log of how they relate.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// Originals first, then what was made of them, in the order of the log.
    pub documents: Vec<Document>,
    /// An entry for each edited copy.
    pub log: Vec<Entry>,
}

impl Collection {
    /// Applies every chain of operations to every document. A copy is named after its original and
    /// the number of its chain.
    pub fn generate(originals: &[Document], chains: &[Vec<Operation>], seed: u64) -> Self {
        let stock = Stock::of(originals.iter().map(|document| document.text.as_str()));
        let mut made = Self {
            documents: originals.to_vec(),
            log: Vec::new(),
        };
        for (place, original) in originals.iter().enumerate() {
            for (number, chain) in chains.iter().enumerate() {
                let mut random = Random::new(seed, (place * chains.len() + number) as u64);
                let (text, changes) = operation::chain(&original.text, chain, &stock, &mut random);
                let name = Self::name_of_copy(&original.name, number + 1);
                made.log.push(Entry {
                    input: original.name.clone(),
                    size: Size::of(&original.text),
                    output: name.clone(),
                    edited: Size::of(&text),
                    changes,
                });
                made.documents.push(Document { name, text });
            }
        }
        made
    }

    /// The name of the copy that a chain makes of an original; chains are numbered from 1.
    pub fn name_of_copy(original: &str, chain: usize) -> String {
        format!("{original}~{chain}")
    }

    /// All pairs of documents that come from one original.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for family in self.log.chunk_by(|a, b| a.input == b.input) {
            let copies = family.iter().map(|entry| &entry.output);
            let names: Vec<&String> = family[..1].iter().map(|e| &e.input).chain(copies).collect();
            for (at, name) in names.iter().enumerate() {
                let later = names[at + 1..].iter();
                pairs.extend(later.map(|other| ((*name).clone(), (*other).clone())));
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const TEXT: &str =
        "One line.\nTwo lines! And more.\n\nA second\n\n \n\nIs it a third? Yes, 2.5 times.\n";

    #[test]
    fn sizes_are_told() {
        let size = Size::of(TEXT);
        assert_eq!((size.paragraphs, size.sentences, size.words), (3, 6, 15));
        assert_eq!(size.characters, TEXT.len());
        assert_eq!(Size::of(""), Size::default());
    }

    #[test]
    fn a_collection_follows_from_its_seed_and_its_log_says_what_was_done() {
        let original = |name: &str| Document {
            name: name.to_owned(),
            text: format!("{TEXT}\n\n{name} has one more"),
        };
        let originals = [original("a"), original("b")];
        let chains = [
            vec![Operation::Delete { percent: 50.0 }],
            vec![
                Operation::Replace { percent: 20.0 },
                Operation::Repeat {
                    paragraphs: 1,
                    times: 2,
                },
            ],
        ];
        let made = Collection::generate(&originals, &chains, 1);
        assert_eq!(made, Collection::generate(&originals, &chains, 1));
        assert_ne!(made, Collection::generate(&originals, &chains, 2));
        let names: Vec<_> = made.documents.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "a~1", "a~2", "b~1", "b~2"]);
        assert_eq!(made.pairs().len(), 6);
        assert!(made.pairs().contains(&("b".into(), "b~2".into())));
        let entry = made.log[1].json();
        assert_eq!(entry["input"], "a");
        assert_eq!(entry["size"]["paragraphs"], 4);
        assert_eq!(entry["edited"]["paragraphs"], 6);
        assert_eq!(entry["changes"][1]["operation"], "repeat");
        let replaced = &entry["changes"][0]["parameters"];
        assert_eq!(replaced["percent"], 20.0);
    }
}
