//! Compares any list of pairs with another, and groups with groups.
//!
//! After Ignatov, Jánosi-Rancz and Kuznetsov 2009, §3 (unit 8): pairs of the list, pairs found,
//! pairs of the list alone, pairs found alone, pairs in both. Lists of truth have errors of their
//! own (ibid., §4), so the disagreements are listed for review and not only counted.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};

/// Pairs of documents, by name, in no order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs(BTreeSet<(String, String)>);

impl Pairs {
    /// From any order, with repeats. A document paired with itself is no pair.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let sorted = pairs
            .into_iter()
            .map(|(a, b)| if a <= b { (a, b) } else { (b, a) });
        Self(sorted.filter(|(a, b)| a != b).collect())
    }

    /// Every pair of every group.
    pub fn of_groups(groups: &[Vec<String>]) -> Self {
        let pairs = groups.iter().flat_map(|group| {
            let firsts = group.iter().enumerate();
            firsts.flat_map(|(at, a)| group[at + 1..].iter().map(|b| (a.clone(), b.clone())))
        });
        Self::new(pairs)
    }

    /// One pair a line, the names parted by a tab; empty lines and those that begin with `#` and have
    /// no tab say nothing, nor does a byte order mark.
    ///
    /// # Errors
    /// The first line that is no pair, or that names no document of `known`.
    pub fn parse(list: &str, known: &BTreeSet<String>) -> Result<Self> {
        let mut pairs = Vec::new();
        let list = list.strip_prefix('\u{feff}').unwrap_or(list);
        for (number, line) in list.lines().enumerate() {
            let is_comment = line.starts_with('#') && !line.contains('\t');
            if line.trim().is_empty() || is_comment {
                continue;
            }
            let (a, b) = line.split_once('\t').with_context(|| {
                format!(
                    "line {}: no pair; give two names parted by a tab",
                    number + 1
                )
            })?;
            for name in [a, b] {
                if !known.contains(name) {
                    bail!(
                        "line {}: {name} is none of the {} documents; give names as the collection has them",
                        number + 1,
                        known.len()
                    );
                }
            }
            pairs.push((a.to_owned(), b.to_owned()));
        }
        Ok(Self::new(pairs))
    }

    /// The group of each document, where all that pairs join are in one: its first document's number.
    pub fn groups(&self, documents: &BTreeSet<String>) -> BTreeMap<String, u64> {
        let numbers: BTreeMap<&String, usize> = documents.iter().zip(0..).collect();
        let mut parents: Vec<usize> = (0..documents.len()).collect();
        let root = |parents: &mut Vec<usize>, mut at: usize| {
            while parents[at] != at {
                parents[at] = parents[parents[at]];
                at = parents[at];
            }
            at
        };
        for (a, b) in &self.0 {
            if let (Some(&a), Some(&b)) = (numbers.get(a), numbers.get(b)) {
                let (a, b) = (root(&mut parents, a), root(&mut parents, b));
                parents[a.max(b)] = a.min(b);
            }
        }
        let groups = documents.iter().enumerate();
        groups
            .map(|(at, name)| (name.clone(), root(&mut parents, at) as u64))
            .collect()
    }

    /// All of them, the smaller name of each first.
    pub fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// How pairs found agree with a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Pairs in both.
    pub common: usize,
    /// Pairs of the list that were not found, for review.
    pub missed: Vec<(String, String)>,
    /// Pairs found that the list does not have, for review.
    pub extra: Vec<(String, String)>,
}

impl Agreement {
    /// Holds what was found against a list.
    pub fn of(list: &Pairs, found: &Pairs) -> Self {
        Self {
            common: list.0.intersection(&found.0).count(),
            missed: list.0.difference(&found.0).cloned().collect(),
            extra: found.0.difference(&list.0).cloned().collect(),
        }
    }

    /// The five counts of the paper: list, found, of the list alone, found alone, common.
    pub fn counts(&self) -> [usize; 5] {
        let (missed, extra) = (self.missed.len(), self.extra.len());
        [
            self.common + missed,
            self.common + extra,
            missed,
            extra,
            self.common,
        ]
    }

    /// The share of pairs found that the list has; `None` if none was found.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.common, self.common + self.extra.len())
    }

    /// The share of the list that was found; `None` if it is empty.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.common, self.common + self.missed.len())
    }

    /// The harmonic mean of both; `None` if both lists are empty.
    pub fn f1(&self) -> Option<f64> {
        let [list, found, ..] = self.counts();
        ratio(2 * self.common, list + found)
    }
}

fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The adjusted Rand index of two groupings of the same documents (Hubert and Arabie 1985): 1 where
/// they are the same, 0 on average where they agree by chance alone.
///
/// # Errors
/// A document that only one of them has.
pub fn adjusted_rand(a: &BTreeMap<String, u64>, b: &BTreeMap<String, u64>) -> Result<f64> {
    if let Some(name) = a.keys().find(|name| !b.contains_key(*name)) {
        bail!("{name} is in the first grouping alone; group the same documents in both");
    }
    if let Some(name) = b.keys().find(|name| !a.contains_key(*name)) {
        bail!("{name} is in the second grouping alone; group the same documents in both");
    }
    let (mut cells, mut rows, mut columns) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for ((_, &in_a), (_, &in_b)) in a.iter().zip(b) {
        *cells.entry((in_a, in_b)).or_insert(0u64) += 1;
        *rows.entry(in_a).or_insert(0u64) += 1;
        *columns.entry(in_b).or_insert(0u64) += 1;
    }
    let pairs = |count: &u64| (count * count.saturating_sub(1) / 2) as f64;
    let together: f64 = cells.values().map(pairs).sum();
    let in_a: f64 = rows.values().map(pairs).sum();
    let in_b: f64 = columns.values().map(pairs).sum();
    let all = pairs(&(a.len() as u64));
    let by_chance = if all > 0.0 { in_a * in_b / all } else { 0.0 };
    let most = (in_a + in_b) / 2.0;
    // Nothing grouped, or all in one group, in both: the same grouping.
    let same = most == by_chance;
    Ok(if same {
        1.0
    } else {
        (together - by_chance) / (most - by_chance)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(of: &[(&str, &str)]) -> Pairs {
        Pairs::new(of.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())))
    }

    #[test]
    fn five_counts_and_three_measures() {
        let list = pairs(&[("a", "b"), ("b", "c"), ("c", "d")]);
        let found = pairs(&[("b", "a"), ("a", "b"), ("d", "e"), ("a", "a")]);
        let agreement = Agreement::of(&list, &found);
        assert_eq!(agreement.counts(), [3, 2, 2, 1, 1]);
        assert_eq!(
            (agreement.precision(), agreement.recall()),
            (Some(0.5), Some(1.0 / 3.0))
        );
        assert_eq!(agreement.f1(), Some(0.4));
        assert_eq!(agreement.extra, [("d".to_owned(), "e".to_owned())]);
        assert_eq!(agreement.missed.len(), 2);
    }

    #[test]
    fn nothing_has_no_measure() {
        let (none, some) = (pairs(&[]), pairs(&[("a", "b")]));
        let found = Agreement::of(&none, &some);
        assert_eq!((found.precision(), found.recall()), (Some(0.0), None));
        assert_eq!(Agreement::of(&none, &none).f1(), None);
    }

    #[test]
    fn a_list_is_read_and_what_it_names_must_be_there() {
        let known: BTreeSet<String> = ["a", "b c"].map(str::to_owned).into();
        let list = Pairs::parse("# truth\n\nb c\ta\n", &known).unwrap();
        assert_eq!(
            (list, Pairs::default().is_empty()),
            (pairs(&[("a", "b c")]), true)
        );
        let unknown = Pairs::parse("a\tb c\na\tx", &known)
            .unwrap_err()
            .to_string();
        assert!(
            unknown.starts_with("line 2: x is none of the 2 documents"),
            "{unknown}"
        );
        assert!(Pairs::parse("a b", &known).is_err());
        let marked = Pairs::parse("\u{feff}b c\ta\n", &known).unwrap();
        assert_eq!(marked, pairs(&[("a", "b c")]));
    }

    #[test]
    fn groups_are_pairs_too() {
        let groups = [vec!["a", "b", "c"], vec!["d"], vec!["e", "f"]];
        let groups = groups.map(|group| group.into_iter().map(str::to_owned).collect());
        assert_eq!(Pairs::of_groups(&groups).len(), 4);
    }

    #[test]
    fn pairs_join_documents_into_groups() {
        let known: BTreeSet<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).into();
        let groups = pairs(&[("c", "e"), ("b", "c")]).groups(&known);
        let groups: Vec<u64> = groups.into_values().collect();
        assert_eq!(groups, [0, 1, 1, 3, 1]);
    }

    #[test]
    fn the_adjusted_rand_index_by_hand() {
        let grouping = |of: &[u64]| -> BTreeMap<String, u64> {
            of.iter()
                .enumerate()
                .map(|(at, &group)| (format!("{at:02}"), group))
                .collect()
        };
        let index = |a: &[u64], b: &[u64]| adjusted_rand(&grouping(a), &grouping(b));
        assert_eq!(index(&[1, 1, 2, 2], &[7, 7, 5, 5]).unwrap(), 1.0);
        assert_eq!(index(&[1, 2, 3], &[4, 5, 6]).unwrap(), 1.0);
        assert_eq!(index(&[1], &[1]).unwrap(), 1.0);
        // Contingency 1 1 0, 1 1 0, 0 0 2: 1 pair together, 3 in either, 15 in all.
        let found = index(&[0, 0, 1, 1, 2, 2], &[0, 1, 0, 1, 2, 2]).unwrap();
        assert!((found - (1.0 - 0.6) / (3.0 - 0.6)).abs() < 1e-12, "{found}");
        assert!(index(&[1, 1], &[1, 1, 1]).is_err());
    }
}
