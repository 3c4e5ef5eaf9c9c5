//! Bytes that the daemon keeps of a document: a few in memory, many in an unlinked file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::FileExt;

use rustix::fs::{MemfdFlags, SealFlags, memfd_create};

use crate::spool_budget::{Reservation, SpoolBudget};

/// Maximum number of bytes kept in memory; more go to a file.
pub(crate) const IN_MEMORY: usize = 1 << 20;
/// A growing file reserves this much at a time.
const STEP: u64 = 1 << 20;

/// Bytes that nobody else can change.
#[derive(Debug)]
pub(crate) enum PrivateBytes {
    /// Few enough to stay in memory.
    Memory(Vec<u8>),
    /// An unlinked file, opened for reading only.
    File(PrivateFile),
}

impl PrivateBytes {
    /// The bytes in a file of their own.
    pub(crate) fn into_file(self, space: &SpoolBudget) -> io::Result<PrivateFile> {
        match self {
            Self::File(private) => Ok(private),
            Self::Memory(bytes) => PrivateFile::of_few(&bytes, space),
        }
    }

    /// Some bytes from this position on; none at the end.
    pub(crate) fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        match self {
            Self::File(private) => private.file.read_at(buffer, at),
            Self::Memory(bytes) => {
                let start = usize::try_from(at).unwrap_or(usize::MAX);
                bytes.get(start..).unwrap_or_default().read(buffer)
            }
        }
    }
}

/// A file without a name that can only be read, and that nobody can change; with its share of the budget.
#[derive(Debug)]
pub struct PrivateFile {
    file: File,
    _reserved: Option<Reservation>,
}

impl PrivateFile {
    /// Takes a file whose writable handles are about to be closed.
    pub(crate) fn new(written: &File, reserved: Option<Reservation>) -> io::Result<Self> {
        let file = read_only(written)?;
        Ok(Self {
            file,
            _reserved: reserved,
        })
    }

    /// A file in memory with these few bytes; an unlinked file if the machine grants none.
    pub(crate) fn of_few(bytes: &[u8], space: &SpoolBudget) -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let Ok(memory) = memfd_create("document", flags) else {
            let mut file = SpoolFile::new(space, space.reserve(bytes.len() as u64)?)?;
            file.write_all(bytes)?;
            return file.finish();
        };
        let mut memory = File::from(memory);
        memory.write_all(bytes)?;
        let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK;
        rustix::fs::fcntl_add_seals(&memory, seals)?;
        Self::new(&memory, None)
    }

    /// The bytes, read by position or from where the last read ended.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl AsFd for PrivateFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Opens the file again, read-only and at its start: an open file cannot be made read-only.
pub(crate) fn read_only(file: &File) -> io::Result<File> {
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// An unlinked file that grows within the budget.
#[derive(Debug)]
struct SpoolFile {
    file: File,
    reserved: Reservation,
    written: u64,
}

impl SpoolFile {
    fn new(space: &SpoolBudget, reserved: Reservation) -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile_in(space.directory())?,
            reserved,
            written: 0,
        })
    }

    fn finish(self) -> io::Result<PrivateFile> {
        PrivateFile::new(&self.file, Some(self.reserved))
    }
}

impl Write for SpoolFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = self.written + bytes.len() as u64;
        if end > self.reserved.bytes() {
            let missing = end - self.reserved.bytes();
            let room = self.reserved.grow(missing.max(STEP));
            room.or_else(|_| self.reserved.grow(missing))?;
        }
        let count = self.file.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Bytes being received: in memory, then in a file.
#[derive(Debug)]
pub(crate) struct GrowingBytes {
    space: SpoolBudget,
    memory: Vec<u8>,
    file: Option<SpoolFile>,
    length: u64,
}

impl GrowingBytes {
    /// No bytes yet; about `expected` are to come.
    pub(crate) fn new(space: &SpoolBudget, expected: u64) -> io::Result<Self> {
        let mut growing = Self {
            space: space.clone(),
            memory: Vec::new(),
            file: None,
            length: 0,
        };
        if expected > IN_MEMORY as u64 {
            growing.spill(expected)?;
        }
        Ok(growing)
    }

    /// No bytes yet; those to come go to a file, for which this was reserved.
    pub(crate) fn in_file(space: &SpoolBudget, reserved: Reservation) -> io::Result<Self> {
        Ok(Self {
            file: Some(SpoolFile::new(space, reserved)?),
            ..Self::new(space, 0)?
        })
    }

    /// Bytes written so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn finish(self) -> io::Result<PrivateBytes> {
        Ok(match self.file {
            Some(file) => PrivateBytes::File(file.finish()?),
            None => PrivateBytes::Memory(self.memory),
        })
    }

    fn spill(&mut self, expected: u64) -> io::Result<&mut SpoolFile> {
        let reserved = self.space.reserve(expected)?;
        let mut file = SpoolFile::new(&self.space, reserved)?;
        file.write_all(&std::mem::take(&mut self.memory))?;
        Ok(self.file.insert(file))
    }
}

impl Write for GrowingBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = self.length + bytes.len() as u64;
        match &mut self.file {
            Some(file) => file.write_all(bytes)?,
            None if end > IN_MEMORY as u64 => self.spill(end)?.write_all(bytes)?,
            None => self.memory.extend_from_slice(bytes),
        }
        self.length = end;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(limit: u64) -> SpoolBudget {
        SpoolBudget::new(std::env::temp_dir(), limit)
    }

    #[test]
    fn a_small_file_can_be_read_and_written_by_nobody() {
        let private = PrivateFile::of_few(b"text", &space(9)).unwrap();
        assert!(private.file().write_all(b"x").is_err());
        assert_eq!(io::read_to_string(private.file()).unwrap(), "text");
    }

    #[test]
    fn what_outgrows_the_memory_lies_in_a_file_within_the_budget() {
        let space = space(3 << 20);
        let mut growing = GrowingBytes::new(&space, 0).unwrap();
        growing.write_all(&vec![1; IN_MEMORY]).unwrap();
        assert_eq!(space.used(), 0);
        growing.write_all(&[2; 7]).unwrap();
        let mut other = GrowingBytes::new(&space, 0).unwrap();
        let full = other.write_all(&vec![1; 3 << 20]).unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::QuotaExceeded);
        let (length, kept) = (growing.length(), growing.finish().unwrap());
        let (mut end, at) = ([0; 9], length - 8);
        assert_eq!(kept.read_at(&mut end, at).unwrap(), 8);
        assert_eq!(end, [1, 2, 2, 2, 2, 2, 2, 2, 0]);
        drop((kept, other));
        assert_eq!(space.used(), 0);
    }
}
