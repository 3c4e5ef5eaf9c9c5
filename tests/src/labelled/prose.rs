//! English-like texts made from a seed: words come by the document frequencies of the judge's own table, and
//! each text has words of its subject beside them, so that term statistics look like those of real texts.

use std::sync::OnceLock;

use crate::corpus::Random;

/// Common words with their document counts, the sum of counts up to each.
pub(crate) struct Vocabulary {
    words: Vec<(&'static str, u64)>,
}

impl Vocabulary {
    /// That of the table that ships with the program.
    pub(crate) fn shipped() -> &'static Self {
        static SHIPPED: OnceLock<Vocabulary> = OnceLock::new();
        SHIPPED.get_or_init(|| {
            let table = include_str!("../../../daemon/judge/model/terms.txt");
            let lines = table
                .lines()
                .filter(|line| line.starts_with(char::is_numeric));
            let (mut words, mut sum) = (Vec::new(), 0);
            for line in lines {
                let mut cells = line.split(' ');
                let count: u64 = cells
                    .next()
                    .and_then(|count| count.parse().ok())
                    .unwrap_or(0);
                for word in cells.filter(|word| word.starts_with(char::is_alphabetic)) {
                    // A word in all documents stands many times in each.
                    sum += count * count;
                    words.push((word, sum));
                }
            }
            Self { words }
        })
    }

    /// One of the words, the common ones often.
    pub(crate) fn draw(&self, random: &mut Random) -> &'static str {
        let all = self.words.last().map_or(1, |(_, sum)| *sum);
        let drawn = random.below(all.max(1));
        let at = self.words.partition_point(|(_, sum)| *sum <= drawn);
        self.words.get(at).map_or("text", |(word, _)| *word)
    }
}

/// A writer of texts on one subject.
#[derive(Clone, Debug)]
pub struct Prose {
    random: Random,
    subject: Vec<String>,
}

impl Prose {
    /// Subjects differ with the number.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut random = Random::new(seed, number);
        let subject = (0..30).map(|_| name(&mut random)).collect();
        Self { random, subject }
    }

    /// The random numbers of this text.
    pub fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// A proper name: a word that hardly any other text has.
    pub fn name(&mut self) -> String {
        let mut name = name(&mut self.random);
        name[..1].make_ascii_uppercase();
        name
    }

    /// A number of up to this many digits.
    pub fn number(&mut self, digits: u32) -> u64 {
        self.random.below(10_u64.pow(digits))
    }

    /// A sentence of 6 to 25 words.
    pub fn sentence(&mut self) -> String {
        let count = 6 + self.random.below(20);
        let mut words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words[0][..1].make_ascii_uppercase();
        words.join(" ") + "."
    }

    fn word(&mut self) -> String {
        if !self.random.chance(0.12) {
            return Vocabulary::shipped().draw(&mut self.random).to_owned();
        }
        // Few words of the subject come often.
        let most = 1 + self.random.below(self.subject.len() as u64);
        self.subject[self.random.below(most) as usize].clone()
    }

    /// A paragraph with this many sentences, in lines of about 72 characters.
    pub fn paragraph(&mut self, sentences: u64) -> String {
        let sentences: Vec<String> = (0..sentences).map(|_| self.sentence()).collect();
        wrapped(&sentences.join(" "), 72)
    }

    /// Paragraphs of 2 to 6 sentences.
    pub fn paragraphs(&mut self, count: u64) -> Vec<String> {
        let mut paragraph = || {
            let sentences = 2 + self.random.below(5);
            self.paragraph(sentences)
        };
        (0..count).map(|_| paragraph()).collect()
    }

    /// A title of 3 to 6 words.
    pub fn title(&mut self) -> String {
        let count = 3 + self.random.below(4);
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }
}

/// A name of two to four syllables.
pub(crate) fn name(random: &mut Random) -> String {
    const ONSETS: [&str; 16] = [
        "b", "br", "c", "d", "f", "gr", "h", "k", "l", "m", "n", "p", "r", "st", "t", "v",
    ];
    const RIMES: [&str; 12] = [
        "an", "el", "ir", "on", "us", "ath", "ey", "ola", "ind", "ert", "ay", "o",
    ];
    let syllables = 2 + random.below(3);
    (0..syllables)
        .map(|_| {
            let onset = ONSETS[random.below(16) as usize];
            onset.to_owned() + RIMES[random.below(12) as usize]
        })
        .collect()
}

/// Words in lines of at most this many characters.
pub fn wrapped(text: &str, width: usize) -> String {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_follows_from_seed_and_number_and_has_common_words() {
        let text = |number| Prose::new(1, number).paragraphs(6).join("\n\n");
        assert_eq!(text(4), text(4));
        assert_ne!(text(4), text(5));
        assert!(text(4).split_whitespace().any(|word| word == "the"));
    }

    #[test]
    fn lines_are_no_longer_than_asked() {
        let text = Prose::new(1, 2).sentence();
        assert!(wrapped(&text, 20).lines().all(|line| line.len() <= 20));
        assert_eq!(wrapped(&text, 20).replace('\n', " "), text);
    }
}
