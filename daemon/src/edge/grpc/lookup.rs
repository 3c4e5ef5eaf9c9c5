//! Look-ups of one thing in the index: a group, or a document with its files.

use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

use prost::Message;
use simdex_index::{Cancel, FileInfo, IndexReader, MemoryAccount};
use simdex_proto::v1;
use simdex_schema::{DocId, GroupId};
use tonic::{Code, Status};

use super::list_encoder::ListEncoder;
use super::reply_channel::too_long;
use super::request_params;
use super::status::Refused;
use crate::base::echo::echo;
use crate::encode;
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::lists::{self, GroupLocator};
use crate::read_side::query::{QueryError, file_at_path};

/// Advice for a caller whose id belongs to no group.
const UNKNOWN_GROUP_ADVICE: &str = "`simctl groups` lists the ids there are";

/// Returns one group; NOT_FOUND if no group has the id, UNAVAILABLE while the members of that group are not settled.
pub(super) fn group(
    engine: &Engine,
    source: v1::get_group_request::Source,
    (strict, with_judgement): (bool, bool),
    account: &MemoryAccount,
) -> Result<v1::GetGroupReply, Refused> {
    use v1::get_group_request::Source as Wire;
    let (found, completeness) = match source {
        Wire::Path(path) => {
            let path = request_params::parse_path(path)?;
            let file = file_at_path(engine, &path, &engine.roots.view())?;
            lists::group(engine, &GroupLocator::Of(&file), strict, account)?
        }
        Wire::Id(id) => {
            let looked_up = lists::group(engine, &GroupLocator::Id(GroupId(id)), strict, account)?;
            if looked_up.0.group.is_none() {
                let unknown = format!("no group has the id {id}");
                return Err(
                    Refused::new(Code::NotFound, &unknown).advised(Some(UNKNOWN_GROUP_ADVICE))
                );
            }
            looked_up
        }
    };
    let promise = lists::promise_of_pairs(engine.index.reader(), engine.threshold());
    let mut encoder = ListEncoder::new(engine, with_judgement, account);
    let group = found.group.as_ref();
    let group = group.map(|(group, _held)| encoder.group(group));
    Ok(v1::GetGroupReply {
        group: group.transpose()?,
        completeness: Some(completeness.into()),
        promise: Some(promise.into()),
        unsettled: found.is_unsettled,
    })
}

/// A document with its files, in a message of at most `longest` bytes.
pub(super) fn document(
    engine: &Engine,
    request: v1::GetDocumentRequest,
    longest: usize,
    account: &MemoryAccount,
) -> Result<v1::GetDocumentReply, Refused> {
    use v1::get_document_request::Source as Wire;
    let (index, cancel): (&IndexReader, _) = (engine.index.reader(), account.cancel());
    let check = CompletenessCheck::begin(engine, &engine.roots.view(), false)?;
    let (id, hash) = match request.source {
        Some(Wire::Path(path)) => {
            let path = request_params::parse_path(path)?;
            let file = file_at_path(engine, &path, &engine.roots.view())?;
            file.document.ok_or_else(|| without_text(&file))?
        }
        Some(Wire::Document(hash)) => {
            let hash = request_params::parse_document_hash(&hash)?;
            let unknown = || QueryError::UnknownDocument(hash);
            (index.document_by_hash(hash)?.ok_or_else(unknown)?, hash)
        }
        None => return Err(Status::invalid_argument("the request names no document").into()),
    };
    let files = files_of(engine, id, longest, cancel)?;
    let record = index.document(id)?.filter(|_| !files.is_empty());
    let record = record.ok_or(QueryError::UnknownDocument(hash))?;
    cancel.check()?;
    let shingles = index.shingles(id, account)?;
    let shingles = shingles.map_or(0, |set| set.len() as u64);
    cancel.check()?;
    let text = match request.with_text {
        true => index.held_text(id, account)?,
        false => None,
    };
    // The reply is counted separately, so that no memory of the requests' budget waits to be read.
    Ok(v1::GetDocumentReply {
        document: hash.0.to_vec(),
        chars: record.chars,
        shingles,
        files,
        text: text.map(|text| text.into_parts().0),
        completeness: Some(check.verdict()?.into()),
    })
}

/// The files of a document, as many as fit into a message.
fn files_of(
    engine: &Engine,
    id: DocId,
    longest: usize,
    cancel: &Cancel,
) -> Result<Vec<v1::File>, Refused> {
    let (mut files, mut length) = (Vec::new(), 0);
    let view = engine.roots.view();
    engine
        .index
        .reader()
        .visit_files_of(id, &view, &mut |file| {
            let file = encode::file(&file);
            length += file.encoded_len();
            files.push(file);
            match length <= longest && cancel.check().is_ok() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
    cancel.check()?;
    match length <= longest {
        true => Ok(files),
        false => Err(too_long(length, longest).into()),
    }
}

fn without_text(file: &FileInfo) -> Status {
    let path = echo(file.path.as_os_str().as_bytes());
    let state = file.state.name();
    let reason = file.reason.as_str();
    let why = if reason.is_empty() {
        String::new()
    } else {
        format!(" ({reason})")
    };
    Status::failed_precondition(format!("{path} has no text: its state is {state}{why}"))
}
