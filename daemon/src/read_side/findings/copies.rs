//! Everyone who holds a near-copy of some files: by file, then by root, owner and path. The files asked about may be
//! below any root; those found are below the roots of the view. For a file that is not compared, the files of the
//! same bytes are found, and it is counted as not compared.

use std::ops::ControlFlow;
use std::path::PathBuf;

use simdex_index::{FileInfo, GrowingPermit, IndexError, VisibleRoots};
use simdex_signature::SchemeKind;

use super::{
    Finding, FindingError, MAX_FOUND, ReportScope, Sums, TakeFinding, UNCERTAIN, bytes as bytes_of,
    count,
};
use crate::base::visit::FirstError;
use crate::read_side::query::{FindKind, QueryParams, Relation};

/// The given files, in whichever root they are.
pub(super) fn files_at(
    scope: &ReportScope<'_>,
    files: &[PathBuf],
) -> Result<Vec<FileInfo>, FindingError> {
    scope.files_at(files, &scope.engine.roots.view())
}

pub(super) fn find(
    scope: &ReportScope<'_>,
    files: &[PathBuf],
    take: &mut TakeFinding<'_>,
) -> Result<Sums, FindingError> {
    let indexed_files = files_at(scope, files)?;
    let mut sums = Sums::from([
        ("copies", 0),
        ("cut_short", 0),
        ("files", 0),
        ("not_compared", 0),
        (UNCERTAIN, 0),
    ]);
    let params = QueryParams {
        kind: FindKind::Related,
        scheme: SchemeKind::ModN,
        threshold: scope.threshold.min(scope.containment),
        relation_threshold: scope.threshold,
        containment_threshold: scope.containment,
        limit: MAX_FOUND,
        view: scope.view.clone(),
        keeps_texts: false,
    };
    for file in &indexed_files {
        scope.cancel().check()?;
        find_for_file(scope, &params, file, &mut sums, take)?;
    }
    Ok(sums)
}

fn find_for_file(
    scope: &ReportScope<'_>,
    params: &QueryParams,
    file: &FileInfo,
    sums: &mut Sums,
    take: &mut TakeFinding<'_>,
) -> Result<(), FindingError> {
    let Some(answer) = scope.query_and_count(file, params, "files", sums)? else {
        let (found, _held) = same_bytes(scope, file, scope.view, sums)?;
        return take_all(found, sums, take);
    };
    let of = bytes_of(&file.path);
    let hits = answer.hits.iter();
    let hits = hits.filter(|hit| !hit.is_subject && scope.is_copy_of_first(hit));
    let (found, _held) = scope.findings_of_hits(hits, &of)?;
    take_all(found, sums, take)
}

/// Takes the findings for a file: by root, owner and path.
fn take_all(
    mut found: Vec<Finding>,
    sums: &mut Sums,
    take: &mut TakeFinding<'_>,
) -> Result<(), FindingError> {
    found.sort_by(|a, b| (&a.root, a.owner, &a.path).cmp(&(&b.root, b.owner, &b.path)));
    count(sums, "copies", found.len() as u64);
    found.iter().try_for_each(take)?;
    Ok(())
}

/// The other files of a view that have the same bytes as a file that is not compared, because it is too short or too
/// large, or because its text is damaged. Returned with the permit for them.
pub(super) fn same_bytes(
    scope: &ReportScope<'_>,
    file: &FileInfo,
    view: &VisibleRoots,
    sums: &mut Sums,
) -> Result<(Vec<Finding>, GrowingPermit), FindingError> {
    let mut held = GrowingPermit::of(scope.account);
    let (mut found, mut is_cut, mut failed) = (Vec::new(), false, FirstError::default());
    let Some(content) = file.record.content() else {
        return Ok((found, held));
    };
    let index = scope.engine.index.reader();
    index
        .files()
        .visit_of_content(content, view, &mut |other| {
            if other.key == file.key {
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
                    of: bytes_of(&file.path),
                    ..scope.describe(&other)?
                });
                Ok(())
            }))
        })?;
    failed.into_result()?;
    count(sums, "cut_short", u64::from(is_cut));
    Ok((found, held))
}
