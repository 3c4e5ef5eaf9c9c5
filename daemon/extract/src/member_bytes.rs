//! Where the bytes of members are kept until the daemon has read them: in memory, or in one unlinked file per
//! container.

use std::io::{self, Read, Write};
use std::sync::Arc;

use crate::Reason;
use crate::private_bytes::{GrowingBytes, PrivateBytes, PrivateFile};
use crate::spool_budget::SpoolBudget;

/// The bytes of one container's members. The kernel removes the file when the last of them is dropped.
#[derive(Debug)]
pub(crate) struct Spool {
    data: PrivateBytes,
    space: SpoolBudget,
}

impl Spool {
    pub(crate) fn of(grown: GrowingBytes, space: &SpoolBudget) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            data: grown.finish()?,
            space: space.clone(),
        }))
    }

    /// The bytes of one member.
    pub(crate) fn part(self: &Arc<Self>, extent: Extent) -> MemberBytes {
        MemberBytes {
            spool: Arc::clone(self),
            extent,
        }
    }
}

/// The position of one member's bytes in the spool of its container.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) start: u64,
    pub(crate) length: u64,
    /// Why these are not all of its bytes, if they are not.
    pub(crate) cut: Option<Reason>,
}

/// The bytes of one member.
#[derive(Debug, Clone)]
pub struct MemberBytes {
    spool: Arc<Spool>,
    extent: Extent,
}

impl MemberBytes {
    /// Keeps what `write` writes: in memory, or in a separate unlinked file.
    ///
    /// # Errors
    /// If the temporary file cannot be written, or `write` fails.
    pub fn written_in(
        space: &SpoolBudget,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Self> {
        let mut out = io::BufWriter::new(GrowingBytes::new(space, 0)?);
        write(&mut out)?;
        let grown = out.into_inner()?;
        let extent = Extent {
            start: 0,
            length: grown.length(),
            cut: None,
        };
        Ok(Spool::of(grown, space)?.part(extent))
    }

    /// Number of bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.extent.length
    }

    /// Why these are not all of its bytes, if they are not.
    #[must_use]
    pub fn cut(&self) -> Option<Reason> {
        self.extent.cut
    }

    /// A reader over them.
    pub fn reader(&self) -> impl Read + '_ {
        SpoolReader {
            bytes: self,
            position: 0,
        }
    }

    /// A separate file that can only be read, as [`Pool::extract`](crate::Pool::extract) requires: a worker sees one
    /// member, never its neighbours.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub fn to_file(&self) -> io::Result<PrivateFile> {
        let mut copy = GrowingBytes::new(&self.spool.space, self.length())?;
        io::copy(&mut self.reader(), &mut copy)?;
        copy.finish()?.into_file(&self.spool.space)
    }

    #[cfg(test)]
    pub(crate) fn is_in_file(&self) -> bool {
        matches!(self.spool.data, PrivateBytes::File(_))
    }
}

struct SpoolReader<'a> {
    bytes: &'a MemberBytes,
    position: u64,
}

impl Read for SpoolReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let extent = self.bytes.extent;
        let left = extent.length.saturating_sub(self.position);
        let room = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        let at = extent.start + self.position;
        let count = self.bytes.spool.data.read_at(&mut buffer[..room], at)?;
        self.position += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private_bytes::IN_MEMORY;

    #[test]
    fn a_page_made_here_reads_as_it_was_written() {
        let space = SpoolBudget::new(std::env::temp_dir(), 1 << 30);
        for length in [0, 5, IN_MEMORY, IN_MEMORY + 1] {
            let made = MemberBytes::written_in(&space, |out| {
                io::copy(&mut io::repeat(b'x').take(length as u64), out).map(drop)
            });
            let (made, mut read) = (made.unwrap(), Vec::new());
            made.to_file()
                .unwrap()
                .file()
                .read_to_end(&mut read)
                .unwrap();
            assert_eq!((made.length(), read), (length as u64, vec![b'x'; length]));
        }
    }
}
