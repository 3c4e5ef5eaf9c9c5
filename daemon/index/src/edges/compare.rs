//! Whether two documents are neighbours: on the coarsest sample first, then on finer ones until one rung rules the pair
//! out.

use std::sync::Arc;

use simdex_schema::EdgeRecord;
use simdex_signature::{Fingerprint, Levels, Rung, SharedAt, ShingleSet};

use super::{Cuts, PairThreshold};
use crate::shingles::ReadLevels;
use crate::work::WorkCounters;
use crate::{Cancel, HeldShingles, IndexError, MemoryAccount, MemoryPermit};

/// All shingles of a document, with the permit for what comparing them takes.
#[derive(Debug)]
pub(crate) struct Shingles {
    form: Form,
    permit: Option<MemoryPermit>,
}

#[derive(Clone, Debug)]
enum Form {
    Levels(Arc<Levels>),
    /// Too many for one list.
    Parts(Arc<ShingleSet>),
}

impl Shingles {
    pub(super) fn of(read: ReadLevels, account: &MemoryAccount) -> Result<Self, IndexError> {
        match read {
            ReadLevels::Listed(levels, permit) => Ok(Self {
                form: Form::Levels(Arc::new(levels)),
                permit,
            }),
            ReadLevels::InSet(held) => Self::of_set(held, account),
        }
    }

    /// Sorts the shingles of a set by level, if it lists them.
    fn of_set(held: HeldShingles, account: &MemoryAccount) -> Result<Self, IndexError> {
        let HeldShingles { set, permit } = held;
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

    /// The shingles if they need no permit, to be kept while others are compared with them.
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

    /// The shingles divisible by 2^rung, unordered.
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

    /// Exact counts of a pair, this side first, if the two are neighbours.
    pub(super) fn edge(
        &self,
        other: &Self,
        pair: PairThreshold,
        cuts: &Cuts,
        work: &WorkCounters,
        cancel: &Cancel,
    ) -> Result<Option<EdgeRecord>, IndexError> {
        let may_reach = |at| pair.may_reach(at, cuts);
        let last = match (&self.form, &other.form) {
            (Form::Levels(a), Form::Levels(b)) => a.compare(b, pair.first(), may_reach),
            _ => in_parts(&self.set(), &other.set(), pair.first(), may_reach, cancel)?,
        };
        work.compared(1, last.union + last.shared);
        Ok(edge_of(last, [self.len(), other.len()], cuts))
    }

    fn set(&self) -> Arc<ShingleSet> {
        match &self.form {
            Form::Levels(levels) => Arc::new(levels.to_set()),
            Form::Parts(set) => Arc::clone(set),
        }
    }
}

impl PairThreshold {
    /// The rung at which a comparison begins.
    pub(super) fn first(self) -> Rung {
        // If nothing is sampled, nothing is left to chance.
        match self.rung {
            Rung::ZERO => Rung::ZERO,
            _ => Rung::TOP,
        }
    }

    /// Whether two documents that share this much may be neighbours.
    pub(super) fn may_reach(self, at: SharedAt, cuts: &Cuts) -> bool {
        match at.rung {
            rung if rung == self.rung => at.shared >= self.min_shared,
            _ => cuts.reaches_elsewhere(at.shared, at.union),
        }
    }
}

/// The edge of two documents with this many shingles, if they are neighbours by what was compared last.
pub(super) fn edge_of(
    last: SharedAt,
    [shingles_a, shingles_b]: [u64; 2],
    cuts: &Cuts,
) -> Option<EdgeRecord> {
    let edge = EdgeRecord {
        shared: last.shared,
        shingles_a,
        shingles_b,
    };
    let reaches = last.rung == Rung::ZERO && edge.resemblance() >= cuts.threshold().get();
    reaches.then_some(edge)
}

/// Compares sets one of which is too large for a list: counts at all rungs are found together.
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
