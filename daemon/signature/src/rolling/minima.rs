//! Finds the least fingerprint of each chunk of a text, while the windows are slid over it.
//!
//! A chunk ends at each window that a choice selects. Each lane of a block has a stretch of the text to itself and
//! finds the least fingerprint of each chunk that ends in it. The first of these chunks began in an earlier stretch, so
//! stretches are joined in the order of the text.

use super::stretch::{GREATEST, Stretch};
use super::{Choice, LANES, LONGEST, Position, RARE, RabinTables, Task};
use crate::fingerprint::Fingerprint;

impl RabinTables {
    /// Finds the least of each chunk of a text, where chunks end at the windows that `ends` selects. Passes the
    /// stretches of the text to `join`, left to right. Adds the least of each chunk that begins and ends within one
    /// stretch to `kept`, in no particular order.
    pub(crate) fn minima(
        &self,
        bytes: &[u8],
        ends: Choice,
        mut join: impl FnMut(Stretch, &mut Vec<Fingerprint>),
        kept: &mut Vec<Fingerprint>,
    ) {
        let Some(at) = Position::first_of(bytes, self.width) else {
            return;
        };
        let at = self.widely(at, Task::Minima(ends, &mut join, kept));
        match ends {
            Choice::Divisible(rung) => {
                let mask = Fingerprint::product_mask(rung);
                let ends = |product| product & mask == 0;
                self.minima_where(at, rung.modulus(), ends, join, kept);
            }
            Choice::Congruent(class) => {
                let ends = |product| class.has(Fingerprint::of_product(product));
                self.minima_where(at, class.modulus(), ends, join, kept);
            }
            Choice::Below(below) => {
                let ends = |product| Fingerprint::of_product(product) < below;
                self.minima_where(at, u64::MAX / below.0.max(1), ends, join, kept);
            }
        }
    }

    #[inline(always)]
    fn minima_where(
        &self,
        mut at: Position<'_>,
        one_in: u64,
        ends: impl Fn(u64) -> bool,
        mut join: impl FnMut(Stretch, &mut Vec<Fingerprint>),
        kept: &mut Vec<Fingerprint>,
    ) {
        // Arrays, because a `Vec` that may grow would cost the loop its registers.
        let mut found = [[GREATEST; LONGEST]; LANES];
        while let Some(block) = at.block(self.width) {
            let (mut count, mut least) = ([0; LANES], [GREATEST; LANES]);
            let mut is_open = [false; LANES];
            at = if one_in >= RARE {
                self.chains(&block, |lane, _, residue| {
                    let product = Fingerprint::product(residue);
                    least[lane] = least[lane].min(Fingerprint::of_product(product));
                    is_open[lane] = !ends(product);
                    if !is_open[lane] {
                        found[lane][count[lane] % LONGEST] = least[lane];
                        count[lane] += 1;
                        least[lane] = GREATEST;
                    }
                })
            } else {
                // Every least is written, and written over where its chunk does not end.
                self.chains(&block, |lane, _, residue| {
                    let product = Fingerprint::product(residue);
                    let is_end = ends(product);
                    let smallest = least[lane].min(Fingerprint::of_product(product));
                    found[lane][count[lane] % LONGEST] = smallest;
                    count[lane] += usize::from(is_end);
                    least[lane] = if is_end { GREATEST } else { smallest };
                    is_open[lane] = !is_end;
                })
            };
            for (lane, found) in found.iter().enumerate() {
                let mut found = found.iter().copied().take(count[lane]);
                let stretch = Stretch {
                    first: found.next(),
                    open: least[lane],
                    is_open: is_open[lane],
                };
                kept.extend(found);
                join(stretch, kept);
            }
        }
        self.one_chain(at, |fingerprint| {
            let is_end = ends(Fingerprint::product(fingerprint.residue()));
            let stretch = Stretch {
                first: is_end.then_some(fingerprint),
                open: if is_end { GREATEST } else { fingerprint },
                is_open: !is_end,
            };
            join(stretch, kept);
        });
    }
}
