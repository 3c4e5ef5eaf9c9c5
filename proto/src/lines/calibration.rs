//! How coarsely documents of each size may be sampled, and are sampled.

use serde::Serialize;

use super::completeness;
use crate::completeness::Completeness;
use crate::v1;

/// A recommended setting, with the evidence for it.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// Shortest documents first.
    pub groups: Vec<SizeGroup>,
    /// Quality of the setting on the pairs by which it was chosen.
    pub predicted: SampleQuality,
    /// Quality on pairs of other documents.
    pub checked: SampleQuality,
    /// Similar pairs by which it was chosen.
    pub pairs: u64,
    /// Similar pairs on which it was checked.
    pub checked_pairs: u64,
    /// Documents whose pairs were measured.
    pub sampled: u64,
    /// Approximate number of Mod_n fingerprints that the index would keep.
    pub fingerprints: u64,
    /// Number that it keeps now.
    pub fingerprints_now: u64,
    /// The required precision.
    pub required_precision: f64,
    /// The resemblance from which a pair is similar.
    pub threshold: f64,
    /// Approximate bytes of posting values that the documents would take once merged.
    pub posting_bytes: u64,
    /// Bytes that are stored of them now; postings that were not merged yet take none.
    pub posting_bytes_now: u64,
    /// Upper bound of the probability that a fingerprint in no document is found in the index.
    pub false_match_rate: f64,
    /// What the index lacked at the time.
    #[serde(flatten)]
    pub completeness: Completeness,
}

/// Documents of neighbouring sizes.
#[derive(Clone, Debug, Serialize)]
pub struct SizeGroup {
    /// Least number of bytes of canonical text in this group.
    pub from_bytes: u64,
    /// Number of documents.
    pub documents: u64,
    /// Total bytes of their canonical texts.
    pub bytes: u64,
    /// Similar pairs measured in this group.
    pub pairs: u64,
    /// Quality at n = 1, 2, 4, … 64.
    pub steps: Vec<SampleQuality>,
    /// The recommended n: the greatest that is shown to be precise enough.
    pub n: u64,
    /// Least length in bytes of an excerpt that is found in each of these documents with a probability of 99.9 %.
    pub shortest_excerpt_bytes: u64,
    /// Width of the interval of the estimate for two such documents at the threshold.
    pub interval_width: f64,
}

/// How coarsely documents of each size are sampled.
#[derive(Clone, Debug, Serialize)]
pub struct Sampling {
    /// Whether the setting was chosen; otherwise documents are sampled by their length alone.
    pub chosen: bool,
    /// Shortest documents first.
    pub groups: Vec<SamplingGroup>,
    /// Documents that are still signed differently.
    pub waiting: u64,
    /// Documents that were signed again.
    pub done: u64,
    /// Documents that keep their signatures because their texts cannot be read.
    pub unreadable: u64,
    /// Documents signed again per second.
    pub per_second: Option<f64>,
    /// Remaining time for the documents that wait.
    pub seconds_left: Option<f64>,
    /// Least length in bytes of an excerpt that is found in any document with a probability of 99.9 %.
    pub shortest_excerpt_bytes: u64,
    /// Upper bound of the probability that a fingerprint in no document is found in the index.
    pub false_match_rate: f64,
    /// How well resemblance is estimated before texts are compared, shortest documents first.
    pub widths: Vec<EstimateWidth>,
}

/// How well the resemblance of documents of neighbouring sizes is estimated.
#[derive(Clone, Debug, Serialize)]
pub struct EstimateWidth {
    /// Least number of bytes of canonical text in this group.
    pub from_bytes: u64,
    /// One fingerprint in n is kept.
    pub n: u64,
    /// Width of the 99 % interval for two of the shortest of them at an estimated resemblance of 0.8.
    pub interval_width: f64,
}

/// Documents of neighbouring sizes with the same sampling.
#[derive(Clone, Debug, Serialize)]
pub struct SamplingGroup {
    /// Least number of bytes of canonical text in this group.
    pub from_bytes: u64,
    /// One fingerprint in n is kept.
    pub n: u64,
}

impl From<&v1::Sampling> for Sampling {
    fn from(sampling: &v1::Sampling) -> Self {
        let group = |group: &v1::SamplingGroup| SamplingGroup {
            from_bytes: group.from_bytes,
            n: group.n,
        };
        let width = |width: &v1::EstimateWidth| EstimateWidth {
            from_bytes: width.from_bytes,
            n: width.n,
            interval_width: width.interval_width,
        };
        Self {
            chosen: !sampling.groups.is_empty(),
            groups: sampling.groups.iter().map(group).collect(),
            waiting: sampling.waiting,
            done: sampling.done,
            unreadable: sampling.unreadable,
            per_second: sampling.per_second,
            seconds_left: sampling.seconds_left,
            shortest_excerpt_bytes: sampling.shortest_excerpt_bytes,
            false_match_rate: sampling.false_match_rate,
            widths: sampling.widths.iter().map(width).collect(),
        }
    }
}

/// The quality of sampling without verification.
#[derive(Clone, Debug, Serialize)]
pub struct SampleQuality {
    /// The share of pairs found that are similar.
    pub precision: Option<f64>,
    /// The share of similar pairs that are found.
    pub recall: Option<f64>,
    /// Lower end of the 95 % interval of the precision.
    pub precision_low: Option<f64>,
    /// Upper end of the 95 % interval of the precision.
    pub precision_high: Option<f64>,
}

impl From<&v1::CalibrateReply> for Calibration {
    fn from(reply: &v1::CalibrateReply) -> Self {
        Self {
            groups: reply.groups.iter().map(Into::into).collect(),
            predicted: (&reply.predicted.unwrap_or_default()).into(),
            checked: (&reply.checked.unwrap_or_default()).into(),
            pairs: reply.pairs,
            checked_pairs: reply.checked_pairs,
            sampled: reply.sampled,
            fingerprints: reply.fingerprints,
            fingerprints_now: reply.fingerprints_now,
            required_precision: reply.required_precision,
            threshold: reply.threshold,
            posting_bytes: reply.posting_bytes,
            posting_bytes_now: reply.posting_bytes_now,
            false_match_rate: reply.false_match_rate,
            completeness: completeness(reply.completeness.as_ref()),
        }
    }
}

impl From<&v1::SizeGroup> for SizeGroup {
    fn from(group: &v1::SizeGroup) -> Self {
        Self {
            from_bytes: group.from_bytes,
            documents: group.documents,
            bytes: group.bytes,
            pairs: group.pairs,
            steps: group.steps.iter().map(Into::into).collect(),
            n: group.n,
            shortest_excerpt_bytes: group.shortest_excerpt_bytes,
            interval_width: group.interval_width,
        }
    }
}

impl From<&v1::SampleQuality> for SampleQuality {
    fn from(quality: &v1::SampleQuality) -> Self {
        Self {
            precision: quality.precision,
            recall: quality.recall,
            precision_low: quality.precision_low,
            precision_high: quality.precision_high,
        }
    }
}
