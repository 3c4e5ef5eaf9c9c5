//! The kernel: the Rabin fingerprint of every window of a text, in one pass.
//!
//! Sliding a window of w bytes by one is R ← R·x⁸ + b_in + b_out·x^{8w} (mod P): one look-up in
//! the push table, one in the pop table of this width, whatever w is. Each step waits for the one
//! before it, so a single chain is bound by the latency of a look-up, not by the processor's
//! width. The kernel therefore cuts the text into blocks of [`LANES`] neighbouring stretches, runs
//! their chains side by side, and either gathers a block in text order or selects from it at once.

use crate::fingerprint::{Fingerprint, Table, byte_multiples, push, residue, times_x};
use crate::rung::Rung;

/// Independent chains in flight: enough to cover the latency, few enough for the registers.
const LANES: usize = 4;

/// Windows a lane takes in a block: long ones first, since each lane begins with w bytes of
/// run-up; short ones for what is left of a text.
const LONG: usize = 512;
const SHORT: usize = 64;

/// The most fingerprints [`RabinWindow::for_each_run`] hands on at once.
pub(crate) const LONGEST_RUN: usize = LANES * LONG;
/// The length of every other run but the last of a text.
pub(crate) const SHORT_RUN: usize = LANES * SHORT;

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
        self.for_each_run(bytes, |run| run.iter().copied().for_each(&mut visit));
    }

    /// The fingerprints of all windows, left to right, in runs of some 2,000 at most.
    pub fn for_each_run(&self, bytes: &[u8], mut visit: impl FnMut(&[Fingerprint])) {
        let rest = self.runs::<LONG>(bytes, &mut visit);
        let rest = self.runs::<SHORT>(rest, &mut visit);
        let mut last = Vec::with_capacity(self.windows_in(rest.len()));
        self.for_each_plainly(rest, |fingerprint| last.push(fingerprint));
        visit(&last);
    }

    /// Appends the fingerprints divisible by 2^rung, in no particular order and with repeats.
    pub fn select(&self, bytes: &[u8], rung: Rung, selected: &mut Vec<Fingerprint>) {
        let rest = self.select_blocks::<LONG>(bytes, rung, selected);
        let rest = self.select_blocks::<SHORT>(rest, rung, selected);
        self.for_each_plainly(rest, |fingerprint| {
            if fingerprint.divisible_by(rung) {
                selected.push(fingerprint);
            }
        });
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

    /// Gathers the windows of each whole block into a run; returns the bytes that remain.
    fn runs<'b, const STRIDE: usize>(
        &self,
        mut bytes: &'b [u8],
        visit: &mut impl FnMut(&[Fingerprint]),
    ) -> &'b [u8] {
        let mut run = [[Fingerprint(0); STRIDE]; LANES];
        while let Some(block) = Block::<STRIDE>::first_of(bytes, self.width) {
            self.chains(&block, |lane, at, residue| {
                run[lane][at] = Fingerprint::of_residue(residue);
            });
            visit(run.as_flattened());
            bytes = block.rest;
        }
        bytes
    }

    /// Selects from the windows of each whole block; returns the bytes that remain.
    fn select_blocks<'b, const STRIDE: usize>(
        &self,
        mut bytes: &'b [u8],
        rung: Rung,
        selected: &mut Vec<Fingerprint>,
    ) -> &'b [u8] {
        let mask = Fingerprint::product_mask(rung);
        let mut products = [[0; STRIDE]; LANES];
        let products = products.as_flattened_mut();
        while let Some(block) = Block::<STRIDE>::first_of(bytes, self.width) {
            // Kept in an array: a `Vec` that may grow costs the loop its registers.
            let mut end = 0;
            self.chains(&block, |_, _, residue| {
                let product = Fingerprint::product(residue);
                if product & mask == 0
                    && let Some(free) = products.get_mut(end)
                {
                    *free = product;
                    end += 1;
                }
            });
            selected.extend(
                products[..end]
                    .iter()
                    .map(|&product| Fingerprint::of_product(product)),
            );
            bytes = block.rest;
        }
        bytes
    }

    /// Runs the chains of one block side by side; `put` gets lane, position in it and residue.
    #[inline(always)]
    fn chains<const STRIDE: usize>(
        &self,
        block: &Block<'_, STRIDE>,
        mut put: impl FnMut(usize, usize, u64),
    ) {
        let mut residues = self.first_of_each(block);
        for at in 0..STRIDE {
            for (lane, residue) in residues.iter_mut().enumerate() {
                put(lane, at, *residue);
                let (entering, leaving) = (block.entering[lane][at], block.leaving[lane][at]);
                *residue = self.slide(*residue, entering, leaving);
            }
        }
    }

    /// The residue of the first window of each lane.
    fn first_of_each<const STRIDE: usize>(&self, block: &Block<'_, STRIDE>) -> [u64; LANES] {
        let lanes: [&[u8]; LANES] =
            std::array::from_fn(|lane| &block.bytes[lane * STRIDE..][..self.width]);
        let mut residues = [0; LANES];
        for at in 0..self.width {
            for (residue, lane) in residues.iter_mut().zip(lanes) {
                *residue = push(*residue, lane[at].into());
            }
        }
        residues
    }

    #[inline(always)]
    fn slide(&self, residue: u64, entering: u8, leaving: u8) -> u64 {
        push(
            residue,
            u64::from(entering) ^ self.pop[usize::from(leaving)],
        )
    }
}

/// `LANES * STRIDE` windows at the front of a text.
struct Block<'b, const STRIDE: usize> {
    /// The text from the first window on.
    bytes: &'b [u8],
    /// For each lane and window, the byte that leaves after it and the one that then enters.
    leaving: &'b [[u8; STRIDE]; LANES],
    entering: &'b [[u8; STRIDE]; LANES],
    /// The text from the first window after the block on.
    rest: &'b [u8],
}

impl<'b, const STRIDE: usize> Block<'b, STRIDE> {
    /// The first block of `bytes`, if they hold a whole one and the byte after it.
    fn first_of(bytes: &'b [u8], width: usize) -> Option<Self> {
        Some(Self {
            bytes,
            leaving: bytes.as_chunks().0.first_chunk()?,
            entering: bytes.get(width..)?.as_chunks().0.first_chunk()?,
            rest: bytes.get(LANES * STRIDE..)?,
        })
    }
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
        let plain = collected(|visit| tables.for_each_plainly(bytes, visit));
        assert_eq!(
            plain,
            expected,
            "plainly, {} bytes, w = {width}",
            bytes.len()
        );
        let fast = collected(|visit| tables.for_each(bytes, visit));
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
