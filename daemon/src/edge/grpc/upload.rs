//! A document that a client sends: kept in an unlinked file, bounded, removed with its query.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use simdex_proto::text::grouped;
use simdex_proto::v1::FindRequest;
use simdex_proto::v1::find_request::Part;
use simdex_schema::ContentHash;
use tonic::{Code, Status, Streaming};

use super::query_stream::{next, second_query};
use super::status::{Refused, lost_thread};
use super::traffic::RequestBytes;
use crate::base::echo::echo;
use crate::base::user_budget::{UserPermit, UserShare};
use crate::host::disk::DiskGuard;
use crate::read_side::answering::Uploaded;

/// Where the bytes of a document are kept, and within what room.
#[derive(Clone)]
pub(super) struct UploadRoom {
    /// The directory of the spool.
    pub(super) dir: PathBuf,
    /// Guards the room on its disk.
    pub(super) disk: Arc<DiskGuard>,
    /// The sender's share of the room there.
    pub(super) share: UserShare,
}

/// A file without a name, written through one handle and read through the other.
struct Spool {
    writer: File,
    reader: File,
    disk: Arc<DiskGuard>,
    permit: UserPermit,
    hasher: blake3::Hasher,
}

impl Spool {
    fn new(room: &UploadRoom) -> std::io::Result<Self> {
        let UploadRoom { dir, disk, share } = room;
        let named = tempfile::Builder::new()
            .prefix(".upload-")
            .tempfile_in(dir)?;
        let reader = File::open(named.path())?;
        // Dropping the path removes the name; the handles stay open.
        let (writer, path) = named.into_parts();
        drop(path);
        Ok(Self {
            writer,
            reader,
            disk: Arc::clone(disk),
            permit: share.nothing(),
            hasher: blake3::Hasher::new(),
        })
    }

    /// Adds bytes, as long as the sender's share and the disk have room beyond what commits need.
    fn add(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let length = bytes.len() as u64;
        if !self.permit.grow(length) {
            return Err(ErrorKind::QuotaExceeded.into());
        }
        self.disk.take_spare(length)?;
        self.hasher.update(bytes);
        self.writer.write_all(bytes)
    }

    fn into_uploaded(self, name: PathBuf) -> Uploaded {
        Uploaded {
            file: self.reader,
            name,
            bytes: self.hasher.count(),
            content: ContentHash(*self.hasher.finalize().as_bytes()),
            permit: self.permit,
        }
    }
}

/// Stores bytes that arrived in one message. Writes to disk: call it on a blocking thread.
pub(super) fn store(room: &UploadRoom, bytes: &[u8], name: PathBuf) -> Result<Uploaded, Status> {
    let written = Spool::new(room).and_then(|mut spool| {
        spool.add(bytes)?;
        Ok(spool.into_uploaded(name))
    });
    written.map_err(|error| not_kept(&error))
}

/// Where the bytes of an upload are kept, its name, and its greatest length.
pub(super) struct UploadTarget {
    /// The name the document comes under.
    pub(super) name: PathBuf,
    /// Where they are kept.
    pub(super) room: UploadRoom,
    /// Most bytes that are accepted.
    pub(super) longest: u64,
    /// Counts the bytes that are in memory.
    pub(super) memory_meter: Option<RequestBytes>,
}

/// A document that is being received, chunk by chunk.
pub(super) struct Reception {
    spool: Spool,
    name: PathBuf,
    received: u64,
    longest: u64,
    memory_meter: Option<RequestBytes>,
}

impl Reception {
    /// Begins to receive a document.
    pub(super) async fn begin(target: UploadTarget) -> Result<Self, Status> {
        let UploadTarget {
            name,
            room,
            longest,
            memory_meter,
        } = target;
        Ok(Self {
            spool: blocking(move || Spool::new(&room)).await?,
            name,
            received: 0,
            longest,
            memory_meter,
        })
    }

    /// Adds a chunk.
    pub(super) async fn add(
        mut self,
        chunk: impl AsRef<[u8]> + Send + 'static,
    ) -> Result<Self, Status> {
        let length = chunk.as_ref().len();
        self.received += length as u64;
        let longest = self.longest;
        if self.received > longest {
            let name = match self.name.as_os_str().as_bytes() {
                b"" => "the document".to_owned(),
                name => echo(name),
            };
            let why = format!(
                "{name} is longer than the {} bytes that may be sent",
                grouped(longest)
            );
            let refused = Refused::new(Code::ResourceExhausted, &why);
            let advice = "raise grpc.max_upload_mib, or put the document below a watched root";
            return Err(refused.advised(Some(advice)).into());
        }
        let mut spool = self.spool;
        self.spool = blocking(move || spool.add(chunk.as_ref()).map(|()| spool)).await?;
        if let Some(meter) = &self.memory_meter {
            meter.stored(length);
        }
        Ok(self)
    }

    /// Ends the document.
    pub(super) fn finish(self) -> Uploaded {
        self.spool.into_uploaded(self.name)
    }
}

/// Receives all chunks that follow a query.
pub(super) async fn receive(
    parts: &mut Streaming<FindRequest>,
    target: UploadTarget,
    deadline: Instant,
) -> Result<Uploaded, Status> {
    let mut reception = Reception::begin(target).await?;
    while let Some(part) = next(parts, deadline).await? {
        let Part::Chunk(chunk) = part else {
            return Err(second_query());
        };
        reception = reception.add(chunk).await?;
    }
    // A cancelled request looks like one that ended: yielding lets the owner of the request drop
    // this future too, before half a document is taken for a whole one.
    tokio::task::yield_now().await;
    Ok(reception.finish())
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, Status> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| lost_thread(&error))?
        .map_err(|error| not_kept(&error))
}

fn not_kept(error: &std::io::Error) -> Status {
    tracing::error!(%error, "an uploaded document cannot be stored");
    // The path and how full the disk is are for the operator only.
    let (why, advice) = match error.kind() {
        ErrorKind::StorageFull => ("the daemon's disk has no room for the document", None),
        ErrorKind::QuotaExceeded => (
            "documents that were sent and are still in use take as much disk space as they may (grpc.max_uploads_mib)",
            Some("ask again later, or send less"),
        ),
        _ => ("the document cannot be stored", None),
    };
    let refused = Refused::new(Code::ResourceExhausted, why);
    refused.advised(advice).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::user_budget::UserBudget;
    use crate::host::disk::Space;
    use std::io::Read;

    fn room(dir: &tempfile::TempDir, disk: DiskGuard, share: UserShare) -> UploadRoom {
        UploadRoom {
            dir: dir.path().to_owned(),
            disk: Arc::new(disk),
            share,
        }
    }

    fn plenty() -> UserShare {
        UserBudget::new(1 << 30).for_user(7)
    }

    #[test]
    fn what_was_sent_is_read_back_and_leaves_no_name_behind() {
        let dir = tempfile::tempdir().unwrap();
        let room = room(&dir, DiskGuard::new(dir.path(), 0), plenty());
        let mut sent = store(&room, b"some text", "/x/a.txt".into()).unwrap();
        let mut text = String::new();
        sent.file.read_to_string(&mut text).unwrap();
        assert_eq!(
            (text.as_str(), sent.name.to_str()),
            ("some text", Some("/x/a.txt"))
        );
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        assert!(sent.file.write_all(b"more").is_err());
    }

    #[test]
    fn a_document_is_refused_where_it_would_take_the_room_of_commits() {
        let dir = tempfile::tempdir().unwrap();
        let space = Space {
            available: (128 << 20) + 1,
            total: 16 << 30,
        };
        let disk = DiskGuard::measured_by(dir.path(), 64 << 20, Box::new(move |_| Ok(space)));
        let room = room(&dir, disk, plenty());
        let sent = |bytes: &[u8]| store(&room, bytes, "/x/a".into());
        assert!(sent(b"1").is_ok());
        let status = sent(b"22").map(drop).unwrap_err();
        assert_eq!(status.code(), tonic::Code::ResourceExhausted);
        assert!(!status.message().contains(&*dir.path().to_string_lossy()));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn documents_of_one_user_that_wait_take_half_of_the_room_for_all_and_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let budget = UserBudget::new(8);
        let of = |uid| {
            let disk = DiskGuard::new(dir.path(), 0);
            room(&dir, disk, budget.for_user(uid))
        };
        let (greedy, other) = (of(1), of(2));
        let sent = |room: &UploadRoom, bytes: &[u8]| store(room, bytes, "/x/a".into());
        let waiting = sent(&greedy, b"123").unwrap();
        let status = sent(&greedy, b"45").map(drop).unwrap_err();
        assert_eq!(status.code(), tonic::Code::ResourceExhausted);
        assert!(status.message().contains("max_uploads_mib"), "{status}");
        assert!(sent(&other, b"1234").is_ok());
        // It takes room as long as its query lasts.
        drop(waiting);
        assert!(sent(&greedy, b"45").is_ok());
    }

    #[tokio::test]
    async fn a_document_that_is_too_long_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let refused = async |name: &str| {
            let target = UploadTarget {
                name: name.into(),
                room: room(&dir, DiskGuard::new(dir.path(), 0), plenty()),
                longest: 4,
                memory_meter: None,
            };
            let reception = Reception::begin(target).await.unwrap();
            let reception = reception.add(b"1234".to_vec()).await.unwrap();
            let status = reception.add(b"5".to_vec()).await.map(drop).unwrap_err();
            status.message().to_owned()
        };
        let why = "is longer than the 4 bytes that may be sent";
        assert_eq!(refused("/x/a\n.txt").await, format!("/x/a\\n.txt {why}"));
        assert_eq!(refused("").await, format!("the document {why}"));
    }
}
