//! Which of the documents that are placed together may be neighbours of one another.

use simdex_signature::{Fingerprint, count_shared_at};

use super::Newcomer;
use crate::edges::{EdgeFinder, PairThreshold, Partner};
use crate::{DocumentStats, IndexError, MemoryAccount};

/// The fingerprints of a newcomer, ascending: at the rung at which partners are searched for, and all in its signature.
struct Sample {
    stats: DocumentStats,
    probing: Vec<Fingerprint>,
    all: Vec<Fingerprint>,
}

impl Sample {
    fn of(
        finder: &EdgeFinder<'_>,
        newcomer: &Newcomer,
        account: &MemoryAccount,
    ) -> Result<Option<Self>, IndexError> {
        let Some(loaded) = &newcomer.loaded else {
            return Ok(None);
        };
        let stats = loaded.stats;
        let mut all = finder.sample(loaded, account)?.unwrap_or_default();
        all.sort_unstable();
        let is_probing = |f: &&Fingerprint| f.divisible_by(finder.probing_rung(&stats));
        let probing = all.iter().filter(is_probing).copied().collect();
        Ok(Some(Self {
            stats,
            probing,
            all,
        }))
    }

    /// What two must share, if they do.
    fn shares_enough(&self, other: &Self, finder: &EdgeFinder<'_>) -> Option<PairThreshold> {
        let stats = [&self.stats, &other.stats];
        let shared = |rung| count_shared_at(&self.probing, &other.probing, rung);
        if !finder.may_be_neighbours(stats, shared) {
            return None;
        }
        let threshold = finder.pair_threshold(stats[0], stats[1])?;
        let shared = count_shared_at(&self.all, &other.all, threshold.rung);
        (shared >= threshold.min_shared).then_some(threshold)
    }
}

/// Finds for each newcomer those before it that share enough.
pub(super) fn find_mates(
    finder: &EdgeFinder<'_>,
    newcomers: &mut [Newcomer],
    account: &MemoryAccount,
) -> Result<(), IndexError> {
    let samples = newcomers
        .iter()
        .map(|newcomer| Sample::of(finder, newcomer, account));
    let samples: Vec<Option<Sample>> = samples.collect::<Result<_, _>>()?;
    for at in 1..newcomers.len() {
        let Some(own) = &samples[at] else { continue };
        let (before, rest) = newcomers.split_at_mut(at);
        for (mate, sample) in before.iter().zip(&samples) {
            let threshold = sample
                .as_ref()
                .and_then(|sample| own.shares_enough(sample, finder));
            let id = mate.id;
            let mate = threshold.map(|threshold| Partner { id, threshold });
            rest[0].mates.extend(mate);
        }
    }
    Ok(())
}
