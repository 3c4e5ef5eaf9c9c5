//! Bounds of the structure of one file. Each bound that is reached ends the read with a partial result and its reason.

use serde::{Deserialize, Serialize};

/// Bounds on containers and structures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budgets {
    /// Maximum number of members or entries in one container; what follows is not read.
    pub entries: u32,
    /// Maximum number of bytes to which one entry or member may unpack.
    pub entry_bytes: u64,
    /// Maximum number of bytes to which all entries or members of one container may unpack.
    pub total_bytes: u64,
    /// Maximum ratio of unpacked to packed bytes of one entry, once it exceeds [`Budgets::FREE_BYTES`].
    pub ratio: u32,
    /// Nesting depth of XML elements, also in office documents, and of RTF groups.
    pub markup_depth: u32,
    /// Parts of one message, nested messages included.
    pub mime_parts: u32,
    /// Nesting depth of the parts of a message.
    pub mime_depth: u32,
    /// Cells of all sheets of one file.
    pub cells: u64,
}

impl Budgets {
    /// Below this many unpacked bytes no ratio is suspicious.
    pub const FREE_BYTES: u64 = 1 << 20;

    /// Maximum number of bytes to which an entry of `packed` bytes may unpack.
    #[must_use]
    pub fn unpacked(&self, packed: u64) -> u64 {
        let by_ratio = packed.saturating_mul(u64::from(self.ratio));
        self.entry_bytes.min(by_ratio.max(Self::FREE_BYTES))
    }
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            entries: 10_000,
            entry_bytes: 256 << 20,
            total_bytes: 1 << 30,
            ratio: 200,
            markup_depth: 1000,
            mime_parts: 1000,
            mime_depth: 20,
            cells: 2_000_000,
        }
    }
}
