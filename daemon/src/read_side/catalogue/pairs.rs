//! Pairs of files: near-duplicates, and the copies of a principal with it.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ffi::OsString;
use std::ops::ControlFlow;

use simdex_index::{
    FileView, GrowingPermit, IndexError, IndexReader, MemoryAccount, PairSearch, View,
};
use simdex_schema::{DocId, EdgeRecord};
use simdex_signature::Ratio;

use super::group_files::GroupFiles;
use super::{GroupFile, Listing, Pair, bytes_of, is_first, path_of};
use crate::base::visit::FirstError;
use crate::read_side::query::Relation;

/// How many pairs were listed.
#[derive(Clone, Copy, Debug)]
pub struct PairCounts {
    /// Pairs of files.
    pub pairs: u64,
    /// Groups at the same threshold when the list was begun.
    pub groups: u64,
}

/// Calls `visit` for each pair of a view at a threshold, by path, and counts them: near-duplicates, and copies
/// of a principal with it. Memory holds the pairs of one file that were not visited yet, which are counted, and what a [`PairSearch`]
/// keeps.
pub fn pairs(
    index: &IndexReader,
    view: &View,
    threshold: Ratio,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<Listing<PairCounts>, IndexError> {
    let reader = GroupFiles { index, view };
    let known = index.groups(view, threshold, account)?;
    let groups = known.groups.iter().filter(|group| reader.is_shown(group));
    let groups = groups.count() as u64;
    let mut held = GrowingPermit::of(account);
    held.add(2 * (known.groups.len() * size_of::<DocId>()) as u64)?;
    let leads = known.groups.into_iter().map(|group| group.principal);
    let leads: HashSet<DocId> = leads.collect();
    // Of the groups themselves nothing is held any longer.
    drop(known.held);
    let search = index.pair_search(view, threshold);
    let mut count = 0;
    let mut failed = None;
    index.files(view, account, &mut |file| {
        let mut found = FoundPairs {
            pairs: Vec::new(),
            held: GrowingPermit::of(account),
        };
        let listed = reader.pairs_from(&file, &search, &leads, &mut found);
        let listed = listed.map(|()| {
            std::iter::from_fn(|| found.next()).try_for_each(|pair| {
                count += 1;
                visit(pair)
            })
        });
        listed.unwrap_or_else(|error| {
            failed = Some(error);
            ControlFlow::Break(())
        })
    })?;
    failed.map_or(Ok(()), Err)?;
    Ok(Listing {
        items: PairCounts {
            pairs: count,
            groups,
        },
        long_lists: known.long_lists + search.long_lists(),
        unsettled: known.unsettled,
    })
}

/// The pairs of one file, counted: a partner may be carried by a hundred thousand files, and whoever lists them
/// may take his time.
struct FoundPairs {
    /// The next one at the end, once they are in order.
    pairs: Vec<Pair>,
    held: GrowingPermit,
}

impl FoundPairs {
    fn add(&mut self, pair: Pair) -> Result<(), IndexError> {
        self.held.add(bytes_of_pair(&pair))?;
        self.pairs.push(pair);
        Ok(())
    }

    /// Takes out the next one, and gives back its memory.
    fn next(&mut self) -> Option<Pair> {
        let pair = self.pairs.pop()?;
        if self.pairs.len() < self.pairs.capacity() / 2 {
            self.pairs.shrink_to_fit();
        }
        let held = self.held.bytes().saturating_sub(bytes_of_pair(&pair));
        self.held.shrink_to(held);
        Some(pair)
    }
}

fn bytes_of_pair(pair: &Pair) -> u64 {
    bytes_of(&pair.a) + bytes_of(&pair.b)
}

impl GroupFiles<'_> {
    /// The pairs in which this file has the smaller path, by the path of the other.
    fn pairs_from(
        &self,
        file: &FileView,
        search: &PairSearch<'_>,
        leads: &HashSet<DocId>,
        found: &mut FoundPairs,
    ) -> Result<(), IndexError> {
        let Some((id, _)) = file.document else {
            return Ok(());
        };
        if leads.contains(&id) && is_first(file) {
            self.copies(id, found)?;
        }
        // Asked for only where a partner is met, since a document may have many copies.
        let least = OnceCell::new();
        let is_later = |other: DocId| {
            let least = match least.get() {
                Some(least) => least,
                None => {
                    let found = self.least_path(id, file)?;
                    least.get_or_init(|| found)
                }
            };
            let mut is_later = false;
            self.index.visit_files_of(other, self.view, &mut |other| {
                is_later = path_of(&other) > least.as_os_str();
                if is_later {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })?;
            Ok(is_later)
        };
        let account = found.held.account().clone();
        // Each pair is listed, and counted, where the smaller path comes up.
        for (other, edge) in search.wanted_partners_of(id, &is_later, &account)?.iter() {
            account.cancel().check()?;
            let mut failed = FirstError::default();
            self.index.visit_files_of(*other, self.view, &mut |other| {
                let is_later = path_of(&other) > path_of(file);
                let pair = is_later.then(|| near_duplicate(file.clone(), other, *edge));
                failed.flow(pair.flatten().map_or(Ok(()), |pair| found.add(pair)))
            })?;
            failed.into_result()?;
        }
        let last_first = |a: &Pair, b: &Pair| path_of(&b.b).cmp(path_of(&a.b));
        found.pairs.sort_by(last_first);
        Ok(())
    }

    /// The smallest path among the files that carry a document, `file` being one of them.
    fn least_path(&self, id: DocId, file: &FileView) -> Result<OsString, IndexError> {
        let mut least = path_of(file).to_owned();
        if self.index.files_in(id, self.view) < 2 {
            return Ok(least);
        }
        self.index.visit_files_of(id, self.view, &mut |copy| {
            if path_of(&copy) < least {
                least = path_of(&copy).to_owned();
            }
            ControlFlow::Continue(())
        })?;
        Ok(least)
    }

    /// The first file of a principal with each of its copies.
    fn copies(&self, principal: DocId, found: &mut FoundPairs) -> Result<(), IndexError> {
        let (mut first, mut failed) = (None, FirstError::default());
        self.members(principal, None, &mut |copy| {
            let Some(GroupFile { file, document, .. }) = &first else {
                first = Some(copy);
                return ControlFlow::Continue(());
            };
            failed.flow(found.add(Pair {
                a: file.clone(),
                documents: (*document, copy.document),
                relation: copy.relation,
                b: copy.file,
                resemblance: 1.0,
                containment_of_a: 1.0,
                containment_of_b: 1.0,
            }))
        })?;
        failed.into_result()
    }
}

/// `edge` counts a's side first.
fn near_duplicate(a: FileView, b: FileView, edge: EdgeRecord) -> Option<Pair> {
    Some(Pair {
        documents: (a.document?.1, b.document?.1),
        relation: Relation::NearDuplicate,
        resemblance: edge.resemblance(),
        containment_of_a: edge.containment_of_a(),
        containment_of_b: edge.containment_of_b(),
        a,
        b,
    })
}
