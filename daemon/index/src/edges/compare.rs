//! Whether two documents are neighbours: on the coarsest sample first, and finer as long as it leaves a doubt.

use std::sync::Arc;

use simdex_schema::EdgeRecord;
use simdex_signature::{Fingerprint, Levels, Rung, SharedAt, ShingleSet};

use super::{Cuts, PairThreshold};
use crate::work::WorkCounters;
use crate::{Cancel, HeldSet, IndexError, MemoryAccount, MemoryPermit};

/// All shingles of a document, with the permit for what comparing them takes.
#[derive(Debug)]
pub(crate) struct Shingles {
    form: Form,
    permit: Option<MemoryPermit>,
}

#[derive(Clone, Debug)]
enum Form {
    Levels(Arc<Levels>),
    /// Too many to be listed.
    Parts(Arc<ShingleSet>),
}

impl Shingles {
    /// Sorts the shingles of a text by level.
    pub(super) fn of(held: HeldSet, account: &MemoryAccount) -> Result<Self, IndexError> {
        let HeldSet { set, permit } = held;
        // The set itself is dropped right after.
        let of_levels = account.take_large(set.held_bytes())?;
        Ok(match Levels::of(&set) {
            Some(levels) => Self {
                form: Form::Levels(Arc::new(levels)),
                permit: of_levels,
            },
            None => Self {
                form: Form::Parts(set),
                permit,
            },
        })
    }

    pub(super) fn of_levels(
        levels: Arc<Levels>,
        account: &MemoryAccount,
    ) -> Result<Self, IndexError> {
        let permit = account.take_large(levels.held_bytes())?;
        let form = Form::Levels(levels);
        Ok(Self { form, permit })
    }

    /// What needs no permit, to be kept while others are compared with it.
    pub(super) fn small(&self) -> Option<Self> {
        let form = self.form.clone();
        let permit = None;
        self.permit.is_none().then_some(Self { form, permit })
    }

    pub(super) fn levels(&self) -> Option<&Arc<Levels>> {
        match &self.form {
            Form::Levels(levels) => Some(levels),
            Form::Parts(_) => None,
        }
    }

    /// The shingles divisible by 2^rung, in no order.
    pub(super) fn sampled(&self, rung: Rung) -> Vec<Fingerprint> {
        match &self.form {
            Form::Levels(levels) => levels.sampled(rung).to_vec(),
            Form::Parts(set) => set.sampled(rung),
        }
    }

    fn len(&self) -> u64 {
        match &self.form {
            Form::Levels(levels) => levels.len() as u64,
            Form::Parts(set) => set.len() as u64,
        }
    }

    /// Exact counts of a pair, this side first, where they are neighbours.
    pub(super) fn edge(
        &self,
        other: &Self,
        pair: PairThreshold,
        cuts: &Cuts,
        work: &WorkCounters,
        cancel: &Cancel,
    ) -> Result<Option<EdgeRecord>, IndexError> {
        let may_reach = |at: SharedAt| match at.rung {
            rung if rung == pair.rung => at.shared >= pair.min_shared,
            _ => at.shared >= cuts.elsewhere(at.union),
        };
        // Where nothing is sampled, nothing is left to chance.
        let first = match pair.rung {
            Rung::ZERO => Rung::ZERO,
            _ => Rung::TOP,
        };
        let last = match (&self.form, &other.form) {
            (Form::Levels(a), Form::Levels(b)) => a.compare(b, first, may_reach),
            _ => in_parts(&self.set(), &other.set(), first, may_reach, cancel)?,
        };
        work.compared(last.union + last.shared);
        let edge = EdgeRecord {
            shared: last.shared,
            shingles_a: self.len(),
            shingles_b: other.len(),
        };
        let reaches = last.rung == Rung::ZERO && edge.resemblance() >= cuts.threshold().get();
        Ok(reaches.then_some(edge))
    }

    fn set(&self) -> Arc<ShingleSet> {
        match &self.form {
            Form::Levels(levels) => Arc::new(ShingleSet::of_levels(levels)),
            Form::Parts(set) => Arc::clone(set),
        }
    }
}

/// Compares sets of which one is too large to be listed: counts at all rungs come together.
fn in_parts(
    a: &ShingleSet,
    b: &ShingleSet,
    rung: Rung,
    go_on: impl Fn(SharedAt) -> bool,
    cancel: &Cancel,
) -> Result<SharedAt, IndexError> {
    let shared = a.count_shared_by_rung(b, || cancel.check())?;
    let (of_a, of_b) = (a.counts_by_rung(), b.counts_by_rung());
    let at = |rung: Rung| {
        let at = usize::from(rung.get());
        SharedAt {
            rung,
            shared: shared[at],
            union: of_a[at] + of_b[at] - shared[at],
        }
    };
    let sampled = Rung::all().rev().filter(|r| *r <= rung && *r != Rung::ZERO);
    let refused = sampled.map(at).find(|at| !go_on(*at));
    Ok(refused.unwrap_or_else(|| at(Rung::ZERO)))
}
