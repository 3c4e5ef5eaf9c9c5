//! Bias, error and intervals of the schemes against exact resemblance, from 0 to 1 and by length of the documents.
//!
//! Pairs are made to have a resemblance: of a stretch of real texts, or of generated ones, blocks are exchanged for
//! those of another stretch until so much is shared; the exact resemblance is then counted. Mod_n samples at such an n
//! that about 400 fingerprints decide, once for each of several remainders. The schemes are compared at equal numbers
//! of entries: 400 and 100 a document.

use anyhow::Result;
use simdex_signature::laboratory::{Method, RecipeSignature, resemblance};
use simdex_signature::{Fingerprint, clopper_pearson};

use super::{SEED, draw, mean, root_mean_square, series, signer, texts};
use crate::corpus::Random;
use crate::figure::Figures;
use crate::study::Settings;

const TRUTHS: [f64; 16] = [
    0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98, 0.995, 1.0,
];
/// Bytes of a document, class by class.
const LENGTHS: [usize; 4] = [8 << 10, 32 << 10, 128 << 10, 512 << 10];
/// Pairs of stretches of each length and kind, at most.
const STRETCHES: usize = 6;
/// Fingerprints that decide.
const DECIDING: u64 = 400;
const REMAINDERS: u64 = 32;
/// Bytes in a row that are exchanged, about.
const BLOCK: f64 = 1000.0;
const WINDOW: u16 = 20;

/// Two tables: Mod_n by truth, and every scheme by length.
pub(crate) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let stretches = stretches(settings)?;
    by_truth(settings, &stretches, figures)?;
    by_length(settings, &stretches, figures)
}

/// Two texts of one length, without anything in common by intent.
struct Stretch {
    length: usize,
    first: String,
    second: String,
}

fn stretches(settings: &Settings) -> Result<Vec<Stretch>> {
    let real = texts(settings, "long", "txt")?;
    let real: String = real.into_iter().map(|text| text.text + " ").collect();
    let needed = 2 * STRETCHES * LENGTHS.iter().sum::<usize>();
    let sources = [real, generated(needed)];
    let mut stretches = Vec::new();
    for source in &sources {
        for length in LENGTHS {
            // Whole characters only.
            let at = |place: usize| &source[source.floor_char_boundary(place * length)..];
            let of = |place: usize| {
                let rest = at(place);
                rest[..rest.floor_char_boundary(length)].to_owned()
            };
            let most = (source.len() / length / 2).min(STRETCHES);
            // Spread over the source, so that the lengths do not all take its beginning.
            let step = source.len() / length / most.max(1);
            stretches.extend((0..most).map(|number| Stretch {
                length,
                first: of(number * step),
                second: of(number * step + 1),
            }));
        }
    }
    Ok(stretches)
}

/// Words of a vocabulary of 20,000, the first of which are frequent.
fn generated(bytes: usize) -> String {
    let random = &mut Random::new(SEED, 12);
    let letters = |random: &mut Random| {
        let length = 2 + random.below(9);
        let letter = |_| char::from(b'a' + random.below(26) as u8);
        (0..length).map(letter).collect::<String>()
    };
    let vocabulary: Vec<String> = (0..20_000).map(|_| letters(random)).collect();
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        let rank = vocabulary.len() as f64 * random.unit() * random.unit();
        text.push_str(&vocabulary[rank as usize]);
        text.push(' ');
    }
    text
}

/// The first text with blocks of the second in place of its own, so that about this much of both together is shared.
fn copy(stretch: &Stretch, resemblance: f64) -> String {
    let (first, second) = (stretch.first.as_bytes(), stretch.second.as_bytes());
    let length = first.len().min(second.len());
    let exchanged = length as f64 * (1.0 - resemblance) / (1.0 + resemblance);
    if exchanged >= length as f64 {
        return stretch.second.clone();
    }
    let blocks = (exchanged / BLOCK).ceil();
    // A block takes the windows with it that reach into it.
    let block = exchanged / blocks - f64::from(WINDOW - 1);
    let mut copy = first.to_vec();
    for number in 0..blocks as usize {
        let middle = (number as f64 + 0.5) * length as f64 / blocks;
        let from = (middle - block / 2.0).max(0.0) as usize;
        let to = (from + block.max(1.0) as usize).min(length);
        copy[from..to].copy_from_slice(&second[from..to]);
    }
    String::from_utf8_lossy(&copy).into_owned()
}

/// An estimate beside the truth.
struct Trial {
    truth: f64,
    found: f64,
    is_held: bool,
}

impl Trial {
    /// Of counts; whether the 95 % interval holds the truth.
    fn of(truth: f64, shared: u64, trials: u64) -> Option<Self> {
        let (low, high) = clopper_pearson(shared, trials, 0.95);
        (trials > 0).then(|| Self {
            truth,
            found: shared as f64 / trials as f64,
            is_held: (low.get()..=high.get()).contains(&truth),
        })
    }
}

/// Bias, mean absolute error, root of the mean square error and share of intervals that hold, of trials.
fn measures(trials: &[Trial]) -> [f64; 4] {
    let errors = || trials.iter().map(|trial| trial.found - trial.truth);
    let held = trials.iter().map(|trial| f64::from(trial.is_held));
    [
        mean(&errors().collect::<Vec<_>>()),
        mean(&errors().map(f64::abs).collect::<Vec<_>>()),
        root_mean_square(errors()),
        mean(&held.collect::<Vec<_>>()),
    ]
}

fn by_truth(settings: &Settings, stretches: &[Stretch], figures: &mut Figures<'_>) -> Result<()> {
    figures.note("Mod_n, 400 fingerprints of both together on average; 95 % intervals")?;
    let exact = signer(Method::mod_n(1), WINDOW)?;
    let (mut all, mut errors, mut holds) = (Vec::new(), Vec::new(), Vec::new());
    for truth in TRUTHS {
        let mut trials = Vec::new();
        for stretch in stretches {
            let [a, b] = [&stretch.first, &copy(stretch, truth)].map(|text| exact.sign(text));
            trials.extend(sampled(&a, &b));
        }
        let [bias, error, _, held] = measures(&trials);
        let exact: Vec<f64> = trials.iter().map(|trial| trial.truth).collect();
        let columns = [
            ("exact", mean(&exact), ""),
            ("trials", trials.len() as f64, ""),
            ("bias", bias, ""),
            ("error", error, ""),
            ("held", 100.0 * held, "%"),
        ];
        figures.row(&format!("made for {truth}"), &columns)?;
        errors.push((truth, error));
        holds.push((truth, 100.0 * held));
        all.extend(trials);
    }
    overall(&all, &errors, &holds, figures)?;
    let held = vec![series("held by the 95 % interval", holds)];
    let axes = ("exact resemblance", "%");
    let title = "Mod_n, 400 fingerprints";
    draw(settings, "mod-n-intervals", title, axes, held)?;
    let lines = vec![series("mean absolute error", errors)];
    let axes = ("exact resemblance", "mean absolute error");
    draw(settings, "mod-n-error", title, axes, lines)
}

/// All trials together, and the worst resemblances.
fn overall(
    all: &[Trial],
    errors: &[(f64, f64)],
    holds: &[(f64, f64)],
    figures: &mut Figures<'_>,
) -> Result<()> {
    let [bias, error, _, held] = measures(all);
    figures.put("bias", bias, "")?;
    figures.against("mean absolute error", error, "", "goal: at most 0.02")?;
    figures.against(
        "held by the interval",
        100.0 * held,
        "%",
        "goal: 94 or more",
    )?;
    let greatest = errors.iter().fold(0.0, |most, point| point.1.max(most));
    let least = holds.iter().fold(100.0, |least, point| point.1.min(least));
    figures.put("the greatest error", greatest, "")?;
    Ok(figures.put("the least held", least, "%")?)
}

/// A trial for each of some remainders, from all fingerprints of both texts.
fn sampled(a: &RecipeSignature, b: &RecipeSignature) -> Vec<Trial> {
    let (a, b) = (a.units(), b.units());
    let shared = a.iter().filter(|f| b.binary_search(f).is_ok()).count();
    let union = (a.len() + b.len() - shared) as u64;
    let n = (union as f64 / DECIDING as f64).round().max(1.0) as u64;
    let truth = shared as f64 / union.max(1) as f64;
    let mut counts = vec![[0; 2]; n as usize];
    let mut count = |fingerprint: &Fingerprint, is_shared: bool| {
        let [shared, all] = &mut counts[(fingerprint.0 % n) as usize];
        *shared += u64::from(is_shared);
        *all += 1;
    };
    a.iter().for_each(|f| count(f, b.binary_search(f).is_ok()));
    let of_b = b.iter().filter(|f| a.binary_search(f).is_err());
    of_b.for_each(|f| count(f, false));
    let remainders = (0..REMAINDERS.min(n)).map(|number| number * n / REMAINDERS.min(n));
    remainders
        .filter_map(|remainder| {
            let [shared, all] = counts[remainder as usize];
            Trial::of(truth, shared, all)
        })
        .collect()
}

/// The schemes at equal numbers of entries, a document of this length.
fn schemes(length: usize, entries: u32) -> [(&'static str, Method); 4] {
    let n = (length as u64 / u64::from(entries)).max(1);
    [
        ("Mod", Method::mod_n(n)),
        ("Min", Method::min_n(entries)),
        ("Sketch", Method::sketch_n(entries)),
        ("BSW", Method::BswN { n }),
    ]
}

fn by_length(settings: &Settings, stretches: &[Stretch], figures: &mut Figures<'_>) -> Result<()> {
    figures.note(
        "schemes at equal numbers of entries; 95 % binomial intervals, which BSW_n has no right to",
    )?;
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for entries in [400, 100] {
        for (place, length) in LENGTHS.into_iter().enumerate() {
            let of_length: Vec<&Stretch> =
                stretches.iter().filter(|s| s.length == length).collect();
            for (name, method) in schemes(length, entries) {
                let [bias, error, root, held] = measures(&compared(&of_length, method)?);
                let columns = [
                    ("bias", 100.0 * bias, "points"),
                    ("error", 100.0 * error, "points"),
                    ("root mean square", 100.0 * root, "points"),
                    ("held", 100.0 * held, "%"),
                ];
                let name = format!("{name}, {entries} entries");
                figures.row(&format!("{name}, {} KB", length >> 10), &columns)?;
                let kilobytes = (place as f64).mul_add(2.0, 3.0);
                match lines.iter_mut().find(|(line, _)| *line == name) {
                    Some((_, points)) => points.push((kilobytes, 100.0 * error)),
                    None => lines.push((name, vec![(kilobytes, 100.0 * error)])),
                }
            }
        }
    }
    let lines = lines.into_iter().map(|(name, points)| series(name, points));
    let axes = ("log2 of the length in KB", "mean absolute error, points");
    draw(
        settings,
        "scheme-error",
        "Error of the schemes",
        axes,
        lines.collect(),
    )
}

/// A trial for each stretch and truth.
fn compared(stretches: &[&Stretch], method: Method) -> Result<Vec<Trial>> {
    let (exact, sampling) = (signer(Method::mod_n(1), WINDOW)?, signer(method, WINDOW)?);
    let mut trials = Vec::new();
    for stretch in stretches {
        let [exact_a, sampled_a] = [&exact, &sampling].map(|signer| signer.sign(&stretch.first));
        for truth in TRUTHS {
            let copy = copy(stretch, truth);
            let truth = resemblance(&exact_a, &exact.sign(&copy))?;
            let found = resemblance(&sampled_a, &sampling.sign(&copy))?;
            let (Some(truth), Some(found)) = (truth, found) else {
                continue;
            };
            trials.extend(Trial::of(truth.value.get(), found.shared, found.trials));
        }
    }
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_about_the_resemblance_they_are_made_for() {
        let text = generated(64 << 10);
        let (first, second) = text.split_at(32 << 10);
        let stretch = Stretch {
            length: first.len(),
            first: first.to_owned(),
            second: second.to_owned(),
        };
        let exact = signer(Method::mod_n(1), WINDOW).unwrap();
        for truth in TRUTHS {
            let [a, b] = [&stretch.first, &copy(&stretch, truth)].map(|text| exact.sign(text));
            let made = resemblance(&a, &b).unwrap().unwrap().value.get();
            assert!((made - truth).abs() < 0.01, "{made} for {truth}");
        }
        let [a, b] = [&stretch.first, &copy(&stretch, 0.5)].map(|text| exact.sign(text));
        let [bias, error, _, held] = measures(&sampled(&a, &b));
        assert!(bias.abs() < 0.02 && error < 0.04 && held > 0.8);
    }
}
