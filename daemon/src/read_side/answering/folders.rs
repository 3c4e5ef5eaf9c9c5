//! Copies of folders, with what the answer rests on.

use simdex_index::VisibleRoots;

use super::{AnswerContext, Requester};
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::folders::{self, FolderCopies, FoldersRequest};
use crate::read_side::lists::ListError;

/// A request for the folders that are copies of each other.
#[derive(Clone, Debug)]
pub struct FolderCopiesRequest {
    /// The roots whose folders are compared.
    pub view: VisibleRoots,
    /// What counts as a copy.
    pub search: FoldersRequest,
    /// Whether to refuse the request while the index is not complete.
    pub strict: bool,
}

/// Finds the pairs of folders of a view.
pub fn folder_copies(
    engine: &Engine,
    request: &FolderCopiesRequest,
    requester: &Requester<'_>,
) -> Result<(FolderCopies, AnswerContext), ListError> {
    let FolderCopiesRequest {
        view,
        search,
        strict,
    } = request;
    let mut check = CompletenessCheck::begin(engine, view, *strict)?;
    check.begin_list(view);
    let index = engine.index.reader();
    let found = folders::folder_copies(index, view, search, requester.account)?;
    check.note_unsettled(found.unsettled);
    let context = AnswerContext::of(&check, requester.started)?;
    Ok((found, context))
}
