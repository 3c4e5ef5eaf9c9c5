//! Plain text, read unchanged: notes, Markdown, CSV, JSON, source code. Form feeds separate pages: their running
//! headers and footers are kept apart.

use simdex_extract::{Fact, Outcome};

use super::paging::{Body, LINE_IN_CELL, Pages};
use super::{Reading, read_error};
use crate::charset;
use crate::input::Input;
use crate::sink::Sink;

pub(super) const PARSER: &str = "plain 1";

/// Bytes read beyond the output limit, to recognise text that just fits as complete.
const LOOK_AHEAD: u64 = 4;

/// Reads no more than can be kept; UTF-16 and others only shrink when decoded.
pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let text = text_of(input, sink)?;
    write(&text, sink);
    Ok(None)
}

/// Reads text in UTF-8 that another program wrote, its pages ended by form feeds.
pub(super) fn read_pages(input: &Input, sink: &mut Sink) -> Reading {
    let bytes = input.prefix(input.len()).map_err(read_error)?;
    write(&String::from_utf8_lossy(&bytes), sink);
    Ok(None)
}

fn write(text: &str, sink: &mut Sink) {
    match body_of(text) {
        Some(body) => {
            sink.count(Fact::RunningLines, body.running_lines);
            sink.count(Fact::JoinedHyphens, body.joined_hyphens);
            sink.push(&body.text);
        }
        None => sink.push(text),
    }
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

/// The pages as one text; `None` if there are no running lines, or if it has the mark of rows: such a text is left
/// unchanged.
fn body_of(text: &str) -> Option<Body> {
    if !text.contains('\u{c}') || text.contains(LINE_IN_CELL) {
        return None;
    }
    let mut pages = Pages::default();
    for page in text.split('\u{c}') {
        pages.push(page.lines().map(str::to_owned).collect());
    }
    Some(pages.into_body()).filter(|body| body.running_lines > 0)
}
