//! Streams documents' bytes to the daemon, read with the caller's rights.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::sync::{mpsc, oneshot};
use tokio_stream::Stream;

use crate::Error;
use crate::locate::{on_disk, shown};
use crate::regular_file::open_regular;
use crate::wire::{FindRequest, Query, find_request::Part};

/// Bytes a chunk message carries at most.
const CHUNK: u64 = 64 << 10;
/// Chunks read ahead of what the daemon has consumed.
const READ_AHEAD: usize = 4;

/// Bytes of a document that need not lie under any root.
pub struct Upload {
    name: PathBuf,
    reader: Box<dyn Read + Send>,
}

impl Upload {
    /// Opens `path`, which must be a regular file or a link to one: opening a FIFO or a device may block or have side
    /// effects.
    ///
    /// # Errors
    /// [`Error::NoSuchFile`], [`Error::NotRegular`], [`Error::Unreadable`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let unreadable = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => Error::NoSuchFile {
                path: path.to_owned(),
            },
            _ => Error::Unreadable {
                path: path.to_owned(),
                source,
            },
        };
        let file = open_regular(path, OpenOptions::new().read(true)).map_err(unreadable)?;
        let file = file.ok_or_else(|| Error::NotRegular {
            path: path.to_owned(),
        })?;
        Ok(Self::from_reader(path, file))
    }

    /// Opens a file as it was typed, under its shown path.
    ///
    /// # Errors
    /// Those of [`Upload::open`], and [`Error::Unreadable`] if the current directory no longer exists.
    pub fn of_file(file: &Path) -> Result<Self, Error> {
        Ok(Self::open(&on_disk(file))?.named(&shown(file)?))
    }

    /// Bytes from `reader`, under a name that hints at their kind.
    pub fn from_reader(name: &Path, reader: impl Read + Send + 'static) -> Self {
        Self {
            name: name.to_owned(),
            reader: Box::new(reader),
        }
    }

    /// Gives the upload another name.
    pub fn named(self, name: &Path) -> Self {
        Self {
            name: name.to_owned(),
            ..self
        }
    }

    /// The upload's name; empty if it has none.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Reads the upload to its end, in chunks, as long as `take` returns true.
    pub(crate) fn chunks(self, mut take: impl FnMut(Vec<u8>) -> bool) -> Result<(), Error> {
        let Self { name, mut reader } = self;
        loop {
            let mut chunk = Vec::new();
            let read = reader.by_ref().take(CHUNK).read_to_end(&mut chunk);
            read.map_err(|source| Error::Unreadable {
                path: name.clone(),
                source,
            })?;
            if chunk.is_empty() || !take(chunk) {
                return Ok(());
            }
        }
    }

    /// Reads the upload at once, at most `limit` bytes.
    pub(crate) fn read_all(self, limit: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let read = self
            .reader
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes);
        let path = self.name;
        let count = read.map_err(|source| Error::Unreadable {
            path: path.clone(),
            source,
        })?;
        if count as u64 > limit {
            return Err(Error::TooLarge { path, limit });
        }
        Ok(bytes)
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Upload")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The requests of one call, and the watcher for errors of their source.
pub(crate) struct UploadStream<T> {
    pub(crate) requests: Requests<T>,
    pub(crate) read_error: ReadErrorWatcher,
}

/// The requests of one call, as a stream that ends only if its source ended properly.
///
/// A source that fails leaves the stream open until the call is dropped and thereby cancelled: an end would tell the
/// daemon that the bytes so far are the whole document.
pub(crate) struct Requests<T>(mpsc::Receiver<Message<T>>);

enum Message<T> {
    Request(T),
    End,
}

impl<T> Stream for Requests<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        match ready!(self.0.poll_recv(context)) {
            Some(Message::Request(request)) => Poll::Ready(Some(request)),
            Some(Message::End) => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

/// Reports, once, that a source of an upload could not be read.
pub(crate) struct ReadErrorWatcher {
    failed: oneshot::Receiver<Error>,
    reported: bool,
}

/// Takes the requests of one call.
pub(crate) struct RequestSender<T>(mpsc::Sender<Message<T>>);

impl<T> RequestSender<T> {
    /// Sends a request; returns false if the call is over, whose status then says why.
    pub(crate) fn send(&self, request: T) -> bool {
        self.0.blocking_send(Message::Request(request)).is_ok()
    }
}

/// Starts sending the query, then the upload's bytes.
pub(crate) fn send(query: Query, upload: Option<Upload>) -> UploadStream<FindRequest> {
    stream_of(move |sender| {
        let first = FindRequest {
            part: Some(Part::Query(query)),
        };
        let is_taken = sender.send(first);
        let Some(upload) = upload.filter(|_| is_taken) else {
            return Ok(());
        };
        upload.chunks(|chunk| {
            let part = Some(Part::Chunk(chunk.into()));
            sender.send(FindRequest { part })
        })
    })
}

/// Starts sending what `produce` yields, a bounded number of requests ahead.
pub(crate) fn stream_of<T: Send + 'static>(
    produce: impl FnOnce(&RequestSender<T>) -> Result<(), Error> + Send + 'static,
) -> UploadStream<T> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    let (report, failed) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let sender = RequestSender(sender);
        // In both cases the receiver is gone if the call is over.
        match produce(&sender) {
            Ok(()) => drop(sender.0.blocking_send(Message::End)),
            Err(error) => drop(report.send(error)),
        }
    });
    UploadStream {
        requests: Requests(receiver),
        read_error: ReadErrorWatcher {
            failed,
            reported: false,
        },
    }
}

impl ReadErrorWatcher {
    /// Returns once a source has failed; never if none does.
    pub(crate) async fn failure(&mut self) -> Error {
        if !self.reported {
            let outcome = (&mut self.failed).await;
            self.reported = true;
            if let Ok(error) = outcome {
                return error;
            }
        }
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    /// Polls without waiting, through everything that is ready.
    fn drained(requests: &mut Requests<FindRequest>) -> (usize, Poll<()>) {
        let mut context = Context::from_waker(Waker::noop());
        let mut count = 0;
        loop {
            match Pin::new(&mut *requests).poll_next(&mut context) {
                Poll::Ready(Some(_)) => count += 1,
                Poll::Ready(None) => return (count, Poll::Ready(())),
                Poll::Pending => return (count, Poll::Pending),
            }
        }
    }

    struct Failing;

    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::TimedOut.into())
        }
    }

    #[test]
    fn what_is_no_regular_file_is_refused_and_not_waited_for() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let dir = tempfile::tempdir().expect("temporary directory");
        let at = |name: &str| dir.path().join(name);
        mknodat(CWD, at("fifo"), FileType::Fifo, Mode::RWXU, 0).expect("FIFO");
        std::os::unix::fs::symlink(at("fifo"), at("link")).expect("link");
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("socket");
        let others = ["/dev/null", "/dev/zero", "/dev/tty", "/"].map(PathBuf::from);
        for path in [at("fifo"), at("link"), at("socket"), at("")]
            .iter()
            .chain(&others)
        {
            let refused = Upload::open(path);
            assert!(
                matches!(
                    refused,
                    Err(Error::NotRegular { .. } | Error::NoSuchFile { .. })
                ),
                "{}: {refused:?}",
                path.display()
            );
        }
        std::fs::write(at("file"), "text").expect("written");
        std::os::unix::fs::symlink(at("file"), at("to-file")).expect("link");
        assert!(Upload::open(&at("to-file")).is_ok());
    }

    #[tokio::test]
    async fn requests_of_a_source_that_failed_never_end() {
        let upload = Upload::from_reader(Path::new("/bad"), Failing);
        let mut outgoing = send(Query::default(), Some(upload));
        assert_eq!(
            outgoing.read_error.failure().await.to_string(),
            "cannot read /bad (timed out)"
        );
        assert_eq!(drained(&mut outgoing.requests), (1, Poll::Pending));
    }

    #[tokio::test]
    async fn requests_of_a_whole_source_end() {
        let upload = Upload::from_reader(Path::new("/good"), &b"text"[..]);
        let mut outgoing = send(Query::default(), Some(upload));
        // The reporting side is dropped only after the last request is queued.
        assert!((&mut outgoing.read_error.failed).await.is_err());
        assert_eq!(drained(&mut outgoing.requests), (2, Poll::Ready(())));
    }
}
