//! Gathers a report from the index and writes it: to a client, or into the daemon's report directory.

mod check;
mod convert;
mod files;
mod gather;

use std::cell::Cell;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use simdex_index::{IndexError, MemoryAccount, VisibleRoots};
use simdex_proto::lines::{EarlierReport as EarlierReportLine, JsonPath, Question};
use simdex_signature::Ratio;
use thiserror::Error;

use crate::engine::{CompletenessCheck, Engine, Incomplete};
use crate::host::owners::Owners;
use crate::read_side::clusters::{ClusterError, ClusterRequest};
use crate::read_side::findings::{
    ComplianceQuestion, FindingError, FindingsSummary, NotCompared, ReportScope, SentFiles, Sums,
    TakeFinding,
};
use crate::read_side::lists::ListSummary;
use crate::reports::report::{
    self, ClusterTerms, EarlierReport, Findings, LoadFile, ReportDir, ReportError, ReportInput,
    Sink, VisitFindings, Written,
};
use crate::write_side::roots::RootState;
use convert::{scheme_line, sent_line, text_of};
use files::files;
use gather::gather;

pub use check::{
    BadReport, CheckedReport, LoadFileNames, UncheckedReport, UnknownRoot, is_of_groups,
};

/// Why a report cannot be made.
#[derive(Debug, Error)]
pub enum ReportingError {
    /// The report could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// It would not be complete, and only a complete one was requested.
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
    /// The question cannot be answered.
    #[error(transparent)]
    Finding(#[from] FindingError),
    /// Components or cores cannot be computed.
    #[error(transparent)]
    Clusters(#[from] ClusterError),
    /// The index failed, or the client disconnected.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Parameters of a report.
#[derive(Clone, Debug)]
pub struct ReportRequest {
    /// The roots whose files it covers.
    pub view: VisibleRoots,
    /// Least resemblance of a near-duplicate.
    pub threshold: Ratio,
    /// Least share of a text that a finding contains.
    pub containment: Ratio,
    /// Whether to refuse a report that would not be complete.
    pub strict: bool,
    /// The load file to write, if any.
    pub load: Option<LoadFile>,
    /// The contents of the report.
    pub kind: ReportKind,
    /// Whether to judge the files of groups.
    pub with_judgement: bool,
    /// The earlier report of this kind to compare with, if any.
    pub since: Option<Arc<EarlierReport>>,
    /// The files asked about that the index lacks.
    pub sent_files: Arc<SentFiles>,
}

/// The contents of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum ReportKind {
    /// The groups that contain these files, with their differences; all groups if no files are given.
    Groups(Vec<PathBuf>),
    /// Components or cores.
    Clusters(ClusterRequest),
    /// A compliance question.
    Compliance(ComplianceQuestion),
}

/// A report that the daemon keeps.
#[derive(Clone, Debug)]
pub struct KeptReport {
    /// Path of its directory, under the final name.
    pub path: PathBuf,
    /// BLAKE3 of the manifest's lines, in hexadecimal.
    pub manifest: String,
    /// The counts stated in its manifest.
    pub summary: ListSummary,
    /// The totals of a compliance question.
    pub sums: Option<Sums>,
    /// The files asked about whose text was not compared.
    pub not_compared: Vec<NotCompared>,
    /// What changed since the earlier report that it was compared with.
    pub since: Option<EarlierReportLine>,
}

/// Where a report is kept, and for which user.
pub struct KeptPlace<'a> {
    /// The directory of all kept reports.
    pub reports: &'a ReportDir,
    /// Name of the report in it.
    pub name: &'a OsStr,
    /// The user whose share it takes; `None` for a scheduled report.
    pub uid: Option<u32>,
}

/// Keeps a report in the daemon's report directory, and records it in the index. If the deadline
/// passes first, nothing is left behind.
pub fn keep(
    engine: &Engine,
    place: &KeptPlace<'_>,
    request: ReportRequest,
    account: &MemoryAccount,
) -> Result<KeptReport, ReportingError> {
    let created = jiff::Timestamp::now();
    // Roots may have been mounted or moved since the start.
    place.reports.check_apart(&forbidden_dirs(engine))?;
    let folder = place.reports.begin_for(place.name, place.uid)?;
    let (summary, written) = write(engine, &folder, created, request, account)?;
    account.cancel().check()?;
    let path = folder.publish()?;
    let finished = jiff::Timestamp::now().as_microsecond().unsigned_abs();
    let writer = engine.writer();
    writer.put_report(finished, &path, summary.groups.unwrap_or(0))?;
    writer.forget_reports(may_be_there)?;
    Ok(KeptReport {
        path,
        manifest: written.manifest,
        summary,
        sums: written.sums,
        not_compared: written.not_compared,
        since: written.since,
    })
}

/// The kept report of this name, to compare a later one with; `None` if no name is given.
pub fn earlier(
    engine: &Engine,
    reports: &ReportDir,
    name: &OsStr,
) -> Result<Option<Arc<EarlierReport>>, ReportingError> {
    if name.is_empty() {
        return Ok(None);
    }
    let earlier = reports.earlier_report(name, engine.own_reports.key())?;
    Ok(Some(Arc::new(earlier)))
}

/// Writes the files of a report.
pub fn download(
    engine: &Engine,
    sink: &dyn Sink,
    request: ReportRequest,
    account: &MemoryAccount,
) -> Result<ListSummary, ReportingError> {
    let (summary, _) = write(engine, sink, jiff::Timestamp::now(), request, account)?;
    Ok(summary)
}

/// Directories in which no report may be stored.
pub fn forbidden_dirs(engine: &Engine) -> Vec<PathBuf> {
    let roots = engine.roots.iter().map(|root| root.path.clone());
    roots.chain([engine.data_dir.clone()]).collect()
}

/// Whether a report stays on record: false if somebody is known to have removed it.
pub fn may_be_there(report: &Path) -> bool {
    !matches!(report.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound)
}

fn write(
    engine: &Engine,
    sink: &dyn Sink,
    created: jiff::Timestamp,
    request: ReportRequest,
    account: &MemoryAccount,
) -> Result<(ListSummary, Written), ReportingError> {
    let started = Instant::now();
    let view = request.view.clone();
    let mut check = CompletenessCheck::begin(engine, &view, request.strict)?;
    check.begin_list(&view);
    let scope = scope(engine, &view, &request, created, account);
    let gathered = gather(&scope, &request)?;
    check.note_unsettled(gathered.unsettled);
    let seconds = || started.elapsed().as_secs_f64();
    let mut summary = gathered.summary(check.verdict()?, seconds());
    let compliance = ComplianceAnswer {
        scope: &scope,
        failed: Cell::default(),
    };
    let answer = |take: &mut TakeFinding<'_>| compliance.answer(&request.kind, take);
    let written = report::write(
        sink,
        &ReportInput {
            created,
            version: env!("CARGO_PKG_VERSION"),
            threshold: request.threshold.get(),
            scheme: scheme_line(&engine.index, &request.kind),
            roots: roots_in(engine, &view, |_| true),
            stale_roots: roots_in(engine, &view, |state| {
                matches!(state, RootState::Stale | RootState::Replaced)
            }),
            summary: summary.clone(),
            completeness: &|| check.completeness(),
            seconds: &seconds,
            groups: gathered.groups,
            requested_files: gathered.requested_files,
            clusters: cluster_terms(&request.kind),
            findings: compliance.findings(&request.kind, &answer),
            files: &|visit| files(&scope, visit),
            load: request.load,
            since: request.since.as_deref(),
            judge: request.with_judgement.then(|| engine.models.in_force()),
            key: engine.own_reports.key(),
            text_of: &|hash| text_of(engine.index.reader(), *hash, account),
            account,
        },
    );
    compliance.failed.take().map_or(Ok(()), Err)?;
    let written = written?;
    summary.completeness = check.verdict()?;
    summary.seconds = seconds();
    summary.unjudged = written.unjudged;
    Ok((summary, written))
}

/// Where and how a report is gathered.
fn scope<'a>(
    engine: &'a Engine,
    view: &'a VisibleRoots,
    request: &'a ReportRequest,
    created: jiff::Timestamp,
    account: &'a MemoryAccount,
) -> ReportScope<'a> {
    ReportScope {
        engine,
        view,
        threshold: request.threshold.get(),
        containment: request.containment.get(),
        now: created.as_second(),
        account,
        owners: Owners::of_machine(),
        sent_files: &request.sent_files,
    }
}

/// The terms of a report of components or cores; `None` for other reports.
fn cluster_terms(kind: &ReportKind) -> Option<ClusterTerms> {
    match kind {
        ReportKind::Clusters(ClusterRequest::Components { .. }) => Some(ClusterTerms::Components),
        ReportKind::Clusters(ClusterRequest::Cores { common, .. }) => {
            Some(ClusterTerms::Cores { common: *common })
        }
        ReportKind::Groups(_) | ReportKind::Compliance(_) => None,
    }
}

/// The paths of the roots of a view in some states, as configured.
fn roots_in(
    engine: &Engine,
    view: &VisibleRoots,
    is_in: impl Fn(RootState) -> bool,
) -> Vec<PathBuf> {
    let shown = engine.roots.iter().filter(|root| view.shows(root.id));
    let shown = shown.filter(|root| is_in(root.state()));
    shown.map(|root| root.path.clone()).collect()
}

/// A compliance question whose findings go into a report.
struct ComplianceAnswer<'a> {
    scope: &'a ReportScope<'a>,
    /// The error that kept it from being answered.
    failed: Cell<Option<FindingError>>,
}

impl ComplianceAnswer<'_> {
    /// The findings for a report of this kind.
    fn findings<'a>(
        &self,
        kind: &ReportKind,
        visit: &'a VisitFindings<'a>,
    ) -> Option<Findings<'a>> {
        let ReportKind::Compliance(question) = kind else {
            return None;
        };
        let path = |path: &PathBuf| JsonPath::new(path.as_os_str().as_bytes());
        let mut parameters = Question::default();
        match question {
            ComplianceQuestion::CopiesOf(files) => {
                parameters.files = Some(files.iter().map(path).collect());
                let sent = self.scope.sent_files.files.iter().map(sent_line);
                let sent: Vec<_> = sent.collect();
                parameters.not_indexed = (!sent.is_empty()).then_some(sent);
            }
            ComplianceQuestion::StaleVersions(age) => parameters.older_than_seconds = Some(*age),
            ComplianceQuestion::Leak(protected) => {
                let roots = self.scope.engine.roots.iter();
                let inside = roots.filter(|root| protected.contains(&root.id));
                parameters.protected = Some(inside.map(|root| path(&root.path)).collect());
            }
            ComplianceQuestion::Duplicates => {}
        }
        let compares = *question != ComplianceQuestion::Duplicates;
        parameters.containment = compares.then_some(self.scope.containment);
        Some(Findings {
            kind: question.name(),
            question: parameters,
            visit,
        })
    }

    fn answer(&self, kind: &ReportKind, take: &mut TakeFinding<'_>) -> io::Result<FindingsSummary> {
        let ReportKind::Compliance(question) = kind else {
            return Ok(FindingsSummary::default());
        };
        self.scope.run(question, take).map_err(|error| match error {
            FindingError::Write(error) => error,
            error => {
                self.failed.set(Some(error));
                io::Error::other("the question could not be answered")
            }
        })
    }
}

#[cfg(test)]
mod tests;
