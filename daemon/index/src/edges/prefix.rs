//! Which fingerprints of a document are looked up to find its partners: of each rung that may be the common
//! one as many as no partner can avoid, those first that few principals hold.
//!
//! Any choice finds every partner, so that the choice may follow from what is known of posting lists. Where many
//! documents share a template each of them leads, just below the threshold of one another: the lists of what
//! they share name all of them, those of what each has for itself name none. Were the former looked up, every
//! such document would be compared with all before it.

use std::sync::atomic::Ordering;

use simdex_schema::document::RUNGS;
use simdex_schema::posting::PostingKey;
use simdex_signature::{Fingerprint, Rung};

use super::EdgeFinder;
use crate::principal_lists::PrincipalLists;
use crate::reader::candidates::Tally;
use crate::{Cancel, DocumentStats, IndexError};

/// What every partner whose common rung with a document is this one must share with it.
struct PrefixRequirement {
    rung: Rung,
    /// Fingerprints of the document at that rung.
    own_count: u64,
    /// The least that any partner shares: reached by one contained in the document.
    min_shared: u64,
}

/// The fingerprints of a document: those that were looked up are counted, the others wait.
struct Prefix {
    /// In the order in which they are looked up.
    rest: Vec<Fingerprint>,
    probed: Probed,
}

/// How many fingerprints of a document were looked up, by rung.
#[derive(Default)]
pub(super) struct Probed([u64; RUNGS]);

impl Probed {
    fn at(&self, rung: Rung) -> u64 {
        self.0[usize::from(rung.get())]
    }

    fn add(&mut self, fingerprint: Fingerprint) {
        for rung in Rung::all().filter(|rung| fingerprint.divisible_by(*rung)) {
            self.0[usize::from(rung.get())] += 1;
        }
    }

    /// Fingerprints at a rung that were not looked up.
    pub(super) fn unread(&self, stats: &DocumentStats, rung: Rung) -> u64 {
        let own_count = u64::from(stats.counts[usize::from(rung.get())]);
        own_count.saturating_sub(self.at(rung))
    }
}

impl Prefix {
    /// None is looked up yet. Lists with fewer principals come first; those with about as many, or of which
    /// nothing is known, as if at random, but in the same order for every document.
    fn new(fingerprints: Vec<Fingerprint>, lists: &PrincipalLists) -> Self {
        let keys = fingerprints.iter().map(|f| PostingKey::of(*f));
        let counts = lists.principal_counts(keys);
        let mut ordered: Vec<_> = counts.into_iter().zip(fingerprints).collect();
        ordered.sort_unstable_by_key(|(count, f)| (*count, f.mixed()));
        Self {
            rest: ordered.into_iter().map(|(_, f)| f).collect(),
            probed: Probed::default(),
        }
    }

    /// Takes out as many more as make so many at a rung.
    fn lengthen(&mut self, rung: Rung, needed: u64) -> Vec<Fingerprint> {
        let missing = needed.saturating_sub(self.probed.at(rung)) as usize;
        let mut more = Vec::new();
        if missing > 0 {
            self.rest.retain(|fingerprint| {
                let is_taken = more.len() < missing && fingerprint.divisible_by(rung);
                more.extend(is_taken.then_some(*fingerprint));
                !is_taken
            });
        }
        more.iter().for_each(|f| self.probed.add(*f));
        more
    }
}

impl EdgeFinder<'_> {
    /// Looks up as many fingerprints as no partner at any common rung can avoid. Long lists are skipped while
    /// further ones make up for them.
    pub(super) fn probe_prefix(
        &self,
        tally: &mut Tally<'_>,
        sample: Vec<Fingerprint>,
        stats: &DocumentStats,
        cancel: &Cancel,
    ) -> Result<Probed, IndexError> {
        let requirements = self.prefix_requirements(stats);
        let mut prefix = Prefix::new(sample, &self.index.shared.principal_lists);
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
            prefix.probed.unread(stats, rung) + tally.long_lists_at(rung) >= requirement.min_shared
        });
        let open: Vec<Rung> = open.map(|requirement| requirement.rung).collect();
        tally.read_long(&|f| open.iter().any(|rung| f.divisible_by(*rung)), cancel)?;
        let unread = tally.long_lists_at(Rung::ZERO);
        self.skipped.fetch_add(unread, Ordering::Relaxed);
        Ok(prefix.probed)
    }

    /// What partners must share, by common rung, the finest first.
    fn prefix_requirements(&self, stats: &DocumentStats) -> Vec<PrefixRequirement> {
        let common = Rung::all().filter(|r| (stats.rung..=Rung::MAX_DOCUMENT).contains(r));
        let requirements = common.map(|rung| {
            let own_count = u64::from(stats.counts[usize::from(rung.get())]);
            let min_shared = self.cuts.cut(own_count, rung).max(1);
            PrefixRequirement {
                rung,
                own_count,
                min_shared,
            }
        });
        requirements
            .filter(|requirement| requirement.own_count > 0)
            .collect()
    }
}
