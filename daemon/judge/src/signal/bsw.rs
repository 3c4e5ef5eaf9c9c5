//! Resemblance by BSW_n: the share of content-defined chunks in common.
//!
//! Chunks show where edits are: many small ones spread over a text hit more chunks than one long one, a difference that
//! resemblance over all shingles does not show. n is that at which the index samples the longer text. Cost: both texts
//! are signed, at hundreds of MB/s.

use simdex_signature::{BswN, CanonicalText, Ladder, Window, resemblance as of_signatures};

/// The share of entries in common, from 0 to 1; 0 for texts too short for a shingle.
pub fn resemblance(a: &CanonicalText, b: &CanonicalText) -> f64 {
    let longest = a.as_bytes().len().max(b.as_bytes().len());
    let rung = Ladder::default().rung_for(longest as u64);
    let [a, b] = [a, b].map(|text| BswN::sign(text, Window::DEFAULT, rung));
    let estimate = of_signatures(&a, &b).ok().flatten();
    estimate.map_or(0.0, |estimate| estimate.value.get())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn numbered(from: u32) -> String {
        (from..from + 400)
            .map(|at| format!("line {at} of the text. "))
            .collect()
    }

    #[test]
    fn it_is_the_resemblance_of_both_sets_of_entries() {
        let [a, b] = [numbered(0), numbered(100)].map(|text| CanonicalText::from_extracted(&text));
        let rung = Ladder::default().rung_for(a.as_bytes().len().max(b.as_bytes().len()) as u64);
        let set = |text| -> BTreeSet<u64> {
            let signature = BswN::sign(text, Window::DEFAULT, rung);
            signature
                .fingerprints()
                .iter()
                .map(|entry| entry.0)
                .collect()
        };
        let (of_a, of_b) = (set(&a), set(&b));
        let shared = of_a.intersection(&of_b).count() as f64;
        let all = of_a.union(&of_b).count() as f64;
        assert_eq!(resemblance(&a, &b), shared / all);
        assert!(shared > 0.0 && shared < all);
        assert_eq!(resemblance(&a, &a), 1.0);
    }
}
