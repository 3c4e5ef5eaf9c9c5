//! How coarsely documents of each size may be sampled, and are.

use serde::Serialize;

use super::completeness;
use crate::completeness::Completeness;
use crate::v1;

/// A recommended setting, with the evidence for it.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// Shortest documents first.
    pub groups: Vec<SizeGroup>,
    /// Quality of the setting, on the pairs it was chosen on.
    pub predicted: SampleQuality,
    /// Quality on pairs of other documents.
    pub checked: SampleQuality,
    /// Pairs it was chosen on.
    pub pairs: u64,
    /// Pairs it was checked on.
    pub checked_pairs: u64,
    /// Documents whose pairs were measured.
    pub sampled: u64,
    /// Mod_n fingerprints that the index would keep, about.
    pub fingerprints: u64,
    /// Those that it keeps now.
    pub fingerprints_now: u64,
    /// The precision that was asked for.
    pub required_precision: f64,
    /// The resemblance from which a pair is similar.
    pub threshold: f64,
    /// Bytes of posting values that the documents would take, about.
    pub posting_bytes: u64,
    /// Those that they take now.
    pub posting_bytes_now: u64,
    /// The probability, at most, that a fingerprint that no document holds is found in the index.
    pub false_match_rate: f64,
    /// What the index lacked when it was asked.
    #[serde(flatten)]
    pub completeness: Completeness,
}

/// Documents of neighbouring sizes.
#[derive(Clone, Debug, Serialize)]
pub struct SizeGroup {
    /// Bytes of canonical text from which a document belongs to it.
    pub from_bytes: u64,
    /// How many documents there are.
    pub documents: u64,
    /// Bytes of all their canonical texts.
    pub bytes: u64,
    /// Pairs it was measured on.
    pub pairs: u64,
    /// Quality at n = 1, 2, 4, … 64.
    pub steps: Vec<SampleQuality>,
    /// The recommended n: the greatest that is precise enough.
    pub n: u64,
    /// The least bytes of an excerpt that is found in each of these documents with a probability of 99.9 %.
    pub shortest_excerpt_bytes: u64,
    /// How far the ends of an interval lie apart of two such documents, estimated at the threshold.
    pub interval_width: f64,
}

/// How coarsely documents of each size are sampled.
#[derive(Clone, Debug, Serialize)]
pub struct Sampling {
    /// Whether it was chosen; else documents are sampled by their length alone.
    pub chosen: bool,
    /// Shortest documents first.
    pub groups: Vec<SamplingGroup>,
    /// Documents that are signed otherwise still.
    pub waiting: u64,
    /// Documents that were signed anew.
    pub done: u64,
    /// Documents that stay as they are signed, since their texts are not read.
    pub unreadable: u64,
    /// Documents that are signed anew a second.
    pub per_second: Option<f64>,
    /// How long those that wait take.
    pub seconds_left: Option<f64>,
    /// The least bytes of an excerpt that is found in any document with a probability of 99.9 %.
    pub shortest_excerpt_bytes: u64,
    /// The probability, at most, that a fingerprint that no document holds is found in the index.
    pub false_match_rate: f64,
}

/// Documents of neighbouring sizes that are sampled alike.
#[derive(Clone, Debug, Serialize)]
pub struct SamplingGroup {
    /// Bytes of canonical text from which a document belongs to it.
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
        }
    }
}

/// What is found by sampling, without verification.
#[derive(Clone, Debug, Serialize)]
pub struct SampleQuality {
    /// The share of pairs found that are similar.
    pub precision: Option<f64>,
    /// The share of similar pairs that are found.
    pub recall: Option<f64>,
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
        }
    }
}
