//! Rules learned from made examples, the search for a test held against trying each.

use proptest::prelude::*;

use super::grow::{Sample, pruned};
use super::*;

fn example(values: &[f64], is_target: bool) -> Example {
    Example {
        values: values.to_vec(),
        is_target,
    }
}

/// Points of a square; the class is that of two rectangles, one label in `noise` is turned.
fn rectangles(count: usize, noise: u64) -> Vec<Example> {
    let mut random = Random::new(7, 1);
    let made = (0..count).map(|_| {
        let [x, y, idle] = [(); 3].map(|()| (random.unit() * 100.0).round() / 100.0);
        let is_inside = (x <= 0.3 && y > 0.5) || (x > 0.8 && y <= 0.4);
        let is_turned = noise > 0 && random.below(noise) == 0;
        example(&[x, y, idle], is_inside != is_turned)
    });
    made.collect()
}

fn right(rules: &RuleList, examples: &[Example]) -> f64 {
    let right = examples
        .iter()
        .filter(|of| rules.is_target(&of.values) == of.is_target);
    right.count() as f64 / examples.len() as f64
}

#[test]
fn two_rectangles_are_two_rules() {
    let examples = rectangles(2_000, 0);
    let rules = learned(&examples[..1_500], 1);
    assert_eq!(rules, learned(&examples[..1_500], 1), "the seed decides");
    assert!((2..=4).contains(&rules.0.len()), "{rules:?}");
    assert!(right(&rules, &examples[1_500..]) > 0.98, "{rules:?}");
    let idle = rules.0.iter().flat_map(|rule| &rule.0);
    assert!(idle.filter(|of| of.column == 2).count() <= 1, "{rules:?}");
}

#[test]
fn noise_is_not_learned() {
    let noisy = rectangles(2_000, 20);
    let rules = learned(&noisy, 1);
    assert!(rules.0.len() <= 5, "{rules:?}");
    assert!(right(&rules, &rectangles(2_000, 0)) > 0.97, "{rules:?}");
}

#[test]
fn nothing_to_tell_apart_is_no_rule() {
    assert_eq!(learned(&[], 1), RuleList::default());
    let mut random = Random::new(3, 3);
    let alike: Vec<Example> = (0..300)
        .map(|_| example(&[0.5], random.below(4) == 0))
        .collect();
    assert_eq!(learned(&alike, 1), RuleList::default());
    let one_class: Vec<Example> = (0..50).map(|at| example(&[f64::from(at)], false)).collect();
    assert_eq!(learned(&one_class, 1), RuleList::default());
}

#[test]
fn a_rule_that_errs_elsewhere_is_cut_back() {
    let rule = Rule(vec![
        Condition {
            column: 0,
            threshold: 0.5,
            is_at_most: true,
        },
        Condition {
            column: 1,
            threshold: 0.5,
            is_at_most: true,
        },
    ]);
    let examples = [
        example(&[0.1, 0.9], true),
        example(&[0.2, 0.8], true),
        example(&[0.3, 0.1], false),
        example(&[0.9, 0.1], false),
    ];
    let sample = Sample::of(&examples);
    let kept = pruned(&sample, &[0, 1, 2, 3], rule.clone());
    assert_eq!(kept.0, rule.0[..1]);
}

proptest! {
    #[test]
    fn the_first_test_of_a_rule_gains_as_much_as_any(
        made in prop::collection::vec((prop::array::uniform2(0_u8..6), any::<bool>()), 2..40),
    ) {
        let examples: Vec<Example> = made
            .iter()
            .map(|(values, is_target)| example(&values.map(f64::from), *is_target))
            .collect();
        let all: Vec<usize> = (0..examples.len()).collect();
        let share = |members: &[&Example]| {
            let target = members.iter().filter(|of| of.is_target).count();
            (target as f64, target as f64 / members.len() as f64)
        };
        let gain = |condition: &Condition| {
            let covered: Vec<&Example> = examples.iter().filter(|of| condition.holds(&of.values)).collect();
            if covered.is_empty() { return 0.0; }
            let (target, precision) = share(&covered);
            let before = share(&examples.iter().collect::<Vec<_>>()).1;
            if target == 0.0 { 0.0 } else { target * (precision.log2() - before.log2()) }
        };
        let each = (0..2).flat_map(|column| (0..6).map(f64::from).flat_map(move |threshold| {
            [true, false].map(|is_at_most| Condition { column, threshold, is_at_most })
        }));
        let highest = each.map(|condition| gain(&condition)).fold(0.0, f64::max);
        let rule = grown(&Sample::of(&examples), &all, Rule::default());
        match rule.0.first() {
            Some(first) => prop_assert!((gain(first) - highest).abs() < 1e-9),
            None => prop_assert!(highest < 1e-9),
        }
    }
}
