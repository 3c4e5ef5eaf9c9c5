//! Where the bytes of members wait until the daemon has read them: one unlinked file a container.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::member::{Member, MemberHead};
use crate::{Budgets, Reason};

/// The file of one container, removed by the kernel when the last of its members is dropped.
#[derive(Debug)]
pub(crate) struct Spool {
    file: File,
    directory: PathBuf,
}

/// The bytes of one member.
#[derive(Debug, Clone)]
pub struct MemberBytes {
    spool: Arc<Spool>,
    start: u64,
    length: u64,
    cut: Option<Reason>,
}

impl MemberBytes {
    /// Keeps what `write` writes in an unlinked file of its own in `directory`.
    ///
    /// # Errors
    /// When the temporary file cannot be written, or `write` fails.
    pub fn written_in(
        directory: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Self> {
        let mut out = io::BufWriter::new(tempfile::tempfile_in(directory)?);
        write(&mut out)?;
        let file = out.into_inner()?;
        let length = file.metadata()?.len();
        let directory = directory.to_owned();
        Ok(Self {
            spool: Arc::new(Spool { file, directory }),
            start: 0,
            length,
            cut: None,
        })
    }

    /// How many bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Why these are not all of its bytes, if they are not.
    #[must_use]
    pub fn cut(&self) -> Option<Reason> {
        self.cut
    }

    /// A reader over them.
    pub fn reader(&self) -> impl Read + '_ {
        SpoolReader {
            bytes: self,
            position: 0,
        }
    }

    /// A file of their own that can only be read, as [`Pool::extract`](crate::Pool::extract)
    /// wants it: a worker sees one member, never its neighbours.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub fn to_file(&self) -> io::Result<File> {
        let mut copy = tempfile::tempfile_in(&self.spool.directory)?;
        io::copy(&mut self.reader(), &mut copy)?;
        copy.flush()?;
        // The same open file cannot be made read-only; another opening of it can.
        File::open(format!("/proc/self/fd/{}", copy.as_raw_fd()))
    }
}

struct SpoolReader<'a> {
    bytes: &'a MemberBytes,
    position: u64,
}

impl Read for SpoolReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.bytes.length.saturating_sub(self.position);
        let room = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        let at = self.bytes.start + self.position;
        let count = self.bytes.spool.file.read_at(&mut buffer[..room], at)?;
        self.position += count as u64;
        Ok(count)
    }
}

/// Collects the members that a worker sends, within the budgets: a worker that sends more lies.
pub(crate) struct Collecting<'a> {
    directory: &'a std::path::Path,
    budgets: &'a Budgets,
    spool: Option<Arc<Spool>>,
    written: u64,
    members: Vec<Member>,
}

impl<'a> Collecting<'a> {
    pub(crate) fn new(directory: &'a std::path::Path, budgets: &'a Budgets) -> Self {
        Self {
            directory,
            budgets,
            spool: None,
            written: 0,
            members: Vec::new(),
        }
    }

    /// Takes the next member; the bytes that follow are its own.
    pub(crate) fn begin(&mut self, head: MemberHead) -> io::Result<()> {
        if self.members.len() >= self.budgets.entries as usize || !head.is_sound() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let body = match head.unread {
            Some(reason) => Err(reason),
            None => Ok(MemberBytes {
                start: self.written,
                length: 0,
                cut: None,
                spool: self.spool()?,
            }),
        };
        self.members.push(Member {
            name: head.name,
            role: head.role,
            modified: head.modified,
            body,
        });
        Ok(())
    }

    pub(crate) fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let more = bytes.len() as u64;
        if self.written + more > self.budgets.total_bytes {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let at = self.written;
        self.spool()?.file.write_all_at(bytes, at)?;
        self.written += more;
        self.current()?.length += more;
        Ok(())
    }

    pub(crate) fn end(&mut self, cut: Option<Reason>) -> io::Result<()> {
        self.current()?.cut = cut;
        Ok(())
    }

    pub(crate) fn into_members(self) -> Vec<Member> {
        self.members
    }

    fn current(&mut self) -> io::Result<&mut MemberBytes> {
        let body = self.members.last_mut().map(|member| member.body.as_mut());
        body.and_then(Result::ok)
            .ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn spool(&mut self) -> io::Result<Arc<Spool>> {
        if let Some(spool) = &self.spool {
            return Ok(Arc::clone(spool));
        }
        let spool = Arc::new(Spool {
            file: tempfile::tempfile_in(self.directory)?,
            directory: self.directory.to_owned(),
        });
        self.spool = Some(Arc::clone(&spool));
        Ok(spool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    fn head(name: &str) -> MemberHead {
        MemberHead::new(name, Role::Entry)
    }

    #[test]
    fn members_keep_their_own_bytes_and_can_only_be_read() {
        let (directory, budgets) = (std::env::temp_dir(), Budgets::default());
        let mut spool = Collecting::new(&directory, &budgets);
        for (name, pieces) in [("a", &["one ", "two"][..]), ("b", &[]), ("c", &["three"])] {
            spool.begin(head(name)).unwrap();
            for piece in pieces {
                spool.chunk(piece.as_bytes()).unwrap();
            }
            spool.end((name == "c").then_some(Reason::Damaged)).unwrap();
        }
        let members = spool.into_members();
        let read = |member: &Member| {
            let bytes = member.body.as_ref().unwrap();
            let (mut file, mut text) = (bytes.to_file().unwrap(), String::new());
            assert!(file.write_all(b"x").is_err(), "it can be written to");
            file.read_to_string(&mut text).unwrap();
            (bytes.length(), text, bytes.cut())
        };
        assert_eq!(read(&members[0]), (7, "one two".into(), None));
        assert_eq!(read(&members[1]), (0, String::new(), None));
        assert_eq!(
            read(&members[2]),
            (5, "three".into(), Some(Reason::Damaged))
        );
    }

    #[test]
    fn more_than_the_budgets_allow_is_a_lie() {
        let directory = std::env::temp_dir();
        let budgets = Budgets {
            entries: 1,
            total_bytes: 4,
            ..Budgets::default()
        };
        let mut spool = Collecting::new(&directory, &budgets);
        assert!(spool.chunk(b"x").is_err(), "bytes of no member");
        let mut spool = Collecting::new(&directory, &budgets);
        spool.begin(head("a")).unwrap();
        spool.chunk(b"1234").unwrap();
        assert!(spool.chunk(b"5").is_err());
        assert!(spool.begin(head("b")).is_err());
    }
}
