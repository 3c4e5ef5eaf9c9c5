//! Encodes a calibration.

use simdex_proto::v1;
use simdex_signature::calibration::{Group, Quality};

use crate::read_side::calibrating::Calibrated;

/// Encodes a setting with its evidence.
pub fn calibration(found: Calibrated) -> v1::CalibrateReply {
    let [chosen_on, checked_on] = found.pairs;
    v1::CalibrateReply {
        groups: found.calibration.groups.iter().map(group).collect(),
        predicted: Some(quality(&found.predicted)),
        checked: Some(quality(&found.checked)),
        pairs: chosen_on,
        checked_pairs: checked_on,
        sampled: found.sampled,
        fingerprints: found.calibration.fingerprints(),
        fingerprints_now: found.kept_now,
        required_precision: found.required_precision.get(),
        threshold: found.threshold.get(),
        completeness: Some(found.completeness.into()),
    }
}

fn group(group: &Group) -> v1::SizeGroup {
    v1::SizeGroup {
        from_bytes: group.from,
        documents: group.held.documents,
        bytes: group.held.bytes,
        pairs: group.pairs,
        steps: group.steps.iter().map(quality).collect(),
        n: group.rung.modulus(),
    }
}

fn quality(quality: &Quality) -> v1::SampleQuality {
    v1::SampleQuality {
        precision: quality.precision,
        recall: quality.recall,
    }
}
