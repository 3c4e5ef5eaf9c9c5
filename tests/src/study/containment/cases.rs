//! Pairs of a part and a document that may hold it, in known relations.

use crate::corpus::Random;
use crate::labelled::Prose;
use crate::near_duplicates::{Operation, Stock, operation, paragraphs};
use crate::study::template_pairs;

/// Of all texts and edits.
const SEED: u64 = 2012;
/// Pairs of each kind.
const PAIRS: u64 = 30;

/// How a document relates to the part asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// It holds the part as it is or edited.
    Held,
    /// It holds a passage of the part.
    Excerpt,
    /// They share a frame, a phrase or a subject.
    Neither,
}

impl Truth {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Excerpt => "excerpt",
            Self::Neither => "neither",
        }
    }
}

/// Pairs that were made in one way.
pub(super) struct Kind {
    pub(super) name: String,
    pub(super) truth: Truth,
    /// A part, and the document that may hold it.
    pub(super) pairs: Vec<[String; 2]>,
}

/// Makes pairs; the number tells them apart.
fn kind(truth: Truth, name: impl Into<String>, pair: impl Fn(u64) -> [String; 2]) -> Kind {
    Kind {
        name: name.into(),
        truth,
        pairs: (0..PAIRS).map(pair).collect(),
    }
}

/// All kinds, those that are right first.
pub(super) fn kinds() -> Vec<Kind> {
    let mut kinds = held();
    kinds.extend([10, 25, 40, 50, 75, 90].map(|percent| {
        let name = format!("{percent} % of a text, in a collection");
        kind(Truth::Excerpt, name, |number| {
            let text = text(number);
            let passage = passage(&text, percent, number);
            [text, collection(&passage, number)]
        })
    }));
    kinds.extend(neither());
    kinds
}

/// What is held as it is or edited: excerpts in their originals and in other documents, texts in collections, versions.
fn held() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for percent in [5, 20, 50] {
        let name = format!("excerpt of {percent} %, in its original");
        kinds.push(kind(Truth::Held, name, |number| {
            let text = text(number);
            [passage(&text, percent, number), text]
        }));
        let name = format!("excerpt of {percent} %, in another document");
        kinds.push(kind(Truth::Held, name, |number| {
            let passage = passage(&text(number), percent, number);
            [passage.clone(), placed(&passage, number)]
        }));
    }
    for percent in [2.0, 5.0, 10.0, 20.0] {
        let name = format!("excerpt of 20 %, {percent} % of its words replaced, in another");
        kinds.push(kind(Truth::Held, name, |number| {
            let passage = passage(&text(number), 20, number);
            let edited = edited(&passage, percent, number);
            [passage, placed(&edited, number)]
        }));
    }
    for percent in [0.0, 2.0, 5.0, 10.0, 20.0] {
        let name = format!("whole text, {percent} % of its words replaced, in a collection");
        kinds.push(kind(Truth::Held, name, |number| {
            let text = text(number);
            let edited = edited(&text, percent, number);
            [text, collection(&edited, number)]
        }));
    }
    for percent in [0.5, 1.0, 2.0, 5.0, 10.0, 20.0] {
        let name = format!("version with {percent} % of its words replaced");
        kinds.push(kind(Truth::Held, name, |number| {
            let text = text(number);
            let edited = edited(&text, percent, number);
            [text, edited]
        }));
    }
    kinds
}

/// What shares a letterhead, clauses, a form, quotations or a subject.
fn neither() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for sentences in [2, 5, 15] {
        let name = format!("one letterhead, letters of {sentences} sentences");
        kinds.push(kind(Truth::Neither, name, |number| {
            [0, 1].map(|other| letter(number, other, sentences))
        }));
    }
    for percent in [10, 20, 30, 40, 50, 60, 70] {
        let name = format!("contracts, {percent} % standard clauses");
        kinds.push(kind(Truth::Neither, name, |number| {
            [0, 1].map(|other| contract(number, other, percent))
        }));
    }
    for sentences in [1, 3, 6] {
        let name = format!("one author, sentences of one quoted in the other: {sentences}");
        kinds.push(kind(Truth::Neither, name, |number| {
            let text = text(number);
            let mut author = Prose::new(SEED, number);
            *author.random() = Random::new(SEED ^ 7, number);
            let quoted: String = text.split_inclusive('.').skip(20).take(sentences).collect();
            let own = author.paragraphs(12).join("\n\n");
            [text, format!("{own}\n\n\"{}\"", quoted.trim())]
        }));
    }
    let (forms, _) = template_pairs::forms();
    // Every sixth is the revision of the one before.
    let form = |number: u64, other: u64| forms[(6 * number + 1 + other) as usize].clone();
    let name = "forms of one template, filled in";
    kinds.push(kind(Truth::Neither, name, |number| {
        [0, 1].map(|other| form(number, other))
    }));
    kinds.push(kind(Truth::Neither, "two texts", |number| {
        [number, number + PAIRS].map(text)
    }));
    kinds
}

/// A text of some 1,200 words.
fn text(number: u64) -> String {
    Prose::new(SEED, number).paragraphs(20).join("\n\n")
}

/// A run of words, this part of a text.
fn passage(text: &str, percent: usize, number: u64) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let length = words.len() * percent / 100;
    let from = Random::new(SEED ^ 1, number).below((words.len() - length + 1) as u64) as usize;
    words[from..from + length].join(" ")
}

fn edited(text: &str, percent: f64, number: u64) -> String {
    let other = self::text(number + 2 * PAIRS);
    let stock = Stock::of([other.as_str()].into_iter());
    let random = &mut Random::new(SEED ^ 2, number);
    operation::chain(text, &[Operation::Replace { percent }], &stock, random).0
}

/// Another text with a passage between two of its paragraphs.
fn placed(passage: &str, number: u64) -> String {
    let mut host = paragraphs(&text(number + PAIRS));
    host.insert(host.len() / 2, passage.to_owned());
    host.join("\n\n")
}

/// A passage among four other texts.
fn collection(passage: &str, number: u64) -> String {
    let others = [3, 4, 5, 6].map(|other| text(number + other * PAIRS));
    let [a, b, c, d] = others;
    [&a, &b, passage, &c, &d].map(str::to_owned).join("\n\n")
}

/// A letter with a head and a notice of some 70 words that all of one sender have.
fn letter(number: u64, other: u64, sentences: u64) -> String {
    let mut sender = Prose::new(SEED ^ 3, number);
    let (head, notice) = (sender.title(), sender.paragraph(4));
    let own = Prose::new(SEED ^ 4, 2 * number + other).paragraph(sentences);
    format!("{head}\n\n{own}\n\n{notice}")
}

/// A contract of 20 paragraphs, of which some are the same in all of one firm and the others its own.
fn contract(number: u64, other: u64, percent: usize) -> String {
    let standard = paragraphs(&Prose::new(SEED ^ 5, number).paragraphs(20).join("\n\n"));
    let own = paragraphs(
        &Prose::new(SEED ^ 6, 2 * number + other)
            .paragraphs(20)
            .join("\n\n"),
    );
    let is_standard = |at: usize| (at + 1) * percent / 100 > at * percent / 100;
    let pairs = standard.iter().zip(&own).enumerate();
    let chosen = pairs.map(|(at, (standard, own))| if is_standard(at) { standard } else { own });
    chosen.cloned().collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn kinds_are_named_apart_and_follow_from_the_seed() {
        let (first, second) = (kinds(), kinds());
        let names: BTreeSet<&str> = first.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names.len(), first.len());
        for (first, second) in first.iter().zip(&second) {
            assert_eq!(first.pairs, second.pairs, "{}", first.name);
            assert_eq!(first.pairs.len(), PAIRS as usize);
        }
    }

    #[test]
    fn a_contract_has_its_share_of_standard_clauses() {
        let [a, b] = [0, 1].map(|other| paragraphs(&contract(7, other, 30)));
        let same = a.iter().zip(&b).filter(|(a, b)| a == b).count();
        assert_eq!((a.len(), same), (20, 6));
    }
}
