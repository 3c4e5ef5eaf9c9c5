//! Writes small mailboxes: blocks one after the other, then one leaf page for each tree.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::super::super::checksum;
use super::super::cipher::Cipher;
use super::super::layout::{BLOCKS, Layout, NODES};

/// A value of a property.
pub(super) enum Value<'a> {
    Wide(&'a str),
    Long(u32),
    /// Binary, in a subnode.
    Large(&'a [u8]),
    /// The number of a subnode.
    Object(u32),
}

/// Longest block that is not a tree of blocks.
const BLOCK_BYTES: usize = 8000;
/// Longest value in a heap.
const HEAP_BYTES: usize = 3500;

pub(super) struct Build {
    layout: Layout,
    cipher: Cipher,
    file: Vec<u8>,
    blocks: Vec<Vec<u8>>,
    nodes: Vec<(u32, Vec<u8>)>,
    next: u64,
}

impl Build {
    pub(super) fn new(layout: Layout, cipher: Cipher) -> Self {
        Self {
            layout,
            cipher,
            file: vec![0; 4096],
            blocks: Vec::new(),
            nodes: Vec::new(),
            next: 4,
        }
    }

    fn word(&self, value: u64) -> Vec<u8> {
        value.to_le_bytes()[..self.layout.word_bytes()].to_vec()
    }

    fn words(&self, values: &[u64]) -> Vec<u8> {
        values.iter().flat_map(|value| self.word(*value)).collect()
    }

    fn block(&mut self, bytes: &[u8], is_internal: bool) -> u64 {
        let id = self.next | if is_internal { 2 } else { 0 };
        self.next += 4;
        let mut stored = bytes.to_vec();
        if !is_internal {
            self.cipher.encipher(&mut stored, id as u32);
        }
        if self.layout == Layout::Large {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&stored).unwrap();
            let packed = encoder.finish().unwrap();
            // Blocks that do not shrink are stored uncompressed.
            if packed.len() < stored.len() {
                stored = packed;
            }
        }
        self.file.resize(self.file.len().next_multiple_of(512), 0);
        let at = self.file.len() as u64;
        let footer = self.layout.footer(at, stored.len()) as usize;
        let mut entry = self.words(&[id, at]);
        entry.extend((stored.len() as u16).to_le_bytes());
        entry.extend((bytes.len() as u16).to_le_bytes());
        entry.resize(3 * self.layout.word_bytes(), 0);
        self.blocks.push(entry);
        let sum = checksum::of(&stored);
        self.file.extend(stored);
        self.file.resize(footer, 0);
        self.file.extend(sum.to_le_bytes());
        id
    }

    /// Data in one block, or in a tree of them.
    fn data(&mut self, bytes: &[u8]) -> u64 {
        if bytes.len() <= BLOCK_BYTES {
            return self.block(bytes, false);
        }
        let ids: Vec<u64> = bytes
            .chunks(BLOCK_BYTES)
            .map(|piece| self.block(piece, false))
            .collect();
        let lists = ids
            .chunks(20)
            .map(|ids| self.words(ids))
            .collect::<Vec<_>>();
        let lists: Vec<u64> = lists.iter().map(|list| self.tree(1, list)).collect();
        match lists[..] {
            [list] => list,
            _ => {
                let list = self.words(&lists);
                self.tree(2, &list)
            }
        }
    }

    fn tree(&mut self, level: u8, list: &[u8]) -> u64 {
        let count = (list.len() / self.layout.word_bytes()) as u16;
        let mut bytes = vec![1, level];
        bytes.extend(count.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(list);
        self.block(&bytes, true)
    }

    fn heap(&mut self, sign: u8, allocations: &[Vec<u8>]) -> u64 {
        let mut bytes = vec![0, 0, 0xec, sign, 0x20, 0, 0, 0, 0, 0, 0, 0];
        let mut starts = Vec::new();
        for allocation in allocations {
            starts.extend((bytes.len() as u16).to_le_bytes());
            bytes.extend(allocation);
        }
        let end = (bytes.len() as u16).to_le_bytes();
        bytes[..2].copy_from_slice(&end);
        bytes.extend((allocations.len() as u16).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(starts);
        bytes.extend(end);
        self.data(&bytes)
    }

    pub(super) fn bag(&mut self, properties: &[(u16, Value<'_>)]) -> (u64, u64) {
        self.bag_with(properties, &[])
    }

    /// A bag of properties with subnodes: number, data, subnodes.
    pub(super) fn bag_with(
        &mut self,
        properties: &[(u16, Value<'_>)],
        subnodes: &[(u32, u64, u64)],
    ) -> (u64, u64) {
        let mut subnodes = subnodes.to_vec();
        let mut allocations = vec![vec![0xb5, 2, 6, 0, 0x40, 0, 0, 0], Vec::new()];
        let mut records = Vec::new();
        for (id, value) in properties {
            let (kind, bytes) = match value {
                Value::Long(number) => {
                    records.push((*id, 0x0003_u16, *number));
                    continue;
                }
                Value::Wide(text) => (
                    0x001f,
                    text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                ),
                Value::Large(bytes) => (0x0102, bytes.to_vec()),
                Value::Object(number) => (0x000d, [number.to_le_bytes(), [0; 4]].concat()),
            };
            let is_apart = bytes.len() > HEAP_BYTES || matches!(value, Value::Large(_));
            let place = if is_apart {
                let number = (subnodes.len() as u32 + 1) << 5 | 0x1f;
                let data = self.data(&bytes);
                subnodes.push((number, data, 0));
                number
            } else {
                allocations.push(bytes);
                (allocations.len() as u32) << 5
            };
            records.push((*id, kind, place));
        }
        records.sort_unstable();
        for (id, kind, place) in records {
            allocations[1].extend([id.to_le_bytes(), kind.to_le_bytes()].concat());
            allocations[1].extend(place.to_le_bytes());
        }
        (self.heap(0xbc, &allocations), self.subnodes(&subnodes))
    }

    fn subnodes(&mut self, subnodes: &[(u32, u64, u64)]) -> u64 {
        if subnodes.is_empty() {
            return 0;
        }
        let mut bytes = vec![2, 0];
        bytes.extend((subnodes.len() as u16).to_le_bytes());
        bytes.resize(self.layout.subnodes_at(), 0);
        for (number, data, below) in subnodes {
            bytes.extend(self.words(&[(*number).into(), *data, *below]));
        }
        self.block(&bytes, true)
    }

    /// A table of recipients: kind, name, address.
    pub(super) fn table(&mut self, rows: &[(u32, &str, &str)]) -> u64 {
        let columns: [(u16, u16, u16); 3] = [
            (0x0c15, 0x0003, 4),
            (0x3001, 0x001f, 8),
            (0x39fe, 0x001f, 12),
        ];
        let mut info = vec![0x7c, 3];
        for end in [16_u16, 16, 16, 17] {
            info.extend(end.to_le_bytes());
        }
        info.extend([0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0]);
        for (bit, (id, kind, at)) in columns.iter().enumerate() {
            info.extend([kind.to_le_bytes(), id.to_le_bytes(), at.to_le_bytes()].concat());
            info.extend([4, bit as u8]);
        }
        let mut allocations = vec![info, Vec::new()];
        for (kind, name, address) in rows {
            let mut row = [[0; 4], kind.to_le_bytes()].concat();
            for text in [name, address] {
                allocations.push(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
                row.extend(((allocations.len() as u32) << 5).to_le_bytes());
            }
            row.push(0b1110_0000);
            allocations[1].extend(row);
        }
        self.heap(0x7c, &allocations)
    }

    pub(super) fn node(&mut self, id: u32, data: u64, subnodes: u64, parent: u32) {
        let mut entry = self.words(&[id.into(), data, subnodes]);
        entry.extend(parent.to_le_bytes());
        entry.resize(4 * self.layout.word_bytes(), 0);
        self.nodes.push((id, entry));
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.nodes.sort();
        let nodes: Vec<_> = self.nodes.drain(..).map(|(_, entry)| entry).collect();
        let nodes = self.tree_of(NODES, &nodes);
        // Numbers of blocks rise as they are written, apart from the bit of internal ones.
        let blocks = std::mem::take(&mut self.blocks);
        let blocks = self.tree_of(BLOCKS, &blocks);
        let (version, at, method) = match self.layout {
            Layout::Narrow => (14, [188, 196], 461),
            Layout::Wide => (23, [224, 240], 513),
            Layout::Large => (36, [224, 240], 513),
        };
        self.file[..4].copy_from_slice(b"!BDN");
        self.file[10] = version;
        self.file[method] = match self.cipher {
            Cipher::None => 0,
            Cipher::Permute => 1,
            Cipher::Cyclic => 2,
        };
        for (at, root) in at.into_iter().zip([nodes, blocks]) {
            let root = self.word(root);
            self.file[at..at + root.len()].copy_from_slice(&root);
        }
        self.file
    }

    /// A tree of leaves and a root above them; returns the position of the root.
    fn tree_of(&mut self, kind: u8, entries: &[Vec<u8>]) -> u64 {
        let mut above = Vec::new();
        for entries in entries.chunks(10) {
            let at = self.page(kind, 0, entries);
            let key = &entries[0][..self.layout.word_bytes()];
            above.push([key, &self.words(&[0, at])].concat());
        }
        self.page(kind, 1, &above)
    }

    fn page(&mut self, kind: u8, level: u8, entries: &[Vec<u8>]) -> u64 {
        let (end, trailer) = match self.layout {
            Layout::Narrow => (496, 500),
            Layout::Wide => (488, 496),
            Layout::Large => (4056, 4072),
        };
        self.file.resize(self.file.len().next_multiple_of(512), 0);
        let at = self.file.len();
        let mut page = entries.concat();
        page.resize(self.layout.page_bytes(), 0);
        let (count, width) = (entries.len() as u8, entries[0].len() as u8);
        let fields: &[u8] = if self.layout == Layout::Large {
            &[count, 0, count, 0, width, level]
        } else {
            &[count, count, width, level]
        };
        page[end..end + fields.len()].copy_from_slice(fields);
        page[trailer] = kind;
        self.file.extend(page);
        at as u64
    }
}
