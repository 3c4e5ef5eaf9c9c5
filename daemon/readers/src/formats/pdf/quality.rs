//! How much a text looks like text: a font without a character table gives noise.

use super::super::paging::words;

/// Below this a page is tried again by the fallback parser, in percent.
const POOR: u8 = 80;
/// Fewer words than this do not allow a judgement by words.
const MIN_WORDS: usize = 20;
/// Longest mean word of running text; German laws stay below.
const MAX_MEAN_LETTERS: usize = 20;

/// The composition of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Quality {
    /// Characters that are no white space.
    characters: usize,
    /// How many of these have no meaning.
    odd: usize,
    /// Letters of scripts that put spaces between words.
    letters: usize,
    /// Words of such letters.
    words: usize,
    /// Words of one letter.
    single: usize,
}

impl Quality {
    pub(super) fn of(text: &str) -> Self {
        Self::of_words(text.split_whitespace())
    }

    pub(super) fn of_lines(lines: &[String]) -> Self {
        Self::of_words(lines.iter().flat_map(|line| words(line)))
    }

    fn of_words<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut quality = Self::default();
        for word in words {
            let letters = word
                .chars()
                .filter(|c| c.is_alphabetic() && is_spaced(*c))
                .count();
            quality.characters += word.chars().count();
            quality.odd += word.chars().filter(|c| is_odd(*c)).count();
            quality.letters += letters;
            quality.words += usize::from(letters > 0);
            quality.single += usize::from(letters == 1);
        }
        quality
    }

    /// Adds this many characters that mean something.
    pub(super) fn with(mut self, more: usize) -> Self {
        self.characters += more;
        self
    }

    /// Share of the characters that look like text; 100 if there are none.
    pub(super) fn percent(self) -> u8 {
        let good = (self.characters - self.odd) * 100;
        let share = good.checked_div(self.characters).unwrap_or(100);
        u8::try_from(share).unwrap_or(100)
    }

    /// Whether another parser may do better.
    pub(super) fn is_poor(self) -> bool {
        self.characters == 0 || self.percent() < POOR || self.is_split() || self.is_glued()
    }

    /// Whether words were split into letters.
    fn is_split(self) -> bool {
        self.words >= MIN_WORDS && self.single * 2 > self.words
    }

    /// Whether spaces were lost.
    fn is_glued(self) -> bool {
        self.letters >= MIN_WORDS * MAX_MEAN_LETTERS && self.letters > self.words * MAX_MEAN_LETTERS
    }

    /// Whether this text is better than `other`: it has more meaningful characters; those of broken words count half.
    pub(super) fn is_better_than(self, other: Self) -> bool {
        // By a twentieth: the same text with a few different spaces is no better.
        self.worth() * 20 > other.worth() * 21
    }

    fn worth(self) -> usize {
        let good = self.characters.saturating_sub(2 * self.odd);
        if self.is_split() || self.is_glued() {
            good
        } else {
            2 * good
        }
    }
}

/// Characters that occur in no text: replacements, private use, control characters.
pub(super) fn is_odd(c: char) -> bool {
    let private = matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..);
    private || c == '\u{fffd}' || c.is_control()
}

/// Whether the script of a letter puts spaces between words.
fn is_spaced(c: char) -> bool {
    !matches!(u32::from(c), 0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff
        | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_poor_and_text_is_not() {
        let text = "A line of text, with 12 figures and ümlauts; 日本語 and עברית too.";
        assert_eq!(
            (Quality::of(text).percent(), Quality::of(text).is_poor()),
            (100, false)
        );
        let noise = "\u{e001}\u{e002} a\u{fffd}b \u{2}";
        assert_eq!(
            (Quality::of(noise).percent(), Quality::of(noise).is_poor()),
            (33, true)
        );
        assert!(Quality::of("").is_poor());
    }

    #[test]
    fn words_that_fell_apart_or_together_are_poor() {
        let words = ["several", "ordinary", "words"].repeat(20);
        assert!(!Quality::of(&words.join(" ")).is_poor());
        assert!(Quality::of(&words.concat()).is_poor());
        let letters: Vec<_> = words.concat().chars().map(String::from).collect();
        assert!(Quality::of(&letters.join(" ")).is_poor());
        // Scripts without spaces have none to lose.
        assert!(!Quality::of(&"日本語の文章".repeat(100)).is_poor());
    }

    #[test]
    fn the_better_text_has_more_that_means_something() {
        let [good, noise, split] =
            ["one two three", "\u{fffd}\u{fffd}e two three", ""].map(Quality::of);
        assert!(good.is_better_than(noise) && good.is_better_than(split));
        assert!(!noise.is_better_than(good) && !good.is_better_than(good));
        let words = "several words in a row ".repeat(30);
        let glued = Quality::of(&words.replace(' ', ""));
        assert!(Quality::of(&words).is_better_than(glued));
    }
}
