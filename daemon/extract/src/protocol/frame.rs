//! Frames: how one message is encoded on the socket, and how a descriptor is sent with it.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longest frame either side accepts.
const MAX_FRAME: usize = 64 << 10;

/// Writes one frame.
pub(crate) fn send(mut stream: impl Write, message: &impl Serialize) -> io::Result<()> {
    stream.write_all(&frame(message)?)
}

/// Reads one frame.
pub(crate) fn receive<M: DeserializeOwned>(mut stream: impl Read) -> io::Result<M> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    receive_body(stream, length)
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
    use crate::protocol::{Hello, Reply, Request, Task};
    use proptest::prelude::*;
    use std::fs::File;
    use std::os::fd::AsFd;

    #[test]
    fn a_request_carries_its_descriptor() {
        let (daemon, worker) = UnixStream::pair().unwrap();
        let file = File::open("Cargo.toml").unwrap();
        let request = Request {
            nonce: 1,
            length: 2,
            name: Some("ß".into()),
            task: Task::Read,
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
                task: Task::Read,
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
