//! Labels by pair of documents: which rater said what of each.

use std::collections::{BTreeMap, BTreeSet};

use simdex_judge::evaluation::Agreement;
use simdex_judge::{Class, Counts};
use simdex_schema::DocumentHash;

use super::{Label, LabelError, LabelledFile, RaterPair};

/// Labelled pairs of documents, by both hashes, the smaller one first.
pub(super) struct Pairs<'a>(pub(super) BTreeMap<[DocumentHash; 2], PairLabels<'a>>);

/// The labels of one pair.
pub(super) struct PairLabels<'a> {
    /// The files that were labelled first.
    pub(super) sides: [&'a LabelledFile; 2],
    /// The last verdict of each rater.
    pub(super) verdicts: BTreeMap<&'a str, Class>,
}

impl<'a> Pairs<'a> {
    /// Gathers labels, in the order in which they were made.
    pub(super) fn of(labels: &'a [Label]) -> Self {
        let mut pairs = BTreeMap::new();
        for label in labels {
            let [a, b] = &label.sides;
            let sides = match a.document.0 <= b.document.0 {
                true => [a, b],
                false => [b, a],
            };
            let pair = pairs.entry(sides.map(|side| side.document));
            let pair = pair.or_insert_with(|| PairLabels {
                sides,
                verdicts: BTreeMap::new(),
            });
            pair.verdicts.insert(&*label.rater, label.verdict);
        }
        Self(pairs)
    }

    /// Everyone who labelled anything.
    pub(super) fn raters(&self) -> BTreeSet<&'a str> {
        let of_pairs = self.0.values().flat_map(|pair| pair.verdicts.keys());
        of_pairs.copied().collect()
    }

    /// Refuses labels without a majority.
    pub(super) fn check_agreed(&self) -> Result<(), LabelError> {
        let is_disputed = |pair: &&PairLabels<'_>| pair.verdict().is_none() && !pair.is_identical();
        let Some(pair) = self.0.values().find(is_disputed) else {
            return Ok(());
        };
        let said = pair.verdicts.iter();
        let said: Vec<String> = said
            .map(|(rater, verdict)| format!("{rater} says {}", verdict.name()))
            .collect();
        let [a, b] = pair.sides.map(|side| side.path.display().to_string());
        let verdicts = said.join(", ");
        Err(LabelError::Contradiction { a, b, verdicts })
    }

    /// The agreement of every two raters who labelled the same pair.
    pub(super) fn agreements(&self) -> Vec<RaterPair> {
        let mut common: BTreeMap<[&str; 2], Vec<(Class, Class)>> = BTreeMap::new();
        for pair in self.0.values().filter(|pair| !pair.is_identical()) {
            let verdicts: Vec<_> = pair.verdicts.iter().collect();
            for (at, (first, of_first)) in verdicts.iter().enumerate() {
                for (second, of_second) in &verdicts[at + 1..] {
                    let both = common.entry([**first, **second]).or_default();
                    both.push((**of_first, **of_second));
                }
            }
        }
        let agreement = |(raters, labels): ([&str; 2], Vec<_>)| RaterPair {
            raters: raters.map(str::to_owned),
            agreement: Agreement::of(&labels),
            is_made: false,
        };
        common.into_iter().map(agreement).collect()
    }
}

impl PairLabels<'_> {
    /// The verdict of the most raters; `None` if there is a tie.
    pub(super) fn verdict(&self) -> Option<Class> {
        let mut counts = Counts::default();
        self.verdicts.values().for_each(|class| counts.add(*class));
        let most = counts.most();
        let of_most = counts.0[most.index()];
        let with_most = counts.0.iter().filter(|count| **count == of_most);
        (with_most.count() == 1).then_some(most)
    }

    /// Whether both files carry one text, which needs no judging.
    pub(super) fn is_identical(&self) -> bool {
        self.sides[0].document == self.sides[1].document
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(a: u8, b: u8, verdict: Class, rater: &str) -> Label {
        let side = |of: u8| LabelledFile {
            path: format!("/s/{of}").into(),
            document: DocumentHash([of; 32]),
        };
        Label {
            sides: [side(a), side(b)],
            verdict,
            rater: rater.to_owned(),
        }
    }

    #[test]
    fn the_last_word_of_each_rater_counts_and_the_majority_decides() {
        use Class::{Same, TemplateOnly, Version};
        let verdict = |labels: &[Label]| {
            let pairs = Pairs::of(labels);
            assert_eq!(pairs.0.len(), 1);
            pairs.0.values().next().unwrap().verdict()
        };
        let mut labels = vec![label(1, 2, Same, "ada"), label(2, 1, Version, "bo")];
        assert_eq!(verdict(&labels), None);
        let refused = Pairs::of(&labels).check_agreed().unwrap_err().to_string();
        assert_eq!(
            refused,
            "the labels of /s/1 and /s/2 contradict each other: ada says same, bo says version"
        );
        labels.push(label(1, 2, Version, "cy"));
        assert_eq!(verdict(&labels), Some(Version));
        labels.push(label(1, 2, TemplateOnly, "bo"));
        assert_eq!(verdict(&labels), None);
        labels.push(label(2, 1, Version, "ada"));
        assert_eq!(verdict(&labels), Some(Version));
        assert!(Pairs::of(&labels).check_agreed().is_ok());
    }

    #[test]
    fn raters_are_compared_two_by_two_on_what_both_labelled() {
        use Class::{Same, Unrelated};
        let labels = [
            label(1, 2, Same, "bo"),
            label(1, 2, Same, "ada"),
            label(1, 3, Unrelated, "ada"),
            label(3, 1, Unrelated, "bo"),
            label(1, 4, Same, "ada"),
            label(4, 1, Unrelated, "bo"),
            label(4, 1, Unrelated, "cy"),
            label(5, 5, Unrelated, "ada"),
            label(5, 5, Same, "bo"),
        ];
        let pairs = Pairs::of(&labels);
        assert_eq!(pairs.raters().len(), 3);
        let found = pairs.agreements();
        let raters: Vec<_> = found.iter().map(|pair| pair.raters.clone()).collect();
        assert_eq!(raters, [["ada", "bo"], ["ada", "cy"], ["bo", "cy"]]);
        let counted: Vec<_> = found.iter().map(|pair| pair.agreement.pairs).collect();
        assert_eq!(counted, [3, 1, 1]);
        assert_eq!(found[0].agreement.share, 2.0 / 3.0);
        assert!((found[0].agreement.kappa - 0.4).abs() < 1e-12);
    }
}
