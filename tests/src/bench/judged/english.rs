//! Versions of English-like texts, which the judge's table of common words knows as it knows real ones.

use crate::corpus::Random;
use crate::labelled::{Vocabulary, name};

/// Words of a text of 10 KB.
const WORDS: usize = 1_560;
const LETTERHEAD: usize = 40;
const LETTERHEADS: u64 = 5;
/// Shares of words that the table does not hold, and of numbers: more than in public texts of 10 KB, whose median is 110
/// and 20 of 1,560 words, 500 of them distinct.
const OWN: f64 = 0.1;
const NUMBERS: f64 = 0.02;
/// Words of its own that a text is about; half of those that the table does not hold.
const SUBJECT: u64 = 30;
/// Other words that the table does not hold, in all texts.
const RARE: u64 = 40_000;

/// A corpus of texts of 10 KB: families of [`English::FAMILY`] versions of one text, each with 2 to 12 % of its words
/// replaced, left out or put in; a third of the families carry one of five letterheads.
#[derive(Clone, Copy, Debug)]
pub(super) struct English {
    /// Of all random numbers.
    pub(super) seed: u64,
}

/// A word, and what follows it.
#[derive(Clone, Copy, Debug)]
struct Word {
    stem: Stem,
    end: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum Stem {
    /// The table holds it.
    Common(&'static str),
    /// It does not: a name, by its number.
    Own(u64),
    Number(u64),
}

impl English {
    /// Versions of one text.
    pub(super) const FAMILY: u64 = 25;

    /// A document; `edition` 0 is the stored one, others are further edited copies of it.
    pub(super) fn text(self, document: u64, edition: u64) -> String {
        let family = document / Self::FAMILY;
        let mut random = Random::new(self.seed, family);
        let mut words = Vec::with_capacity(WORDS + LETTERHEAD);
        if random.chance(0.33) {
            let letterhead = u64::MAX - random.below(LETTERHEADS);
            let mut head = Random::new(self.seed, letterhead);
            words.extend((0..LETTERHEAD).map(|_| word(letterhead, &mut head)));
        }
        words.extend((0..WORDS).map(|_| word(family, &mut random)));
        let mut edits = Random::new(self.seed ^ 1, document);
        let share = 0.02 + 0.1 * edits.unit();
        words = edited(words, family, share, &mut edits);
        if edition > 0 {
            let mut edits = Random::new(self.seed ^ edition << 1, document);
            words = edited(words, family, 0.02, &mut edits);
        }
        written(&words)
    }
}

/// A word of a text of this family.
fn word(family: u64, random: &mut Random) -> Word {
    let drawn = random.unit();
    let stem = if drawn < NUMBERS {
        Stem::Number(random.below(2_000))
    } else if drawn < NUMBERS + OWN / 2.0 {
        // Few words of the subject come often.
        let most = 1 + random.below(SUBJECT);
        Stem::Own(RARE + family * SUBJECT + random.below(most))
    } else if drawn < NUMBERS + OWN {
        let most = 1 + random.below(RARE);
        Stem::Own(random.below(most))
    } else {
        Stem::Common(Vocabulary::shipped().draw(random))
    };
    let end = match random.below(75) {
        0 => ".\n\n",
        1..=4 => ".\n",
        5..=8 => ", ",
        _ => " ",
    };
    Word { stem, end }
}

/// Edits this share of words.
fn edited(words: Vec<Word>, family: u64, share: f64, random: &mut Random) -> Vec<Word> {
    let mut edited = Vec::with_capacity(words.len());
    for old in words {
        if !random.chance(share) {
            edited.push(old);
            continue;
        }
        match random.below(4) {
            0 => {}
            1 => edited.extend([word(family, random), old]),
            _ => edited.push(word(family, random)),
        }
    }
    edited
}

fn written(words: &[Word]) -> String {
    let mut text = String::new();
    for word in words {
        match word.stem {
            Stem::Common(common) => text.push_str(common),
            Stem::Own(number) => text.push_str(&name(&mut Random::new(number, 3))),
            Stem::Number(number) => text.push_str(&number.to_string()),
        }
        text.push_str(word.end);
    }
    text
}
