//! What daemon and worker say to each other over a Unix stream socket (the worker's stdin).
//!
//! Every message is a frame: length (u32, little-endian), then that many bytes of JSON.
//!
//! ```text
//! daemon  Setup                              once, before the worker confines itself
//! worker  Hello                              once, confined
//! daemon  Request + read-only descriptor     SCM_RIGHTS on the frame's length bytes
//! worker  Member, then its bytes in chunks    as often as there are members
//! worker  Reply + text_bytes bytes of UTF-8
//! ```
//!
//! The bytes of a member are chunks (u32 length, that many bytes) until a chunk of length 0, then a
//! frame with [`MemberEnd`]. A member whose bytes cannot be had is its frame alone.
//!
//! The worker may have been taken over by a document, so the daemon bounds every length before it
//! allocates and accepts known words only.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::member::{Member, MemberHead, MemberOut};
use crate::spool::Collecting;
use crate::{Budgets, ExtractedText, Extraction, Facts, Outcome, Reason};

/// Longest frame either side accepts.
const MAX_FRAME: usize = 64 << 10;
/// Longest chunk of a member's bytes.
const MAX_CHUNK: usize = 64 << 10;
/// Longest media type or engine name.
const MAX_NAME: usize = 128;
/// Most warnings and longest warning (in bytes) of a reply.
const MAX_WARNINGS: usize = 16;
const MAX_WARNING_BYTES: usize = 800;

/// First frame: the limits the worker takes upon itself for its whole life.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setup {
    pub(crate) address_space: u64,
    pub(crate) cpu_seconds: u64,
    pub(crate) output_bytes: u64,
    pub(crate) budgets: Budgets,
}

/// The worker's first frame: ready, and confined by this.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hello {
    pub(crate) extractor_version: u32,
    pub(crate) enforced: Vec<String>,
    pub(crate) missing: Vec<String>,
}

/// One document; its descriptor travels with the frame.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    pub(crate) nonce: u64,
    pub(crate) length: u64,
    pub(crate) name: Option<String>,
}

/// What a worker may claim. Time-outs and crashes are for the daemon alone to state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    Text,
    Container,
    NoText,
    Encrypted,
    Unsupported,
    TooLarge,
    Failed,
}

/// What a worker says after a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Said {
    Member { nonce: u64, head: MemberHead },
    Reply(Reply),
}

/// Ends the bytes of a member.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberEnd {
    cut: Option<Reason>,
}

/// The answer to one request; `text_bytes` bytes follow the frame.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    pub(crate) nonce: u64,
    pub(crate) status: Status,
    pub(crate) reason: Option<Reason>,
    pub(crate) media_type: String,
    pub(crate) engine: String,
    pub(crate) warnings: Vec<String>,
    pub(crate) facts: Facts,
    pub(crate) text_bytes: u64,
    /// The worker ends after this answer and wants to be replaced.
    pub(crate) last: bool,
}

impl Reply {
    /// Splits an extraction into reply and text. Outcomes a worker cannot state become failures.
    pub(crate) fn of(extraction: Extraction, nonce: u64, last: bool) -> (Self, String) {
        let reason = extraction.outcome.reason();
        let (status, text) = match extraction.outcome {
            Outcome::Text { text, .. } => (Status::Text, text.into_string()),
            Outcome::Container(_) => (Status::Container, String::new()),
            Outcome::NoText(_) => (Status::NoText, String::new()),
            Outcome::Encrypted(_) => (Status::Encrypted, String::new()),
            Outcome::Unsupported(_) => (Status::Unsupported, String::new()),
            Outcome::TooLarge(_) => (Status::TooLarge, String::new()),
            Outcome::Failed(_) | Outcome::TimedOut(_) | Outcome::Crashed(_) => {
                (Status::Failed, String::new())
            }
        };
        let reply = Self {
            nonce,
            status,
            reason,
            media_type: extraction.media_type,
            engine: extraction.engine,
            warnings: extraction.warnings,
            facts: extraction.facts,
            text_bytes: text.len() as u64,
            last,
        };
        (reply, text)
    }

    /// Whether the reply keeps to the bounds and answers `nonce`.
    pub(crate) fn is_sound(&self, nonce: u64, output_bytes: u64) -> bool {
        let needs_reason = !matches!(self.status, Status::Text | Status::Container);
        self.nonce == nonce
            && (self.status == Status::Text || self.text_bytes == 0)
            && (self.reason.is_some() || !needs_reason)
            && self.facts.is_sound()
            && self.text_bytes <= output_bytes
            && is_plain(&self.engine)
            && is_plain(&self.media_type)
            && !self.media_type.contains(' ')
            && self.warnings.len() <= MAX_WARNINGS
            && self
                .warnings
                .iter()
                .all(|w| w.len() <= MAX_WARNING_BYTES && !w.chars().any(char::is_control))
    }

    /// Joins a sound reply and its text; `None` where status and reason do not fit together.
    pub(crate) fn into_extraction(self, text: String, members: Vec<Member>) -> Option<Extraction> {
        let outcome = match (self.status, self.reason) {
            (Status::Text, partial) => Outcome::Text {
                text: ExtractedText::new(text),
                partial,
            },
            (Status::Container, partial) => Outcome::Container(partial),
            (Status::NoText, Some(reason)) => Outcome::NoText(reason),
            (Status::Encrypted, Some(reason)) => Outcome::Encrypted(reason),
            (Status::Unsupported, Some(reason)) => Outcome::Unsupported(reason),
            (Status::TooLarge, Some(reason)) => Outcome::TooLarge(reason),
            (Status::Failed, Some(reason)) => Outcome::Failed(reason),
            (_, None) => return None,
        };
        Some(Extraction {
            outcome,
            media_type: self.media_type,
            engine: self.engine,
            warnings: self.warnings,
            facts: self.facts,
            members,
        })
    }
}

/// Printable ASCII of a reasonable length.
fn is_plain(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(|b| matches!(b, b' '..=b'~'))
}

/// Writes one frame.
pub(crate) fn send(mut stream: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    stream.write_all(&frame(message)?)
}

/// Reads one frame.
pub(crate) fn receive<M: DeserializeOwned>(mut stream: impl Read) -> io::Result<M> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    receive_body(stream, length)
}

/// Writes a reply.
pub(crate) fn send_reply(stream: &UnixStream, reply: Reply) -> io::Result<()> {
    send(stream, &Said::Reply(reply))
}

/// Reads up to the reply, collecting the members before it.
pub(crate) fn receive_reply(
    mut stream: impl Read,
    request: u64,
    members: &mut Collecting<'_>,
) -> io::Result<Reply> {
    loop {
        match receive(&mut stream)? {
            Said::Reply(reply) => return Ok(reply),
            Said::Member { nonce, head } => {
                let has_bytes = head.unread.is_none();
                if nonce != request {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                members.begin(head)?;
                if has_bytes {
                    receive_bytes(&mut stream, members)?;
                }
            }
        }
    }
}

fn receive_bytes(mut stream: impl Read, members: &mut Collecting<'_>) -> io::Result<()> {
    let mut buffer = vec![0; MAX_CHUNK];
    loop {
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let chunk = match u32::from_le_bytes(length) as usize {
            0 => return members.end(receive::<MemberEnd>(stream)?.cut),
            length => buffer.get_mut(..length).ok_or(io::ErrorKind::InvalidData)?,
        };
        stream.read_exact(chunk)?;
        members.chunk(chunk)?;
    }
}

/// Members on their way to the daemon.
pub(crate) struct MemberStream {
    pub(crate) stream: Arc<UnixStream>,
    pub(crate) nonce: u64,
}

impl MemberOut for MemberStream {
    fn begin(&mut self, head: &MemberHead) -> io::Result<()> {
        let said = Said::Member {
            nonce: self.nonce,
            head: head.clone(),
        };
        send(&self.stream, &said)
    }

    fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.chunks(MAX_CHUNK) {
            let mut stream = &*self.stream;
            stream.write_all(&(chunk.len() as u32).to_le_bytes())?;
            stream.write_all(chunk)?;
        }
        Ok(())
    }

    fn end(&mut self, cut: Option<Reason>) -> io::Result<()> {
        let mut stream = &*self.stream;
        stream.write_all(&[0; 4])?;
        send(stream, &MemberEnd { cut })
    }
}

/// Writes one frame with `document` attached.
pub(crate) fn send_with_descriptor(
    mut stream: &UnixStream,
    message: &impl Serialize,
    document: BorrowedFd<'_>,
) -> io::Result<()> {
    let bytes = frame(message)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors = [document];
    control.push(SendAncillaryMessage::ScmRights(&descriptors));
    let sent = sendmsg(
        stream,
        &[IoSlice::new(&bytes)],
        &mut control,
        SendFlags::NOSIGNAL,
    )?;
    stream.write_all(&bytes[sent..])
}

/// Reads one frame and the one descriptor attached to it.
pub(crate) fn receive_with_descriptor<M: DeserializeOwned>(
    mut stream: &UnixStream,
) -> io::Result<(M, OwnedFd)> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(
        stream,
        &mut [IoSliceMut::new(&mut length)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    if received.bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    stream.read_exact(&mut length[received.bytes..])?;
    let document = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    let document = document.ok_or(io::ErrorKind::InvalidData)?;
    Ok((receive_body(stream, length)?, document))
}

fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = bytes.len() - 4;
    if length > MAX_FRAME {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    bytes[..4].copy_from_slice(&(length as u32).to_le_bytes());
    Ok(bytes)
}

fn receive_body<M: DeserializeOwned>(mut stream: impl Read, length: [u8; 4]) -> io::Result<M> {
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_FRAME {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs::File;
    use std::os::fd::AsFd;

    fn reply() -> Reply {
        Reply {
            nonce: 7,
            status: Status::Text,
            reason: None,
            media_type: "text/plain".into(),
            engine: "plain 1".into(),
            warnings: vec![],
            facts: Facts::default(),
            text_bytes: 3,
            last: false,
        }
    }

    #[test]
    fn a_request_carries_its_descriptor() {
        let (daemon, worker) = UnixStream::pair().unwrap();
        let file = File::open("Cargo.toml").unwrap();
        let request = Request {
            nonce: 1,
            length: 2,
            name: Some("ß".into()),
        };
        send_with_descriptor(&daemon, &request, file.as_fd()).unwrap();
        let (got, document) = receive_with_descriptor::<Request>(&worker).unwrap();
        assert_eq!(
            (got.nonce, got.length, got.name.as_deref()),
            (1, 2, Some("ß"))
        );
        let mut text = String::new();
        File::from(document).read_to_string(&mut text).unwrap();
        assert!(text.contains("simdex-extract"));
    }

    #[test]
    fn a_request_without_descriptor_is_refused() {
        let (daemon, worker) = UnixStream::pair().unwrap();
        send(
            &daemon,
            &Request {
                nonce: 1,
                length: 2,
                name: None,
            },
        )
        .unwrap();
        assert!(receive_with_descriptor::<Request>(&worker).is_err());
    }

    #[test]
    fn a_long_frame_is_refused_before_it_is_read() {
        let bytes = u32::MAX.to_le_bytes();
        let error = receive::<Hello>(&bytes[..]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn soundness_is_nonce_bounds_and_plain_names() {
        assert!(reply().is_sound(7, 3));
        assert!(!reply().is_sound(8, 3), "another nonce");
        assert!(!reply().is_sound(7, 2), "longer than allowed");
        let unsound = [
            Reply {
                media_type: "a\nb".into(),
                ..reply()
            },
            Reply {
                media_type: String::new(),
                ..reply()
            },
            Reply {
                engine: "x".repeat(MAX_NAME + 1),
                ..reply()
            },
            Reply {
                warnings: vec![String::new(); MAX_WARNINGS + 1],
                ..reply()
            },
            Reply {
                warnings: vec!["\u{1b}[2J".into()],
                ..reply()
            },
            Reply {
                status: Status::NoText,
                reason: Some(Reason::EmptyFile),
                ..reply()
            },
            Reply {
                status: Status::Failed,
                text_bytes: 0,
                ..reply()
            },
        ];
        for bad in unsound {
            assert!(!bad.is_sound(7, 3), "{bad:?}");
        }
    }

    #[test]
    fn a_worker_cannot_claim_a_time_out_or_unknown_words() {
        let known = serde_json::to_string(&reply()).unwrap();
        assert!(serde_json::from_str::<Reply>(&known).is_ok());
        for (word, other) in [("\"text\"", "\"timed-out\""), ("\"last\"", "\"path\"")] {
            assert!(serde_json::from_str::<Reply>(&known.replace(word, other)).is_err());
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic_the_daemon(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = receive::<Reply>(&bytes[..]);
            let mut framed = (bytes.len() as u32).to_le_bytes().to_vec();
            framed.extend(&bytes);
            let _ = receive::<Hello>(&framed[..]);
        }
    }
}
