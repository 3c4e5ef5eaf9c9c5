//! Labelled pairs of generated texts, the same on every machine.

use simdex_judge::Class;

use super::cases::Cases;
use super::prose::Prose;
use super::{Document, LabelledPair};
use crate::near_duplicates::Stock;

/// Pairs of so many generated texts.
pub fn pairs(seed: u64, texts: u64) -> Vec<LabelledPair> {
    let written: Vec<String> = (0..texts).map(|number| text(seed, number)).collect();
    let stock = Stock::of(written.iter().map(String::as_str));
    let mut pairs = Vec::new();
    for (source, text) in (0..).zip(&written) {
        let others = following(&written, source as usize);
        let cases = Cases {
            source,
            seed,
            stock: &stock,
            others: &others,
        };
        pairs.extend(cases.of_text(text));
        pairs.push(cases.sorted());
        pairs.extend(cases.forms(3));
        let other = Document::new(&others[0]);
        pairs.push(LabelledPair {
            kind: "unrelated",
            source,
            class: Class::Unrelated,
            documents: [Document::new(text), other],
        });
    }
    pairs
}

/// The texts that follow one, round in a circle.
pub(super) fn following(texts: &[String], at: usize) -> Vec<String> {
    let following = (1..=3).map(|step| texts[(at + step) % texts.len()].clone());
    following.collect()
}

/// A text of 3 to 40 paragraphs.
fn text(seed: u64, number: u64) -> String {
    let mut prose = Prose::new(seed, number);
    let shortness = 1.0 + 12.0 * prose.random().unit();
    let title = prose.title();
    format!(
        "{title}\n\n{}",
        prose.paragraphs((40.0 / shortness) as u64).join("\n\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled::{Body, is_candidate};
    use simdex_judge::Signal;
    use std::collections::BTreeMap;

    #[test]
    fn there_are_pairs_of_every_kind_and_they_follow_from_the_seed() {
        let made = pairs(1, 6);
        let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
        made.iter()
            .for_each(|pair| *kinds.entry(pair.kind).or_default() += 1);
        assert_eq!(kinds.len(), 15, "{kinds:?}");
        let values = |pairs: &[LabelledPair]| -> Vec<_> {
            pairs
                .iter()
                .take(20)
                .map(|pair| pair.values(Body::Shown))
                .collect()
        };
        assert_eq!(values(&made), values(&pairs(1, 6)));
        assert_ne!(values(&made), values(&pairs(2, 6)));
    }

    #[test]
    fn frames_and_redirections_are_seen_in_the_body_shown_alone() {
        for pair in pairs(3, 4)
            .iter()
            .filter(|pair| ["redirect", "framed"].contains(&pair.kind))
        {
            let resemblance = |body| pair.values(body).unwrap().get(Signal::Resemblance);
            assert!(
                resemblance(Body::Shown) > 0.2 + resemblance(Body::Fetched),
                "{}",
                pair.kind
            );
        }
    }

    #[test]
    fn most_pairs_would_be_brought_up_and_unrelated_ones_would_not() {
        let made = pairs(5, 8);
        let found = |pair: &&LabelledPair| {
            pair.values(Body::Shown)
                .is_some_and(|values| is_candidate(&values))
        };
        let (unrelated, others): (Vec<&LabelledPair>, Vec<_>) =
            made.iter().partition(|pair| pair.class == Class::Unrelated);
        assert!(!unrelated.iter().any(found));
        assert!(others.iter().copied().filter(|pair| found(pair)).count() * 10 > others.len() * 6);
    }
}
