//! Reads a stream of a compound file along its chain of sectors, or of mini sectors.

use std::io::{self, Read};

use super::{Compound, Entry, FIRST_MARK};

/// Most bytes read at once.
const MAX_RUN_BYTES: u64 = 64 << 10;

/// The bytes of one stream; [`io::ErrorKind::UnexpectedEof`] if the chain breaks off.
pub(crate) struct Stream<'a> {
    file: &'a Compound<'a>,
    is_mini: bool,
    /// The next sector of the chain.
    next: u32,
    /// Sectors that may still follow.
    steps: usize,
    /// Bytes of the stream that are still to come.
    left: u64,
    /// Bytes read ahead, and how many of them were returned.
    run: Vec<u8>,
    given: usize,
}

impl<'a> Stream<'a> {
    pub(super) fn new(file: &'a Compound<'a>, entry: &Entry) -> Self {
        let is_mini = entry.size < file.mini_cutoff;
        Self {
            file,
            is_mini,
            next: entry.start,
            steps: if is_mini { &file.mini_fat } else { &file.fat }.len(),
            left: if entry.is_storage { 0 } else { entry.size },
            run: Vec::new(),
            given: 0,
        }
    }

    /// Reads all sectors that are contiguous.
    fn read_ahead(&mut self) -> io::Result<()> {
        let sector_bytes = 1
            << if self.is_mini {
                self.file.mini_shift
            } else {
                self.file.shift
            };
        let Some(start) = self.position() else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let target = self.left.min(MAX_RUN_BYTES).min(self.file.left.get());
        let mut length = 0;
        while length < target && self.position() == Some(start + length) {
            length += sector_bytes;
            self.step();
        }
        self.run = self.file.input.range(start, length.min(target))?;
        self.given = 0;
        let read = self.run.len() as u64;
        self.left -= read;
        self.file.left.set(self.file.left.get() - read);
        if read < length.min(target) {
            self.next = FIRST_MARK;
        }
        Ok(())
    }

    /// The position of the next sector in the file.
    fn position(&self) -> Option<u64> {
        let file = self.file;
        if self.steps == 0 {
            return None;
        }
        if !self.is_mini {
            let known = (self.next as usize) < file.fat.len();
            return known.then(|| file.sector_start(self.next));
        }
        let offset = u64::from(self.next) << file.mini_shift;
        let sector = usize::try_from(offset >> file.shift).ok()?;
        let start = file.sector_start(*file.mini_sectors.get(sector)?);
        Some(start + offset % (1 << file.shift))
    }

    fn step(&mut self) {
        let table = if self.is_mini {
            &self.file.mini_fat
        } else {
            &self.file.fat
        };
        self.next = table.get(self.next as usize).copied().unwrap_or(FIRST_MARK);
        self.steps -= 1;
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.run.len() {
            if self.left == 0 {
                return Ok(0);
            }
            self.read_ahead()?;
            if self.run.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let count = (&self.run[self.given..]).read(buffer)?;
        self.given += count;
        Ok(count)
    }
}
