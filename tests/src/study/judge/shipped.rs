//! The shipped model on generated pairs that it was not trained on: a worse one does not pass.
//!
//! Its training pairs are of other seeds, and of real texts. What is measured here is what a build can measure anywhere;
//! the figures of ARCHITECTURE are of `study huffman-table2`, which wants the real documents.

use simdex_judge::evaluation::Quality;
use simdex_judge::{Answered, Class, Model, Signal};

use crate::labelled::{Body, Document, LabelledPair, Tongue, generated, measured, standard};
use crate::study::template_pairs;

/// Texts that are in no training pair.
const SEED: u64 = 3_007;
const TEXTS: u64 = 40;
/// F1 below which a model is worse than the one that ships.
const LEAST_F1: f64 = 0.93;
const LEAST_PRECISION: f64 = 0.95;
/// F1 of forms of a manner never trained on, below which a model is worse than the one that ships.
const LEAST_F1_OF_FORMS: f64 = 0.88;
const LEAST_PRECISION_OF_FORMS: f64 = 0.88;

#[test]
fn the_shipped_model_tells_generated_pairs() {
    let model = Model::shipped().unwrap();
    let pairs = generated::pairs(SEED, TEXTS, Tongue::English);
    let mut quality = Quality::default();
    for (pair, measured) in measured(&pairs, Body::Shown) {
        let Answered { class, doubt, .. } = model.answer(&measured.pair.values, measured.caveats);
        quality.add_answer(pair.class, class, doubt);
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
        let Answered { class, doubt, .. } = model.answer(&values, pair.caveats(Body::Shown));
        false_pairs += u32::from(doubt.is_none() && class.is_duplicate());
    }
    assert!(pairs > 400, "{pairs}");
    assert_eq!(false_pairs, 0, "of {pairs} pairs");
}

/// No word of them differs, so that nothing can be said of words that do: the model must not take that for an answer.
#[test]
fn a_list_in_another_order_is_not_one_document_by_the_shipped_model() {
    let model = Model::shipped().unwrap();
    let name = |at: u64| at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24;
    let entry = |at: u64| format!("{:x}, {at} to a box\n", name(at));
    let list = |step: u64| -> String {
        let entries = (0..60).map(|at| entry(at * step % 60 + 1));
        format!("Prices of the season\n\n{}", entries.collect::<String>())
    };
    for step in [7, 11, 23, 37] {
        let pair = LabelledPair {
            kind: "list",
            source: 0,
            family: 0,
            class: Class::TemplateOnly,
            documents: [1, step].map(|step| Document::new(&list(step))),
        };
        let values = pair.values(Body::Shown).unwrap();
        assert_eq!(values.get(Signal::DifferenceRarity), None);
        let answered = model.answer(&values, pair.caveats(Body::Shown));
        let is_called_one = answered.doubt.is_none() && answered.class.is_duplicate();
        assert!(!is_called_one, "{step}: {answered:?} {values:?}");
    }
}

/// Long forms of a manner that the model has seen nothing of: contracts of other parties are not the same, nor versions of
/// one another, and a contract is not the same as its amendment.
#[test]
fn long_forms_of_other_parties_are_not_one_document_by_the_shipped_model() {
    let model = Model::shipped().unwrap();
    let pairs = standard::held_out(SEED, TEXTS);
    let mut quality = Quality::default();
    let mut long = 0;
    for (pair, measured) in measured(&pairs, Body::Shown) {
        let Answered { class, doubt, .. } = model.answer(&measured.pair.values, measured.caveats);
        quality.add_answer(pair.class, class, doubt);
        let length = pair.documents[0]
            .text(Body::Shown)
            .canonical()
            .as_bytes()
            .len();
        long += u32::from(length > 10_000);
    }
    assert!(long >= 90, "{long}");
    let [_, versions, forms, _] = quality.confusion;
    let of = |judged: [u32; 4]| judged.iter().sum::<u32>();
    assert!(100 * forms[0] <= of(forms), "{quality:?}");
    assert!(100 * versions[0] <= of(versions), "{quality:?}");
    let (f1, precision) = (quality.f1(), quality.precision());
    assert!(f1 >= LEAST_F1_OF_FORMS, "{f1} {quality:?}");
    assert!(
        precision >= LEAST_PRECISION_OF_FORMS,
        "{precision} {quality:?}"
    );
}
