//! Whether two people give the same labels.

use simdex_signature::Fingerprint;

use super::share;
use crate::class::Class;

/// A simulated rater errs in one of this many pairs.
const ERRS_IN: u64 = 20;

/// Agreement on one class, for pairs that two people labelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassAgreement {
    /// The share of the pairs to which either gave the class for which both did (Huffman et al. 2007, §4).
    pub share: f64,
    /// Cohen's kappa of this class against all others.
    pub kappa: f64,
}

/// Agreement on pairs that two people labelled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Pairs labelled twice.
    pub pairs: u32,
    /// The share of pairs with one label from both.
    pub share: f64,
    /// Agreement beyond chance: Cohen's kappa (Cohen 1960), 1 if chance leaves nothing to disagree on.
    pub kappa: f64,
    /// Agreement by class; `None` for a class nobody gave.
    pub by_class: [Option<ClassAgreement>; Class::ALL.len()],
}

impl Agreement {
    /// Agreement of two simulated raters, each of whom gives a random class to one pair of twenty and the label to the
    /// others: a reference for pairs that only one person labelled. It says nothing about the labels, and is the same
    /// for the same labels.
    pub fn of_made_raters(labels: &[Class]) -> Self {
        let drawn = |at: usize, rater: u64| Fingerprint((at as u64) << 1 | rater).mixed();
        let says = |at: usize, label: Class, rater: u64| match drawn(at, rater) {
            drawn if drawn % ERRS_IN == 0 => {
                let any = drawn / ERRS_IN % Class::ALL.len() as u64;
                Class::ALL[any as usize]
            }
            _ => label,
        };
        let both = labels.iter().enumerate();
        let both = both.map(|(at, label)| (says(at, *label, 0), says(at, *label, 1)));
        Self::of(&both.collect::<Vec<_>>())
    }

    /// Agreement of two labels for each pair, those of the first person first.
    pub fn of(labels: &[(Class, Class)]) -> Self {
        let pairs = labels.len() as u32;
        let mut table = [[0_u32; Class::ALL.len()]; Class::ALL.len()];
        for (first, second) in labels {
            table[first.index()][second.index()] += 1;
        }
        let row = |class: Class| table[class.index()].iter().sum::<u32>();
        let column = |class: Class| table.iter().map(|row| row[class.index()]).sum::<u32>();
        let diagonal: u32 = Class::ALL
            .map(|class| table[class.index()][class.index()])
            .iter()
            .sum();
        let by_chance = |a: u32, b: u32| share(a, pairs) * share(b, pairs);
        let chance = Class::ALL.map(|class| by_chance(row(class), column(class)));
        let by_class = Class::ALL.map(|class| {
            let (first, second) = (row(class), column(class));
            let both = table[class.index()][class.index()];
            let either = first + second - both;
            let agreed = share(pairs - either + both, pairs);
            let chance = by_chance(first, second) + by_chance(pairs - first, pairs - second);
            (either > 0).then(|| ClassAgreement {
                share: share(both, either),
                kappa: kappa(agreed, chance),
            })
        });
        let agreed = share(diagonal, pairs);
        Self {
            pairs,
            share: agreed,
            kappa: kappa(agreed, chance.iter().sum()),
            by_class,
        }
    }
}

/// Agreement beyond what chance alone gives.
fn kappa(agreed: f64, by_chance: f64) -> f64 {
    match by_chance < 1.0 {
        true => (agreed - by_chance) / (1.0 - by_chance),
        false => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_raters_err_as_seldom_as_is_said() {
        let labels: Vec<Class> = (0..8_000)
            .map(|at| Class::ALL[at / 7 % Class::ALL.len()])
            .collect();
        let made = Agreement::of_made_raters(&labels);
        assert_eq!(made, Agreement::of_made_raters(&labels));
        // Each errs in 1 of 20, and 3 of 4 of these get another class.
        assert!((0.90..0.95).contains(&made.share), "{}", made.share);
        assert!(made.kappa < made.share && made.by_class.iter().all(Option::is_some));
        assert_eq!(Agreement::of_made_raters(&[]).pairs, 0);
    }
}
