//! What is done with a piece of text that was collected apart from the body.

use simdex_extract::Fact;

use super::super::super::aside::{AsideKind, says_little};
use super::super::super::html;
use super::{Document, Piece};
use crate::formats::symbol_font::is_bullet;

/// Longer ones are the text of a group that was not ended.
const MAX_LABEL_BYTES: usize = 64;

impl Document<'_> {
    pub(super) fn end_piece(&mut self) {
        let Some((piece, text)) = self.streams.end() else {
            return;
        };
        match piece {
            Piece::Aside(AsideKind::Header | AsideKind::Footer)
                if std::mem::take(&mut self.has_fields) && says_little(&text) => {}
            Piece::Aside(aside) => self.streams.keep(aside, &text),
            Piece::Fact(fact) => {
                // A generator ends with a semicolon.
                let value = text.trim().trim_end_matches(';');
                self.streams.sink.state(fact, value);
            }
            Piece::Date(fact) => self.end_date(fact),
            Piece::TextBox if text.trim().is_empty() => {}
            Piece::TextBox => {
                self.streams.sink.count(Fact::TextBoxes, 1);
                self.streams.newline();
                self.streams.push(&text);
                self.streams.newline();
            }
            Piece::Label => self.label(&text),
            Piece::Instruction => self.field(&text),
            Piece::FormItem => self.form.add_item(text.trim()),
            Piece::ObjectClass => self.object.class = text,
            Piece::ObjectData => {
                let reason = self.object.hand_over(self.streams.sink);
                self.partial = self.partial.or(reason);
            }
            Piece::Html => html::write_text(&text, self.streams.sink),
        }
    }

    /// Writes the label of a list item, unless it is a bullet. A page that the document was converted from has its own.
    fn label(&mut self, text: &str) {
        let label = text.trim();
        if self.from_html || is_bullet(label) {
            return;
        }
        if label.len() <= MAX_LABEL_BYTES {
            self.streams.sink.count(Fact::ListNumbers, 1);
        }
        self.streams.push(label);
        self.streams.push(" ");
    }

    /// The time is the writer's local time, so the offset from UTC is unknown (RFC 3339 §4.3).
    fn end_date(&mut self, fact: Fact) {
        let [year, month, day, hour, minute, second] = self.date;
        if year > 0 && (1..=12).contains(&month) && (1..=31).contains(&day) {
            let value =
                format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}-00:00");
            self.streams.sink.state(fact, &value);
        }
    }
}
