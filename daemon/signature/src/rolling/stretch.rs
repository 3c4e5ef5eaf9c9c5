//! The chunks of a text as one lane of a block sees them.

use crate::fingerprint::Fingerprint;

/// What a lane has seen of the chunks in its stretch of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The least of the windows up to and including the first that ends a chunk; `None` if no chunk ends here.
    pub(crate) first: Option<Fingerprint>,
    /// The least of the windows after the last end of a chunk; the greatest possible fingerprint if there are none.
    pub(crate) open: Fingerprint,
    /// Whether the last window did not end a chunk.
    pub(crate) is_open: bool,
}

impl Default for Stretch {
    fn default() -> Self {
        Self {
            first: None,
            open: GREATEST,
            is_open: false,
        }
    }
}

/// The greatest possible fingerprint.
pub(super) const GREATEST: Fingerprint = Fingerprint(u64::MAX);
