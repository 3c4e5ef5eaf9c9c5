//! Content lines: `group.NAME;PARAMETER=value:value`, folded (RFC 6350 §3.2, RFC 5545 §3.1).

use std::borrow::Cow;

/// A property of a card or of a calendar entry.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) name: String,
    parameters: Vec<(String, &'a str)>,
    pub(super) value: &'a str,
}

impl<'a> Line<'a> {
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let colon = unquoted(line, ':').next()?;
        let (head, value) = (&line[..colon], &line[colon + 1..]);
        let mut pieces = pieces(head, ';');
        let name = pieces.next()?;
        let name = name
            .rsplit('.')
            .next()
            .unwrap_or(name)
            .trim()
            .to_ascii_uppercase();
        let parameters = pieces.map(|piece| {
            // vCard 2.1 writes the encoding or the type without a name.
            let (name, value) = piece.split_once('=').unwrap_or((piece, piece));
            (name.to_ascii_uppercase(), value.trim_matches('"'))
        });
        Some(Self {
            name,
            parameters: parameters.collect(),
            value,
        })
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| *value)
    }

    pub(super) fn is_encoded_in(&self, encoding: &str) -> bool {
        self.parameter("ENCODING")
            .is_some_and(|value| value.eq_ignore_ascii_case(encoding))
            || self.parameter(encoding).is_some()
    }
}

/// Positions of `separator` outside quotes.
fn unquoted(text: &str, separator: char) -> impl Iterator<Item = usize> {
    let mut in_quotes = false;
    text.char_indices().filter_map(move |(at, c)| {
        in_quotes ^= c == '"';
        (c == separator && !in_quotes).then_some(at)
    })
}

fn pieces(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let ends = unquoted(text, separator).chain([text.len()]);
    ends.scan(0, move |start, end| {
        let piece = &text[*start..end];
        *start = end + 1;
        Some(piece)
    })
}

/// Lines joined with their continuations: a line that begins with white space continues the previous one, and a
/// quoted-printable one that ends with `=` continues with the next.
pub(super) fn unfolded(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut lines = text.lines().peekable();
    std::iter::from_fn(move || {
        let mut whole = Cow::Borrowed(lines.next()?);
        let is_printable = {
            let head = whole.split(':').next().unwrap_or_default();
            head.to_ascii_uppercase().contains("QUOTED-PRINTABLE")
        };
        loop {
            if is_printable && whole.ends_with('=') {
                let Some(next) = lines.next() else { break };
                let line = whole.to_mut();
                line.pop();
                line.push_str(next);
            } else if let Some(next) = lines.next_if(|line| line.starts_with([' ', '\t'])) {
                whole.to_mut().push_str(&next[1..]);
            } else {
                break;
            }
        }
        Some(whole)
    })
}

/// A value without its escapes; the fields of a compound one are separated by spaces.
pub(super) fn unescaped(value: &str, has_fields: bool) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('n' | 'N') => text.push('\n'),
                Some(other) => text.push(other),
                None => {}
            },
            ';' if has_fields => {
                if !text.is_empty() && !text.ends_with(' ') {
                    text.push(' ');
                }
            }
            other => text.push(other),
        }
    }
    text.truncate(text.trim_end().len());
    text
}
