//! A comparison answered in full: both sides made, compared, and judged if requested. A side that is a file is read
//! again, so that its own text is shown.

use std::path::Path;

use simdex_extract::{QueueKey, SnapshotError};
use simdex_index::{IndexError, MemoryAccount};
use simdex_proto::completeness::Completeness;

use super::{Requester, SubjectSource};
use crate::engine::{CompletenessCheck, Engine};
use crate::read_side::compare::{
    CompareParams, Comparison, Forms, LastRead, SchemeSelection, compare,
};
use crate::read_side::query::{QueryError, RelationThresholds, Subject, hash_whole};
use crate::write_side::roots::live_reads::NotReadAgain;

/// Parameters of a comparison.
pub struct ComparisonRequest {
    /// The ratios from which the relation has its name.
    pub thresholds: RelationThresholds,
    /// Forms of the difference that are requested.
    pub forms: Forms,
    /// Schemes to estimate by.
    pub schemes: SchemeSelection,
    /// Whether the pair is judged.
    pub is_judged: bool,
    /// Whether to refuse the comparison while the index is not complete.
    pub strict: bool,
    /// Most bytes of the reply.
    pub longest: usize,
}

/// A comparison, and what it rests on.
pub struct Compared {
    /// What the two sides have in common.
    pub comparison: Comparison,
    /// Which sides show the text of their last reading.
    pub last_read: [Option<LastRead>; 2],
    /// Completeness of the index at the time of the answer.
    pub completeness: Completeness,
}

/// Makes both sides and compares them.
pub fn compare_sides(
    engine: &Engine,
    [a, b]: [SubjectSource; 2],
    request: &ComparisonRequest,
    requester: &Requester<'_>,
) -> Result<Compared, QueryError> {
    let check = CompletenessCheck::begin(engine, &engine.roots.view(), request.strict)?;
    let Requester {
        account, queue_key, ..
    } = *requester;
    let names = (a.name("a"), b.name("b"));
    let (a, read_a) = side(a, engine, queue_key, account)?;
    let (b, read_b) = side(b, engine, queue_key, account)?;
    let model = request.is_judged.then(|| engine.models.in_force());
    let params = CompareParams {
        names: (&names.0, &names.1),
        thresholds: request.thresholds,
        forms: request.forms,
        longest: request.longest,
        schemes: &request.schemes,
        model: model.as_deref(),
        account,
    };
    let comparison = compare(engine.index.reader(), &a, &b, &params)?;
    Ok(Compared {
        comparison,
        last_read: [read_a, read_b],
        completeness: check.verdict()?,
    })
}

/// Makes a side of a comparison, which shows extracted text: for a document that several contents carry,
/// the text of the very file that was named. If the text is from the file's last reading, the side says so.
fn side(
    source: SubjectSource,
    engine: &Engine,
    queue_key: QueueKey,
    account: &MemoryAccount,
) -> Result<(Subject, Option<LastRead>), QueryError> {
    let path = match &source {
        SubjectSource::Path(path) => Some(path.clone()),
        _ => None,
    };
    let known = source.subject(engine, queue_key, account)?;
    let own = path.map(|path| own_text(engine, queue_key, &known, &path, account));
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
    account: &MemoryAccount,
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
    let go_on = || account.cancel().check().is_ok();
    let space = engine.pool.space().charged_to(queue_key);
    let taken = space.snapshot(&file, limit, &go_on)?;
    drop(read);
    let taken = taken.into_file().map_err(SnapshotError::Spool)?;
    let mut file = taken.file().try_clone().map_err(SnapshotError::Spool)?;
    let hashed = hash_whole(&mut file)?;
    if Some(hashed.0) != known.content {
        return Err(NotReadAgain::Changed.into());
    }
    let mut own = Subject::from_upload(
        engine.index.reader(),
        &engine.pool,
        queue_key,
        file,
        hashed,
        path,
        account,
    )?;
    // It is still the file of the index, whose place and author signals use.
    own.file.clone_from(&known.file);
    match own.document_hash() == known.document_hash() {
        true => Ok(Some(own)),
        false => Err(NotReadAgain::Unreadable.into()),
    }
}
