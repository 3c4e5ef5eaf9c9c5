//! The lower layer of a mailbox [MS-PST §2.2]: two trees of pages, by which nodes and blocks are
//! found, and the blocks.
//!
//! Pages and blocks are read in place, one at a time; a mailbox may be larger than memory. Nothing in it is trusted:
//! trees are followed to a bounded depth, and all blocks together may not exceed the budget.

use std::cell::Cell;
use std::io::{self, Read};

use flate2::read::ZlibDecoder;
use simdex_extract::{Outcome, Reason};

use super::super::checksum;
use super::cipher::Cipher;
use super::layout::{BLOCKS, Layout, NODES, Node, Page};
use crate::input::Input;
use crate::sink::Sink;

/// Pages from the root of a tree to a leaf.
const MAX_LEVELS: usize = 16;
/// Maximum number of blocks with one node's data, or with the list of its subnodes.
const MAX_BLOCKS: usize = 1 << 20;
/// Maximum number of subnodes of one node.
const MAX_SUBNODES: usize = 1 << 20;
/// A bit of a block's number that is ignored.
const RESERVED_BIT: u64 = 1;
/// The bit of blocks with structure, not data; they are never enciphered.
const INTERNAL_BIT: u64 = 2;
/// Types of internal blocks: data trees, lists of subnodes [§2.2.2.8.3].
const DATA_TREE: u8 = 1;
const SUBNODES: u8 = 2;

/// An open mailbox.
pub(super) struct Store<'a> {
    input: &'a Input,
    pub(super) layout: Layout,
    cipher: Cipher,
    nodes: u64,
    blocks: u64,
    /// Bytes that may still be read from blocks.
    left: Cell<u64>,
    /// Blocks whose checksum was wrong.
    pub(super) wrong_checksums: Cell<u64>,
}

impl<'a> Store<'a> {
    pub(super) fn open(input: &'a Input, sink: &Sink) -> Result<Self, Outcome> {
        let malformed = Outcome::Failed(Reason::Malformed);
        let header = input
            .prefix(1024)
            .map_err(|_| Outcome::Failed(Reason::ReadError))?;
        let layout = Layout::of(&header).ok_or(malformed.clone())?;
        let (nodes, blocks, method) = layout.roots(&header).ok_or(malformed)?;
        let cipher = Cipher::numbered(method).ok_or(Outcome::Encrypted(Reason::PasswordNeeded))?;
        Ok(Self {
            input,
            layout,
            cipher,
            nodes,
            blocks,
            left: Cell::new(sink.budgets().total_bytes.saturating_mul(2)),
            wrong_checksums: Cell::new(0),
        })
    }

    /// The node of that number.
    pub(super) fn node(&self, id: u32) -> Option<Node> {
        let entry = self.find(self.nodes, NODES, id.into())?;
        let (_, node, _) = self.layout.node(&entry)?;
        Some(node)
    }

    /// Passes number and parent of all nodes to `take`, in the order of their numbers, until it returns false. Returns
    /// false if some could not be read.
    pub(super) fn each_node(&self, mut take: impl FnMut(u32, u32) -> bool) -> bool {
        let mut left = vec![(self.nodes, MAX_LEVELS)];
        let mut pages = self.input.len() / self.layout.page_bytes() as u64 + 1;
        let mut is_whole = true;
        while let Some((at, levels)) = left.pop() {
            let page = self.page(at, NODES);
            pages = pages.saturating_sub(1);
            let Some(page) = page.filter(|_| levels > 0 && pages > 0) else {
                is_whole = false;
                continue;
            };
            if page.level > 0 {
                let below = page.entries().rev();
                left.extend(
                    below.filter_map(|entry| Some((self.layout.child(entry)?.1, levels - 1))),
                );
                continue;
            }
            for (id, _, parent) in page.entries().filter_map(|entry| self.layout.node(entry)) {
                if !take(id, parent) {
                    return is_whole;
                }
            }
        }
        is_whole
    }

    fn page(&self, at: u64, kind: u8) -> Option<Page> {
        let length = self.layout.page_bytes();
        let bytes = self.input.range(at, length as u64).ok()?;
        self.layout.page(bytes, kind)
    }

    /// The entry of a tree's leaf with this key.
    fn find(&self, root: u64, kind: u8, key: u64) -> Option<Vec<u8>> {
        let mut at = root;
        for _ in 0..MAX_LEVELS {
            let page = self.page(at, kind)?;
            let key_of = |entry: &[u8]| self.layout.word(entry, 0);
            // The last one that begins at or before the key.
            let entry = page
                .entries()
                .rev()
                .find(|entry| key_of(entry).is_some_and(|first| first <= key))?;
            if page.level == 0 {
                return (key_of(entry) == Some(key)).then(|| entry.to_vec());
            }
            at = self.layout.child(entry)?.1;
        }
        None
    }

    /// A block, deciphered.
    fn block(&self, id: u64) -> Option<Vec<u8>> {
        let id = id & !RESERVED_BIT;
        let entry = self.find(self.blocks, BLOCKS, id)?;
        let block = self.layout.block(&entry)?;
        self.left.set(
            self.left
                .get()
                .checked_sub(block.length.max(block.inflated) as u64)?,
        );
        let mut bytes = self.input.range(block.at, block.length as u64).ok()?;
        if bytes.len() < block.length {
            return None;
        }
        let footer = self.layout.footer(block.at, block.length);
        let stored = self.input.range(footer, 4).ok()?;
        if stored != checksum::of(&bytes).to_le_bytes() {
            self.wrong_checksums.set(self.wrong_checksums.get() + 1);
        }
        if block.inflated != block.length {
            bytes = inflate(&bytes, block.inflated)?;
        }
        if id & INTERNAL_BIT == 0 {
            self.cipher.decipher(&mut bytes, id as u32);
        }
        Some(bytes)
    }

    /// Numbers of the blocks with a node's data [§2.2.2.8.3.2]. `None` if some are lost.
    fn data_blocks(&self, id: u64) -> Option<Vec<u64>> {
        let mut blocks = Vec::new();
        self.collect_data(id, 2, &mut blocks)?;
        Some(blocks)
    }

    fn collect_data(&self, id: u64, levels: u8, blocks: &mut Vec<u64>) -> Option<()> {
        if id & INTERNAL_BIT == 0 {
            blocks.push(id);
            return (blocks.len() <= MAX_BLOCKS).then_some(());
        }
        let list = self.block(id)?;
        let (&kind, &level) = (list.first()?, list.get(1)?);
        if kind != DATA_TREE || level == 0 || level > levels {
            return None;
        }
        let count = usize::from(u16::from_le_bytes(*list.get(2..)?.first_chunk()?));
        let width = self.layout.word_bytes();
        for entry in list.get(8..)?.chunks_exact(width).take(count) {
            self.collect_data(self.layout.word(entry, 0)?, level - 1, blocks)?;
        }
        Some(())
    }

    /// The data of a node, block by block, up to `limit` bytes. `None` if some are lost.
    pub(super) fn data(&self, node: Node, limit: u64) -> Option<Vec<Vec<u8>>> {
        let (mut blocks, mut left) = (Vec::new(), limit);
        if node.data == 0 {
            return Some(blocks);
        }
        for id in self.data_blocks(node.data)? {
            let block = self.block(id)?;
            left = left.checked_sub(block.len() as u64)?;
            blocks.push(block);
        }
        Some(blocks)
    }

    /// A reader of a node's data.
    pub(super) fn reader(&self, node: Node) -> Data<'_> {
        let blocks = if node.data == 0 {
            Some(Vec::new())
        } else {
            self.data_blocks(node.data)
        };
        Data {
            store: self,
            is_lost: blocks.is_none(),
            blocks: blocks.unwrap_or_default().into_iter(),
            current: io::Cursor::default(),
        }
    }

    /// Numbers of a node's subnodes and where they are. `None` if some are lost.
    pub(super) fn subnodes(&self, node: Node) -> Option<Vec<(u32, Node)>> {
        let mut found = Vec::new();
        if node.subnodes != 0 {
            self.collect_subnodes(node.subnodes, 1, &mut found)?;
        }
        Some(found)
    }

    fn collect_subnodes(&self, id: u64, levels: u8, found: &mut Vec<(u32, Node)>) -> Option<()> {
        let list = self.block(id)?;
        let (&kind, &level) = (list.first()?, list.get(1)?);
        if kind != SUBNODES || level > levels {
            return None;
        }
        let count = usize::from(u16::from_le_bytes(*list.get(2..)?.first_chunk()?));
        let words = if level == 0 { 3 } else { 2 };
        let width = self.layout.word_bytes();
        let entries = list.get(self.layout.subnodes_at()..)?;
        for entry in entries.chunks_exact(words * width).take(count) {
            let below = self.layout.word(entry, width)?;
            if level > 0 {
                self.collect_subnodes(below, level - 1, found)?;
                continue;
            }
            let subnodes = self.layout.word(entry, 2 * width)?;
            let number = self.layout.word(entry, 0)? as u32;
            found.push((
                number,
                Node {
                    data: below,
                    subnodes,
                },
            ));
            if found.len() > MAX_SUBNODES {
                return None;
            }
        }
        Some(())
    }
}

fn inflate(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut inflated = Vec::new();
    let decoder = ZlibDecoder::new(bytes);
    decoder
        .take(length as u64)
        .read_to_end(&mut inflated)
        .ok()?;
    Some(inflated)
}

/// The data of a node, read block by block.
pub(super) struct Data<'a> {
    store: &'a Store<'a>,
    blocks: std::vec::IntoIter<u64>,
    current: io::Cursor<Vec<u8>>,
    is_lost: bool,
}

impl Read for Data<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_lost {
            return Err(io::ErrorKind::InvalidData.into());
        }
        while self.current.position() == self.current.get_ref().len() as u64 {
            let Some(id) = self.blocks.next() else {
                return Ok(0);
            };
            let block = self.store.block(id).ok_or(io::ErrorKind::InvalidData)?;
            self.current = io::Cursor::new(block);
        }
        self.current.read(buffer)
    }
}
