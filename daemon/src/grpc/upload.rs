//! A document that a client sends: kept in an unlinked file, bounded, gone with its query.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use simdex_proto::v1::find_request::Part;
use simdex_proto::v1::{FindRequest, Query};
use tokio::time::timeout_at;
use tonic::{Status, Streaming};

use super::status::lost_thread;
use crate::roots::path_from;

/// Bytes that were received.
pub(super) struct Uploaded {
    /// Opened for reading only, so that no worker can write to it.
    pub(super) file: File,
    /// The name they came under; may be empty.
    pub(super) name: PathBuf,
}

/// A file without a name, written through one handle and read through the other.
struct Spool {
    writer: File,
    reader: File,
}

impl Spool {
    fn new(dir: &Path) -> std::io::Result<Self> {
        let named = tempfile::Builder::new()
            .prefix(".upload-")
            .tempfile_in(dir)?;
        let reader = File::open(named.path())?;
        // Dropping the path removes the name; the handles stay.
        let (writer, path) = named.into_parts();
        drop(path);
        Ok(Self { writer, reader })
    }
}

impl Uploaded {
    /// Bytes that came in one message. Writes: call it on a blocking thread.
    pub(super) fn whole(dir: &Path, bytes: &[u8], name: Vec<u8>) -> Result<Self, Status> {
        let written = Spool::new(dir).and_then(|mut spool| {
            spool.writer.write_all(bytes)?;
            Ok(spool.reader)
        });
        let file = written.map_err(|error| not_kept(&error))?;
        Ok(Self {
            file,
            name: path_from(name),
        })
    }
}

/// The first message of a query.
pub(super) async fn first(
    parts: &mut Streaming<FindRequest>,
    deadline: Instant,
) -> Result<Query, Status> {
    match next(parts, deadline).await? {
        Some(Part::Query(query)) => Ok(query),
        Some(Part::Chunk(_)) | None => {
            Err(Status::invalid_argument("the first message is not a query"))
        }
    }
}

async fn next(
    parts: &mut Streaming<FindRequest>,
    deadline: Instant,
) -> Result<Option<Part>, Status> {
    let late = |_| Status::deadline_exceeded("the request did not end before its deadline");
    let message = timeout_at(deadline.into(), parts.message())
        .await
        .map_err(late)??;
    match message {
        None => Ok(None),
        Some(FindRequest { part: Some(part) }) => Ok(Some(part)),
        Some(FindRequest { part: None }) => Err(Status::invalid_argument(
            "a message is neither a query nor a chunk",
        )),
    }
}

/// Takes in all chunks that follow a query.
pub(super) async fn receive(
    parts: &mut Streaming<FindRequest>,
    name: Vec<u8>,
    dir: &Path,
    longest: u64,
    deadline: Instant,
) -> Result<Uploaded, Status> {
    let dir = dir.to_owned();
    let mut spool = blocking(move || Spool::new(&dir)).await?;
    let mut received = 0;
    while let Some(part) = next(parts, deadline).await? {
        let Part::Chunk(chunk) = part else {
            return Err(Status::invalid_argument("a second query follows the first"));
        };
        received += chunk.len() as u64;
        if received > longest {
            return Err(Status::resource_exhausted(format!(
                "the document is longer than the {longest} bytes that may be sent"
            )));
        }
        spool = blocking(move || spool.writer.write_all(&chunk).map(|()| spool)).await?;
    }
    // A request that was cancelled looks like one that ended: whoever dropped it gets the chance to
    // drop us too before half a document is read as a whole one.
    tokio::task::yield_now().await;
    Ok(Uploaded {
        file: spool.reader,
        name: path_from(name),
    })
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, Status> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| lost_thread(&error))?
        .map_err(|error| not_kept(&error))
}

fn not_kept(error: &std::io::Error) -> Status {
    tracing::error!(%error, "a document that was sent cannot be kept");
    Status::resource_exhausted(format!(
        "the document cannot be kept for the query ({error})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn what_was_sent_is_read_back_and_leaves_no_name_behind() {
        let dir = tempfile::tempdir().unwrap();
        let mut sent = Uploaded::whole(dir.path(), b"some text", b"/x/a.txt".to_vec()).unwrap();
        let mut text = String::new();
        sent.file.read_to_string(&mut text).unwrap();
        assert_eq!(
            (text.as_str(), sent.name.to_str()),
            ("some text", Some("/x/a.txt"))
        );
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        assert!(sent.file.write_all(b"more").is_err());
    }
}
