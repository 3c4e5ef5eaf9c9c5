//! Converts paragraphs, cells and rows to lines: one line per paragraph, cells of a row separated by a tab, and nothing
//! for empty ones.

use crate::sink::Sink;

/// Text of one part, bounded.
pub(super) struct Flow {
    text: String,
    limit: usize,
    /// What separates the next piece from the previous one.
    pending: Option<char>,
    /// Whether the row has text yet: no separator precedes the first cell with text.
    row_has_text: bool,
}

impl Flow {
    /// A flow that holds slightly more than `sink` has room for, so that the sink notices when it is full.
    pub(super) fn toward(sink: &Sink) -> Self {
        Self {
            text: String::new(),
            limit: sink.room(),
            pending: None,
            row_has_text: false,
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        if text.is_empty() || self.is_full() {
            return;
        }
        if let Some(separator) = self.pending.take()
            && !self.text.is_empty()
            && !self.text.ends_with(separator)
        {
            self.text.push(separator);
        }
        self.text.push_str(text);
        self.row_has_text = true;
    }

    /// Ends a paragraph or a row.
    pub(super) fn end_line(&mut self) {
        self.pending = Some('\n');
    }

    pub(super) fn end_cell(&mut self) {
        if self.row_has_text {
            self.pending = Some('\t');
        }
    }

    /// Begins or ends a row.
    pub(super) fn end_row(&mut self) {
        self.end_line();
        self.row_has_text = false;
    }

    pub(super) fn is_full(&self) -> bool {
        self.text.len() > self.limit
    }

    /// Bytes that there is still room for.
    pub(super) fn room(&self) -> usize {
        self.limit.saturating_sub(self.text.len())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text so far; the flow is empty then.
    pub(super) fn take(&mut self) -> String {
        self.pending = None;
        std::mem::take(&mut self.text)
    }

    /// Writes the text on lines of its own; returns whether there were words.
    pub(super) fn write(mut self, sink: &mut Sink) -> bool {
        let text = self.take();
        if text.trim().is_empty() {
            return false;
        }
        sink.newline();
        sink.push(&text);
        sink.newline();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_leaves_no_mark() {
        let mut flow = Flow::toward(&Sink::of(100));
        flow.end_line();
        for row in [["", "a", "", "b"], ["", "", "", ""], ["c", "d", "", ""]] {
            flow.end_row();
            for cell in row {
                flow.push(cell);
                flow.end_line();
                flow.end_cell();
            }
        }
        flow.end_row();
        flow.push("end");
        assert_eq!(flow.take(), "a\tb\nc\td\nend");
    }

    #[test]
    fn a_flow_is_bounded_and_tells_the_sink() {
        let mut sink = Sink::of(3);
        let mut flow = Flow::toward(&sink);
        flow.push("1234");
        flow.push("5678");
        assert!(flow.write(&mut sink));
        assert_eq!((sink.text(), sink.is_full()), ("123", true));
    }
}
