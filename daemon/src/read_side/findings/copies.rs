//! Everyone who holds a near-copy of some files: by file, then by root, owner and path. The files asked about may be
//! below any root, or in none: these are sent with the question. Those found are below the roots of the view. For a
//! file that is not compared, the files of the same bytes are found, and it is counted as not compared.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use simdex_index::{FileInfo, GrowingPermit, IndexError, VisibleRoots};
use simdex_schema::{ContentHash, State, StoredReason};
use simdex_signature::SchemeKind;

use super::{
    Finding, FindingError, FindingsSummary, MAX_FOUND, NotCompared, ReportScope, Sums, TakeFinding,
    UNCERTAIN, bytes as bytes_of, compared_subject, count, is_compared,
};
use crate::base::visit::FirstError;
use crate::read_side::answering::Uploaded;
use crate::read_side::query::{
    ComparedBy, FindKind, QueryError, QueryParams, Relation, Subject, file_at_path,
};

/// Name of the sum that counts the files asked about that the index lacks.
const NOT_INDEXED: &str = "not_indexed";

/// A file asked about.
enum AskedFile<'a> {
    Indexed(Box<FileInfo>),
    Sent(&'a Uploaded),
}

impl AskedFile<'_> {
    fn path(&self) -> &Path {
        match self {
            Self::Indexed(file) => &file.path,
            Self::Sent(file) => &file.name,
        }
    }

    fn is_sent(&self) -> bool {
        matches!(self, Self::Sent(_))
    }

    /// What queries are asked about it, with the state that reading it ended in; `None` if it is not compared.
    fn subject(
        &self,
        scope: &ReportScope<'_>,
    ) -> Result<(Option<Subject>, State, StoredReason), FindingError> {
        match self {
            Self::Indexed(file) => {
                let subject = compared_subject(scope, file)?;
                Ok((subject, file.state, file.reason.clone()))
            }
            Self::Sent(file) => {
                let (subject, state, reason) = scope.sent_files.subject(file, scope)?;
                Ok((subject.filter(is_compared), state, reason))
            }
        }
    }

    fn bytes_alone(&self) -> BytesAlone<'_> {
        match self {
            Self::Indexed(file) => BytesAlone::of_file(file),
            Self::Sent(file) => BytesAlone {
                path: &file.name,
                file: None,
                content: Some(file.content),
            },
        }
    }
}

/// Refuses files that the index lacks and that were not sent, and files that were sent although they are indexed.
pub(super) fn check(scope: &ReportScope<'_>, files: &[PathBuf]) -> Result<(), FindingError> {
    asked_files(scope, files).map(drop)
}

/// The given files by path, in whichever root they are.
fn asked_files<'a>(
    scope: &ReportScope<'a>,
    files: &[PathBuf],
) -> Result<Vec<AskedFile<'a>>, FindingError> {
    let (sent, view) = (&scope.sent_files.files, scope.engine.roots.view());
    for file in sent {
        match file_at_path(scope.engine, &file.name, &view) {
            Err(QueryError::UnknownFile { .. }) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Err(FindingError::Indexed(file.name.clone())),
        }
    }
    let is_sent = |path: &&PathBuf| sent.iter().any(|file| file.name == **path);
    let indexed: Vec<PathBuf> = files
        .iter()
        .filter(|path| !is_sent(path))
        .cloned()
        .collect();
    let indexed = scope.files_at(&indexed, &view)?.into_iter();
    let mut asked: Vec<_> = indexed
        .map(|file| AskedFile::Indexed(Box::new(file)))
        .chain(sent.iter().map(AskedFile::Sent))
        .collect();
    asked.sort_by(|a, b| a.path().as_os_str().cmp(b.path().as_os_str()));
    Ok(asked)
}

pub(super) fn find(
    scope: &ReportScope<'_>,
    files: &[PathBuf],
    take: &mut TakeFinding<'_>,
) -> Result<FindingsSummary, FindingError> {
    let asked = asked_files(scope, files)?;
    let mut found = FindingsSummary::from(Sums::from([
        ("copies", 0),
        ("cut_short", 0),
        ("files", 0),
        ("not_compared", 0),
        (UNCERTAIN, 0),
    ]));
    let params = QueryParams {
        kind: FindKind::Related,
        scheme: SchemeKind::ModN,
        threshold: scope.threshold.min(scope.containment),
        relation_threshold: scope.threshold,
        containment_threshold: scope.containment,
        limit: MAX_FOUND,
        view: scope.view.clone(),
        judged_by: None,
    };
    for file in &asked {
        scope.cancel().check()?;
        if file.is_sent() {
            count(&mut found.sums, NOT_INDEXED, 1);
        }
        find_for_file(scope, &params, file, &mut found, take)?;
    }
    Ok(found)
}

fn find_for_file(
    scope: &ReportScope<'_>,
    params: &QueryParams,
    asked: &AskedFile<'_>,
    found: &mut FindingsSummary,
    take: &mut TakeFinding<'_>,
) -> Result<(), FindingError> {
    let sums = &mut found.sums;
    let (subject, state, reason) = asked.subject(scope)?;
    let answer = scope.query_and_count(subject, params, "files", sums)?;
    let compared_by = answer.as_ref().map(|answer| answer.summary.compared_by);
    if compared_by != Some(ComparedBy::Text) {
        found.not_compared.push(NotCompared {
            path: bytes_of(asked.path()),
            state: state.name(),
            reason,
        });
    }
    let (copies, _held) = match answer {
        None => same_bytes(scope, &asked.bytes_alone(), scope.view, sums)?,
        Some(answer) => {
            let hits = answer.hits.iter();
            let hits = hits.filter(|hit| !hit.is_subject && scope.is_copy_of_first(hit));
            scope.findings_of_hits(hits, &bytes_of(asked.path()))?
        }
    };
    take_all(copies, asked.is_sent(), sums, take)
}

/// Takes the findings for a file: by root, owner and path.
fn take_all(
    mut found: Vec<Finding>,
    of_sent_file: bool,
    sums: &mut Sums,
    take: &mut TakeFinding<'_>,
) -> Result<(), FindingError> {
    found.sort_by(|a, b| (&a.root, a.owner, &a.path).cmp(&(&b.root, b.owner, &b.path)));
    count(sums, "copies", found.len() as u64);
    for finding in &mut found {
        finding.of_sent_file = of_sent_file;
        take(finding)?;
    }
    Ok(())
}

/// A file of which the bytes alone are looked up.
pub(super) struct BytesAlone<'a> {
    path: &'a Path,
    /// The file itself, which is no finding; `None` if the index lacks it.
    file: Option<&'a FileInfo>,
    content: Option<ContentHash>,
}

impl<'a> BytesAlone<'a> {
    pub(super) fn of_file(file: &'a FileInfo) -> Self {
        Self {
            path: &file.path,
            file: Some(file),
            content: file.record.content(),
        }
    }
}

/// The other files of a view that have the same bytes as a file that is not compared, because it is too short or too
/// large, or because its text is damaged. Returned with the permit for them.
pub(super) fn same_bytes(
    scope: &ReportScope<'_>,
    of: &BytesAlone<'_>,
    view: &VisibleRoots,
    sums: &mut Sums,
) -> Result<(Vec<Finding>, GrowingPermit), FindingError> {
    let mut held = GrowingPermit::of(scope.account);
    let (mut found, mut is_cut, mut failed) = (Vec::new(), false, FirstError::default());
    let Some(content) = of.content else {
        return Ok((found, held));
    };
    let index = scope.engine.index.reader();
    index
        .files()
        .visit_of_content(content, view, &mut |other| {
            if of.file.is_some_and(|file| file.key == other.key) {
                return ControlFlow::Continue(());
            }
            is_cut = found.len() == MAX_FOUND;
            if is_cut {
                return ControlFlow::Break(());
            }
            let bytes = size_of::<Finding>() + 3 * other.path.as_os_str().len();
            let counted = held.add(2 * bytes as u64);
            failed.flow(counted.and_then(|()| -> Result<(), IndexError> {
                found.push(Finding {
                    relation: Relation::IdenticalBytes.name(),
                    of: bytes_of(of.path),
                    ..scope.describe(&other)?
                });
                Ok(())
            }))
        })?;
    failed.into_result()?;
    count(sums, "cut_short", u64::from(is_cut));
    Ok((found, held))
}
