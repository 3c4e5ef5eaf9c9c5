//! Incoming connections: admitted by user, and cut when the book of connections says so.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{Instant, Sleep};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::Connected;

use crate::edge::grpc::{Admission, Connections, Peer};

/// Bytes of the HTTP/2 preface: a client that has sent them speaks the protocol.
const PREFACE: usize = 24;
/// Accepting failed, most likely because descriptors ran out: wait for some to be released.
const RECOVER: Duration = Duration::from_millis(100);

/// A connection that is entered in the book.
pub(super) struct Connection {
    io: UnixStream,
    peer: Peer,
    /// Bytes read, counted up to the preface.
    read: usize,
    /// When the book must be asked again.
    look: Pin<Box<Sleep>>,
}

/// Accepts the clients that the book admits and closes all others at once, so that none delays the next. Ends
/// when the stream is dropped.
pub(super) fn incoming(
    listener: UnixListener,
    book: Arc<Connections>,
) -> impl Stream<Item = io::Result<Connection>> + Send + 'static {
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    tokio::spawn(async move {
        let accept = async {
            loop {
                let Some(io) = next(&listener).await else {
                    continue;
                };
                let Some(connection) = admit(io, &book) else {
                    continue;
                };
                if sender.send(Ok(connection)).await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            () = accept => {}
            () = sender.closed() => {}
        }
    });
    ReceiverStream::new(receiver)
}

async fn next(listener: &UnixListener) -> Option<UnixStream> {
    match listener.accept().await {
        Ok((io, _)) => Some(io),
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(RECOVER).await;
            None
        }
    }
}

/// A connection with its place in the book; `None` if there is no place for its user, or the user is unknown.
fn admit(io: UnixStream, book: &Arc<Connections>) -> Option<Connection> {
    // The user who connects, as the kernel reports it.
    let user = io.peer_cred().ok()?;
    let (uid, gid, pid) = (user.uid(), user.gid(), user.pid());
    match book.admit(uid) {
        Admission::Granted(peer) => {
            tracing::debug!(uid, gid, pid, "a client connects");
            Some(Connection::new(io, peer))
        }
        Admission::Refused => {
            tracing::warn!(
                uid,
                pid,
                "a user has as many connections as allowed: a new one is closed"
            );
            None
        }
    }
}

impl Connection {
    fn new(io: UnixStream, peer: Peer) -> Self {
        Self {
            io,
            peer,
            read: 0,
            look: Box::pin(tokio::time::sleep_until(Instant::now())),
        }
    }

    /// Fails once the connection must go.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let spoke = self.read >= PREFACE;
        loop {
            let verdict = self.peer.verdict(spoke, context.waker());
            let look = verdict.map_err(|cut| {
                tracing::debug!(?cut, "a connection is closed");
                io::Error::from(io::ErrorKind::TimedOut)
            })?;
            self.look.as_mut().reset(look);
            if self.look.as_mut().poll(context).is_pending() {
                return Ok(());
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.peer.close();
    }
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.io).poll_read(context, buffer);
        let more = buffer.filled().len() - before;
        self.read = (self.read + more).min(PREFACE);
        self.check(context)?;
        polled
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        // A client that reads nothing at all keeps the server in writes, not in reads.
        self.check(context)?;
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.io).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::GrpcConfig;
    use crate::edge::grpc::limits::{ClientLimits, HANDSHAKE};
    use tokio::io::AsyncReadExt;
    use tokio_stream::StreamExt;

    fn listen() -> (tempfile::TempDir, std::path::PathBuf, UnixListener) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let listener = UnixListener::bind(&path).unwrap();
        (dir, path, listener)
    }

    fn book(connections: usize, of_a_user: usize) -> Arc<Connections> {
        Connections::new(ClientLimits {
            connections,
            connections_per_user: of_a_user,
            ..ClientLimits::of(&GrpcConfig::default())
        })
    }

    #[tokio::test]
    async fn a_connection_above_the_share_takes_the_place_of_the_longest_idle_one() {
        let (_dir, path, listener) = listen();
        let mut connections = Box::pin(incoming(listener, book(8, 3)));
        let (mut clients, mut held) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            clients.push(UnixStream::connect(&path).await.unwrap());
            held.push(connections.next().await.unwrap().unwrap());
        }
        let cut = held[0].read(&mut [0; 64]).await;
        assert_eq!(cut.unwrap_err().kind(), io::ErrorKind::TimedOut);
        clients[1].try_write(b"x").unwrap();
        assert_eq!(held[1].read(&mut [0; 64]).await.unwrap(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_says_nothing_is_cut_and_one_that_spoke_is_not() {
        let (_dir, path, listener) = listen();
        let mut connections = Box::pin(incoming(listener, book(8, 8)));
        let _silent = UnixStream::connect(&path).await.unwrap();
        let mut connection = connections.next().await.unwrap().unwrap();
        let read = connection.read(&mut [0; 64]).await;
        assert_eq!(read.unwrap_err().kind(), io::ErrorKind::TimedOut);

        let client = UnixStream::connect(&path).await.unwrap();
        let mut connection = connections.next().await.unwrap().unwrap();
        client.try_write(&[0; PREFACE]).unwrap();
        assert_eq!(connection.read(&mut [0; 64]).await.unwrap(), PREFACE);
        let later = tokio::time::timeout(2 * HANDSHAKE, connection.read(&mut [0; 64])).await;
        assert!(later.is_err(), "it is still waited for");
        let idle = connection.read(&mut [0; 64]).await;
        assert_eq!(idle.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
