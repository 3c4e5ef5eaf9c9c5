//! The smallest fingerprint of each chunk of a text, where windows come in runs or in stretches.

use crate::fingerprint::Fingerprint;
use crate::rolling::Stretch;

/// The smallest fingerprint of each chunk, of windows that are added in the order of the text.
pub(crate) struct ChunkMinima {
    /// The greatest there is at the beginning of a chunk.
    smallest: Fingerprint,
    /// Whether the last window did not end a chunk.
    is_open: bool,
}

impl Default for ChunkMinima {
    fn default() -> Self {
        Self {
            smallest: Fingerprint(u64::MAX),
            is_open: false,
        }
    }
}

impl ChunkMinima {
    /// Adds the next windows; `ends` tells the boundaries.
    #[inline]
    pub(crate) fn add(
        &mut self,
        run: &[Fingerprint],
        ends: impl Fn(Fingerprint) -> bool,
        mut keep: impl FnMut(Fingerprint),
    ) {
        let mut smallest = self.smallest;
        for &fingerprint in run {
            smallest = smallest.min(fingerprint);
            if ends(fingerprint) {
                keep(smallest);
                smallest = Fingerprint(u64::MAX);
            }
        }
        self.smallest = smallest;
        if let Some(&last) = run.last() {
            self.is_open = !ends(last);
        }
    }

    /// Adds the windows of the next stretch of a text.
    #[inline]
    pub(crate) fn join(&mut self, stretch: Stretch, mut keep: impl FnMut(Fingerprint)) {
        match stretch.first {
            Some(first) => {
                keep(self.smallest.min(first));
                self.smallest = stretch.open;
            }
            None => self.smallest = self.smallest.min(stretch.open),
        }
        self.is_open = stretch.is_open;
    }

    /// The smallest of the windows after the last boundary.
    pub(crate) fn finish(self) -> Option<Fingerprint> {
        self.is_open.then_some(self.smallest)
    }
}
