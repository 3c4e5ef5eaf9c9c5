//! The effects of a setting that matter to the person who chooses it: the size of the index, the shortest excerpt
//! that is found, how wide an interval is, and how often a stored fingerprint is mistaken for another.

use simdex_index::{Cancel, DocumentStats, Index, IndexError, IndexReader};
use simdex_schema::posting::KEY_BITS;
use simdex_signature::calibration::{Calibration, Group};
use simdex_signature::{CONFIDENCE, Ladder, Ratio, Rung, SchemeKind, Window, clopper_pearson};

/// An excerpt counts as found if the probability that it is missed is at most this.
const MISSED: f64 = 0.001;

/// The bytes of posting values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeEffect {
    /// With the setting, once all are merged into one run: an estimate.
    pub then: u64,
    /// What is stored now; postings that were not merged yet take none.
    pub now: u64,
}

/// The effect of the setting on a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupEffects {
    /// Bytes of the shortest excerpt that is found in each of its documents.
    pub shortest_excerpt: u64,
    /// Width of the interval of an estimate at the threshold for two documents of usual size.
    pub interval_width: f64,
}

/// The fingerprints that documents would keep under a setting. The ladder does not use the rung of a group for all its
/// documents: long texts keep no more than its upper bound, and short or repetitive ones no fewer than its lower bound.
pub(super) struct FingerprintForecast {
    ladder: Ladder,
    /// Least bytes of the groups, ascending.
    from: Vec<u64>,
    /// The coarsest rung of the documents of each group.
    coarsest: Vec<Rung>,
    /// Mod_n fingerprints of all documents.
    mod_n: u64,
}

impl FingerprintForecast {
    /// An empty sum for the groups of a calibration. If the calibration makes no setting, documents are sampled by
    /// their length alone.
    pub(super) fn new(index: &IndexReader, calibration: &Calibration) -> Self {
        Self::by(calibration.ladder(index.ladder()), &calibration.groups)
    }

    fn by(ladder: Ladder, groups: &[Group]) -> Self {
        Self {
            ladder,
            from: groups.iter().map(|group| group.from).collect(),
            coarsest: vec![Rung::ZERO; groups.len()],
            mod_n: 0,
        }
    }

    pub(super) fn add(&mut self, stats: &DocumentStats) {
        let (rung, kept) = stats.by_ladder(self.ladder);
        self.mod_n += kept;
        let group = self.from.partition_point(|from| *from <= stats.length);
        if let Some(coarsest) = self.coarsest.get_mut(group.saturating_sub(1)) {
            *coarsest = rung.max(*coarsest);
        }
    }

    /// The approximate number of Mod_n fingerprints that the documents would keep.
    pub(super) fn mod_n(&self) -> u64 {
        self.mod_n
    }

    /// The effect on each of the groups.
    pub(super) fn effects(
        &self,
        groups: &[Group],
        window: Window,
        threshold: Ratio,
    ) -> Vec<GroupEffects> {
        let effects = groups.iter().zip(&self.coarsest).map(|(group, coarsest)| {
            let usual = group.held.bytes / group.held.documents.max(1);
            let rung = self.ladder.rung_of_text(usual);
            GroupEffects {
                shortest_excerpt: shortest_excerpt(*coarsest, window),
                interval_width: interval_width(rung, (usual >> rung.get()).max(1), threshold),
            }
        });
        effects.collect()
    }
}

/// Postings of some documents, by scheme.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HeldPostings {
    mod_n: u64,
    bsw_n: u64,
    min_n: u64,
    sketch_n: u64,
    super_shingles: u64,
}

impl HeldPostings {
    pub(super) fn add(&mut self, stats: &DocumentStats) {
        self.mod_n += u64::from(stats.counts[usize::from(stats.rung.get())]);
        self.bsw_n += u64::from(stats.bsw_count);
        self.min_n += u64::from(stats.min_count);
        self.sketch_n += u64::from(stats.sketch_count);
        self.super_shingles += stats.super_shingles();
    }

    pub(super) fn mod_n(&self) -> u64 {
        self.mod_n
    }

    /// The bytes they take, and would take with this many fingerprints of Mod_n. The number of BSW_n's scales with
    /// these; the other schemes keep as many whatever the setting.
    pub(super) fn size(
        &self,
        index: &Index,
        mod_n: u64,
        cancel: &Cancel,
    ) -> Result<SizeEffect, IndexError> {
        let (mut then, mut now) = (0.0, 0.0);
        for used in index.usage() {
            let following = mod_n as f64 / self.mod_n.max(1) as f64;
            let (held, kept) = match used.scheme {
                SchemeKind::ModN => (self.mod_n, following),
                SchemeKind::BswN => (self.bsw_n, following),
                SchemeKind::MinN => (self.min_n, 1.0),
                SchemeKind::SketchN => (self.sketch_n, 1.0),
                SchemeKind::SuperShingles => (self.super_shingles, 1.0),
                SchemeKind::Chunks => continue,
            };
            let sizes = index.posting_sizes(used.scheme, cancel)?;
            then += sizes.bytes_of(held as f64 * kept);
            now += used.bytes as f64 * held as f64 / used.postings.max(1) as f64;
        }
        Ok(SizeEffect {
            then: then.round() as u64,
            now: now.round() as u64,
        })
    }
}

/// The least bytes of an excerpt that is found in documents of a rung with a probability of 99.9 %.
pub fn shortest_excerpt(rung: Rung, window: Window) -> u64 {
    rung.shortest_excerpt(window.width(), MISSED)
}

/// Width of the interval for texts whose union keeps this many fingerprints.
pub(super) fn interval_width(rung: Rung, kept: u64, threshold: Ratio) -> f64 {
    if rung == Rung::ZERO {
        return 0.0;
    }
    let shared = (threshold.get() * kept as f64).round() as u64;
    let (low, high) = clopper_pearson(shared, kept, CONFIDENCE);
    high.get() - low.get()
}

/// Upper bound of the probability that a fingerprint that no document holds matches one of the index: there
/// are no more distinct keys than postings.
pub fn false_match_rate(index: &Index) -> f64 {
    let usage = index.usage();
    let mod_n = usage.iter().find(|used| used.scheme == SchemeKind::ModN);
    rate_of(mod_n.map_or(0, |used| used.postings))
}

fn rate_of(keys: u64) -> f64 {
    let missed = (-(-f64::from(KEY_BITS)).exp2()).ln_1p();
    -(keys as f64 * missed).exp_m1()
}

#[cfg(test)]
mod tests {
    use simdex_schema::document::RUNGS;
    use simdex_schema::{DocumentHash, DocumentKind, DocumentRecord};
    use simdex_signature::calibration::SizeTotals;
    use simdex_signature::{Sampling, SizeStep};

    use super::*;

    fn ratio(value: f64) -> Ratio {
        Ratio::new(value).unwrap()
    }

    #[test]
    fn a_fingerprint_is_taken_for_another_as_often_as_keys_are_taken() {
        assert_eq!(rate_of(0), 0.0);
        let one = 1.0 / (1u64 << KEY_BITS) as f64;
        assert!((rate_of(1) - one).abs() < 1e-20);
        // 400 million postings: one in 2,750.
        assert!((rate_of(400_000_000) * 2_749.0 - 1.0).abs() < 0.001);
        assert!(rate_of(u64::MAX) <= 1.0);
    }

    #[test]
    fn an_interval_is_the_narrower_the_more_is_kept() {
        let width = |rung, kept| interval_width(Rung::new(rung).unwrap(), kept, ratio(0.8));
        assert_eq!(width(0, 100), 0.0);
        let (few, many) = (width(2, 128), width(2, 512));
        assert!(0.08 < many && many < 0.1 && 1.9 < few / many && few / many < 2.1);
        assert_eq!(shortest_excerpt(Rung::MAX_DOCUMENT, Window::DEFAULT), 458);
    }

    fn group(from: u64, rung: u8, documents: u64, bytes: u64) -> Group {
        Group {
            from,
            held: SizeTotals { documents, bytes },
            pairs: 30,
            steps: Default::default(),
            rung: Rung::new(rung).unwrap(),
        }
    }

    /// A document of this many bytes and shingles, signed at this rung.
    fn document(length: u64, shingles: u32, rung: Rung) -> DocumentStats {
        let mut counts = [0; RUNGS];
        for at in Rung::all().filter(|at| *at >= rung) {
            counts[usize::from(at.get())] = shingles >> at.get();
        }
        DocumentStats::from(&DocumentRecord {
            hash: DocumentHash([1; 32]),
            kind: DocumentKind::Text,
            length,
            chars: length,
            rung,
            counts,
            bsw_count: 0,
            min_count: 0,
            sketch_count: 0,
            first_run: 0,
            text: None,
            forward: Vec::new(),
        })
    }

    fn sampled_at(steps: &[SizeStep]) -> Ladder {
        Ladder {
            sampling: Sampling::new(steps).ok(),
            ..Ladder::default()
        }
    }

    /// The figures for one document in one group of this rung: what it keeps, its excerpt, and its interval.
    fn effects(
        group_rung: u8,
        (length, shingles): (u64, u32),
        signed_at: Rung,
    ) -> (u64, GroupEffects) {
        let groups = [group(0, group_rung, 1, length)];
        let steps = groups.map(|group| SizeStep {
            from: group.from,
            rung: group.rung,
        });
        let mut would = FingerprintForecast::by(sampled_at(&steps), &groups);
        would.add(&document(length, shingles, signed_at));
        let effects = would.effects(&groups, Window::DEFAULT, ratio(0.8));
        (would.mod_n(), effects[0])
    }

    #[test]
    fn what_is_told_follows_the_ladder_and_not_the_group() {
        let excerpt = |rung| shortest_excerpt(Rung::new(rung).unwrap(), Window::DEFAULT);
        for signed_at in [Rung::ZERO, Rung::MAX_DOCUMENT] {
            // A long text keeps no more than 16,384, however fine the recommended n.
            let (kept, long) = effects(0, (1 << 20, 1 << 20), signed_at);
            assert_eq!((kept, long.shortest_excerpt), (16_384, excerpt(6)));
            assert!(long.interval_width > 0.0, "{long:?}");
            // A short one keeps no fewer than 64.
            let (kept, short) = effects(6, (1_024, 1_024), signed_at);
            assert_eq!((kept, short.shortest_excerpt), (64, excerpt(4)));
            // Nor does a text so repetitive that only 5 would be left.
            let (kept, repeats) = effects(6, (10_000, 320), signed_at);
            assert_eq!((kept, repeats.shortest_excerpt), (80, excerpt(2)));
        }
        let (kept, as_said) = effects(3, (4_096, 4_096), Rung::ZERO);
        assert_eq!((kept, as_said.shortest_excerpt), (512, excerpt(3)));
        assert_eq!(effects(0, (4_096, 4_096), Rung::ZERO).1.interval_width, 0.0);
    }

    #[test]
    fn each_group_is_told_of_its_own_documents() {
        let groups = [group(0, 0, 2, 1_600), group(1_000, 2, 1, 8_000)];
        let steps = groups.map(|group| SizeStep {
            from: group.from,
            rung: group.rung,
        });
        let mut would = FingerprintForecast::by(sampled_at(&steps), &groups);
        for length in [999, 601, 8_000] {
            would.add(&document(length, length as u32, Rung::ZERO));
        }
        assert_eq!(would.mod_n(), 999 + 601 + 2_000);
        let effects = would.effects(&groups, Window::DEFAULT, ratio(0.8));
        let excerpts: Vec<u64> = effects
            .iter()
            .map(|effects| effects.shortest_excerpt)
            .collect();
        assert_eq!(
            excerpts,
            [20, shortest_excerpt(groups[1].rung, Window::DEFAULT)]
        );
    }
}
