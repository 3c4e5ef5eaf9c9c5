//! Which fingerprints of a document are looked up to find its partners: of each rung at which two may be told
//! apart as many as no partner can avoid, those first that few principals hold.
//!
//! Finer fingerprints find no more partners than coarser ones, and are more. So those are looked up of which a
//! document has about [`PROBED`], however long it is; partners with a coarser rung of their own are sought there.
//!
//! Any choice finds every partner, so that the choice may follow from what is known of posting lists. Where many
//! documents share a template each of them leads, just below the threshold of one another: the lists of what
//! they share name all of them, those of what each has for itself name none. Were the former looked up, every
//! such document would be compared with all before it.

use std::sync::atomic::Ordering;

use simdex_schema::document::RUNGS;
use simdex_schema::posting::PostingKey;
use simdex_signature::{Fingerprint, Rung};

use super::{Cuts, EdgeFinder, count_at};
use crate::principal_lists::{PRINCIPALS_STEP, PrincipalLists};
use crate::reader::candidates::Tally;
use crate::{Cancel, DocumentStats, IndexError};

/// Of so many fingerprints two documents of resemblance 0.8 share too few with a probability below
/// [`DOUBT`](super::cuts::DOUBT), and two of 0.4 enough with one below 0.01.
const PROBED: u64 = 64;
/// The rest of a document's fingerprints is looked up where no more principals than this stand in their lists, in the
/// steps that they are counted in: 64.
const MOST_PRINCIPALS: usize = 64 / PRINCIPALS_STEP;

/// The rung at which the partners of a document are sought whose own is no coarser: the coarsest that leaves it
/// [`PROBED`] fingerprints, of which a neighbour must share one. At a low threshold it need not, and a search
/// there would lack neighbours that the other side finds: then it is the document's own rung. Where nothing is
/// sampled all is looked up that tells neighbours apart exactly.
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

/// What every partner whose common rung with a document is this one, or a finer one, must share with it.
struct PrefixRequirement {
    rung: Rung,
    /// Fingerprints of the document at that rung.
    own_count: u64,
    /// The least that any partner shares: reached by one contained in the document.
    min_shared: u64,
}

/// The fingerprints of a document: those that were looked up are counted, the others wait.
pub(super) struct Prefix {
    rung: Rung,
    /// Fingerprints in the order in which they are looked up, with what is known of their lists.
    rest: Vec<(usize, Fingerprint)>,
    /// How many were looked up, by rung.
    probed: [u64; RUNGS],
}

impl Prefix {
    /// The fingerprints at a rung. None is looked up yet. Lists with fewer principals come first; those with about
    /// as many, or of which nothing is known, as if at random, but in the same order for every document.
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

    /// Takes out as many more as make so many at a rung.
    fn lengthen(&mut self, rung: Rung, needed: u64) -> Vec<Fingerprint> {
        let missing = needed.saturating_sub(self.probed[usize::from(rung.get())]) as usize;
        self.take(missing, |_, fingerprint| fingerprint.divisible_by(rung))
    }

    /// Takes out all that are left, but for those of lists with many principals.
    pub(super) fn take_rest(&mut self) -> Vec<Fingerprint> {
        self.take(usize::MAX, |principals, _| principals <= MOST_PRINCIPALS)
    }

    fn take(
        &mut self,
        most: usize,
        is_wanted: impl Fn(usize, Fingerprint) -> bool,
    ) -> Vec<Fingerprint> {
        let mut taken = Vec::new();
        if most > 0 {
            self.rest.retain(|(principals, fingerprint)| {
                let is_taken = taken.len() < most && is_wanted(*principals, *fingerprint);
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

    /// Fingerprints of the document at a rung that were not looked up.
    pub(super) fn unread(&self, stats: &DocumentStats, rung: Rung) -> u64 {
        count_at(stats, rung).saturating_sub(self.probed[usize::from(rung.get())])
    }
}

impl EdgeFinder<'_> {
    /// Looks up as many fingerprints as no partner at any common rung can avoid. Long lists are skipped while
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
            // Coarsest first: what is looked up there counts at every finer rung.
            for requirement in requirements.iter().rev() {
                let unread = tally.long_lists_at(requirement.rung);
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
            prefix.unread(stats, rung) + tally.long_lists_at(rung) >= requirement.min_shared
        });
        let open: Vec<Rung> = open.map(|requirement| requirement.rung).collect();
        tally.read_long(&|f| open.iter().any(|rung| f.divisible_by(*rung)), cancel)?;
        let unread = tally.long_lists_at(Rung::ZERO);
        self.skipped.fetch_add(unread, Ordering::Relaxed);
        Ok(())
    }

    /// What partners must share: those at the probing rung and at finer ones there, the others at theirs.
    fn prefix_requirements(&self, stats: &DocumentStats, probing: Rung) -> Vec<PrefixRequirement> {
        let rungs = Rung::all()
            .filter(|rung| *rung == probing || (probing..=Rung::MAX_DOCUMENT).contains(rung));
        let requirements = rungs.map(|rung| {
            let own_count = count_at(stats, rung);
            let cut = match rung == probing && rung > stats.rung {
                // No more than they must share where it is the common one.
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

    /// A document of so many shingles, sampled at a rung.
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
        // Of 64 fingerprints neighbours may share none there: (1 - 0.2)^64 is above the doubt, for 128 below.
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
