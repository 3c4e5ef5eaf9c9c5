//! Approximately how often something was added, never too few: a count-min sketch.
//!
//! Source: Cormode and Muthukrishnan 2005, "An improved data stream summary: the count-min sketch and its
//! applications"; with the conservative update of Estan and Varghese 2002. After N additions to w cells in
//! each of [`ROWS`] rows, a count is too great by more than e·N/w with probability at most e^-[`ROWS`].

/// Rows, each with its own hash function.
const ROWS: usize = 4;

/// Counts that saturate at [`u16::MAX`].
pub(super) struct Sketch {
    /// A power of two.
    width: usize,
    cells: Vec<u16>,
}

impl Sketch {
    /// A sketch of this many cells in each row, rounded up to a power of two.
    pub(super) fn new(width: usize) -> Self {
        let width = width.next_power_of_two();
        Self {
            width,
            cells: vec![0; ROWS * width],
        }
    }

    /// Bytes that [`Sketch::new`] takes.
    pub(super) fn bytes_for(width: usize) -> u64 {
        2 * (ROWS * width.next_power_of_two()) as u64
    }

    /// Adds one; returns the new count.
    pub(super) fn add(&mut self, key: u128) -> u16 {
        let cells = self.cells_of(key);
        let lowest = cells.iter().map(|&at| self.cells[at]).min().unwrap_or(0);
        let count = lowest.saturating_add(1);
        for at in cells {
            self.cells[at] = self.cells[at].max(count);
        }
        count
    }

    /// A key is uniformly distributed: each row takes 32 of its bits.
    fn cells_of(&self, key: u128) -> [usize; ROWS] {
        std::array::from_fn(|row| {
            let own = (key >> (32 * row)) as u32 as usize;
            row * self.width + (own & (self.width - 1))
        })
    }
}
