//! Template lines: letterheads, disclaimers and the fixed parts of forms that a list names. They are left out of what
//! is signed and compared, as Ye, Wen and Ma 2006 §5 drop template blocks of pages: short documents of one template
//! are alike by it alone, and false pairs of them come from it (Cherkasova et al. 2009 §5).
//!
//! A listed line, in canonical form, is left out wherever it stands in a canonical text as whole words: it begins at the
//! text's beginning or after a space, and ends at its end or before one. Occurrences are taken from the left, of those
//! that begin at one place the longest, and none overlap. An adjoining space goes too, so that the rest is a canonical
//! text. The result depends only on the canonical text and the list, not on line breaks or on which copy was read
//! first.
//!
//! Listed lines are at least a shingle long, as those are that `simctl templates` lists: a line such as "page" would be
//! taken out of every sentence.
//!
//! Cost: at each word of a text its first bytes are looked up, and the listed lines that begin so are compared; that is
//! linear in the text.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Deref;
use std::sync::Arc;

use thiserror::Error;

use crate::CanonicalText;

/// Bytes of a listed line by which it is looked up: none is shorter.
const START: usize = TemplateLines::SHORTEST;

/// Names a line by its canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineKey(pub u128);

impl LineKey {
    /// The key of a line in its canonical form.
    pub fn of(canonical: &str) -> Self {
        let hash = blake3::hash(canonical.as_bytes());
        let first = hash.as_bytes().first_chunk().copied();
        Self(u128::from_le_bytes(first.unwrap_or_default()))
    }
}

/// Names a list of template lines: equal for lists of the same lines in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateLinesId(pub [u8; 32]);

/// A listed line that is too short to be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "line {line} is shorter than {} bytes of canonical text; lengthen it, or take it out of the list",
    TemplateLines::SHORTEST
)]
pub struct ShortTemplateLine {
    /// Its number in the list, from 1.
    pub line: usize,
}

/// What was left out of one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOutLines {
    /// Occurrences of listed lines.
    pub lines: u64,
    /// Bytes by which the canonical text is shorter without them.
    pub bytes: u64,
}

/// The lines that are left out. Clones share the list.
#[derive(Clone, Debug, Default)]
pub struct TemplateLines(Option<Arc<ListedLines>>);

/// The listed lines, at least one.
#[derive(Debug)]
struct ListedLines {
    /// Those that begin so, longest first.
    by_start: HashMap<[u8; START], Vec<String>>,
    keys: HashSet<LineKey>,
    id: TemplateLinesId,
}

impl TemplateLines {
    /// The fewest bytes of canonical text that a listed line has: those of a shingle.
    pub const SHORTEST: usize = 20;

    /// Reads a list, a line each. Blank lines and those that begin with `#` are passed over; a line that shall begin
    /// with `#` has a backslash before it, and a byte order mark at the beginning is dropped. Of lines with one
    /// canonical form there is one.
    ///
    /// # Errors
    /// [`ShortTemplateLine`] where a line is shorter than [`SHORTEST`](Self::SHORTEST).
    pub fn parse(list: &str) -> Result<Self, ShortTemplateLine> {
        let list = list.strip_prefix('\u{feff}').unwrap_or(list);
        let mut lines = BTreeSet::new();
        for (at, line) in list.lines().enumerate() {
            if line.starts_with('#') {
                continue;
            }
            let written = match line.strip_prefix('\\') {
                Some(rest) if is_marked(rest) => rest,
                _ => line,
            };
            let canonical = CanonicalText::from_extracted(written).into_string();
            match canonical.len() {
                0 => {}
                short if short < Self::SHORTEST => {
                    return Err(ShortTemplateLine { line: at + 1 });
                }
                _ => _ = lines.insert(canonical),
            }
        }
        Ok(Self::of(lines))
    }

    fn of(lines: BTreeSet<String>) -> Self {
        if lines.is_empty() {
            return Self(None);
        }
        let mut hasher = blake3::Hasher::new();
        let mut by_start: HashMap<_, Vec<String>> = HashMap::new();
        let keys = lines.iter().map(|line| LineKey::of(line)).collect();
        for line in lines {
            hasher.update(line.as_bytes()).update(b"\n");
            if let Some(start) = line.as_bytes().first_chunk::<START>() {
                by_start.entry(*start).or_default().push(line);
            }
        }
        for of_start in by_start.values_mut() {
            of_start.sort_by_key(|line| std::cmp::Reverse(line.len()));
        }
        let id = TemplateLinesId(*hasher.finalize().as_bytes());
        Self(Some(Arc::new(ListedLines { by_start, keys, id })))
    }

    /// How many lines there are.
    pub fn len(&self) -> u64 {
        self.0.as_ref().map_or(0, |list| list.keys.len() as u64)
    }

    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// What names the list; none where nothing is left out.
    pub fn id(&self) -> Option<TemplateLinesId> {
        self.0.as_ref().map(|list| list.id)
    }

    /// Whether the line with this key is on the list.
    pub fn contains(&self, key: LineKey) -> bool {
        self.0.as_ref().is_some_and(|list| list.keys.contains(&key))
    }

    /// Whether a line of the list stands in the text.
    pub fn stand_in(&self, text: &CanonicalText) -> bool {
        self.next_in(text.as_str(), 0).is_some()
    }

    /// The first occurrence that begins at `from` or behind, `from` being the beginning of a word: begin and end.
    fn next_in(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        let list = self.0.as_ref()?;
        let bytes = text.as_bytes();
        let mut at = from;
        while let Some(start) = bytes.get(at..).and_then(|rest| rest.first_chunk::<START>()) {
            let rest = &bytes[at..];
            let stands = |line: &&String| {
                rest.starts_with(line.as_bytes())
                    && rest.get(line.len()).is_none_or(|next| *next == b' ')
            };
            let of_start = list.by_start.get(start);
            if let Some(line) = of_start.and_then(|lines| lines.iter().find(stands)) {
                return Some((at, at + line.len()));
            }
            at += rest.iter().position(|byte| *byte == b' ')? + 1;
        }
        None
    }
}

impl PartialEq for TemplateLines {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for TemplateLines {}

/// Whether a line begins with `#`, or with backslashes and `#`.
fn is_marked(line: &str) -> bool {
    line.trim_start_matches('\\').starts_with('#')
}

/// The canonical text that is signed and compared: the whole one, or what is left of it without template lines. A type
/// of its own, so that a text with its template is not counted beside one without.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignedText {
    text: CanonicalText,
    left_out: LeftOutLines,
}

impl SignedText {
    /// The part of a text that is signed; shared with it if that is all of it. Otherwise it takes at most as much
    /// memory as the text.
    pub fn of(canonical: &CanonicalText, lines: &TemplateLines) -> Self {
        let whole = canonical.as_str();
        let mut left_out = LeftOutLines::default();
        let mut rest = String::new();
        // Begin of the words that are kept, with the space before them.
        let (mut kept, mut from) = (0, 0);
        while let Some((at, end)) = lines.next_in(whole, from) {
            if left_out.lines == 0 {
                rest.reserve_exact(whole.len());
            }
            push_words(&mut rest, &whole[kept..at]);
            left_out.lines += 1;
            kept = end;
            from = (end + 1).min(whole.len());
        }
        if left_out.lines == 0 {
            return Self::whole(canonical.clone());
        }
        push_words(&mut rest, &whole[kept..]);
        let text = canonical.with_rest(rest);
        left_out.bytes = (whole.len() - text.as_bytes().len()) as u64;
        Self { text, left_out }
    }

    /// A signed text of which nothing is left out.
    pub fn whole(text: CanonicalText) -> Self {
        Self {
            text,
            left_out: LeftOutLines::default(),
        }
    }

    /// What was left out of it.
    pub fn left_out(&self) -> LeftOutLines {
        self.left_out
    }
}

/// Adds words with a space before them, where others are there.
fn push_words(rest: &mut String, words: &str) {
    let words = words.trim_matches(' ');
    if !(rest.is_empty() || words.is_empty()) {
        rest.push(' ');
    }
    rest.push_str(words);
}

impl Deref for SignedText {
    type Target = CanonicalText;

    fn deref(&self) -> &CanonicalText {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn signed(list: &str, text: &str) -> (String, LeftOutLines) {
        let lines = TemplateLines::parse(list).unwrap();
        let signed = SignedText::of(&CanonicalText::from_extracted(text), &lines);
        (signed.as_str().to_owned(), signed.left_out())
    }

    /// The slow twin: words against words.
    fn slowly(list: &[String], text: &str) -> (String, u64) {
        let canonical = CanonicalText::from_extracted(text);
        let words: Vec<&str> = canonical.as_str().split(' ').collect();
        let (mut at, mut count, mut rest) = (0, 0, Vec::new());
        while at < words.len() {
            let listed = list.iter().map(|line| {
                let line = CanonicalText::from_extracted(line);
                let line: Vec<&str> = line.as_str().split(' ').collect();
                (words[at..].starts_with(&line) && !line[0].is_empty()).then_some(line.len())
            });
            match listed.flatten().max() {
                Some(length) => (at, count) = (at + length, count + 1),
                None => {
                    rest.push(words[at]);
                    at += 1;
                }
            }
        }
        let rest = CanonicalText::from_extracted(&rest.join(" "));
        (rest.into_string(), count)
    }

    #[test]
    fn a_listed_line_is_left_out_wherever_it_stands_and_however_it_is_broken() {
        let list =
            "\u{feff}# the letterhead\n\nAcme Ltd,  12 High Street\n\\# 1 of the notes to it\n";
        let text = "ACME LTD, 12 High\r\nStreet\r\n# 1 of the notes to it\nDear Sir,\n\n  we are Acme Ltd, 12 High Street here";
        let (left, out) = signed(list, text);
        assert_eq!(left, "dear sir, we are here");
        let whole = CanonicalText::from_extracted(text).as_bytes().len();
        assert_eq!((out.lines, out.bytes), (3, (whole - left.len()) as u64));
        // Parts of other words stay.
        let text = "to acme ltd, 12 high streets, and to sacme ltd, 12 high street's owner";
        let nothing = LeftOutLines::default();
        assert_eq!(signed(list, text), (text.to_owned(), nothing));
        assert_eq!(signed(list, "acme ltd, 12 high street").0, "");
    }

    #[test]
    fn of_lines_that_begin_at_one_place_the_longest_is_left_out() {
        let list = "this message is for you\nThis message is for you alone, reader\nfor you alone, reader and all";
        assert_eq!(
            signed(
                list,
                "a. This message is for you alone, reader and all others"
            )
            .0,
            "a. and all others"
        );
        assert_eq!(
            signed(list, "this message is for you alone, readers").0,
            "alone, readers"
        );
    }

    #[test]
    fn a_list_is_named_by_its_lines_in_any_order() {
        let id = |list: &str| TemplateLines::parse(list).unwrap().id();
        let (one, two) = ("one line of the list", "Two lines of the list");
        let both = format!("{one}\n{two}\n");
        assert_eq!(
            id(&both),
            id(&format!("# twice\n{}\n\n {one}\n{two}", two.to_uppercase()))
        );
        assert_ne!(id(&both), id(one));
        assert_eq!((id(""), id("# only this\n \n")), (None, None));
    }

    #[test]
    fn a_line_that_is_shorter_than_a_shingle_is_refused() {
        let refused =
            TemplateLines::parse("# a\n\nlong enough to be left out\n  Page  of 12345678 \n");
        assert_eq!(
            refused.unwrap_err().to_string(),
            "line 4 is shorter than 20 bytes of canonical text; lengthen it, or take it out of the list"
        );
        assert!(TemplateLines::parse("exactly twenty bytes").is_ok());
    }

    #[test]
    fn a_text_of_which_nothing_is_left_out_is_shared() {
        let canonical = CanonicalText::from_extracted("a text that has no line of any list");
        let lines = TemplateLines::parse("a line of some other list").unwrap();
        let signed = SignedText::of(&canonical, &lines);
        assert!(std::ptr::eq(signed.as_str(), canonical.as_str()));
        assert!(!lines.stand_in(&canonical));
    }

    #[test]
    fn a_bullet_that_comes_to_stand_first_is_dropped() {
        let text = "Points of the agenda: • first • second";
        assert_eq!(signed("points of the agenda:", text).0, "first • second");
    }

    proptest! {
        #[test]
        fn what_is_left_is_what_the_slow_way_leaves_and_in_canonical_form(
            words in prop::collection::vec(0usize..7, 0..40),
            listed in prop::collection::vec(prop::collection::vec(0usize..7, 2..5), 0..5),
            breaks in any::<u64>(),
        ) {
            const WORDS: [&str; 7] =
                ["a-word-of-many", "second-Word-here", "é\u{301}-third-of-these", "•", "a-word-of-many-x", "ﬁn", "* #"];
            let join = |words: &[usize]| -> String {
                let word = |(at, word): (usize, &usize)| {
                    let end = if breaks >> (at % 64) & 1 == 1 { "\n" } else { "  " };
                    [WORDS[*word], end].concat()
                };
                words.iter().enumerate().map(word).collect()
            };
            let list: Vec<String> = listed.iter().map(|line| join(line).replace('\n', " ")).collect();
            let is_long = |line: &String| CanonicalText::from_extracted(line).as_bytes().len() >= START;
            let list: Vec<String> = list.into_iter().filter(is_long).collect();
            let lines = TemplateLines::parse(&list.join("\n")).unwrap();
            let canonical = CanonicalText::from_extracted(&join(&words));
            let signed = SignedText::of(&canonical, &lines);
            let (wanted, count) = slowly(&list, canonical.as_str());
            prop_assert_eq!(signed.as_str(), &wanted);
            prop_assert_eq!(signed.left_out().lines, count);
            let left_out = canonical.as_bytes().len() - wanted.len();
            prop_assert_eq!(signed.left_out().bytes, left_out as u64);
            let again = CanonicalText::from_extracted(signed.as_str());
            prop_assert_eq!(again.as_str(), signed.as_str());
            prop_assert_eq!(lines.stand_in(&canonical), count > 0);
        }
    }
}
