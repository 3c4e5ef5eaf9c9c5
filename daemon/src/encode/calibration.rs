//! Encodes a calibration, and the sampling of an index.

use simdex_index::Index;
use simdex_proto::v1;
use simdex_signature::calibration::{Group, Quality};
use simdex_signature::{Rung, SchemeKind, SizeStep};

use crate::read_side::calibrating::{
    Calibrated, EstimateWidth, GroupEffects, estimate_widths, false_match_rate, shortest_excerpt,
};

/// Encodes a setting with its evidence.
pub fn calibration(found: Calibrated) -> v1::CalibrateReply {
    let [chosen_on, checked_on] = found.pairs;
    let groups = found.calibration.groups.iter().zip(&found.groups);
    v1::CalibrateReply {
        groups: groups.map(|(of, effects)| group(of, effects)).collect(),
        predicted: Some(quality(&found.predicted)),
        checked: Some(quality(&found.checked)),
        pairs: chosen_on,
        checked_pairs: checked_on,
        sampled: found.sampled,
        fingerprints: found.kept_then,
        fingerprints_now: found.kept_now,
        required_precision: found.required_precision.get(),
        threshold: found.threshold.get(),
        posting_bytes: found.size.then,
        posting_bytes_now: found.size.now,
        false_match_rate: found.false_match_rate,
        completeness: Some(found.completeness.into()),
    }
}

fn group(group: &Group, effects: &GroupEffects) -> v1::SizeGroup {
    v1::SizeGroup {
        from_bytes: group.from,
        documents: group.held.documents,
        bytes: group.held.bytes,
        pairs: group.pairs,
        steps: group.steps.iter().map(quality).collect(),
        n: group.rung.modulus(),
        shortest_excerpt_bytes: effects.shortest_excerpt,
        interval_width: effects.interval_width,
    }
}

/// Encodes how an index samples, and the progress of signing by that setting.
pub fn sampling(index: &Index) -> v1::Sampling {
    let (reader, anew) = (index.reader(), index.signing_progress());
    let chosen = reader.ladder().sampling;
    let groups = chosen
        .map(|sampling| sampling.size_steps())
        .unwrap_or_default();
    let group = |step: SizeStep| v1::SamplingGroup {
        from_bytes: step.from,
        n: step.rung.modulus(),
    };
    let usage = index.usage();
    let mod_n = usage.iter().find(|used| used.scheme == SchemeKind::ModN);
    let coarsest = mod_n
        .and_then(|used| used.rungs)
        .map(|(_, coarsest)| coarsest);
    let coarsest = coarsest.unwrap_or(Rung::ZERO);
    let width = |width: EstimateWidth| v1::EstimateWidth {
        from_bytes: width.from,
        n: width.rung.modulus(),
        interval_width: width.interval_width,
    };
    let widths = estimate_widths(reader.ladder(), coarsest);
    let rate = anew.per_second.filter(|rate| *rate > 0.0);
    v1::Sampling {
        groups: groups.into_iter().map(group).collect(),
        waiting: anew.waiting,
        done: anew.done,
        unreadable: anew.unreadable,
        per_second: rate,
        seconds_left: rate.map(|rate| anew.waiting as f64 / rate),
        shortest_excerpt_bytes: shortest_excerpt(coarsest, reader.window()),
        false_match_rate: false_match_rate(index),
        widths: widths.into_iter().map(width).collect(),
    }
}

fn quality(quality: &Quality) -> v1::SampleQuality {
    v1::SampleQuality {
        precision: quality.precision,
        recall: quality.recall,
        precision_low: quality.interval.map(|(low, _)| low),
        precision_high: quality.interval.map(|(_, high)| high),
    }
}
