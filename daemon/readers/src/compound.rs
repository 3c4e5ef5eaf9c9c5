//! Reads compound files [MS-CFB]: a small file system of storages and streams within one file (DOC, XLS, PPT, MSG).
//!
//! Lenient about careless files (wrong counts, a cut last sector, garbage in the high half of a size) and strict about
//! hostile ones: every number is checked against the length of the file, and no chain is followed for longer than the
//! file has sectors.

use std::cell::Cell;
use std::io::{self, Read};

use simdex_extract::{Outcome, Reason};

use crate::input::{Input, read_error};

mod directory;
mod stream;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod write;

pub(crate) use directory::{Entry, seconds_since_1970};
pub(crate) use stream::Stream;

/// What every compound file begins with.
pub(crate) const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// The storage that holds all others.
pub(crate) const ROOT: usize = 0;

/// From here on numbers are marks (end of chain, free), not sectors.
const FIRST_MARK: u32 = 0xffff_fffa;
const HEADER_BYTES: u64 = 512;
/// FAT sectors listed by the header itself.
const HEADER_FAT_SECTORS: usize = 109;
/// All streams together may have at most this many times the bytes of the file; more means shared chains.
const MAX_REUSE: u64 = 16;

/// The source of a compound file's bytes: the document itself, or bytes unpacked from it.
#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    Input(&'a Input),
    Bytes(&'a [u8]),
}

impl Source<'_> {
    fn len(&self) -> u64 {
        match self {
            Self::Input(input) => input.len(),
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// Up to `length` bytes from `start`.
    fn range(&self, start: u64, length: u64) -> io::Result<Vec<u8>> {
        match self {
            Self::Input(input) => input.range(start, length),
            Self::Bytes(bytes) => {
                let index = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
                let rest = bytes.get(index(start)..).unwrap_or_default();
                Ok(rest[..rest.len().min(index(length))].to_vec())
            }
        }
    }
}

/// An open compound file.
pub(crate) struct Compound<'a> {
    input: Source<'a>,
    /// Binary logarithms of the bytes of a sector and of a mini sector.
    shift: u32,
    mini_shift: u32,
    /// Streams below this size are kept in mini sectors.
    mini_cutoff: u64,
    /// The sector after each sector, in its chain.
    fat: Vec<u32>,
    mini_fat: Vec<u32>,
    /// The sectors that hold the mini sectors.
    mini_sectors: Vec<u32>,
    entries: Vec<Entry>,
    /// Bytes that may still be read from streams.
    left: Cell<u64>,
}

impl<'a> Compound<'a> {
    /// Reads header, allocation tables and directory.
    pub(crate) fn open(input: &'a Input) -> Result<Self, Outcome> {
        Self::of(Source::Input(input))
    }

    /// Reads a compound file that was inside another file.
    pub(crate) fn of_bytes(bytes: &'a [u8]) -> Result<Self, Outcome> {
        Self::of(Source::Bytes(bytes))
    }

    fn of(input: Source<'a>) -> Result<Self, Outcome> {
        let header = input.range(0, HEADER_BYTES).map_err(read_error)?;
        let field = |at| double_word(&header, at);
        let shifts = field(30).map(|word| (word & 0xffff, word >> 16));
        let (Some((shift @ 9..=12, mini_shift)), true) = (shifts, header.starts_with(MAGIC)) else {
            return Err(Outcome::Failed(Reason::Malformed));
        };
        let mut file = Self {
            input,
            shift,
            mini_shift: mini_shift.clamp(2, shift),
            mini_cutoff: field(56).map_or(4096, u64::from),
            fat: Vec::new(),
            mini_fat: Vec::new(),
            mini_sectors: Vec::new(),
            entries: Vec::new(),
            left: Cell::new(input.len().saturating_mul(MAX_REUSE)),
        };
        file.read_fat(&header).map_err(read_error)?;
        let directory = file.read_chain(field(48)).map_err(read_error)?;
        file.entries = directory::entries(&directory, shift > 9);
        let mini_fat = file.read_chain(field(60)).map_err(read_error)?;
        file.mini_fat = double_words(&mini_fat).collect();
        match file.entries.first() {
            Some(root) => file.mini_sectors = file.chain(root.start),
            None => return Err(Outcome::Failed(Reason::Malformed)),
        }
        Ok(file)
    }

    /// The entry of a storage or stream with this number.
    pub(crate) fn entry(&self, number: usize) -> &Entry {
        &self.entries[number]
    }

    /// Numbers of everything below `storage`, one level deep, in the order of the directory tree.
    pub(crate) fn children(&self, storage: usize) -> &[usize] {
        &self.entries[storage].children
    }

    /// The entry of this name in `storage`, ignoring case.
    pub(crate) fn child(&self, storage: usize, name: &str) -> Option<usize> {
        let mut children = self.children(storage).iter().copied();
        children.find(|&child| self.entries[child].name.eq_ignore_ascii_case(name))
    }

    /// The entry at a path of names from the root, separated by `/`.
    pub(crate) fn find(&self, path: &str) -> Option<usize> {
        path.split('/')
            .try_fold(ROOT, |storage, name| self.child(storage, name))
    }

    /// A stream, to be read from its beginning; damage ends it with an error.
    pub(crate) fn stream(&self, number: usize) -> Stream<'_> {
        Stream::new(self, &self.entries[number])
    }

    /// Up to `limit` bytes of a stream, and why these are not all.
    pub(crate) fn read(&self, number: usize, limit: u64) -> (Vec<u8>, Option<Reason>) {
        let mut bytes = Vec::new();
        let end = self.stream(number).take(limit).read_to_end(&mut bytes);
        let reason = match end {
            Err(_) => Some(Reason::Damaged),
            Ok(_) if self.entries[number].size > limit => Some(Reason::InflateLimit),
            Ok(_) => None,
        };
        (bytes, reason)
    }

    /// Assembles the allocation table: its sectors are listed in the header, then in a chain.
    fn read_fat(&mut self, header: &[u8]) -> io::Result<()> {
        let sectors = self.sectors();
        for number in double_words(header.get(76..).unwrap_or_default()).take(HEADER_FAT_SECTORS) {
            self.read_fat_sector(number)?;
        }
        let mut next = double_word(header, 68).unwrap_or(FIRST_MARK);
        for _ in 0..sectors {
            if u64::from(next) >= sectors || self.fat.len() as u64 >= sectors {
                break;
            }
            let list = self.sector(next)?;
            let mut numbers: Vec<u32> = double_words(&list).collect();
            next = numbers.pop().unwrap_or(FIRST_MARK);
            for number in numbers {
                self.read_fat_sector(number)?;
            }
        }
        self.fat.truncate(usize::try_from(sectors).unwrap_or(0));
        Ok(())
    }

    /// Appends one sector of the table. A missing one still counts; otherwise everything after it would shift.
    fn read_fat_sector(&mut self, number: u32) -> io::Result<()> {
        if number >= FIRST_MARK || self.fat.len() as u64 >= self.sectors() {
            return Ok(());
        }
        let end = self.fat.len() + (1 << self.shift) / 4;
        let sector = self.sector(number)?;
        self.fat.extend(double_words(&sector));
        self.fat.resize(end, u32::MAX);
        Ok(())
    }

    /// Number of sectors that the file has room for, including a cut last one.
    fn sectors(&self) -> u64 {
        self.input.len().div_ceil(1 << self.shift)
    }

    fn sector(&self, number: u32) -> io::Result<Vec<u8>> {
        self.input.range(self.sector_start(number), 1 << self.shift)
    }

    fn sector_start(&self, number: u32) -> u64 {
        (u64::from(number) + 1) << self.shift
    }

    /// All sectors of a chain, up to the first that is not in the file, or until there are too many.
    fn chain(&self, first: u32) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut next = Some(first);
        while let Some(sector) = next.filter(|&s| (s as usize) < self.fat.len()) {
            if chain.len() == self.fat.len() {
                break;
            }
            chain.push(sector);
            next = self.fat.get(sector as usize).copied();
        }
        chain
    }

    /// The bytes of a chain of which only the first sector is known.
    fn read_chain(&self, first: Option<u32>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for sector in self.chain(first.unwrap_or(FIRST_MARK)) {
            let read = self.sector(sector)?;
            bytes.extend_from_slice(&read);
            if read.len() < 1 << self.shift {
                break;
            }
        }
        Ok(bytes)
    }
}

pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

pub(crate) fn double_word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

pub(crate) fn quad_word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

/// All whole double words.
pub(crate) fn double_words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|four| u32::from_le_bytes(*four))
}
