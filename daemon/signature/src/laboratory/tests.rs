//! Every method against the definitions, through the front door.

use std::collections::BTreeSet;

use super::*;
use crate::compare::tests::texts;
use crate::{BswN, CanonicalText, Fingerprint, ModN, Rung, ShingleSet, Window, reference};
use proptest::prelude::*;

fn bytes(length: u16) -> Shingling {
    Shingling::new(ShingleUnit::Bytes, length, 1).unwrap()
}

fn signer(method: Method) -> Signer {
    let shingling = bytes(20);
    Signer::new(Recipe { method, shingling }).unwrap()
}

const METHODS: [Method; 11] = [
    Method::mod_n(25),
    Method::BswN { n: 25 },
    Method::min_n(100),
    Method::MinN {
        n: 100,
        order: Order::Matrix { seed: 1 },
    },
    Method::sketch_n(100),
    Method::SketchN {
        n: 40,
        family: Family::Scrambles { seed: 1 },
    },
    Method::SketchN {
        n: 40,
        family: Family::Matrices { seed: 1 },
    },
    Method::SketchN {
        n: 40,
        family: Family::Rabin,
    },
    Method::SketchN {
        n: 40,
        family: Family::Jenkins { seed: 1 },
    },
    Method::Winnowing { window: 10 },
    Method::WholeChunks { n: 25 },
];

proptest! {
    #[test]
    fn powers_of_two_are_the_product_s_own(text in "[a-d ]{0,500}", r in 0u8..6) {
        let text = CanonicalText::from_extracted(&text);
        let (rung, n) = (Rung::new(r).unwrap(), 1 << r);
        let mod_n = signer(Method::mod_n(n)).sign(text.as_str());
        prop_assert_eq!(mod_n.units(), ModN::sign(&text, Window::DEFAULT, rung).fingerprints().to_vec());
        let bsw_n = signer(Method::BswN { n }).sign(text.as_str());
        prop_assert_eq!(bsw_n.units(), BswN::sign(&text, Window::DEFAULT, rung).fingerprints().to_vec());
    }

    #[test]
    fn windows_of_the_product_are_shingles_here(text in "[a-d ]{0,500}", words: bool, w in 1u16..30) {
        let text = CanonicalText::from_extracted(&text);
        let window = if words { Window::words(w) } else { Window::bytes(w) }.unwrap();
        let recipe = Recipe { method: Method::mod_n(1), shingling: window.into() };
        let all = Signer::new(recipe).unwrap().sign(text.as_str());
        let set = ShingleSet::new(&text, window);
        prop_assert_eq!(all.units(), set.as_list().unwrap().to_vec());
    }

    #[test]
    fn any_n_agrees_with_division(text in "[a-d ]{0,500}", n in 1u64..60) {
        let canonical = CanonicalText::from_extracted(&text);
        let all = reference::shingles(&canonical, Window::DEFAULT);
        let expected: BTreeSet<_> = all.iter().copied().filter(|f| f.0 % n == 0).collect();
        prop_assert!(signer(Method::mod_n(n)).sign(canonical.as_str()).units().iter().eq(&expected));
        let chunks = all.split_inclusive(|f| f.0 % n == 0).filter_map(|chunk| chunk.iter().min());
        let expected: BTreeSet<Fingerprint> = chunks.map(|&least| crate::bsw_n::hash(least, n)).collect();
        let signed = signer(Method::BswN { n }).sign(canonical.as_str());
        prop_assert!(signed.units().iter().eq(&expected));
    }

    #[test]
    fn the_smallest_are_the_smallest_of_any_text(
        text in prop_oneof!["[a-z ]{0,900}", "[ab]{0,900}"], repeats in 1usize..9, n in 1u32..60,
    ) {
        let text = text.repeat(repeats);
        let all: BTreeSet<_> = signer(Method::mod_n(1)).sign(&text).units().into_iter().collect();
        let expected: Vec<_> = all.into_iter().take(n as usize).collect();
        prop_assert_eq!(signer(Method::min_n(n)).sign(&text).units(), expected);
    }

    #[test]
    fn remainders_part_the_shingles(text in "[a-d ]{0,300}", n in 1u64..12) {
        let parts = (0..n).map(|remainder| signer(Method::ModN { n, remainder }).sign(&text).units());
        let mut parts: Vec<_> = parts.flatten().collect();
        let all = signer(Method::mod_n(1)).sign(&text).units();
        prop_assert_eq!(parts.len(), all.len());
        parts.sort_unstable();
        prop_assert_eq!(parts, all);
    }
}

#[test]
fn a_text_is_itself_and_a_text_without_shingles_is_nothing() {
    let (text, _) = texts(50, 0);
    for method in METHODS {
        let signer = signer(method);
        let signed = signer.sign(text.as_str());
        let found = resemblance(&signed, &signed).unwrap().unwrap();
        assert_eq!(found.value.get(), 1.0, "{method}");
        assert_eq!(agreeing(&signed, &signed), Ok(signed.units().len() as u64));
        let nothing = signer.sign("");
        assert!(nothing.is_empty() && !signed.is_empty(), "{method}");
        assert_eq!(resemblance(&nothing, &nothing), Ok(None), "{method}");
        assert_eq!(resemblance(&nothing, &signed).unwrap().unwrap().shared, 0);
    }
}

#[test]
fn estimates_from_texts_of_one_template_have_no_bias() {
    // Windows that differ in a few digits. In units of the binomial's standard deviation.
    let methods = [
        Method::mod_n(100),
        Method::min_n(100),
        Method::MinN {
            n: 100,
            order: Order::Matrix { seed: 3 },
        },
        Method::sketch_n(100),
        Method::SketchN {
            n: 50,
            family: Family::Scrambles { seed: 3 },
        },
    ];
    for width in [5, 20] {
        for method in methods {
            let signer = Signer::new(Recipe {
                method,
                shingling: bytes(width),
            })
            .unwrap();
            let (mut sum, mut squares) = (0.0, 0.0);
            for key in 0..PAIRS {
                let (a, b) = texts(200, 20 + 2 * key);
                let [a, b] = [a, b].map(|text| ciphered(&text, key.into()));
                let set = |t: &CanonicalText| ShingleSet::new(t, Window::bytes(width).unwrap());
                let truth = set(&a).resemblance(&set(&b)).unwrap().get();
                let found = resemblance(&signer.sign(a.as_str()), &signer.sign(b.as_str()));
                let found = found.unwrap().unwrap();
                let error = found.value.get() - truth;
                let deviation = (truth * (1.0 - truth) / found.trials as f64).sqrt();
                sum += error / deviation;
                squares += (error / deviation).powi(2) / f64::from(PAIRS);
            }
            let mean = sum / f64::from(PAIRS).sqrt();
            assert!(
                mean.abs() < 4.0,
                "{method}, w = {width}: {mean} standard errors"
            );
            assert!(
                squares < 1.5,
                "{method}, w = {width}: {squares} times the variance"
            );
        }
    }
}

/// Pairs of texts from one template.
const PAIRS: u32 = 80;

/// Another text of the same make: letters and digits exchanged by a key.
fn ciphered(text: &CanonicalText, key: u64) -> CanonicalText {
    let mut signs: Vec<u8> = (b'a'..=b'z').chain(b'0'..=b'9').collect();
    signs.sort_by_key(|&sign| Fingerprint(key << 8 | u64::from(sign)).mixed());
    let exchanged = text.as_str().chars().map(|c| match c {
        'a'..='z' => char::from(signs[c as usize - 'a' as usize]),
        '0'..='9' => char::from(signs[26 + c as usize - '0' as usize]),
        other => other,
    });
    CanonicalText::from_extracted(&exchanged.collect::<String>())
}

#[test]
fn what_a_method_cannot_tell_is_an_error() {
    let text = "a text that is a little longer than one window of it";
    let gives: Vec<_> = METHODS
        .iter()
        .filter(|&&method| {
            let signed = signer(method).sign(text);
            containment(&signed, &signed).is_ok()
        })
        .map(|method| method.name())
        .collect();
    assert_eq!(gives, ["mod_n", "bsw_n", "winnowing", "whole_chunks"]);
    let sketch = signer(Method::sketch_n(100)).sign(text);
    assert_eq!(
        containment(&sketch, &sketch).unwrap_err().to_string(),
        "sketch_n, n = 100 gives no containment, for its size does not follow the text's; mod_n and bsw_n give it"
    );
    let groups = signer(Method::SuperShingles).sign(text);
    assert_eq!(is_candidate(&groups, &groups), Ok(true));
    assert!(resemblance(&groups, &groups).is_err() && is_candidate(&sketch, &sketch).is_err());
}

#[test]
fn only_signatures_made_alike_compare() {
    let text = "a text that is a little longer than one window of it";
    let a = signer(Method::min_n(100)).sign(text);
    let b = signer(Method::min_n(50)).sign(text);
    assert_eq!(
        resemblance(&a, &b),
        Err(Unanswerable::Unlike(a.recipe(), b.recipe()))
    );
    assert!(agreeing(&a, &b).is_err() && containment(&a, &b).is_err());
    let wider = Recipe {
        shingling: bytes(21),
        ..a.recipe()
    };
    let c = Signer::new(wider).unwrap().sign(text);
    assert_eq!(
        resemblance(&a, &c).unwrap_err().to_string(),
        "signatures made differently, min_n, n = 100 over 20 bytes and min_n, n = 100 over 21 bytes; sign both alike"
    );
}

#[test]
fn intervals_are_given_where_there_is_a_law() {
    let (a, b) = texts(200, 60);
    let has_interval = |method| {
        let signer = signer(method);
        let found = resemblance(&signer.sign(a.as_str()), &signer.sign(b.as_str()));
        found.unwrap().unwrap().interval.is_some()
    };
    let with: Vec<_> = METHODS
        .map(|method| (method.name(), has_interval(method)))
        .to_vec();
    for (name, has) in with {
        assert_eq!(
            has,
            ["mod_n", "min_n", "sketch_n"].contains(&name),
            "{name}"
        );
    }
}

#[test]
fn parameters_outside_the_domain_are_refused() {
    let refused = |method, shingling| Signer::new(Recipe { method, shingling }).unwrap_err();
    assert_eq!(
        refused(Method::min_n(0), bytes(20)).to_string(),
        "min_n of n = 0; give n from 1 to 1048576"
    );
    assert!(matches!(
        refused(Method::mod_n(0), bytes(20)),
        OutOfDomain::Size { .. }
    ));
    let matrices = Method::SketchN {
        n: 4000,
        family: Family::Matrices { seed: 0 },
    };
    assert!(matches!(
        refused(matrices, bytes(20)),
        OutOfDomain::Size { most: 2048, .. }
    ));
    let remainder = Method::ModN { n: 4, remainder: 4 };
    assert!(matches!(
        refused(remainder, bytes(20)),
        OutOfDomain::Remainder { .. }
    ));
    let sparse = Shingling::new(ShingleUnit::Words, 3, 2).unwrap();
    let winnowing = Method::Winnowing { window: 4 };
    assert_eq!(refused(winnowing, sparse), OutOfDomain::WinnowingOffset(2));
    assert_eq!(
        refused(Method::WholeChunks { n: 100 }, sparse).to_string(),
        "whole chunks are cut between bytes, not at 3 words every 2; give a length in bytes and offset 1"
    );
}

#[test]
fn no_overlap_of_the_guaranteed_length_is_missed_by_winnowing() {
    let (length, window) = (5, 8);
    let guaranteed = usize::from(length) + 8 - 1;
    let method = Method::Winnowing { window };
    let signer = Signer::new(Recipe {
        method,
        shingling: bytes(length),
    })
    .unwrap();
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        Fingerprint(state).mixed() % below
    };
    let mut shorter = 0;
    for case in 0..100_000 {
        // Few letters: equal minima are frequent.
        let letters = [2, 4, 26][case % 3];
        let mut text = |bytes: u64| -> String {
            (0..bytes)
                .map(|_| char::from(b'a' + draw(letters) as u8))
                .collect()
        };
        let passage = text(guaranteed as u64);
        let capital = |text: String| text.to_uppercase();
        let a = [text(9), passage.clone(), text(17)].concat();
        let b = [capital(text(14)), passage.clone(), capital(text(6))].concat();
        assert!(
            agreeing(&signer.sign(&a), &signer.sign(&b)).unwrap() > 0,
            "{a} {b}"
        );
        let c = [&capital(text(14)), &passage[1..], &capital(text(6))].concat();
        shorter += usize::from(agreeing(&signer.sign(&a), &signer.sign(&c)) == Ok(0));
    }
    assert!(shorter > 0, "one unit less is sometimes missed");
}

#[test]
fn ten_tiny_edits_change_most_whole_chunks_and_fewer_minima() {
    // Cherkasova et al. 2009, §2: 2 KB, about 20 chunks, 10 tiny edits.
    let (mut chunks, mut minima) = (0.0, 0.0);
    let kept = |method: Method, a: &str, b: &str| {
        let signer = signer(method);
        let (a, b) = (signer.sign(a), signer.sign(b));
        agreeing(&a, &b).unwrap() as f64 / a.len() as f64
    };
    for sentences in 40..60 {
        let (text, _) = texts(sentences, sentences);
        let text: String = text
            .as_str()
            .chars()
            .skip(sentences as usize)
            .take(2048)
            .collect();
        let tenth = text.len().div_ceil(10);
        let edited = text
            .as_bytes()
            .chunks(tenth)
            .map(|part| [b"a ", part].concat());
        let edited = String::from_utf8(edited.collect::<Vec<_>>().concat()).unwrap();
        chunks += kept(Method::WholeChunks { n: 100 }, &text, &edited) / 20.0;
        minima += kept(Method::BswN { n: 100 }, &text, &edited) / 20.0;
    }
    assert!(
        chunks < 0.5 && minima > chunks,
        "whole chunks kept {chunks}, minima {minima}"
    );
}

#[test]
fn a_method_gives_what_it_says_it_gives() {
    let texts = [
        "a text of some words and some more words",
        "a text of some words and no more",
    ];
    for method in METHODS {
        let signer = signer(method);
        let [a, b] = texts.map(|text| signer.sign(&text.repeat(40)));
        assert_eq!(
            containment(&a, &b).is_ok(),
            method.gives_containment(),
            "{method}"
        );
        let found = resemblance(&a, &b).unwrap().unwrap();
        assert_eq!(
            found.interval.is_some(),
            method.gives_interval(),
            "{method}"
        );
    }
}
