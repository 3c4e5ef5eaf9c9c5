//! Contents for a tree under churn: few base texts and many near-duplicates, copies, excerpts and
//! respellings of them, between files that hold no text at all.

use crate::corpus::Random;

/// Texts that others are made of.
const BASES: usize = 40;
/// Words the texts are made of.
const VOCABULARY: u64 = 3_000;

/// Makes contents of files from a vocabulary and base texts.
pub struct Texts {
    bases: Vec<Vec<String>>,
}

impl Texts {
    /// Base texts of their own for every `random`.
    pub fn new(random: &mut Random) -> Self {
        Self {
            bases: (0..BASES).map(|_| words(random)).collect(),
        }
    }

    /// A new content of a random kind.
    pub fn content(&self, random: &mut Random) -> Vec<u8> {
        let base = &self.bases[random.below(BASES as u64) as usize];
        match random.below(100) {
            0..25 => text(&words(random)),
            25..60 => text(&with_edits(base, random)),
            60..72 => text(excerpt(base, random)),
            72..80 => text(base),
            80..86 => respelled(base).into_bytes(),
            86..90 => noise(random),
            90..93 => [b"\x89PNG\r\n\x1a\n".as_slice(), &noise(random)].concat(),
            93..96 => Vec::new(),
            _ => b"too short".to_vec(),
        }
    }

    /// The content after an edit: words replaced, an end added, an end cut off, or all of it new.
    pub fn edited(&self, content: &[u8], random: &mut Random) -> Vec<u8> {
        let Ok(old) = std::str::from_utf8(content) else {
            return self.edited_noise(content, random);
        };
        let old: Vec<String> = old.split(' ').map(str::to_owned).collect();
        match random.below(10) {
            0..5 => text(&with_edits(&old, random)),
            5..7 => text(&[old, words(random)].concat()),
            7..9 => text(excerpt(&old, random)),
            _ => self.content(random),
        }
    }

    fn edited_noise(&self, content: &[u8], random: &mut Random) -> Vec<u8> {
        let mut content = content.to_vec();
        match content.last_mut() {
            Some(last) if random.chance(0.7) => *last ^= 1,
            _ => return self.content(random),
        }
        content
    }
}

/// 0.3 to 6 KB of words, short texts more often.
fn words(random: &mut Random) -> Vec<String> {
    let count = 50.0 * (1.0 + 19.0 * random.unit().powi(2));
    (0..count as usize).map(|_| word(random)).collect()
}

/// Two to six letters, the same for the same number.
fn word(random: &mut Random) -> String {
    let mut letters = Random::new(7, random.below(VOCABULARY));
    let length = 2 + letters.below(8);
    (0..length)
        .map(|_| char::from(b'a' + letters.below(26) as u8))
        .collect()
}

fn text(words: &[String]) -> Vec<u8> {
    words.join(" ").into_bytes()
}

/// None to 4 % of the words replaced: four words make a shingle, so resemblance lies around 0.8.
fn with_edits(words: &[String], random: &mut Random) -> Vec<String> {
    let share = 0.04 * random.unit();
    words
        .iter()
        .map(|old| {
            if random.chance(share) {
                word(random)
            } else {
                old.clone()
            }
        })
        .collect()
}

/// A third to all of the words, in one run.
fn excerpt<'a>(words: &'a [String], random: &mut Random) -> &'a [String] {
    let length = words.len() / 3 + random.below(words.len() as u64) as usize * 2 / 3;
    let start = random.below((words.len() - length.min(words.len()) + 1) as u64) as usize;
    &words[start..(start + length).min(words.len())]
}

/// One canonical text in other bytes.
fn respelled(words: &[String]) -> String {
    words.join(" \n").to_uppercase()
}

/// Bytes that are no text.
fn noise(random: &mut Random) -> Vec<u8> {
    let length = 64 + random.below(4_000);
    let bytes = (0..length).map(|_| random.next() as u8);
    [0, 255, 0].into_iter().chain(bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use simdex_signature::CanonicalText;

    #[test]
    fn an_excerpt_is_part_of_its_text() {
        let mut random = Random::new(1, 1);
        let all = words(&mut random);
        for _ in 0..100 {
            let part = excerpt(&all, &mut random);
            assert!(all.windows(part.len().max(1)).any(|run| run == part) || part.is_empty());
        }
    }

    #[test]
    fn a_respelled_text_is_the_same_document() {
        let all = words(&mut Random::new(2, 1));
        let (a, b) = (text(&all), respelled(&all));
        assert_ne!(a, b.as_bytes());
        let a = String::from_utf8(a).unwrap();
        assert_eq!(
            CanonicalText::from_extracted(&a).hash(),
            CanonicalText::from_extracted(&b).hash()
        );
    }
}
