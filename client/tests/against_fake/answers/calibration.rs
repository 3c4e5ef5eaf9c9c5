//! What the fake says of calibrations and of sampling.

use simdex_client::wire::{
    CalibrateReply, EstimateWidth, SampleQuality, Sampling, SamplingGroup, SizeGroup,
};

use super::complete;

/// Of one group, whose coarser steps fail.
pub(crate) fn calibration() -> CalibrateReply {
    let quality = |precision: Option<f64>, recall| SampleQuality {
        precision,
        recall,
        precision_low: precision.map(|precision| precision - 0.0625),
        precision_high: precision,
    };
    CalibrateReply {
        groups: vec![SizeGroup {
            from_bytes: 0,
            documents: 40,
            bytes: 80_000,
            pairs: 60,
            steps: vec![
                quality(Some(1.0), Some(1.0)),
                quality(Some(0.96), Some(0.98)),
                quality(None, None),
            ],
            n: 2,
            shortest_excerpt_bytes: 29,
            interval_width: 0.09,
        }],
        predicted: Some(quality(Some(0.96), Some(0.98))),
        checked: Some(quality(Some(0.95), None)),
        pairs: 60,
        checked_pairs: 50,
        sampled: 40,
        fingerprints: 40_000,
        fingerprints_now: 10_000,
        required_precision: 0.95,
        threshold: 0.8,
        posting_bytes: 204_800,
        posting_bytes_now: 51_200,
        false_match_rate: 0.001,
        completeness: Some(complete()),
    }
}

/// Of a setting that is being carried out, or of none.
pub(crate) fn sampling(groups: Vec<SamplingGroup>) -> Sampling {
    let waiting = if groups.is_empty() { 0 } else { 30 };
    let widths = [(0, 1, 0.0), (513, 2, 0.1291), (1_026, 4, 0.1292)];
    let width = |(from_bytes, n, interval_width)| EstimateWidth {
        from_bytes,
        n,
        interval_width,
    };
    Sampling {
        groups,
        waiting,
        done: 10,
        unreadable: waiting / 30,
        per_second: Some(15.0),
        seconds_left: Some(waiting as f64 / 15.0),
        shortest_excerpt_bytes: 458,
        false_match_rate: 0.0,
        widths: widths.map(width).to_vec(),
    }
}
