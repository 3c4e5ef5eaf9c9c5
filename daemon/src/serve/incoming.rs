//! Connections as they come: counted, and cut where nothing is said on them.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::{Connected, UdsConnectInfo};

use crate::grpc::limits::HANDSHAKE;

/// Bytes of the HTTP/2 preface: whoever sent them speaks the protocol, and keepalive takes over.
const PREFACE: usize = 24;
/// Accepting failed, most likely for want of descriptors: wait for some to be given back.
const RECOVER: Duration = Duration::from_millis(100);

/// A connection that holds one of the places.
pub(super) struct Connection {
    io: UnixStream,
    /// Running until the preface has come.
    handshake: Option<(Pin<Box<Sleep>>, usize)>,
    _place: OwnedSemaphorePermit,
}

/// Accepts while there are of these `places`; more wait in the backlog. Ends when the stream is dropped.
pub(super) fn incoming(
    listener: UnixListener,
    places: usize,
) -> impl Stream<Item = io::Result<Connection>> + Send + 'static {
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    tokio::spawn(async move {
        let places = Arc::new(Semaphore::new(places));
        let accept = async {
            while let Ok(place) = Arc::clone(&places).acquire_owned().await {
                let Some(io) = next(&listener).await else {
                    continue;
                };
                log_peer(&io);
                let wait = Box::pin(tokio::time::sleep(HANDSHAKE));
                let connection = Connection {
                    io,
                    handshake: Some((wait, 0)),
                    _place: place,
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

/// Who connects, by the kernel's word.
fn log_peer(io: &UnixStream) {
    if let Ok(peer) = io.peer_cred() {
        tracing::debug!(
            uid = peer.uid(),
            gid = peer.gid(),
            pid = peer.pid(),
            "a client connects"
        );
    }
}

impl Connected for Connection {
    type ConnectInfo = UdsConnectInfo;

    fn connect_info(&self) -> Self::ConnectInfo {
        self.io.connect_info()
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
        if let Some((wait, read)) = &mut self.handshake {
            *read += buffer.filled().len() - before;
            if *read >= PREFACE {
                self.handshake = None;
            } else if wait.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
        polled
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
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
    use tokio::io::AsyncReadExt;
    use tokio_stream::StreamExt;

    const PLACES: usize = 16;

    fn listen() -> (tempfile::TempDir, std::path::PathBuf, UnixListener) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let listener = UnixListener::bind(&path).unwrap();
        (dir, path, listener)
    }

    #[tokio::test]
    async fn a_connection_waits_for_a_place_and_takes_the_one_given_back() {
        let (_dir, path, listener) = listen();
        let mut connections = Box::pin(incoming(listener, PLACES));
        let (mut clients, mut held) = (Vec::new(), Vec::new());
        for _ in 0..PLACES {
            clients.push(UnixStream::connect(&path).await.unwrap());
            held.push(connections.next().await.unwrap().unwrap());
        }
        clients.push(UnixStream::connect(&path).await.unwrap());
        let soon = Duration::from_millis(50);
        assert!(
            tokio::time::timeout(soon, connections.next())
                .await
                .is_err()
        );
        held.pop();
        assert!(connections.next().await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_says_nothing_is_cut_and_one_that_spoke_is_not() {
        let (_dir, path, listener) = listen();
        let mut connections = Box::pin(incoming(listener, PLACES));
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
    }
}
