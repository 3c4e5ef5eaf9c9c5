//! What a query or a side of a comparison is about: received, looked up in the index, or extracted, and
//! turned into a subject.

use std::path::PathBuf;

use simdex_extract::{QueueKey, SnapshotError};
use simdex_index::{IndexError, MemoryAccount};
use simdex_proto::v1;
use simdex_schema::DocumentHash;
use simdex_signature::Signature;
use tonic::{Status, Streaming};

use super::caller::Caller;
use super::request_params::{parse_document_hash, parse_name, parse_path, parse_signature};
use super::runner::{RequestClass, RequestRunner};
use super::status::Refused;
use super::traffic::RequestBytes;
use super::upload::{self, UploadRoom, UploadTarget, Uploaded};
use crate::engine::Engine;
use crate::read_side::compare::LastRead;
use crate::read_side::query::{self, QueryError, Subject};
use crate::write_side::roots::live_reads::{Look, NotReadAgain};

/// What a query or a side of a comparison is about.
pub(super) enum SubjectSource {
    /// A file of the index.
    Path(PathBuf),
    /// A document of the index.
    Document(DocumentHash),
    /// An extracted text.
    Text(String),
    /// A Mod_n signature made elsewhere.
    Signature(Signature),
    /// Bytes of a document, received whole.
    Upload(Uploaded),
}

impl SubjectSource {
    /// Decodes what a query is about; an upload is received completely.
    pub(super) async fn receive(
        runner: &RequestRunner,
        query: v1::Query,
        parts: &mut Streaming<v1::FindRequest>,
        caller: Caller,
        memory_meter: Option<RequestBytes>,
    ) -> Result<Self, Status> {
        use v1::query::Source as Wire;
        // No engine is held while a client sends: a slow one must not keep it from being reopened.
        let known = match query.source {
            Some(Wire::Path(path)) => Self::Path(parse_path(path)?),
            Some(Wire::Document(hash)) => Self::Document(parse_document_hash(&hash)?),
            Some(Wire::Text(text)) => Self::Text(text),
            Some(Wire::Signature(signature)) => {
                Self::Signature(parse_signature(runner.engine()?.index.reader(), signature)?)
            }
            Some(Wire::Upload(upload)) => {
                let target = upload_target(runner, upload, caller, memory_meter)?;
                let _slot = runner.enter(RequestClass::Upload, caller).await?;
                let sent = upload::receive(parts, target, caller.deadline).await?;
                return Ok(Self::Upload(sent));
            }
            None => return Err(Status::invalid_argument("the query names no document")),
        };
        upload::expect_end(parts, caller.deadline).await?;
        Ok(known)
    }

    /// Its name in a difference, or `otherwise` if it has none.
    pub(super) fn name(&self, otherwise: &str) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Document(hash) => hash.to_string(),
            Self::Upload(upload) if !upload.name.as_os_str().is_empty() => {
                upload.name.display().to_string()
            }
            _ => otherwise.to_owned(),
        }
    }

    /// Makes the subject, within the roots the caller may see. Reads and may extract: call it on a blocking
    /// thread.
    pub(super) fn subject(
        self,
        engine: &Engine,
        asker: QueueKey,
        memory: &MemoryAccount,
    ) -> Result<Subject, Refused> {
        let index = engine.index.reader();
        Ok(match self {
            Self::Path(path) => Subject::from_file(index, &file_at(engine, &path)?, memory)?,
            Self::Document(hash) => {
                let view = engine.roots.view();
                let subject = Subject::from_document(index, hash, &view, memory)?;
                subject.with_state_of_first_file(index, &view)?
            }
            Self::Text(text) => Subject::from_text(index, text, memory)?,
            Self::Signature(signature) => Subject::from_signature(signature, memory)?,
            Self::Upload(Uploaded {
                file,
                name,
                permit: _permit,
            }) => Subject::from_upload(index, &engine.pool, asker, file, &name, memory)?,
        })
    }

    /// Makes a side of a comparison, which shows extracted text: for a document that several contents carry,
    /// the text of the very file that was named. If the text is from the file's last reading, the side says so.
    pub(super) fn into_side(
        self,
        engine: &Engine,
        asker: QueueKey,
        memory: &MemoryAccount,
    ) -> Result<(Subject, Option<LastRead>), Refused> {
        let path = match &self {
            Self::Path(path) => Some(path.clone()),
            _ => None,
        };
        let known = self.subject(engine, asker, memory)?;
        let own = path.map(|path| own_text(engine, asker, &known, &path, memory));
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
}

/// Where the document of a query is received.
fn upload_target(
    runner: &RequestRunner,
    upload: v1::Upload,
    caller: Caller,
    memory_meter: Option<RequestBytes>,
) -> Result<UploadTarget, Status> {
    let engine = runner.engine()?;
    Ok(UploadTarget {
        name: parse_name(upload.path)?,
        room: UploadRoom {
            dir: engine.data_dir.clone(),
            disk: runner.disk(),
            share: runner.upload_share(caller),
        },
        longest: engine.config.grpc.max_upload_mib.bytes(),
        memory_meter,
    })
}

/// A look at the file asked about, made while the query is answered.
pub(super) struct StalenessCheck {
    look: Look,
    /// When the file was last read, seconds since 1970; `None` if unknown.
    read_at: Option<i64>,
}

impl StalenessCheck {
    /// If the subject is a file of the index, begins to look whether the file is still as the index has it; a member
    /// changes with the file that it lies in, which is looked up for it.
    pub(super) fn start(engine: &Engine, subject: &Subject) -> Result<Option<Self>, IndexError> {
        let Some(file) = subject.file.as_deref() else {
            return Ok(None);
        };
        let key = file.key.on_disk();
        let record = match file.key.is_member() {
            true => {
                let container = engine
                    .index
                    .reader()
                    .file_info(&key, &engine.roots.view())?;
                container.map(|container| container.record)
            }
            false => Some(file.record.clone()),
        };
        // What was not read has nothing that could be older than the file.
        let read = record.filter(|record| record.content().is_some());
        Ok(read.and_then(|record| {
            let root = engine.roots.get(key.root)?;
            Some(Self {
                look: Look::begin(&root, key.path, record.stat)?,
                read_at: record.last_read,
            })
        }))
    }

    /// When the file was last read, and why it was not read again, if it is known to differ from what the index has.
    pub(super) fn result(&self) -> Option<LastRead> {
        let at = self.read_at;
        self.look.end().map(|why| LastRead { at, why })
    }
}

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
    asker: QueueKey,
    known: &Subject,
    path: &std::path::Path,
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
    let space = engine.pool.space().charged_to(asker);
    let taken = space.snapshot(&file, limit, &go_on)?;
    drop(read);
    let taken = taken.into_file().map_err(SnapshotError::Spool)?;
    let file = taken.file().try_clone().map_err(SnapshotError::Spool)?;
    let own = Subject::from_upload(
        engine.index.reader(),
        &engine.pool,
        asker,
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

/// A file of any root, by its path.
fn file_at(engine: &Engine, path: &std::path::Path) -> Result<simdex_index::FileInfo, QueryError> {
    query::file_at_path(engine, path, &engine.roots.view())
}

/// The recorded file at a path, for requests that cannot take bytes instead.
pub(super) fn recorded_file(
    engine: &Engine,
    path: &std::path::Path,
) -> Result<simdex_index::FileInfo, Refused> {
    Ok(file_at(engine, path)?)
}
