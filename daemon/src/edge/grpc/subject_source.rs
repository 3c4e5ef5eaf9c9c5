//! Decodes what a query or a side of a comparison is about; what is sent is received completely first.

use std::path::PathBuf;

use simdex_proto::v1;
use tonic::{Status, Streaming};

use super::caller::Caller;
use super::query_stream;
use super::request_params::{parse_document_hash, parse_name, parse_path, parse_signature};
use super::runner::{RequestClass, RequestRunner};
use super::status::Refused;
use super::traffic::RequestBytes;
use super::upload::{self, UploadRoom, UploadTarget};
use crate::read_side::answering::SubjectSource;

/// Decodes what a query is about; an upload is received completely.
pub(super) async fn receive(
    runner: &RequestRunner,
    query: v1::Query,
    parts: &mut Streaming<v1::FindRequest>,
    caller: Caller,
    memory_meter: Option<RequestBytes>,
) -> Result<SubjectSource, Status> {
    use v1::query::Source as Wire;
    // No engine is held while a client sends: a slow one must not keep it from being reopened.
    let known = match query.source {
        Some(Wire::Path(path)) => SubjectSource::Path(parse_path(path)?),
        Some(Wire::Document(hash)) => SubjectSource::Document(parse_document_hash(&hash)?),
        Some(Wire::Text(text)) => SubjectSource::Text(text),
        Some(Wire::Signature(signature)) => {
            let engine = runner.engine()?;
            SubjectSource::Signature(parse_signature(engine.index.reader(), signature)?)
        }
        Some(Wire::Upload(upload)) => {
            let name = parse_name(upload.path)?;
            let target = upload_target(runner, name, caller, memory_meter)?;
            let _slot = runner.enter(RequestClass::Upload, caller).await?;
            let sent = upload::receive(parts, target, caller.deadline).await?;
            return Ok(SubjectSource::Upload(sent));
        }
        None => return Err(Status::invalid_argument("the query names no document")),
    };
    query_stream::expect_end(parts, caller.deadline).await?;
    Ok(known)
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
            SubjectSource::Upload(upload::store(room, &bytes, name)?)
        }
        None => return Err(Status::invalid_argument("a side names no document").into()),
    })
}

/// Where a document with this name is received.
pub(super) fn upload_target(
    runner: &RequestRunner,
    name: PathBuf,
    caller: Caller,
    memory_meter: Option<RequestBytes>,
) -> Result<UploadTarget, Status> {
    let engine = runner.engine()?;
    Ok(UploadTarget {
        name,
        room: UploadRoom {
            dir: engine.data_dir.clone(),
            disk: runner.disk(),
            share: runner.upload_share(caller),
        },
        longest: engine.config.grpc.max_upload_mib.bytes(),
        memory_meter,
    })
}
