//! Streams a document's bytes to the daemon, read with the caller's rights.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;

use crate::Error;
use crate::wire::{FindRequest, Query, find_request::Part};

/// Bytes a chunk message carries at most.
const CHUNK: u64 = 64 << 10;
/// Chunks read ahead of what the daemon has taken.
const READ_AHEAD: usize = 4;

/// Bytes of a document that need not lie under any root.
pub struct Upload {
    name: PathBuf,
    reader: Box<dyn Read + Send>,
}

impl Upload {
    /// Opens `path`; fails where it is a directory or may not be read.
    ///
    /// # Errors
    /// [`Error::NoSuchFile`], [`Error::Unreadable`].
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
        let file = File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.is_dir() {
            return Err(unreadable(io::ErrorKind::IsADirectory.into()));
        }
        Ok(Self::from_reader(path, file))
    }

    /// Bytes from `reader`, under a name that hints at their kind.
    pub fn from_reader(name: &Path, reader: impl Read + Send + 'static) -> Self {
        Self {
            name: name.to_owned(),
            reader: Box::new(reader),
        }
    }

    /// The same bytes under another name.
    pub fn named(self, name: &Path) -> Self {
        Self {
            name: name.to_owned(),
            ..self
        }
    }

    /// The name the bytes came under; empty for none.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// At most `limit` bytes, all at once.
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

/// The messages of one call, and the watch over their source.
pub(crate) struct Outgoing {
    pub(crate) requests: ReceiverStream<FindRequest>,
    pub(crate) watch: Watch,
}

/// Tells when the source of an upload failed.
pub(crate) struct Watch {
    name: PathBuf,
    failed: Option<oneshot::Receiver<Failed>>,
    /// Kept until the call is dropped: without it the stream would end as if the file were whole.
    unfinished: Option<mpsc::Sender<FindRequest>>,
}

struct Failed {
    cause: io::Error,
    unfinished: mpsc::Sender<FindRequest>,
}

/// Starts sending: the query, then the upload's bytes, a bounded number of chunks ahead.
pub(crate) async fn send(query: Query, upload: Option<Upload>) -> Outgoing {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    // The channel is empty and its receiver alive, so this neither waits nor fails.
    let _ = sender
        .send(FindRequest {
            part: Some(Part::Query(query)),
        })
        .await;
    let requests = ReceiverStream::new(receiver);
    let Some(Upload { name, reader }) = upload else {
        let watch = Watch {
            name: PathBuf::new(),
            failed: None,
            unfinished: None,
        };
        return Outgoing { requests, watch };
    };
    let (report, failed) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        if let Err(cause) = send_chunks(reader, &sender) {
            let _ = report.send(Failed {
                cause,
                unfinished: sender,
            });
        }
    });
    Outgoing {
        requests,
        watch: Watch {
            name,
            failed: Some(failed),
            unfinished: None,
        },
    }
}

fn send_chunks(
    mut reader: Box<dyn Read + Send>,
    sender: &mpsc::Sender<FindRequest>,
) -> io::Result<()> {
    loop {
        let mut chunk = Vec::new();
        if reader.by_ref().take(CHUNK).read_to_end(&mut chunk)? == 0 {
            return Ok(());
        }
        let message = FindRequest {
            part: Some(Part::Chunk(chunk.into())),
        };
        if sender.blocking_send(message).is_err() {
            // The call is over; its status says why.
            return Ok(());
        }
    }
}

impl Watch {
    /// Returns once the source has failed; never, where it does not.
    pub(crate) async fn failure(&mut self) -> Error {
        if let Some(failed) = &mut self.failed {
            let outcome = failed.await;
            self.failed = None;
            if let Ok(Failed { cause, unfinished }) = outcome {
                self.unfinished = Some(unfinished);
                return Error::Unreadable {
                    path: self.name.clone(),
                    source: cause,
                };
            }
        }
        std::future::pending().await
    }
}
