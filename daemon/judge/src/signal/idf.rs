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

use super::terms::Term;

const TABLE: &str = include_str!("../../model/terms.txt");

/// Leading bits of a term by which the table is looked up: about as many lists as there are terms.
const BITS: u32 = 12;

/// Terms in ascending order: those of a text are asked for in that order, so that a text reads the table once from front to
/// back, where the places of a hash map are all over it.
struct Table {
    terms: Vec<Term>,
    idf: Vec<f64>,
    /// For each value of the leading bits where its terms begin, and behind the last where they all end.
    starts: Vec<u32>,
    /// The weight of a word that is not listed.
    rarest: f64,
}

impl Table {
    fn new(mut listed: Vec<(Term, f64)>, rarest: f64) -> Self {
        listed.sort_by_key(|(term, _)| *term);
        listed.dedup_by_key(|(term, _)| *term);
        let start = |bits: u64| listed.partition_point(|(term, _)| leading(*term) < bits) as u32;
        Self {
            starts: (0..=1 << BITS).map(start).collect(),
            terms: listed.iter().map(|(term, _)| *term).collect(),
            idf: listed.iter().map(|(_, idf)| *idf).collect(),
            rarest,
        }
    }

    fn get(&self, term: Term) -> Option<f64> {
        let at = leading(term) as usize;
        let [start, end] = [self.starts[at], self.starts[at + 1]].map(|at| at as usize);
        let found = self.terms[start..end].iter().position(|it| *it == term)?;
        Some(self.idf[start + found])
    }
}

fn leading(term: Term) -> u64 {
    term.0 >> (u64::BITS - BITS)
}

/// ln(N / df) of a term, N being the number of documents of the table; ln(2N) for one that it does not hold.
pub fn of(term: Term) -> f64 {
    let table = shipped();
    table.get(term).unwrap_or(table.rarest)
}

/// Whether the table holds a term: a common word.
pub fn is_listed(term: Term) -> bool {
    shipped().get(term).is_some()
}

/// Whether this is the value of a term that the table does not hold.
pub fn is_rarest(idf: f64) -> bool {
    idf >= shipped().rarest
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
    let mut listed = Vec::new();
    for line in lines {
        let mut cells = line.split(' ');
        let count: Option<f64> = cells.next().and_then(|count| count.parse().ok());
        for word in cells.filter(|word| !word.is_empty()) {
            if let Some(count) = count.filter(|count| *count > 0.0) {
                listed.push((Term::of(word), (documents / count).ln()));
            }
        }
    }
    Table::new(listed, (2.0 * documents).ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_word_weighs_less_than_a_rare_one_and_an_unknown_one_most() {
        let table = parse("# of a test\ndocuments 100\n90 the of\n5 lessee\n");
        let listed = |word| table.get(Term::of(word));
        assert_eq!(listed("the"), Some((100.0_f64 / 90.0).ln()));
        assert!(listed("lessee").is_some_and(|idf| idf < table.rarest));
        assert_eq!(listed("lessor"), None);
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
        assert!(parse(TABLE).idf.iter().all(|idf| *idf >= 0.0));
    }

    #[test]
    fn every_term_is_found_where_it_is_listed_and_no_other() {
        let ends = [0, 1, u64::MAX - 1, u64::MAX].map(Term);
        let words = (0..9_000).map(|at| Term::of(&at.to_string()));
        let all: Vec<Term> = ends.into_iter().chain(words).collect();
        let weight = |term: Term| (term.0 % 97) as f64;
        let listed = |at: &usize| at.is_multiple_of(3);
        let listed = (0..all.len()).filter(listed);
        let table = Table::new(listed.map(|at| (all[at], weight(all[at]))).collect(), 99.0);
        for (at, term) in all.iter().enumerate() {
            let expected = at.is_multiple_of(3).then(|| weight(*term));
            assert_eq!(table.get(*term), expected, "{at}");
        }
        assert_eq!(Table::new(Vec::new(), 1.0).get(Term(u64::MAX)), None);
    }
}
