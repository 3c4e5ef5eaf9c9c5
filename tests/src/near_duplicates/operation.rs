//! The six operations of Ignatov et al. 2009, Table 1, and the two edits of Cherkasova et al. 2009, §3.
//!
//! A percentage is of what the document has when its turn comes, rounded to the nearest count. What
//! the paper leaves open: "existing" paragraphs that are added come from other documents of the
//! collection, from the document itself if there are none ("Key Block": well-known paragraphs);
//! words that replace come from the words of the collection and differ from those they replace.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::spread::{Spread, insert_a, remove_words};
use super::{Size, paragraphs};
use crate::corpus::Random;

/// What may be done to a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Paragraphs change places; a single one has no other place.
    Reorder {
        /// Of the paragraphs.
        percent: f64,
    },
    /// Paragraphs are left out.
    Delete {
        /// Of the paragraphs.
        percent: f64,
    },
    /// Paragraphs of other documents are put in.
    Add {
        /// Of the paragraphs.
        percent: f64,
    },
    /// Words are exchanged for others.
    Replace {
        /// Of the words.
        percent: f64,
    },
    /// Paragraphs of the document are put in again.
    Repeat {
        /// How many paragraphs.
        paragraphs: usize,
        /// How often each.
        times: usize,
    },
    /// Characters are exchanged wherever they stand.
    Characters {
        /// Each character with what it becomes.
        pairs: Vec<(char, char)>,
    },
    /// "a " is put before words (Cherkasova et al. 2009, §3).
    Insert {
        /// Before how many words.
        times: usize,
        /// Where these stand.
        spread: Spread,
    },
    /// Words are left out (ibid.).
    Remove {
        /// How many.
        times: usize,
        /// Where these stand.
        spread: Spread,
    },
}

impl Operation {
    fn name(&self) -> &'static str {
        match self {
            Self::Reorder { .. } => "reorder",
            Self::Delete { .. } => "delete",
            Self::Add { .. } => "add",
            Self::Replace { .. } => "replace",
            Self::Repeat { .. } => "repeat",
            Self::Characters { .. } => "characters",
            Self::Insert { .. } => "insert",
            Self::Remove { .. } => "remove",
        }
    }

    /// What it was given, as JSON.
    fn parameters(&self) -> Value {
        match self {
            Self::Reorder { percent }
            | Self::Delete { percent }
            | Self::Add { percent }
            | Self::Replace { percent } => json!({"percent": percent}),
            Self::Repeat { paragraphs, times } => json!({"paragraphs": paragraphs, "times": times}),
            Self::Characters { pairs } => {
                let pairs = pairs.iter().map(|(from, to)| format!("{from}{to}"));
                json!({"pairs": pairs.collect::<Vec<_>>()})
            }
            Self::Insert { times, spread } | Self::Remove { times, spread } => {
                json!({"times": times, "spread": spread.name()})
            }
        }
    }
}

/// What one operation did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name of the operation.
    pub operation: &'static str,
    /// What it was given: percent, character pairs, how often and where.
    pub parameters: Value,
    /// What was moved, left out, put in or exchanged, counted in each unit.
    pub touched: Size,
}

impl Change {
    /// The change as JSON.
    pub fn json(&self) -> Value {
        json!({
            "operation": self.operation, "parameters": self.parameters,
            "touched": self.touched.json(),
        })
    }
}

/// The words and paragraphs that edits draw from.
#[derive(Clone, Debug, Default)]
pub struct Stock {
    words: Vec<String>,
    paragraphs: Vec<String>,
}

impl Stock {
    /// Those of these texts, each once.
    pub fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let (mut words, mut all) = (BTreeSet::new(), BTreeSet::new());
        for text in texts {
            words.extend(text.split_whitespace().map(str::to_owned));
            all.extend(paragraphs(text));
        }
        Self {
            words: words.into_iter().collect(),
            paragraphs: all.into_iter().collect(),
        }
    }
}

/// Applies operations one after the other.
pub(crate) fn chain(
    text: &str,
    operations: &[Operation],
    stock: &Stock,
    random: &mut Random,
) -> (String, Vec<Change>) {
    let mut text = text.to_owned();
    let mut changes = Vec::new();
    for operation in operations {
        let (edited, touched) = apply(&text, operation, stock, random);
        text = edited;
        changes.push(Change {
            operation: operation.name(),
            parameters: operation.parameters(),
            touched,
        });
    }
    (text, changes)
}

fn apply(text: &str, operation: &Operation, stock: &Stock, random: &mut Random) -> (String, Size) {
    match operation {
        Operation::Replace { percent } => return replace(text, *percent, stock, random),
        Operation::Characters { pairs } => return exchange(text, pairs),
        Operation::Insert { times, spread } => {
            return measured(text, insert_a(text, *times, *spread, random), *times);
        }
        Operation::Remove { times, spread } => {
            return measured(text, remove_words(text, *times, *spread, random), *times);
        }
        _ => {}
    }
    let mut all = paragraphs(text);
    let touched = match operation {
        Operation::Reorder { percent } => reorder(&mut all, *percent, random),
        Operation::Delete { percent } => delete(&mut all, *percent, random),
        Operation::Add { percent } => {
            let count = share(all.len(), *percent);
            let others = stock.paragraphs.iter().filter(|p| !all.contains(p));
            let mut from: Vec<String> = others.cloned().collect();
            if from.is_empty() {
                from.clone_from(&all);
            }
            let chosen: Vec<String> = (0..count).filter_map(|_| draw(&from, random)).collect();
            insert(&mut all, chosen, random)
        }
        Operation::Repeat { paragraphs, times } => {
            let chosen = choose(all.len(), *paragraphs, random);
            let chosen = chosen
                .into_iter()
                .flat_map(|at| vec![all[at].clone(); *times]);
            let chosen = chosen.collect();
            insert(&mut all, chosen, random)
        }
        // Done above.
        Operation::Replace { .. }
        | Operation::Characters { .. }
        | Operation::Insert { .. }
        | Operation::Remove { .. } => Vec::new(),
    };
    (all.join("\n\n"), Size::of(&touched.join("\n\n")))
}

/// A text edited at this many words, and the size of the edits: characters are those inserted or removed.
fn measured(text: &str, edited: String, times: usize) -> (String, Size) {
    let touched = Size {
        words: times.min(text.split_whitespace().count()),
        characters: text.chars().count().abs_diff(edited.chars().count()),
        ..Size::default()
    };
    (edited, touched)
}

/// This percentage of a count.
fn share(count: usize, percent: f64) -> usize {
    (count as f64 * percent.clamp(0.0, 100.0) / 100.0).round() as usize
}

fn draw(from: &[String], random: &mut Random) -> Option<String> {
    let bound = from.len().max(1) as u64;
    from.get(random.below(bound) as usize).cloned()
}

/// This many different places below `count`, ascending; all of them if there are fewer.
pub(super) fn choose(count: usize, places: usize, random: &mut Random) -> Vec<usize> {
    let mut all: Vec<usize> = (0..count).collect();
    let places = places.min(count);
    for at in 0..places {
        let other = at + random.below((count - at) as u64) as usize;
        all.swap(at, other);
    }
    all.truncate(places);
    all.sort_unstable();
    all
}

/// Each chosen paragraph moves: the first to the place of the second in a random round.
fn reorder(all: &mut [String], percent: f64, random: &mut Random) -> Vec<String> {
    let mut round = choose(all.len(), share(all.len(), percent), random);
    if round.len() < 2 {
        return Vec::new();
    }
    for at in (1..round.len()).rev() {
        round.swap(at, random.below(at as u64 + 1) as usize);
    }
    let moved: Vec<String> = round.iter().map(|&at| all[at].clone()).collect();
    for (at, paragraph) in round.iter().cycle().skip(1).zip(&moved) {
        all[*at].clone_from(paragraph);
    }
    moved
}

fn delete(all: &mut Vec<String>, percent: f64, random: &mut Random) -> Vec<String> {
    let chosen = choose(all.len(), share(all.len(), percent), random);
    let mut deleted = Vec::new();
    for at in chosen.into_iter().rev() {
        deleted.push(all.remove(at));
    }
    deleted
}

fn insert(all: &mut Vec<String>, added: Vec<String>, random: &mut Random) -> Vec<String> {
    for paragraph in &added {
        let at = random.below(all.len() as u64 + 1) as usize;
        all.insert(at, paragraph.clone());
    }
    added
}

fn replace(text: &str, percent: f64, stock: &Stock, random: &mut Random) -> (String, Size) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let chosen = choose(words.len(), share(words.len(), percent), random);
    let mut replaced = BTreeMap::new();
    for at in chosen {
        let drawn = draw(&stock.words, random).unwrap_or_default();
        // The same word again is none: the next one of the stock, or nothing else to take.
        let place = stock.words.binary_search(&drawn).unwrap_or_default();
        let next = stock.words.get((place + 1) % stock.words.len().max(1));
        let new = match drawn == words[at] {
            true => next.cloned().unwrap_or(drawn),
            false => drawn,
        };
        replaced.insert(at, new);
    }
    let old: Vec<&str> = replaced.keys().map(|&at| words[at]).collect();
    let touched = Size {
        words: old.len(),
        characters: old.iter().map(|word| word.chars().count()).sum(),
        ..Size::default()
    };
    (rewritten(text, &replaced), touched)
}

/// The text with some of its words, by their numbers, exchanged; white space stays.
pub(super) fn rewritten(text: &str, words: &BTreeMap<usize, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut number, mut rest) = (0, text);
    while let Some(begin) = rest.find(|c: char| !c.is_whitespace()) {
        let (space, from) = rest.split_at(begin);
        let end = from.find(char::is_whitespace).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        out.push_str(space);
        out.push_str(words.get(&number).map_or(word, String::as_str));
        (number, rest) = (number + 1, after);
    }
    out + rest
}

fn exchange(text: &str, pairs: &[(char, char)]) -> (String, Size) {
    let mut characters = 0;
    let exchanged = text.chars().map(|c| {
        let pair = pairs.iter().find(|(from, to)| *from == c && to != from);
        characters += usize::from(pair.is_some());
        pair.map_or(c, |(_, to)| *to)
    });
    let exchanged = exchanged.collect();
    let touched = Size {
        characters,
        ..Size::default()
    };
    (exchanged, touched)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(paragraphs: usize) -> String {
        let paragraph = |at: usize| -> String {
            let words: Vec<String> = (0..10).map(|word| format!("p{at}w{word}")).collect();
            words.join(" ") + "."
        };
        (0..paragraphs)
            .map(paragraph)
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    fn done(text: &str, operation: Operation) -> (Vec<String>, String, Size) {
        let other = "another document's paragraph\n\nand one more of it";
        let stock = Stock::of([text, other].into_iter());
        let (edited, changes) = chain(text, &[operation], &stock, &mut Random::new(5, 0));
        (paragraphs(&edited), edited, changes[0].touched)
    }

    #[test]
    fn the_percentage_of_paragraphs_is_met() {
        let before = paragraphs(&text(40));
        for percent in [0.0, 5.0, 25.0, 60.0, 100.0] {
            let count = (0.4 * percent) as usize;
            let (after, _, touched) = done(&text(40), Operation::Delete { percent });
            assert_eq!((after.len(), touched.paragraphs), (40 - count, count));
            assert!(
                after.iter().all(|p| before.contains(p))
                    && after.is_sorted_by_key(|p| before.iter().position(|q| q == p))
            );
            assert_eq!(touched.words, 10 * count);

            let (after, _, touched) = done(&text(40), Operation::Add { percent });
            assert_eq!((after.len(), touched.paragraphs), (40 + count, count));
            assert_eq!(after.iter().filter(|p| !before.contains(p)).count(), count);

            let (after, _, touched) = done(&text(40), Operation::Reorder { percent });
            let moved = after.iter().zip(&before).filter(|(a, b)| a != b).count();
            assert_eq!((moved, touched.paragraphs), (count, count));
            assert_eq!(
                after.iter().collect::<BTreeSet<_>>(),
                before.iter().collect()
            );
        }
    }

    #[test]
    fn the_percentage_of_words_is_met_and_nothing_else_moves() {
        let before = text(7);
        let (_, after, touched) = done(&before, Operation::Replace { percent: 30.0 });
        let pairs = before.split_whitespace().zip(after.split_whitespace());
        assert_eq!(pairs.filter(|(a, b)| a != b).count(), 21);
        assert_eq!((touched.words, paragraphs(&after).len()), (21, 7));
        let spaced = " one\n two  three ";
        let two = BTreeMap::from([(1, "2".to_owned())]);
        assert_eq!(rewritten(spaced, &two), " one\n 2  three ");
    }

    #[test]
    fn paragraphs_are_repeated_as_often_as_asked() {
        let (after, _, touched) = done(
            &text(5),
            Operation::Repeat {
                paragraphs: 2,
                times: 3,
            },
        );
        assert_eq!((after.len(), touched.paragraphs), (11, 6));
        let mut counts: Vec<usize> = paragraphs(&text(5))
            .iter()
            .map(|p| after.iter().filter(|q| *q == p).count())
            .collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 1, 1, 4, 4]);
    }

    #[test]
    fn characters_are_exchanged_and_counted() {
        let pairs = vec![('a', 'а'), ('e', 'е'), ('x', 'x')];
        let (edited, touched) = exchange("a tale of x", &pairs);
        assert_eq!(edited, "а tаlе of x");
        assert_eq!(touched.characters, 3);
    }

    #[test]
    fn a_document_without_paragraphs_stays_one() {
        for operation in [
            Operation::Delete { percent: 100.0 },
            Operation::Reorder { percent: 100.0 },
            Operation::Replace { percent: 100.0 },
            Operation::Repeat {
                paragraphs: 3,
                times: 3,
            },
        ] {
            assert_eq!(done("", operation).1, "");
        }
    }
}
