//! Lists for one request: what the catalogue reads from the index, followed by its counts, the completeness of the
//! engine's index and the time it took.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use simdex_index::{FileInfo, IndexError, MemoryAccount, Pairs, VisibleRoots};
use simdex_proto::completeness::Completeness;
use simdex_proto::promise::Promise;
use simdex_schema::GroupId;
use simdex_signature::{Ratio, SchemeKind};
use thiserror::Error;

use crate::engine::{CompletenessCheck, Engine, Incomplete};
use crate::read_side::catalogue::{
    self, ClusterFiles, FoundGroup, Group, GroupSelection, ListCounts, PairPlace, PairSelection,
    PairStep,
};
use crate::read_side::clusters::{self, ClusterError, ClusterRequest};

/// The summary at the end of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListSummary {
    /// Counts over the files that the view shows.
    pub counts: ListCounts,
    /// Groups of at least two files; `None` if they would have to be computed only to be counted.
    pub groups: Option<u64>,
    /// Pairs of files; `None` if they were not searched.
    pub pairs: Option<u64>,
    /// Posting lists that the search for pairs or groups skipped, because none depends on them.
    pub common_lists_skipped: u64,
    /// Parts of the collection whose cores are not all listed; `None` if no cores were requested.
    pub unfinished: Option<u64>,
    /// Files of groups that were not judged because time ran out; `None` if no judgements were requested.
    pub unjudged: Option<u64>,
    /// Documents for which not all that contain them may have been found; `None` if containment was not requested.
    pub uncertain: Option<u64>,
    /// Whether the list of pairs ended at its limit, so that there may be more.
    pub truncated: bool,
    /// Time the answer took.
    pub seconds: f64,
    /// The probability that a pair of near-duplicates is missing; `None` if the list has no threshold.
    pub promise: Option<Promise>,
    /// Completeness of the index when it was counted.
    pub completeness: Completeness,
}

/// The probability that the search for pairs misses one.
pub fn promise_of_pairs(pairs: Pairs<'_>, threshold: Ratio) -> Promise {
    let missed = pairs.missed_at_most(threshold);
    Promise::new(SchemeKind::ModN.name(), threshold.get(), missed)
}

/// What a list of pairs has beside the parameters of a list.
#[derive(Clone, Debug, Default)]
pub struct PairOptions {
    /// Least containment of one document in the other, for pairs that resemble each other less than the threshold.
    pub containment: Option<Ratio>,
    /// Only pairs after this position.
    pub after: Option<PairPlace>,
    /// Most pairs that are searched for.
    pub limit: Option<u64>,
}

/// Parameters of a list of pairs or groups.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The roots whose files may be listed.
    pub view: VisibleRoots,
    /// Least resemblance of a near-duplicate.
    pub threshold: Ratio,
    /// Whether to refuse a list that would not be complete.
    pub strict: bool,
}

/// Parameters of a list of components or cores.
#[derive(Clone, Debug)]
pub struct ClusterListRequest {
    /// The roots whose files may be listed.
    pub view: VisibleRoots,
    /// The clusters to list.
    pub clusters: ClusterRequest,
    /// Whether to refuse a list that would not be complete.
    pub strict: bool,
}

/// Identifies the requested group.
pub enum GroupLocator<'a> {
    /// The group of a file.
    Of(&'a FileInfo),
    /// The group with this id.
    Id(GroupId),
}

/// Why a list cannot be made.
#[derive(Debug, Error)]
pub enum ListError {
    /// It would not be complete, and only a complete one was requested.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
    /// The group with this id is not settled.
    #[error("group {id} is not settled", id = .0.0)]
    Unsettled(GroupId),
    /// Components or cores cannot be computed.
    #[error(transparent)]
    Clusters(#[from] ClusterError),
    /// The index failed, or the client disconnected.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Calls `visit` for each pair of a view, by path, starting after a position if one is given, and after each file; then
/// counts. If `visit` returns `Break`, ignore the counts.
pub fn pairs(
    engine: &Engine,
    request: &ListRequest,
    options: &PairOptions,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(PairStep) -> ControlFlow<()>,
) -> Result<ListSummary, ListError> {
    let started = Instant::now();
    let ListRequest {
        view, threshold, ..
    } = request;
    let mut check = CompletenessCheck::begin(engine, view, request.strict)?;
    let (index, cancel) = (engine.index.reader(), account.cancel());
    check.begin_list(view);
    let selection = PairSelection {
        view,
        threshold: *threshold,
        containment: options.containment,
        after: options.after.as_ref(),
        limit: options.limit,
    };
    check.note_unsettled(engine.index.unsettled());
    let listed = catalogue::visit_pairs(index, selection, account, visit)?;
    // Counted first: the verdict and the elapsed time include a first count of a view.
    let counts = catalogue::counts(index, view, cancel)?;
    Ok(ListSummary {
        groups: index.groups().count_maintained(view, *threshold, cancel)?,
        pairs: Some(listed.pairs),
        common_lists_skipped: listed.common_lists_skipped,
        uncertain: listed.uncertain,
        truncated: listed.truncated,
        promise: Some(promise_of_pairs(index.pairs(), *threshold)),
        completeness: check.verdict()?,
        seconds: started.elapsed().as_secs_f64(),
        counts,
        ..ListSummary::default()
    })
}

/// Calls `visit` for each group of a view, in the order of [`catalogue::visit_groups`], after one if it is given; large
/// groups are visited part by part. Then counts. If `visit` returns `Break`, ignore the counts.
pub fn groups(
    engine: &Engine,
    request: &ListRequest,
    after: Option<&Path>,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(Group) -> ControlFlow<()>,
) -> Result<ListSummary, ListError> {
    let started = Instant::now();
    let view = &request.view;
    let mut check = CompletenessCheck::begin(engine, view, request.strict)?;
    let (index, cancel) = (engine.index.reader(), account.cancel());
    let selection = GroupSelection {
        view,
        threshold: request.threshold,
        after,
    };
    check.begin_list(view);
    let listed = catalogue::visit_groups(index, selection, account, visit)?;
    check.note_unsettled(listed.unsettled);
    // Counted first: the verdict and the elapsed time include a first count of a view.
    let counts = catalogue::counts(index, view, cancel)?;
    Ok(ListSummary {
        groups: Some(listed.items),
        common_lists_skipped: listed.common_lists_skipped,
        promise: Some(promise_of_pairs(index.pairs(), request.threshold)),
        completeness: check.verdict()?,
        seconds: started.elapsed().as_secs_f64(),
        counts,
        ..ListSummary::default()
    })
}

/// Calls `visit` for each component or core of a view, by the path of its longest document; large ones are
/// visited part by part. Then counts. If `visit` returns `Break`, ignore the counts.
pub fn clusters(
    engine: &Engine,
    request: &ClusterListRequest,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(ClusterFiles) -> ControlFlow<()>,
) -> Result<ListSummary, ListError> {
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
    // Counted first: the verdict and the elapsed time include a first count of a view.
    let counts = catalogue::counts(index, view, cancel)?;
    Ok(ListSummary {
        groups: Some(groups),
        common_lists_skipped: found.clusters.common_lists_skipped,
        promise: match request {
            ClusterRequest::Components { threshold } => {
                Some(promise_of_pairs(index.pairs(), *threshold))
            }
            ClusterRequest::Cores { .. } => None,
        },
        unfinished: found.clusters.unfinished,
        completeness: check.verdict()?,
        seconds: started.elapsed().as_secs_f64(),
        counts,
        ..ListSummary::default()
    })
}

/// Finds one group of all roots at the engine's threshold; also returns the completeness of the index at that moment.
/// There is no group if the file is in none, or if none has the id.
pub fn group(
    engine: &Engine,
    request: &GroupLocator<'_>,
    strict: bool,
    account: &MemoryAccount,
) -> Result<(FoundGroup, Completeness), ListError> {
    let (index, view) = (engine.index.reader(), engine.roots.view());
    let mut check = CompletenessCheck::begin(engine, &view, strict)?;
    let found = match request {
        GroupLocator::Of(file) => match file.document {
            Some((id, _)) => catalogue::group_of_document(index, &view, id, account)?,
            None => return Ok((FoundGroup::default(), check.verdict()?)),
        },
        GroupLocator::Id(id) => catalogue::group_by_id(index, &view, *id, account)?,
    };
    check.note_unsettled(found.unsettled);
    let completeness = check.verdict()?;
    match request {
        GroupLocator::Id(id) if found.is_unsettled => Err(ListError::Unsettled(*id)),
        _ => {
            let is_unsettled = found.is_unsettled && found.group.is_none();
            Ok((
                FoundGroup {
                    is_unsettled,
                    ..found
                },
                completeness,
            ))
        }
    }
}

/// Calls `visit` for every file of a view, by path, starting after one if it is given; then counts all files. Groups
/// are those at the engine's threshold, if they are maintained. A `strict` list must be complete.
pub fn files(
    engine: &Engine,
    (view, strict): (&VisibleRoots, bool),
    after: Option<&Path>,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(&FileInfo) -> ControlFlow<()>,
) -> Result<ListSummary, ListError> {
    let started = Instant::now();
    let mut check = CompletenessCheck::begin(engine, view, strict)?;
    check.begin_list(view);
    let index = engine.index.reader();
    let counts = match after {
        Some(seen) => catalogue::files_after(index, view, seen.as_os_str(), account, visit)?,
        None => catalogue::files(index, view, account, visit)?,
    };
    list_summary(engine, view, account, counts, (&check, started))
}

/// Counts like [`files`], without listing.
pub fn counts(
    engine: &Engine,
    view: &VisibleRoots,
    account: &MemoryAccount,
) -> Result<ListSummary, ListError> {
    let started = Instant::now();
    let check = CompletenessCheck::begin(engine, view, false)?;
    let counts = catalogue::counts(engine.index.reader(), view, account.cancel())?;
    list_summary(engine, view, account, counts, (&check, started))
}

/// Adds the number of groups, the completeness and the time it took.
fn list_summary(
    engine: &Engine,
    view: &VisibleRoots,
    account: &MemoryAccount,
    counts: ListCounts,
    (check, started): (&CompletenessCheck<'_>, Instant),
) -> Result<ListSummary, ListError> {
    Ok(ListSummary {
        counts,
        groups: maintained_groups(engine, view, account)?,
        completeness: check.verdict()?,
        seconds: started.elapsed().as_secs_f64(),
        ..ListSummary::default()
    })
}

/// The number of groups of a view at the engine's threshold; `None` if they would have to be computed only to
/// be counted.
pub fn maintained_groups(
    engine: &Engine,
    view: &VisibleRoots,
    account: &MemoryAccount,
) -> Result<Option<u64>, IndexError> {
    let (index, cancel) = (engine.index.reader(), account.cancel());
    index
        .groups()
        .count_maintained(view, engine.threshold(), cancel)
}
