//! How far estimates by BSW_n are off: measured, since they have no law.
//!
//! An entry of BSW_n is lost if the smallest window of its chunk changes, or if a chunk boundary appears or disappears.
//! So the estimate depends on where a text was changed: at the same resemblance many small changes cost more entries
//! than one long change, and estimates are too low. No binomial law describes this. So the interval of an estimate is
//! where the true value was found for pairs of texts with about as many entries and about that estimate, changed in
//! eleven ways: the table [`BswError::measured`]. `study bsw-error` makes it, checks it on other documents, and describes
//! at its head how. Where nothing was measured, at another n, width or size, there is no interval.
//!
//! Two of these ways put the rows of tables in another order: they keep nearly all of their shingles, and the true value
//! is far above the estimate. Of long lists of one form with all rows shuffled, 96 % of the intervals hold.

use std::sync::LazyLock;

use crate::ratio::{Interval, Ratio};

const TABLE: &str = include_str!("../measured/bsw_n.txt");

static MEASURED: LazyLock<BswError> = LazyLock::new(|| BswError::parse(TABLE).unwrap_or_default());

/// What is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MeasuredRatio {
    /// The resemblance of both texts.
    Resemblance,
    /// The containment of one text in the other.
    Containment,
}

impl MeasuredRatio {
    /// The name at the beginning of a line of the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resemblance => "resemblance",
            Self::Containment => "containment",
        }
    }
}

/// Where the truth lies beside an estimate: from so much below it (negative) to so much above.
pub type Offsets = [f64; 2];

/// Where the truth lies, by ratio, n, number of entries and estimate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BswError {
    rows: Vec<Row>,
}

/// Errors of estimates with at least this many entries, up to the next row of the same ratio and n.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    ratio: MeasuredRatio,
    n: u64,
    trials: u64,
    /// Indexed by [`BswError::class`] of the estimate; `None` if too few pairs were measured.
    offsets: [Option<Offsets>; BswError::CLASSES],
}

impl BswError {
    /// Classes of estimates.
    pub const CLASSES: usize = 12;

    /// The table that was measured of windows of 20 bytes.
    pub fn measured() -> &'static Self {
        &MEASURED
    }

    /// The class of an estimate: 0, then ten of a tenth each, then 1.
    pub fn class(estimate: f64) -> usize {
        match estimate {
            ..=0.0 => 0,
            1.0.. => Self::CLASSES - 1,
            between => 1 + (between * 10.0) as usize,
        }
    }

    /// Reads a table; `None` where it is none.
    pub fn parse(table: &str) -> Option<Self> {
        let lines = table.lines().filter(|line| !line.starts_with('#'));
        let rows: Option<Vec<Row>> = lines.map(Row::parse).collect();
        rows.map(|rows| Self { rows })
    }

    /// Where the truth lies of an estimate of `shared` entries among `trials`; `None` where that was not measured.
    pub fn interval(
        &self,
        ratio: MeasuredRatio,
        n: u64,
        (shared, trials): (u64, u64),
    ) -> Option<Interval> {
        let estimate = Ratio::of(shared, trials)?.get();
        let rows = self
            .rows
            .iter()
            .filter(|row| row.ratio == ratio && row.n == n);
        let row = rows
            .filter(|row| row.trials <= trials)
            .max_by_key(|row| row.trials)?;
        let [below, above] = row.offsets[Self::class(estimate)]?;
        let end = |offset: f64| Ratio::new((estimate + offset).clamp(0.0, 1.0));
        Some(Interval {
            low: end(below.min(0.0))?,
            high: end(above.max(0.0))?,
        })
    }
}

impl Row {
    /// `resemblance 64 256`, then the offsets of each class, `-0.034:0.120`, or `-` where there are none.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_whitespace();
        let ratio = match fields.next()? {
            "resemblance" => MeasuredRatio::Resemblance,
            "containment" => MeasuredRatio::Containment,
            _ => return None,
        };
        let (n, trials) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let mut offsets = [None; BswError::CLASSES];
        for class in &mut offsets {
            let field = fields.next()?;
            if field != "-" {
                let (below, above) = field.split_once(':')?;
                *class = Some([below.parse().ok()?, above.parse().ok()?]);
            }
        }
        fields.next().is_none().then_some(Self {
            ratio,
            n,
            trials,
            offsets,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Window;
    use crate::laboratory::{Method, Recipe, Shingling, Signer, containment, resemblance};

    #[test]
    fn an_interval_is_that_of_the_row_below_and_of_the_class_of_the_estimate() {
        let table = "# made up\n\
            resemblance 64 16 - - - - - -0.3:0.4 - - - - - -\n\
            resemblance 64 128 0.0:0.1 - - - - -0.1:0.2 - - - - - -0.02:0.0\n";
        let errors = BswError::parse(table).unwrap();
        let of = |shared, trials| {
            let ratio = MeasuredRatio::Resemblance;
            let interval = errors.interval(ratio, 64, (shared, trials))?;
            Some([interval.low, interval.high].map(|end| (end.get() * 1e3).round() / 1e3))
        };
        assert_eq!(of(9, 20), Some([0.15, 0.85]));
        assert_eq!(of(90, 200), Some([0.35, 0.65]));
        assert_eq!(
            (of(0, 200), of(200, 200)),
            (Some([0.0, 0.1]), Some([0.98, 1.0]))
        );
        assert_eq!((of(0, 20), of(3, 9), of(30, 200)), (None, None, None));
        let other = errors.interval(MeasuredRatio::Containment, 64, (90, 200));
        assert_eq!(other, None);
        for broken in ["resemblance 64", "likeness 64 16", "resemblance 64 16 -0.1"] {
            assert_eq!(BswError::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn the_table_has_rows_for_every_modulus_of_the_ladder_above_one() {
        let measured = BswError::parse(TABLE).unwrap();
        for n in [2, 4, 8, 16, 32, 64] {
            for ratio in [MeasuredRatio::Resemblance, MeasuredRatio::Containment] {
                let interval = measured.interval(ratio, n, (300, 400));
                assert!(interval.is_some(), "{n}, {}", ratio.name());
            }
        }
    }

    /// Only n = 1 is exact.
    #[test]
    fn no_interval_has_zero_width() {
        let measured = BswError::measured();
        let mut intervals = 0;
        for row in &measured.rows {
            for shared in 0..=row.trials {
                let interval = measured.interval(row.ratio, row.n, (shared, row.trials));
                if let Some(interval) = interval {
                    intervals += 1;
                    let is_all = shared == row.trials;
                    assert!(interval.low < interval.high, "{row:?}");
                    assert!(!is_all || interval.low < Ratio::ONE, "{row:?}");
                }
            }
        }
        assert!(intervals > 10_000);
    }

    #[test]
    fn a_text_without_its_last_character_lies_in_the_interval() {
        let mut copies = Copies(7);
        let signer = |method| {
            let shingling = Shingling::from(Window::DEFAULT);
            Signer::new(Recipe { method, shingling }).unwrap()
        };
        for (words, n) in [(100, 2), (400, 4), (2_000, 4), (3_000, 8), (9_000, 64)] {
            let text = copies.words(words).join(" ");
            let cut = &text[..text.len() - 1];
            let [exact, bsw] = [Method::mod_n(1), Method::BswN { n }].map(|method| {
                let signer = signer(method);
                let pair = resemblance(&signer.sign(&text), &signer.sign(cut));
                pair.unwrap().unwrap()
            });
            let interval = bsw.interval.unwrap();
            let holds = interval.low <= exact.value && exact.value <= interval.high;
            assert!(holds, "{} {interval:?}", exact.value.get());
        }
    }

    /// Words of a small vocabulary, the same on every machine, and a copy that is changed in one of eight ways.
    struct Copies(u64);

    impl Copies {
        fn next(&mut self, below: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((self.0 >> 33) as usize) % below
        }

        fn word(&mut self) -> String {
            let number = self.next(4_000);
            "abcdefghijkl"[number % 9..]
                .chars()
                .take(2 + number % 7)
                .collect::<String>()
                + &(number / 7).to_string()
        }

        fn words(&mut self, count: usize) -> Vec<String> {
            (0..count).map(|_| self.word()).collect()
        }

        /// `share` of 1,000 words goes, comes or changes, one by one or as a block; or runs as long as a line change
        /// places, are sorted or repeated.
        fn changed(&mut self, words: &[String], way: usize, share: usize) -> Vec<String> {
            let block = words.len() * share / 1_000;
            if way > 4 {
                let mut runs: Vec<&[String]> = words.chunks(1 + self.next(16)).collect();
                match way {
                    5 => (1..runs.len()).for_each(|at| runs.swap(at, self.next(at + 1))),
                    6 => runs.sort_unstable(),
                    _ => runs.extend_from_within(..runs.len() * share / 1_000),
                }
                return runs.concat();
            }
            if way > 2 {
                let kept = &words[..words.len() - block];
                let fresh = self.words(if way == 3 { block } else { 0 });
                return [kept, &fresh].concat();
            }
            let mut copy = Vec::new();
            for word in words {
                match (self.next(1_000) < share, way) {
                    (false, _) => copy.push(word.clone()),
                    (true, 0) => copy.extend(["a".to_owned(), word.clone()]),
                    (true, 1) => {}
                    (true, _) => copy.push(self.word()),
                }
            }
            copy
        }
    }

    /// Texts that the table was not made of, of another kind than those it was made of.
    #[test]
    fn the_truth_lies_in_the_interval_for_texts_that_were_not_measured() {
        let mut copies = Copies(41);
        let signer = |method| {
            let shingling = Shingling::from(Window::DEFAULT);
            Signer::new(Recipe { method, shingling }).unwrap()
        };
        let exact = signer(Method::mod_n(1));
        let (mut given, mut held) = ([0_u32; 8], [0_u32; 8]);
        for round in 0..640 {
            let (way, n) = (round % 8, 2_u64 << (round / 8 % 6));
            let length = n as usize * (10 + copies.next(150));
            let words = copies.words(length);
            let share = [5, 20, 60, 150, 400][copies.next(5)];
            let copy = copies.changed(&words, way, share).join(" ");
            let texts = [words.join(" "), copy];
            let [a, b] = texts.each_ref().map(|text| exact.sign(text));
            let bsw = signer(Method::BswN { n });
            let [of_a, of_b] = texts.each_ref().map(|text| bsw.sign(text));
            let pairs = [
                (resemblance(&a, &b), resemblance(&of_a, &of_b)),
                (containment(&a, &b), containment(&of_a, &of_b)),
            ];
            for (truth, found) in pairs {
                let truth = truth.unwrap().unwrap().value;
                if let Some(interval) = found.unwrap().unwrap().interval {
                    given[way] += 1;
                    held[way] += u32::from(interval.low <= truth && truth <= interval.high);
                }
            }
        }
        for (given, held) in given.into_iter().zip(held) {
            assert!(given > 100, "{given} intervals");
            assert!(
                f64::from(held) >= 0.97 * f64::from(given),
                "{held} of {given}"
            );
        }
    }

    /// Rows of one form, of other words than the tables that were measured, in another order: nearly all shingles stay,
    /// and many entries go.
    #[test]
    fn the_truth_lies_in_the_interval_for_lists_in_another_order() {
        let mut copies = Copies(11);
        let signer = |method| {
            let shingling = Shingling::from(Window::DEFAULT);
            Signer::new(Recipe { method, shingling }).unwrap()
        };
        let exact = signer(Method::mod_n(1));
        let (mut given, mut held) = (0_u32, 0_u32);
        for round in 0..60 {
            let rows: Vec<String> = (0..[300, 1_000, 3_000][round % 3])
                .map(|number| {
                    let some = copies.next(990) + 10;
                    match round % 4 {
                        0 => format!("article {} price {some}.00 eur in stock", 100_000 + number),
                        1 => format!(
                            "login of user u{some} from 10.0.{}.7 accepted",
                            number % 256
                        ),
                        2 => format!("item number {number} of the list"),
                        _ => format!("transfer {some} to account ch{number} value date today"),
                    }
                })
                .collect();
            let mut copy = rows.clone();
            (1..copy.len()).for_each(|at| copy.swap(at, copies.next(at + 1)));
            let texts = [rows.join(" "), copy.join(" ")];
            let truth = {
                let [a, b] = texts.each_ref().map(|text| exact.sign(text));
                resemblance(&a, &b).unwrap().unwrap().value
            };
            for n in [8, 16, 32, 64] {
                let bsw = signer(Method::BswN { n });
                let [a, b] = texts.each_ref().map(|text| bsw.sign(text));
                if let Some(interval) = resemblance(&a, &b).unwrap().unwrap().interval {
                    given += 1;
                    held += u32::from(interval.low <= truth && truth <= interval.high);
                }
            }
        }
        assert!(given > 200, "{given} intervals");
        assert!(
            f64::from(held) >= 0.95 * f64::from(given),
            "{held} of {given}"
        );
    }
}
