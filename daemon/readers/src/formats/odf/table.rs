//! Rows and cells (ISO/IEC 26300-3 §9). A cell or row may be repeated many times; empty ones then cost nothing, others
//! are counted against the limit on cells.

use super::super::aside::Streams;
use super::piece::Piece;

/// Number of non-empty cells, and their limit.
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

    /// Writes a cell into its row, separated from the previous one.
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
            // The cells of the first are already counted.
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
