//! Texts in other languages, as far as a judgement sees a language: which words its table holds, and how words are parted.
//!
//! No folder of real documents has labelled pairs in another language. A made one has the grammar, the lengths and the
//! repetitions of the text it was made of, so that what is lost on it is lost by its words alone.

/// A language that a generated text is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tongue {
    /// That of the judge's table of terms.
    #[default]
    English,
    /// Letters stand for others, so that the table holds hardly any word.
    Unlisted,
    /// An ideograph or two for each word, and nothing between them.
    Ideographs,
}

impl Tongue {
    /// The text in this language, the same word for the same word.
    pub fn written(self, text: &str) -> String {
        match self {
            Self::English => text.to_owned(),
            Self::Unlisted => text.chars().map(exchanged).collect(),
            Self::Ideographs => in_ideographs(text),
        }
    }
}

/// Vowels for vowels and consonants for consonants, each moved on by one.
fn exchanged(letter: char) -> char {
    const CYCLES: [&str; 4] = [
        "aeiou",
        "AEIOU",
        "bcdfghjklmnpqrstvwxyz",
        "BCDFGHJKLMNPQRSTVWXYZ",
    ];
    let moved = CYCLES.iter().find_map(|cycle| {
        let at = cycle.find(letter)?;
        cycle[at + 1..]
            .chars()
            .next()
            .or_else(|| cycle.chars().next())
    });
    moved.unwrap_or(letter)
}

/// Words of letters become one or two ideographs; numbers and marks stay, and so do ends of lines.
fn in_ideographs(text: &str) -> String {
    let mut written = String::new();
    let mut word = String::new();
    for letter in text.chars().chain(std::iter::once('\0')) {
        if letter.is_alphabetic() {
            word.push(letter.to_ascii_lowercase());
            continue;
        }
        if !word.is_empty() {
            written.extend(ideographs(&word));
            word.clear();
        }
        if letter != ' ' && letter != '\0' {
            written.push(letter);
        }
    }
    written
}

/// Short words have one, longer ones two.
fn ideographs(word: &str) -> impl Iterator<Item = char> {
    let named = simdex_signature::Fingerprint::of(word.as_bytes()).mixed();
    let count = if word.len() <= 4 { 1 } else { 2 };
    // 4,000 of the common ones.
    let of = move |at: u64| char::from_u32(0x4e00 + (named >> (20 * at)) as u32 % 4_000);
    (0..count).filter_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_the_same_word_and_another_one_another() {
        assert_eq!(
            Tongue::Unlisted.written("The tenant, the Rent 12"),
            "Vji vipepv, vji Sipv 12"
        );
        let written = Tongue::Ideographs.written("the tenant pays; the tenant 12\nleaves");
        let lines: Vec<&str> = written.lines().collect();
        assert!(
            lines.len() == 2 && lines[0].contains(';') && lines[0].ends_with("12"),
            "{written}"
        );
        let tenant: String = ideographs("tenant").collect();
        assert_eq!(written.matches(&tenant).count(), 2);
        assert_eq!(Tongue::English.written("as it is"), "as it is");
    }
}
