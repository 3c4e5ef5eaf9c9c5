//! Answers ListFolderCopies: pairs of folders that have files in common.

use std::time::Instant;

use simdex_proto::{defaults, v1};
use tonic::Status;

use super::caller::Caller;
use super::reply_channel::ReplySender;
use super::request_params;
use super::status::Refused;
use crate::encode;
use crate::engine::Engine;
use crate::read_side::answering::{FolderCopiesRequest, folder_copies};
use crate::read_side::folders::FoldersRequest;

/// Below this, nearly all pairs of folders that have anything in common would be compared.
const MIN_SHARE: f64 = 0.1;

/// Most files of a folder that are listed for a pair, so that the pair fits into a message.
const MAX_EXCEPTIONS: u32 = 100;

/// A request for the folders that are copies of each other.
pub(super) struct DecodedFolders(FolderCopiesRequest);

impl DecodedFolders {
    pub(super) fn parse(
        engine: &Engine,
        request: &v1::ListFolderCopiesRequest,
    ) -> Result<Self, Status> {
        let share = request.share.unwrap_or(defaults::FOLDER_SHARE);
        if !(MIN_SHARE..=1.0).contains(&share) {
            return Err(Status::invalid_argument(format!(
                "share is {share}, not a number from {MIN_SHARE} to 1"
            )));
        }
        if request.exceptions > MAX_EXCEPTIONS {
            return Err(Status::invalid_argument(format!(
                "exceptions is {}, not 0 to {MAX_EXCEPTIONS}",
                request.exceptions
            )));
        }
        let files = request.files.unwrap_or(defaults::FOLDER_FILES).max(1);
        Ok(Self(FolderCopiesRequest {
            view: request_params::parse_roots(engine, &request.roots)?,
            search: FoldersRequest {
                share,
                files,
                threshold: engine.threshold(),
                exceptions: request.exceptions as usize,
            },
            strict: request.strict,
        }))
    }

    /// Finds the folders and sends them.
    pub(super) fn answer(
        &self,
        engine: &Engine,
        caller: Caller,
        sender: &ReplySender<v1::ListFolderCopiesReply>,
    ) -> Result<(), Refused> {
        use v1::list_folder_copies_reply::Part;
        let send = |part| sender.send(v1::ListFolderCopiesReply { part: Some(part) });
        let account = sender.account(&caller, engine.index.reader());
        let requester = caller.requester(&account, Instant::now());
        let (found, context) = folder_copies(engine, &self.0, &requester)?;
        let pairs = found.pairs.len() as u64;
        for pair in found.pairs {
            send(Part::Folders(encode::folder_copies(pair)))?;
        }
        let summary = v1::FolderCopiesSummary {
            pairs,
            files: found.files,
            truncated: found.truncated,
            too_common: found.too_common,
            completeness: Some(context.completeness.into()),
            seconds: context.seconds,
        };
        send(Part::Summary(summary))
    }
}
