//! A document's own words: those that the [table](super::idf) of common words does not hold, and numbers.
//!
//! Two letters of one form share its wording and differ in names, dates and amounts; two versions of a letter keep
//! those, whatever else was revised. Resemblance weighs a name and a phrase of the form by their bytes. A word of the
//! form that the table does not hold counts as own too, since no count over the index may be used. So numbers, which
//! are hardly ever part of a form, are also compared by themselves. In a text in a language that the table does not
//! know, only numbers are known to be its own.
//!
//! ```text
//! shared(A, B) = Σ_w min(count(w, A), count(w, B)) / min(Σ_w count(w, A), Σ_w count(w, B))
//! ```
//!
//! The share is of the side that has fewer, so that an excerpt is not penalised for what it leaves out. A document is
//! usually identified at its beginning (a file number, a date, an addressee): [`OwnWords::first_shared`] compares only
//! the first own words.
//!
//! Cost: one pass over the distinct terms of a text; 16 bytes are kept for each own word, and as many for each number.

use super::idf;
use super::term_counts::TermCounts;
use super::terms::{Term, words};

/// Number of own words taken as the beginning of a document.
const FIRST: usize = 8;
/// If the table holds fewer than one in this many of a text's words, it cannot tell which are the text's own.
const MIN_LISTED: u64 = 8;

/// The own words of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnWords {
    /// Own words with their counts, in the order of [`Term`].
    words: Vec<(Term, u32)>,
    /// The own words with a digit.
    numbers: Vec<(Term, u32)>,
    /// The first distinct own words.
    first: Vec<Term>,
    /// The table knows too few of the text's words to tell which are its own.
    is_foreign: bool,
}

impl OwnWords {
    /// The own words of a canonical text with these terms.
    pub fn of(canonical: &str, terms: &TermCounts) -> Self {
        let own: Vec<(Term, u32)> = terms.own().collect();
        let total = |sum: u64, (_, count): (Term, u32)| sum + u64::from(count);
        let all = terms.iter().fold(0, total);
        let listed = all - own.iter().copied().fold(0, total);
        let numbers = own.iter().filter(|(term, _)| terms.is_number(*term));
        Self {
            numbers: numbers.copied().collect(),
            first: first(canonical),
            words: own,
            is_foreign: MIN_LISTED * listed < all,
        }
    }

    /// Whether the table of common words knows too few of the text's words to tell which are its own.
    pub(crate) fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// The share of own words in common; `None` if one text has none, or they are not known.
    pub fn shared(&self, other: &Self) -> Option<f64> {
        if self.is_foreign || other.is_foreign {
            return None;
        }
        shared(&self.words, &other.words)
    }

    /// The share of numbers in common; `None` if one text has none.
    pub fn numbers_shared(&self, other: &Self) -> Option<f64> {
        shared(&self.numbers, &other.numbers)
    }

    /// The share of the first own words in common; `None` if one text has none, or they are not known.
    pub fn first_shared(&self, other: &Self) -> Option<f64> {
        if self.is_foreign || other.is_foreign {
            return None;
        }
        let fewer = self.first.len().min(other.first.len());
        let both = self.first.iter().filter(|term| other.first.contains(term));
        (fewer > 0).then(|| both.count() as f64 / fewer as f64)
    }
}

/// The first distinct own words of a canonical text.
fn first(canonical: &str) -> Vec<Term> {
    let mut first = Vec::new();
    for term in words(canonical).map(Term::of) {
        if first.len() == FIRST {
            break;
        }
        if !first.contains(&term) && !idf::is_listed(term) {
            first.push(term);
        }
    }
    first
}

/// What two lists of counts have in common, as a share of the one with the lower total.
fn shared(a: &[(Term, u32)], b: &[(Term, u32)]) -> Option<f64> {
    let total = |of: &[(Term, u32)]| of.iter().map(|(_, count)| u64::from(*count)).sum::<u64>();
    let fewer = total(a).min(total(b));
    let (mut of_b, mut both) = (b.iter().peekable(), 0_u64);
    for (term, count) in a {
        while of_b.next_if(|(other, _)| other < term).is_some() {}
        if let Some((_, of_other)) = of_b.next_if(|(other, _)| other == term) {
            both += u64::from(*count.min(of_other));
        }
    }
    (fewer > 0).then(|| both as f64 / fewer as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &str) -> OwnWords {
        OwnWords::of(text, &TermCounts::of(text))
    }

    #[test]
    fn shares_by_hand() {
        let a = own("the zzada of zzbonn and zzada with 17");
        let b = own("the zzada of zzcork and 18 or 17");
        // zzada twice, zzbonn, 17; zzada, zzcork, 18, 17: two of four.
        assert_eq!(a.shared(&b), Some(0.5));
        assert_eq!(a.numbers_shared(&b), Some(1.0));
        // zzada zzbonn 17; zzada zzcork 18 17.
        assert_eq!(a.first_shared(&b), Some(2.0 / 3.0));
        assert_eq!(b.shared(&a), a.shared(&b));
        assert_eq!(b.first_shared(&a), a.first_shared(&b));
    }

    #[test]
    fn a_text_without_own_words_says_nothing() {
        let (none, some) = (own("the of and with"), own("the zzada"));
        assert_eq!(none.shared(&some), None);
        assert_eq!(some.numbers_shared(&some), None);
        assert_eq!(none.first_shared(&some), None);
    }

    #[test]
    fn in_a_language_that_the_table_does_not_know_numbers_alone_say_something() {
        let foreign =
            own("zzder zzvertrag zzgilt zzab zzdem 17 zzmai zzund zzendet zzam 18 zzjuni");
        assert_eq!(foreign.shared(&foreign), None);
        assert_eq!(foreign.first_shared(&own("the zzada")), None);
        assert_eq!(foreign.numbers_shared(&foreign), Some(1.0));
    }

    /// The purpose of these signals: by all its words the other letter is nearer than the revised one.
    #[test]
    fn a_letter_of_the_same_form_shares_less_of_its_own_than_a_revised_one() {
        let letter = |name: &str, number: u32, rest: &str| {
            let form = "we have received your letter and will answer it within the time that the law sets \
                        for it, and ask you to be patient until then, as all of us are. ";
            format!("Dear {name}, re {number}. {form}{form}{rest}")
        };
        let first = own(&letter("zzada", 1715, ""));
        let other = own(&letter("zzbert", 2204, ""));
        let revised = own(&letter(
            "zzada",
            1715,
            "This has been changed. So has that, a lot.",
        ));
        for share in [OwnWords::shared, OwnWords::first_shared] {
            assert!(share(&first, &revised) > share(&first, &other));
        }
        assert_eq!(first.numbers_shared(&revised), Some(1.0));
        assert_eq!(first.numbers_shared(&other), Some(0.0));
    }
}
