//! Rows of a table on the page, gathered while a list is written: the first of them, as far as there is room.
//!
//! Their memory is counted. Rows that do not fit on the page are in the list beside it, and are no reason to refuse
//! a report: the page says how many rows it lacks.
use std::io;

use simdex_index::{GrowingPermit, IndexError, MemoryAccount};

/// Most bytes of the rows of one table: names can be made to take a hundred kilobytes each.
const ROOM: usize = 8 << 20;
/// The rows of one table may take one part in this many of the memory that the report may take.
const SHARE: u64 = 16;
/// A vector may have capacity for twice its contents.
const GROWTH: u64 = 2;

/// The first rows of a table, and the number of all rows.
pub(super) struct TableRows {
    html: Vec<u8>,
    shown: usize,
    count: usize,
    /// Rows that may still be shown.
    left: usize,
    /// Bytes that the rows may still take.
    room: usize,
    held: GrowingPermit,
}

impl TableRows {
    /// No rows yet; at most `max_rows` are shown.
    pub(super) fn new(max_rows: usize, account: &MemoryAccount) -> Self {
        let room = usize::try_from(account.total() / SHARE);
        Self {
            room: room.map_or(ROOM, |room| room.min(ROOM)),
            html: Vec::new(),
            shown: 0,
            count: 0,
            left: max_rows,
            held: GrowingPermit::of(account),
        }
    }

    /// Counts a row, and shows what `write` makes of it if there is room.
    ///
    /// # Errors
    /// Those of `write`; nobody waits any more.
    pub(super) fn push(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.count += 1;
        if self.left == 0 {
            return Ok(());
        }
        let before = self.html.len();
        write(&mut self.html)?;
        let bytes = GROWTH * (self.html.len() - before) as u64;
        let has_room = match self.held.add(bytes) {
            Err(IndexError::Cancelled) => return Err(io::Error::other(IndexError::Cancelled)),
            counted => counted.is_ok() && self.html.len() <= self.room,
        };
        if has_room {
            (self.shown, self.left) = (self.shown + 1, self.left - 1);
        } else {
            // Later rows are not shown either: the page has the first ones.
            self.html.truncate(before);
            self.left = 0;
        }
        Ok(())
    }

    /// The rows that are shown.
    pub(super) fn html(&self) -> &[u8] {
        &self.html
    }

    /// The number of all rows.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of rows not shown.
    pub(super) fn hidden(&self) -> usize {
        self.count - self.shown
    }
}

#[cfg(test)]
mod tests {
    use simdex_index::{Cancel, MemoryBudget};

    use super::*;

    #[test]
    fn rows_are_counted_and_shown_as_far_as_there_is_room() {
        let pushed = |budget: &MemoryBudget, count: usize, bytes: usize| {
            let account = budget.account(&Cancel::never());
            let mut rows = TableRows::new(2_000, &account);
            for _ in 0..count {
                let row = vec![b'x'; bytes];
                rows.push(|out| io::Write::write_all(out, &row)).unwrap();
            }
            rows
        };
        let budget = MemoryBudget::new(64 << 20);
        let rows = pushed(&budget, 2_001, 500);
        assert_eq!((rows.count(), rows.hidden()), (2_001, 1));
        assert!(budget.used() >= 1_000_000, "{}", budget.used());
        drop(rows);
        assert_eq!(budget.used(), 0);
        // One table takes neither more than a page can hold, nor more memory than it may.
        let rows = pushed(&budget, 2_000, 94 << 10);
        assert!(rows.html().len() <= ROOM && rows.hidden() > 1_900);
        let small = MemoryBudget::new(4 << 20);
        let rows = pushed(&small, 2_000, 10_000);
        assert!(rows.html().len() <= 256 << 10 && rows.hidden() > 1_970);
        assert!(!rows.html().is_empty());
        assert_eq!(rows.html().len(), 10_000 * (rows.count() - rows.hidden()));
    }

    #[test]
    fn nobody_waits_for_rows_that_nobody_wants() {
        let cancel = Cancel::never();
        let account = MemoryBudget::new(64 << 20).account(&cancel);
        let mut rows = TableRows::new(9, &account);
        cancel.cancel();
        let row = vec![b'x'; 4 << 20];
        assert!(rows.push(|out| io::Write::write_all(out, &row)).is_err());
    }
}
