//! Divides labelled pairs into sources, no two of which share a text.
//!
//! A model that has seen one version of a document is not tested fairly on another. Pairs belong to one source where they
//! were made of one text, and where a document of one resembles a document of the other, or holds it: 0.5 of either is the
//! least that is called a near-duplicate here. Families divide the same pairs more coarsely, by how they were made.
//!
//! What a reader sees of a page is compared. Shingles are sampled, one in 16 of all texts: the same of every length, so
//! that containments are told as well.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use simdex_signature::{Fingerprint, ModN, Rung, Window};

use super::{Body, LabelledPair};

/// The shingles that are compared: one in 16.
const SAMPLED: Rung = match Rung::new(4) {
    Some(rung) => rung,
    None => Rung::ZERO,
};
/// The share in common from which two documents are one text here.
const ONE_TEXT: f64 = 0.5;
/// Sampled shingles in common without which chance may have a part in it.
const LEAST_SHARED: u32 = 4;

/// Gives every pair the source and the family that it hangs together with.
pub fn part(pairs: &mut [LabelledPair]) {
    let mut by_source = Sets::new(pairs.len());
    join(&mut by_source, pairs.iter().map(|pair| pair.source));
    let documents = documents(pairs);
    for (a, b) in near_duplicates(&documents) {
        by_source.join(documents[a].pair, documents[b].pair);
    }
    let sources: Vec<u64> = (0..pairs.len()).map(|at| by_source.of(at) as u64).collect();
    let mut by_family = by_source;
    join(&mut by_family, pairs.iter().map(|pair| pair.family));
    for (at, pair) in pairs.iter_mut().enumerate() {
        pair.source = sources[at];
        pair.family = by_family.of(at) as u64;
    }
}

/// Joins all that have one key.
fn join(sets: &mut Sets, keys: impl Iterator<Item = u64>) {
    let mut first = HashMap::new();
    for (at, key) in keys.enumerate() {
        sets.join(*first.entry(key).or_insert(at), at);
    }
}

/// A document with one of the pairs it stands in.
struct Sampled {
    pair: usize,
    shingles: Vec<Fingerprint>,
}

/// Each document once, however many pairs it stands in.
fn documents(pairs: &[LabelledPair]) -> Vec<Sampled> {
    let mut known = HashSet::new();
    let mut documents = Vec::new();
    for (at, pair) in pairs.iter().enumerate() {
        for document in &pair.documents {
            if !known.insert(Rc::as_ptr(&document.shown)) {
                continue;
            }
            let text = document.text(Body::Shown).canonical();
            let signature = ModN::sign(text, Window::DEFAULT, SAMPLED);
            documents.push(Sampled {
                pair: at,
                shingles: signature.fingerprints().to_vec(),
            });
        }
    }
    documents
}

/// Pairs of documents that share enough, each with an earlier one. Time: the sum over shingles of how many documents
/// hold each, squared.
fn near_duplicates(documents: &[Sampled]) -> Vec<(usize, usize)> {
    let mut holders: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
    let mut shared = vec![0_u32; documents.len()];
    let mut found = Vec::new();
    for (at, document) in documents.iter().enumerate() {
        let mut met = Vec::new();
        for shingle in &document.shingles {
            let earlier = holders.entry(*shingle).or_default();
            for &other in earlier.iter() {
                if shared[other] == 0 {
                    met.push(other);
                }
                shared[other] += 1;
            }
            earlier.push(at);
        }
        for other in met {
            let count = std::mem::take(&mut shared[other]);
            let fewer = document.shingles.len().min(documents[other].shingles.len());
            // A resemblance of 0.5 is a containment of more than that.
            if count >= LEAST_SHARED && f64::from(count) >= ONE_TEXT * fewer as f64 {
                found.push((other, at));
            }
        }
    }
    found
}

/// Disjoint sets, each named by its least member.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn of(&mut self, mut member: usize) -> usize {
        while self.0[member] != member {
            self.0[member] = self.0[self.0[member]];
            member = self.0[member];
        }
        member
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Document, Prose};
    use super::*;
    use simdex_judge::Class;

    fn pair(source: u64, family: u64, texts: [&str; 2]) -> LabelledPair {
        LabelledPair {
            kind: "test",
            source,
            family,
            class: Class::Version,
            documents: texts.map(Document::new),
        }
    }

    #[test]
    fn pairs_that_share_a_text_become_one_source() {
        let text = |number: u64| Prose::new(5, number).paragraphs(12).join("\n\n");
        let [a, b, c, d] = [0, 1, 2, 3].map(text);
        let revised = format!("{a}\n\n{}", Prose::new(6, 0).paragraph(3));
        let holding = format!("{b}\n\n{}", text(7));
        let mut pairs = [
            pair(10, 1, [&a, "another text of its own"]),
            pair(20, 2, [&b, &c]),
            pair(30, 3, [&revised, "and one that is not it"]),
            pair(40, 4, [&d, &holding]),
            pair(
                50,
                2,
                ["a fifth one, of no other source", "and a sixth one"],
            ),
            pair(20, 5, ["a seventh text, of the second source", "an eighth"]),
        ];
        part(&mut pairs);
        let sources: Vec<u64> = pairs.iter().map(|pair| pair.source).collect();
        assert_eq!(sources, [0, 1, 0, 1, 4, 1]);
        let families: Vec<u64> = pairs.iter().map(|pair| pair.family).collect();
        assert_eq!(families, [0, 1, 0, 1, 1, 1]);
    }
}
