//! Writes compound files: a storage inside one (an embedded document, an attached message) becomes a separate file only
//! by being written as one.

use simdex_extract::Reason;

use super::{Compound, HEADER_FAT_SECTORS, MAGIC};

const SECTOR: usize = 512;
const MINI_SECTOR: usize = 64;
const MINI_CUTOFF: usize = 4096;
const FAT_SECTOR: u32 = 0xffff_fffd;
const DIFAT_SECTOR: u32 = 0xffff_fffc;
const END: u32 = 0xffff_fffe;
const FREE: u32 = 0xffff_ffff;

/// A storage or stream to be written; the first of a list is the root.
#[derive(Debug, Clone, Default)]
pub(crate) struct Item {
    pub(crate) name: String,
    /// Number of the storage it is in; meaningless for the root.
    pub(crate) parent: usize,
    /// `None` for a storage.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) class: [u8; 16],
}

/// A storage and everything below as a separate compound file, of up to about `limit` bytes; and why it is incomplete.
pub(crate) fn storage(file: &Compound<'_>, number: usize, limit: u64) -> (Vec<u8>, Option<Reason>) {
    let (mut items, mut numbers) = (vec![item(file, number, 0)], vec![number]);
    let (mut left, mut reason) = (limit, None);
    let mut at = 0;
    while let Some(&storage) = numbers.get(at) {
        for &child in file.children(storage) {
            let mut item = item(file, child, at);
            if item.bytes.is_some() {
                let (bytes, cut) = file.read(child, left);
                left -= bytes.len() as u64;
                reason = reason.or(cut);
                item.bytes = Some(bytes);
            }
            items.push(item);
            numbers.push(child);
        }
        at += 1;
    }
    (compound_file(&items), reason)
}

fn item(file: &Compound<'_>, number: usize, parent: usize) -> Item {
    let entry = file.entry(number);
    Item {
        name: entry.name.clone(),
        parent,
        bytes: (!entry.is_storage).then(Vec::new),
        class: entry.class,
    }
}

/// The file that holds `items`.
pub(crate) fn compound_file(items: &[Item]) -> Vec<u8> {
    let mut writer = Writer::default();
    let mut starts = vec![END; items.len()];
    for (item, start) in items.iter().zip(&mut starts) {
        *start = match &item.bytes {
            Some(bytes) if bytes.is_empty() => END,
            Some(bytes) if bytes.len() < MINI_CUTOFF => writer.add_mini(bytes),
            Some(bytes) => writer.add(bytes),
            None => END,
        };
    }
    let mini_bytes = std::mem::take(&mut writer.mini);
    let mini_start = writer.add(&mini_bytes);
    let mini_fat = bytes_of(&std::mem::take(&mut writer.mini_fat));
    let mini_fat_start = writer.add(&mini_fat);
    if let Some(start) = starts.first_mut() {
        *start = mini_start;
    }
    let directory = directory(items, &starts, mini_bytes.len());
    let directory_start = writer.add(&directory);
    let fields = [
        directory_start,
        0,
        4096,
        mini_fat_start,
        sectors(mini_fat.len()),
    ];
    writer.finish(fields)
}

fn sectors(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(SECTOR)).unwrap_or(u32::MAX)
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Appends the chain of `count` contiguous units; returns the first.
fn add_chain(fat: &mut Vec<u32>, count: usize) -> u32 {
    let start = fat.len() as u32;
    fat.extend((1..count as u32).map(|after| start + after));
    fat.extend((count > 0).then_some(END));
    if count > 0 { start } else { END }
}

#[derive(Default)]
struct Writer {
    body: Vec<u8>,
    fat: Vec<u32>,
    mini: Vec<u8>,
    mini_fat: Vec<u32>,
}

impl Writer {
    fn add(&mut self, bytes: &[u8]) -> u32 {
        self.body.extend_from_slice(bytes);
        self.body
            .resize(self.body.len().next_multiple_of(SECTOR), 0);
        add_chain(&mut self.fat, bytes.len().div_ceil(SECTOR))
    }

    fn add_mini(&mut self, bytes: &[u8]) -> u32 {
        self.mini.extend_from_slice(bytes);
        self.mini
            .resize(self.mini.len().next_multiple_of(MINI_SECTOR), 0);
        add_chain(&mut self.mini_fat, bytes.len().div_ceil(MINI_SECTOR))
    }

    /// Appends the allocation table and the list of its sectors, and puts the header in front.
    fn finish(mut self, fields: [u32; 5]) -> Vec<u8> {
        let (per_sector, data) = (SECTOR / 4, self.fat.len());
        let (mut fat_count, mut list_count) = (0_usize, 0_usize);
        while (data + fat_count + list_count) > fat_count * per_sector {
            fat_count += 1;
            list_count = fat_count
                .saturating_sub(HEADER_FAT_SECTORS)
                .div_ceil(per_sector - 1);
        }
        let numbers: Vec<u32> = (data..data + fat_count)
            .map(|number| number as u32)
            .collect();
        let list_start = (data + fat_count) as u32;
        self.fat.resize(data + fat_count, FAT_SECTOR);
        self.fat.resize(data + fat_count + list_count, DIFAT_SECTOR);
        self.fat.resize(fat_count * per_sector, FREE);
        let (listed, rest) = numbers.split_at(fat_count.min(HEADER_FAT_SECTORS));

        let mut file = [MAGIC, &[0; 16], &[0x3e, 0, 3, 0, 0xfe, 0xff, 9, 0, 6, 0]].concat();
        file.resize(44, 0);
        file.extend(bytes_of(&[fat_count as u32]));
        file.extend(bytes_of(&fields));
        let first_list = if list_count > 0 { list_start } else { END };
        file.extend(bytes_of(&[first_list, list_count as u32]));
        file.extend(bytes_of(listed));
        file.resize(SECTOR, 0xff);
        file.append(&mut self.body);
        file.extend(bytes_of(&self.fat));
        for (number, chunk) in rest.chunks(per_sector - 1).enumerate() {
            let mut list = chunk.to_vec();
            list.resize(per_sector - 1, FREE);
            let is_last = number + 1 == list_count;
            list.push(if is_last {
                END
            } else {
                list_start + number as u32 + 1
            });
            file.extend(bytes_of(&list));
        }
        file
    }
}

/// Directory entries; the tree of siblings is a list in the order of their names.
fn directory(items: &[Item], starts: &[u32], mini_bytes: usize) -> Vec<u8> {
    let mut order: Vec<usize> = (1..items.len()).collect();
    order.sort_by_cached_key(|&number| {
        let name = items[number].name.to_uppercase();
        (items[number].parent, name.encode_utf16().count(), name)
    });
    let mut first_child = vec![FREE; items.len()];
    let mut right = vec![FREE; items.len()];
    for pair in order.windows(2) {
        if items[pair[0]].parent == items[pair[1]].parent {
            right[pair[0]] = pair[1] as u32;
        }
    }
    for &number in order.iter().rev() {
        first_child[items[number].parent] = number as u32;
    }
    let mut bytes = Vec::new();
    for (number, item) in items.iter().enumerate() {
        let (name, kind) = match (number, &item.bytes) {
            (0, _) => ("Root Entry", 5),
            (_, None) => (item.name.as_str(), 1),
            (_, Some(_)) => (item.name.as_str(), 2),
        };
        let size = if number == 0 {
            mini_bytes
        } else {
            item.bytes.as_ref().map_or(0, Vec::len)
        };
        let entry = bytes.len();
        let units: Vec<u16> = name.encode_utf16().take(31).collect();
        bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        bytes.resize(entry + 64, 0);
        bytes.extend((2 * units.len() as u16 + 2).to_le_bytes());
        bytes.extend([kind, 1]);
        bytes.extend(bytes_of(&[FREE, right[number], first_child[number]]));
        bytes.extend(item.class);
        bytes.resize(entry + 116, 0);
        bytes.extend(starts[number].to_le_bytes());
        bytes.extend((size as u64).to_le_bytes());
    }
    // Unused entries fill the last sector.
    while bytes.len() % SECTOR != 0 {
        let entry = bytes.len();
        bytes.resize(entry + 68, 0);
        bytes.extend(bytes_of(&[FREE; 3]));
        bytes.resize(entry + 128, 0);
    }
    bytes
}
