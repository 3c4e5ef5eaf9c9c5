//! A side of a comparison: decoded, and read again if it is a file, so that its own text is shown.

use std::path::Path;

use simdex_extract::{QueueKey, SnapshotError};
use simdex_index::{IndexError, MemoryAccount};
use simdex_proto::v1;
use tonic::Status;

use super::request_params::{parse_document_hash, parse_name, parse_path};
use super::status::Refused;
use super::subject_source::SubjectSource;
use super::upload::{UploadRoom, Uploaded};
use crate::engine::Engine;
use crate::read_side::compare::LastRead;
use crate::read_side::query::{QueryError, Subject};
use crate::write_side::roots::live_reads::NotReadAgain;

/// Decodes a side of a comparison. Writes its bytes to disk: call it on a blocking thread.
pub(super) fn parse_side(room: &UploadRoom, side: v1::Side) -> Result<SubjectSource, Refused> {
    use v1::side::Source as Wire;
    Ok(match side.source {
        Some(Wire::Path(path)) => SubjectSource::Path(parse_path(path)?),
        Some(Wire::Document(hash)) => SubjectSource::Document(parse_document_hash(&hash)?),
        Some(Wire::Text(text)) => SubjectSource::Text(text),
        Some(Wire::Content(bytes)) => {
            let name = parse_name(side.name)?;
            SubjectSource::Upload(Uploaded::whole(room, &bytes, name)?)
        }
        None => return Err(Status::invalid_argument("a side names no document").into()),
    })
}

/// Makes a side of a comparison, which shows extracted text: for a document that several contents carry,
/// the text of the very file that was named. If the text is from the file's last reading, the side says so.
pub(super) fn side(
    source: SubjectSource,
    engine: &Engine,
    queue_key: QueueKey,
    memory: &MemoryAccount,
) -> Result<(Subject, Option<LastRead>), Refused> {
    let path = match &source {
        SubjectSource::Path(path) => Some(path.clone()),
        _ => None,
    };
    let known = source.subject(engine, queue_key, memory)?;
    let own = path.map(|path| own_text(engine, queue_key, &known, &path, memory));
    Ok(match own {
        None | Some(Ok(None)) => (known, None),
        Some(Ok(Some(own))) => (own, None),
        Some(Err(OwnTextError::Failed(error))) => return Err(error.into()),
        Some(Err(OwnTextError::NotRead(why))) => {
            let file = known.file.as_ref();
            let at = file.and_then(|file| file.record.last_read);
            (known, Some(LastRead { at, why }))
        }
    })
}

/// Why the current text of a file is not compared.
enum OwnTextError {
    /// The file could not be read again, for this reason: the text in the index is compared instead.
    NotRead(NotReadAgain),
    /// Nothing is compared: there is no memory for it, or the time is over.
    Failed(IndexError),
}

impl From<NotReadAgain> for OwnTextError {
    fn from(why: NotReadAgain) -> Self {
        Self::NotRead(why)
    }
}

impl From<SnapshotError> for OwnTextError {
    fn from(error: SnapshotError) -> Self {
        match error {
            SnapshotError::Source(_) | SnapshotError::TooLong => NotReadAgain::Unreadable.into(),
            // The machine lacks room for now, which says nothing about the file.
            SnapshotError::Spool(_) => NotReadAgain::NotInTime.into(),
            SnapshotError::Stopped => Self::Failed(IndexError::Cancelled),
        }
    }
}

impl From<QueryError> for OwnTextError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Index(error) => Self::Failed(error),
            // No worker, no descriptor or no room for its members was available.
            QueryError::NotRead(_) => NotReadAgain::NotInTime.into(),
            _ => NotReadAgain::Unreadable.into(),
        }
    }
}

/// Extracts a file again, so that a difference shows its line breaks and case: the index keeps the text of only one of
/// the contents that share a document. `None` if the file has no text, or is read as part of its container.
fn own_text(
    engine: &Engine,
    queue_key: QueueKey,
    known: &Subject,
    path: &Path,
    memory: &MemoryAccount,
) -> Result<Option<Subject>, OwnTextError> {
    let located = engine.roots.locate(path);
    let on_disk = located.filter(|(_, key)| !key.is_member() && known.text().is_some());
    let Some((root, key)) = on_disk else {
        return Ok(None);
    };
    // If the share hangs, the text in the index is an answer too.
    let (read, file) = root.open_live(&key.path)?;
    // The bytes hashed must be the bytes read, whatever happens to the file meanwhile.
    let limit = engine.config.extract.input_mib.bytes();
    let go_on = || memory.cancel().check().is_ok();
    let space = engine.pool.space().charged_to(queue_key);
    let taken = space.snapshot(&file, limit, &go_on)?;
    drop(read);
    let taken = taken.into_file().map_err(SnapshotError::Spool)?;
    let file = taken.file().try_clone().map_err(SnapshotError::Spool)?;
    let own = Subject::from_upload(
        engine.index.reader(),
        &engine.pool,
        queue_key,
        file,
        path,
        memory,
    )?;
    if own.content != known.content {
        return Err(NotReadAgain::Changed.into());
    }
    match own.document_hash() == known.document_hash() {
        true => Ok(Some(own)),
        false => Err(NotReadAgain::Unreadable.into()),
    }
}
