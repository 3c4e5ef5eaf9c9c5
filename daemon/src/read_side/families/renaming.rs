//! Finds names that were replaced throughout a text, such as the name of a product in a new version of its manual.
//!
//! A replaced name stands often in one of two texts, hardly ever in the other, and as often there as its replacement
//! here. With a name in every tenth word nearly all shingles of a text change, although nothing else did: undoing the
//! replacement shows what the texts share. Costs are linear in the texts, of which at most [`SEARCHED`] bytes are
//! searched for names.

use std::cmp::Reverse;
use std::collections::HashMap;

/// The beginning of a text that is searched, in bytes.
const SEARCHED: usize = 1 << 20;
/// A name stands in a text at least this often.
const OFTEN: u64 = 4;
/// It stands this many times less often, or not at all, in the other text.
const RARER: u64 = 10;
/// Words of a name.
const MAX_WORDS: usize = 4;
/// Names that were replaced at once.
const MAX_NAMES: usize = 4;
/// A name stands at least once for this many times that the most frequent one does.
const MIN_SHARE_DIVISOR: u64 = 8;

/// A name of the earlier text, and what stands for it in the later one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// The name in the earlier text.
    pub from: String,
    /// The name in the later text.
    pub to: String,
}

/// The names that were replaced between two canonical texts, the most frequent first.
pub fn renamings(earlier: &str, later: &str) -> Vec<Renaming> {
    let (earlier, later) = (searched(earlier), searched(later));
    let mut counts: HashMap<&str, [u64; 2]> = HashMap::new();
    for (side, text) in [earlier, later].into_iter().enumerate() {
        for (at, end) in words(text) {
            counts.entry(&text[at..end]).or_default()[side] += 1;
        }
    }
    let names = |side: usize, text| {
        let is_of_name = |word: &str| {
            let counts = counts.get(word).copied().unwrap_or_default();
            counts[side] >= OFTEN && counts[1 - side] * RARER <= counts[side]
        };
        frequent_names(text, &is_of_name)
    };
    let pairs = names(0, earlier).into_iter().zip(names(1, later));
    // As often, but for the passages that were added or deleted.
    let alike = pairs.take_while(|((_, a), (_, b))| a.min(b) * 2 >= *a.max(b));
    alike
        .map(|((from, _), (to, _))| Renaming {
            from: from.to_owned(),
            to: to.to_owned(),
        })
        .collect()
}

/// The later text with its names replaced by those of the earlier one.
pub fn undone(later: &str, renamings: &[Renaming]) -> String {
    renamings.iter().fold(later.to_owned(), |text, renaming| {
        replaced(&text, &renaming.to, &renaming.from)
    })
}

/// Names by how often they stand in a text, the most frequent first and of equals the first in the text.
fn frequent_names<'a>(text: &'a str, is_of_name: &dyn Fn(&str) -> bool) -> Vec<(&'a str, u64)> {
    let mut found: HashMap<&str, (u64, usize)> = HashMap::new();
    let mut open: Option<(usize, usize, usize)> = None;
    let mut note = |run: Option<(usize, usize, usize)>| {
        if let Some((at, end, _)) = run {
            found.entry(&text[at..end]).or_insert((0, at)).0 += 1;
        }
    };
    for (at, end) in words(text) {
        let is_next = is_of_name(&text[at..end]);
        open = match open {
            Some((begin, last, count))
                if is_next && count < MAX_WORDS && &text[last..at] == " " =>
            {
                Some((begin, end, count + 1))
            }
            closed => {
                note(closed);
                is_next.then_some((at, end, 1))
            }
        };
    }
    note(open);
    let mut names: Vec<_> = found.into_iter().collect();
    names.sort_unstable_by_key(|(_, (count, at))| (Reverse(*count), *at));
    let max_count = names.first().map_or(0, |(_, (count, _))| *count);
    let is_frequent = |count: u64| count >= OFTEN && count * MIN_SHARE_DIVISOR >= max_count;
    let names = names.into_iter().map(|(name, (count, _))| (name, count));
    let names = names.filter(|(_, count)| is_frequent(*count));
    names.take(MAX_NAMES).collect()
}

/// A text with a name replaced wherever it stands as whole words.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut kept = 0;
    for (at, found) in text.match_indices(name) {
        let end = at + found.len();
        let is_part = text[..at].ends_with(char::is_alphanumeric)
            || text[end..].starts_with(char::is_alphanumeric);
        if !is_part {
            result.push_str(&text[kept..at]);
            result.push_str(by);
            kept = end;
        }
    }
    result.push_str(&text[kept..]);
    result
}

/// The begin and end of each word.
fn words(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text[from..].find(char::is_alphanumeric)?;
        let rest = &text[at..];
        let length = rest.find(|letter: char| !letter.is_alphanumeric());
        from = at + length.unwrap_or(rest.len());
        Some((at, from))
    })
}

fn searched(text: &str) -> &str {
    &text[..text.floor_char_boundary(SEARCHED)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(from: &str, to: &str) -> Renaming {
        Renaming {
            from: from.to_owned(),
            to: to.to_owned(),
        }
    }

    /// Six sentences with two names in each; the second in every other one.
    fn text(product: &str, maker: &str) -> String {
        let sentence = |at: usize| match at % 2 {
            0 => format!("{product} step{at} opens the valve. "),
            _ => format!("ask {maker} about {product}, part{at}. "),
        };
        (0..12).map(sentence).collect()
    }

    #[test]
    fn a_name_of_several_words_is_found_and_undone() {
        let (old, new) = (text("meridian", "acme"), text("northwind pro", "acme"));
        let found = renamings(&old, &new);
        assert_eq!(found, [pair("meridian", "northwind pro")]);
        assert_eq!(undone(&new, &found), old);
    }

    #[test]
    fn two_names_are_paired_by_how_often_they_stand() {
        let (old, new) = (text("meridian", "acme"), text("northwind", "globex inc"));
        let found = renamings(&old, &new);
        let expected = [pair("meridian", "northwind"), pair("acme", "globex inc")];
        assert_eq!(found, expected);
        assert_eq!(undone(&new, &found), old);
    }

    #[test]
    fn only_whole_words_are_names_and_rare_or_kept_words_are_none() {
        assert_eq!(
            replaced("cat catalogue (cat)", "cat", "dog"),
            "dog catalogue (dog)"
        );
        assert_eq!(renamings("a fax and a fax", "a chat and a chat"), []);
        let old = text("meridian", "acme");
        assert_eq!(renamings(&old, &old), []);
        assert_eq!(
            renamings(
                &old,
                &format!("{old} northwind northwind northwind northwind")
            ),
            []
        );
    }

    #[test]
    fn words_that_stand_unlike_often_are_no_replacement() {
        let new = text("northwind", "acme").repeat(3);
        assert_eq!(renamings(&text("meridian", "acme"), &new), []);
    }
}
