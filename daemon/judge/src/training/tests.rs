//! Training on pairs with a known rule.

use super::*;
use crate::doubt::Caveats;

/// Pairs in which resemblance shows unrelated ones, and mcd distinguishes the same from versions; some labels are
/// wrong.
fn pairs(count: usize, wrong: usize) -> Vec<LabelledSignals> {
    let unit = |at: usize, step: usize| (at * step % 1000) as f64 / 1000.0;
    let pair = |at: usize| {
        let (resemblance, mcd) = (unit(at, 617), unit(at, 389));
        let mut values = Values::unknown();
        values.0[Signal::Resemblance.index()] = Some(resemblance);
        values.0[Signal::Mcd.index()] = Some(mcd);
        let class = match (resemblance <= 0.4, mcd <= 0.25) {
            (true, _) => Class::Unrelated,
            (false, true) => Class::Same,
            (false, false) => Class::Version,
        };
        let class = if at < wrong {
            Class::TemplateOnly
        } else {
            class
        };
        LabelledSignals { values, class }
    };
    (0..count).map(pair).collect()
}

#[test]
fn the_rule_behind_the_labels_is_found() {
    let model = train(&pairs(900, 0), &Growth::default(), "found", "a rule").unwrap();
    assert_eq!(model.signals(), [Signal::Resemblance, Signal::Mcd]);
    let rules: Vec<String> = model
        .rules()
        .iter()
        .map(|counted| counted.rule.to_string())
        .collect();
    assert_eq!(rules.len(), 3, "{model}");
    assert!(rules[0].starts_with("resemblance <= 0.4"), "{model}");
    for pair in pairs(500, 0) {
        let answered = model.answer(&pair.values, Caveats::default());
        assert_eq!(answered.class, pair.class);
    }
}

#[test]
fn a_model_is_the_same_in_every_run_and_its_file_reads_back() {
    let trained = || train(&pairs(700, 30), &Growth::default(), "a", "b").unwrap();
    let model = trained();
    assert_eq!(model, trained());
    assert_eq!(Model::parse(&model.to_string()).unwrap(), model);
}

#[test]
fn what_a_cheap_signal_tells_is_not_asked_of_a_dear_one() {
    let model = train(&pairs(900, 0), &Growth::default(), "staged", "").unwrap();
    assert!(
        model
            .to_string()
            .lines()
            .nth(3)
            .unwrap()
            .starts_with("resemblance <= 0.4")
    );
    let dear = Growth {
        signals: vec![Signal::Mcd],
        ..Growth::default()
    };
    let model = train(&pairs(900, 0), &dear, "dear", "").unwrap();
    assert_eq!(model.signals(), [Signal::Mcd]);
}

#[test]
fn any_two_classes_with_enough_pairs_are_learned() {
    let two: Vec<_> = pairs(900, 0)
        .into_iter()
        .filter(|pair| pair.class != Class::Same)
        .collect();
    let model = train(&two, &Growth::default(), "two", "").unwrap();
    assert_eq!(model.signals(), [Signal::Resemblance]);
}

#[test]
fn too_little_to_learn_from_is_refused() {
    let refused = |pairs: &[LabelledSignals]| {
        let refused = train(pairs, &Growth::default(), "", "");
        refused.unwrap_err().to_string()
    };
    assert!(refused(&[]).contains("no labelled pair is left"));
    let few = pairs(300, 9);
    assert!(refused(&few).contains("pairs labelled template-only: 9, and at least 10"));
    let one: Vec<_> = pairs(300, 0)
        .into_iter()
        .filter(|pair| pair.class == Class::Same)
        .collect();
    assert!(refused(&one).starts_with("all labelled pairs are labelled same, and at least 10"));
}
