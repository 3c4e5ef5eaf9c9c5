//! The identity measure: documents with like numbers of the same words come from one source.
//!
//! Source: Hoad and Zobel 2003, "Methods for identifying versioned and plagiarised documents": of a
//! query q and a document d, lengths |q| and |d| in words, f_{x,t} the occurrences of word t in x,
//! N documents of which f_t have t,
//!
//! score(q, d) = 1 / (1 + ln(1 + ||d| − |q||)) · Σ over t in both of ln(N / f_t) / (1 + |f_{d,t} − f_{q,t}|).
//!
//! This is the variant with both logarithms; it ranks the documents
//! of a collection by their score for one query and is no ratio.

use super::{Statistics, frequencies, words};

/// The score of a document for a query; at least 0.
pub fn score(query: &str, document: &str, statistics: &Statistics) -> f64 {
    let lengths = [query, document].map(|text| words(text).len());
    let (query, document) = (frequencies(query), frequencies(document));
    let shared = query.iter().filter_map(|(word, &in_query)| {
        let in_document = *document.get(word)?;
        // A word of the query alone is as rare as a word can be.
        let holders = statistics.holders(word).max(1) as f64;
        let rarity = (statistics.documents().max(1) as f64 / holders)
            .ln()
            .max(0.0);
        Some(rarity / (1.0 + in_document.abs_diff(in_query) as f64))
    });
    let difference = lengths[0].abs_diff(lengths[1]) as f64;
    shared.sum::<f64>() / (1.0 + (1.0 + difference).ln())
}

/// The documents in the order of their scores for a query, the best first; of equal ones the first.
pub fn ranking(query: &str, documents: &[&str], statistics: &Statistics) -> Vec<usize> {
    let scores: Vec<f64> = documents
        .iter()
        .map(|d| score(query, d, statistics))
        .collect();
    let mut order: Vec<usize> = (0..documents.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_by_hand() {
        let statistics = Statistics::of(["a b", "a c c", "a d", "e"]);
        // b is in 1 of 4, a in 3 of 4; lengths differ by 1.
        let expected = (4.0f64.ln() + (4.0f64 / 3.0).ln() / 2.0) / (1.0 + 2.0f64.ln());
        assert!((score("a b", "a a b", &statistics) - expected).abs() < 1e-12);
        assert_eq!(score("a b", "x", &statistics), 0.0);
        assert_eq!(score("", "", &Statistics::default()), 0.0);
    }

    #[test]
    fn derivatives_of_the_query_come_first() {
        let documents = [
            "a report on ships and harbours of the north",
            "the minutes of a meeting on budgets",
            "a report on ships and some harbours in the north",
            "harbours",
        ];
        let statistics = Statistics::of(documents);
        let order = ranking(documents[0], &documents, &statistics);
        assert_eq!(order[..2], [0, 2]);
    }
}
