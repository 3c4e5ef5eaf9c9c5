//! From messages of the wire to the objects of `--json`.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use jiff::Timestamp;
use simdex_client::completeness::Completeness;
use simdex_client::{path_bytes, wire};

use crate::output::json;

/// A path as JSON can hold it.
pub(crate) fn lossy(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// The exact bytes of a path that [`lossy`] falsifies, in base64.
pub(crate) fn exact(path: &[u8]) -> Option<String> {
    std::str::from_utf8(path)
        .is_err()
        .then(|| BASE64.encode(path))
}

/// A hash in lower-case hexadecimal; none where there is none.
pub(crate) fn hex(hash: &[u8]) -> Option<String> {
    let digits = || hash.iter().map(|byte| format!("{byte:02x}")).collect();
    (!hash.is_empty()).then(digits)
}

/// The name of a relation of the wire; none for one unknown here.
pub(crate) fn relation(value: i32) -> Option<&'static str> {
    use wire::Relation;
    Some(match Relation::try_from(value).ok()? {
        Relation::Unspecified => return None,
        Relation::IdenticalBytes => "identical-bytes",
        Relation::IdenticalText => "identical-text",
        Relation::NearDuplicate => "near-duplicate",
        Relation::Contains => "contains",
        Relation::ContainedIn => "contained-in",
        Relation::Overlaps => "overlaps",
    })
}

/// What of a query was compared; none where an older daemon does not say.
fn compared_by(value: i32) -> Option<&'static str> {
    use wire::ComparedBy;
    Some(match ComparedBy::try_from(value).ok()? {
        ComparedBy::Unspecified => return None,
        ComparedBy::Text => "text",
        ComparedBy::RawBytes => "raw-bytes",
        ComparedBy::Signature => "signature",
        ComparedBy::Nothing => "nothing",
    })
}

/// A time in seconds since 1970 as RFC 3339 in UTC; none beyond the years a calendar has.
pub(crate) fn date(seconds: Option<i64>) -> Option<String> {
    Some(Timestamp::from_second(seconds?).ok()?.to_string())
}

fn said(words: &str) -> Option<String> {
    (!words.is_empty()).then(|| words.to_owned())
}

impl From<&wire::File> for json::File {
    fn from(file: &wire::File) -> Self {
        let place = file.place.as_ref();
        let fact = |fact: &wire::Fact| (fact.name.clone(), fact.value.clone());
        Self {
            path: lossy(&file.path),
            path_bytes: exact(&file.path),
            state: file.state.clone(),
            reason: said(&file.reason),
            document: hex(&file.document),
            content: hex(&file.content),
            media_type: said(&file.media_type),
            bytes: file.bytes,
            chars: file.chars,
            engine: said(&file.engine),
            extractor: (file.extractor > 0).then_some(file.extractor),
            warnings: file.warnings.clone(),
            facts: file.facts.iter().map(fact).collect(),
            container: place.map(|place| lossy(&place.container)),
            container_bytes: place.and_then(|place| exact(&place.container)),
            role: place.map(|place| place.role.clone()),
            ordinal: place.map(|place| place.ordinal),
            last_read: date(file.last_read),
            modified: date(file.modified),
            group: file.group,
        }
    }
}

/// What was told of the index; of a daemon that tells nothing, nothing is known to be complete.
fn completeness(told: Option<&wire::Completeness>) -> Completeness {
    told.map(Into::into).unwrap_or_default()
}

impl From<&wire::DescribeFileReply> for json::ShownFile {
    fn from(reply: &wire::DescribeFileReply) -> Self {
        Self {
            file: (&reply.file.clone().unwrap_or_default()).into(),
            completeness: completeness(reply.completeness.as_ref()),
        }
    }
}

impl From<&wire::Scheme> for json::Scheme {
    fn from(scheme: &wire::Scheme) -> Self {
        Self {
            name: scheme.name.clone(),
            n: scheme.n,
            window: scheme.window,
            unit: scheme.unit.clone(),
            canonical: scheme.canonical,
        }
    }
}

impl From<&wire::Match> for json::Match {
    fn from(found: &wire::Match) -> Self {
        let resemblance = found.resemblance.unwrap_or_default();
        Self {
            path: lossy(&found.path),
            path_bytes: exact(&found.path),
            document: hex(&found.document),
            relation: relation(found.relation),
            resemblance: resemblance.value,
            resemblance_low: resemblance.low,
            resemblance_high: resemblance.high,
            containment_of_query: found.containment_of_query.and_then(|ratio| ratio.value),
            containment_in_query: found.containment_in_query.and_then(|ratio| ratio.value),
            shared_fingerprints: found.shared_fingerprints,
            verified: found.verified,
            scheme: found.scheme.as_ref().map(Into::into),
            version: None,
        }
    }
}

impl json::Query {
    /// The record that closes the matches of the file at `path`; none for standard input.
    pub(crate) fn new(path: Option<&Path>, query: &wire::QuerySummary) -> Self {
        let path = path.map(path_bytes);
        Self {
            path: path.as_deref().map(lossy),
            path_bytes: path.as_deref().and_then(exact),
            document: hex(&query.document),
            state: said(&query.state),
            reason: said(&query.reason),
            candidates: query.candidates,
            verified: query.verified,
            suppressed: query.suppressed,
            common_lists: query.common_lists,
            unverified: query.unverified,
            compared_by: compared_by(query.compared_by),
            seconds: query.seconds,
            truncated: query.truncated,
            completeness: completeness(query.completeness.as_ref()),
        }
    }
}

impl From<&wire::Pair> for json::Pair {
    fn from(pair: &wire::Pair) -> Self {
        Self {
            a: lossy(&pair.a),
            a_bytes: exact(&pair.a),
            b: lossy(&pair.b),
            b_bytes: exact(&pair.b),
            document_a: hex(&pair.document_a),
            document_b: hex(&pair.document_b),
            relation: relation(pair.relation),
            resemblance: pair.resemblance,
            containment_of_a: pair.containment_of_a,
            containment_of_b: pair.containment_of_b,
            verified: pair.verified,
        }
    }
}

impl From<&wire::Group> for json::Group {
    fn from(group: &wire::Group) -> Self {
        Self {
            id: group.id,
            kind: group.kind.clone(),
            principal: lossy(&group.principal),
            principal_bytes: exact(&group.principal),
            members: group.members.iter().map(Into::into).collect(),
        }
    }
}

impl From<&wire::Member> for json::Member {
    fn from(member: &wire::Member) -> Self {
        Self {
            path: lossy(&member.path),
            path_bytes: exact(&member.path),
            document: hex(&member.document),
            relation: relation(member.relation),
            resemblance: member.resemblance,
            containment_of_member: member.containment_of_member,
            containment_of_principal: member.containment_of_principal,
        }
    }
}

impl From<&wire::Summary> for json::Summary {
    fn from(summary: &wire::Summary) -> Self {
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
            seconds: summary.seconds,
            completeness: completeness(summary.completeness.as_ref()),
        }
    }
}

impl json::Comparison {
    /// The comparison of the files at `a` and `b`; none for standard input.
    pub(crate) fn new(a: Option<&Path>, b: Option<&Path>, reply: wire::CompareReply) -> Self {
        let (a, b) = (a.map(path_bytes), b.map(path_bytes));
        Self {
            a: a.as_deref().map(lossy),
            a_bytes: a.as_deref().and_then(exact),
            b: b.as_deref().map(lossy),
            b_bytes: b.as_deref().and_then(exact),
            relation: relation(reply.relation),
            resemblance: reply.resemblance,
            containment_of_a: reply.containment_of_a,
            containment_of_b: reply.containment_of_b,
            shared_shingles: reply.shared_shingles,
            shingles_a: reply.shingles_a,
            shingles_b: reply.shingles_b,
            chars_a: reply.chars_a,
            chars_b: reply.chars_b,
            estimates: reply.estimates.iter().map(Into::into).collect(),
            spans: reply.spans.iter().map(Into::into).collect(),
            diff: reply.difference_left_out.is_empty().then_some(reply.diff),
            difference_left_out: said(&reply.difference_left_out),
            completeness: completeness(reply.completeness.as_ref()),
        }
    }
}

impl From<&wire::SchemeEstimate> for json::Estimate {
    fn from(estimate: &wire::SchemeEstimate) -> Self {
        let resemblance = estimate.resemblance.unwrap_or_default();
        let of_a = estimate.containment_of_a.unwrap_or_default();
        let of_b = estimate.containment_of_b.unwrap_or_default();
        Self {
            scheme: estimate.scheme.as_ref().map(Into::into),
            resemblance: resemblance.value,
            resemblance_low: resemblance.low,
            resemblance_high: resemblance.high,
            containment_of_a: of_a.value,
            containment_of_a_low: of_a.low,
            containment_of_a_high: of_a.high,
            containment_of_b: of_b.value,
            containment_of_b_low: of_b.low,
            containment_of_b_high: of_b.high,
        }
    }
}

impl From<&wire::Span> for json::Span {
    fn from(span: &wire::Span) -> Self {
        Self {
            offset_a: span.offset_a,
            offset_b: span.offset_b,
            length: span.length,
        }
    }
}

impl From<&wire::StatusReply> for json::Status {
    fn from(status: &wire::StatusReply) -> Self {
        Self {
            version: status.version.clone(),
            format: status.format,
            data_dir: lossy(&status.data_dir),
            data_dir_bytes: exact(&status.data_dir),
            new_index: status.new_index,
            uptime_seconds: status.uptime_seconds,
            queued: status.queued,
            threshold: status.threshold,
            store_bytes: status.store_bytes,
            text_bytes: status.text_bytes,
            max_message_bytes: status.max_message_bytes,
            sandbox: status.sandbox.clone(),
            alarm: status.alarm.as_ref().map(Into::into),
            schemes: status.schemes.iter().map(Into::into).collect(),
            roots: status.roots.iter().map(Into::into).collect(),
            summary: status.summary.as_ref().map(Into::into),
            completeness: completeness(status.completeness.as_ref()),
        }
    }
}

impl From<&wire::Alarm> for json::Alarm {
    fn from(alarm: &wire::Alarm) -> Self {
        Self {
            reason: alarm.reason.clone(),
            since: date(Some(alarm.since)),
            next_attempt: date(alarm.next_attempt),
            answering: alarm.answering,
        }
    }
}

impl From<&wire::SchemeUsage> for json::SchemeUsage {
    fn from(usage: &wire::SchemeUsage) -> Self {
        Self {
            scheme: usage.scheme.as_ref().map(Into::into),
            postings: usage.postings,
            bytes: usage.bytes,
            sign_seconds: usage.sign_seconds,
            n_most: usage.n_most,
            unmerged: usage.unmerged,
        }
    }
}

impl From<&wire::Root> for json::Root {
    fn from(root: &wire::Root) -> Self {
        Self {
            id: root.id,
            path: lossy(&root.path),
            path_bytes: exact(&root.path),
            mode: root.mode.clone(),
            configured_mode: root.configured_mode.clone(),
            state: root.state.clone(),
            detail: said(&root.detail),
            files: root.files,
            pending_loss: root.pending_loss,
        }
    }
}

impl From<&wire::RunReportReply> for json::Report {
    fn from(report: &wire::RunReportReply) -> Self {
        Self {
            out: lossy(&report.out),
            out_bytes: exact(&report.out),
            manifest: report.manifest.clone(),
            summary: report.summary.as_ref().map(Into::into),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_not_utf8_keeps_its_bytes() {
        assert_eq!(exact("/ü".as_bytes()), None);
        assert_eq!(lossy(b"/a\xff"), "/a\u{fffd}");
        assert_eq!(exact(b"/a\xff").as_deref(), Some("L2H/"));
    }

    #[test]
    fn a_date_is_given_in_utc_or_not_at_all() {
        assert_eq!(date(Some(0)).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(date(Some(-1)).as_deref(), Some("1969-12-31T23:59:59Z"));
        assert_eq!(date(Some(i64::MAX)), None);
        assert_eq!(date(None), None);
    }

    #[test]
    fn a_relation_from_a_newer_daemon_is_unknown_and_not_another() {
        assert_eq!(relation(3), Some("near-duplicate"));
        assert_eq!(relation(0), None);
        assert_eq!(relation(99), None);
    }
}
