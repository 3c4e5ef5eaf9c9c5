//! How well a ladder lets resemblance be estimated, by the length of texts.

use simdex_signature::{Ladder, Ratio, Rung};

use super::effects::interval_width;

/// The resemblance at which widths are stated: the usual threshold of groups.
const AT: Ratio = Ratio::FOUR_FIFTHS;

/// Texts of neighbouring lengths that are sampled alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimateWidth {
    /// Bytes of the shortest of them.
    pub from: u64,
    /// How they are sampled.
    pub rung: Rung,
    /// Width of the 99 % interval for two of the shortest, at an estimated resemblance of 0.8.
    pub interval_width: f64,
}

/// The widths for texts of all lengths that a ladder samples no more coarsely than the given rung.
pub fn estimate_widths(ladder: Ladder, coarsest: Rung) -> Vec<EstimateWidth> {
    let mut widths: Vec<EstimateWidth> = Vec::new();
    for from in beginnings(ladder) {
        let rung = ladder.rung_of_text(from);
        let is_new = widths.last().is_none_or(|before| before.rung != rung);
        if is_new && rung <= coarsest {
            widths.push(EstimateWidth {
                from,
                rung,
                interval_width: interval_width(rung, (from >> rung.get()).max(1), AT),
            });
        }
    }
    widths
}

/// Every length at which the rung may differ from that of a text one byte shorter, ascending.
fn beginnings(ladder: Ladder) -> Vec<u64> {
    let most = u64::from(match ladder.sampling {
        None => ladder.target,
        Some(_) => ladder.target.saturating_mul(32),
    });
    let least = 2 * u64::from(ladder.min_kept());
    let bounds = Rung::all().flat_map(|rung| [(most + 1) << rung.get(), least << rung.get()]);
    let steps = ladder.sampling.map(|sampling| sampling.size_steps());
    let steps = steps.into_iter().flatten().map(|step| step.from);
    let mut all: Vec<u64> = bounds.chain(steps).chain([0]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use simdex_signature::{Sampling, SizeStep};

    use super::*;

    fn step(from: u64, rung: u8) -> SizeStep {
        let rung = Rung::new(rung).unwrap();
        SizeStep { from, rung }
    }

    /// Every length is tried.
    #[test]
    fn a_width_begins_wherever_texts_are_sampled_otherwise() {
        for steps in [
            None,
            Some(vec![step(0, 0)]),
            Some(vec![step(0, 6)]),
            Some(vec![step(0, 1), step(3_000, 3)]),
        ] {
            let ladder = Ladder {
                sampling: steps.map(|steps| Sampling::new(&steps).unwrap()),
                ..Ladder::default()
            };
            let rung = |length| ladder.rung_of_text(length);
            let changes = (1..200_000).filter(|length| rung(*length) != rung(length - 1));
            let tried: Vec<u64> = [0].into_iter().chain(changes).collect();
            let found = estimate_widths(ladder, Rung::MAX_DOCUMENT);
            let found: Vec<u64> = found.iter().map(|width| width.from).collect();
            let below = found.partition_point(|from| *from < 200_000);
            assert_eq!(found[..below], tried);
        }
    }

    #[test]
    fn widths_are_told_of_the_rungs_in_use() {
        let of = |rung| estimate_widths(Ladder::default(), Rung::new(rung).unwrap());
        let (first, two) = (of(0), of(1));
        assert_eq!((first[0].from, first[0].interval_width), (0, 0.0));
        assert_eq!((first.len(), two.len(), two[1].from), (1, 2, 513));
        // 256 fingerprints: 0.2 · 0.8 / 256 is the variance, and the interval 5.15 deviations wide.
        assert!((two[1].interval_width - 0.129).abs() < 0.005, "{two:?}");
    }
}
