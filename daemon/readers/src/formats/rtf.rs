//! Rich Text Format (specification 1.9.1; HTML within it: [MS-OXRTFEX]).
//!
//! A document is a sequence of groups, control words and bytes. It is read once, from front to back; a group costs an
//! entry in a list, not a recursive call, so nesting cannot overflow the stack.

pub(super) mod code_page;
mod destination;
mod document;
mod object;
mod token;
mod words;

use simdex_extract::Reason;

use self::document::Document;
use self::token::Tokens;
use super::{Reading, markup};
use crate::input::Input;
use crate::sink::Sink;

pub(super) const PARSER: &str = "rtf 1";

pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let (bytes, partial) = markup(input)?;
    Ok(write_text(&bytes, sink).or(partial))
}

/// Writes the text of a document; returns why if it is incomplete.
pub(super) fn write_text(bytes: &[u8], sink: &mut Sink) -> Option<Reason> {
    let mut document = Document::new(sink);
    let mut ended = false;
    for token in Tokens::new(bytes) {
        if !document.take(token) {
            ended = true;
            break;
        }
    }
    document.finish(ended)
}

#[cfg(test)]
mod tests;
