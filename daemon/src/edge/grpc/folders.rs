//! Answers ListFolderCopies: pairs of folders that have files in common.

use std::time::Instant;

use simdex_index::VisibleRoots;
use simdex_proto::{defaults, v1};
use tonic::Status;

use super::caller::Caller;
use super::reply_channel::ReplySender;
use super::request_params;
use super::status::Refused;
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::folders::{FoldersRequest, NamedPair, folder_copies};

/// Below this, nearly all pairs of folders that have anything in common would be compared.
const MIN_SHARE: f64 = 0.1;

/// Most files of a folder that are listed for a pair, so that the pair fits into a message.
const MAX_EXCEPTIONS: u32 = 100;

/// A request for the folders that are copies of each other.
pub(super) struct FolderCopiesRequest {
    view: VisibleRoots,
    request: FoldersRequest,
    strict: bool,
}

impl FolderCopiesRequest {
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
        Ok(Self {
            view: request_params::parse_roots(engine, &request.roots)?,
            request: FoldersRequest {
                share,
                files,
                threshold: engine.threshold(),
                exceptions: request.exceptions as usize,
            },
            strict: request.strict,
        })
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
        let started = Instant::now();
        let mut check = CompletenessCheck::begin(engine, &self.view, self.strict)?;
        check.begin_list(&self.view);
        let account = sender.account(&caller, engine.index.reader());
        let found = folder_copies(engine.index.reader(), &self.view, &self.request, &account)?;
        check.note_unsettled(found.unsettled);
        let pairs = found.pairs.len() as u64;
        for pair in found.pairs {
            send(Part::Folders(encoded(pair)))?;
        }
        let summary = v1::FolderCopiesSummary {
            pairs,
            files: found.files,
            truncated: found.truncated,
            too_common: found.too_common,
            completeness: Some(check.verdict()?.into()),
            seconds: started.elapsed().as_secs_f64(),
        };
        send(Part::Summary(summary))
    }
}

fn encoded(pair: NamedPair) -> v1::FolderCopies {
    let counts = pair.counts;
    let [alone_a, alone_b] = pair.alone;
    v1::FolderCopies {
        a: pair.a,
        b: pair.b,
        files_a: counts.files_a,
        files_b: counts.files_b,
        shared_a: counts.shared_a,
        shared_b: counts.shared_b,
        revised: counts.revised,
        copies: pair.copies,
        further: pair.further,
        alone_a,
        alone_b,
    }
}
