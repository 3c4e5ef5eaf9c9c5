//! Encodes the engine's types as messages of the wire.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::SystemTime;

use simdex_index::{FileView, Index, Usage};
use simdex_proto::completeness::Completeness;
use simdex_proto::v1;
use simdex_schema::ReportRecord;
use simdex_signature::{Rung, Scheme, SchemeKind};

use crate::alarms::Alarm;
use crate::catalogue::{Group, Member, Pair, Summary};
use crate::compare::{Comparison, SchemeEstimate};
use crate::events::Event;
use crate::query::{Answer, ComparedBy, Hit, Measured, Relation};
use crate::roots::{Root, RootState};
use crate::watch::{ChosenMode, Mode};

/// Encodes a path: its bytes as the file system holds them.
pub(super) fn path(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

fn relation(relation: Relation) -> i32 {
    let relation = match relation {
        Relation::IdenticalBytes => v1::Relation::IdenticalBytes,
        Relation::IdenticalText => v1::Relation::IdenticalText,
        Relation::NearDuplicate => v1::Relation::NearDuplicate,
        Relation::Contains => v1::Relation::Contains,
        Relation::ContainedIn => v1::Relation::ContainedIn,
        Relation::Overlaps => v1::Relation::Overlaps,
    };
    relation.into()
}

fn ratio(measured: Measured) -> Option<v1::Ratio> {
    let Measured { value, low, high } = measured;
    Some(v1::Ratio { value, low, high })
}

fn scheme(scheme: Scheme, rung: Rung) -> v1::Scheme {
    let raw = scheme.kind == SchemeKind::Chunks;
    let unit = if raw {
        "raw-bytes"
    } else {
        scheme.unit().name()
    };
    v1::Scheme {
        name: scheme.name().to_owned(),
        n: rung.modulus(),
        window: scheme.window.width().into(),
        unit: unit.to_owned(),
        canonical: scheme.canonical,
    }
}

fn hit(hit: Hit) -> v1::Match {
    let overlap = hit.overlap;
    v1::Match {
        path: path(&hit.file.path),
        document: hit.document.0.to_vec(),
        relation: relation(hit.relation),
        resemblance: ratio(overlap.resemblance),
        containment_of_query: ratio(overlap.of_first),
        containment_in_query: ratio(overlap.of_second),
        shared_fingerprints: overlap.shared,
        verified: overlap.verified,
        scheme: Some(scheme(hit.scheme.scheme, hit.scheme.rung)),
        modified: hit.file.record.modified(),
        date: hit.date.map(|date| date.seconds),
        date_source: hit
            .date
            .map(|date| date.source.name().to_owned())
            .unwrap_or_default(),
        is_query: hit.is_query,
    }
}

/// Encodes an answer as the replies of a stream, the summary last.
pub(super) fn answer(
    answer: Answer,
    completeness: Completeness,
    seconds: f64,
) -> impl Iterator<Item = v1::FindReply> + Send + 'static {
    use v1::find_reply::Part;
    let summary = v1::QuerySummary {
        document: answer
            .document
            .map(|hash| hash.0.to_vec())
            .unwrap_or_default(),
        state: answer.state.name().to_owned(),
        reason: answer.reason.as_str().to_owned(),
        candidates: answer.candidates,
        verified: answer.verified,
        suppressed: answer.common_lists + answer.unverified,
        seconds,
        truncated: answer.truncated,
        common_lists: answer.common_lists,
        unverified: answer.unverified,
        compared_by: compared_by(answer.compared_by),
        completeness: Some(completeness.into()),
    };
    let matches = answer.hits.into_iter().map(|found| Part::Match(hit(found)));
    let parts = matches.chain(std::iter::once(Part::Summary(summary)));
    parts.map(|part| v1::FindReply { part: Some(part) })
}

fn compared_by(compared: ComparedBy) -> i32 {
    let compared = match compared {
        ComparedBy::Text => v1::ComparedBy::Text,
        ComparedBy::RawBytes => v1::ComparedBy::RawBytes,
        ComparedBy::Signature => v1::ComparedBy::Signature,
        ComparedBy::Nothing => v1::ComparedBy::Nothing,
    };
    compared.into()
}

/// Encodes a comparison.
pub(super) fn comparison(found: Comparison, completeness: Completeness) -> v1::CompareReply {
    let value = |measured: Measured| measured.value.unwrap_or_default();
    let (diff, left_out) = match found.diff {
        Ok(diff) => (diff, String::new()),
        Err(why) => (String::new(), why.to_string()),
    };
    let spans = found.spans.iter().map(|span| v1::Span {
        offset_a: span.offset_a,
        offset_b: span.offset_b,
        length: span.length,
    });
    v1::CompareReply {
        relation: relation(found.relation),
        resemblance: value(found.overlap.resemblance),
        containment_of_a: value(found.overlap.of_first),
        containment_of_b: value(found.overlap.of_second),
        shared_shingles: found.overlap.shared,
        shingles_a: found.shingles.0,
        shingles_b: found.shingles.1,
        spans: spans.collect(),
        diff,
        difference_left_out: left_out,
        estimates: found.estimates.iter().map(estimate).collect(),
        chars_a: found.chars.0,
        chars_b: found.chars.1,
        completeness: Some(completeness.into()),
    }
}

fn estimate(found: &SchemeEstimate) -> v1::SchemeEstimate {
    v1::SchemeEstimate {
        scheme: Some(scheme(found.scheme, found.rung)),
        resemblance: ratio(found.resemblance),
        containment_of_a: ratio(found.of_a),
        containment_of_b: ratio(found.of_b),
    }
}

/// Encodes a file with its state.
pub(super) fn file(file: &FileView) -> v1::File {
    let content = file.record.content();
    let read = file.content.as_ref();
    let media_type = read.map(|read| read.media_type.clone());
    v1::File {
        path: path(&file.path),
        state: file.state.name().to_owned(),
        reason: file.reason.as_str().to_owned(),
        document: file
            .document
            .map(|(_, hash)| hash.0.to_vec())
            .unwrap_or_default(),
        content: content.map(|hash| hash.0.to_vec()).unwrap_or_default(),
        media_type: media_type.unwrap_or_default(),
        bytes: file.record.bytes(),
        chars: file.chars,
        modified: file.record.modified(),
        engine: read.map(|read| read.engine.clone()).unwrap_or_default(),
        extractor: read.map_or(0, |read| read.extractor),
        warnings: read.map(|read| read.warnings.clone()).unwrap_or_default(),
        facts: facts(file),
        place: place(file),
        last_read: file.record.last_read,
        group: file.group.map(|group| group.0),
    }
}

fn facts(file: &FileView) -> Vec<v1::Fact> {
    let facts = crate::catalogue::facts(file).into_iter();
    let fact = |(name, value): (&str, &str)| v1::Fact {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    facts.map(fact).collect()
}

fn place(file: &FileView) -> Option<v1::Place> {
    let place = file.record.member?;
    Some(v1::Place {
        container: path(&file.container()?),
        role: place.role.name().to_owned(),
        ordinal: place.ordinal,
    })
}

/// Encodes a pair, with the numbers of both directions.
pub(super) fn pair(pair: Pair) -> v1::Pair {
    v1::Pair {
        a: path(&pair.a.path),
        b: path(&pair.b.path),
        document_a: pair.documents.0.0.to_vec(),
        document_b: pair.documents.1.0.to_vec(),
        relation: relation(pair.relation),
        resemblance: Some(pair.resemblance),
        containment_of_a: Some(pair.containment_of_a),
        containment_of_b: Some(pair.containment_of_b),
        verified: true,
    }
}

/// Encodes a star around its principal, which is its first member.
pub(super) fn group(group: Group) -> v1::Group {
    let principal = group.members.first().map(|member| path(&member.file.path));
    v1::Group {
        id: group.id.0,
        kind: "star".to_owned(),
        principal: principal.unwrap_or_default(),
        members: group.members.iter().map(member).collect(),
    }
}

fn member(member: &Member) -> v1::Member {
    v1::Member {
        path: path(&member.file.path),
        document: member.document.0.to_vec(),
        relation: relation(member.relation),
        resemblance: Some(member.resemblance),
        containment_of_member: Some(member.containment_of_member),
        containment_of_principal: Some(member.containment_of_principal),
    }
}

/// Encodes the counts that close a list.
pub(super) fn summary(summary: Summary) -> v1::Summary {
    v1::Summary {
        files_on_disk: summary.files_on_disk,
        members: summary.container_members,
        states: summary.states.into_iter().collect(),
        documents: summary.documents,
        groups: summary.groups,
        pairs: summary.pairs,
        suppressed: summary.suppressed,
        seconds: summary.seconds,
        completeness: Some(summary.completeness.into()),
    }
}

/// Encodes the alarm that keeps changes from being applied.
pub(super) fn alarm(alarm: &Alarm) -> v1::Alarm {
    let seconds = |at: SystemTime| {
        let since = at
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        since.as_secs().try_into().unwrap_or(i64::MAX)
    };
    v1::Alarm {
        reason: alarm.reason.clone(),
        since: seconds(alarm.since),
        next_attempt: alarm.next_attempt.map(seconds),
        answering: alarm.is_answering(),
    }
}

/// Encodes a root that holds `files` files on disk. While changes are not applied no root is up to date,
/// whatever its watcher says: one that seems so is stalled by the alarm.
pub(super) fn root(root: &Root, files: u64, alarm: Option<&Alarm>) -> v1::Root {
    let status = root.status();
    let chosen = root.chosen();
    let seems_well = matches!(status.state, RootState::Watching | RootState::Scanning);
    let (state, detail) = match alarm.filter(|_| seems_well) {
        Some(alarm) => ("stalled", alarm.reason.clone()),
        None => {
            let why = chosen.as_ref().map_or("", |chosen| &chosen.why);
            let details = [why, &status.detail].into_iter();
            let details: Vec<&str> = details.filter(|detail| !detail.is_empty()).collect();
            (status.state.name(), details.join("; "))
        }
    };
    v1::Root {
        id: root.id.0,
        path: path(&root.path),
        mode: mode(chosen.as_ref()).to_owned(),
        configured_mode: root.configured.mode.name().to_owned(),
        state: state.to_owned(),
        detail,
        files,
        pending_loss: status.pending_loss,
    }
}

/// Encodes a report that the daemon keeps; `finished` in microseconds since 1970.
pub(super) fn report(finished: u64, record: ReportRecord) -> v1::Report {
    v1::Report {
        out: record.out,
        finished: finished.try_into().unwrap_or(i64::MAX),
        groups: record.groups,
    }
}

fn mode(chosen: Option<&ChosenMode>) -> &'static str {
    match chosen.map(|chosen| chosen.mode) {
        Some(Mode::Native) => "native",
        _ => "poll",
    }
}

/// Encodes what a scheme costs. Its n is the least in use: each document is signed at the rung its length asks for.
pub(super) fn usage(index: &Index, usage: Usage) -> v1::SchemeUsage {
    let used = match usage.scheme {
        SchemeKind::Chunks => simdex_signature::Chunks::SCHEME,
        kind => Scheme::of_text(kind, index.window()),
    };
    let (finest, coarsest) = usage.rungs.unwrap_or((Rung::ZERO, Rung::ZERO));
    v1::SchemeUsage {
        scheme: Some(scheme(used, finest)),
        postings: usage.postings,
        bytes: usage.bytes,
        sign_seconds: index.sign_seconds(usage.scheme),
        n_most: coarsest.modulus(),
        unmerged: usage.unmerged,
    }
}

/// Encodes an event.
pub(super) fn event(event: &Event) -> v1::Event {
    v1::Event {
        kind: event.kind.name().to_owned(),
        path: path(&event.path),
        detail: event.detail.clone(),
        at: event.at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Overlap, SchemeUsed};
    use simdex_schema::file::FileOutcome;
    use simdex_schema::{DocumentHash, FileKey, FileRecord, FileStat, Reason, RootId, State};
    use simdex_signature::Window;
    use std::ffi::OsStr;

    fn unreadable(name: &[u8]) -> FileView {
        let outcome = FileOutcome::Unread(State::Unreadable, Reason::code("io-error"));
        FileView {
            path: OsStr::from_bytes(name).into(),
            key: FileKey {
                root: RootId(1),
                path: name.to_vec(),
            },
            record: FileRecord {
                stat: FileStat::default(),
                racy: false,
                outcome,
                member: None,
                last_read: None,
            },
            content: None,
            state: State::Unreadable,
            reason: Reason::code("io-error"),
            document: None,
            chars: None,
            group: None,
        }
    }

    #[test]
    fn a_name_that_is_no_text_keeps_its_bytes_and_what_is_unknown_stays_absent() {
        let shown = file(&unreadable(b"/r/\xff\n"));
        assert_eq!(shown.path, b"/r/\xff\n");
        assert_eq!(
            (shown.state.as_str(), shown.reason.as_str()),
            ("unreadable", "io-error")
        );
        assert_eq!(
            (shown.document.len(), shown.content.len(), shown.chars),
            (0, 0, None)
        );
    }

    #[test]
    fn an_estimate_stays_one_and_a_number_that_was_not_measured_is_absent() {
        let value = Measured {
            value: Some(0.5),
            low: Some(0.4),
            high: Some(0.6),
        };
        let none = Measured::default();
        let shown = hit(Hit {
            file: unreadable(b"/r/a"),
            document: DocumentHash([9; 32]),
            relation: Relation::ContainedIn,
            overlap: Overlap {
                resemblance: value,
                of_first: none,
                of_second: value,
                shared: 7,
                verified: false,
            },
            scheme: SchemeUsed {
                scheme: Scheme::of_text(SchemeKind::ModN, Window::DEFAULT),
                rung: Rung::MAX_DOCUMENT,
            },
            date: None,
            is_query: false,
        });
        assert_eq!(shown.relation(), v1::Relation::ContainedIn);
        assert_eq!(shown.containment_of_query.unwrap().value, None);
        assert_eq!(shown.resemblance.unwrap().high, Some(0.6));
        let scheme = shown.scheme.unwrap();
        assert_eq!(
            (scheme.name.as_str(), scheme.n, scheme.window),
            ("mod_n", 64, 20)
        );
        assert!(!shown.verified);
    }

    #[test]
    fn chunks_say_that_they_are_of_raw_bytes() {
        let shown = scheme(simdex_signature::Chunks::SCHEME, Rung::ZERO);
        assert_eq!(
            (shown.name.as_str(), shown.unit.as_str()),
            ("chunks", "raw-bytes")
        );
        assert_eq!(shown.canonical, 0);
    }
}
