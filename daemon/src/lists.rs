//! Whole lists of a running engine: what is listed, the counts that close it, and what both rest on.

use std::ops::ControlFlow;
use std::time::Instant;

use simdex_index::{Cancel, FileView, IndexError, View};
use simdex_proto::completeness::Completeness;
use simdex_schema::GroupId;
use simdex_signature::Ratio;
use thiserror::Error;

use crate::catalogue::{self, Group, Pair, Summary};
use crate::engine::{Basis, Engine, Incomplete};

/// How pairs or groups are asked for.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// What the asker may see.
    pub view: View,
    /// Least resemblance of a near-duplicate.
    pub threshold: Ratio,
    /// Refuses a list that would not be complete.
    pub strict: bool,
}

/// Which group is asked for.
pub enum GroupRequest<'a> {
    /// That of a file.
    Of(&'a FileView),
    /// That with this id.
    Id(GroupId),
}

/// Why there is no list.
#[derive(Debug, Error)]
pub enum ListError {
    /// It would not be complete, and only a complete one was wanted.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
    /// The index failed, or the asker went away.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Visits the pairs of a view by path, then counts. Where a visit breaks off, the counts are of no use.
pub fn pairs(
    engine: &Engine,
    request: &ListRequest,
    cancel: &Cancel,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<Summary, ListError> {
    let started = Instant::now();
    let ListRequest {
        view, threshold, ..
    } = request;
    let basis = Basis::of(engine, view, request.strict)?;
    let index = &engine.index;
    let listed = catalogue::pairs(index, view, *threshold, cancel, visit)?;
    let groups = catalogue::count_groups(index, view, *threshold, cancel)?;
    Ok(Summary {
        groups,
        pairs: Some(listed.items),
        suppressed: listed.suppressed,
        completeness: basis.close()?,
        seconds: started.elapsed().as_secs_f64(),
        ..catalogue::summary(index, view)?
    })
}

/// Visits the groups of a view by their principal's path, then counts. Where a visit breaks off, the
/// counts are of no use.
pub fn groups(
    engine: &Engine,
    request: &ListRequest,
    cancel: &Cancel,
    visit: &mut dyn FnMut(Group) -> ControlFlow<()>,
) -> Result<Summary, ListError> {
    let started = Instant::now();
    let view = &request.view;
    let basis = Basis::of(engine, view, request.strict)?;
    let index = &engine.index;
    let listed = catalogue::visit_groups(index, view, request.threshold, cancel, visit)?;
    Ok(Summary {
        groups: listed.items,
        suppressed: listed.suppressed,
        completeness: basis.close()?,
        seconds: started.elapsed().as_secs_f64(),
        ..catalogue::summary(index, view)?
    })
}

/// One group of all roots at the index's own threshold, and what that rests on.
pub fn group(
    engine: &Engine,
    request: &GroupRequest<'_>,
    strict: bool,
) -> Result<(Option<Group>, Completeness), ListError> {
    let (index, view) = (&engine.index, engine.roots.view());
    let basis = Basis::of(engine, &view, strict)?;
    let group = match request {
        GroupRequest::Of(file) => match file.document {
            Some((id, _)) => catalogue::group_of(index, &view, id)?,
            None => None,
        },
        GroupRequest::Id(id) => catalogue::group_by_id(index, &view, *id)?,
    };
    Ok((group, basis.close()?))
}

/// Visits every file of a view by path, then counts, groups at the index's own threshold.
pub fn files(
    engine: &Engine,
    view: &View,
    cancel: &Cancel,
    visit: &mut dyn FnMut(&FileView) -> ControlFlow<()>,
) -> Result<Summary, ListError> {
    counted(engine, view, cancel, || {
        catalogue::files(&engine.index, view, visit)
    })
}

/// The counts alone, which are at hand where no file changed since they were asked for last.
pub fn counts(engine: &Engine, view: &View, cancel: &Cancel) -> Result<Summary, ListError> {
    counted(engine, view, cancel, || {
        catalogue::summary(&engine.index, view)
    })
}

/// Runs `count`, then adds the number of groups, the completeness and the time it took.
fn counted(
    engine: &Engine,
    view: &View,
    cancel: &Cancel,
    count: impl FnOnce() -> Result<Summary, IndexError>,
) -> Result<Summary, ListError> {
    let started = Instant::now();
    let basis = Basis::of(engine, view, false)?;
    let index = &engine.index;
    let counts = count()?;
    let kept = Ratio::new(index.parameters().threshold).unwrap_or(Ratio::ONE);
    Ok(Summary {
        groups: catalogue::count_groups(index, view, kept, cancel)?,
        completeness: basis.close()?,
        seconds: started.elapsed().as_secs_f64(),
        ..counts
    })
}
