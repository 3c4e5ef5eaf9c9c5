//! The kernel: the Rabin fingerprint of every window of a text, in one pass.
//!
//! Sliding a window of w bytes by one is R ← R·x⁸ + b_in + b_out·x^{8w} (mod P): one look-up in
//! the push table, one in the pop table of this width, whatever w is. Each step waits for the one
//! before it, so a single chain is bound by the latency of a look-up, not by the processor's
//! width. The kernel therefore cuts the text into blocks of [`LANES`] neighbouring stretches, runs
//! their chains side by side into a buffer, and hands the buffer on in text order.

use crate::fingerprint::{Fingerprint, Table, byte_multiples, push, residue, times_x};

/// Independent chains in flight: enough to cover the latency, few enough for the registers.
const LANES: usize = 4;

/// Windows a lane takes in a block: long ones first, since each lane begins with w bytes of
/// run-up; short ones for what is left of a text.
const LONG: usize = 512;
const SHORT: usize = 64;

/// Windows of one width, in bytes, and the table that takes the outgoing byte back.
#[derive(Clone, Debug)]
pub struct RabinWindow {
    width: usize,
    /// `pop[b]` = b(x)·x^{8w} mod P.
    pop: Box<Table>,
}

impl RabinWindow {
    /// Tables for windows of `width` bytes: 2 KB whatever the width; a width of zero is taken as 1.
    pub fn new(width: usize) -> Self {
        let width = width.max(1);
        let power = (0..8 * width).fold(1, |power, _| times_x(power));
        Self {
            width,
            pop: Box::new(byte_multiples(power)),
        }
    }

    /// The width in bytes.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many windows `length` bytes hold.
    pub fn windows_in(&self, length: usize) -> usize {
        (length + 1).saturating_sub(self.width)
    }

    /// The fingerprint of each window, left to right.
    pub fn for_each(&self, bytes: &[u8], mut visit: impl FnMut(Fingerprint)) {
        let rest = self.blocks::<LONG>(bytes, &mut visit);
        let rest = self.blocks::<SHORT>(rest, &mut visit);
        self.for_each_plainly(rest, visit);
    }

    /// The same by the plain rolling loop, one chain: for the ends of texts, and the baseline
    /// [`for_each`](Self::for_each) is measured against.
    pub fn for_each_plainly(&self, bytes: &[u8], mut visit: impl FnMut(Fingerprint)) {
        let Some((first, incoming)) = bytes.split_at_checked(self.width) else {
            return;
        };
        let mut residue = residue(first);
        visit(Fingerprint::of_residue(residue));
        for (&entering, &leaving) in incoming.iter().zip(bytes) {
            residue = self.slide(residue, entering, leaving);
            visit(Fingerprint::of_residue(residue));
        }
    }

    /// Visits the windows of the whole blocks of `LANES * STRIDE` windows that `bytes` begins
    /// with; returns the bytes whose windows remain.
    #[inline]
    fn blocks<'b, const STRIDE: usize>(
        &self,
        mut bytes: &'b [u8],
        visit: &mut impl FnMut(Fingerprint),
    ) -> &'b [u8] {
        let mut residues = [[0; STRIDE]; LANES];
        while let Some(entering) = lanes::<STRIDE>(bytes.get(self.width..).unwrap_or_default())
            && let Some(leaving) = lanes::<STRIDE>(bytes)
        {
            let first = std::array::from_fn(|lane| residue(&bytes[lane * STRIDE..][..self.width]));
            self.fill(first, entering, leaving, &mut residues);
            for &residue in residues.as_flattened() {
                visit(Fingerprint::of_residue(residue));
            }
            bytes = &bytes[LANES * STRIDE..];
        }
        bytes
    }

    /// The residues of the windows of one block, from the first of each lane.
    #[inline(never)]
    fn fill<const STRIDE: usize>(
        &self,
        first: [u64; LANES],
        entering: &[[u8; STRIDE]; LANES],
        leaving: &[[u8; STRIDE]; LANES],
        residues: &mut [[u64; STRIDE]; LANES],
    ) {
        let mut current = first;
        for at in 0..STRIDE {
            for lane in 0..LANES {
                residues[lane][at] = current[lane];
                current[lane] = self.slide(current[lane], entering[lane][at], leaving[lane][at]);
            }
        }
    }

    #[inline(always)]
    fn slide(&self, residue: u64, entering: u8, leaving: u8) -> u64 {
        push(
            residue,
            u64::from(entering) ^ self.pop[usize::from(leaving)],
        )
    }
}

/// The stretches of one block, if `bytes` holds a whole one.
fn lanes<const STRIDE: usize>(bytes: &[u8]) -> Option<&[[u8; STRIDE]; LANES]> {
    bytes.as_chunks().0.first_chunk()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;
    use proptest::prelude::*;

    fn collected(visit: impl FnOnce(&mut dyn FnMut(Fingerprint))) -> Vec<Fingerprint> {
        let mut all = Vec::new();
        visit(&mut |fingerprint| all.push(fingerprint));
        all
    }

    /// Both loops against long division.
    fn agrees(bytes: &[u8], width: usize) {
        let tables = RabinWindow::new(width);
        let expected = reference::window_fingerprints(bytes, width);
        assert_eq!(expected.len(), tables.windows_in(bytes.len()));
        let plain = collected(|mut visit| tables.for_each_plainly(bytes, &mut visit));
        assert_eq!(
            plain,
            expected,
            "plainly, {} bytes, w = {width}",
            bytes.len()
        );
        let fast = collected(|mut visit| tables.for_each(bytes, &mut visit));
        assert_eq!(
            fast,
            expected,
            "in lanes, {} bytes, w = {width}",
            bytes.len()
        );
    }

    #[test]
    fn every_window_is_visited_once_at_every_edge_of_width_and_block() {
        let bytes: Vec<u8> = (0..6000u32).map(|i| (i * i * 31 + 7) as u8).collect();
        for width in [1, 2, 8, 9, 20, 160] {
            for blocks in [
                0,
                LANES * SHORT,
                LANES * LONG,
                2 * LANES * LONG + LANES * SHORT,
            ] {
                for length in [0, width - 1, width, width + 1, width + SHORT - 1] {
                    agrees(&bytes[..blocks + length], width);
                }
            }
        }
    }

    #[test]
    fn the_work_of_a_byte_does_not_grow_with_the_width() {
        // One step is two look-ups in tables of one size; only their content knows the width.
        for width in [1, 20, 1000] {
            let tables = RabinWindow::new(width);
            assert_eq!(size_of_val(&*tables.pop), 2048);
            assert_eq!(size_of_val(&crate::fingerprint::PUSH), 2048);
        }
    }

    #[test]
    fn width_zero_is_taken_as_one() {
        assert_eq!(RabinWindow::new(0).width(), 1);
    }

    proptest! {
        #[test]
        fn both_loops_agree_with_long_division(
            bytes in prop::collection::vec(any::<u8>(), 0..1000),
            width in 1usize..60,
        ) {
            agrees(&bytes, width);
        }
    }
}
