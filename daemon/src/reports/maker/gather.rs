//! Gathers the groups of a view, all or those that contain some files, and the counts of a report.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use simdex_index::{GrowingPermit, IndexError, UnsettledCounts};
use simdex_proto::completeness::Completeness;
use simdex_proto::promise::Promise;

use super::convert::{OnRecordReader, cluster_group, cluster_member, report_group};
use super::{ReportKind, ReportRequest, ReportingError};
use crate::base::visit::FirstError;
use crate::read_side::catalogue::{self, Group, GroupSelection, ListCounts};
use crate::read_side::clusters::{self, ClusterRequest};
use crate::read_side::findings::ReportScope;
use crate::read_side::lists::{ListSummary, maintained_groups, promise_of_pairs};
use crate::reports::report::{ReportGroup, ReportMember, RequestedFiles};

/// The groups and counts of a report.
pub(super) struct GatheredReport {
    pub(super) groups: Vec<ReportGroup>,
    /// The files whose groups these are, if not all groups were requested.
    pub(super) requested_files: Option<RequestedFiles>,
    /// Counts the memory of the groups as long as they are held.
    _held: GrowingPermit,
    counts: ListCounts,
    /// The number of groups; `None` if they would have to be computed only to be counted.
    group_count: Option<u64>,
    /// Posting lists that the search for groups skipped, because none depends on them.
    common_lists_skipped: u64,
    /// Parts of the collection whose cores are not all there; `None` for other reports.
    unfinished: Option<u64>,
    /// The probability that a pair of near-duplicates is missed; `None` for a compliance question.
    promise: Option<Promise>,
    /// Documents that were unsettled when the groups were taken, or whose group is not among them.
    pub(super) unsettled: UnsettledCounts,
}

impl GatheredReport {
    pub(super) fn summary(&self, completeness: Completeness, seconds: f64) -> ListSummary {
        ListSummary {
            counts: self.counts.clone(),
            groups: self.group_count,
            common_lists_skipped: self.common_lists_skipped,
            unfinished: self.unfinished,
            promise: self.promise.clone(),
            completeness,
            seconds,
            ..ListSummary::default()
        }
    }
}

/// The groups for a report of groups, and the counts of every report; refuses a question about unknown files.
pub(super) fn gather(
    scope: &ReportScope<'_>,
    request: &ReportRequest,
) -> Result<GatheredReport, ReportingError> {
    let (engine, view, cancel) = (scope.engine, scope.view, scope.account.cancel());
    let gathered = match &request.kind {
        ReportKind::Groups(files) => gather_groups(scope, request, files)?,
        ReportKind::Clusters(request) => gather_clusters(scope, request)?,
        ReportKind::Compliance(question) => {
            scope.check(question)?;
            GatheredReport {
                groups: Vec::new(),
                requested_files: None,
                _held: GrowingPermit::of(scope.account),
                counts: catalogue::counts(engine.index.reader(), view, cancel)?,
                group_count: maintained_groups(engine, view, scope.account)?,
                common_lists_skipped: 0,
                unfinished: None,
                promise: None,
                unsettled: UnsettledCounts::default(),
            }
        }
    };
    cancel.check()?;
    Ok(gathered)
}

/// The groups of a view that contain these files, or all if none is given, with the counts of the view.
fn gather_groups(
    scope: &ReportScope<'_>,
    request: &ReportRequest,
    files: &[PathBuf],
) -> Result<GatheredReport, ReportingError> {
    let (view, account, threshold) = (scope.view, scope.account, request.threshold);
    let named = scope.files_at(files, view)?;
    let requested_files = named
        .iter()
        .map(|file| file.path.as_os_str().as_bytes().to_vec());
    let requested_files: Vec<Vec<u8>> = requested_files.collect();
    let index = scope.engine.index.reader();
    let mut gathering = Gathering {
        requested_files: (!files.is_empty())
            .then(|| requested_files.iter().map(Vec::as_slice).collect()),
        on_record: OnRecordReader(request.with_judgement.then_some(index)),
        groups: Vec::new(),
        has_requested: false,
        held: GrowingPermit::of(account),
        bytes: 0,
        failed: FirstError::default(),
    };
    let all = GroupSelection::all(view, threshold);
    let listed = catalogue::visit_groups(index, all, account, &mut |part| gathering.part(&part))?;
    let (groups, held) = gathering.end()?;
    let limited = (!files.is_empty()).then_some(groups.len() as u64);
    Ok(GatheredReport {
        requested_files: limited.map(|_| split_requested(requested_files, &groups)),
        groups,
        _held: held,
        counts: catalogue::counts(index, view, account.cancel())?,
        group_count: limited.or(Some(listed.items)),
        common_lists_skipped: listed.common_lists_skipped,
        unfinished: None,
        promise: Some(promise_of_pairs(index.pairs(), threshold)),
        unsettled: listed.unsettled,
    })
}

/// The components or cores of a view, numbered by the paths of their longest documents, with the counts of the view.
fn gather_clusters(
    scope: &ReportScope<'_>,
    request: &ClusterRequest,
) -> Result<GatheredReport, ReportingError> {
    let (engine, view, account) = (scope.engine, scope.view, scope.account);
    let index = engine.index.reader();
    let found = clusters::clusters(index, &engine.clusters, view, request, account)?;
    let mut groups: Vec<ReportGroup> = Vec::new();
    let (mut held, mut failed) = (GrowingPermit::of(account), FirstError::default());
    catalogue::visit_clusters(index, view, &found.clusters, account, &mut |part| {
        let members = part.members.iter().map(cluster_member);
        let members: Vec<ReportMember> = members.collect();
        let counted = held.add(held_bytes(&members));
        match groups.last_mut().filter(|_| part.is_continued) {
            Some(group) => group.members.extend(members),
            None => groups.push(cluster_group(groups.len(), part.common, members)),
        }
        failed.flow(counted)
    })?;
    failed.into_result()?;
    Ok(GatheredReport {
        requested_files: None,
        group_count: Some(groups.len() as u64),
        groups,
        _held: held,
        counts: catalogue::counts(index, view, account.cancel())?,
        common_lists_skipped: found.clusters.common_lists_skipped,
        unfinished: found.clusters.unfinished,
        promise: match request {
            ClusterRequest::Components { threshold } => {
                Some(promise_of_pairs(index.pairs(), *threshold))
            }
            ClusterRequest::Cores { .. } => None,
        },
        unsettled: UnsettledCounts::default(),
    })
}

/// Bytes that a group and its members take, with spare capacity.
fn held_bytes(members: &[ReportMember]) -> u64 {
    let beside = members.iter().map(ReportMember::heap_bytes).sum::<usize>();
    let all = size_of_val(members) + size_of::<ReportGroup>();
    (2 * all + beside) as u64
}

/// The files asked about, with those that are in none of these groups.
fn split_requested(files: Vec<Vec<u8>>, groups: &[ReportGroup]) -> RequestedFiles {
    let members = groups.iter().flat_map(|group| &group.members);
    let found = members
        .filter(|member| member.is_requested)
        .map(|member| &member.path);
    let found: HashSet<&Vec<u8>> = found.collect();
    let in_no_group = files.iter().filter(|file| !found.contains(file)).cloned();
    RequestedFiles {
        in_no_group: in_no_group.collect(),
        files,
    }
}

/// Groups that are assembled from parts.
struct Gathering<'a> {
    /// Paths of the files whose groups are wanted; `None` if all groups are.
    requested_files: Option<HashSet<&'a [u8]>>,
    on_record: OnRecordReader<'a>,
    groups: Vec<ReportGroup>,
    /// Whether the last group contains a file that was asked about.
    has_requested: bool,
    /// Counts the memory of the groups.
    held: GrowingPermit,
    /// Bytes of the groups before the last.
    bytes: u64,
    failed: FirstError<IndexError>,
}

impl Gathering<'_> {
    fn part(&mut self, part: &Group) -> ControlFlow<()> {
        if !part.is_continued {
            self.end_group();
        }
        let is_requested = |path: &[u8]| {
            self.requested_files
                .as_ref()
                .is_some_and(|it| it.contains(path))
        };
        let members = part.members.iter().map(|member| {
            let path = member.file.path.as_os_str().as_bytes();
            self.on_record.member(member, is_requested(path))
        });
        let members: Vec<ReportMember> = members.collect();
        self.has_requested |= members.iter().any(|member| member.is_requested);
        let counted = self.held.add(held_bytes(&members));
        match self.groups.last_mut().filter(|_| part.is_continued) {
            Some(group) => group.members.extend(members),
            None => self.groups.push(report_group(part.id, members)),
        }
        self.failed.flow(counted)
    }

    /// Drops the last group if it contains none of the files that were asked about.
    fn end_group(&mut self) {
        if self.requested_files.is_some() && !self.has_requested {
            self.groups.pop();
            self.held.shrink_to(self.bytes);
        }
        self.bytes = self.held.bytes();
        self.has_requested = false;
    }

    fn end(mut self) -> Result<(Vec<ReportGroup>, GrowingPermit), IndexError> {
        self.end_group();
        self.failed.into_result()?;
        Ok((self.groups, self.held))
    }
}
