//! The shipped model on generated pairs that it was not trained on: a worse one does not pass.
//!
//! Its training pairs are of other seeds, and of real texts. What is measured here is what a build can measure anywhere;
//! the figures of ARCHITECTURE are of `study huffman-table2`, which wants the real documents.

use simdex_judge::evaluation::Quality;
use simdex_judge::{Class, Model};

use super::held_out::is_withheld;
use crate::labelled::{Body, Document, LabelledPair, Tongue, generated, measured};
use crate::study::template_pairs;

/// Texts that are in no training pair.
const SEED: u64 = 3_007;
const TEXTS: u64 = 40;
/// F1 below which a model is worse than the one that ships.
const LEAST_F1: f64 = 0.93;
const LEAST_PRECISION: f64 = 0.95;

/// What is given of a judgement: where numbers at the heads differ, none that takes both for one document.
fn given(model: &Model, pair: &LabelledPair, values: &simdex_judge::Values) -> Class {
    let judged = model.classify(values).0;
    match is_withheld(pair, judged) {
        true => Class::TemplateOnly,
        false => judged,
    }
}

#[test]
fn the_shipped_model_tells_generated_pairs() {
    let model = Model::shipped().unwrap();
    let pairs = generated::pairs(SEED, TEXTS, Tongue::English);
    let mut quality = Quality::default();
    for (pair, measured) in measured(&pairs, Body::Shown) {
        quality.add(pair.class, given(&model, pair, &measured.pair.values));
    }
    assert!(quality.pairs() > 300, "{quality:?}");
    let (f1, precision) = (quality.f1(), quality.precision());
    assert!(f1 >= LEAST_F1, "{f1} {quality:?}");
    assert!(precision >= LEAST_PRECISION, "{precision} {quality:?}");
}

#[test]
fn no_two_short_forms_are_one_document_by_the_shipped_model() {
    let model = Model::shipped().unwrap();
    let (texts, truth) = template_pairs::forms();
    let (mut pairs, mut false_pairs) = (0, 0);
    for (a, b) in template_pairs::pairs(&texts) {
        let pair = LabelledPair {
            kind: "short form",
            source: 0,
            family: 0,
            class: Class::TemplateOnly,
            documents: [a, b].map(|at| Document::new(&texts[at])),
        };
        let values = pair.values(Body::Shown);
        let Some(values) = values.filter(|_| !truth.contains(&(a, b))) else {
            continue;
        };
        pairs += 1;
        false_pairs += u32::from(given(&model, &pair, &values).is_duplicate());
    }
    assert!(pairs > 400, "{pairs}");
    assert_eq!(false_pairs, 0, "of {pairs} pairs");
}
