//! Text that is taken as it stands: notes, Markdown, CSV, JSON, source code. Form feeds make pages:
//! their running headers and footers are kept apart.

use super::paging::Pages;
use super::{Reading, read_error};
use crate::Fact;
use crate::charset;
use crate::input::Input;
use crate::sink::Sink;

pub(super) const ENGINE: &str = "plain 1";

/// Bytes read beyond the output limit, so that text that just fits is seen to be whole.
const LOOK_AHEAD: u64 = 4;

/// Reads no more than can be kept; UTF-16 and others only shrink on the way from the file.
pub(super) fn read(input: &Input, sink: &mut Sink) -> Reading {
    // Two bytes of UTF-16 may become one of UTF-8.
    let limit = (sink.room() as u64)
        .saturating_mul(2)
        .saturating_add(LOOK_AHEAD);
    let bytes = input.prefix(limit).map_err(read_error)?;
    let text = charset::decode(&bytes, None, sink);
    match text.contains('\u{c}') {
        true => write_pages(&text, sink),
        false => sink.push(&text),
    }
    Ok(None)
}

/// Writes the pages as one text; where no line runs through them they are left as they are.
fn write_pages(text: &str, sink: &mut Sink) {
    let mut pages = Pages::default();
    for page in text.split('\u{c}') {
        pages.push(page.lines().map(str::to_owned).collect());
    }
    let body = pages.into_body();
    if body.running_lines == 0 {
        return sink.push(text);
    }
    sink.count(Fact::RunningLines, body.running_lines);
    sink.count(Fact::JoinedHyphens, body.joined_hyphens);
    sink.push(&body.text);
}
