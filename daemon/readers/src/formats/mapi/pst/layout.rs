//! The layout of pages, blocks and headers: files with 32-bit numbers (until Outlook 2002), with 64-bit numbers, and
//! with 64-bit numbers in pages of 4 KiB (cached mailboxes since Outlook 2013).
//!
//! The last is not in [MS-PST]; it differs in what [`Layout::Large`] does differently here.

/// Where the data of a node and its subnodes are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) data: u64,
    pub(super) subnodes: u64,
}

/// Types of pages: of the tree of blocks, and of the tree of nodes [§2.2.2.7.1].
pub(super) const BLOCKS: u8 = 0x80;
pub(super) const NODES: u8 = 0x81;

/// The three layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Narrow,
    Wide,
    Large,
}

/// A page of a tree.
pub(super) struct Page {
    bytes: Vec<u8>,
    count: usize,
    width: usize,
    pub(super) level: u8,
}

/// Where a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) at: u64,
    pub(super) length: usize,
    /// Its length once it is unpacked; the same if it is not packed.
    pub(super) inflated: usize,
}

impl Page {
    pub(super) fn entries(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.width).take(self.count)
    }
}

impl Layout {
    /// The layout for the version in the header [§2.2.2.6].
    pub(super) fn of(header: &[u8]) -> Option<Self> {
        match half(header, 10)? {
            14 | 15 => Some(Self::Narrow),
            36.. => Some(Self::Large),
            21.. => Some(Self::Wide),
            _ => None,
        }
    }

    /// Bytes of a number of a block or a place in the file.
    pub(super) fn word_bytes(self) -> usize {
        if self == Self::Narrow { 4 } else { 8 }
    }

    /// A number of a block, a key, or a place in the file.
    pub(super) fn word(self, bytes: &[u8], at: usize) -> Option<u64> {
        match self {
            Self::Narrow => Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?).into()),
            _ => Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?)),
        }
    }

    /// Positions of the roots of the trees of nodes and of blocks, and the number of the cipher.
    pub(super) fn roots(self, header: &[u8]) -> Option<(u64, u64, u8)> {
        let (nodes, blocks, method) = match self {
            Self::Narrow => (188, 196, 461),
            _ => (224, 240, 513),
        };
        let word = |at| self.word(header, at);
        Some((word(nodes)?, word(blocks)?, *header.get(method)?))
    }

    pub(super) fn page_bytes(self) -> usize {
        if self == Self::Large { 4096 } else { 512 }
    }

    /// Parses a page; `None` if it is not of that kind.
    pub(super) fn page(self, mut bytes: Vec<u8>, kind: u8) -> Option<Page> {
        let (end, trailer) = match self {
            Self::Narrow => (496, 500),
            Self::Wide => (488, 496),
            Self::Large => (4056, 4072),
        };
        if *bytes.get(trailer)? != kind {
            return None;
        }
        let (count, width, level) = if self == Self::Large {
            (half(&bytes, end)?.into(), bytes[end + 4], bytes[end + 5])
        } else {
            (bytes[end].into(), bytes[end + 2], bytes[end + 3])
        };
        bytes.truncate(end);
        let width = usize::from(width);
        let is_sound = width >= 2 * self.word_bytes() && count * width <= end;
        is_sound.then_some(Page {
            bytes,
            count,
            width,
            level,
        })
    }

    /// Number and position of the page below.
    pub(super) fn child(self, entry: &[u8]) -> Option<(u64, u64)> {
        let width = self.word_bytes();
        Some((self.word(entry, width)?, self.word(entry, 2 * width)?))
    }

    /// Number, location of data and subnodes, and parent of a node [§2.2.2.7.7.4].
    pub(super) fn node(self, entry: &[u8]) -> Option<(u32, Node, u32)> {
        let width = self.word_bytes();
        let node = Node {
            data: self.word(entry, width)?,
            subnodes: self.word(entry, 2 * width)?,
        };
        let parent = u32::from_le_bytes(*entry.get(3 * width..)?.first_chunk()?);
        Some((self.word(entry, 0)? as u32, node, parent))
    }

    /// Where the block of an entry is [§2.2.2.7.7.3].
    pub(super) fn block(self, entry: &[u8]) -> Option<Block> {
        let width = self.word_bytes();
        let length = usize::from(half(entry, 2 * width)?);
        let inflated = match self {
            Self::Large => match half(entry, 2 * width + 2)? {
                0 => length,
                inflated => inflated.into(),
            },
            _ => length,
        };
        let at = self.word(entry, width)?;
        Some(Block {
            at,
            length,
            inflated,
        })
    }

    /// Where the checksum of a block is, in what follows its data [§2.2.2.8.1].
    pub(super) fn footer(self, at: u64, length: usize) -> u64 {
        let (unit, footer, checksum) = match self {
            Self::Narrow => (64, 12, 8),
            Self::Wide => (64, 16, 4),
            Self::Large => (512, 24, 4),
        };
        let whole = (length as u64 + footer).next_multiple_of(unit);
        at.saturating_add(whole - footer + checksum)
    }

    /// Where a list of subnodes begins in its block.
    pub(super) fn subnodes_at(self) -> usize {
        if self == Self::Narrow { 4 } else { 8 }
    }

    /// Bits of the index of a heap's allocation in its block [§2.3.1.1].
    pub(super) fn heap_index_bits(self) -> u32 {
        if self == Self::Large { 14 } else { 11 }
    }
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
