//! The source of a subject, as a request names it: received or decoded, then looked up in the index or extracted.

use std::path::PathBuf;

use simdex_extract::QueueKey;
use simdex_index::MemoryAccount;
use simdex_proto::v1;
use simdex_schema::DocumentHash;
use simdex_signature::Signature;
use tonic::{Status, Streaming};

use super::caller::Caller;
use super::query_stream;
use super::request_params::{parse_document_hash, parse_name, parse_path, parse_signature};
use super::runner::{RequestClass, RequestRunner};
use super::status::Refused;
use super::traffic::RequestBytes;
use super::upload::{self, UploadRoom, UploadTarget, Uploaded};
use crate::engine::Engine;
use crate::read_side::query::{self, Subject};

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
        query_stream::expect_end(parts, caller.deadline).await?;
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
        queue_key: QueueKey,
        memory: &MemoryAccount,
    ) -> Result<Subject, Refused> {
        let index = engine.index.reader();
        Ok(match self {
            Self::Path(path) => {
                let file = query::file_at_path(engine, &path, &engine.roots.view())?;
                Subject::from_file(index, &file, memory)?
            }
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
            }) => Subject::from_upload(index, &engine.pool, queue_key, file, &name, memory)?,
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
