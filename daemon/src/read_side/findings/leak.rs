//! Documents outside protected roots that share text with one inside: by protected document, then by path.
//!
//! Each document of the protected roots is queried once, by its first file there. A finding shares at least the
//! threshold of either text, or resembles it by at least that much. For a file that cannot be compared, because it is
//! too short or too large, files with the same bytes are found, unless they are empty.

use std::collections::HashSet;
use std::ops::ControlFlow;

use simdex_index::{FileInfo, GrowingPermit, VisibleRoots};
use simdex_schema::RootId;
use simdex_signature::SchemeKind;

use super::copies::{BytesAlone, same_bytes};
use super::{
    Finding, FindingError, MAX_FOUND, ReportScope, Sums, TakeFinding, UNCERTAIN, bytes,
    compared_subject, count, reaches,
};
use crate::base::visit::FirstError;
use crate::read_side::query::{FindKind, Hit, QueryParams};

/// Bytes that a document takes in a set, with spare capacity.
const SEEN: u64 = 24;
/// Bytes that a content hash takes in a set, with spare capacity.
const SEEN_BYTES: u64 = 80;

pub(super) fn find(
    scope: &ReportScope<'_>,
    protected: &[RootId],
    take: &mut TakeFinding<'_>,
) -> Result<Sums, FindingError> {
    let roots = &scope.engine.roots;
    let inside: Vec<u32> = protected.iter().map(|root| root.0).collect();
    let outside = roots.iter().filter(|root| !protected.contains(&root.id));
    let outside: Vec<u32> = outside.map(|root| root.id.0).collect();
    let names = ["compared", "cut_short", "found", "not_compared", UNCERTAIN];
    let mut sums: Sums = names.into_iter().map(|name| (name, 0)).collect();
    // An empty list would mean all roots.
    if outside.is_empty() {
        return Ok(sums);
    }
    let (inside, outside) = (roots.view_of(&inside), roots.view_of(&outside));
    let params = QueryParams {
        kind: FindKind::Related,
        scheme: SchemeKind::ModN,
        threshold: scope.threshold.min(scope.containment),
        relation_threshold: scope.engine.threshold().get(),
        containment_threshold: scope.engine.threshold().get(),
        limit: MAX_FOUND,
        view: outside,
        judged_by: None,
    };
    let (mut seen, mut seen_bytes) = (HashSet::new(), HashSet::new());
    let mut failed = FirstError::default();
    let mut held = GrowingPermit::of(scope.account);
    let (index, account) = (scope.engine.index.reader(), scope.account);
    index.files().visit(&inside, account, &mut |file| {
        let document = file.content.as_ref().and_then(|content| content.document);
        if let Err(error) = scope.cancel().check() {
            return failed.flow(Err(error.into()));
        }
        match document {
            Some(document) if !seen.insert(document) => ControlFlow::Continue(()),
            Some(_) => {
                let counted = held.add(SEEN).map_err(FindingError::from);
                let mut found = || find_for_file(scope, &params, &file, &mut sums, take);
                failed.flow(counted.and_then(|()| found()))
            }
            None => {
                count(&mut sums, "not_compared", 1);
                let content = file.record.content();
                if content.is_none_or(|content| !seen_bytes.insert(content)) {
                    return ControlFlow::Continue(());
                }
                let counted = held.add(SEEN_BYTES).map_err(FindingError::from);
                let mut found = || find_same_bytes(scope, &params.view, &file, &mut sums, take);
                failed.flow(counted.and_then(|()| found()))
            }
        }
    })?;
    failed.into_result()?;
    Ok(sums)
}

fn find_for_file(
    scope: &ReportScope<'_>,
    params: &QueryParams,
    file: &FileInfo,
    sums: &mut Sums,
    take: &mut TakeFinding<'_>,
) -> Result<(), FindingError> {
    let subject = compared_subject(scope, file)?;
    let Some(answer) = scope.query_and_count(subject, params, "compared", sums)? else {
        return find_same_bytes(scope, &params.view, file, sums, take);
    };
    let of = bytes(&file.path);
    // It resembles the document inside, or shares text with it, by as much as is asked for.
    let shares = |hit: &&Hit| {
        let overlap = &hit.overlap;
        scope.is_copy_of_first(hit)
            || reaches(overlap.containment_of_second.value, scope.containment)
    };
    let (found, _held) = scope.findings_of_hits(answer.hits.iter().filter(shares), &of)?;
    take_all(found, sums, take)
}

/// Finds the files with the same bytes as a file that is not compared; nothing for an empty file.
fn find_same_bytes(
    scope: &ReportScope<'_>,
    outside: &VisibleRoots,
    file: &FileInfo,
    sums: &mut Sums,
    take: &mut TakeFinding<'_>,
) -> Result<(), FindingError> {
    if file.record.bytes() == Some(0) {
        return Ok(());
    }
    let (found, _held) = same_bytes(scope, &BytesAlone::of_file(file), outside, sums)?;
    take_all(found, sums, take)
}

/// Takes the findings for a file, by path.
fn take_all(
    mut found: Vec<Finding>,
    sums: &mut Sums,
    take: &mut TakeFinding<'_>,
) -> Result<(), FindingError> {
    found.sort_by(|a, b| a.path.cmp(&b.path));
    count(sums, "found", found.len() as u64);
    found.iter().try_for_each(take)?;
    Ok(())
}
