//! The difference by words, for people: each changed place with some words around it.
//!
//! Texts are shown as they are in the second text, in lines of at most 80 columns: removed words as `[-…-]`, added
//! ones as `{+…+}`, moved ones as `{>line N: …<}` with their line in the first text.

use std::fmt::Write as _;
use std::ops::Range;

use simdex_proto::text::counted;

use super::name;
use super::words::{Operation, WordDifference, WordOperationKind};

/// Columns of a line.
const COLUMNS: usize = 78;
/// Approximate bytes shown before and after a change.
pub(crate) const AROUND: usize = 90;
/// A moved block longer than this, in bytes, is shown without its middle.
const MOVED_WHOLE: usize = 240;

impl WordDifference<'_> {
    /// The difference for people, as long as `go_on` allows it; `go_on` is called periodically with the number of
    /// bytes so far. Empty if no word differs.
    pub(crate) fn shown_while<E>(
        &self,
        names: (&str, &str),
        mut go_on: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<String, E> {
        let lines = self.texts.map(LineStarts::of);
        let mut out = String::new();
        for place in self.places() {
            if out.is_empty() {
                let (a, b) = (name::quoted(names.0), name::quoted(names.1));
                out = format!("--- {a}\n+++ {b}\n");
            }
            self.write_place(&mut out, place, &lines);
            go_on(out.len())?;
        }
        Ok(out)
    }

    /// Changes merged with what lies between them if that is short, as ranges of operations.
    fn places(&self) -> impl Iterator<Item = Range<usize>> {
        let all = self.operations.as_slice();
        let mut next = 0;
        std::iter::from_fn(move || {
            let first = next + all.get(next..)?.iter().position(is_change)?;
            let mut unchanged = 0;
            next = first + 1;
            for (at, operation) in all.iter().enumerate().skip(next) {
                if is_change(operation) {
                    (next, unchanged) = (at + 1, 0);
                } else {
                    unchanged += operation.b.len();
                }
                if unchanged > 2 * AROUND {
                    break;
                }
            }
            Some(first..next)
        })
    }

    fn write_place(&self, out: &mut String, place: Range<usize>, lines: &[LineStarts; 2]) {
        let (before, rest) = self.operations.split_at(place.start);
        let (changed, after) = rest.split_at(place.len());
        let (Some(first), Some(last)) = (changed.first(), changed.last()) else {
            return;
        };
        let line = |side: usize, byte: usize| lines[side].number(byte);
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "@@ -{} +{} @@",
            line(0, first.a.start),
            line(1, first.b.start)
        );
        let b = self.texts[1];
        let since = before.iter().rev().find(|operation| is_change(operation));
        let since = since.map_or(0, |operation| operation.b.end);
        let until = after.iter().find(|operation| is_change(operation));
        let until = until.map_or(b.len(), |operation| operation.b.start);
        let mut text = ending(b.get(since..first.b.start).unwrap_or_default(), AROUND);
        for operation in changed {
            let line = line(0, operation.a.start);
            text.push_str(&marked(operation.kind, self.texts_of(operation), line));
        }
        text.push_str(&beginning(
            b.get(last.b.end..until).unwrap_or_default(),
            AROUND,
        ));
        write_wrapped(out, &text);
    }
}

/// What an operation removes and inserts, with its marks; `line` is its line in the first text.
fn marked(kind: WordOperationKind, [from, to]: [&str; 2], line: usize) -> String {
    let [removed, added] = [from, to].map(str::trim);
    match kind {
        WordOperationKind::Equal | WordOperationKind::Reformat => to.to_owned(),
        WordOperationKind::Delete => around(from, format!("[-{removed}-]")),
        WordOperationKind::Insert => around(to, format!("{{+{added}+}}")),
        WordOperationKind::Replace => format!("[-{removed}-]{{+{added}+}}"),
        WordOperationKind::Move => format!("{{>line {line}: {}<}}", shortened(to, MOVED_WHOLE)),
    }
}

fn is_change(operation: &Operation) -> bool {
    !matches!(
        operation.kind,
        WordOperationKind::Equal | WordOperationKind::Reformat
    )
}

/// Marked words with the white space that surrounds them.
fn around(written: &str, marked: String) -> String {
    let space = |is_there: bool| if is_there { " " } else { "" };
    let before = space(written.starts_with(char::is_whitespace));
    let after = space(written.ends_with(char::is_whitespace));
    format!("{before}{marked}{after}")
}

/// The last words of a text, at most this many bytes; the last part of the last word if that is longer.
pub(crate) fn last_words(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let rest = &text[text.ceil_char_boundary(text.len() - max_bytes)..];
    let word = rest.find(char::is_whitespace).unwrap_or(0);
    match rest[word..].trim_start() {
        "" => rest.trim_end(),
        words => words,
    }
}

/// The first words of a text, at most this many bytes; the first part of the first word if that is longer.
pub(crate) fn first_words(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let first = &text[..text.floor_char_boundary(max_bytes)];
    let word = first.rfind(char::is_whitespace).unwrap_or(first.len());
    match first[..word].trim_end() {
        "" => first.trim_start(),
        words => words,
    }
}

/// The last words of a text, after a mark if others are left out.
pub(crate) fn ending(text: &str, max_bytes: usize) -> String {
    match last_words(text, max_bytes) {
        all if all.len() == text.len() => all.to_owned(),
        last => format!("… {last}"),
    }
}

/// The first words of a text, before a mark if others are left out.
pub(crate) fn beginning(text: &str, max_bytes: usize) -> String {
    match first_words(text, max_bytes) {
        all if all.len() == text.len() => all.to_owned(),
        first => format!("{first} …"),
    }
}

/// A block, without its middle if it is longer than `max_bytes` bytes.
pub(crate) fn shortened(block: &str, max_bytes: usize) -> String {
    if block.len() <= max_bytes {
        return block.to_owned();
    }
    let words = counted(block.split_whitespace().count() as u64, "word");
    let last = last_words(block, AROUND);
    format!("{} ({words}) … {last}", beginning(block, AROUND))
}

/// Writes the words of a text in lines; white space is ignored. A word longer than a line stays whole.
fn write_wrapped(out: &mut String, text: &str) {
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > COLUMNS {
            out.push('\n');
            column = 0;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    if column > 0 {
        out.push('\n');
    }
}

/// Where the lines of a text begin.
pub(crate) struct LineStarts(Vec<usize>);

impl LineStarts {
    pub(crate) fn of(text: &str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(ends).collect())
    }

    /// The line of a byte, from 1.
    pub(crate) fn number(&self, byte: usize) -> usize {
        self.0.partition_point(|start| *start <= byte)
    }
}
