//! Estimators against exact counts, intervals against their coverage, cuts against their promise.

use super::*;
use crate::binomial::divergence;
use crate::{
    BswN, CanonicalText, Interval, MinN, ModN, Ratio, ShingleSet, SketchN, SuperShingles, Window,
    clopper_pearson, containment_from_counts, min_overlap_cut, resemblance_from_counts,
};
use proptest::prelude::*;

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).unwrap()
}

/// Pr[Binomial(n, p) ≤ k], summed term by term in logarithms.
fn binomial_cdf(k: u64, n: u64, p: f64) -> f64 {
    let ln_choose =
        |k: u64| -> f64 { (0..k).map(|i| ((n - i) as f64 / (i + 1) as f64).ln()).sum() };
    (0..=k)
        .map(|i| (ln_choose(i) + i as f64 * p.ln() + (n - i) as f64 * (1.0 - p).ln()).exp())
        .sum()
}

/// Two texts of which the second repeats a share of the first's sentences.
pub(crate) fn texts(sentences: u32, changed: u32) -> (CanonicalText, CanonicalText) {
    let text = |seed: u32| -> String {
        (0..sentences)
            .map(|i| {
                let salt = if i < changed { seed } else { 0 };
                let number =
                    (u64::from(i) + 1) * 2_654_435_761 % 99_991 + u64::from(salt) * 100_003;
                format!(
                    "clause {number} binds the party of part {}. ",
                    number * 7919 % 10_007
                )
            })
            .collect()
    };
    let canonical = |seed| CanonicalText::from_extracted(&text(seed));
    (canonical(1), canonical(2))
}

#[test]
fn clopper_pearson_gives_the_known_intervals() {
    // Independently known: closed forms at the ends, tables for 95 % of 5 of 10 and 1 of 20.
    let close = |(low, high): (Ratio, Ratio), (l, h): (f64, f64)| {
        assert!(
            (low.get() - l).abs() < 5e-5 && (high.get() - h).abs() < 5e-5,
            "{low:?} {high:?}"
        );
    };
    close(clopper_pearson(5, 10, 0.95), (0.1871, 0.8129));
    close(clopper_pearson(1, 20, 0.95), (0.0013, 0.2487));
    close(
        clopper_pearson(0, 10, 0.95),
        (0.0, 1.0 - 0.025f64.powf(0.1)),
    );
    close(clopper_pearson(10, 10, 0.99), (0.005f64.powf(0.1), 1.0));
    close(clopper_pearson(0, 0, 0.99), (0.0, 1.0));
}

proptest! {
    #[test]
    fn the_ends_of_the_interval_leave_half_the_doubt_each(n in 1u64..300, share in 0.0f64..=1.0) {
        let k = (n as f64 * share) as u64;
        let (low, high) = clopper_pearson(k, n, 0.99);
        prop_assert!(low <= ratio(k as f64 / n as f64) && ratio(k as f64 / n as f64) <= high);
        if k > 0 {
            prop_assert!((1.0 - binomial_cdf(k - 1, n, low.get()) - 0.005).abs() < 1e-6);
        }
        if k < n {
            prop_assert!((binomial_cdf(k, n, high.get()) - 0.005).abs() < 1e-6);
        }
    }

    #[test]
    fn the_cut_misses_no_more_than_promised_and_no_larger_one_is_proved(
        n in 1u64..400, t in 0.01f64..0.99, miss in prop::sample::select(vec![0.05, 0.001, 1e-6]),
    ) {
        let cut = min_overlap_cut(n, ratio(t), miss);
        prop_assert!(cut <= n);
        if cut > 0 {
            prop_assert!(binomial_cdf(cut - 1, n, t) <= miss * (1.0 + 1e-9));
        }
        let next = cut as f64 / n as f64;
        if next <= t {
            prop_assert!((-(n as f64) * divergence(next, t)).exp() > miss);
        }
    }

    #[test]
    fn estimates_from_counts_are_the_counts(a in 0u64..300, b in 0u64..300, c in 0u64..300, exact: bool) {
        let shared = c.min(a).min(b);
        let found = resemblance_from_counts(shared, a, b, exact);
        prop_assert_eq!(found.map(|e| (e.shared, e.trials)), (a + b > 0).then_some((shared, a + b - shared)));
        prop_assert_eq!(found, resemblance_from_counts(shared, b, a, exact));
        let part = containment_from_counts(shared, a, exact);
        prop_assert_eq!(part.map(|e| e.trials), (a > 0).then_some(a));
        for estimate in [found, part].into_iter().flatten() {
            let Interval { low, high } = estimate.interval.unwrap();
            prop_assert!(low <= estimate.value && estimate.value <= high);
            prop_assert!(!exact || (low == estimate.value && high == estimate.value));
        }
        prop_assert_eq!(resemblance_from_counts(a.min(b) + 1, a, b, exact), None);
    }
}

#[test]
fn cuts_at_the_ends_and_one_by_hand() {
    assert_eq!(min_overlap_cut(0, ratio(0.8), 0.001), 0);
    assert_eq!(min_overlap_cut(100, Ratio::ZERO, 0.001), 0);
    assert_eq!(min_overlap_cut(100, Ratio::ONE, 0.001), 100);
    // exp(-10 * KL(0 || 0.5)) = 0.5^10 < 0.001 and the next, m = 1, is above.
    assert_eq!(min_overlap_cut(10, ratio(0.5), 0.001), 1);
    assert_eq!(min_overlap_cut(9, ratio(0.5), 0.001), 0);
}

#[test]
fn rung_zero_is_exact_and_equal_to_the_shingle_sets() {
    let (a, b) = texts(60, 12);
    let sign = |text| ModN::sign(text, Window::DEFAULT, Rung::ZERO);
    let (set_a, set_b) = (
        ShingleSet::new(&a, Window::DEFAULT),
        ShingleSet::new(&b, Window::DEFAULT),
    );
    let found = resemblance(&sign(&a), &sign(&b)).unwrap().unwrap();
    assert_eq!(Some(found.value), set_a.resemblance(&set_b));
    assert_eq!(
        (found.low(), found.high()),
        (Some(found.value), Some(found.value))
    );
    let part = containment(&sign(&a), &sign(&b)).unwrap().unwrap();
    assert_eq!(Some(part.value), set_a.containment_in(&set_b));
}

#[test]
fn intervals_hold_the_truth_across_rungs_and_shares() {
    for changed in [0, 5, 100, 400, 800, 999] {
        let (a, b) = texts(1000, changed);
        let truth_of = |x, y| {
            ShingleSet::new(x, Window::DEFAULT).resemblance(&ShingleSet::new(y, Window::DEFAULT))
        };
        let truth = truth_of(&a, &b).unwrap();
        for (ra, rb) in [(2, 2), (0, 4), (5, 3), (6, 6)] {
            let sign = |text, r| ModN::sign(text, Window::DEFAULT, Rung::new(r).unwrap());
            let found = resemblance(&sign(&a, ra), &sign(&b, rb)).unwrap().unwrap();
            // The inputs are fixed, so this cannot fail by chance once it has passed.
            let Interval { low, high } = found.interval.unwrap();
            assert!(
                low <= truth && truth <= high,
                "{changed} {ra} {rb}: {truth:?} {found:?}"
            );
            assert_eq!(
                Some(found),
                resemblance(&sign(&b, rb), &sign(&a, ra)).unwrap()
            );
        }
    }
}

#[test]
fn texts_from_one_template_are_sampled_at_random_too() {
    // Windows that differ in a few digits: Rabin residues alone, being linear, give 4 to 5 here.
    let (mut deviation, mut samples) = (0.0, 0.0);
    for changed in [100, 300, 500, 700, 900] {
        let (a, b) = texts(1000, changed);
        let set = |text| ShingleSet::new(text, Window::DEFAULT);
        let (a, b) = (set(&a), set(&b));
        let truth = a.resemblance(&b).unwrap().get();
        // Every residue class of n = 64 is a sample such as F mod n = 0 is.
        for class in 0..64 {
            let in_class = |set: &ShingleSet| -> Vec<Fingerprint> {
                set.sampled(Rung::ZERO)
                    .into_iter()
                    .filter(|f| f.0 % 64 == class)
                    .collect()
            };
            let (a, b) = (in_class(&a), in_class(&b));
            let shared = shared(&a, &b) as f64;
            let union = (a.len() + b.len()) as f64 - shared;
            deviation += (shared - union * truth).powi(2) / (union * truth * (1.0 - truth));
            samples += 1.0;
        }
    }
    let ratio = deviation / samples;
    assert!(
        (0.7..1.3).contains(&ratio),
        "variance over the binomial's: {ratio}"
    );
}

#[test]
fn a_text_resembles_itself_and_an_excerpt_is_contained_one_way() {
    let (whole, _) = texts(800, 0);
    let half = CanonicalText::from_extracted(&whole.as_str()[..whole.as_bytes().len() / 2]);
    let sign = |text| ModN::sign(text, Window::DEFAULT, Rung::new(3).unwrap());
    let (whole, half) = (sign(&whole), sign(&half));
    assert_eq!(
        resemblance(&whole, &whole).unwrap().unwrap().value,
        Ratio::ONE
    );
    assert_eq!(
        containment(&half, &whole).unwrap().unwrap().value,
        Ratio::ONE
    );
    assert!(containment(&whole, &half).unwrap().unwrap().value < ratio(0.7));
}

#[test]
fn no_counts_give_no_number() {
    let empty = ModN::sign(
        &CanonicalText::from_extracted("short"),
        Window::DEFAULT,
        Rung::ZERO,
    );
    assert_eq!(resemblance(&empty, &empty), Ok(None));
    assert_eq!(containment(&empty, &empty), Ok(None));
}

#[test]
fn bsw_n_has_a_value_and_no_interval_and_compares_at_one_modulus_only() {
    let (a, b) = texts(200, 20);
    let sign = |text, r| BswN::sign(text, Window::DEFAULT, Rung::new(r).unwrap());
    let found = resemblance(&sign(&a, 4), &sign(&b, 4)).unwrap().unwrap();
    assert!(found.value > ratio(0.5) && found.value < Ratio::ONE);
    assert_eq!(found.interval, None);
    assert!(resemblance(&sign(&a, 4), &sign(&b, 3)).is_err());
    assert!(containment(&sign(&a, 4), &sign(&b, 4)).unwrap().is_some());
}

#[test]
fn signatures_of_fixed_size_estimate_as_the_laboratory_does_and_give_no_containment() {
    use crate::laboratory::{self, Method, Recipe, Shingling, Signer};
    type Sign = fn(&CanonicalText, Window, Rung) -> crate::Signature;
    let rung = Rung::new(6).unwrap();
    let schemes: [(Sign, Method); 2] = [
        (MinN::sign, Method::min_n(64)),
        (SketchN::sign, Method::sketch_n(64)),
    ];
    for (sign, method) in schemes {
        let shingling = Shingling::from(Window::DEFAULT);
        let signer = Signer::new(Recipe { method, shingling }).unwrap();
        // The last is shorter than n, so that bins are empty and minima are all.
        for (sentences, changed) in [(200, 20), (200, 150), (3, 1)] {
            let (a, b) = texts(sentences, changed);
            let [of_a, of_b] = [&a, &b].map(|text| sign(text, Window::DEFAULT, rung));
            let [lab_a, lab_b] = [&a, &b].map(|text| signer.sign(text.as_str()));
            let expected = laboratory::resemblance(&lab_a, &lab_b).unwrap();
            assert_eq!(resemblance(&of_a, &of_b).unwrap(), expected);
            let kind = of_a.scheme().kind;
            let refused = containment(&of_a, &of_b);
            assert_eq!(refused, Err(Unlike::NoContainment(kind)));
            let other = sign(&b, Window::DEFAULT, Rung::new(5).unwrap());
            assert!(resemblance(&of_a, &other).is_err());
        }
    }
}

#[test]
fn super_shingles_tell_the_candidates_of_the_laboratory_and_no_ratio() {
    use crate::laboratory::{self, Method, Recipe, Shingling, Signer};
    let shingling = Shingling::from(Window::DEFAULT);
    let method = Method::SuperShingles;
    let signer = Signer::new(Recipe { method, shingling }).unwrap();
    let mut candidates = 0;
    for changed in [0, 1, 2, 4, 8, 40] {
        let (a, b) = texts(200, changed);
        let [of_a, of_b] = [&a, &b].map(|text| SuperShingles::sign(text, Window::DEFAULT));
        let [lab_a, lab_b] = [&a, &b].map(|text| signer.sign(text.as_str()));
        let shared = crate::sorted::shared(of_a.fingerprints(), of_b.fingerprints());
        let is_candidate = shared >= SuperShingles::NEEDED;
        assert_eq!(Ok(is_candidate), laboratory::is_candidate(&lab_a, &lab_b));
        candidates += u32::from(is_candidate);
        let kind = of_a.scheme().kind;
        assert_eq!(resemblance(&of_a, &of_b), Err(Unlike::NoResemblance(kind)));
        assert_eq!(containment(&of_a, &of_b), Err(Unlike::NoContainment(kind)));
    }
    assert!((1..6).contains(&candidates), "{candidates}");
}

#[test]
fn ratios_lie_between_zero_and_one() {
    assert_eq!(Ratio::new(-0.1), None);
    assert_eq!(Ratio::new(1.1), None);
    assert_eq!(Ratio::new(f64::NAN), None);
    assert_eq!(Ratio::of(1, 0), None);
    assert_eq!(Ratio::of(2, 1), None);
    assert_eq!(Ratio::of(1, 4), Some(ratio(0.25)));
}
