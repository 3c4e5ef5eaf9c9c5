//! Pairs of files: near-duplicates, on request files one of which contains the other, and each copy with the first file
//! of its document.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::sync::Arc;

use simdex_index::{
    FileInfo, GrowingPermit, IndexError, IndexReader, MemoryAccount, PairSearch, VisibleRoots,
};
use simdex_schema::{DocId, EdgeRecord};
use simdex_signature::Ratio;

use super::containments::Containments;
use super::group_loader::GroupLoader;
use super::{GroupMember, Pair, bytes_of, is_first, path_of, stored};
use crate::base::visit::FirstError;
use crate::read_side::query::{Relation, RelationThresholds};

/// How many pairs were listed.
#[derive(Clone, Copy, Debug)]
pub struct PairCounts {
    /// Pairs of files.
    pub pairs: u64,
    /// Posting lists that the search skipped, because no pair depends on them.
    pub common_lists_skipped: u64,
    /// Documents for which not all that contain them may have been found; `None` if containment was not requested.
    pub uncertain: Option<u64>,
    /// Whether the list ended at its limit, so that there may be more.
    pub truncated: bool,
}

/// A position in the list of pairs: that of a pair already seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairPlace {
    /// Path of a in its stored form, absolute: files are listed in this order.
    a: Vec<u8>,
    /// Path of b in its stored form.
    b: Vec<u8>,
}

impl PairPlace {
    /// The position of a pair of files with these paths, in their displayed form.
    pub fn of(a: &OsStr, b: &OsStr) -> Self {
        Self {
            a: stored(a),
            b: stored(b),
        }
    }

    /// Whether a pair comes after this position; the path of its first file must not come before that of a.
    fn precedes(&self, pair: &Pair) -> bool {
        stored(path_of(&pair.b)) > self.b || stored(path_of(&pair.a)) > self.a
    }
}

/// The order in which files are listed and joined: that of stored paths, where a member directly follows its
/// container. Displayed paths may sort differently.
fn in_list(a: &FileInfo, b: &FileInfo) -> Ordering {
    match a.key.root == b.key.root {
        true => a.key.path.cmp(&b.key.path),
        false => stored(path_of(a)).cmp(&stored(path_of(b))),
    }
}

/// Which pairs are listed.
#[derive(Clone, Copy, Debug)]
pub struct PairSelection<'a> {
    /// The roots whose files may be listed.
    pub view: &'a VisibleRoots,
    /// Least resemblance of a near-duplicate.
    pub threshold: Ratio,
    /// Least containment of one document in the other, for pairs that resemble each other less; `None` if these are
    /// not requested.
    pub containment: Option<Ratio>,
    /// Only pairs after this position.
    pub after: Option<&'a PairPlace>,
    /// Most pairs that are searched for.
    pub limit: Option<u64>,
}

/// A step of a list of pairs.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "one step is held at a time, and most of the memory is behind pointers"
)]
pub enum PairStep {
    /// Documents that contain others are searched for, before the first pair.
    ContainersSearched {
        /// The number of documents for which that is done.
        documents: u64,
    },
    /// The next pair of the list.
    Pair(Pair),
    /// All pairs of a file were visited; with the number of files and of pairs so far.
    FileDone {
        /// Files visited, with pairs or without.
        files: u64,
        /// Pairs that were visited.
        pairs: u64,
    },
}

/// Calls `visit` for each pair, as [`visit_pairs`] does, without the steps in between.
pub fn pairs(
    index: &IndexReader,
    request: PairSelection<'_>,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<PairCounts, IndexError> {
    visit_pairs(index, request, account, &mut |step| match step {
        PairStep::Pair(pair) => visit(pair),
        PairStep::ContainersSearched { .. } | PairStep::FileDone { .. } => {
            ControlFlow::Continue(())
        }
    })
}

/// Calls `visit` for each pair of a view at a threshold, by path, and counts them: near-duplicates, and each copy with
/// the first file of its document, whatever the threshold. Memory holds only the pairs of one file that were not
/// visited yet, which are counted, and what a [`PairSearch`] keeps. After the pairs of each file it visits how far it
/// is.
pub fn visit_pairs(
    index: &IndexReader,
    request: PairSelection<'_>,
    account: &MemoryAccount,
    visit: &mut dyn FnMut(PairStep) -> ControlFlow<()>,
) -> Result<PairCounts, IndexError> {
    let (view, after) = (request.view, request.after);
    let loader = GroupLoader { index, view };
    let search = index.pairs().search(view, request.threshold);
    let search = search.resumed_if(after.is_some());
    let searched = &mut |documents| {
        // A client that is gone cancels the account.
        let _ = visit(PairStep::ContainersSearched { documents });
    };
    let partners = Partners::of(index, &search, &request, account, searched)?;
    let (mut files, mut count, mut truncated) = (0, 0, false);
    let mut failed = None;
    let visit_file = &mut |file: FileInfo| {
        let mut found = FoundPairs::none(account);
        let listed = loader.pairs_from(&file, &partners, &mut found);
        let listed = listed.map(|()| {
            found.visit(after, &mut |pair| {
                count += 1;
                visit(PairStep::Pair(pair))?;
                truncated = request.limit == Some(count);
                break_if(truncated)
            })?;
            files += 1;
            visit(PairStep::FileDone {
                files,
                pairs: count,
            })
        });
        listed.unwrap_or_else(|error| {
            failed = Some(error);
            ControlFlow::Break(())
        })
    };
    match after {
        Some(place) => index
            .files()
            .visit_from(view, &place.a, account, visit_file)?,
        None => index.files().visit(view, account, visit_file)?,
    }
    failed.map_or(Ok(()), Err)?;
    Ok(PairCounts {
        pairs: count,
        common_lists_skipped: search.common_lists_skipped(),
        uncertain: partners.contained.map(|found| found.uncertain),
        truncated,
    })
}

fn break_if(is_over: bool) -> ControlFlow<()> {
    match is_over {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}

/// Where the partners of a document come from, and how a pair is named.
struct Partners<'a> {
    search: &'a PairSearch<'a>,
    contained: Option<Containments>,
    thresholds: RelationThresholds,
}

impl<'a> Partners<'a> {
    fn of(
        index: &IndexReader,
        search: &'a PairSearch<'a>,
        request: &PairSelection<'_>,
        account: &MemoryAccount,
        report: &mut dyn FnMut(u64),
    ) -> Result<Self, IndexError> {
        let contained = request.containment.map(|first| {
            let documents = search.documents();
            let ratios = (request.view, request.threshold, first);
            Containments::search(index, documents, ratios, account, report)
        });
        Ok(Self {
            search,
            contained: contained.transpose()?,
            thresholds: RelationThresholds {
                resemblance: request.threshold.get(),
                containment: request.containment.unwrap_or(request.threshold).get(),
            },
        })
    }
}

/// The pairs of one file, with their memory counted: a partner may be carried by a hundred thousand files, and
/// the visitor may be slow.
struct FoundPairs {
    /// Once sorted, the next one is at the end.
    pairs: Vec<Pair>,
    held: GrowingPermit,
}

impl FoundPairs {
    fn none(account: &MemoryAccount) -> Self {
        Self {
            pairs: Vec::new(),
            held: GrowingPermit::of(account),
        }
    }

    /// Visits the pairs after a position; the memory of each is released before the next.
    fn visit(
        mut self,
        after: Option<&PairPlace>,
        visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let pairs = std::iter::from_fn(|| self.next());
        let mut pairs = pairs.filter(|pair| after.is_none_or(|after| after.precedes(pair)));
        pairs.try_for_each(visit)
    }

    fn add(&mut self, pair: Pair) -> Result<(), IndexError> {
        self.held.add(bytes_of_pair(&pair))?;
        self.pairs.push(pair);
        Ok(())
    }

    /// Takes out the next pair and releases its memory.
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

impl GroupLoader<'_> {
    /// The pairs in which this file is listed first, ordered by the other file.
    fn pairs_from(
        &self,
        file: &FileInfo,
        partners: &Partners<'_>,
        found: &mut FoundPairs,
    ) -> Result<(), IndexError> {
        let Some((id, _)) = file.document else {
            return Ok(());
        };
        if is_first(file) && self.index.files().count_of_document(id, self.view) > 1 {
            self.copies(id, found)?;
        }
        let account = found.held.account().clone();
        let near = self.partners(file, id, partners.search, &account)?;
        let contained = partners.contained.as_ref();
        let contained = contained.map_or(&[][..], |found| found.of(id));
        // Each pair is listed, and counted, when its first file is reached.
        for (other, edge) in near.iter().chain(contained) {
            account.cancel().check()?;
            let mut failed = FirstError::default();
            self.index
                .files()
                .visit_of_document(*other, self.view, &mut |other| {
                    let is_later = in_list(&other, file).is_gt();
                    let pair =
                        is_later.then(|| pair(file.clone(), other, *edge, partners.thresholds));
                    failed.flow(pair.flatten().map_or(Ok(()), |pair| found.add(pair)))
                })?;
            failed.into_result()?;
        }
        let last_first = |a: &Pair, b: &Pair| in_list(&b.b, &a.b);
        found.pairs.sort_by(last_first);
        Ok(())
    }

    /// The near-duplicates of a file's document that later files carry, and possibly others.
    fn partners(
        &self,
        file: &FileInfo,
        id: DocId,
        search: &PairSearch<'_>,
        account: &MemoryAccount,
    ) -> Result<Arc<Vec<(DocId, EdgeRecord)>>, IndexError> {
        let index = self.index;
        let next = |limit| {
            index
                .files()
                .documents_from(self.view, &file.key, limit, account)
        };
        search.look_ahead(id, &next, account)?;
        if let Some(partners) = search.partners_ahead(id, account)? {
            return Ok(partners);
        }
        // Computed only if a partner is found, since a document may have many copies.
        let first = OnceCell::new();
        let is_later = |other: DocId| {
            let first = match first.get() {
                Some(first) => first,
                None => {
                    let found = self.first_listed(id, file)?;
                    first.get_or_init(|| found)
                }
            };
            let mut is_later = false;
            self.index
                .files()
                .visit_of_document(other, self.view, &mut |other| {
                    is_later = in_list(&other, first).is_gt();
                    if is_later {
                        return ControlFlow::Break(());
                    }
                    ControlFlow::Continue(())
                })?;
            Ok(is_later)
        };
        search.filtered_partners_of(id, &is_later, account)
    }

    /// Of the files that carry a document, the first in the list; `file` is one of them.
    fn first_listed(&self, id: DocId, file: &FileInfo) -> Result<FileInfo, IndexError> {
        let first = match self.index.files().count_of_document(id, self.view) {
            0 | 1 => None,
            _ => self.first_file(id)?,
        };
        let first = first.filter(|first| in_list(first, file).is_lt());
        Ok(first.unwrap_or_else(|| file.clone()))
    }

    /// Adds the pairs of a document's first file with each of its other files.
    fn copies(&self, id: DocId, found: &mut FoundPairs) -> Result<(), IndexError> {
        let (mut first, mut failed) = (None, FirstError::default());
        self.members(id, None, &mut |copy| {
            let Some(GroupMember { file, document, .. }) = &first else {
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

/// A pair of files with different texts; `edge` counts a's side first.
fn pair(
    a: FileInfo,
    b: FileInfo,
    edge: EdgeRecord,
    thresholds: RelationThresholds,
) -> Option<Pair> {
    let (resemblance, of_a, of_b) = (
        edge.resemblance(),
        edge.containment_of_a(),
        edge.containment_of_b(),
    );
    Some(Pair {
        documents: (a.document?.1, b.document?.1),
        relation: Relation::of(resemblance, of_a, of_b, thresholds),
        resemblance,
        containment_of_a: of_a,
        containment_of_b: of_b,
        a,
        b,
    })
}
