//! The operators that begin a line and show text, `'` and `"` (ISO 32000-2, 9.4.3), in terms of others: the main parser
//! passes over them, so that their text would be missing.
//!
//! Operators are inserted where they are needed; all else stays as it is, byte by byte.

use std::ops::Range;

use pdf_extract::Stream;

/// Rewrites the contents of a page if they have such operators.
pub(super) fn spell_out(stream: &mut Stream) {
    if let Ok(content) = stream.get_plain_content()
        && has_any(&content)
    {
        stream.set_plain_content(spelled(&content));
    }
}

/// Whether such an operator seems to follow a string somewhere.
fn has_any(content: &[u8]) -> bool {
    let mut before = b' ';
    content.iter().any(|&byte| {
        let found = matches!(byte, b'\'' | b'"') && matches!(before, b')' | b'>');
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        found
    })
}

/// Contents without such operators.
fn spelled(content: &[u8]) -> Vec<u8> {
    let mut spelled = Vec::with_capacity(content.len() + 64);
    // Operands since the last operator, and up to where the content is written.
    let (mut operands, mut written, mut at): (Vec<Range<usize>>, _, _) = (Vec::new(), 0, 0);
    while let Some(token) = next_token(content, at) {
        at = token.end;
        let bytes = &content[token.clone()];
        if bytes.starts_with(b"(") || bytes[0] == b'<' || is_number(bytes) {
            operands.push(token);
            continue;
        }
        let is_text = |operand: &Range<usize>| matches!(content[operand.start], b'(' | b'<');
        let replaced = match (bytes, operands.as_slice()) {
            (b"'", [.., text]) if is_text(text) => Some((None, text)),
            (b"\"", [.., words, characters, text]) if is_text(text) => {
                Some((Some((words, characters)), text))
            }
            _ => None,
        };
        if let Some((spaces, text)) = replaced {
            let start = spaces.map_or(text.start, |(words, _)| words.start);
            spelled.extend_from_slice(&content[written..start]);
            if let Some((words, characters)) = spaces {
                spelled.extend_from_slice(&content[words.clone()]);
                spelled.extend_from_slice(b" Tw ");
                spelled.extend_from_slice(&content[characters.clone()]);
                spelled.extend_from_slice(b" Tc ");
            }
            spelled.extend_from_slice(b"T* ");
            spelled.extend_from_slice(&content[text.clone()]);
            spelled.extend_from_slice(b" Tj");
            written = at;
        }
        if bytes == b"ID" {
            at = after_picture(content, at);
        }
        operands.clear();
    }
    spelled.extend_from_slice(&content[written..]);
    spelled
}

/// The next token: a string, a word, or a single delimiter.
pub(super) fn next_token(content: &[u8], mut at: usize) -> Option<Range<usize>> {
    loop {
        let byte = *content.get(at)?;
        let rest = &content[at + 1..];
        let length = match byte {
            _ if byte.is_ascii_whitespace() || byte == 0 => {
                at += 1;
                continue;
            }
            b'%' => {
                let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                at += 1 + end.unwrap_or(rest.len());
                continue;
            }
            b'(' => literal(rest),
            b'<' if rest.first() != Some(&b'<') => {
                let end = rest.iter().position(|byte| *byte == b'>');
                end.map_or(rest.len(), |end| end + 1)
            }
            b'<' => {
                at += 2;
                continue;
            }
            b')' | b'>' | b'[' | b']' | b'{' | b'}' => {
                at += 1;
                continue;
            }
            _ => {
                let end = rest.iter().position(|byte| is_end(*byte));
                end.unwrap_or(rest.len())
            }
        };
        return Some(at..at + 1 + length);
    }
}

/// The length of a literal string behind its first parenthesis.
fn literal(rest: &[u8]) -> usize {
    let (mut depth, mut escaped) = (1_usize, false);
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    rest.len()
}

/// Where an inline picture ends, of which `at` is behind the operator that begins its data.
pub(super) fn after_picture(content: &[u8], at: usize) -> usize {
    let rest = &content[at..];
    let ends = |window: &[u8]| {
        window[0].is_ascii_whitespace() && window[3].is_ascii_whitespace() && &window[1..3] == b"EI"
    };
    let end = rest.windows(4).position(ends);
    end.map_or(content.len(), |end| at + end + 3)
}

pub(super) fn is_number(word: &[u8]) -> bool {
    matches!(word[0], b'0'..=b'9' | b'+' | b'-' | b'.')
}

fn is_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0 || b"()<>[]{}/%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_spelled_out_and_all_else_stays() {
        for (content, expected) in [
            ("14 TL (it's)'ET", "14 TL (it's)'ET"),
            ("(a) Tj (b) ' ET", "(a) Tj T* (b) Tj ET"),
            ("1 2.5 <41> \" ET", "1 Tw 2.5 Tc T* <41> Tj ET"),
            (
                "[(a') 1 (\\)b)] TJ % (x) '\n(c(') ') '",
                "[(a') 1 (\\)b)] TJ % (x) '\nT* (c(') ') Tj",
            ),
            (
                "/P <</A (x)>> BDC BI /W 1 ID (\u{1}) ' \nEI (y) '",
                "/P <</A (x)>> BDC BI /W 1 ID (\u{1}) ' \nEI T* (y) Tj",
            ),
            ("' \" (open '", "' \" (open '"),
        ] {
            let spelled = spelled(content.as_bytes());
            assert_eq!(String::from_utf8_lossy(&spelled), expected);
        }
    }
}
