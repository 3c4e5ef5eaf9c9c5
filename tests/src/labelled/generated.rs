//! Labelled pairs of generated texts, the same on every machine.

use super::cases::Cases;
use super::prose::Prose;
use super::{LabelledPair, Tongue};
use crate::near_duplicates::Stock;

/// Texts of one block: a text is put into collections with those of its block and no others, so that no text stands in
/// all sources.
const BLOCK: usize = 4;

/// Pairs of this many generated texts, at least four.
pub fn pairs(seed: u64, texts: u64, tongue: Tongue) -> Vec<LabelledPair> {
    let written: Vec<String> = (0..texts).map(|number| text(seed, number)).collect();
    let mut pairs = Vec::new();
    for (source, text) in (0..).zip(&written) {
        let others = of_block(&written, source as usize);
        // Edits put in paragraphs of the block alone, for the same reason.
        let stock = Stock::of(others.iter().map(String::as_str));
        let cases = Cases {
            source,
            family: source,
            tongue,
            seed,
            stock: &stock,
            others: &others,
        };
        pairs.extend(cases.of_text(text));
        pairs.push(cases.sorted());
        pairs.extend(cases.forms(3));
        pairs.extend(cases.records());
        pairs.push(cases.unrelated(text));
    }
    pairs
}

/// The other texts of the block that one stands in.
pub(super) fn of_block(texts: &[String], at: usize) -> Vec<String> {
    let first = (at - at % BLOCK).min(texts.len().saturating_sub(BLOCK));
    let block = texts.iter().enumerate().skip(first).take(BLOCK);
    let others = block.filter(|(other, _)| *other != at);
    others.map(|(_, text)| text.clone()).collect()
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
    use simdex_judge::{Class, Signal};
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn there_are_pairs_of_every_kind_and_they_follow_from_the_seed() {
        let made = pairs(1, 6, Tongue::English);
        let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
        made.iter()
            .for_each(|pair| *kinds.entry(pair.kind).or_default() += 1);
        assert_eq!(kinds.len(), 31, "{kinds:?}");
        let values = |pairs: &[LabelledPair]| -> Vec<_> {
            pairs
                .iter()
                .take(20)
                .map(|pair| pair.values(Body::Shown))
                .collect()
        };
        assert_eq!(values(&made), values(&pairs(1, 6, Tongue::English)));
        assert_ne!(values(&made), values(&pairs(2, 6, Tongue::English)));
    }

    #[test]
    fn collections_join_no_more_than_a_block() {
        let mut made = pairs(1, 8, Tongue::English);
        crate::labelled::sources::part(&mut made);
        let sources: BTreeSet<u64> = made.iter().map(|pair| pair.source).collect();
        assert!((2..=8).contains(&sources.len()), "{sources:?}");
        let texts: Vec<String> = (0..6).map(|at: u8| at.to_string()).collect();
        assert_eq!(of_block(&texts, 1), ["0", "2", "3"]);
        assert_eq!(of_block(&texts, 5), ["2", "3", "4"]);
        assert!(of_block(&texts[..1], 0).is_empty());
    }

    #[test]
    fn another_language_has_pairs_of_the_same_kinds() {
        let kinds = |tongue| -> Vec<(&str, Class)> {
            pairs(1, 4, tongue)
                .iter()
                .map(|pair| (pair.kind, pair.class))
                .collect()
        };
        assert_eq!(kinds(Tongue::English), kinds(Tongue::Ideographs));
    }

    #[test]
    fn frames_and_redirections_are_seen_in_the_body_shown_alone() {
        for pair in pairs(3, 4, Tongue::English)
            .iter()
            .filter(|pair| ["redirect", "framed"].contains(&pair.kind))
        {
            let resemblance = |body| pair.values(body).unwrap().get(Signal::Resemblance);
            assert!(
                resemblance(Body::Shown) > resemblance(Body::Fetched).map(|share| 0.2 + share),
                "{}",
                pair.kind
            );
        }
    }

    #[test]
    fn most_pairs_would_be_brought_up_and_unrelated_ones_would_not() {
        let made = pairs(5, 8, Tongue::English);
        let found = |pair: &&LabelledPair| {
            pair.values(Body::Shown)
                .is_some_and(|values| is_candidate(&values))
        };
        let related = made.iter().filter(|pair| pair.kind != "quotation");
        let (unrelated, others): (Vec<&LabelledPair>, Vec<_>) =
            related.partition(|pair| pair.class == Class::Unrelated);
        assert!(!unrelated.iter().any(found));
        assert!(others.iter().copied().filter(|pair| found(pair)).count() * 10 > others.len() * 6);
    }
}
