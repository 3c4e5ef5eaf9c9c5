//! Pairs, groups, and the counts that close a list.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::{JsonPath, Judgement, completeness, exact, hex, lossy, not_judged, relation};
use crate::completeness::Completeness;
use crate::promise::Promise;
use crate::v1;

/// The paths of two files or folders.
#[derive(Clone, Debug, Serialize)]
pub struct Sides {
    /// Path of the first; that of an archive as a folder ends in `!`.
    pub a: String,
    /// Exact bytes of the first path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_bytes: Option<String>,
    /// Path of the second, in the same form.
    pub b: String,
    /// Exact bytes of the second path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b_bytes: Option<String>,
}

impl Sides {
    /// A pair of paths as bytes.
    pub fn new(a: &[u8], b: &[u8]) -> Self {
        Self {
            a: lossy(a),
            a_bytes: exact(a),
            b: lossy(b),
            b_bytes: exact(b),
        }
    }
}

/// Two files that resemble each other.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// Paths of both files.
    #[serde(flatten)]
    pub sides: Sides,
    /// Hash of the first document, in hexadecimal.
    pub document_a: Option<String>,
    /// Hash of the second document, in hexadecimal.
    pub document_b: Option<String>,
    /// Relation of the first file to the second.
    pub relation: Option<&'static str>,
    /// Resemblance of both texts.
    pub resemblance: Option<f64>,
    /// Share of the first found in the second.
    pub containment_of_a: Option<f64>,
    /// Share of the second found in the first.
    pub containment_of_b: Option<f64>,
    /// Whether the numbers were counted on all shingles of both texts.
    pub verified: bool,
    /// The judgement of the pair, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// Why a requested judgement is missing, such as `divided`, `time` or `no-text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_judged: Option<&'static str>,
}

impl From<&v1::Pair> for Pair {
    fn from(pair: &v1::Pair) -> Self {
        Self {
            sides: Sides::new(&pair.a, &pair.b),
            document_a: hex(&pair.document_a),
            document_b: hex(&pair.document_b),
            relation: relation(pair.relation),
            resemblance: pair.resemblance,
            containment_of_a: pair.containment_of_a,
            containment_of_b: pair.containment_of_b,
            verified: pair.verified,
            judgement: pair.judgement.as_ref().map(Into::into),
            not_judged: not_judged(pair.not_judged),
        }
    }
}

/// A principal with its near-duplicates and all their copies. The lines of many members can be produced while they are
/// written.
#[derive(Clone, Debug, Serialize)]
pub struct Group<M = Vec<Member>> {
    /// Number of the group; 0 for a component or core.
    pub id: u64,
    /// `star`, `component` or `core`.
    pub kind: String,
    /// For a core: the number of fingerprints, of 100 from each document, that all its documents share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<u32>,
    /// Path of the principal.
    pub principal: String,
    /// Exact bytes of that path, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal_bytes: Option<String>,
    /// Whether some file is judged neither the same as the principal nor a version of it. Only set if judgements were
    /// requested, and one such file was found or all were judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged_apart: Option<bool>,
    /// Every file of the group, the principal first.
    pub members: M,
}

impl From<&v1::Group> for Group {
    fn from(group: &v1::Group) -> Self {
        Self {
            id: group.id,
            kind: group.kind.clone(),
            common: group.common,
            principal: lossy(&group.principal),
            principal_bytes: exact(&group.principal),
            judged_apart: group.judged_apart,
            members: group.members.iter().map(Into::into).collect(),
        }
    }
}

/// A file of a group.
#[derive(Clone, Debug, Serialize)]
pub struct Member {
    /// Absolute path of the file.
    #[serde(flatten)]
    pub path: JsonPath,
    /// Hash of its document, in hexadecimal.
    pub document: Option<String>,
    /// Relation to the principal.
    pub relation: Option<&'static str>,
    /// Resemblance with the principal.
    pub resemblance: Option<f64>,
    /// Share of this file found in the principal.
    pub containment_of_member: Option<f64>,
    /// Share of the principal found in this file.
    pub containment_of_principal: Option<f64>,
    /// Set if it is one of the files whose groups a report is about.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
    /// The judgement of this file and the principal, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// Why a requested judgement is missing, such as `divided`, `time` or `no-text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_judged: Option<&'static str>,
}

impl From<&v1::Member> for Member {
    fn from(member: &v1::Member) -> Self {
        Self {
            path: JsonPath::new(&member.path),
            document: hex(&member.document),
            relation: relation(member.relation),
            resemblance: member.resemblance,
            containment_of_member: member.containment_of_member,
            containment_of_principal: member.containment_of_principal,
            asked: false,
            judgement: member.judgement.as_ref().map(Into::into),
            not_judged: not_judged(member.not_judged),
        }
    }
}

/// The counts of a list.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// Files on disk; the states add up to it.
    pub files_on_disk: u64,
    /// Files inside containers.
    pub members: u64,
    /// Files on disk by state.
    pub states: BTreeMap<String, u64>,
    /// Files inside containers by state.
    pub member_states: BTreeMap<String, u64>,
    /// Documents with text.
    pub documents: u64,
    /// Groups, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<u64>,
    /// Pairs of files, if they were searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    /// Common fingerprint lists that were left out.
    pub suppressed: u64,
    /// For cores: parts of the collection whose cores are not all listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<u64>,
    /// With judgements: pairs, or files of groups, that were not judged because time ran out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<u64>,
    /// For pairs by containment: documents for which not all that contain them may have been found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<u64>,
}

/// Closes a list.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The counts of the list.
    #[serde(flatten)]
    pub counts: Counts,
    /// The list ended at the limit that was asked for, and nothing was counted beyond it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Time the answer took.
    pub seconds: f64,
    /// How rarely the list lacks a pair of near-duplicates; `None` for lists without a threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise: Option<Promise>,
    /// What the index lacked at the time.
    #[serde(flatten)]
    pub completeness: Completeness,
}

/// Closes an answer with a single group.
#[derive(Clone, Debug, Serialize)]
pub struct GroupSummary {
    /// How rarely groups lack a pair of near-duplicates; `None` from an older daemon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise: Option<Promise>,
    /// What the index lacked at the time.
    #[serde(flatten)]
    pub completeness: Completeness,
}

impl From<&v1::GetGroupReply> for GroupSummary {
    fn from(reply: &v1::GetGroupReply) -> Self {
        Self {
            promise: reply.promise.as_ref().map(Into::into),
            completeness: completeness(reply.completeness.as_ref()),
        }
    }
}

impl From<&v1::Summary> for Counts {
    fn from(summary: &v1::Summary) -> Self {
        let sorted = |states: &HashMap<String, u64>| states.clone().into_iter().collect();
        Self {
            files_on_disk: summary.files_on_disk,
            members: summary.members,
            states: sorted(&summary.states),
            member_states: sorted(&summary.member_states),
            documents: summary.documents,
            groups: summary.groups,
            pairs: summary.pairs,
            suppressed: summary.suppressed,
            unfinished: summary.unfinished,
            unjudged: summary.unjudged,
            uncertain: summary.uncertain,
        }
    }
}

impl From<&v1::Summary> for Summary {
    fn from(summary: &v1::Summary) -> Self {
        Self {
            counts: summary.into(),
            truncated: summary.truncated,
            seconds: summary.seconds,
            promise: summary.promise.as_ref().map(Into::into),
            completeness: completeness(summary.completeness.as_ref()),
        }
    }
}
