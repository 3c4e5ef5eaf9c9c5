//! Measures the signals of a pair of texts.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::signal::difference::Difference;
use crate::signal::{COUNT, Cost, KnownSignals, Signal, bsw, compression, snippet, title};
use crate::text::JudgedText;

/// Stands for a signal without a value where a number is needed.
pub(crate) const HALFWAY: f64 = 0.5;

/// What belongs to one pair: the values of its signals, each measured once, and what serves several of them. A pair may be
/// measured on one thread and judged on another.
#[derive(Debug, Default)]
pub struct Together {
    values: [OnceLock<Option<f64>>; COUNT],
    /// c(AB), made once for both distances.
    compressed: OnceLock<u64>,
    difference: OnceLock<Difference>,
}

impl Together {
    /// The signals that were measured, by [`Signal::index`].
    #[cfg(test)]
    pub(crate) fn measured(&self) -> [bool; COUNT] {
        self.values.each_ref().map(|value| value.get().is_some())
    }

    fn compressed(&self, a: &JudgedText, b: &JudgedText) -> u64 {
        let joined = || compression::together(a.beginning(), b.beginning());
        *self.compressed.get_or_init(joined)
    }

    fn difference(&self, a: &JudgedText, b: &JudgedText) -> Difference {
        let found = || Difference::of(a.terms(), b.terms());
        *self.difference.get_or_init(found)
    }
}

/// The value of a signal that needs the texts; `None` if it is not known, or needs none. `together` caches it and what
/// else belongs to this one pair.
pub fn of_texts(
    signal: Signal,
    a: &JudgedText,
    b: &JudgedText,
    together: &Together,
) -> Option<f64> {
    let measured = || measured(signal, a, b, together);
    *together.values[signal.index()].get_or_init(measured)
}

fn measured(signal: Signal, a: &JudgedText, b: &JudgedText, together: &Together) -> Option<f64> {
    if is_by_terms(signal) {
        // Most of the words of one side are words of the other.
        b.terms_beside(a);
    }
    Some(match signal {
        Signal::SameTitle => f64::from(u8::from(title::same(a.title(), b.title())?)),
        Signal::OwnWords => a.own_words().shared(b.own_words())?,
        Signal::OwnNumbers => a.own_words().numbers_shared(b.own_words())?,
        Signal::FirstOwnWords => a.own_words().first_shared(b.own_words())?,
        Signal::DifferenceRarity if a.is_foreign() || b.is_foreign() => return None,
        Signal::DifferenceRarity => together.difference(a, b).rarity()?,
        Signal::DifferenceBalance => together.difference(a, b).balance()?,
        Signal::SimhashDistance => a.simhash().distance(b.simhash()),
        Signal::TfIdfDistance => a.top_terms().distance(b.top_terms()),
        Signal::BswResemblance => bsw::resemblance(a.canonical(), b.canonical()),
        Signal::SnippetMcd => snippet_mcd(a, b, together),
        Signal::Ncd => {
            let alone = [a, b].map(JudgedText::compressed_once);
            compression::ncd(alone, together.compressed(a, b))
        }
        Signal::Mcd => mcd(a, b, together),
        _ => return None,
    })
}

fn is_by_terms(signal: Signal) -> bool {
    matches!(
        signal,
        Signal::OwnWords
            | Signal::OwnNumbers
            | Signal::FirstOwnWords
            | Signal::DifferenceRarity
            | Signal::DifferenceBalance
            | Signal::SimhashDistance
            | Signal::TfIdfDistance
    )
}

fn mcd(a: &JudgedText, b: &JudgedText, together: &Together) -> f64 {
    let twice = [a, b].map(JudgedText::compressed_twice);
    compression::mcd(twice, together.compressed(a, b))
}

/// The distance of the shorter text and the nearest passage of the longer one, from 0 up to about 1.
fn snippet_mcd(a: &JudgedText, b: &JudgedText, together: &Together) -> f64 {
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
        _ => of_texts(signal, &a, &b, &Together::default()),
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
        let together = Together::default();
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
        let both = Together::default();
        let value = |signal, both: &Together| of_texts(signal, &a, &b, both);
        let plain = value(Signal::Ncd, &both);
        let compressed = compression::together(a.beginning(), b.beginning());
        assert_eq!(both.compressed.get(), Some(&compressed));
        let modified = value(Signal::Mcd, &both);
        let apart = [Signal::Ncd, Signal::Mcd].map(|signal| value(signal, &Together::default()));
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
