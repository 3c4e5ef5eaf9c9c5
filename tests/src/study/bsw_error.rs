//! The error of BSW_n, measured: where the true resemblance and containment lie beside its estimates.
//!
//! Pieces of real texts, of 64 bytes to 256 KB (their lengths as even by logarithm), and a copy of each that was
//! [changed](Change) in one of nine ways; and [tables](tables) with their rows in another order, which keep nearly all
//! of their shingles and lose many entries. Little and much of each, so that estimates lie everywhere from 0 to 1. Both
//! are counted exactly and signed at every n of the ladder. The table says, of pairs with about as many entries and
//! about that estimate, from where to where the truth lay for all of them, and a tenth of that width more on each side,
//! but at least the share of one entry; fewer entries never have a narrower interval. It is made of one half of the
//! documents and checked on pieces of the other half, and on ledgers, of another form than those tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use simdex_signature::laboratory::{
    Method, Recipe, RecipeSignature, Shingling, Signer, containment, resemblance,
};
use simdex_signature::{BswError, CanonicalText, Estimate, MeasuredRatio, Offsets, Window};

use super::Settings;
use super::papers::originals;
use crate::corpus::Random;
use crate::figure::Figures;
use change::{CHANGES, Change};
use check::check;
use words::{Words, words_of};

mod change;
mod check;
mod tables;
mod words;

const SEED: u64 = 2009;
/// Pairs that the table is made of, and pairs that it is checked on.
const PAIRS: [u64; 2] = [79_200, 19_800];
const MODULI: [u64; 6] = [2, 4, 8, 16, 32, 64];
/// Least number of entries of a table's classes; each class has twice as many as the previous one.
const LEAST_TRIALS: u64 = 16;
const MOST_TRIALS: u64 = 2_048;
/// Pairs without which a class has no interval.
const MIN_PAIRS: usize = 30;

/// Makes the table, writes it beside the figures and checks it.
pub(super) fn run(settings: &Settings, figures: &mut Figures<'_>) -> Result<()> {
    let mut halves = [Vec::new(), Vec::new()];
    for (folder, ending) in [("long", "txt"), ("versions", "md"), ("short", "md")] {
        for (at, text) in originals(settings, folder, ending)?.into_iter().enumerate() {
            // Versions of one document have one folder and stay together.
            let half = match text.folder() {
                Some(history) if folder == "versions" => {
                    blake3::hash(history.as_bytes()).as_bytes()[0] & 1
                }
                _ => (at % 2) as u8,
            };
            halves[usize::from(half)].push(text.text);
        }
    }
    let mut cells = Cells::default();
    measure(&halves[0], PAIRS[0], 0, |_, measured| cells.add(measured))?;
    let table = cells.table(halves.each_ref().map(Vec::len));
    fs::create_dir_all(&settings.figures)?;
    let path = settings.figures.join("bsw_n.txt");
    fs::write(&path, &table).with_context(|| path.display().to_string())?;
    let errors = BswError::parse(&table).context("the table just written")?;
    check(&errors, &halves[1], figures)?;
    Ok(figures.note(&format!("written: {}", path.display()))?)
}

/// One estimate beside the truth.
struct Measured {
    ratio: MeasuredRatio,
    n: u64,
    shared: u64,
    trials: u64,
    truth: f64,
}

impl Measured {
    fn estimate(&self) -> f64 {
        self.shared as f64 / self.trials as f64
    }
}

/// Measures pairs of pieces of some texts and changed copies; `stream` keeps the edits from being those of other calls.
fn measure(
    texts: &[String],
    pairs: u64,
    stream: u64,
    mut each: impl FnMut(Change, &Measured),
) -> Result<()> {
    let signers = Signers::new()?;
    let words = words_of(texts);
    for number in 0..pairs {
        let random = &mut Random::new(SEED, (stream << 32) + number);
        let change = CHANGES[(number % CHANGES.len() as u64) as usize];
        let [text, copy] = change.pair(&words, random);
        signers.measure([&text, &copy], |measured| each(change, measured))?;
    }
    Ok(())
}

/// Signers of every n.
struct Signers {
    exact: Signer,
    bsw: Vec<(u64, Signer)>,
}

impl Signers {
    fn new() -> Result<Self> {
        let bsw = MODULI.map(|n| Ok((n, signer(Method::BswN { n })?)));
        Ok(Self {
            exact: signer(Method::mod_n(1))?,
            bsw: bsw.into_iter().collect::<Result<_>>()?,
        })
    }

    /// Estimates of BSW_n at every n beside the truth.
    fn measure(&self, pair: [&Words<'_>; 2], mut each: impl FnMut(&Measured)) -> Result<()> {
        let texts = pair.map(|words| CanonicalText::from_extracted(&words.join(" ")));
        let texts = texts.each_ref().map(CanonicalText::as_str);
        let [a, b] = texts.map(|text| self.exact.sign(text));
        let truth = pair_of(&a, &b)?;
        for (n, signer) in &self.bsw {
            let [a, b] = texts.map(|text| signer.sign(text));
            let found = pair_of(&a, &b)?;
            for ((ratio, found), (_, truth)) in found.into_iter().zip(&truth) {
                let (Some(found), Some(truth)) = (found, truth) else {
                    continue;
                };
                each(&Measured {
                    ratio,
                    n: *n,
                    shared: found.shared,
                    trials: found.trials,
                    truth: truth.value.get(),
                });
            }
        }
        Ok(())
    }
}

fn signer(method: Method) -> Result<Signer> {
    let shingling = Shingling::from(Window::DEFAULT);
    Ok(Signer::new(Recipe { method, shingling })?)
}

/// The resemblance of two texts, and the containment of each in the other.
fn pair_of(
    a: &RecipeSignature,
    b: &RecipeSignature,
) -> Result<[(MeasuredRatio, Option<Estimate>); 3]> {
    Ok([
        (MeasuredRatio::Resemblance, resemblance(a, b)?),
        (MeasuredRatio::Containment, containment(a, b)?),
        (MeasuredRatio::Containment, containment(b, a)?),
    ])
}

/// Offsets of the truth from estimates, by ratio, n, class of entries and class of the estimate.
#[derive(Default)]
struct Cells {
    offsets: BTreeMap<(MeasuredRatio, u64, u64, usize), (usize, Offsets)>,
}

impl Cells {
    fn add(&mut self, measured: &Measured) {
        if measured.trials < LEAST_TRIALS {
            return;
        }
        let trials = (1 << measured.trials.ilog2()).min(MOST_TRIALS);
        let class = BswError::class(measured.estimate());
        let offset = measured.truth - measured.estimate();
        let cell = (measured.ratio, measured.n, trials, class);
        let (pairs, [below, above]) = self.offsets.entry(cell).or_insert((0, [offset, offset]));
        *pairs += 1;
        *below = below.min(offset);
        *above = above.max(offset);
    }

    /// The offsets of a class with a margin; none of too few pairs.
    fn measured(&self, cell: (MeasuredRatio, u64, u64, usize)) -> Option<Offsets> {
        let (pairs, [below, above]) = self.offsets.get(&cell)?;
        let (_, _, trials, _) = cell;
        // One entry at least: it stands for many windows, and a change may have missed it.
        let margin = ((above - below) / 10.0).max(1.0 / trials as f64);
        (*pairs >= MIN_PAIRS).then_some([below - margin, above + margin])
    }

    fn table(&self, documents: [usize; 2]) -> String {
        let [learned, checked] = documents;
        let mut table = format!(
            "# Where the truth lies beside estimates by BSW_n, windows of 20 bytes: made by `study bsw-error` of\n\
             # {} pairs of pieces of {learned} documents, or of tables of their words, and changed copies of them, and\n\
             # checked on {} pairs of {checked} others. Ratio, n, entries from; then, for estimates of 0, of each tenth\n\
             # and of 1, from where to where the truth lay, less the estimate; `-` where fewer than {MIN_PAIRS} pairs were\n\
             # measured.\n",
            PAIRS[0], PAIRS[1]
        );
        for ratio in [MeasuredRatio::Resemblance, MeasuredRatio::Containment] {
            for n in MODULI {
                for line in self.lines(ratio, n) {
                    // Writing to a String cannot fail.
                    let _ = writeln!(table, "{} {n} {line}", ratio.name());
                }
            }
        }
        table
    }

    /// A line for each class of entries, the fewest first.
    fn lines(&self, ratio: MeasuredRatio, n: u64) -> Vec<String> {
        let mut wider: [Option<Offsets>; BswError::CLASSES] = [None; BswError::CLASSES];
        let mut lines = Vec::new();
        let classes = LEAST_TRIALS.ilog2()..=MOST_TRIALS.ilog2();
        for trials in classes.rev().map(|bits| 1 << bits) {
            let mut line = trials.to_string();
            for (class, wider) in wider.iter_mut().enumerate() {
                let measured = self.measured((ratio, n, trials, class));
                let offsets = measured.map(|[below, above]| match wider {
                    Some([low, high]) => [below.min(*low), above.max(*high)],
                    None => [below, above],
                });
                *wider = offsets.or(*wider);
                let _ = match offsets {
                    // Rounded outwards.
                    Some([below, above]) => {
                        let thousandths = [(below * 1e3).floor(), (above * 1e3).ceil()];
                        let [below, above] = thousandths.map(|end| end / 1e3);
                        write!(line, " {below}:{above}")
                    }
                    None => write!(line, " -"),
                };
            }
            lines.push(line);
        }
        lines.reverse();
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_holds_what_was_measured_and_fewer_entries_are_never_narrower() {
        let mut cells = Cells::default();
        let mut add = |trials, truth| {
            for _ in 0..MIN_PAIRS {
                cells.add(&Measured {
                    ratio: MeasuredRatio::Resemblance,
                    n: 8,
                    shared: trials / 2,
                    trials,
                    truth,
                });
            }
        };
        add(64, 0.55);
        add(64, 0.45);
        add(512, 0.75);
        let errors = BswError::parse(&cells.table([1, 1])).unwrap();
        let of = |trials| {
            let interval = errors.interval(MeasuredRatio::Resemblance, 8, (trials / 2, trials));
            interval
                .map(|interval| [interval.low, interval.high].map(|end| (end.get() * 1e3).round()))
        };
        assert_eq!(of(64), Some([434.0, 752.0]));
        assert_eq!(of(512), Some([500.0, 752.0]));
        assert_eq!((of(32), of(128)), (None, None));
    }
}
