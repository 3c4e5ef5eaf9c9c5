//! Resemblance and containment counted on all windows of all texts: what answers are held against.
//!
//! Nothing of it comes from the product but the canonical text. Windows are compared as bytes,
//! without fingerprints, so nothing collides; pairs are counted window by window, so none is
//! passed over.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use simdex_signature::CanonicalText;

/// Width of a window, bytes of canonical text.
pub const WINDOW: usize = 20;

/// The exact numbers of two documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratios {
    /// |A∩B| / |A∪B|.
    pub resemblance: f64,
    /// |A∩B| / |A|.
    pub containment_of_a: f64,
    /// |A∩B| / |B|.
    pub containment_of_b: f64,
}

impl Ratios {
    fn of(shared: u32, a: u32, b: u32) -> Self {
        let [shared, a, b] = [shared, a, b].map(f64::from);
        Self {
            resemblance: shared / (a + b - shared),
            containment_of_a: shared / a,
            containment_of_b: shared / b,
        }
    }
}

/// The numbers of two texts, by the definition; `None` where one of them has no window.
pub fn ratios(a: &CanonicalText, b: &CanonicalText) -> Option<Ratios> {
    let (a, b) = (windows(a), windows(b));
    let shared = a.intersection(&b).count() as u32;
    let comparable = !a.is_empty() && !b.is_empty();
    comparable.then(|| Ratios::of(shared, a.len() as u32, b.len() as u32))
}

fn windows(text: &CanonicalText) -> HashSet<&[u8]> {
    text.as_bytes().windows(WINDOW).collect()
}

/// How many windows every two of a list of texts share.
pub struct Truth {
    sizes: Vec<u32>,
    /// Row by row, of the half below the diagonal.
    shared: Vec<u32>,
}

impl Truth {
    /// Counts them. Windows that the same texts hold are counted together: time is the windows in
    /// all, and for each distinct set of holders the square of its size.
    pub fn of(texts: &[CanonicalText]) -> Self {
        let mut sizes = vec![0; texts.len()];
        let mut shared = vec![0; row(texts.len())];
        for (holders, windows) in holders(texts) {
            for (at, &text) in holders.iter().enumerate() {
                sizes[text] += windows;
                let counts = &mut shared[row(text)..];
                holders[..at]
                    .iter()
                    .for_each(|&earlier| counts[earlier] += windows);
            }
        }
        Self { sizes, shared }
    }

    /// The numbers of two texts, by their places in the list.
    pub fn ratios(&self, a: usize, b: usize) -> Ratios {
        let shared = if a == b {
            self.sizes[a]
        } else {
            self.shared[row(a.max(b)) + a.min(b)]
        };
        Ratios::of(shared, self.sizes[a], self.sizes[b])
    }

    /// Every pair whose resemblance reaches the threshold, the smaller place first.
    pub fn pairs(&self, threshold: f64) -> Vec<(usize, usize)> {
        let all = (0..self.sizes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        all.filter(|&(a, b)| self.ratios(a, b).resemblance >= threshold)
            .collect()
    }
}

/// Where the counts of a text with all earlier ones begin.
fn row(text: usize) -> usize {
    text * text.saturating_sub(1) / 2
}

/// Sets of texts, each with the number of distinct windows that exactly these texts hold.
fn holders(texts: &[CanonicalText]) -> HashMap<Vec<usize>, u32> {
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let mut held = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        for window in text.as_bytes().windows(WINDOW) {
            let next = numbers.len() as u32;
            held.push((*numbers.entry(window).or_insert(next), place as u32));
        }
    }
    held.sort_unstable();
    held.dedup();
    let mut sets = HashMap::new();
    for of_one in held.chunk_by(|a, b| a.0 == b.0) {
        let holders = of_one.iter().map(|&(_, place)| place as usize).collect();
        *sets.entry(holders).or_insert(0) += 1;
    }
    sets
}

/// Texts that are held against many others, one after another, of which none is kept.
pub struct Asked<'t> {
    sizes: Vec<u32>,
    /// Every window of the texts, with the places of those that hold it.
    holders: HashMap<&'t [u8], Vec<u32>>,
}

impl<'t> Asked<'t> {
    /// Takes down the windows of these texts.
    pub fn of(texts: &'t [CanonicalText]) -> Self {
        let (mut sizes, mut holders) = (Vec::new(), HashMap::new());
        for (place, text) in texts.iter().enumerate() {
            let windows = windows(text);
            sizes.push(windows.len() as u32);
            for window in windows {
                let holders: &mut Vec<u32> = holders.entry(window).or_default();
                holders.push(place as u32);
            }
        }
        Self { sizes, holders }
    }

    /// The places of the texts of which `other` contains at least this share, more than none, with their numbers:
    /// A is the text that is asked about. A resemblance is no greater than this share.
    pub fn contained_in(&self, other: &CanonicalText, at_least: f64) -> Vec<(usize, Ratios)> {
        let all = other.as_bytes().windows(WINDOW);
        let mut held: Vec<&[u8]> = all
            .filter(|window| self.holders.contains_key(*window))
            .collect();
        held.sort_unstable();
        held.dedup();
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for place in held.into_iter().flat_map(|window| &self.holders[window]) {
            *shared.entry(*place).or_default() += 1;
        }
        let size_of = |place: u32| self.sizes[place as usize];
        shared.retain(|place, shared| f64::from(*shared) >= at_least * f64::from(size_of(*place)));
        if shared.is_empty() {
            return Vec::new();
        }
        let size = windows(other).len() as u32;
        let ratios = |(place, shared)| (place as usize, Ratios::of(shared, size_of(place), size));
        shared.into_iter().map(ratios).collect()
    }
}

/// Stars over these pairs as the index does: longest text first, then by hash; each one not yet taken
/// takes all its free neighbours. Principal to members, also those who stay alone.
pub fn stars(texts: &[CanonicalText], pairs: &[(usize, usize)]) -> BTreeMap<usize, Vec<usize>> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|&at| (Reverse(texts[at].as_bytes().len()), texts[at].hash()));
    let mut free = vec![true; texts.len()];
    let mut stars = BTreeMap::new();
    for principal in order {
        if !std::mem::take(&mut free[principal]) {
            continue;
        }
        let other = |&(a, b): &(usize, usize)| match (a == principal, b == principal) {
            (true, _) => Some(b),
            (_, true) => Some(a),
            _ => None,
        };
        let neighbours = pairs.iter().filter_map(other);
        let members = neighbours
            .filter(|&at| std::mem::take(&mut free[at]))
            .collect();
        stars.insert(principal, members);
    }
    stars
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: &[&str]) -> Vec<CanonicalText> {
        of.iter()
            .map(|text| CanonicalText::from_extracted(text))
            .collect()
    }

    #[test]
    fn numbers_are_those_of_the_definition() {
        // 6 windows of which the second shares 3 and adds 1.
        let two = texts(&["abcdefghijklmnopqrstuvwxy", "abcdefghijklmnopqrstuv0"]);
        let truth = Truth::of(&two);
        let found = truth.ratios(0, 1);
        assert_eq!(found, Ratios::of(3, 6, 4));
        assert_eq!(Some(found), ratios(&two[0], &two[1]));
        assert_eq!(truth.ratios(1, 0), Ratios::of(3, 4, 6));
        assert_eq!(truth.ratios(1, 1), Ratios::of(4, 4, 4));
    }

    #[test]
    fn counting_all_pairs_at_once_equals_counting_each() {
        let line = "the same words again and again, and one more: ";
        let many: Vec<String> = (0..12)
            .map(|at| line.repeat(at % 4) + &"xyz".repeat(at))
            .collect();
        let many = texts(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let truth = Truth::of(&many);
        let comparable = |(a, b): (usize, usize)| ratios(&many[a], &many[b]).map(|r| (a, b, r));
        let all = (0..12).flat_map(|b| (0..12).map(move |a| (a, b)));
        let mut counted = 0;
        for (a, b, ratios) in all.filter_map(comparable) {
            assert_eq!(truth.ratios(a, b), ratios, "{a} {b}");
            counted += 1;
        }
        assert!(counted > 60, "{counted}");
    }

    #[test]
    fn texts_asked_about_one_at_a_time_have_the_same_numbers() {
        let line = "the same words again and again, and one more: ";
        let many: Vec<String> = (1..12)
            .map(|at| line.repeat(at) + &"xyz".repeat(at))
            .collect();
        let many = texts(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let (truth, asked) = (Truth::of(&many), Asked::of(&many[..4]));
        let mut counted = 0;
        for (b, text) in many.iter().enumerate() {
            let expected = (0..4).map(|a| (a, truth.ratios(a, b)));
            let expected = expected.filter(|(_, ratios)| ratios.containment_of_a >= 0.8);
            let mut found = asked.contained_in(text, 0.8);
            found.sort_by_key(|(place, _)| *place);
            assert_eq!(found, expected.collect::<Vec<_>>(), "{b}");
            counted += found.len();
        }
        assert!((5..44).contains(&counted), "{counted}");
    }

    #[test]
    fn the_longest_text_leads_and_a_chain_is_cut() {
        let three = texts(&["short", "the longest of all", "a middle one"]);
        let stars = stars(&three, &[(0, 2), (1, 2)]);
        assert_eq!(stars, BTreeMap::from([(1, vec![2]), (0, vec![])]));
    }
}
