//! Words broken at the end of a line by a hyphen, and addresses broken after a slash.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{is_space, words};

/// Words before which a hyphen is no break: "pre- and postwar".
const AFTER_SUSPENDED: &[&str] = &[
    "and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e",
];

/// What a text shows about its hyphens: which words it uses, and whether it breaks words at all.
#[derive(Debug, Default)]
pub(in super::super) struct Hyphens {
    /// Hashes of the words, compounds included.
    words: HashSet<u64>,
    /// Breaks whose word occurs elsewhere with its hyphen, minus those whose word occurs without.
    compounds: i64,
}

impl Hyphens {
    /// Analyses the lines of a text.
    pub(in super::super) fn of<'a>(lines: impl Iterator<Item = &'a String> + Clone) -> Self {
        let mut hyphens = Self::default();
        let mut breaks = Vec::new();
        let mut before: Option<&str> = None;
        for line in lines {
            breaks.extend(before.and_then(|before| BrokenWord::between(before, line)));
            before = Some(line);
            // The first word may be the rest of one, the last the beginning of one.
            for word in words(line).map(bare) {
                hyphens.words.insert(hash(word));
                let inner = word.match_indices('-').map(|(at, _)| &word[..=at]);
                hyphens.words.extend(inner.map(hash));
            }
        }
        for BrokenWord { head, tail, .. } in breaks {
            hyphens.compounds += i64::from(hyphens.knows_compound(head));
            hyphens.compounds -= i64::from(hyphens.knows(&format!("{head}{tail}")));
        }
        hyphens
    }

    /// Appends `line` to `text`, and a line break; returns true if a word broken before it was joined.
    pub(in super::super) fn append(&self, text: &mut String, line: &str) -> bool {
        let above = text.strip_suffix('\n').unwrap_or(text);
        // Only its last word counts: a row may have many cells, and would be searched again for each line of them.
        let above = above.trim_end_matches(|c: char| c != '\n' && c.is_whitespace());
        let above = above.rsplit(char::is_whitespace).next().unwrap_or_default();
        let joint = BrokenWord::between(above, line);
        let dropped = joint.as_ref().map(|joint| match self.drops(joint) {
            true => joint.hyphen.len_utf8(),
            false => 0,
        });
        if let Some(dropped) = dropped {
            text.truncate(text.trim_end().len() - dropped);
            text.push_str(line.trim_start());
        } else {
            text.push_str(line);
        }
        text.push('\n');
        dropped.is_some()
    }

    /// Appends what continues the last line of `text`, and a line break; returns true if a broken word was joined.
    pub(in super::super) fn append_within(&self, text: &mut String, part: &str) -> bool {
        let end = text.len();
        let is_joined = self.append(text, part);
        if !is_joined && text[..end].ends_with('\n') {
            text.replace_range(end - 1..end, " ");
        }
        is_joined
    }

    /// Whether the hyphen was inserted by the break.
    fn drops(&self, joint: &BrokenWord<'_>) -> bool {
        let BrokenWord { head, tail, hyphen } = joint;
        if *hyphen == SOFT {
            return true;
        }
        if *hyphen == '/' || !tail.starts_with(char::is_lowercase) || head.contains(['-', '/', '_'])
        {
            return false;
        }
        match (
            self.knows(&format!("{head}{tail}")),
            self.knows_compound(head),
        ) {
            (true, false) => true,
            (false, true) => false,
            _ => self.compounds <= 0,
        }
    }

    /// Whether the text contains a word that begins with `head` and a hyphen.
    fn knows_compound(&self, head: &str) -> bool {
        self.knows(&format!("{head}-"))
    }

    fn knows(&self, word: &str) -> bool {
        self.words.contains(&hash(word))
    }
}

const SOFT: char = '\u{ad}';

/// A word broken in two.
struct BrokenWord<'a> {
    head: &'a str,
    tail: &'a str,
    hyphen: char,
}

impl<'a> BrokenWord<'a> {
    /// The break between two lines, if the first ends with a letter and a hyphen and the second begins with a letter or
    /// digit.
    fn between(above: &'a str, below: &'a str) -> Option<Self> {
        let above = above.trim_end();
        let word = above.rsplit(is_space).next()?;
        let hyphen = word.chars().next_back()?;
        let head = &word[..word.len() - hyphen.len_utf8()];
        let broken = match hyphen {
            '-' | '\u{2010}' | SOFT => head.ends_with(char::is_alphanumeric),
            // Addresses are broken after their slashes.
            '/' => head.contains(":/"),
            _ => false,
        };
        let (head, tail) = (bare(head), bare(words(below).next()?));
        let letters = head.contains(char::is_alphabetic)
            && below.trim_start().starts_with(char::is_alphanumeric);
        (broken && letters && !AFTER_SUSPENDED.contains(&tail)).then_some(Self {
            head,
            tail,
            hyphen,
        })
    }
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}
