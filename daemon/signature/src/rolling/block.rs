//! Where in a text the kernel is, and the windows it does next.

use crate::fingerprint::{Fingerprint, residue};
use crate::rolling::{LANES, LONGEST, RUN_GRAIN, STEP};

/// A run in its lanes.
pub(super) fn lanes_of(run: &mut [Fingerprint], stride: usize) -> [&mut [Fingerprint]; LANES] {
    let mut lanes = run.chunks_exact_mut(stride.max(1));
    std::array::from_fn(|_| lanes.next().unwrap_or_default())
}

/// A window of a text.
pub(super) struct Position<'b> {
    /// The text from this window on.
    pub(super) bytes: &'b [u8],
    /// The residue of this window.
    pub(super) residue: u64,
}

impl<'b> Position<'b> {
    /// The first window, if there is one.
    pub(super) fn first_of(bytes: &'b [u8], width: usize) -> Option<Self> {
        let residue = residue(bytes.get(..width)?);
        Some(Self { bytes, residue })
    }

    /// How many windows are left, with this one.
    pub(super) fn windows(&self, width: usize) -> usize {
        self.bytes.len() + 1 - width
    }

    /// The next block; `None` where one chain is cheaper.
    pub(super) fn block(&self, width: usize) -> Option<Block<'b>> {
        // The window after the block is there too.
        let stride = ((self.windows(width) - 1) / RUN_GRAIN * STEP).min(LONGEST);
        // To begin a lane costs about as much as w windows of four lanes.
        if stride < SHORTEST || 2 * stride < width {
            return None;
        }
        let (all, bytes) = (self.bytes, stride * LANES);
        let starts: [usize; LANES] = std::array::from_fn(|lane| lane * stride);
        Some(Block {
            first: starts.map(|start| match start {
                0 => self.residue,
                _ => residue(&all[start..start + width]),
            }),
            leaving: starts.map(|start| &all[start..start + stride]),
            entering: starts.map(|start| &all[start + width..][..stride]),
            rest: &all[bytes..],
        })
    }
}

/// Fewer windows than so many a lane are left to one chain.
pub(super) const SHORTEST: usize = 16;

/// Windows in a row, `LANES` times as many as a lane has.
pub(super) struct Block<'b> {
    /// The residue of the first window of each lane.
    pub(super) first: [u64; LANES],
    /// For each lane and window, the byte that leaves after it and the one that then enters.
    pub(super) leaving: [&'b [u8]; LANES],
    pub(super) entering: [&'b [u8]; LANES],
    /// The text from the first window after the block on.
    pub(super) rest: &'b [u8],
}

impl<'b> Block<'b> {
    /// The bytes that enter and that leave, step after step: arrays, whose bounds need no checks.
    #[inline(always)]
    pub(super) fn steps<const STEP: usize>(
        &self,
    ) -> impl Iterator<Item = [[&'b [u8; STEP]; LANES]; 2]> + use<'b, STEP> {
        let in_steps = |lanes: [&'b [u8]; LANES]| {
            let [a, b, c, d] = lanes.map(|lane| lane.as_chunks().0.iter());
            let lanes = a.zip(b).zip(c.zip(d));
            lanes.map(|((a, b), (c, d))| [a, b, c, d])
        };
        in_steps(self.entering)
            .zip(in_steps(self.leaving))
            .map(|(entering, leaving)| [entering, leaving])
    }

    /// Windows of a lane.
    #[inline(always)]
    pub(super) fn stride(&self) -> usize {
        self.leaving[0].len()
    }
}
