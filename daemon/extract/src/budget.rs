//! Bounds of the structure of one file: each bound ends in a partial result with its reason.

use serde::{Deserialize, Serialize};

/// Bounds on containers and structures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budgets {
    /// Members or entries of one container; what follows is not read.
    pub entries: u32,
    /// Bytes one entry or member may unpack to.
    pub entry_bytes: u64,
    /// Bytes all entries or members of one container may unpack to.
    pub total_bytes: u64,
    /// Unpacked over packed bytes of one entry, once it is past [`Budgets::FREE_BYTES`].
    pub ratio: u32,
    /// Elements of HTML and XML, and groups of RTF, within one another.
    pub markup_depth: u32,
    /// Parts of one message, nested messages included.
    pub mime_parts: u32,
    /// Parts of a message within one another.
    pub mime_depth: u32,
    /// Cells of all sheets of one file.
    pub cells: u64,
}

impl Budgets {
    /// Unpacked bytes below which no ratio is suspicious.
    pub const FREE_BYTES: u64 = 1 << 20;

    /// Bytes an entry of `packed` bytes may unpack to.
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
