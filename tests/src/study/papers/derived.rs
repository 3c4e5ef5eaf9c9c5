//! Texts with copies that were made of them, and short notes of few templates beside them, all unlike: a list of pairs
//! that is true by the way it was made, with distinct documents that look alike.

use std::cmp::Ordering;

use anyhow::Result;
use simdex_signature::Fingerprint;
use simdex_signature::laboratory::{ShingleUnit, Shingler, Shingling};

use super::{SEED, ignatov, texts};
use crate::evaluation::Pairs;
use crate::near_duplicates::{Collection, Document};
use crate::study::Settings;

/// Texts that copies are made of.
const ORIGINALS: usize = 30;
/// Notes of which no copies are made.
const NOTES: usize = 400;

/// A collection and the pairs of it that were made of one text.
pub(super) struct Derived {
    pub(super) documents: Vec<Document>,
    pub(super) list: Pairs,
}

impl Derived {
    /// The shortest of the long texts with eleven copies each, and one in so many of the short notes.
    pub(super) fn of(settings: &Settings) -> Result<Self> {
        let named = |text: super::Text| Document {
            name: text.name,
            text: text.text,
        };
        let long = super::originals(settings, "long", "txt")?;
        let mut long: Vec<Document> = long.into_iter().map(named).collect();
        long.sort_by_key(|document| document.text.len());
        long.truncate(ORIGINALS);
        let made = Collection::generate(&long, &ignatov::chains(), SEED);
        let list = Pairs::new(made.pairs());
        let notes = texts(settings, "short", "md")?;
        let step = notes.len().div_ceil(NOTES).max(1);
        let notes = notes.into_iter().step_by(step).map(named);
        let mut documents = made.documents;
        documents.extend(notes);
        Ok(Self { documents, list })
    }

    /// The pairs whose sets resemble each other so much at least, of sets in the order of the documents: for each of
    /// these thresholds, the lowest first.
    pub(super) fn found<const N: usize>(
        &self,
        sets: &[Vec<Fingerprint>],
        thresholds: [f64; N],
    ) -> [Pairs; N] {
        let mut pairs = Vec::new();
        for (at, b) in sets.iter().enumerate() {
            for (other, a) in sets[..at].iter().enumerate() {
                let most = a.len().min(b.len()) as f64 / a.len().max(b.len()).max(1) as f64;
                if most >= thresholds[0] {
                    pairs.push((resemblance(a, b), other, at));
                }
            }
        }
        let name = |at: usize| self.documents[at].name.clone();
        thresholds.map(|threshold| {
            let found = pairs.iter().filter(|(seen, ..)| *seen >= threshold);
            Pairs::new(found.map(|(_, a, b)| (name(*a), name(*b))))
        })
    }
}

/// The distinct shingles of a text, ascending.
pub(super) fn shingles(text: &str, unit: ShingleUnit, length: u16) -> Result<Vec<Fingerprint>> {
    let shingler = Shingler::new(Shingling::new(unit, length, 1)?);
    Ok(distinct(shingler.shingles(text)))
}

/// Ascending, each once.
pub(super) fn distinct<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}

/// How many items two ascending lists have in common.
pub(super) fn common<T: Ord>(a: &[T], b: &[T]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut count = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let order = x.cmp(y);
        if order != Ordering::Greater {
            a.next();
        }
        if order != Ordering::Less {
            b.next();
        }
        count += usize::from(order == Ordering::Equal);
    }
    count
}

/// Members of both over members of either; 0 if both are empty.
pub(super) fn resemblance<T: Ord>(a: &[T], b: &[T]) -> f64 {
    let common = common(a, b);
    common as f64 / (a.len() + b.len() - common).max(1) as f64
}

/// The share of `part` that `whole` has; 0 where there is none.
pub(super) fn containment<T: Ord>(part: &[T], whole: &[T]) -> f64 {
    common(part, whole) as f64 / part.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_of_sets() {
        let [a, b, none] = [vec![3, 1, 2, 1], vec![5, 2, 3, 4], vec![]].map(distinct);
        assert_eq!(common(&a, &b), 2);
        assert_eq!(resemblance(&a, &b), 0.4);
        assert_eq!(containment(&a, &b), 2.0 / 3.0);
        assert_eq!(
            (resemblance(&none, &none), containment(&none, &a)),
            (0.0, 0.0)
        );
    }
}
