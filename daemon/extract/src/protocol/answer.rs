//! An answer being sent: members, then the reply and its text.

use std::cell::RefCell;
use std::io::{self, BufRead, BufWriter, Write};
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::{Reply, receive, send};
use crate::Reason;
use crate::member::{MemberHead, MemberOut};
use crate::member_spool::MemberCollector;

/// Longest chunk of a member's bytes.
const MAX_CHUNK: usize = 64 << 10;
/// Bytes that a worker collects before it writes: most answers wake the daemon once.
const GATHERED: usize = 64 << 10;

/// A frame that a worker sends after a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WorkerMessage {
    Member { nonce: u64, head: MemberHead },
    Reply(Reply),
}

/// Ends the bytes of a member.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberEnd {
    cut: Option<Reason>,
}

/// The worker's answers. They are written when the reply is complete, or when there is much to write.
#[derive(Clone)]
pub(crate) struct Answers(Rc<RefCell<BufWriter<UnixStream>>>);

impl Answers {
    pub(crate) fn on(stream: &UnixStream) -> io::Result<Self> {
        let out = BufWriter::with_capacity(GATHERED, stream.try_clone()?);
        Ok(Self(Rc::new(RefCell::new(out))))
    }

    /// A sink for the members found in the document of this request.
    pub(crate) fn members(&self, nonce: u64) -> MemberStream {
        let answers = self.clone();
        MemberStream { answers, nonce }
    }

    /// Writes the reply and the bytes of its text; the answer is complete.
    pub(crate) fn reply(&self, reply: Reply, text: &[u8]) -> io::Result<()> {
        let mut out = self.0.borrow_mut();
        send(&mut *out, &WorkerMessage::Reply(reply))?;
        out.write_all(text)?;
        out.flush()
    }

    #[cfg(test)]
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

/// Members being sent to the daemon.
pub(crate) struct MemberStream {
    answers: Answers,
    nonce: u64,
}

impl MemberOut for MemberStream {
    fn begin(&mut self, head: &MemberHead) -> io::Result<()> {
        let said = WorkerMessage::Member {
            nonce: self.nonce,
            head: head.clone(),
        };
        send(&mut *self.answers.0.borrow_mut(), &said)
    }

    fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut out = self.answers.0.borrow_mut();
        for chunk in bytes.chunks(MAX_CHUNK) {
            out.write_all(&(chunk.len() as u32).to_le_bytes())?;
            out.write_all(chunk)?;
        }
        Ok(())
    }

    fn end(&mut self, cut: Option<Reason>) -> io::Result<()> {
        let mut out = self.answers.0.borrow_mut();
        out.write_all(&[0; 4])?;
        send(&mut *out, &MemberEnd { cut })
    }
}

/// Reads up to the reply, collecting the members before it.
pub(crate) fn receive_reply(
    stream: &mut impl BufRead,
    request: u64,
    members: &mut MemberCollector<'_>,
) -> io::Result<Reply> {
    loop {
        match receive(&mut *stream)? {
            WorkerMessage::Reply(reply) => return Ok(reply),
            WorkerMessage::Member { nonce, head } => {
                let has_bytes = head.unread.is_none();
                if nonce != request || !head.unread.is_none_or(Reason::may_come_from_reader) {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                members.begin(head)?;
                if has_bytes {
                    receive_bytes(stream, members)?;
                }
            }
        }
    }
}

fn receive_bytes(stream: &mut impl BufRead, members: &mut MemberCollector<'_>) -> io::Result<()> {
    loop {
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        match u32::from_le_bytes(length) as usize {
            0 => return members.end(receive_end(stream)?),
            length if length > MAX_CHUNK => return Err(io::ErrorKind::InvalidData.into()),
            length => receive_chunk(stream, length, members)?,
        }
    }
}

/// Why the bytes of a member are incomplete, if they are.
fn receive_end(stream: &mut impl BufRead) -> io::Result<Option<Reason>> {
    let MemberEnd { cut } = receive(stream)?;
    match cut.is_none_or(Reason::may_come_from_reader) {
        true => Ok(cut),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Passes a chunk on as it arrives.
fn receive_chunk(
    stream: &mut impl BufRead,
    mut left: usize,
    members: &mut MemberCollector<'_>,
) -> io::Result<()> {
    while left > 0 {
        let there = stream.fill_buf()?;
        if there.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let count = there.len().min(left);
        members.chunk(&there[..count])?;
        stream.consume(count);
        left -= count;
    }
    Ok(())
}
