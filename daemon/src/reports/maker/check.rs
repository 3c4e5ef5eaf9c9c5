//! Checks what a report is asked for, in one place for requests and for the config.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use simdex_index::VisibleRoots;
use simdex_proto::defaults;
use simdex_proto::text::grouped;
use simdex_schema::RootId;
use simdex_signature::Ratio;
use thiserror::Error;

use super::{ReportKind, ReportRequest};
use crate::base::echo::echo;
use crate::engine::Engine;
use crate::read_side::clusters::{BadCores, ClusterRequest};
use crate::read_side::findings::ComplianceQuestion;
use crate::reports::report::{LoadFile, LoadFileError};

/// Most files that one report may ask about.
const MAX_FILES: usize = 1_000;
/// Most roots that may be given for one report.
const MAX_ROOTS: usize = 4_096;
/// Roots listed in an error message.
const ROOTS_NAMED: usize = 10;

/// A report as requested: names and numbers, not yet checked.
#[derive(Clone, Debug, Default)]
pub struct UncheckedReport {
    /// Name of its kind; an empty one means `groups`.
    pub kind: String,
    /// Absolute paths that `copies-of` asks about, or whose groups a report of groups covers.
    pub files: Vec<PathBuf>,
    /// Those of them that the index lacks, and whose bytes the client sends; `copies-of` alone takes such.
    pub sent_files: Vec<PathBuf>,
    /// Least age of a stale version, seconds.
    pub older_than: Option<u64>,
    /// Absolute paths of the roots whose text must not be elsewhere.
    pub protected: Vec<PathBuf>,
    /// Absolute paths of the roots that it covers; all roots if none is given.
    pub roots: Vec<PathBuf>,
    /// Least fingerprints that the documents of a core share.
    pub common: Option<u32>,
    /// How long to search for cores, seconds.
    pub mining_seconds: Option<u32>,
    /// Least ratio, from 0 to 1.
    pub threshold: Option<f64>,
    /// Least containment, from 0 to 1; if not set the threshold, for stale versions that of the daemon.
    pub containment: Option<f64>,
    /// The load file to write.
    pub load_file: Option<LoadFileNames>,
    /// Whether to judge the files of groups.
    pub with_judgement: bool,
}

/// The names that determine a load file.
#[derive(Clone, Debug, Default)]
pub struct LoadFileNames {
    /// Name of the format.
    pub format: String,
    /// Name of the profile; an empty one means the first.
    pub profile: String,
    /// Name of the encoding; an empty one means UTF-8.
    pub encoding: String,
}

impl LoadFileNames {
    fn load_file(&self) -> Result<LoadFile, LoadFileError> {
        LoadFile::named(&self.format, &self.profile, &self.encoding)
    }
}

/// Why a request for a report is refused.
#[derive(Debug, Error, PartialEq)]
pub enum BadReport {
    /// No such kind.
    #[error(
        "{0:?} is not a kind of report; choose groups, components, cores, copies-of, stale-versions, leak or duplicates"
    )]
    Kind(String),
    /// This kind requires a parameter that is missing.
    #[error("a report of kind {0} needs {1}")]
    Needs(&'static str, &'static str),
    /// Only this kind accepts a parameter that was given.
    #[error("a report of kind {0} alone takes {1}")]
    AloneTakes(&'static str, &'static str),
    /// Too many of them are given.
    #[error("the request lists {count} {what}, and at most {max} are allowed", count = grouped(*.0 as u64), what = .1, max = grouped(*.2 as u64))]
    TooMany(usize, &'static str, usize),
    /// A file is sent that is not asked about, or twice.
    #[error("{0:?} is sent, but not as one of the files asked about, each of them once")]
    SentBeside(PathBuf),
    /// The path is not absolute.
    #[error("{0:?} is not an absolute path")]
    Relative(PathBuf),
    /// The group of a file that is outside the given roots.
    #[error("{0:?} is not below any of the roots that the report covers")]
    Outside(PathBuf),
    /// A threshold that is not a ratio.
    #[error("threshold is {0}, not a number from 0 to 1")]
    Threshold(f64),
    /// A threshold for a kind that does not use one.
    #[error("a report of kind duplicates or cores takes no threshold")]
    NoThreshold,
    /// Invalid parameters of cores.
    #[error(transparent)]
    Cores(#[from] BadCores),
    /// An invalid load file.
    #[error(transparent)]
    LoadFile(#[from] LoadFileError),
    /// Roots given for a kind that determines its roots itself.
    #[error("a report of kind leak takes no roots: it looks into all that are not protected")]
    NoRoots,
    /// A load file for a compliance question.
    #[error("only a report of kind groups has a load file")]
    NoLoadFile,
    /// Judgements for groups without a principal.
    #[error("only a report of kind groups has judgements")]
    NoJudgement,
}

impl BadReport {
    /// Advice on what to do about it, if there is any.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Needs("leak", _) => Some("name them with --protected"),
            Self::Needs("stale-versions", _) => Some("name one with --older-than, such as 90d"),
            Self::Needs(..) => Some("list the files as arguments"),
            Self::TooMany(..) => Some("ask for several reports"),
            _ => None,
        }
    }
}

/// A path that is not a watched root.
#[derive(Debug, Error, PartialEq, Eq)]
pub struct UnknownRoot {
    path: PathBuf,
    /// The first watched roots, and the number of all.
    known: Vec<PathBuf>,
    count: usize,
}

impl UnknownRoot {
    fn of(path: &Path, roots: &[PathBuf]) -> Self {
        Self {
            path: path.to_owned(),
            known: roots.iter().take(ROOTS_NAMED).cloned().collect(),
            count: roots.len(),
        }
    }
}

impl Display for UnknownRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &Path| echo(path.as_os_str().as_bytes());
        write!(f, "{} is not a watched root; ", shown(&self.path))?;
        let known: Vec<_> = self.known.iter().map(|path| shown(path)).collect();
        match (known.is_empty(), self.count - known.len()) {
            (true, _) => f.write_str("there are none"),
            (false, 0) => write!(f, "the roots are {}", known.join(", ")),
            (false, more) => write!(f, "the roots are {} and {more} more", known.join(", ")),
        }
    }
}

/// A report that can be made wherever the roots that it refers to are watched.
#[derive(Clone, Debug)]
pub struct CheckedReport {
    roots: Vec<PathBuf>,
    threshold: Option<Ratio>,
    containment: Option<Ratio>,
    load: Option<LoadFile>,
    kind: CheckedKind,
    with_judgement: bool,
}

/// The contents of a report, with roots by their paths: the engine decides which of them are watched.
#[derive(Clone, Debug)]
enum CheckedKind {
    Groups(Vec<PathBuf>),
    CopiesOf(Vec<PathBuf>),
    StaleVersions(u64),
    Leak(Vec<PathBuf>),
    Duplicates,
    Components,
    Cores(ClusterRequest),
}

/// Whether reports of the kind with this name are of groups, whose files can be judged.
pub fn is_of_groups(kind: &str) -> bool {
    matches!(kind, "" | "groups")
}

impl UncheckedReport {
    /// Checks that all names are known, all numbers in bounds, and the parameters consistent.
    ///
    /// # Errors
    /// The first problem found.
    pub fn check(self) -> Result<CheckedReport, BadReport> {
        self.check_options()?;
        self.check_paths()?;
        let load = self.load_file.as_ref().map(LoadFileNames::load_file);
        let load = load.transpose()?;
        let ratio = |value| Ratio::new(value).ok_or(BadReport::Threshold(value));
        let threshold = self.threshold.map(ratio).transpose()?;
        let containment = self.containment.map(ratio).transpose()?;
        let kind = match self.kind.as_str() {
            kind if is_of_groups(kind) => CheckedKind::Groups(self.files),
            "copies-of" => CheckedKind::CopiesOf(self.files),
            "stale-versions" => CheckedKind::StaleVersions(self.older_than.unwrap_or(0)),
            "leak" => CheckedKind::Leak(self.protected),
            "duplicates" => CheckedKind::Duplicates,
            "components" => CheckedKind::Components,
            "cores" => CheckedKind::Cores(ClusterRequest::cores(self.common, self.mining_seconds)?),
            _ => return Err(BadReport::Kind(self.kind)),
        };
        match &kind {
            CheckedKind::Groups(files) => check_below(files, &self.roots)?,
            _ if load.is_some() => return Err(BadReport::NoLoadFile),
            _ if self.with_judgement => return Err(BadReport::NoJudgement),
            CheckedKind::Leak(_) if !self.roots.is_empty() => return Err(BadReport::NoRoots),
            CheckedKind::Duplicates | CheckedKind::Cores(_) if threshold.is_some() => {
                return Err(BadReport::NoThreshold);
            }
            _ => {}
        }
        Ok(CheckedReport {
            roots: self.roots,
            threshold,
            containment,
            load,
            kind,
            with_judgement: self.with_judgement,
        })
    }

    /// Checks that the parameters belong to the kind.
    fn check_options(&self) -> Result<(), BadReport> {
        let takes_files = ["", "groups", "copies-of"].contains(&&*self.kind);
        match self.files.is_empty() {
            true if self.kind == "copies-of" => return Err(BadReport::Needs("copies-of", "files")),
            false if !takes_files => {
                return Err(BadReport::AloneTakes("groups or copies-of", "files"));
            }
            _ => {}
        }
        if self.kind != "copies-of" && !self.sent_files.is_empty() {
            return Err(BadReport::AloneTakes("copies-of", "files that are sent"));
        }
        if self.kind != "cores" && (self.common.is_some() || self.mining_seconds.is_some()) {
            let what = "a number of common fingerprints or seconds to mine";
            return Err(BadReport::AloneTakes("cores", what));
        }
        let compares = ["copies-of", "stale-versions", "leak"].contains(&&*self.kind);
        if self.containment.is_some() && !compares {
            let kinds = "copies-of, stale-versions or leak";
            return Err(BadReport::AloneTakes(kinds, "a containment"));
        }
        let options = [
            ("stale-versions", "an age", self.older_than.is_some()),
            ("leak", "protected roots", !self.protected.is_empty()),
        ];
        for (kind, what, is_named) in options {
            match (is_named, self.kind == kind) {
                (true, false) => return Err(BadReport::AloneTakes(kind, what)),
                (false, true) => return Err(BadReport::Needs(kind, what)),
                _ => {}
            }
        }
        Ok(())
    }

    fn check_paths(&self) -> Result<(), BadReport> {
        let lists = [
            (&self.files, MAX_FILES, "files"),
            (&self.protected, MAX_ROOTS, "roots"),
            (&self.roots, MAX_ROOTS, "roots"),
        ];
        for (paths, max, what) in lists {
            if paths.len() > max {
                return Err(BadReport::TooMany(paths.len(), what, max));
            }
            if let Some(path) = paths.iter().find(|path| !path.is_absolute()) {
                return Err(BadReport::Relative(path.clone()));
            }
        }
        let mut asked: HashSet<&PathBuf> = self.files.iter().collect();
        match self.sent_files.iter().find(|path| !asked.remove(path)) {
            Some(path) => Err(BadReport::SentBeside(path.clone())),
            None => Ok(()),
        }
    }
}

impl CheckedReport {
    /// Whether reports of the kind can list changes since an earlier one.
    pub fn is_comparable(&self) -> bool {
        !matches!(self.kind, CheckedKind::Components | CheckedKind::Cores(_))
    }

    /// The request to an engine.
    ///
    /// # Errors
    /// The first given root that this engine does not watch.
    pub fn request(&self, engine: &Engine, strict: bool) -> Result<ReportRequest, UnknownRoot> {
        let otherwise = match &self.kind {
            // A file that resembles little may hold all: with a least share of its own, that alone decides.
            CheckedKind::Leak(_) if self.containment.is_none() => Ratio::new(defaults::CONTAINMENT),
            CheckedKind::StaleVersions(_) => Ratio::new(defaults::FAMILY),
            _ => None,
        };
        let threshold = self.threshold.or(otherwise).unwrap_or(engine.threshold());
        // As of `versions`, the resemblance of a line of versions is no measure of what contains one.
        let contained = match self.kind {
            CheckedKind::StaleVersions(_) => engine.threshold(),
            _ => threshold,
        };
        Ok(ReportRequest {
            view: view(engine, &self.roots)?,
            threshold,
            containment: self.containment.unwrap_or(contained),
            strict,
            load: self.load,
            kind: self.kind.resolve(engine, threshold)?,
            with_judgement: self.with_judgement,
            since: None,
            sent_files: Arc::default(),
        })
    }
}

impl CheckedKind {
    /// The kind with the ids of an engine's roots, or the first path that is not one of them.
    fn resolve(&self, engine: &Engine, threshold: Ratio) -> Result<ReportKind, UnknownRoot> {
        let question = match self {
            Self::Components => {
                return Ok(ReportKind::Clusters(ClusterRequest::Components {
                    threshold,
                }));
            }
            Self::Cores(request) => return Ok(ReportKind::Clusters(*request)),
            Self::Groups(files) => return Ok(ReportKind::Groups(files.clone())),
            Self::CopiesOf(files) => ComplianceQuestion::CopiesOf(files.clone()),
            Self::StaleVersions(age) => ComplianceQuestion::StaleVersions(*age),
            Self::Leak(protected) => ComplianceQuestion::Leak(root_ids(engine, protected)?),
            Self::Duplicates => ComplianceQuestion::Duplicates,
        };
        Ok(ReportKind::Compliance(question))
    }
}

/// Refuses a file that is below none of the given roots, if any are given.
fn check_below(files: &[PathBuf], roots: &[PathBuf]) -> Result<(), BadReport> {
    let is_outside = |file: &&PathBuf| !roots.iter().any(|root| file.starts_with(root));
    match files.iter().find(is_outside) {
        Some(file) if !roots.is_empty() => Err(BadReport::Outside(file.clone())),
        _ => Ok(()),
    }
}

/// The view of the roots with these paths; of all roots if none is given.
fn view(engine: &Engine, paths: &[PathBuf]) -> Result<VisibleRoots, UnknownRoot> {
    Ok(match paths {
        [] => engine.roots.view(),
        _ => VisibleRoots::Roots(root_ids(engine, paths)?.into_iter().collect()),
    })
}

fn root_ids(engine: &Engine, paths: &[PathBuf]) -> Result<Vec<RootId>, UnknownRoot> {
    let known = |path: &PathBuf| {
        let root = engine.roots.iter().find(|root| root.path == *path);
        root.map(|root| root.id).ok_or_else(|| {
            let roots: Vec<_> = engine.roots.iter().map(|root| root.path.clone()).collect();
            UnknownRoot::of(path, &roots)
        })
    };
    paths.iter().map(known).collect()
}

#[cfg(test)]
mod tests;
