//! The controlled edits of Cherkasova et al. 2009, §3: a tiny modification, i times, at random
//! places or uniformly spread; the edit distance is known, i words.

use std::collections::BTreeMap;

use super::operation::{choose, rewritten};
use crate::corpus::Random;

/// Where edits are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// At different words, each as likely as any other.
    Random,
    /// At words equally far apart.
    Uniform,
}

impl Spread {
    /// Its name in logs and in files of chains.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Uniform => "uniform",
        }
    }

    /// This many different words of `words`, ascending; all if there are fewer.
    fn places(self, words: usize, times: usize, random: &mut Random) -> Vec<usize> {
        let times = times.min(words);
        match self {
            Self::Random => choose(words, times, random),
            Self::Uniform => (0..times)
                .map(|at| (2 * at + 1) * words / (2 * times))
                .collect(),
        }
    }
}

/// Inserts "a " before this many words, or before every word if there are fewer.
pub fn insert_a(text: &str, times: usize, spread: Spread, random: &mut Random) -> String {
    edited(text, times, spread, random, |word| format!("a {word}"))
}

/// Removes this many words, or all. The white space after each is removed too, as a writer would
/// remove it.
pub fn remove_words(text: &str, times: usize, spread: Spread, random: &mut Random) -> String {
    // A sign of no text stands for the word and what follows it, for a moment.
    const REMOVED: char = '\u{F8FF}';
    let marked = edited(text, times, spread, random, |_| REMOVED.to_string());
    let mut parts = marked.split(REMOVED);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.trim_start())
}

fn edited(
    text: &str,
    times: usize,
    spread: Spread,
    random: &mut Random,
    edit: impl Fn(&str) -> String,
) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let places = spread.places(words.len(), times, random);
    let edits: BTreeMap<usize, String> =
        places.into_iter().map(|at| (at, edit(words[at]))).collect();
    rewritten(text, &edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "zero one two  three\nfour five six seven eight nine";

    #[test]
    fn uniform_places_are_equally_far_apart() {
        let places = |words, times| Spread::Uniform.places(words, times, &mut Random::new(1, 0));
        assert_eq!(places(10, 5), [1, 3, 5, 7, 9]);
        assert_eq!(places(100, 4), [12, 37, 62, 87]);
        assert_eq!(places(3, 9), [0, 1, 2]);
        assert_eq!(places(0, 4), Vec::<usize>::new());
    }

    #[test]
    fn so_many_are_inserted_and_removed() {
        for spread in [Spread::Random, Spread::Uniform] {
            for times in [0, 1, 4, 10, 50] {
                let random = || Random::new(3, times as u64);
                let longer = insert_a(TEXT, times, spread, &mut random());
                assert_eq!(longer.len(), TEXT.len() + 2 * times.min(10));
                let words = longer.split_whitespace().filter(|&word| word != "a");
                assert!(words.eq(TEXT.split_whitespace()));
                let shorter = remove_words(TEXT, times, spread, &mut random());
                let left: Vec<_> = shorter.split_whitespace().collect();
                assert_eq!(left.len(), 10 - times.min(10), "{shorter}");
            }
        }
    }

    #[test]
    fn the_white_space_that_stays_is_as_it_was() {
        let random = &mut Random::new(1, 0);
        let removed = remove_words("one two  three\nfour", 2, Spread::Uniform, random);
        assert_eq!(removed, "one three\n");
    }

    #[test]
    fn random_places_follow_from_the_seed() {
        let made = |seed| insert_a(TEXT, 3, Spread::Random, &mut Random::new(seed, 0));
        assert_eq!(made(1), made(1));
        assert!((2..20).any(|seed| made(seed) != made(1)));
    }
}
