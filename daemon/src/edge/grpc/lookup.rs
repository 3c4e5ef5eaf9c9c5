//! Decodes GetGroup and GetDocument, and answers GetDocument with as many files as fit into a message.

use prost::Message;
use simdex_index::MemoryAccount;
use simdex_proto::v1;
use simdex_schema::GroupId;
use tonic::Status;

use super::reply_channel::too_long;
use super::request_params::{parse_document_hash, parse_judged_items, parse_path};
use super::status::Refused;
use crate::base::visit::FirstError;
use crate::encode;
use crate::engine::Engine;
use crate::read_side::answering::{
    self, DocumentRequest, DocumentSource, GroupRequest, GroupSource,
};

/// Decodes a request for one group.
pub(super) fn parse_group(request: v1::GetGroupRequest) -> Result<GroupRequest, Status> {
    use v1::get_group_request::Source as Wire;
    let source = match request.source {
        Some(Wire::Path(path)) => GroupSource::File(parse_path(path)?),
        Some(Wire::Id(id)) => GroupSource::Id(GroupId(id)),
        None => {
            let refused = "the request names neither file nor group";
            return Err(Status::invalid_argument(refused));
        }
    };
    Ok(GroupRequest {
        source,
        strict: request.strict,
        judged: parse_judged_items(request.with_judgement, request.judge_first)?,
    })
}

/// Decodes a request for a document.
pub(super) fn parse_document(request: v1::GetDocumentRequest) -> Result<DocumentRequest, Status> {
    use v1::get_document_request::Source as Wire;
    let source = match request.source {
        Some(Wire::Path(path)) => DocumentSource::Path(parse_path(path)?),
        Some(Wire::Document(hash)) => DocumentSource::Hash(parse_document_hash(&hash)?),
        None => return Err(Status::invalid_argument("the request names no document")),
    };
    Ok(DocumentRequest {
        source,
        with_text: request.with_text,
    })
}

/// A document with its files, in a message of at most `longest` bytes.
pub(super) fn document(
    engine: &Engine,
    request: DocumentRequest,
    longest: usize,
    account: &MemoryAccount,
) -> Result<v1::GetDocumentReply, Refused> {
    let (mut files, mut length, mut refused) = (Vec::new(), 0, FirstError::default());
    let found = answering::document(engine, request, account, &mut |file| {
        let file = encode::file(file);
        length += file.encoded_len();
        files.push(file);
        refused.flow(match length <= longest {
            true => Ok(()),
            false => Err(too_long(length, longest)),
        })
    });
    refused.into_result()?;
    Ok(encode::document(found?, files))
}
