//! Tables made by rule, with their rows in another order: what prose does not hold. In another order such rows keep
//! nearly all of their shingles, for those across two rows recur, and lose the chunks that spanned rows.

use super::words::{Words, any_word, length};
use crate::corpus::Random;

/// Most words of a form before and after what is filled in, and of that.
const FIXED: u64 = 8;
const FILLED: u64 = 10;
/// Most forms of a table, in bits; many tables have one.
const FORMS_BITS: f64 = 6.0;
/// How often a row recurs at most, in bits; those of half of the tables do not.
const TIMES_BITS: f64 = 6.0;

/// How the rows of a copy are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RowOrder {
    /// A share of the rows change places with others, or all of them.
    Shuffled,
    /// By the whole row, or by what is filled in.
    Sorted,
}

/// The words of a row, and of these what was filled into its form.
#[derive(Clone)]
struct Row<'a> {
    words: Words<'a>,
    filled: Words<'a>,
}

/// A table of rows of a few forms, filled in with words of these texts, and a copy in another order.
pub(super) fn pair<'a>(
    texts: &[Words<'a>],
    order: RowOrder,
    random: &mut Random,
) -> [Words<'a>; 2] {
    let rows = rows(texts, random);
    let mut copy = rows.clone();
    match order {
        RowOrder::Shuffled => {
            let share = match random.chance(0.5) {
                true => 1.0,
                false => random.unit(),
            };
            for at in (1..copy.len()).rev() {
                if random.chance(share) {
                    copy.swap(at, random.below(at as u64 + 1) as usize);
                }
            }
        }
        RowOrder::Sorted if random.chance(0.5) => copy.sort_by(|a, b| a.words.cmp(&b.words)),
        RowOrder::Sorted => copy.sort_by(|a, b| a.filled.cmp(&b.filled)),
    }
    [rows, copy].map(|rows| rows.into_iter().flat_map(|row| row.words).collect())
}

fn rows<'a>(texts: &[Words<'a>], random: &mut Random) -> Vec<Row<'a>> {
    let words = |most: u64, random: &mut Random| -> Words<'a> {
        let count = random.below(most + 1);
        (0..count).filter_map(|_| any_word(texts, random)).collect()
    };
    let forms = (random.unit().powi(2) * FORMS_BITS).exp2() as usize;
    let forms: Vec<[Words<'a>; 2]> = (0..forms)
        .map(|_| [words(FIXED, random), words(FIXED, random)])
        .collect();
    // How often a row recurs, on average.
    let times = match random.chance(0.5) {
        true => 1.0,
        false => (random.unit() * TIMES_BITS).exp2(),
    };
    let most_filled = 1 + random.below(FILLED);
    let (length, mut bytes) = (length(random), 0);
    let mut rows: Vec<Row<'a>> = Vec::new();
    while bytes < length {
        let recurs = !rows.is_empty() && random.chance(1.0 - 1.0 / times);
        let row = match recurs {
            true => rows[random.below(rows.len() as u64) as usize].clone(),
            false => {
                let [before, after] = &forms[random.below(forms.len() as u64) as usize];
                let filled = words(most_filled, random);
                Row {
                    words: [&before[..], &filled, after].concat(),
                    filled,
                }
            }
        };
        // An empty row would never make the length.
        bytes += 1 + row.words.iter().map(|word| word.len() + 1).sum::<usize>();
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::words::words_of;
    use super::*;

    #[test]
    fn a_copy_has_the_words_of_the_table_in_another_order() {
        let texts = [(0..4_000).map(|word| format!("w{word} ")).collect()];
        let words = words_of(&texts);
        for order in [RowOrder::Shuffled, RowOrder::Sorted] {
            let mut differ = 0;
            for number in 0..40 {
                let [table, copy] = pair(&words, order, &mut Random::new(7, number));
                differ += usize::from(table != copy);
                let sorted = |mut words: Words<'_>| -> Vec<String> {
                    words.sort_unstable();
                    words.into_iter().map(str::to_owned).collect()
                };
                assert_eq!(sorted(table), sorted(copy));
            }
            assert!(differ > 20, "{order:?}: {differ}");
        }
    }
}
