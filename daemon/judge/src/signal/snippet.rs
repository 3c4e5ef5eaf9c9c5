//! The modified compression distance between the shorter text and the nearest passage of the longer one.
//!
//! Huffman et al. 2007 (§3.2.2) compare long snippets around the words of a query. Here the query may itself be a
//! passage: what surrounds it in the longer document is not part of it. The passage has as many words as the shorter
//! text, and is the one of that length that contains most of its words; if the longer text has no more words, all of it
//! is taken.
//!
//! Cost: one pass over the longer text, 16 bytes of memory for each of its words, and compressions of about six
//! times the shorter, of which two are made once for all passages.

use super::terms::{Term, TermMap, words};

/// Whether `a` is the text whose nearest passage is looked for in `b`: the shorter one.
pub fn is_sought(a: &str, b: &str) -> bool {
    (a.len(), a) <= (b.len(), b)
}

/// The passage of `long` that contains most words of `short`; the first one of several equal ones.
pub fn nearest<'a>(short: &str, long: &'a str) -> &'a str {
    let mut wanted: TermMap<i64> = TermMap::default();
    let mut width = 0;
    for word in words(short) {
        *wanted.entry(Term::of(word)).or_default() += 1;
        width += 1;
    }
    let start = |word: &str| word.as_ptr() as usize - long.as_ptr() as usize;
    // Each word of the longer text, with its offset.
    let places: Vec<(usize, Term)> = words(long)
        .map(|word| (start(word), Term::of(word)))
        .collect();
    if places.len() <= width {
        return long;
    }
    let first = best_start(&places, width, &mut wanted);
    let end = places
        .get(first + width)
        .map_or(long.len(), |place| place.0);
    &long[places[first].0..end]
}

/// The index of the first word of the best passage of `width` words.
fn best_start(places: &[(usize, Term)], width: usize, wanted: &mut TermMap<i64>) -> usize {
    let (mut held, mut most, mut best) = (0_u64, 0, 0);
    for (at, (_, term)) in places.iter().enumerate() {
        if let Some(left) = wanted.get_mut(term) {
            // Below zero: it occurs here more often than it is wanted.
            held += u64::from(*left > 0);
            *left -= 1;
        }
        if let Some(gone) = at.checked_sub(width)
            && let Some(left) = wanted.get_mut(&places[gone].1)
        {
            *left += 1;
            held -= u64::from(*left > 0);
        }
        if held > most && at + 1 >= width {
            (most, best) = (held, at + 1 - width);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::compression::{mcd, together, twice};

    fn distance(a: &str, b: &str) -> f64 {
        let (short, long) = if is_sought(a, b) { (a, b) } else { (b, a) };
        let passage = nearest(short, long);
        mcd([twice(short), twice(passage)], together(short, passage))
    }

    fn filler(from: u32, count: u32) -> String {
        (from..from + count)
            .map(|at| format!("filler{at} "))
            .collect()
    }

    /// The slow reference: every passage, counted separately.
    fn by_trying(short: &str, long: &str) -> usize {
        let terms = |text| words(text).map(Term::of).collect::<Vec<_>>();
        let (short, long) = (terms(short), terms(long));
        let held = |from: usize| {
            let mut left = short.clone();
            let passage = &long[from..from + short.len()];
            passage.iter().for_each(|term| {
                if let Some(at) = left.iter().position(|wanted| wanted == term) {
                    left.swap_remove(at);
                }
            });
            short.len() - left.len()
        };
        let starts = 0..=long.len() - short.len();
        starts.rev().max_by_key(|from| held(*from)).unwrap_or(0)
    }

    #[test]
    fn the_passage_is_that_of_a_full_search() {
        let short = "the tenant shall pay the rent in advance";
        let long = format!(
            "{}the rent {}{short} {}",
            filler(0, 40),
            filler(50, 9),
            filler(99, 40)
        );
        let start = by_trying(short, &long);
        let begins = words(&long).nth(start).unwrap();
        assert!(nearest(short, &long).starts_with(begins));
        assert!(nearest(short, &long).contains(short));
    }

    #[test]
    fn a_passage_is_near_the_document_that_holds_it() {
        let passage = filler(500, 80);
        let document = format!("{}{passage}{}", filler(0, 400), filler(900, 400));
        let other = filler(3_000, 900);
        let inside = distance(&passage, &document);
        assert!(inside < 0.3 * distance(&passage, &other), "{inside}");
        assert_eq!(inside, distance(&document, &passage));
        assert_eq!(nearest("", "a b"), "");
        assert_eq!(nearest("a b c", "a b"), "a b");
    }
}
