//! Inverse document frequencies, from a table that ships with the program.
//!
//! Frequencies counted in the index would reveal to a caller who may see some roots what documents in others say: a
//! score that moves when a hidden document comes or goes is an oracle. Counted only in the caller's roots, they would
//! cost a count over all terms for every view, and one pair could get two judgements in two views. A fixed table does
//! neither (Huffman et al. use a fixed logarithmic table as well). A term that it does not hold counts as the rarest,
//! so that in a language of which it knows no word only the frequency in the text counts.
//!
//! The table (`model/terms.txt`) is made by `study judge-terms` from public texts: `documents N` comes first, then
//! lines with a count of documents and the words that occur in that many.

use std::sync::OnceLock;

use super::terms::{Term, TermMap};

const TABLE: &str = include_str!("../../model/terms.txt");

struct Table {
    idf: TermMap<f64>,
    /// The weight of a word that is not listed.
    rarest: f64,
}

/// ln(N / df) of a term, N being the number of documents of the table; ln(2N) for one that it does not hold.
pub fn of(term: Term) -> f64 {
    let table = shipped();
    table.idf.get(&term).copied().unwrap_or(table.rarest)
}

/// Whether the table holds a term: a common word.
pub fn is_listed(term: Term) -> bool {
    shipped().idf.contains_key(&term)
}

/// Whether this is the value of a term that the table does not hold.
pub fn is_rarest(idf: f64) -> bool {
    idf >= rarest()
}

/// The value of a term that the table does not hold.
pub fn rarest() -> f64 {
    shipped().rarest
}

fn shipped() -> &'static Table {
    static SHIPPED: OnceLock<Table> = OnceLock::new();
    SHIPPED.get_or_init(|| parse(TABLE))
}

/// Malformed lines are skipped: a test ensures that the shipped table has none.
fn parse(table: &str) -> Table {
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let documents = lines
        .next()
        .and_then(|line| line.strip_prefix("documents "));
    let documents: f64 = documents
        .and_then(|count| count.parse().ok())
        .unwrap_or(1.0);
    let mut idf = TermMap::default();
    for line in lines {
        let mut cells = line.split(' ');
        let count: Option<f64> = cells.next().and_then(|count| count.parse().ok());
        for word in cells.filter(|word| !word.is_empty()) {
            if let Some(count) = count.filter(|count| *count > 0.0) {
                idf.insert(Term::of(word), (documents / count).ln());
            }
        }
    }
    Table {
        idf,
        rarest: (2.0 * documents).ln(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_word_weighs_less_than_a_rare_one_and_an_unknown_one_most() {
        let table = parse("# of a test\ndocuments 100\n90 the of\n5 lessee\n");
        assert_eq!(table.idf[&Term::of("the")], (100.0_f64 / 90.0).ln());
        assert!(table.idf[&Term::of("lessee")] < table.rarest);
        assert_eq!(table.rarest, 200.0_f64.ln());
        assert!(of(Term::of("the")) < of(Term::of("section")));
        assert!(of(Term::of("section")) < of(Term::of("zzzunknown")));
        for (word, is_own) in [("the", false), ("zzzunknown", true)] {
            let term = Term::of(word);
            assert_eq!((!is_listed(term), is_rarest(of(term))), (is_own, is_own));
        }
    }

    #[test]
    fn every_line_of_the_shipped_table_is_read() {
        let words = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
        let words: usize = words.map(|line| line.split(' ').count() - 1).sum();
        assert_eq!(parse(TABLE).idf.len(), words);
        assert!(words > 500, "{words}");
        assert!(parse(TABLE).idf.values().all(|idf| *idf >= 0.0));
    }
}
