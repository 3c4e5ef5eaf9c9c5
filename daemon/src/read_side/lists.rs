//! Lists for one request: what the catalogue reads of the index, closed by its counts, with the completeness of the
//! engine's index and the time it took.

use std::ops::ControlFlow;
use std::time::Instant;

use simdex_index::{FileView, GrowingPermit, IndexError, MemoryAccount, View};
use simdex_proto::completeness::Completeness;
use simdex_schema::GroupId;
use simdex_signature::Ratio;
use thiserror::Error;

use crate::engine::{CompletenessCheck, Engine, Incomplete};
use crate::read_side::catalogue::{self, ClusterFiles, Group, Pair, Summary};
use crate::read_side::clusters::{self, ClusterError, ClusterRequest};

/// Parameters of a list of pairs or groups.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The roots whose files may be listed.
    pub view: View,
    /// Least resemblance of a near-duplicate.
    pub threshold: Ratio,
    /// Refuses a list that would not be complete.
    pub strict: bool,
}

/// Parameters of a list of components or cores.
#[derive(Clone, Debug)]
pub struct ClusterListRequest {
    /// The roots whose files may be listed.
    pub view: View,
    /// What is listed.
    pub clusters: ClusterRequest,
    /// Refuses a list that would not be complete.
    pub strict: bool,
}

/// The group asked for.
pub enum GroupRequest<'a> {
    /// The group of a file.
    Of(&'a FileView),
    /// The group with this id.
    Id(GroupId),
}

/// A list that cannot be made.
#[derive(Debug, Error)]
pub enum ListError {
    /// It would not be complete, and only a complete one was wanted.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
    /// The group with this id is in the making.
    #[error("group {id} is not settled", id = .0.0)]
    Unsettled(GroupId),
    /// Components or cores cannot be made.
    #[error(transparent)]
    Clusters(#[from] ClusterError),
    /// The index failed, or the asker went away.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Calls `visit` for each pair of a view, by path, then counts. If `visit` returns `Break`, ignore the counts.
pub fn pairs(
    engine: &Engine,
    request: &ListRequest,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<Summary, ListError> {
    let started = Instant::now();
    let ListRequest {
        view, threshold, ..
    } = request;
    let mut check = CompletenessCheck::begin(engine, view, request.strict)?;
    let (index, cancel) = (engine.index.reader(), account.cancel());
    check.begin_list(view);
    let listed = catalogue::pairs(index, view, *threshold, account, visit)?;
    check.note_unsettled(listed.unsettled);
    Ok(Summary {
        groups: Some(listed.items.groups),
        pairs: Some(listed.items.pairs),
        suppressed: listed.suppressed,
        completeness: check.verdict()?,
        seconds: started.elapsed().as_secs_f64(),
        ..catalogue::summary(index, view, cancel)?
    })
}

/// Calls `visit` for each group of a view, by its principal's path, for a large one part by part; then counts. If
/// `visit` returns `Break`, ignore the counts.
pub fn groups(
    engine: &Engine,
    request: &ListRequest,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(Group) -> ControlFlow<()>,
) -> Result<Summary, ListError> {
    let started = Instant::now();
    let view = &request.view;
    let mut check = CompletenessCheck::begin(engine, view, request.strict)?;
    let (index, cancel) = (engine.index.reader(), account.cancel());
    let listed = catalogue::visit_groups(index, view, request.threshold, account, visit)?;
    check.note_unsettled(listed.unsettled);
    Ok(Summary {
        groups: Some(listed.items),
        suppressed: listed.suppressed,
        completeness: check.verdict()?,
        seconds: started.elapsed().as_secs_f64(),
        ..catalogue::summary(index, view, cancel)?
    })
}

/// Calls `visit` for each component or core of a view, by the path of its longest document, for a large one part
/// by part; then counts. If `visit` returns `Break`, ignore the counts.
pub fn clusters(
    engine: &Engine,
    request: &ClusterListRequest,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(ClusterFiles) -> ControlFlow<()>,
) -> Result<Summary, ListError> {
    let started = Instant::now();
    let ClusterListRequest {
        view,
        clusters: request,
        strict,
    } = request;
    let check = CompletenessCheck::begin(engine, view, *strict)?;
    let (index, cancel) = (engine.index.reader(), account.cancel());
    let found = clusters::clusters(index, &engine.clusters, view, request, account)?;
    let groups = catalogue::visit_clusters(index, view, &found.clusters, account, visit)?;
    Ok(Summary {
        groups: Some(groups),
        suppressed: found.clusters.suppressed,
        unfinished: found.clusters.unfinished,
        completeness: check.verdict()?,
        seconds: started.elapsed().as_secs_f64(),
        ..catalogue::summary(index, view, cancel)?
    })
}

/// A group with the permit that it is held by.
pub type HeldGroup = (Group, GrowingPermit);

/// Finds one group of all roots at the engine's threshold; none where the file is in none, or nothing has the id.
pub fn group(
    engine: &Engine,
    request: &GroupRequest<'_>,
    strict: bool,
    account: &MemoryAccount,
) -> Result<(Option<HeldGroup>, Completeness), ListError> {
    let (index, view) = (engine.index.reader(), engine.roots.view());
    let mut check = CompletenessCheck::begin(engine, &view, strict)?;
    let found = match request {
        GroupRequest::Of(file) => match file.document {
            Some((id, _)) => catalogue::group_of(index, &view, id, account)?,
            None => return Ok((None, check.verdict()?)),
        },
        GroupRequest::Id(id) => catalogue::group_by_id(index, &view, *id, account)?,
    };
    check.note_unsettled(found.unsettled);
    let completeness = check.verdict()?;
    match request {
        GroupRequest::Id(id) if found.is_unsettled => Err(ListError::Unsettled(*id)),
        _ => Ok((found.group, completeness)),
    }
}

/// Calls `visit` for every file of a view, by path, then counts. Groups are those at the engine's threshold, where
/// they are kept.
pub fn files(
    engine: &Engine,
    view: &View,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(&FileView) -> ControlFlow<()>,
) -> Result<Summary, ListError> {
    let started = Instant::now();
    let mut check = CompletenessCheck::begin(engine, view, false)?;
    check.begin_list(view);
    let counts = catalogue::files(engine.index.reader(), view, account, visit)?;
    closed(engine, view, account, counts, (&check, started))
}

/// Counts as [`files`] does, without listing them.
pub fn counts(engine: &Engine, view: &View, account: &MemoryAccount) -> Result<Summary, ListError> {
    let started = Instant::now();
    let check = CompletenessCheck::begin(engine, view, false)?;
    let counts = catalogue::summary(engine.index.reader(), view, account.cancel())?;
    closed(engine, view, account, counts, (&check, started))
}

/// Adds the number of groups, the completeness and the time it took.
fn closed(
    engine: &Engine,
    view: &View,
    account: &MemoryAccount,
    counts: Summary,
    (check, started): (&CompletenessCheck<'_>, Instant),
) -> Result<Summary, ListError> {
    let (index, cancel) = (engine.index.reader(), account.cancel());
    Ok(Summary {
        groups: index.kept_group_count(view, engine.threshold(), cancel)?,
        completeness: check.verdict()?,
        seconds: started.elapsed().as_secs_f64(),
        ..counts
    })
}
