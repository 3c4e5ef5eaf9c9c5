//! The documents whose place among the groups is still to be found, or may have changed: two sets, and
//! how many are in either, so that asking for that number costs nothing.

use std::collections::BTreeSet;

use simdex_schema::DocId;

/// Documents that are not settled.
#[derive(Default)]
pub(crate) struct Unsettled {
    /// Their place is still to be found.
    unplaced: BTreeSet<DocId>,
    /// Their files changed, and their stars do not know it yet.
    restless: BTreeSet<DocId>,
    /// Documents in both sets.
    both: usize,
}

impl Unsettled {
    /// Documents in either set.
    pub(crate) fn len(&self) -> usize {
        self.unplaced.len() + self.restless.len() - self.both
    }

    /// Documents whose place is still to be found.
    pub(crate) fn unplaced(&self) -> &BTreeSet<DocId> {
        &self.unplaced
    }

    pub(crate) fn is_unplaced(&self, id: DocId) -> bool {
        self.unplaced.contains(&id)
    }

    pub(crate) fn is_restless(&self, id: DocId) -> bool {
        self.restless.contains(&id)
    }

    /// The place of this document is still to be found.
    pub(crate) fn unplace(&mut self, id: DocId) {
        if self.unplaced.insert(id) && self.restless.contains(&id) {
            self.both += 1;
        }
    }

    /// The place of this document is found, or none is sought any more.
    pub(crate) fn place(&mut self, id: DocId) {
        if self.unplaced.remove(&id) && self.restless.contains(&id) {
            self.both -= 1;
        }
    }

    /// The files of this document changed.
    pub(crate) fn disturb(&mut self, id: DocId) {
        if self.restless.insert(id) && self.unplaced.contains(&id) {
            self.both += 1;
        }
    }

    /// The star of this document knows of its files.
    pub(crate) fn calm(&mut self, id: DocId) {
        if self.restless.remove(&id) && self.unplaced.contains(&id) {
            self.both -= 1;
        }
    }

    /// Takes out every document whose files changed.
    pub(crate) fn take_restless(&mut self) -> BTreeSet<DocId> {
        self.both = 0;
        std::mem::take(&mut self.restless)
    }

    #[cfg(test)]
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_count_is_that_of_both_sets_together(
            steps in prop::collection::vec((0_u8..5, 0_u64..6), 0..60),
        ) {
            let mut unsettled = Unsettled::default();
            for (step, id) in steps {
                let id = DocId(id);
                match step {
                    0 => unsettled.unplace(id),
                    1 => unsettled.place(id),
                    2 => unsettled.disturb(id),
                    3 => unsettled.calm(id),
                    _ => drop(unsettled.take_restless()),
                }
                let either = unsettled.unplaced.union(&unsettled.restless);
                prop_assert_eq!(unsettled.len(), either.count());
            }
        }
    }
}
