//! The upper layer of a mailbox [MS-PST §2.3]: a heap in a node's data, a tree of records in the
//! heap, and two things that are made of them: a bag of properties, and a table.

use simdex_extract::Reason;

use super::super::properties::{Properties, id, is_used};
use super::layout::Node;
use super::store::Store;

/// Signatures of a heap, a tree, a bag of properties and a table [§2.3.1.2].
const HEAP: u8 = 0xec;
const TREE: u8 = 0xb5;
const BAG: u8 = 0xbc;
const TABLE: u8 = 0x7c;
/// Maximum levels of a tree of records.
const MAX_LEVELS: u8 = 8;
/// Maximum records of one tree.
const MAX_RECORDS: usize = 1 << 20;
/// Low bits that distinguish a number of a subnode from a place in the heap.
const TYPE_BITS: u32 = 5;

/// The heap of a node, and the node's subnodes.
pub(super) struct Heap<'a> {
    store: &'a Store<'a>,
    blocks: Vec<Vec<u8>>,
    pub(super) subnodes: Vec<(u32, Node)>,
    /// Longest value that is read.
    limit: u64,
}

/// A value that is left where it is.
pub(super) enum Lazy {
    Here(Vec<u8>),
    Subnode(Node),
    Lost,
}

impl<'a> Heap<'a> {
    /// The heap of a node. `None` if there is none, or parts of it are lost.
    pub(super) fn open(store: &'a Store<'a>, node: Node, limit: u64) -> Option<Self> {
        let blocks = store.data(node, limit)?;
        let is_heap = *blocks.first()?.get(2)? == HEAP;
        let heap = Self {
            subnodes: store.subnodes(node).unwrap_or_default(),
            store,
            blocks,
            limit,
        };
        is_heap.then_some(heap)
    }

    /// The signature of the heap's content, and where its root is.
    fn root(&self) -> Option<(u8, u32)> {
        let first = self.blocks.first()?;
        Some((*first.get(3)?, long(first, 4)?))
    }

    /// An allocation: index of its block, index within the block [§2.3.1.1].
    fn get(&self, place: u32) -> Option<&[u8]> {
        let bits = self.store.layout.heap_index_bits();
        let index = (place >> TYPE_BITS) & ((1 << bits) - 1);
        let block = self.blocks.get((place >> (TYPE_BITS + bits)) as usize)?;
        let map = usize::from(short(block, 0)?);
        // The counts of allocations and of freed ones precede the offsets.
        let at = map + 4 + 2 * (index.checked_sub(1)? as usize);
        if index > u32::from(short(block, map)?) {
            return None;
        }
        block.get(short(block, at)?.into()..short(block, at + 2)?.into())
    }

    /// The subnode of that number.
    pub(super) fn subnode(&self, number: u32) -> Option<Node> {
        let found = self.subnodes.iter().find(|(id, _)| *id == number);
        found.map(|(_, node)| *node)
    }

    /// A value that does not fit in its record: in the heap or in a subnode [§2.3.3.2].
    fn value(&self, place: u32) -> Result<Vec<u8>, Reason> {
        match self.lazy(place) {
            Lazy::Here(bytes) => Ok(bytes),
            Lazy::Subnode(node) => {
                let blocks = self.store.data(node, self.limit);
                blocks.map(|blocks| blocks.concat()).ok_or(Reason::Damaged)
            }
            Lazy::Lost => Err(Reason::Damaged),
        }
    }

    pub(super) fn lazy(&self, place: u32) -> Lazy {
        if place == 0 {
            return Lazy::Here(Vec::new());
        }
        if place & ((1 << TYPE_BITS) - 1) != 0 {
            return self.subnode(place).map_or(Lazy::Lost, Lazy::Subnode);
        }
        self.get(place)
            .map_or(Lazy::Lost, |bytes| Lazy::Here(bytes.to_vec()))
    }

    /// Records of the tree at `place`, each with its key in front.
    fn records(&self, place: u32) -> Option<Vec<&[u8]>> {
        let header = self.get(place)?;
        let &[TREE, key, data, levels, ..] = header else {
            return None;
        };
        let root = long(header, 4)?;
        let mut records = Vec::new();
        let widths = [usize::from(key), usize::from(data)];
        if root != 0 && levels <= MAX_LEVELS {
            self.collect(root, widths, levels, &mut records)?;
        }
        Some(records)
    }

    fn collect<'h>(
        &'h self,
        place: u32,
        [key, data]: [usize; 2],
        levels: u8,
        records: &mut Vec<&'h [u8]>,
    ) -> Option<()> {
        let list = self.get(place)?;
        let width = key + if levels == 0 { data } else { 4 };
        if width == 0 || records.len() > MAX_RECORDS {
            return None;
        }
        for record in list.chunks_exact(width) {
            if levels == 0 {
                records.push(record);
            } else {
                self.collect(long(record, key)?, [key, data], levels - 1, records)?;
            }
        }
        Some(())
    }

    /// The heap as a bag of properties [§2.3.3]; the content of an attachment is left where it is.
    pub(super) fn bag(&self) -> Option<Bag> {
        let (BAG, root) = self.root()? else {
            return None;
        };
        let mut bag = Bag::default();
        for record in self.records(root)? {
            let (id, kind) = (short(record, 0)?, short(record, 2)?);
            let place = long(record, 4)?;
            if id == id::ATTACH_DATA {
                bag.content = Some((kind, place));
                continue;
            }
            match width(kind) {
                Some(0..=4) => bag.properties.parse(id, kind, &place.to_le_bytes()),
                _ if !is_used(id, kind) => {}
                _ => match self.value(place) {
                    Ok(value) => bag.properties.parse(id, kind, &value),
                    Err(reason) => bag.partial = Some(reason),
                },
            }
        }
        Some(bag)
    }

    /// The heap as a table [§2.3.4]: a bag for each row.
    pub(super) fn table(&self, max_rows: usize) -> Option<Vec<Properties>> {
        let (TABLE, root) = self.root()? else {
            return None;
        };
        let info = self.get(root)?;
        let columns = info.get(22..)?.as_chunks::<8>().0;
        let columns: Vec<_> = columns
            .iter()
            .take(info[1].into())
            .map(Column::of)
            .collect();
        let (bitmap, width) = (usize::from(short(info, 6)?), usize::from(short(info, 8)?));
        if width == 0 || bitmap > width {
            return None;
        }
        // Rows do not span blocks.
        let rows = match self.lazy(long(info, 14)?) {
            Lazy::Here(rows) => vec![rows],
            Lazy::Subnode(node) => self.store.data(node, self.limit)?,
            Lazy::Lost => return None,
        };
        let rows = rows.iter().flat_map(|block| block.chunks_exact(width));
        Some(
            rows.take(max_rows)
                .map(|row| self.row(row, bitmap, &columns))
                .collect(),
        )
    }

    fn row(&self, row: &[u8], bitmap: usize, columns: &[Column]) -> Properties {
        let mut properties = Properties::default();
        for column in columns {
            let bits = row.get(bitmap + column.bit / 8).copied().unwrap_or(0);
            let cell = row.get(column.at..column.at + column.width);
            let Some(cell) = cell.filter(|_| bits & (0x80 >> (column.bit % 8)) != 0) else {
                continue;
            };
            if width(column.kind).is_some() {
                properties.parse(column.id, column.kind, cell);
                continue;
            }
            let place = long(cell, 0).filter(|_| is_used(column.id, column.kind));
            if let Some(Ok(value)) = place.map(|place| self.value(place)) {
                properties.parse(column.id, column.kind, &value);
            }
        }
        properties
    }
}

/// A bag of properties as it is stored.
#[derive(Default)]
pub(super) struct Bag {
    pub(super) properties: Properties,
    /// Type and place of the content of an attachment.
    pub(super) content: Option<(u16, u32)>,
    pub(super) partial: Option<Reason>,
}

/// A column of a table [§2.3.4.2].
struct Column {
    id: u16,
    kind: u16,
    at: usize,
    width: usize,
    bit: usize,
}

impl Column {
    fn of(bytes: &[u8; 8]) -> Self {
        let [
            kind_low,
            kind_high,
            id_low,
            id_high,
            at_low,
            at_high,
            width,
            bit,
        ] = *bytes;
        Self {
            id: u16::from_le_bytes([id_low, id_high]),
            kind: u16::from_le_bytes([kind_low, kind_high]),
            at: u16::from_le_bytes([at_low, at_high]).into(),
            width: width.into(),
            bit: bit.into(),
        }
    }
}

/// Bytes of a value of that type, if all have the same.
fn width(kind: u16) -> Option<usize> {
    match kind {
        0x0002 | 0x000b => Some(2),
        0x0003 | 0x0004 | 0x000a => Some(4),
        0x0005..=0x0007 | 0x0014 | 0x0040 => Some(8),
        _ => None,
    }
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
