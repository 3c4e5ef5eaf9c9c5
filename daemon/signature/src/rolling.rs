//! The kernel: the Rabin fingerprint of every window of a text, in one pass.
//!
//! Sliding a window of w bytes by one is R ← R·x⁸ + b_in + b_out·x^{8w} (mod P): one look-up in
//! the push table, one in the pop table of this width, whatever w is. Each step waits for the one
//! before it, so a single chain is bound by the latency of a look-up, not by the processor's
//! width. The kernel therefore cuts the text into blocks of [`LANES`] neighbouring stretches, runs
//! their chains side by side, and either gathers a block in text order or selects from it at once.
//!
//! The first lane of a block continues where the last lane of the block before it ended; the others compute their first
//! window eight bytes a step. The last block of a text has lanes just long enough for the rest of the text, unless
//! starting them costs more than one chain would.
//!
//! On processors with AVX-512 and the Galois field instructions, `wide` first processes most of a text, eight chains in
//! a register.

use crate::fingerprint::{Fingerprint, Table, byte_multiples, power_of_bytes, push};
use crate::rung::Rung;

mod block;
mod choice;
mod minima;
mod stretch;
#[cfg(target_arch = "x86_64")]
mod wide;

use block::{Block, Position, lanes_of};
pub(crate) use choice::Choice;
use choice::Task;
pub(crate) use stretch::Stretch;

/// Independent chains in flight: enough to cover the latency, few enough for the registers.
const LANES: usize = 4;

/// The most windows a lane takes in a block: a block of fingerprints stays in the fastest cache.
const LONGEST: usize = 512;

/// The most fingerprints [`RabinTables::for_each_run`] hands on at once.
pub(crate) const LONGEST_RUN: usize = LANES * LONGEST;

/// If at most one in this many is wanted, a branch is predicted right often enough to be cheaper than writing every
/// fingerprint.
const RARE: u64 = 48;

/// Windows of a lane that are done in one step; the lengths of lanes are multiples of it.
const STEP: usize = 8;
/// All runs but the last of a text hold a multiple of so many fingerprints.
pub(crate) const RUN_GRAIN: usize = LANES * STEP;

/// Windows of one width, in bytes, and the table that takes the outgoing byte back.
#[derive(Clone, Debug)]
pub struct RabinTables {
    width: usize,
    /// `pop[b]` = b(x)·x^{8w} mod P.
    pop: Box<Table>,
    #[cfg(target_arch = "x86_64")]
    wide: Option<wide::Wide>,
}

impl RabinTables {
    /// Tables for windows of `width` bytes: 2 KB whatever the width, made in less time than some 200
    /// windows take; a width of zero is taken as 1.
    pub fn new(width: usize) -> Self {
        let width = width.max(1);
        let pop = byte_multiples(power_of_bytes(width));
        Self {
            width,
            #[cfg(target_arch = "x86_64")]
            wide: wide::Wide::detected(&pop),
            pop: Box::new(pop),
        }
    }

    /// Tables for the portable kernel, whatever the processor has.
    #[cfg(test)]
    fn portable(width: usize) -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            wide: None,
            ..Self::new(width)
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
        let Some(at) = Position::first_of(bytes, self.width) else {
            return visit(&[]);
        };
        let mut at = self.widely(at, Task::Runs(&mut visit));
        let mut run = [Fingerprint(0); LONGEST_RUN];
        while let Some(block) = at.block(self.width) {
            let run = &mut run[..LANES * block.stride()];
            let mut lanes = lanes_of(run, block.stride());
            at = self.chains(&block, |lane, at, residue| {
                if let Some(place) = lanes[lane].get_mut(at) {
                    *place = Fingerprint::of_residue(residue);
                }
            });
            visit(run);
        }
        let mut last = Vec::with_capacity(at.windows(self.width));
        self.one_chain(at, |fingerprint| last.push(fingerprint));
        visit(&last);
    }

    /// Processes most of the windows from a position on with the instructions of `wide`, if the processor has them;
    /// returns the position after them.
    fn widely<'b>(&self, at: Position<'b>, task: Task<'_>) -> Position<'b> {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = &self.wide {
            return wide.run(self.width, at, task);
        }
        let _ = task;
        at
    }

    /// Appends the fingerprints divisible by 2^rung, in no particular order and with repeats.
    pub fn select(&self, bytes: &[u8], rung: Rung, selected: &mut Vec<Fingerprint>) {
        self.choose(bytes, Choice::Divisible(rung), selected);
    }

    /// Appends the fingerprints of a choice, in no particular order and with repeats.
    pub(crate) fn choose(&self, bytes: &[u8], choice: Choice, chosen: &mut Vec<Fingerprint>) {
        let Some(at) = Position::first_of(bytes, self.width) else {
            return;
        };
        let at = self.widely(at, Task::Choose(choice, chosen));
        match choice {
            Choice::Divisible(rung) => {
                let mask = Fingerprint::product_mask(rung);
                let has = |product| product & mask == 0;
                self.select_where(at, rung.modulus(), has, chosen);
            }
            Choice::Congruent(class) => {
                let has = |product| class.has(Fingerprint::of_product(product));
                self.select_where(at, class.modulus(), has, chosen);
            }
            Choice::Below(below) => {
                let is_below = |product| Fingerprint::of_product(product) < below;
                self.select_where(at, u64::MAX / below.0.max(1), is_below, chosen);
            }
        }
    }

    /// Appends the fingerprints whose products are wanted, which is about one in so many.
    #[inline(always)]
    fn select_where(
        &self,
        mut at: Position<'_>,
        one_in: u64,
        is_wanted: impl Fn(u64) -> bool,
        selected: &mut Vec<Fingerprint>,
    ) {
        // Kept in an array: a `Vec` that may grow costs the loop its registers.
        let mut products = [0; LONGEST_RUN];
        while let Some(block) = at.block(self.width) {
            let mut end = 0;
            at = if one_in >= RARE {
                self.chains(&block, |_, _, residue| {
                    let product = Fingerprint::product(residue);
                    if is_wanted(product) {
                        products[end % LONGEST_RUN] = product;
                        end += 1;
                    }
                })
            } else {
                // Every product is written, and written over where it is not wanted.
                self.chains(&block, |_, _, residue| {
                    let product = Fingerprint::product(residue);
                    products[end % LONGEST_RUN] = product;
                    end += usize::from(is_wanted(product));
                })
            };
            let found = products.iter().take(end);
            selected.extend(found.map(|&product| Fingerprint::of_product(product)));
        }
        self.one_chain(at, |fingerprint| {
            if is_wanted(Fingerprint::product(fingerprint.residue())) {
                selected.push(fingerprint);
            }
        });
    }

    /// The fingerprint of each window by the plain rolling loop, one chain: the baseline that
    /// [`for_each`](Self::for_each) is measured against.
    pub fn for_each_plainly(&self, bytes: &[u8], visit: impl FnMut(Fingerprint)) {
        if let Some(first) = Position::first_of(bytes, self.width) {
            self.one_chain(first, visit);
        }
    }

    fn one_chain(&self, at: Position<'_>, mut visit: impl FnMut(Fingerprint)) {
        let mut residue = at.residue;
        visit(Fingerprint::of_residue(residue));
        for (&entering, &leaving) in at.bytes[self.width..].iter().zip(at.bytes) {
            residue = self.slide(residue, entering, leaving);
            visit(Fingerprint::of_residue(residue));
        }
    }

    /// Runs the chains of one block side by side; `put` gets lane, position in it and residue. Returns the
    /// position after the block.
    #[inline(always)]
    fn chains<'b>(
        &self,
        block: &Block<'b>,
        mut put: impl FnMut(usize, usize, u64),
    ) -> Position<'b> {
        // A whole block is one step, for then nothing but the chains is in the loop.
        if block.stride() == LONGEST {
            self.chains_in::<LONGEST>(block, &mut put)
        } else {
            self.chains_in::<STEP>(block, &mut put)
        }
    }

    #[inline(always)]
    fn chains_in<'b, const STEP: usize>(
        &self,
        block: &Block<'b>,
        put: &mut impl FnMut(usize, usize, u64),
    ) -> Position<'b> {
        let mut residues = block.first;
        for (step, [entering, leaving]) in block.steps::<STEP>().enumerate() {
            for at in 0..STEP {
                for (lane, residue) in residues.iter_mut().enumerate() {
                    put(lane, step * STEP + at, *residue);
                    *residue = self.slide(*residue, entering[lane][at], leaving[lane][at]);
                }
            }
        }
        Position {
            residue: residues[LANES - 1],
            bytes: block.rest,
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

#[cfg(test)]
mod tests;
