//! One object a line, each with `type` and `v`.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use base64::Engine as _;
use serde::Serialize;
use simdex_index::FileView;
use simdex_proto::completeness::Completeness;

use crate::catalogue::{Group, Member, Pair, Summary};

const VERSION: u32 = 1;

/// A path as text, and as base64 where it is not UTF-8.
fn path_fields(path: &Path) -> (String, Option<String>) {
    let bytes = path.as_os_str().as_bytes();
    let lossless = std::str::from_utf8(bytes).is_ok();
    let encoded = (!lossless).then(|| base64::engine::general_purpose::STANDARD.encode(bytes));
    (String::from_utf8_lossy(bytes).into_owned(), encoded)
}

fn line(object: &impl Serialize) -> String {
    // These types hold strings, numbers and maps with string keys: they always serialize.
    serde_json::to_string(object).unwrap_or_default()
}

#[derive(Serialize)]
struct FileLine<'a> {
    r#type: &'static str,
    v: u32,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    state: &'static str,
    reason: Option<&'a str>,
    document: Option<String>,
    content: Option<String>,
    media_type: Option<&'a str>,
    bytes: Option<u64>,
    chars: Option<u64>,
    engine: Option<&'a str>,
    extractor: Option<u32>,
    warnings: &'a [String],
    facts: BTreeMap<&'a str, &'a str>,
    container: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container_bytes: Option<String>,
    role: Option<&'static str>,
    ordinal: Option<u32>,
    /// When its bytes were last read (RFC 3339).
    last_read: Option<String>,
    /// Its last modification by the file system, or by the container that holds it (RFC 3339).
    modified: Option<String>,
    group: Option<u64>,
}

/// A time as it is written (RFC 3339).
fn date(seconds: i64) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    Some(time.to_string())
}

/// `{"type":"file",…}`
pub fn file_line(file: &FileView) -> String {
    let (path, path_bytes) = path_fields(&file.path);
    let (container, container_bytes) = file.container().as_deref().map(path_fields).unzip();
    let read = file.content.as_ref();
    let filled = |text: &'_ str| !text.is_empty();
    line(&FileLine {
        r#type: "file",
        v: VERSION,
        path,
        path_bytes,
        state: file.state.name(),
        reason: Some(file.reason.as_str()).filter(|r| filled(r)),
        document: file.document.map(|(_, hash)| hash.to_string()),
        content: file.record.content().map(|hash| hash.to_string()),
        media_type: read
            .map(|read| read.media_type.as_str())
            .filter(|m| filled(m)),
        bytes: file.record.bytes(),
        chars: file.chars,
        engine: read.map(|read| read.engine.as_str()).filter(|e| filled(e)),
        extractor: read.map(|read| read.extractor),
        warnings: read.map_or(&[], |read| &read.warnings),
        facts: crate::catalogue::facts(file).into_iter().collect(),
        container,
        container_bytes: container_bytes.flatten(),
        role: file.record.member.map(|place| place.role.name()),
        ordinal: file.record.member.map(|place| place.ordinal),
        last_read: file.record.last_read.and_then(date),
        modified: file.record.modified().and_then(date),
        group: file.group.map(|group| group.0),
    })
}

#[derive(Serialize)]
struct PairLine {
    r#type: &'static str,
    v: u32,
    a: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    a_bytes: Option<String>,
    b: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    b_bytes: Option<String>,
    document_a: String,
    document_b: String,
    relation: &'static str,
    resemblance: f64,
    containment_of_a: f64,
    containment_of_b: f64,
    verified: bool,
}

/// `{"type":"pair",…}`
pub fn pair_line(pair: &Pair) -> String {
    let ((a, a_bytes), (b, b_bytes)) = (path_fields(&pair.a.path), path_fields(&pair.b.path));
    line(&PairLine {
        r#type: "pair",
        v: VERSION,
        a,
        a_bytes,
        b,
        b_bytes,
        document_a: pair.documents.0.to_string(),
        document_b: pair.documents.1.to_string(),
        relation: pair.relation.name(),
        resemblance: pair.resemblance,
        containment_of_a: pair.containment_of_a,
        containment_of_b: pair.containment_of_b,
        verified: true,
    })
}

#[derive(Serialize)]
struct GroupLine {
    r#type: &'static str,
    v: u32,
    id: u64,
    kind: &'static str,
    principal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal_bytes: Option<String>,
    members: Vec<MemberLine>,
}

#[derive(Serialize)]
struct MemberLine {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    document: String,
    relation: &'static str,
    resemblance: f64,
    containment_of_member: f64,
    containment_of_principal: f64,
}

impl From<&Member> for MemberLine {
    fn from(member: &Member) -> Self {
        let (path, path_bytes) = path_fields(&member.file.path);
        Self {
            path,
            path_bytes,
            document: member.document.to_string(),
            relation: member.relation.name(),
            resemblance: member.resemblance,
            containment_of_member: member.containment_of_member,
            containment_of_principal: member.containment_of_principal,
        }
    }
}

/// `{"type":"group",…}`
pub fn group_line(group: &Group) -> String {
    let principal = group
        .members
        .first()
        .map(|member| path_fields(&member.file.path));
    let (principal, principal_bytes) = principal.unwrap_or_default();
    line(&GroupLine {
        r#type: "group",
        v: VERSION,
        id: group.id.0,
        kind: "star",
        principal,
        principal_bytes,
        members: group.members.iter().map(MemberLine::from).collect(),
    })
}

#[derive(Serialize)]
struct SummaryLine<'a> {
    r#type: &'static str,
    v: u32,
    files_on_disk: u64,
    members: u64,
    states: &'a BTreeMap<String, u64>,
    documents: u64,
    groups: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<u64>,
    suppressed: u64,
    seconds: f64,
    #[serde(flatten)]
    completeness: &'a Completeness,
}

/// `{"type":"summary",…}`, last.
pub fn summary_line(summary: &Summary) -> String {
    line(&SummaryLine {
        r#type: "summary",
        v: VERSION,
        files_on_disk: summary.files_on_disk,
        members: summary.container_members,
        states: &summary.states,
        documents: summary.documents,
        groups: summary.groups,
        pairs: summary.pairs,
        suppressed: summary.suppressed,
        seconds: summary.seconds,
        completeness: &summary.completeness,
    })
}
