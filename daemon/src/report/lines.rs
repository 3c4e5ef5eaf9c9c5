//! The JSON lines of a report, keys in fixed order.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::{DocumentHash, ReportGroup, ReportMember, UnreadFile, hex};
use crate::difference::Extent;

/// A path in JSON: text always, and its bytes in base64 where the text cannot say them.
pub(super) fn path(bytes: &[u8]) -> (String, Option<String>) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let exact = str::from_utf8(bytes).is_ok();
    (text, (!exact).then(|| STANDARD.encode(bytes)))
}

/// A line of `groups.jsonl`.
#[derive(Serialize)]
pub(super) struct GroupLine<'a> {
    r#type: &'static str,
    v: u32,
    id: u64,
    kind: &'static str,
    principal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal_bytes: Option<String>,
    members: Vec<MemberLine<'a>>,
}

#[derive(Serialize)]
struct MemberLine<'a> {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    document: String,
    relation: &'a str,
    resemblance: Option<f64>,
    containment_of_member: Option<f64>,
    containment_of_principal: Option<f64>,
}

impl<'a> GroupLine<'a> {
    /// `members` in the order to print.
    pub(super) fn new(group: &ReportGroup, members: &[&'a ReportMember]) -> Self {
        let (principal, principal_bytes) = path(&group.principal);
        Self {
            r#type: "group",
            v: 1,
            id: group.id,
            kind: group.kind,
            principal,
            principal_bytes,
            members: members.iter().map(|m| MemberLine::new(m)).collect(),
        }
    }
}

impl<'a> MemberLine<'a> {
    fn new(member: &'a ReportMember) -> Self {
        let (path, path_bytes) = path(&member.path);
        Self {
            path,
            path_bytes,
            document: hex(&member.document),
            relation: &member.relation,
            resemblance: member.resemblance,
            containment_of_member: member.containment_of_member,
            containment_of_principal: member.containment_of_principal,
        }
    }
}

/// A line of `diffs.jsonl`: one document that differs from its group's principal.
#[derive(Serialize, Deserialize)]
pub(super) struct DiffLine {
    pub(super) r#type: String,
    pub(super) v: u32,
    pub(super) group: u64,
    /// Null where a text is not kept.
    pub(super) diff: Option<String>,
    pub(super) from_document: String,
    pub(super) from_text: Option<String>,
    pub(super) to_document: String,
    pub(super) to_text: Option<String>,
    /// The files that carry the document.
    pub(super) files: Vec<PathLine>,
    pub(super) places: Option<usize>,
    pub(super) lines_removed: Option<usize>,
    pub(super) lines_added: Option<usize>,
    /// The time for one diff was up: it is longer than need be, and no less true.
    pub(super) cut_short: Option<bool>,
}

/// A path as an object.
#[derive(Serialize, Deserialize)]
pub(super) struct PathLine {
    pub(super) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) path_bytes: Option<String>,
}

impl PathLine {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let (path, path_bytes) = path(bytes);
        Self { path, path_bytes }
    }
}

/// What `diffs.jsonl` says of one diff, beside the files that carry the document.
pub(super) struct DiffFacts {
    pub(super) diff: String,
    pub(super) extent: Extent,
    pub(super) cut_short: bool,
}

impl DiffLine {
    pub(super) fn new(
        group: u64,
        from: (&DocumentHash, Option<String>),
        to: (&DocumentHash, Option<String>),
        files: &[&ReportMember],
        facts: Option<&DiffFacts>,
    ) -> Self {
        Self {
            r#type: "diff".to_owned(),
            v: 1,
            group,
            diff: facts.map(|f| f.diff.clone()),
            from_document: hex(from.0),
            from_text: from.1,
            to_document: hex(to.0),
            to_text: to.1,
            files: files.iter().map(|m| PathLine::new(&m.path)).collect(),
            places: facts.map(|f| f.extent.hunks),
            lines_removed: facts.map(|f| f.extent.removed),
            lines_added: facts.map(|f| f.extent.added),
            cut_short: facts.map(|f| f.cut_short),
        }
    }
}

/// A line of `unread.jsonl`.
#[derive(Serialize)]
pub(super) struct UnreadLine<'a> {
    r#type: &'static str,
    v: u32,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    state: &'a str,
    reason: Option<&'a str>,
}

impl<'a> UnreadLine<'a> {
    pub(super) fn new(file: &UnreadFile<'a>) -> Self {
        let (path, path_bytes) = path(file.path);
        Self {
            r#type: "unread",
            v: 1,
            path,
            path_bytes,
            state: file.state,
            reason: Some(file.reason).filter(|reason| !reason.is_empty()),
        }
    }
}
