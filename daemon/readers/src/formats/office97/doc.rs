//! Word documents [MS-DOC], and those of Word 6 and 95, which keep the same structures elsewhere.
//!
//! The text is in pieces scattered over one stream. Joined they are the parts of the document, one after another: body,
//! footnotes, headers and footers, comments, endnotes, text boxes.

mod fib;
mod pieces;
mod revisions;
#[cfg(test)]
mod tests;
mod text;

use fib::{Fib, Structure};
use pieces::Piece;
use revisions::{Changes, Revisions};
use simdex_extract::{Fact, Outcome, Reason};
use text::TextWriter;

use super::{Compound, Reading, beside, stream};
use crate::input::Input;
use crate::sink::Sink;

pub(crate) fn read(input: &Input, sink: &mut Sink) -> Reading {
    let file = Compound::open(input)?;
    let (document, mut partial) = stream(&file, "WordDocument", sink)?;
    let fib = Fib::parse(&document).ok_or(Outcome::Failed(Reason::Malformed))?;
    if fib.is_encrypted {
        return Err(Outcome::Encrypted(Reason::PasswordNeeded));
    }
    let table = match fib.table {
        None => None,
        Some(name) => {
            let (table, cut) = stream(&file, name, sink)?;
            partial = partial.or(cut);
            Some(table)
        }
    };
    let table = table.as_deref().unwrap_or(&document);
    let (pieces, lists) = pieces::pieces(&fib, table, &document);
    let revisions = Revisions::parse(&fib, table, &document);
    let reason = write(&fib, &pieces, &revisions, &lists, &document, sink);
    count(&fib, sink);
    Ok(partial.or(reason).or(beside(&file, sink)))
}

/// Writes all parts of the document.
fn write(
    fib: &Fib,
    pieces: &[Piece],
    revisions: &Revisions,
    lists: &[Changes],
    document: &[u8],
    sink: &mut Sink,
) -> Option<Reason> {
    let mut reason = None;
    let mut start = 0_u32;
    for length in fib.parts {
        let end = start.saturating_add(length);
        let mut writer = TextWriter::new(fib.encoding, sink);
        for piece in pieces {
            let piece = piece.within(start, end);
            let wanted = piece.bytes();
            let available = wanted.start.min(document.len())..wanted.end.min(document.len());
            if available.len() < wanted.len() {
                reason = Some(Reason::Damaged);
            }
            if piece.length == 0 || piece.changes(lists).is_deleted {
                continue;
            }
            for kept in revisions.kept(available) {
                writer.write(&document[kept], piece.is_wide);
            }
        }
        writer.end();
        start = end;
        if sink.is_full() {
            break;
        }
    }
    sink.count(Fact::Insertions, revisions.insertions);
    sink.count(Fact::Deletions, revisions.deletions());
    reason
}

/// Counts what the text contains besides paragraphs, by the lengths of its tables.
fn count(fib: &Fib, sink: &mut Sink) {
    let count = |structure, bytes_each: u32| {
        let (_, length) = fib.structure(structure);
        u64::from(length.saturating_sub(4) / bytes_each)
    };
    let notes = count(Structure::FOOTNOTES, 6) + count(Structure::ENDNOTES, 6);
    sink.count(Fact::Notes, notes);
    sink.count(Fact::Comments, count(Structure::COMMENTS, 34));
    // The last text box is a dummy.
    let boxes = count(Structure::TEXT_BOXES, 26).saturating_sub(1);
    sink.count(Fact::TextBoxes, boxes);
}
