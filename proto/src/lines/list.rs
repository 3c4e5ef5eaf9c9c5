//! Pairs, groups, and the counts that close a list.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{JsonPath, Judgement, completeness, exact, hex, lossy, not_judged, relation};
use crate::completeness::Completeness;
use crate::promise::Promise;
use crate::v1;

/// The paths of two files or folders.
#[derive(Clone, Debug, Serialize)]
pub struct Sides {
    /// The first; that of an archive as a folder ends in `!`.
    pub a: String,
    /// Its exact bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_bytes: Option<String>,
    /// The second, in the same form.
    pub b: String,
    /// Its exact bytes, where they are not UTF-8.
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
    /// Counted on all shingles of both texts.
    pub verified: bool,
    /// What the pair is judged to be, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// Why it was not, where it was to be: `withheld`, `time` or `no-text`.
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

/// A principal with its near-duplicates and all their copies. Whoever has many members may make their lines as they are
/// written.
#[derive(Clone, Debug, Serialize)]
pub struct Group<M = Vec<Member>> {
    /// Number of the group; 0 of a component or core.
    pub id: u64,
    /// `star`, `component` or `core`.
    pub kind: String,
    /// Of a core: fingerprints that all its documents share, of 100 of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<u32>,
    /// Path of the principal.
    pub principal: String,
    /// Its exact bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal_bytes: Option<String>,
    /// Some file is judged neither the same as the principal nor a version of it; only where judgements were asked
    /// for, and one is or all were judged.
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
    /// To the principal.
    pub relation: Option<&'static str>,
    /// With the principal.
    pub resemblance: Option<f64>,
    /// Share of this file found in the principal.
    pub containment_of_member: Option<f64>,
    /// Share of the principal found in this file.
    pub containment_of_principal: Option<f64>,
    /// It is one of the files whose groups a report is of; absent where it is not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
    /// What this file and the principal are judged to be, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// Why it was not, where it was to be: `withheld`, `time` or `no-text`.
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

/// How much there is.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// Files on disk; the states add up to it.
    pub files_on_disk: u64,
    /// Files inside containers.
    pub members: u64,
    /// Files on disk by state.
    pub states: BTreeMap<String, u64>,
    /// Documents with text.
    pub documents: u64,
    /// Groups, where they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<u64>,
    /// Pairs of files, where they were searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    /// Common fingerprint lists that were left out.
    pub suppressed: u64,
    /// Of cores: parts of the collection whose cores are not all listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<u64>,
    /// With judgements: pairs, or files of groups, for which there was no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<u64>,
}

/// Closes a list.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// How much there is.
    #[serde(flatten)]
    pub counts: Counts,
    /// Time the answer took.
    pub seconds: f64,
    /// How seldom the list lacks a pair of near-duplicates; none of lists without a threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise: Option<Promise>,
    /// What the index lacked when it was asked.
    #[serde(flatten)]
    pub completeness: Completeness,
}

/// Closes the answer that is one group.
#[derive(Clone, Debug, Serialize)]
pub struct OneGroup {
    /// How seldom groups lack a pair of near-duplicates; none of an older daemon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise: Option<Promise>,
    /// What the index lacked when it was asked.
    #[serde(flatten)]
    pub completeness: Completeness,
}

impl From<&v1::GetGroupReply> for OneGroup {
    fn from(reply: &v1::GetGroupReply) -> Self {
        Self {
            promise: reply.promise.as_ref().map(Into::into),
            completeness: completeness(reply.completeness.as_ref()),
        }
    }
}

impl From<&v1::Summary> for Counts {
    fn from(summary: &v1::Summary) -> Self {
        let states = summary.states.iter();
        Self {
            files_on_disk: summary.files_on_disk,
            members: summary.members,
            states: states
                .map(|(state, count)| (state.clone(), *count))
                .collect(),
            documents: summary.documents,
            groups: summary.groups,
            pairs: summary.pairs,
            suppressed: summary.suppressed,
            unfinished: summary.unfinished,
            unjudged: summary.unjudged,
        }
    }
}

impl From<&v1::Summary> for Summary {
    fn from(summary: &v1::Summary) -> Self {
        Self {
            counts: summary.into(),
            seconds: summary.seconds,
            promise: summary.promise.as_ref().map(Into::into),
            completeness: completeness(summary.completeness.as_ref()),
        }
    }
}
