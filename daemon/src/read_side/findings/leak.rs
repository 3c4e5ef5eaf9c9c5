//! Documents outside protected roots that share text with one inside: by protected document, then by path.
//!
//! Each document of the protected roots is asked about once, by its first file there. A file is found if it
//! shares at least the threshold of either text, or resembles it that much.

use std::collections::HashSet;
use std::ops::ControlFlow;

use simdex_index::{FileView, GrowingPermit};
use simdex_schema::RootId;
use simdex_signature::SchemeKind;

use super::{FindingError, MOST_FOUND, Search, Sums, TakeFinding, UNBOUNDED, bytes, count};
use crate::base::visit::FirstError;
use crate::read_side::query::{FindKind, QueryParams};

/// Bytes that a document takes in a set, with spare capacity.
const SEEN: u64 = 24;

pub(super) fn find(
    search: &Search<'_>,
    protected: &[RootId],
    take: &mut TakeFinding<'_>,
) -> Result<Sums, FindingError> {
    let roots = &search.engine.roots;
    let inside: Vec<u32> = protected.iter().map(|root| root.0).collect();
    let outside = roots.iter().filter(|root| !protected.contains(&root.id));
    let outside: Vec<u32> = outside.map(|root| root.id.0).collect();
    let names = ["compared", "cut_short", "found", "not_compared", UNBOUNDED];
    let mut sums: Sums = names.into_iter().map(|name| (name, 0)).collect();
    // An empty list would mean all roots.
    if outside.is_empty() {
        return Ok(sums);
    }
    let (inside, outside) = (roots.view_of(&inside), roots.view_of(&outside));
    let params = QueryParams {
        kind: FindKind::Related,
        scheme: SchemeKind::ModN,
        threshold: search.threshold,
        relation_threshold: search.engine.threshold().get(),
        limit: MOST_FOUND,
        view: outside,
        keeps_texts: false,
    };
    let (mut seen, mut failed) = (HashSet::new(), FirstError::default());
    let mut held = GrowingPermit::of(search.account);
    let (index, account) = (search.engine.index.reader(), search.account);
    index.files(&inside, account, &mut |file| {
        let document = file.content.as_ref().and_then(|content| content.document);
        if let Err(error) = search.cancel().check() {
            return failed.flow(Err(error.into()));
        }
        match document {
            Some(document) if !seen.insert(document) => ControlFlow::Continue(()),
            Some(_) => {
                let counted = held.add(SEEN).map_err(FindingError::from);
                let mut found = || of_file(search, &params, &file, &mut sums, take);
                failed.flow(counted.and_then(|()| found()))
            }
            None => {
                count(&mut sums, "not_compared", 1);
                ControlFlow::Continue(())
            }
        }
    })?;
    failed.into_result()?;
    Ok(sums)
}

fn of_file(
    search: &Search<'_>,
    params: &QueryParams,
    file: &FileView,
    sums: &mut Sums,
    take: &mut TakeFinding<'_>,
) -> Result<(), FindingError> {
    let Some(answer) = search.answer(file, params, "compared", sums)? else {
        return Ok(());
    };
    let of = bytes(&file.path);
    let (mut found, _held) = search.found(answer.hits.iter(), &of)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    count(sums, "found", found.len() as u64);
    found.iter().try_for_each(take)?;
    Ok(())
}
