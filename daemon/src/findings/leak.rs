//! Documents outside protected roots that share text with one inside: by protected document, then by path.
//!
//! Each document of the protected roots is asked about once, by its first file there. Found is what shares at
//! least the threshold of either text, or resembles it so far.

use std::collections::HashSet;
use std::ops::ControlFlow;

use simdex_index::{FileView, GrowingPermit};
use simdex_schema::RootId;
use simdex_signature::SchemeKind;

use super::{FindingError, MOST_FOUND, Search, Take, Totals, bytes, compared_subject, count};
use crate::owners::Owners;
use crate::query::{self, FindKind, QueryParams};
use crate::visit::FirstError;

/// Bytes that a document takes in a set, with room to grow.
const SEEN: u64 = 24;

pub(super) fn find(
    search: &Search<'_>,
    protected: &[RootId],
    take: &mut Take<'_>,
) -> Result<Totals, FindingError> {
    let roots = &search.engine.roots;
    let inside: Vec<u32> = protected.iter().map(|root| root.0).collect();
    let outside = roots.iter().filter(|root| !protected.contains(&root.id));
    let outside: Vec<u32> = outside.map(|root| root.id.0).collect();
    let names = ["compared", "cut_short", "found", "not_compared"];
    let mut totals: Totals = names.into_iter().map(|name| (name, 0)).collect();
    // An empty list would mean all roots.
    if outside.is_empty() {
        return Ok(totals);
    }
    let (inside, outside) = (roots.view_of(&inside), roots.view_of(&outside));
    let params = QueryParams {
        kind: FindKind::Related,
        scheme: SchemeKind::ModN,
        threshold: search.threshold,
        relation_threshold: search.engine.threshold().get(),
        limit: MOST_FOUND,
        view: outside,
    };
    let owners = Owners::of_machine();
    let (mut seen, mut failed) = (HashSet::new(), FirstError::default());
    let mut held = GrowingPermit::of(search.account);
    search.engine.index.files(&inside, &mut |file| {
        let document = file.content.as_ref().and_then(|content| content.document);
        if let Err(error) = search.cancel().check() {
            return failed.flow(Err(error.into()));
        }
        match document {
            Some(document) if !seen.insert(document) => ControlFlow::Continue(()),
            Some(_) => {
                let counted = held.add(SEEN).map_err(FindingError::from);
                let mut found = || of_file(search, &params, &owners, &file, &mut totals, take);
                failed.flow(counted.and_then(|()| found()))
            }
            None => {
                count(&mut totals, "not_compared", 1);
                ControlFlow::Continue(())
            }
        }
    })?;
    failed.into_result()?;
    Ok(totals)
}

fn of_file(
    search: &Search<'_>,
    params: &QueryParams,
    owners: &Owners,
    file: &FileView,
    totals: &mut Totals,
    take: &mut Take<'_>,
) -> Result<(), FindingError> {
    let index = &search.engine.index;
    let Some(subject) = compared_subject(search, file)? else {
        count(totals, "not_compared", 1);
        return Ok(());
    };
    let answer = query::find(index, &subject, params, search.cancel())?;
    // Whoever takes what is found may take long: the text and its permits end here.
    drop(subject);
    count(totals, "compared", 1);
    let is_cut = answer.truncated || answer.unverified > 0;
    count(totals, "cut_short", u64::from(is_cut));
    let of = bytes(&file.path);
    let hits = answer.hits.iter();
    let found = hits.map(|hit| search.hit(owners, hit, &of));
    let mut found: Vec<_> = found.collect::<Result<_, _>>()?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    count(totals, "found", found.len() as u64);
    found.iter().try_for_each(take)?;
    Ok(())
}
