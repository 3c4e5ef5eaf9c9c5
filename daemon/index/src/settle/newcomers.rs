//! Documents that are placed together: what each must be compared with is found for all of them first, on
//! two threads, so that each thread reads a principal once for all that may be its members.

use std::collections::BTreeMap;

use simdex_schema::{DocId, EdgeRecord};

use super::{rank, rank_of};
use crate::edges::{EdgeFinder, LoadedDocument, PairThreshold, Partner};
use crate::groups::{Place, Rank};
use crate::index::{Index, IndexState};
use crate::{Cancel, IndexError};

/// A document that must be compared with more principals than this is put off.
const PUT_OFF: usize = if cfg!(test) { 12 } else { 256 };

/// A document to be placed, in order of rank with the others.
pub(super) struct Newcomer {
    pub(super) id: DocId,
    /// `None` if it has no text that can be read.
    pub(super) loaded: Option<LoadedDocument>,
    /// The principals before it that may be its neighbours.
    earlier: Vec<Partner>,
    /// The first of them that is.
    found: Option<(DocId, EdgeRecord)>,
    /// Newcomers before it that may be its neighbours, in order of rank.
    mates: Vec<Partner>,
    /// What it may take from later principals, where that is known already.
    later: Option<Vec<Partner>>,
}

impl Index {
    /// What decides the place of some documents, which come in order of rank.
    pub(super) fn newcomers(
        &self,
        finder: &EdgeFinder<'_>,
        ids: &[DocId],
        cancel: &Cancel,
    ) -> Result<Vec<Newcomer>, IndexError> {
        let mut newcomers: Vec<Newcomer> = ids.iter().map(|id| Newcomer::new(*id)).collect();
        let load = |newcomer: &mut Newcomer| {
            newcomer.loaded = finder.load(newcomer.id, cancel)?;
            if let Some(loaded) = &newcomer.loaded {
                newcomer.earlier = finder.earlier_principals(loaded, cancel)?;
            }
            Ok(())
        };
        on_two_threads(&mut newcomers, &|some| some.iter_mut().try_for_each(load))?;
        Ok(newcomers)
    }

    /// Compares newcomers with the principals before them, and finds what they may have to be compared with
    /// beside.
    pub(super) fn compare(
        &self,
        finder: &EdgeFinder<'_>,
        newcomers: &mut [Newcomer],
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        find_mates(finder, newcomers, cancel)?;
        on_two_threads(newcomers, &|some| {
            self.join_earlier(finder, some, cancel)?;
            let alone =
                |newcomer: &&mut Newcomer| newcomer.earlier.is_empty() && newcomer.mates.is_empty();
            // What is to lead, as far as can be told: for the others this is found when it comes to that.
            some.iter_mut().filter(alone).try_for_each(|newcomer| {
                newcomer.later = Some(self.later_than(finder, newcomer, cancel)?);
                Ok(())
            })
        })
    }

    /// Finds the first principal before each newcomer that is its neighbour. Each principal is read once for
    /// all of them.
    fn join_earlier(
        &self,
        finder: &EdgeFinder<'_>,
        newcomers: &mut [Newcomer],
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let mut by_rank: BTreeMap<(Rank, DocId), Vec<(usize, PairThreshold)>> = BTreeMap::new();
        {
            let state = self.state();
            for (at, newcomer) in newcomers.iter().enumerate() {
                for partner in &newcomer.earlier {
                    let key = (rank(&state.table, partner.id), partner.id);
                    by_rank
                        .entry(key)
                        .or_default()
                        .push((at, partner.threshold));
                }
            }
        }
        for ((_, principal), mut asking) in by_rank {
            asking.retain(|(at, _)| newcomers[*at].found.is_none());
            let mut found = Vec::new();
            let loaded = asking
                .iter()
                .filter_map(|(at, threshold)| Some((newcomers[*at].loaded.as_ref()?, *threshold)));
            finder.edges_to(principal, loaded, cancel, |at, edge| {
                found.extend(edge.map(|edge| (asking[at].0, edge.swapped())));
            })?;
            for (at, edge) in found {
                newcomers[at].found = Some((principal, edge));
            }
        }
        Ok(())
    }

    /// Settled documents of later principals, and these themselves, that may be neighbours of a newcomer.
    fn later_than(
        &self,
        finder: &EdgeFinder<'_>,
        newcomer: &Newcomer,
        cancel: &Cancel,
    ) -> Result<Vec<Partner>, IndexError> {
        let Some(loaded) = &newcomer.loaded else {
            return Ok(Vec::new());
        };
        let own = rank_of(&loaded.stats);
        if self.state().last_rank.is_none_or(|last| last <= own) {
            return Ok(Vec::new());
        }
        let admits = |state: &IndexState, other: DocId| {
            state.stars.contains(other) && rank(&state.table, state.stars.principal(other)) > own
        };
        finder.find_partners(loaded, &admits, cancel)
    }

    /// Where a newcomer belongs among those settled now; `None` if what it rests on changed, so that it must be
    /// loaded again. Those before it are placed.
    pub(super) fn place_of(
        &self,
        finder: &EdgeFinder<'_>,
        newcomer: &Newcomer,
        cancel: &Cancel,
    ) -> Result<Option<Place>, IndexError> {
        let Some(loaded) = &newcomer.loaded else {
            return Ok(Some(Place::Principal { taken: Vec::new() }));
        };
        let (mates, found) = {
            let state = self.state();
            let leads = |id: DocId| state.stars.leads(id);
            if newcomer
                .found
                .is_some_and(|(principal, _)| !leads(principal))
            {
                return Ok(None);
            }
            let found = newcomer.found.map(|(id, _)| rank(&state.table, id));
            let before = |id| found.is_none_or(|found| rank(&state.table, id) < found);
            let mates = newcomer
                .mates
                .iter()
                .filter(|mate| leads(mate.id) && before(mate.id));
            (mates.copied().collect::<Vec<_>>(), newcomer.found)
        };
        for mate in mates {
            if let Some(edge) = finder.edge(loaded, mate.id, mate.threshold, cancel)? {
                let (principal, edge) = (mate.id, edge.swapped());
                return Ok(Some(Place::Member { principal, edge }));
            }
        }
        if let Some((principal, edge)) = found {
            return Ok(Some(Place::Member { principal, edge }));
        }
        let later = match &newcomer.later {
            Some(later) => later.clone(),
            None => self.later_than(finder, newcomer, cancel)?,
        };
        let to_test = {
            let state = self.state();
            let later = later
                .into_iter()
                .map(|partner| (partner.id, partner.threshold));
            let rank = |id| rank(&state.table, id);
            state.stars.to_test(newcomer.id, later, &rank)
        };
        let edge = |other, threshold| finder.edge(loaded, other, threshold, cancel);
        to_test.take(edge).map(Some)
    }
}

impl Newcomer {
    fn new(id: DocId) -> Self {
        Self {
            id,
            loaded: None,
            earlier: Vec::new(),
            found: None,
            mates: Vec::new(),
            later: None,
        }
    }

    /// Whether so much must be compared that others come first.
    pub(super) fn is_laborious(&self) -> bool {
        self.earlier.len() > PUT_OFF
    }
}

/// Finds for each newcomer those before it that share enough.
fn find_mates(
    finder: &EdgeFinder<'_>,
    newcomers: &mut [Newcomer],
    cancel: &Cancel,
) -> Result<(), IndexError> {
    let mut samples = Vec::with_capacity(newcomers.len());
    for newcomer in newcomers.iter() {
        let sample = newcomer
            .loaded
            .as_ref()
            .map(|loaded| finder.sample(loaded, cancel));
        let mut sample = sample.transpose()?.flatten().unwrap_or_default();
        sample.sort_unstable();
        samples.push(sample);
    }
    for at in 1..newcomers.len() {
        let (before, rest) = newcomers.split_at_mut(at);
        let Some(own) = rest[0].loaded.as_ref().map(|loaded| loaded.stats) else {
            continue;
        };
        for (mate, sample) in before.iter().zip(&samples) {
            let theirs = mate.loaded.as_ref().map(|loaded| loaded.stats);
            let Some(threshold) = theirs.and_then(|theirs| finder.pair_threshold(&own, &theirs))
            else {
                continue;
            };
            if simdex_signature::count_shared_at(&samples[at], sample, threshold.rung)
                >= threshold.min_shared
            {
                rest[0].mates.push(Partner {
                    id: mate.id,
                    threshold,
                });
            }
        }
    }
    Ok(())
}

/// Does both halves at once.
fn on_two_threads<T: Send>(
    items: &mut [T],
    each: &(dyn Fn(&mut [T]) -> Result<(), IndexError> + Sync),
) -> Result<(), IndexError> {
    let (left, right) = items.split_at_mut(items.len() / 2);
    let mut right = Some(right);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("settler-2".to_owned());
        let slot = &mut right;
        let other = thread.spawn_scoped(scope, move || slot.take().map_or(Ok(()), each));
        let of_left = each(left);
        // Where no thread is to be had, this one does all of it, below.
        if let Ok(other) = other {
            let gone = || Err(IndexError::WorkerPanicked("settling"));
            other.join().unwrap_or_else(|_| gone())?;
        }
        of_left
    })?;
    right.map_or(Ok(()), each)
}
