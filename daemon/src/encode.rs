//! Encodes the daemon's types as wire messages, for the edge (gRPC and `scan`) and for reports.

mod answer;
mod calibration;
mod family;
mod judging;
mod lists;
mod status;

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use simdex_index::FileInfo;
use simdex_proto::v1;
use simdex_signature::{Rung, Scheme, SchemeKind};

use crate::read_side::catalogue::{ClusterFiles, Group, GroupMember, Pair};
use crate::read_side::lists::ListSummary;
use crate::read_side::query::{RatioEstimate, Relation};

pub use answer::{comparison, find_replies, judgement, not_judged};
pub use calibration::{calibration, sampling};
pub use family::{family_item, family_summary};
pub use judging::{evaluation, model, sampled_pairs, trained};
pub use lists::{document, folder_copies, group_reply, listed_group, listed_pair, template};
pub use status::{alarm, event, memory, pace, report, root, schedule, usage};

/// The bytes of a path.
pub fn path(path: &Path) -> Vec<u8> {
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
        Relation::NothingShared => v1::Relation::NothingShared,
    };
    relation.into()
}

fn ratio(measured: RatioEstimate) -> v1::Ratio {
    let RatioEstimate { value, low, high } = measured;
    v1::Ratio { value, low, high }
}

/// Encodes a scheme at the n of a rung.
pub fn scheme(scheme: Scheme, rung: Rung) -> v1::Scheme {
    let raw = scheme.kind == SchemeKind::Chunks;
    let unit = if raw {
        "raw-bytes"
    } else {
        scheme.unit().name()
    };
    v1::Scheme {
        name: scheme.name().to_owned(),
        n: scheme.kind.n(rung),
        window: scheme.window.width().into(),
        unit: unit.to_owned(),
        canonical: scheme.canonical,
        template_list: Vec::new(),
    }
}

/// Encodes a file with its state.
pub fn file(file: &FileInfo) -> v1::File {
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
        engine: read.map(|read| read.parser.clone()).unwrap_or_default(),
        extractor: read.map_or(0, |read| read.extractor),
        warnings: read.map(|read| read.warnings.clone()).unwrap_or_default(),
        facts: facts(file),
        place: place(file),
        last_read: file.record.last_read,
        group: file.group.map(|group| group.0),
        owner: file.record.stat.owner,
    }
}

fn facts(file: &FileInfo) -> Vec<v1::Fact> {
    let facts = crate::read_side::catalogue::facts(file).into_iter();
    let fact = |(name, value): (&str, &str)| v1::Fact {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    facts.map(fact).collect()
}

fn place(file: &FileInfo) -> Option<v1::Place> {
    let place = file.record.member?;
    Some(v1::Place {
        container: path(&file.container()?),
        role: place.role.name().to_owned(),
        ordinal: place.ordinal,
    })
}

/// Encodes a pair.
pub fn pair(pair: &Pair) -> v1::Pair {
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
        judgement: None,
        not_judged: 0,
    }
}

/// Encodes a group; its principal is the first member.
pub fn group(group: &Group) -> v1::Group {
    let principal = group.members.first().filter(|_| !group.is_continued);
    let principal = principal.map(|member| path(&member.file.path));
    v1::Group {
        id: group.id.0,
        is_continued: group.is_continued,
        kind: "star".to_owned(),
        common: None,
        principal: principal.unwrap_or_default(),
        members: group.members.iter().map(member).collect(),
        judged_apart: None,
    }
}

/// Encodes a component or a core; the first of its files carries its longest document.
pub fn cluster(cluster: &ClusterFiles) -> v1::Group {
    let first = cluster
        .members
        .first()
        .filter(|_| !cluster.is_continued)
        .map(|member| path(&member.file.path));
    let kind = if cluster.common.is_some() {
        "core"
    } else {
        "component"
    };
    let members = cluster.members.iter().map(|member| v1::Member {
        path: path(&member.file.path),
        document: member.document.0.to_vec(),
        relation: member.relation.map_or(0, relation),
        ..v1::Member::default()
    });
    v1::Group {
        id: 0,
        is_continued: cluster.is_continued,
        kind: kind.to_owned(),
        common: cluster.common,
        principal: first.unwrap_or_default(),
        members: members.collect(),
        judged_apart: None,
    }
}

fn member(member: &GroupMember) -> v1::Member {
    v1::Member {
        path: path(&member.file.path),
        document: member.document.0.to_vec(),
        relation: relation(member.relation),
        resemblance: Some(member.resemblance),
        containment_of_member: Some(member.containment_of_member),
        containment_of_principal: Some(member.containment_of_principal),
        judgement: None,
        not_judged: 0,
    }
}

/// Encodes the counts that close a list.
pub fn summary(summary: &ListSummary) -> v1::Summary {
    let owned = |states: &BTreeMap<String, u64>| states.clone().into_iter().collect();
    v1::Summary {
        files_on_disk: summary.counts.files_on_disk,
        members: summary.counts.container_members,
        states: owned(&summary.counts.states),
        member_states: owned(&summary.counts.member_states),
        documents: summary.counts.documents,
        groups: summary.groups,
        pairs: summary.pairs,
        suppressed: summary.common_lists_skipped,
        unfinished: summary.unfinished,
        unjudged: summary.unjudged,
        uncertain: summary.uncertain,
        truncated: summary.truncated,
        seconds: summary.seconds,
        promise: summary.promise.clone().map(Into::into),
        completeness: Some(summary.completeness.clone().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_side::catalogue::ListCounts;
    use simdex_schema::file::FileOutcome;
    use simdex_schema::{FileKey, FileRecord, FileStat, Reason, RootId, State};
    use std::ffi::OsStr;

    pub(super) fn unreadable(name: &[u8]) -> FileInfo {
        let outcome = FileOutcome::Unread(State::Unreadable, Reason::IoError.into());
        FileInfo {
            path: OsStr::from_bytes(name).into(),
            key: FileKey {
                root: RootId(1),
                path: name.to_vec(),
            },
            record: FileRecord::new(FileStat::default(), outcome),
            content: None,
            state: State::Unreadable,
            reason: Reason::IoError.into(),
            document: None,
            chars: None,
            group: None,
        }
    }

    #[test]
    fn a_summary_tells_what_the_search_skipped_and_the_states_of_members_apart() {
        let unread = ("unreadable".to_owned(), 2);
        let list = ListSummary {
            counts: ListCounts {
                member_states: [unread.clone()].into(),
                ..ListCounts::default()
            },
            common_lists_skipped: 3,
            ..ListSummary::default()
        };
        let encoded = summary(&list);
        assert_eq!(encoded.suppressed, 3);
        assert!(encoded.states.is_empty());
        assert_eq!(encoded.member_states, [unread].into());
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
    fn chunks_say_that_they_are_of_raw_bytes() {
        let shown = scheme(simdex_signature::Chunks::SCHEME, Rung::ZERO);
        assert_eq!(
            (shown.name.as_str(), shown.unit.as_str()),
            ("chunks", "raw-bytes")
        );
        assert_eq!(shown.canonical, 0);
    }
}
