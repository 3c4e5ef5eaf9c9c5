//! Huffman et al. 2007, §5: the paper's figures are averages of two learners, C4.5 and Ripper. Both here, on the same
//! pairs, folds and seeds: the tree that judges, and rules of `ripper`.

use anyhow::Result;
use simdex_judge::evaluation::{Quality, SEEDS, SourcedPair, Validated, folds, median_first};
use simdex_judge::{Class, Signal};

use super::ripper::{Example, RuleList, learned};
use super::{labelled, of_texts, put, sourced, tenth, validated};
use crate::figure::Figures;
use crate::labelled::Body;
use crate::study::Settings;

/// Both learners on the similarity hash, on the paper's signals and on all of ours.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let labelled = labelled(settings, figures)?;
    let pairs = sourced(&labelled, Body::Shown);
    figures.put("pairs", pairs.len() as f64, "")?;
    let paper = [
        Signal::SameTitle,
        Signal::Mcd,
        Signal::SimhashDistance,
        Signal::TfIdfDistance,
    ];
    for (name, signals) in [
        ("similarity hash", &[Signal::SimhashDistance][..]),
        ("the paper's signals", &paper),
        ("all signals", &of_texts()),
    ] {
        let trees = validated(&pairs, signals)?;
        put(figures, &format!("{name}: tree"), &trees)?;
        let rules = nine_seeds(&pairs, signals);
        put(figures, &format!("{name}: rules"), &rules)?;
        let f1 = |runs: &[Validated]| runs.first().map_or(0.0, |run| run.quality.f1());
        let both = 50.0 * (f1(&trees) + f1(&rules));
        figures.put(&format!("{name}: average F"), tenth(both), "")?;
    }
    tell_rules(&pairs, figures)
}

/// Cross-validations of rules under all seeds, that of the median F1 first.
fn nine_seeds(pairs: &[SourcedPair], signals: &[Signal]) -> Vec<Validated> {
    let each = (0..SEEDS).map(|seed| Validated {
        quality: cross_validate(pairs, signals, seed),
        ..Validated::default()
    });
    median_first(each.collect())
}

fn cross_validate(pairs: &[SourcedPair], signals: &[Signal], seed: u64) -> Quality {
    let mut quality = Quality::default();
    for (learned_from, tested) in folds(pairs, seed) {
        let examples: Vec<&SourcedPair> = learned_from.iter().map(|at| &pairs[*at]).collect();
        let rules = Rules::learned(&examples, signals, seed);
        for at in tested {
            let judged = match rules.is_duplicate(&pairs[at], signals) {
                true => Class::Version,
                false => Class::Unrelated,
            };
            quality.add(pairs[at].pair.class, judged);
        }
    }
    quality
}

/// Rules for the rarer of duplicates and others.
struct Rules {
    list: RuleList,
    are_of_duplicates: bool,
}

impl Rules {
    fn learned(pairs: &[&SourcedPair], signals: &[Signal], seed: u64) -> Self {
        let duplicates = pairs.iter().filter(|of| of.pair.class.is_duplicate());
        let are_of_duplicates = 2 * duplicates.count() <= pairs.len();
        let example = |of: &&SourcedPair| Example {
            values: values(of, signals),
            is_target: of.pair.class.is_duplicate() == are_of_duplicates,
        };
        let examples: Vec<Example> = pairs.iter().map(example).collect();
        Self {
            list: learned(&examples, seed),
            are_of_duplicates,
        }
    }

    fn is_duplicate(&self, pair: &SourcedPair, signals: &[Signal]) -> bool {
        self.list.is_target(&values(pair, signals)) == self.are_of_duplicates
    }
}

fn values(pair: &SourcedPair, signals: &[Signal]) -> Vec<f64> {
    let values = &pair.pair.values;
    signals
        .iter()
        .map(|signal| values.number(*signal))
        .collect()
}

/// The rules of all pairs, as a person reads them.
fn tell_rules(pairs: &[SourcedPair], figures: &mut Figures<'_>) -> Result<()> {
    let signals = of_texts();
    let all: Vec<&SourcedPair> = pairs.iter().collect();
    let rules = Rules::learned(&all, &signals, 0);
    let class = match rules.are_of_duplicates {
        true => "a duplicate",
        false => "no duplicate",
    };
    figures.note(&format!("Rules from all pairs; a pair is {class} if"))?;
    for rule in &rules.list.0 {
        let tests = rule.0.iter().map(|test| {
            let sign = if test.is_at_most { "<=" } else { ">" };
            format!(
                "{} {sign} {:.3}",
                signals[test.column].name(),
                test.threshold
            )
        });
        figures.note(&format!("  {}", tests.collect::<Vec<_>>().join(" and ")))?;
    }
    Ok(())
}
