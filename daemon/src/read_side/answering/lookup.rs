//! Look-ups of one thing in the index: a file, a document with its files, or a group.

use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use simdex_index::{FileInfo, GrowingPermit, HeldText, IndexError, IndexReader, MemoryAccount};
use simdex_proto::completeness::Completeness;
use simdex_proto::promise::Promise;
use simdex_proto::text::state_with_reason;
use simdex_schema::{DocId, DocumentHash, GroupId, State, StoredReason};
use thiserror::Error;

use super::judged_lists::{ItemJudge, JudgedItems, ListedGroup};
use crate::base::echo::echo;
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::lists::{self, GroupLocator, ListError};
use crate::read_side::query::{QueryError, file_at_path, name_of_document};

/// Why something cannot be looked up.
#[derive(Debug, Error)]
pub enum LookupError {
    /// The file or document that was named is not there.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The file that was named carries no document with a text.
    #[error("{path} has no text: its state is {}", state_with_reason(.state.name(), .reason.as_str()))]
    NoText {
        /// The path as it is shown.
        path: String,
        /// The state that reading it ended in.
        state: State,
        /// Reason code that refines the state.
        reason: StoredReason,
    },
    /// No group has this id.
    #[error("no group has the id {}", .0.0)]
    UnknownGroup(GroupId),
    /// The id was made for the groups of one answer.
    #[error("the id {} was of one answer only", .0.0)]
    TemporaryGroup(GroupId),
    /// The group cannot be shown.
    #[error(transparent)]
    List(#[from] ListError),
}

impl LookupError {
    /// What to do about it, if that is known.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::UnknownGroup(_) => Some("`simctl groups` lists the ids there are"),
            Self::TemporaryGroup(_) => Some(
                "groups at another threshold or of some roots have no lasting id; `simctl groups --of FILE` shows the \
                 group of a file",
            ),
            Self::Query(_) | Self::NoText { .. } | Self::List(_) => None,
        }
    }
}

impl From<IndexError> for LookupError {
    fn from(error: IndexError) -> Self {
        QueryError::from(error).into()
    }
}

/// Looks up one file by its path.
pub fn file(
    engine: &Engine,
    path: &Path,
    strict: bool,
) -> Result<(FileInfo, Completeness), QueryError> {
    let view = engine.roots.view();
    let check = CompletenessCheck::begin(engine, &view, strict)?;
    let file = file_at_path(engine, path, &view)?;
    Ok((file, check.verdict()?))
}

/// Names a document.
pub enum DocumentSource {
    /// The document that this file carries.
    Path(PathBuf),
    /// The document with this hash.
    Hash(DocumentHash),
}

/// A request for a document.
pub struct DocumentRequest {
    /// The document that is asked about.
    pub source: DocumentSource,
    /// Whether its text is read.
    pub with_text: bool,
}

/// What is reported of a document beside its files.
pub struct FoundDocument {
    /// Hash of its canonical text, or of its raw bytes.
    pub hash: DocumentHash,
    /// Characters of its canonical text.
    pub chars: u64,
    /// Distinct shingles of its signed text.
    pub shingles: u64,
    /// Its extracted text, if requested. No permit counts it any more: the reply that holds it is counted separately.
    pub text: Option<String>,
    /// Completeness of the index at the time of the answer.
    pub completeness: Completeness,
}

/// Looks up a document, and calls `visit` for each of its files.
///
/// # Errors
/// [`IndexError::Cancelled`] also if `visit` returned `Break`.
pub fn document(
    engine: &Engine,
    request: DocumentRequest,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(&FileInfo) -> ControlFlow<()>,
) -> Result<FoundDocument, LookupError> {
    let (index, view): (&IndexReader, _) = (engine.index.reader(), engine.roots.view());
    let cancel = account.cancel();
    let check = CompletenessCheck::begin(engine, &view, false).map_err(QueryError::from)?;
    let named = match &request.source {
        DocumentSource::Path(path) => Some(echo(path.as_os_str().as_bytes())),
        DocumentSource::Hash(_) => None,
    };
    let (id, hash) = named_document(engine, request.source)?;
    let (mut files, mut flow) = (0_u64, ControlFlow::Continue(()));
    index.files().visit_of_document(id, &view, &mut |file| {
        files += 1;
        flow = visit(&file);
        match cancel.check().is_ok() {
            true => flow,
            false => ControlFlow::Break(()),
        }
    })?;
    cancel.check()?;
    if flow.is_break() {
        return Err(IndexError::Cancelled.into());
    }
    let record = index.documents().record(id)?.filter(|_| files > 0);
    let record = record.ok_or(QueryError::UnknownDocument(hash))?;
    cancel.check()?;
    let read = read_document(index, id, request.with_text, account);
    let name = || named.unwrap_or_else(|| name_of_document(index, hash, &view));
    let (shingles, text) = read.map_err(|error| QueryError::from(error).naming(name))?;
    Ok(FoundDocument {
        hash,
        chars: record.chars,
        shingles,
        text: text.map(|text| text.into_parts().0),
        completeness: check.verdict().map_err(QueryError::from)?,
    })
}

/// The number of shingles of a document, and its text if requested.
fn read_document(
    index: &IndexReader,
    id: DocId,
    with_text: bool,
    account: &MemoryAccount,
) -> Result<(u64, Option<HeldText>), IndexError> {
    let shingles = index.shingles().of_document(id, account)?;
    let shingles = shingles.map_or(0, |set| set.len() as u64);
    account.cancel().check()?;
    let text = match with_text {
        true => index.texts().read(id, account)?,
        false => None,
    };
    Ok((shingles, text))
}

fn named_document(
    engine: &Engine,
    source: DocumentSource,
) -> Result<(DocId, DocumentHash), LookupError> {
    match source {
        DocumentSource::Path(path) => {
            let file = file_at_path(engine, &path, &engine.roots.view())?;
            file.document.ok_or_else(|| LookupError::NoText {
                path: echo(file.path.as_os_str().as_bytes()),
                state: file.state,
                reason: file.reason,
            })
        }
        DocumentSource::Hash(hash) => {
            let known = engine.index.reader().documents().with_hash(hash)?;
            Ok((known.ok_or(QueryError::UnknownDocument(hash))?, hash))
        }
    }
}

/// Names a group.
pub enum GroupSource {
    /// The group of this file.
    File(PathBuf),
    /// The group with this id.
    Id(GroupId),
}

/// A request for one group.
pub struct GroupRequest {
    /// The group that is asked about.
    pub source: GroupSource,
    /// Whether to refuse the request while the index is not complete.
    pub strict: bool,
    /// Which of its files are judged.
    pub judged: JudgedItems,
}

/// What is reported of one group.
pub struct GroupReply {
    /// The group; `None` if the file is in no group.
    pub group: Option<ListedGroup>,
    /// Whether the file may be in a group once waiting documents are settled.
    pub is_unsettled: bool,
    /// The probability that the search for pairs misses one.
    pub promise: Promise,
    /// Completeness of the index at the time of the answer.
    pub completeness: Completeness,
    /// Counts the memory of the group while it is held.
    _held: Option<GrowingPermit>,
}

/// Looks up one group at the engine's threshold.
///
/// # Errors
/// [`LookupError::UnknownGroup`] or [`LookupError::TemporaryGroup`] if no group has the id, [`ListError::Unsettled`]
/// while its members are not settled.
pub fn group(
    engine: &Engine,
    request: GroupRequest,
    account: &MemoryAccount,
) -> Result<GroupReply, LookupError> {
    let strict = request.strict;
    let (found, completeness) = match request.source {
        GroupSource::File(path) => {
            let file = file_at_path(engine, &path, &engine.roots.view())?;
            lists::group(engine, &GroupLocator::Of(&file), strict, account)?
        }
        GroupSource::Id(id) => {
            let (found, completeness) =
                lists::group(engine, &GroupLocator::Id(id), strict, account)?;
            if found.group.is_none() {
                return Err(match id.as_temporary() {
                    Some(_) => LookupError::TemporaryGroup(id),
                    None => LookupError::UnknownGroup(id),
                });
            }
            (found, completeness)
        }
    };
    let (group, held) = found.group.unzip();
    let mut judge = ItemJudge::new(engine, request.judged, account);
    let group = group.map(|group| judge.group(group));
    Ok(GroupReply {
        group: group.transpose()?,
        is_unsettled: found.is_unsettled,
        promise: lists::promise_of_pairs(engine.index.reader().pairs(), engine.threshold()),
        completeness,
        _held: held,
    })
}
