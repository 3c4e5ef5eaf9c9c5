//! Whether the index holds everything that was seen: decided here alone, from walks, queue, index, roots and
//! alarms.

use simdex_index::{Cancel, View};
use simdex_proto::completeness::{Completeness, Pending};
use thiserror::Error;

use super::{Engine, EngineError, lock};
use crate::roots::RootState;

/// An answer was wanted only if it was complete.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the index is not complete: {0}")]
pub struct Incomplete(pub Pending);

/// Checks what an answer rests on: the completeness of the index when the answer was begun, and damage that
/// is met while it is made.
pub struct CompletenessCheck<'a> {
    engine: &'a Engine,
    before: Completeness,
    strict: bool,
}

impl<'a> CompletenessCheck<'a> {
    /// Begins an answer within a view; refuses it if it is `strict` and something is pending.
    pub fn begin(engine: &'a Engine, view: &View, strict: bool) -> Result<Self, Incomplete> {
        let before = engine.completeness(view);
        let check = Self {
            engine,
            before,
            strict,
        };
        check.verdict()?;
        Ok(check)
    }

    /// The completeness as far as is known by now: texts may have turned out to be damaged meanwhile.
    pub fn completeness(&self) -> Completeness {
        let damaged = self.engine.index.damaged_texts();
        self.before.clone().with_damaged(damaged)
    }

    /// The completeness by now; an error if the answer is strict and something is pending. May be called more
    /// than once.
    pub fn verdict(&self) -> Result<Completeness, Incomplete> {
        let completeness = self.completeness();
        match &completeness.pending {
            Some(pending) if self.strict => Err(Incomplete(pending.clone())),
            _ => Ok(completeness),
        }
    }
}

impl Engine {
    /// Whether the index holds everything that was seen. Roots outside the view do not count.
    pub fn completeness(&self, view: &View) -> Completeness {
        self.pending(view).into()
    }

    /// Returns once nothing is queued and every document is settled. What does not pass by itself (a
    /// root that is stale, a loss that is held, a damaged text, a file that the machine fails to read), or may take
    /// hours (documents in crowds), is not waited for.
    pub fn wait_until_complete(&self, cancel: &Cancel) -> Result<(), EngineError> {
        let view = self.roots.view();
        let pending = || self.pending(&view).passing() > 0;
        self.pipeline.wait_while(pending, cancel)
    }

    /// What keeps the index from being complete. A change goes from a walk to the queue, may be put off, and goes
    /// to the settler: counted in that order, none slips through.
    fn pending(&self, view: &View) -> Pending {
        let queued = self.roots_being_walked(view) + self.counts().pending;
        let retrying = self.pipeline.retrying();
        let unsettled = self.index.unsettled();
        let crowded = self.index.crowded();
        let shown = self.roots.iter().filter(|root| view.shows(root.id));
        let states: Vec<RootState> = shown.map(|root| root.state()).collect();
        let count = |is: fn(&RootState) -> bool| states.iter().filter(|state| is(state)).count();
        Pending {
            queued,
            retrying,
            unsettled,
            crowded,
            stale_roots: count(|s| matches!(s, RootState::Stale | RootState::Replaced)) as u64,
            held_losses: count(|s| *s == RootState::LossHeld) as u64,
            damaged: self.index.damaged_texts(),
            alarm: self.host.alarms.gravest().map(|alarm| alarm.reason),
        }
    }

    fn roots_being_walked(&self, view: &View) -> u64 {
        let walks = lock(&self.walks);
        let wanted = |id| walks.iter().any(|(of, walks)| *of == id && walks.is_busy());
        let shown = self.roots.iter().filter(|root| view.shows(root.id));
        let walked = shown.filter(|root| root.is_walked() || wanted(root.id));
        walked.count() as u64
    }
}
