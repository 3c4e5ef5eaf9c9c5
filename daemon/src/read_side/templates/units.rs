//! A text in the units that may recur: its lines, and the sentences of its running text, wherever their lines break.
//!
//! A sentence ends at `.`, `!` or `?` before white space (also at the marks of Chinese and Japanese, before anything),
//! at an empty line, and where a line of more than [`LONGEST_WRAPPED`] characters begins or ends: that one is a
//! paragraph, since text is wrapped at fewer columns. Both kinds are compared in their canonical form, in which white
//! space is one space.

use std::ops::Range;

use simdex_signature::{CanonicalText, LineKey};

use super::finder::{MIN_BYTES, Unit};

/// Characters of the longest line of a wrapped paragraph.
const LONGEST_WRAPPED: usize = 120;

/// Distinguishes the keys of sentences from those of lines with the same text.
const OF_SENTENCE: u128 = 0x9f4a_7c15_85eb_ca6b_c2b2_ae35_27d4_eb2f;

/// The units of one text, in their order.
pub(super) struct Units {
    pub(super) lines: Vec<Unit>,
    pub(super) sentences: Vec<Unit>,
}

/// The most units that a text may have; each is listed once.
pub(super) fn max_units(text: &str) -> usize {
    2 * text.lines().count() + text.chars().filter(|letter| is_end(*letter)).count()
}

/// Parts a text into units. Those shorter than a shingle are left out.
pub(super) fn units(text: &str) -> Units {
    let keyed = |at: Range<usize>, key: fn(&str) -> Option<LineKey>| {
        let key = key(&text[at.clone()]);
        (at, key)
    };
    let lines: Vec<_> = lines_of(text).map(|at| keyed(at, key_of)).collect();
    let sentences = sentences(text).into_iter();
    let sentences: Vec<_> = sentences.map(|at| keyed(at, key_of_sentence)).collect();
    Units {
        lines: units_within(&lines, &sentences, |sentence, line| {
            sentence.start <= line.start
        }),
        // The first line of a sentence may be too short to have a key.
        sentences: units_within(&sentences, &lines, |_, _| true),
    }
}

/// Units, each with the first of the others that has a key and a part of it, if it `holds` that one.
fn units_within(
    own: &[(Range<usize>, Option<LineKey>)],
    others: &[(Range<usize>, Option<LineKey>)],
    holds: impl Fn(&Range<usize>, &Range<usize>) -> bool,
) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut next = 0;
    for (at, key) in own {
        while others
            .get(next)
            .is_some_and(|(other, _)| other.end <= at.start)
        {
            next += 1;
        }
        let Some(key) = *key else { continue };
        let mut touching = others[next..]
            .iter()
            .take_while(|(other, _)| other.start < at.end);
        let first = touching.find(|(other, key)| key.is_some() && holds(other, at));
        let within = first.and_then(|(_, key)| *key);
        units.push(Unit { key, within });
    }
    units
}

/// The key of a line; `None` if it is shorter than a shingle.
pub fn key_of(line: &str) -> Option<LineKey> {
    let canonical = CanonicalText::from_extracted(line);
    let is_long = canonical.as_bytes().len() >= MIN_BYTES;
    is_long.then(|| LineKey::of(canonical.as_str()))
}

/// The key of a sentence; `None` if it is shorter than a shingle.
pub(super) fn key_of_sentence(sentence: &str) -> Option<LineKey> {
    key_of(&on_one_line(sentence)).map(toggled)
}

/// The key of the line that has the text of a sentence.
pub(super) fn as_line(sentence: LineKey) -> LineKey {
    toggled(sentence)
}

fn toggled(key: LineKey) -> LineKey {
    LineKey(key.0 ^ OF_SENTENCE)
}

/// A sentence without the line breaks in it.
pub(super) fn on_one_line(sentence: &str) -> String {
    let mut line = String::with_capacity(sentence.len());
    for part in sentence.lines().map(str::trim) {
        if !(line.is_empty() || part.is_empty()) {
            line.push(' ');
        }
        line.push_str(part);
    }
    line
}

/// The sentences of a text, without the white space around them.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Begin of the sentence that is open, and the end of its last line.
    let mut open: Option<(usize, usize)> = None;
    let mut was_long = false;
    for line in lines_of(text) {
        let is_long = text[line.clone()].chars().nth(LONGEST_WRAPPED).is_some();
        if line.is_empty() || is_long || was_long {
            found.extend(open.take().map(|(from, end)| from..end));
        }
        was_long = is_long;
        let mut from = line.start;
        for end in ends(&text[line.clone()]) {
            let begin = open.take().map_or(from, |(begin, _)| begin);
            found.push(begin..line.start + end);
            let rest = &text[line.start + end..line.end];
            from = line.end - rest.trim_start().len();
        }
        if from < line.end {
            open = Some((open.map_or(from, |(begin, _)| begin), line.end));
        }
    }
    found.extend(open.map(|(from, end)| from..end));
    found
}

/// The lines of a text, without the white space around them.
fn lines_of(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = 0;
    text.split_inclusive('\n').map(move |line| {
        let begin = from + line.len() - line.trim_start().len();
        from += line.len();
        let begin = begin.min(from);
        begin..begin + text[begin..from].trim_end().len()
    })
}

/// Where sentences end in a line.
fn ends(line: &str) -> impl Iterator<Item = usize> + '_ {
    let marks = line.char_indices().filter(|(_, letter)| is_end(*letter));
    marks.filter_map(|(at, mark)| {
        let after = at + mark.len_utf8();
        let rest = &line[after..];
        let closing = |letter| matches!(letter, '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '」');
        let behind = rest.trim_start_matches(closing);
        let is_before_gap = behind.is_empty() || behind.starts_with(char::is_whitespace);
        (is_before_gap || !mark.is_ascii()).then(|| after + rest.len() - behind.len())
    })
}

fn is_end(letter: char) -> bool {
    matches!(letter, '.' | '!' | '?' | '。' | '！' | '？')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(text: &str) -> Vec<String> {
        let sentences = sentences(text).into_iter();
        sentences.map(|at| on_one_line(&text[at])).collect()
    }

    #[test]
    fn a_sentence_is_the_same_wherever_its_lines_break() {
        let expected = [
            "First of all (really.)",
            "Then 1.5 \"others!\"",
            "And no end",
        ];
        for text in [
            "First of all (really.) Then 1.5 \"others!\" And no end",
            "First\nof all (really.)\n Then 1.5\n\"others!\" And\nno end\n",
            "  First of all\r\n(really.)   Then 1.5 \"others!\"\r\n\r\nAnd no end\r\n\r\n",
        ] {
            assert_eq!(parted(text), expected, "{text:?}");
        }
        assert_eq!(
            parted("これは文です。次の文。"),
            ["これは文です。", "次の文。"]
        );
        assert!(parted(" \n\n ").is_empty() && parted("").is_empty());
    }

    #[test]
    fn a_line_too_long_to_be_wrapped_is_a_paragraph() {
        let long = "word ".repeat(30);
        let text = format!("no end\n{long}\nnor here");
        assert_eq!(parted(&text), ["no end", long.trim(), "nor here"]);
    }

    #[test]
    fn each_unit_says_in_which_of_the_other_kind_it_begins() {
        let text = "The first line is here. The second\nsentence ends on the next line.\nshort\n";
        let Units { lines, sentences } = units(text);
        let line = |text: &str| key_of(text);
        let sentence = |text: &str| key_of_sentence(text);
        let (first, second) = (
            sentence("The first line is here."),
            sentence("The second sentence ends on the next line."),
        );
        let one = line("The first line is here. The second");
        assert_eq!(
            lines.iter().map(|unit| unit.within).collect::<Vec<_>>(),
            [first, second]
        );
        assert_eq!(
            sentences.iter().map(|unit| unit.within).collect::<Vec<_>>(),
            [one, one]
        );
        assert_eq!(
            sentences
                .iter()
                .map(|unit| Some(unit.key))
                .collect::<Vec<_>>(),
            [first, second]
        );
        assert!(lines.len() + sentences.len() <= max_units(text));
    }
}
