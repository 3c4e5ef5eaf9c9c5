//! Measures the signals of a pair of texts.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use crate::signal::difference::Difference;
use crate::signal::{COUNT, Cost, KnownSignals, Signal, bsw, compression, snippet, title};
use crate::text::JudgedText;

/// Stands for a signal without a value where a number is needed.
const HALFWAY: f64 = 0.5;

/// c(AB) of one pair, made once for both distances.
#[derive(Debug, Default)]
pub struct JointLength(OnceCell<u64>);

impl JointLength {
    fn of(&self, a: &JudgedText, b: &JudgedText) -> u64 {
        let joined = || compression::together(a.beginning(), b.beginning());
        *self.0.get_or_init(joined)
    }
}

/// The value of a signal that needs the texts; `None` if it is not known, or needs none. `together` caches what belongs
/// to one pair.
pub fn of_texts(
    signal: Signal,
    a: &JudgedText,
    b: &JudgedText,
    together: &JointLength,
) -> Option<f64> {
    Some(match signal {
        Signal::SameTitle => f64::from(u8::from(title::same(a.title(), b.title())?)),
        Signal::OwnWords => a.own_words().shared(b.own_words())?,
        Signal::OwnNumbers => a.own_words().numbers_shared(b.own_words())?,
        Signal::FirstOwnWords => a.own_words().first_shared(b.own_words())?,
        Signal::DifferenceRarity if a.is_foreign() || b.is_foreign() => return None,
        Signal::DifferenceRarity => Difference::of(a.terms(), b.terms()).rarity()?,
        Signal::DifferenceBalance => Difference::of(a.terms(), b.terms()).balance()?,
        Signal::SimhashDistance => a.simhash().distance(b.simhash()),
        Signal::TfIdfDistance => a.top_terms().distance(b.top_terms()),
        Signal::BswResemblance => bsw::resemblance(a.canonical(), b.canonical()),
        Signal::SnippetMcd => snippet_mcd(a, b, together),
        Signal::Ncd => {
            let alone = [a, b].map(JudgedText::compressed_once);
            compression::ncd(alone, together.of(a, b))
        }
        Signal::Mcd => mcd(a, b, together),
        _ => return None,
    })
}

fn mcd(a: &JudgedText, b: &JudgedText, together: &JointLength) -> f64 {
    let twice = [a, b].map(JudgedText::compressed_twice);
    compression::mcd(twice, together.of(a, b))
}

/// The distance of the shorter text and the nearest passage of the longer one, from 0 up to about 1.
fn snippet_mcd(a: &JudgedText, b: &JudgedText, together: &JointLength) -> f64 {
    let (short, long) = match snippet::is_sought(a.beginning(), b.beginning()) {
        true => (a, b),
        false => (b, a),
    };
    let passage = snippet::nearest(short.beginning(), long.beginning());
    if passage.len() == long.beginning().len() {
        return mcd(a, b, together);
    }
    let twice = [short.compressed_twice(), compression::twice(passage)];
    compression::mcd(twice, compression::together(short.beginning(), passage))
}

/// How long a signal takes for a pair of texts of which nothing is cached.
pub fn time_of(signal: Signal, known: &KnownSignals, a: &JudgedText, b: &JudgedText) -> Duration {
    let (a, b) = (a.afresh(), b.afresh());
    let started = Instant::now();
    let value = match signal.cost() {
        Cost::Known => known.value(signal),
        _ => of_texts(signal, &a, &b, &JointLength::default()),
    };
    std::hint::black_box(value);
    started.elapsed()
}

/// The values of all signals of one pair, by [`Signal::index`]; `None` for one that says nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Values(pub [Option<f64>; COUNT]);

impl Values {
    /// All signals of a pair.
    pub fn measured(known: &KnownSignals, a: &JudgedText, b: &JudgedText) -> Self {
        let together = JointLength::default();
        Self(Signal::ALL.map(|signal| {
            let read = || of_texts(signal, a, b, &together);
            known.value(signal).or_else(read)
        }))
    }

    /// Values of which none is known.
    pub fn unknown() -> Self {
        Self([None; COUNT])
    }

    /// The value of one signal; `None` if it says nothing.
    pub fn get(&self, signal: Signal) -> Option<f64> {
        self.0[signal.index()]
    }

    /// The value of one signal for a learner that takes numbers alone: halfway where it says nothing.
    pub fn number(&self, signal: Signal) -> f64 {
        self.get(signal).unwrap_or(HALFWAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_compression_of_both_serves_both_distances() {
        let [a, b] = ["the tenant pays", "the landlord repairs"].map(JudgedText::new);
        let both = JointLength::default();
        let value = |signal, both: &JointLength| of_texts(signal, &a, &b, both);
        let plain = value(Signal::Ncd, &both);
        let compressed = compression::together(a.beginning(), b.beginning());
        assert_eq!(both.0.get(), Some(&compressed));
        let modified = value(Signal::Mcd, &both);
        let apart = [Signal::Ncd, Signal::Mcd].map(|signal| value(signal, &JointLength::default()));
        assert_eq!([plain, modified], apart);
    }

    #[test]
    fn what_is_not_known_lies_halfway() {
        let text = JudgedText::new("some words that make a text");
        let values = Values::measured(&KnownSignals::default(), &text, &text);
        assert_eq!(values.get(Signal::SameRoot), None);
        assert_eq!(values.number(Signal::SameRoot), HALFWAY);
        assert_eq!(values.get(Signal::SimhashDistance), Some(0.0));
    }
}
