//! Rows and cells (ISO/IEC 26300-3 §9). A cell or row may say that it stands there many times; what
//! is empty costs nothing then, and what is not is counted against the limit on cells.

use quick_xml::events::BytesStart;

use super::super::aside::Streams;
use super::super::package::attribute;
use super::content::Piece;

/// Attributes that hold a cell's value where it has no text.
const VALUES: [&str; 5] = [
    "office:string-value",
    "office:value",
    "office:date-value",
    "office:time-value",
    "office:boolean-value",
];

/// Cells that hold something, and how many may.
pub(super) struct Table {
    cells: u64,
    limit: u64,
}

impl Table {
    pub(super) fn new(limit: u64) -> Self {
        Self { cells: 0, limit }
    }

    pub(super) fn cells(&self) -> u64 {
        self.cells.min(self.limit)
    }

    /// Whether there were more cells than the limit.
    pub(super) fn is_full(&self) -> bool {
        self.cells > self.limit
    }

    /// Writes a cell into its row, apart from the one before.
    pub(super) fn end_cell(&mut self, streams: &mut Streams<'_, Piece>, text: &str, repeated: u64) {
        if text.is_empty() {
            return;
        }
        for time in 0..repeated {
            self.cells += 1;
            // What has been read is written in any case.
            if time > 0 && (self.is_full() || streams.is_full()) {
                return;
            }
            if let Some(Piece::Row { cells, .. }) = streams.innermost() {
                *cells += 1;
                if *cells > 1 {
                    streams.push("\t");
                }
            }
            streams.push(text);
        }
    }

    /// Writes a row as a line.
    pub(super) fn end_row(
        &mut self,
        streams: &mut Streams<'_, Piece>,
        text: &str,
        repeated: u64,
        cells: u64,
    ) {
        if text.is_empty() {
            return;
        }
        for time in 0..repeated {
            // The cells of the first are counted already.
            self.cells += if time == 0 { 0 } else { cells };
            if time > 0 && (self.is_full() || streams.is_full()) {
                return;
            }
            streams.newline();
            streams.push(text);
            streams.newline();
        }
    }
}

/// The value that a cell states.
pub(super) fn value(tag: &BytesStart<'_>) -> Option<String> {
    VALUES.iter().find_map(|name| attribute(tag, name))
}
