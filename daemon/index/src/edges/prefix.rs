//! Which fingerprints of a document are looked up to find its partners: at each rung at which two documents may be
//! compared, as many as are needed for every partner to share one. Those that few principals hold come first.
//!
//! Finer fingerprints find no more partners than coarser ones, and there are more of them. So the look-up takes the
//! rung at which a document has about [`PROBED`] fingerprints, however long it is; partners with a coarser rung of
//! their own are searched for at theirs.
//!
//! Any choice finds every partner, so the choice may depend on what is known about posting lists. If many documents
//! share a template and resemble each other just below the threshold, each is a principal: the lists of the
//! fingerprints that they share contain all of them, the lists of their own fingerprints none of the others. If the
//! former were looked up, every such document would be compared with all before it.

use std::sync::atomic::Ordering;

use simdex_schema::document::RUNGS;
use simdex_schema::posting::PostingKey;
use simdex_signature::{Fingerprint, Rung};

use super::{Cuts, EdgeFinder, count_at};
use crate::postings::Tally;
use crate::principal_lists::{PRINCIPALS_STEP, PrincipalLists};
use crate::{Cancel, DocumentStats, IndexError};

/// With this many fingerprints, two documents of resemblance 0.8 share too few with a probability below
/// [`DOUBT`](crate::cuts::DOUBT), and two of 0.4 share enough with a probability below 0.01.
const PROBED: u64 = 64;
/// The rest of a document's fingerprints is looked up if no more principals than this are in their lists, in units of
/// [`PRINCIPALS_STEP`]: 64.
const MAX_PRINCIPAL_STEPS: usize = 64 / PRINCIPALS_STEP;

/// The rung at which to search for those partners of a document whose own rung is no coarser: the coarsest that leaves
/// the document [`PROBED`] fingerprints, of which a neighbour must share one. At a low threshold a neighbour need not
/// share any, and a search there would lack neighbours that the other side finds: then it is the document's own rung.
/// If nothing is sampled, all fingerprints are looked up, which decides exactly.
pub(super) fn probing_rung(stats: &DocumentStats, cuts: &Cuts) -> Rung {
    if stats.rung == Rung::ZERO {
        return Rung::ZERO;
    }
    let mut coarser = Rung::all().rev().take_while(|rung| *rung > stats.rung);
    // The union is no smaller, and its cut no lower.
    let tells_apart = |count| count >= PROBED && cuts.elsewhere(count) > 0;
    let enough = coarser.find(|rung| tells_apart(count_at(stats, *rung)));
    enough.unwrap_or(stats.rung)
}

/// What every partner must share with a document if their common rung is this one or a finer one.
struct PrefixRequirement {
    rung: Rung,
    /// Fingerprints of the document at that rung.
    own_count: u64,
    /// The smallest number that any partner shares: that of a partner contained in the document.
    min_shared: u64,
}

/// The fingerprints of a document: counts of those that were looked up, and the others.
pub(super) struct Prefix {
    rung: Rung,
    /// Fingerprints in the order of their look-up, with what is known of their lists.
    rest: Vec<(usize, Fingerprint)>,
    /// How many were looked up, by rung.
    probed: [u64; RUNGS],
}

impl Prefix {
    /// The fingerprints at a rung, none of them looked up yet. Lists with fewer principals come first. Those with about
    /// as many, or unknown ones, come in a pseudo-random order that is the same for every document.
    pub(super) fn new(fingerprints: Vec<Fingerprint>, rung: Rung, lists: &PrincipalLists) -> Self {
        let keys = fingerprints.iter().map(|f| PostingKey::of(*f));
        let counts = lists.principal_counts(keys);
        let mut rest: Vec<_> = counts.into_iter().zip(fingerprints).collect();
        rest.sort_unstable_by_key(|(count, f)| (*count, f.mixed()));
        Self {
            rung,
            rest,
            probed: [0; RUNGS],
        }
    }

    pub(super) fn rung(&self) -> Rung {
        self.rung
    }

    /// Takes out as many as are missing until `needed` are looked up at a rung.
    fn lengthen(&mut self, rung: Rung, needed: u64) -> Vec<Fingerprint> {
        let missing = needed.saturating_sub(self.probed[usize::from(rung.get())]) as usize;
        self.take(missing, |_, fingerprint| fingerprint.divisible_by(rung))
    }

    /// Takes out all that are left, except those whose lists have many principals.
    pub(super) fn take_rest(&mut self) -> Vec<Fingerprint> {
        self.take(usize::MAX, |principals, _| {
            principals <= MAX_PRINCIPAL_STEPS
        })
    }

    fn take(
        &mut self,
        limit: usize,
        may_take: impl Fn(usize, Fingerprint) -> bool,
    ) -> Vec<Fingerprint> {
        let mut taken = Vec::new();
        if limit > 0 {
            self.rest.retain(|(principals, fingerprint)| {
                let is_taken = taken.len() < limit && may_take(*principals, *fingerprint);
                taken.extend(is_taken.then_some(*fingerprint));
                !is_taken
            });
        }
        for fingerprint in &taken {
            let rungs = Rung::all().filter(|rung| fingerprint.divisible_by(*rung));
            rungs.for_each(|rung| self.probed[usize::from(rung.get())] += 1);
        }
        taken
    }

    /// Number of the document's fingerprints at a rung that were not looked up.
    pub(super) fn unread(&self, stats: &DocumentStats, rung: Rung) -> u64 {
        count_at(stats, rung).saturating_sub(self.probed[usize::from(rung.get())])
    }
}

impl EdgeFinder<'_> {
    /// Looks up enough fingerprints at every common rung that each partner shares one. Common lists are skipped while
    /// further ones make up for them.
    pub(super) fn probe_prefix(
        &self,
        tally: &mut Tally<'_>,
        prefix: &mut Prefix,
        stats: &DocumentStats,
        cancel: &Cancel,
    ) -> Result<(), IndexError> {
        let requirements = self.prefix_requirements(stats, prefix.rung);
        loop {
            let mut more = Vec::new();
            // Coarsest first: what is looked up there also counts at every finer rung.
            for requirement in requirements.iter().rev() {
                let unread = tally.common_lists_unread_at(requirement.rung);
                let needed = (requirement.own_count + 1 + unread)
                    .saturating_sub(requirement.min_shared)
                    .min(requirement.own_count);
                more.extend(prefix.lengthen(requirement.rung, needed));
            }
            if more.is_empty() {
                break;
            }
            tally.probe(&more, cancel)?;
        }
        let open = requirements.iter().filter(|requirement| {
            let rung = requirement.rung;
            prefix.unread(stats, rung) + tally.common_lists_unread_at(rung)
                >= requirement.min_shared
        });
        let open: Vec<Rung> = open.map(|requirement| requirement.rung).collect();
        tally.read_common(&|f| open.iter().any(|rung| f.divisible_by(*rung)), cancel)?;
        let unread = tally.common_lists_unread_at(Rung::ZERO);
        self.skipped.fetch_add(unread, Ordering::Relaxed);
        Ok(())
    }

    /// What partners must share: those at the probing rung or a finer one at the probing rung, the others at theirs.
    fn prefix_requirements(&self, stats: &DocumentStats, probing: Rung) -> Vec<PrefixRequirement> {
        let rungs = Rung::all()
            .filter(|rung| *rung == probing || (probing..=Rung::MAX_DOCUMENT).contains(rung));
        let requirements = rungs.map(|rung| {
            let own_count = count_at(stats, rung);
            let cut = match rung == probing && rung > stats.rung {
                // At most what they must share if it is the common one.
                true => self.cuts.elsewhere(own_count),
                false => self.cuts.at_common(own_count, rung),
            };
            PrefixRequirement {
                rung,
                own_count,
                min_shared: cut.max(1),
            }
        });
        requirements
            .filter(|requirement| requirement.own_count > 0)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use simdex_schema::{DocumentHash, DocumentKind};
    use simdex_signature::Ratio;

    use super::*;

    /// A document with this many shingles, sampled at a rung.
    fn stats(shingles: u32, rung: u8) -> DocumentStats {
        DocumentStats {
            hash: DocumentHash([1; 32]),
            kind: DocumentKind::Text,
            length: u64::from(shingles),
            rung: Rung::new(rung).unwrap(),
            counts: std::array::from_fn(|at| shingles >> at),
            bsw_count: 0,
            min_count: 0,
            sketch_count: 0,
            signed_anew: 0,
        }
    }

    #[test]
    fn partners_are_sought_at_a_coarse_rung_only_where_neighbours_must_share_some_of_it() {
        let probing = |threshold, stats: &DocumentStats| {
            probing_rung(stats, &Cuts::new(Ratio::new(threshold).unwrap())).get()
        };
        let long = stats(8_192, 4);
        assert_eq!(probing(0.8, &long), 7);
        assert_eq!(probing(0.8, &stats(500, 0)), 0);
        // With 64 fingerprints neighbours may share none there: (1 - 0.2)^64 is above the doubt, for 128 below.
        assert_eq!(probing(0.2, &long), 6);
        assert_eq!(probing(0.05, &long), 4);
        for threshold in [0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0] {
            let cuts = Cuts::new(Ratio::new(threshold).unwrap());
            let rung = probing_rung(&long, &cuts);
            let is_own = rung == long.rung;
            assert!(
                is_own || cuts.elsewhere(count_at(&long, rung)) > 0,
                "{threshold}"
            );
        }
    }
}
