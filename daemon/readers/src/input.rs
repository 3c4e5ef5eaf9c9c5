//! The document as a worker sees it: a descriptor and a length, read by position.
//!
//! The daemon keeps its own descriptor of the same open file, so the shared offset is never moved;
//! and a file that shrinks meanwhile gives a short read, not a fault.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use simdex_extract::{Outcome, Reason};

/// A document, read by position up to the length that the daemon saw.
#[derive(Debug)]
pub(crate) struct Input {
    file: File,
    length: u64,
}

impl Input {
    /// `length` is what the daemon saw when it sent the request; what was added since is not read.
    pub(crate) fn new(file: File, length: u64) -> Self {
        Self { file, length }
    }

    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// The first `limit` bytes, or fewer if the document is shorter.
    pub(crate) fn prefix(&self, limit: u64) -> io::Result<Vec<u8>> {
        self.range(0, limit)
    }

    /// Up to `length` bytes from `start`.
    pub(crate) fn range(&self, start: u64, length: u64) -> io::Result<Vec<u8>> {
        let expected = self.length.saturating_sub(start).min(length);
        // One more, so that the end is seen without growing.
        let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0) + 1);
        let mut reader = self.reader();
        reader.seek(SeekFrom::Start(start))?;
        reader.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// A reader over the whole document.
    pub(crate) fn reader(&self) -> InputReader<'_> {
        InputReader {
            input: self,
            position: 0,
        }
    }
}

/// [`Read`] and [`Seek`] by position.
#[derive(Debug)]
pub(crate) struct InputReader<'a> {
    input: &'a Input,
    position: u64,
}

impl Read for InputReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.input.length.saturating_sub(self.position);
        let room = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        let count = self
            .input
            .file
            .read_at(&mut buffer[..room], self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for InputReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.input.length.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// The outcome of a document that could not be read.
pub(crate) fn read_error(_: io::Error) -> Outcome {
    Outcome::Failed(Reason::ReadError)
}

#[cfg(test)]
pub(crate) fn input_of(bytes: &[u8]) -> Input {
    let mut file = tempfile::tempfile().unwrap();
    io::Write::write_all(&mut file, bytes).unwrap();
    Input::new(file, bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_does_not_move_the_shared_offset() {
        let input = input_of(b"0123456789");
        let before = input.file.try_clone().unwrap().stream_position().unwrap();
        assert_eq!(input.prefix(4).unwrap(), b"0123");
        assert_eq!(input.range(8, 9).unwrap(), b"89");
        assert_eq!(
            input.file.try_clone().unwrap().stream_position().unwrap(),
            before
        );
    }

    #[test]
    fn a_file_that_shrank_reads_short() {
        let input = input_of(b"0123456789");
        input.file.set_len(3).unwrap();
        assert_eq!(input.prefix(100).unwrap(), b"012");
    }
}
