//! The work of an alignment: counted, and ended where its caller does not want it any more.

/// Items looked at before the caller is asked whether to go on. One sort, and one look along both sides of a gap, are
/// not divided; both are short for what fits into memory.
pub(super) const STEPS_A_LOOK: u64 = 1 << 14;

/// Counts items looked at.
pub(super) struct Work<'c, E> {
    /// Number of steps taken so far.
    pub(super) steps: u64,
    next_look: u64,
    go_on: &'c mut dyn FnMut() -> Result<(), E>,
}

impl<'c, E> Work<'c, E> {
    /// Work that goes on as long as a caller lets it.
    pub(super) fn asking(go_on: &'c mut dyn FnMut() -> Result<(), E>) -> Self {
        Self {
            steps: 0,
            next_look: STEPS_A_LOOK,
            go_on,
        }
    }

    /// Adds items that were looked at, or are about to be.
    pub(super) fn done(&mut self, items: usize) -> Result<(), E> {
        self.steps += items as u64;
        if self.steps < self.next_look {
            return Ok(());
        }
        self.next_look = self.steps + STEPS_A_LOOK;
        (self.go_on)()
    }
}
