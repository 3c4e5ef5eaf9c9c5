//! Word documents [MS-DOC], and those of Word 6 and 95, which keep the same structures elsewhere.
//!
//! The text lies in pieces all over one stream. Put together they are the parts of the document,
//! one after another: body, footnotes, headers and footers, comments, endnotes, text boxes.

mod fib;
mod lists;
mod modifiers;
mod numbers;
mod pieces;
mod revisions;
#[cfg(test)]
mod tests;
mod text;

use std::ops::Range;

use fib::{Fib, Structure};
use numbers::Numbers;
use pieces::Piece;
use revisions::{Changes, Revisions};
use text::TextWriter;

use super::{Compound, Reading, beside, stream};
use crate::input::Input;
use crate::sink::Sink;
use crate::{Fact, Outcome, Reason};

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
    let numbers = Numbers::parse(&fib, table, &document);
    let read = Read {
        fib: &fib,
        document: &document,
        pieces: &pieces,
        lists: &lists,
        revisions: &revisions,
    };
    let reason = write(&read, numbers, sink);
    count(&fib, sink);
    Ok(partial.or(reason).or(beside(&file, sink)))
}

/// What was read of a document besides its text.
struct Read<'a> {
    fib: &'a Fib<'a>,
    /// The main stream.
    document: &'a [u8],
    pieces: &'a [Piece],
    /// Changes that pieces may refer to.
    lists: &'a [Changes],
    revisions: &'a Revisions,
}

/// Writes all parts of the document.
fn write(read: &Read<'_>, mut numbers: Numbers, sink: &mut Sink) -> Option<Reason> {
    let mut reason = None;
    let mut start = 0_u32;
    for length in read.fib.parts {
        let end = start.saturating_add(length);
        let mut writer = TextWriter::new(read.fib.encoding, sink);
        for piece in read.pieces {
            let piece = piece.within(start, end);
            let wanted = piece.bytes();
            let most = read.document.len();
            let available = wanted.start.min(most)..wanted.end.min(most);
            if available.len() < wanted.len() {
                reason = Some(Reason::Damaged);
            }
            if piece.length == 0 || piece.changes(read.lists).is_deleted {
                continue;
            }
            for kept in read.revisions.kept(available) {
                write_kept(
                    read.document,
                    kept,
                    piece.is_wide,
                    &mut numbers,
                    &mut writer,
                );
            }
        }
        writer.end();
        start = end;
        if sink.is_full() {
            break;
        }
    }
    sink.count(Fact::Insertions, read.revisions.insertions);
    sink.count(Fact::Deletions, read.revisions.deletions());
    reason
}

/// Writes a range of the main stream, with the numbers of the paragraphs that begin in it.
fn write_kept(
    document: &[u8],
    range: Range<usize>,
    is_wide: bool,
    numbers: &mut Numbers,
    writer: &mut TextWriter<'_>,
) {
    let mut from = range.start;
    for number in numbers.within(&range) {
        let place = numbers.place(number);
        if is_wide && !(place - range.start).is_multiple_of(2) {
            continue;
        }
        writer.write(&document[from..place], is_wide);
        if let Some(label) = numbers.label(number) {
            writer.label(&label);
        }
        from = place;
    }
    writer.write(&document[from..range.end], is_wide);
}

/// Counts what the text holds besides paragraphs, by the lengths of its tables.
fn count(fib: &Fib, sink: &mut Sink) {
    let count = |structure, bytes_each: u32| {
        let (_, length) = fib.structure(structure);
        u64::from(length.saturating_sub(4) / bytes_each)
    };
    let notes = count(Structure::FOOTNOTES, 6) + count(Structure::ENDNOTES, 6);
    sink.count(Fact::Notes, notes);
    sink.count(Fact::Comments, count(Structure::COMMENTS, 34));
    // The last text box is none.
    let boxes = count(Structure::TEXT_BOXES, 26).saturating_sub(1);
    sink.count(Fact::TextBoxes, boxes);
}
