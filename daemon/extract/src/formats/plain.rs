//! Text that is taken as it stands: notes, Markdown, CSV, JSON, source code.

use super::{Reading, read_error};
use crate::input::Input;
use crate::sink::Sink;
use crate::{Outcome, charset};

pub(super) const ENGINE: &str = "plain 1";

/// Bytes read beyond the output limit, so that text that just fits is seen to be whole.
const LOOK_AHEAD: u64 = 4;

/// Reads no more than can be kept; UTF-16 and others only shrink on the way from the file.
pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let text = text_of(input, sink)?;
    sink.push(&text);
    Ok(None)
}

/// The text of a file, as much of it as can be kept.
pub(super) fn text_of(input: &Input, sink: &mut Sink) -> Result<String, Outcome> {
    // Four bytes of UTF-32 may become one of UTF-8.
    let limit = (sink.room() as u64)
        .saturating_mul(4)
        .saturating_add(LOOK_AHEAD);
    let bytes = input.prefix(limit).map_err(read_error)?;
    Ok(charset::decode(&bytes, None, sink))
}
