//! Word documents [MS-DOC], and those of Word 6 and 95, which keep the same structures elsewhere.
//!
//! The text is in pieces scattered over one stream. Joined they are the parts of the document, one after another: body,
//! footnotes, headers and footers, comments, endnotes, text boxes.

mod changes;
mod fib;
mod formatting;
mod pieces;
mod revisions;
mod signs;
mod style_sheet;
#[cfg(test)]
mod tests;
mod text;

use changes::Changes;
use fib::{Fib, Structure};
use pieces::Piece;
use revisions::Revisions;
use signs::{Signs, Stretch};
use simdex_extract::{Fact, Outcome, Reason};
use text::TextWriter;

use super::{Compound, Reading, beside, stream};
use crate::formats::text_style::TextStyle;
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
    let fonts = signs::fonts(fib.bytes_of(Structure::FONTS, table));
    let mut revisions = Revisions::parse(&fib, table, &document, &fonts);
    let signs = Signs::new(std::mem::take(&mut revisions.signs), fonts);
    // It holds pictures too and may be long.
    let data = signs.has_forms().then(|| stream(&file, "Data", sink).ok());
    let data = data.flatten().map(|(data, _)| data).unwrap_or_default();
    let text = Text {
        document: &document,
        pieces: &pieces,
        lists: &lists,
        revisions: &revisions,
        signs: &signs,
        data: &data,
    };
    let reason = text.write(&fib, sink);
    count(&fib, sink);
    Ok(partial.or(reason).or(beside(&file, sink)))
}

/// The characters of a document and what is known of them.
struct Text<'a> {
    document: &'a [u8],
    pieces: &'a [Piece],
    lists: &'a [Changes],
    revisions: &'a Revisions,
    signs: &'a Signs,
    /// The data of form fields.
    data: &'a [u8],
}

impl Text<'_> {
    /// Writes all parts of the document.
    fn write(&self, fib: &Fib, sink: &mut Sink) -> Option<Reason> {
        let mut reason = None;
        let mut start = 0_u32;
        for length in fib.parts {
            let end = start.saturating_add(length);
            let mut writer = TextWriter::new(fib.encoding, sink);
            for piece in self.pieces {
                let is_cut = self.write_piece(piece.within(start, end), &mut writer);
                reason = reason.or(is_cut.then_some(Reason::Damaged));
            }
            writer.end();
            start = end;
            if sink.is_full() {
                break;
            }
        }
        sink.count(Fact::Insertions, self.revisions.insertions);
        sink.count(Fact::Deletions, self.revisions.deletions());
        reason
    }

    /// Writes what is kept of a piece; returns whether the document ends within it.
    fn write_piece(&self, piece: Piece, writer: &mut TextWriter<'_>) -> bool {
        let range = piece.bytes();
        let length = self.document.len();
        let available = range.start.min(length)..range.end.min(length);
        let is_cut = available.len() < range.len();
        if piece.length == 0 || piece.changes(self.lists).is_deleted {
            return is_cut;
        }
        let width = if piece.is_wide { 2 } else { 1 };
        for kept in self.revisions.kept(available) {
            for stretch in self.signs.stretches(self.document, kept, width) {
                match stretch {
                    Stretch::Text(range) => {
                        for (range, style) in self.revisions.styled(range) {
                            writer.style = style;
                            writer.write(&self.document[range], piece.is_wide);
                        }
                        writer.style = TextStyle::default();
                    }
                    Stretch::Character(sign) => writer.sign(sign),
                    Stretch::Form(at) => writer.form(signs::form(self.data, at)),
                }
            }
        }
        is_cut
    }
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
