//! Finds terms among those of a text: a hash table without values, by open addressing.
//!
//! A hit shares most of its words with the text that it is compared with. These are counted in the places of that text's
//! terms, and are neither sorted nor looked up in the [table](super::idf) again.

use super::terms::Term;

/// The places of terms in a sorted list of theirs.
#[derive(Clone, Debug, Default)]
pub struct TermSlots {
    /// The place of a term plus one, or 0; at most half of the slots are taken.
    slots: Vec<u32>,
    /// The bits of a term that are not used for its slot.
    unused_bits: u32,
}

impl TermSlots {
    /// The slots of these terms, each of which occurs once.
    pub(crate) fn of(terms: impl ExactSizeIterator<Item = Term>) -> Self {
        let count = (2 * terms.len()).next_power_of_two().max(2);
        let mut of = Self {
            slots: vec![0; count],
            unused_bits: u64::BITS - count.ilog2(),
        };
        for (place, term) in (1..).zip(terms) {
            let mut at = of.first(term);
            while of.slots[at] != 0 {
                at = of.next(at);
            }
            of.slots[at] = place;
        }
        of
    }

    /// The place of a term; `at` returns the term in a place.
    pub(crate) fn find(&self, term: Term, at: impl Fn(usize) -> Term) -> Option<usize> {
        let mut slot = self.first(term);
        loop {
            let place = (*self.slots.get(slot)?).checked_sub(1)? as usize;
            if at(place) == term {
                return Some(place);
            }
            slot = self.next(slot);
        }
    }

    /// The slot that a term has unless others took it.
    fn first(&self, term: Term) -> usize {
        (term.0 >> self.unused_bits) as usize
    }

    fn next(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_term_is_found_where_it_is(
            terms in prop::collection::btree_set(prop_oneof![any::<u64>(), 0_u64..9, Just(u64::MAX)], 0..200),
            sought in prop::collection::vec(prop_oneof![any::<u64>(), 0_u64..9], 0..20),
        ) {
            let terms: BTreeSet<Term> = terms.into_iter().map(Term).collect();
            let listed: Vec<Term> = terms.iter().copied().collect();
            let slots = TermSlots::of(listed.iter().copied());
            for term in sought.into_iter().map(Term).chain(listed.iter().copied()) {
                let found = slots.find(term, |place| listed[place]);
                prop_assert_eq!(found, listed.binary_search(&term).ok());
            }
        }
    }
}
