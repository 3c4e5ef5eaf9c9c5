//! Whether the index holds everything that was seen: decided here alone, from walks, queue, index, roots and
//! alarms.

use std::sync::Arc;

use simdex_index::{Cancel, FileCounts, MoveWatch, UnsettledCounts, VisibleRoots};
use simdex_proto::completeness::{Completeness, Pending};
use simdex_schema::{DocId, State};
use thiserror::Error;

use super::sync::{RequestedWalks, is_any_walking, requested};
use super::{Engine, EngineError};
use crate::base::rate::Pace;
use crate::read_side::query::name_of_document;
use crate::write_side::roots::{Root, RootState};

/// A complete answer was required, and this one is not.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the index is not complete: {pending}{}", in_clause(.damaged.as_deref()))]
pub struct Incomplete {
    /// What keeps the index from being complete.
    pub pending: Box<Pending>,
    /// A file of the view whose text is damaged, or the hash of its document if no file of it is visible; `None` if no
    /// damaged text is known that was not released to be read again.
    pub damaged: Option<String>,
}

fn in_clause(damaged: Option<&str>) -> String {
    damaged.map_or_else(String::new, |name| {
        format!("; one damaged text is that of {name}")
    })
}

impl Incomplete {
    /// The end of a refusal that may be due to what the index still lacks; empty if it lacks nothing.
    pub fn clause(pending: Option<&Pending>) -> String {
        pending.map_or_else(String::new, |pending| {
            let (pending, damaged) = (Box::new(pending.clone()), None);
            format!("; {}", Self { pending, damaged })
        })
    }
}

/// Checks the basis of an answer: the completeness of the index when the answer was begun, and damage that
/// is found while it is made.
pub struct CompletenessCheck<'a> {
    engine: &'a Engine,
    view: VisibleRoots,
    before: Completeness,
    /// Texts ever found damaged by then: one that a walk releases during the answer was found all the same.
    found_before: u64,
    /// Unsettled documents of the list that the answer is made of.
    unsettled: UnsettledCounts,
    /// Watches renames since files began to be listed by path.
    listed: Option<(VisibleRoots, MoveWatch)>,
    strict: bool,
}

impl<'a> CompletenessCheck<'a> {
    /// Begins an answer within a view; refuses it if it is `strict` and something is pending.
    pub fn begin(
        engine: &'a Engine,
        view: &VisibleRoots,
        strict: bool,
    ) -> Result<Self, Incomplete> {
        let found_before = engine.index.reader().documents().ever_damaged();
        let before = engine.completeness(view);
        let check = Self {
            engine,
            view: view.clone(),
            before,
            found_before,
            unsettled: UnsettledCounts::default(),
            listed: None,
            strict,
        };
        check.verdict()?;
        Ok(check)
    }

    /// The completeness as far as is known now: texts may have turned out to be damaged since the answer began.
    pub fn completeness(&self) -> Completeness {
        let reader = self.engine.index.reader();
        let met = reader.documents().ever_damaged() - self.found_before;
        let damaged = self.engine.damaged_texts(&self.view).max(met);
        let UnsettledCounts { awaited, crowded } = self.unsettled;
        let moved = |(view, watch): &(VisibleRoots, MoveWatch)| {
            // This comes first: changes applied by the time of the next call are noted there.
            let on_their_way = self.engine.on_their_way(view);
            watch.moved(on_their_way)
        };
        let moved = self.listed.as_ref().map_or(0, moved);
        let known = self.before.clone().with_damaged(damaged);
        known.with_unsettled(awaited, crowded).with_moved(moved)
    }

    /// Notes what was unsettled for the list that the answer is made of.
    pub fn note_unsettled(&mut self, unsettled: UnsettledCounts) {
        self.unsettled = unsettled;
    }

    /// Call before files of a view are listed by path: from now on, files count that the list may miss
    /// because they are renamed.
    pub fn begin_list(&mut self, view: &VisibleRoots) {
        let watch = self.engine.index.reader().file_totals().watch_moves(view);
        self.listed = Some((view.clone(), watch));
    }

    /// The completeness so far; an error if the answer is strict and something is pending. May be called more
    /// than once.
    pub fn verdict(&self) -> Result<Completeness, Incomplete> {
        let completeness = self.completeness();
        match &completeness.pending {
            Some(pending) if self.strict => Err(Incomplete {
                pending: Box::new(pending.clone()),
                damaged: self.engine.a_damaged_text(&self.view),
            }),
            _ => Ok(completeness),
        }
    }
}

impl Engine {
    /// Whether the index holds everything that was seen. Roots outside the view do not count.
    pub fn completeness(&self, view: &VisibleRoots) -> Completeness {
        let lines = self.index.reader().signer().template_lines();
        let list = lines.id().map(|id| id.0);
        Completeness::from(self.pending(view)).with_template_lines(lines.len(), list)
    }

    /// Returns once the walks that are under way or requested are over, and everything queued by then is applied and
    /// settled, whatever arrives during the wait. It does not wait for what does not pass by itself (a stale root, a
    /// held loss, a damaged text, a file that the machine fails to read), or may take hours (crowded documents).
    pub fn wait_until_settled(&self, cancel: &Cancel) -> Result<(), EngineError> {
        self.flush_hints(cancel)?;
        let watched = self.roots.iter().filter_map(|root| root.walks());
        let requested_walks: RequestedWalks = watched.map(requested).collect();
        let walked = self.roots.iter();
        let walked = walked.filter_map(|root| Some((root.awaited_walk()?, root)));
        let walked: Vec<(u64, &Arc<Root>)> = walked.collect();
        let is_walking = || {
            let awaits_walk = |(number, root): &(u64, &Arc<Root>)| !root.is_walk_over(*number);
            is_any_walking(&requested_walks) || walked.iter().any(awaits_walk)
        };
        self.pipeline.wait_while(is_walking, cancel)?;
        self.pipeline.wait_until_settled(cancel)
    }

    /// How fast waiting files are read and applied; `None` if none waits. While a root is walked, the queue holds a few
    /// thousand of its files at a time, and how many follow is not known.
    pub fn reading_pace(&self) -> Option<Pace> {
        let pace = self.pipeline.reading_pace()?;
        Some(match self.roots_being_walked(&VisibleRoots::All) {
            0 => pace,
            _ => pace.without_end(),
        })
    }

    /// How fast documents get their places in groups; `None` if none waits for one.
    pub fn settling_pace(&self) -> Option<Pace> {
        self.pipeline.settling_pace()
    }

    /// The reason that keeps the index from being complete. A change goes from a walk to the queue, may be put off,
    /// and goes to the settler: counted in that order, none is missed. In the settler it may go back and forth, so
    /// those counts are all of one moment.
    fn pending(&self, view: &VisibleRoots) -> Pending {
        let queued = self.queued(view);
        let retrying = self.pipeline.retrying(view);
        let unsettled = self.index.unsettled();
        let shown = self.roots.iter().filter(|root| view.shows(root.id));
        let states: Vec<RootState> = shown.map(|root| root.state()).collect();
        let count = |is: fn(&RootState) -> bool| states.iter().filter(|state| is(state)).count();
        Pending {
            queued,
            retrying,
            unsettled: unsettled.awaited,
            crowded: unsettled.crowded,
            stale_roots: count(|s| matches!(s, RootState::Stale | RootState::Replaced)) as u64,
            held_losses: count(|s| *s == RootState::LossHeld) as u64,
            unreadable: self.unreadable_paths(view),
            damaged: self.damaged_texts(view),
            moved: 0,
            alarm: self.host.alarms.gravest().map(|alarm| alarm.reason),
        }
    }

    /// Texts known to be damaged, and files of a view whose text was and that were not read again yet: what is below a
    /// stale root waits until the root is back.
    fn damaged_texts(&self, view: &VisibleRoots) -> u64 {
        let reader = self.index.reader();
        reader.documents().damaged().len() as u64 + reader.file_totals().damaged(view)
    }

    /// Names one of the texts known to be damaged: by a file of a view if one of them has any there.
    fn a_damaged_text(&self, view: &VisibleRoots) -> Option<String> {
        let index = self.index.reader();
        let damaged = index.documents().damaged();
        let in_view = |id: &&DocId| index.files().count_of_document(**id, view) > 0;
        let id = damaged.iter().find(in_view).or(damaged.first())?;
        let hash = index.documents().stats(*id)?.hash;
        Some(name_of_document(index, hash, view))
    }

    /// The number of paths below the roots of a view that cannot be looked at, read or listed. What is on record there, if
    /// anything, is kept.
    pub fn unreadable_paths(&self, view: &VisibleRoots) -> u64 {
        let shown = self.roots.iter().filter(|root| view.shows(root.id));
        shown.map(|root| root.unreadable()).sum()
    }

    /// Files on disk of a view, which are counted already, that are not up to date although nothing is queued: those to
    /// be tried again after a fault of the machine or, if they are more, those that are on record as unstable, of which
    /// most are the same files.
    pub fn unsteady(&self, view: &VisibleRoots, counts: &FileCounts) -> u64 {
        let unstable = counts.states.get(&State::Unstable).copied();
        self.pipeline.retrying(view).max(unstable.unwrap_or(0))
    }

    /// Changes that were seen and not yet applied, and roots being walked.
    fn queued(&self, view: &VisibleRoots) -> u64 {
        self.roots_being_walked(view) + self.pipeline.pending(view)
    }

    /// Files being processed, and those that are to be tried again.
    fn on_their_way(&self, view: &VisibleRoots) -> u64 {
        self.queued(view) + self.pipeline.retrying(view)
    }

    fn roots_being_walked(&self, view: &VisibleRoots) -> u64 {
        let is_requested = |root: &Root| root.walks().is_some_and(|walks| walks.is_busy());
        let shown = self.roots.iter().filter(|root| view.shows(root.id));
        let walked = shown.filter(|root| root.awaits_walk() || is_requested(root));
        walked.count() as u64
    }
}
