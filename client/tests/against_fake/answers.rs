//! The canned answers.

mod calibration;
mod judged;
mod status;

use std::collections::HashMap;

use simdex_client::wire::{
    CompareReply, CompareRequest, ComparedBy, Completeness, DescribeFileReply, Fact, File,
    FolderCopies, FolderCopiesSummary, Group, GroupKind, JudgeModel, ListProgress, Match, Member,
    NotGiven, Operation, OperationKind, Pair, Pending, Place, QuerySummary, Ratio, Relation,
    ReportChanges, Root, RunReportReply, Scheme, SchemeEstimate, Span, Summary, Template,
    TemplatesSummary, WordDifference, side,
};
use tonic::Status;

pub(crate) use calibration::{calibration, sampling};
pub(crate) use judged::{judged_group, judged_pairs, judgement, unjudged};
pub(crate) use status::status;

pub(crate) fn scheme(n: u64) -> Scheme {
    Scheme {
        name: "mod_n".to_owned(),
        n,
        window: 20,
        unit: "bytes".to_owned(),
        canonical: 1,
        template_list: Vec::new(),
    }
}

pub(crate) fn exact(value: f64) -> Option<Ratio> {
    Some(Ratio {
        value: Some(value),
        low: Some(value),
        high: Some(value),
    })
}

pub(crate) fn between(low: f64, value: f64, high: f64) -> Option<Ratio> {
    Some(Ratio {
        value: Some(value),
        low: Some(low),
        high: Some(high),
    })
}

fn judge_model() -> JudgeModel {
    JudgeModel {
        name: "shipped".to_owned(),
        hash: vec![0xab; 32],
        note: String::new(),
    }
}

pub(crate) fn verified_match() -> Match {
    Match {
        path: b"/share/b.txt".to_vec(),
        document: vec![0xb0; 32],
        relation: Relation::NearDuplicate.into(),
        resemblance: exact(0.75),
        containment_of_query: exact(0.875),
        containment_in_query: exact(0.84),
        shared_fingerprints: 1200,
        verified: true,
        scheme: Some(scheme(1)),
        modified: Some(1_700_006_400),
        date: Some(1_700_000_000),
        date_source: "sent".to_owned(),
        is_query: false,
        folded_under: Vec::new(),
        judgement: Some(judgement()),
        not_judged: 0,
    }
}

pub(crate) fn estimated_match() -> Match {
    Match {
        path: b"/share/c\xff.txt".to_vec(),
        document: vec![0xc0; 32],
        relation: Relation::Overlaps.into(),
        resemblance: between(0.2, 0.25, 0.3125),
        containment_of_query: None,
        containment_in_query: between(0.4, 0.5, 0.6),
        shared_fingerprints: 30,
        verified: false,
        scheme: Some(scheme(4)),
        modified: None,
        date: None,
        date_source: String::new(),
        is_query: false,
        folded_under: Vec::new(),
        judgement: None,
        not_judged: 0,
    }
}

pub(crate) fn query(state: &str, reason: &str) -> QuerySummary {
    QuerySummary {
        document: if state == "indexed" {
            vec![0xa0; 32]
        } else {
            Vec::new()
        },
        state: state.to_owned(),
        reason: reason.to_owned(),
        candidates: 7,
        verified: 1,
        suppressed: 0,
        common_lists: 0,
        unverified: 0,
        compared_by: match state {
            "indexed" => ComparedBy::Text,
            _ => ComparedBy::Nothing,
        }
        .into(),
        seconds: 0.5,
        truncated: false,
        unjudged: None,
        last_read: None,
        promise: Some(promise(0.1)),
        left_out: None,
        completeness: Some(complete()),
    }
}

/// What goes unseen with a probability of a thousandth.
pub(crate) fn promise(threshold: f64) -> simdex_client::wire::Promise {
    simdex_client::promise::Promise::new("mod_n", threshold, 0.001).into()
}

pub(crate) fn pair() -> Pair {
    Pair {
        a: b"/share/a.txt".to_vec(),
        b: b"/share/b.txt".to_vec(),
        document_a: vec![0xa0; 32],
        document_b: vec![0xb0; 32],
        relation: Relation::NearDuplicate.into(),
        resemblance: Some(0.75),
        containment_of_a: Some(0.875),
        containment_of_b: Some(0.84),
        verified: true,
        judgement: None,
        not_judged: 0,
    }
}

pub(crate) fn group() -> Group {
    let member = |path: &[u8], relation: Relation, resemblance| Member {
        path: path.to_vec(),
        document: vec![0xa0; 32],
        relation: relation.into(),
        resemblance,
        containment_of_member: resemblance,
        containment_of_principal: None,
        judgement: None,
        not_judged: 0,
    };
    Group {
        is_continued: false,
        id: 9,
        kind: "star".to_owned(),
        common: None,
        principal: b"/share/a.txt".to_vec(),
        members: vec![
            member(b"/share/a.txt", Relation::Unspecified, Some(1.0)),
            member(b"/share/b.txt", Relation::Contains, Some(0.9996)),
        ],
        judged_apart: None,
    }
}

/// The groups of one kind, two components or cores.
pub(crate) fn groups(kind: i32) -> Vec<Group> {
    let (name, common) = match GroupKind::try_from(kind) {
        Ok(GroupKind::Components) => ("component", None),
        Ok(GroupKind::Cores) => ("core", Some(87)),
        _ => return vec![group()],
    };
    let member = |path: &str, relation: Relation| Member {
        path: path.as_bytes().to_vec(),
        document: vec![0xa0; 32],
        relation: relation.into(),
        ..Member::default()
    };
    let cluster = |first: &str, second: &str, relation| Group {
        is_continued: false,
        id: 0,
        kind: name.to_owned(),
        common,
        principal: first.as_bytes().to_vec(),
        members: vec![
            member(first, Relation::Unspecified),
            member(second, relation),
        ],
        judged_apart: None,
    };
    vec![
        cluster("/share/a.txt", "/share/b.txt", Relation::Unspecified),
        cluster("/share/c.txt", "/share/d.txt", Relation::IdenticalText),
    ]
}

pub(crate) fn file() -> File {
    File {
        path: b"/share/a.txt".to_vec(),
        state: "indexed".to_owned(),
        reason: String::new(),
        document: vec![0xa0; 32],
        content: vec![0x0a; 32],
        media_type: "text/plain".to_owned(),
        bytes: Some(1234),
        chars: Some(1200),
        modified: None,
        engine: "plain 1".to_owned(),
        extractor: 2,
        warnings: Vec::new(),
        facts: vec![Fact {
            name: "charset".to_owned(),
            value: "windows-1252".to_owned(),
        }],
        place: None,
        last_read: None,
        owner: None,
        group: None,
    }
}

/// The index held everything.
pub(crate) fn complete() -> Completeness {
    Completeness {
        complete: true,
        pending: None,
        template_lines: 0,
        template_list: Vec::new(),
    }
}

/// The index is being built.
pub(crate) fn half_built() -> Completeness {
    Completeness {
        complete: false,
        pending: Some(Pending {
            queued: 5_218,
            unsettled: 312,
            ..Pending::default()
        }),
        template_lines: 0,
        template_list: Vec::new(),
    }
}

/// A member of an archive.
pub(crate) fn member_file() -> File {
    File {
        path: b"/share/a.zip!/a.txt".to_vec(),
        place: Some(Place {
            container: b"/share/a.zip".to_vec(),
            role: "entry".to_owned(),
            ordinal: 3,
        }),
        warnings: vec!["read with care".to_owned()],
        group: Some(9),
        modified: Some(1_700_000_000),
        facts: [
            file().facts,
            vec![Fact {
                name: "modified".to_owned(),
                value: "2020-01-02T03:04:05Z".to_owned(),
            }],
        ]
        .concat(),
        ..file()
    }
}

/// What is known of the file at a path; whoever asks below `/lost` finds the daemon gone.
pub(crate) fn described(path: &[u8]) -> Result<DescribeFileReply, Status> {
    if path.starts_with(b"/lost/") {
        return Err(Status::unavailable("simdexd is stopping"));
    }
    if !path.starts_with(b"/share/") {
        return Err(Status::not_found("no such file is known"));
    }
    Ok(DescribeFileReply {
        file: Some(member_file()),
        completeness: Some(complete()),
    })
}

pub(crate) fn unreadable_file() -> File {
    File {
        path: b"/share/\x1b[2J.pdf".to_vec(),
        state: "unreadable".to_owned(),
        reason: "permission-denied".to_owned(),
        ..File::default()
    }
}

pub(crate) fn root() -> Root {
    Root {
        id: 3,
        path: b"/share".to_vec(),
        mode: "poll".to_owned(),
        configured_mode: "auto".to_owned(),
        state: "loss-held".to_owned(),
        detail: "1500 files vanished at once".to_owned(),
        files: 4000,
        pending_loss: 1500,
        loss_token: "005fa109ff10".to_owned(),
    }
}

pub(crate) fn summary() -> Summary {
    Summary {
        files_on_disk: 3,
        members: 1,
        states: HashMap::from([("unreadable".to_owned(), 1), ("indexed".to_owned(), 2)]),
        member_states: HashMap::from([("timed-out".to_owned(), 1)]),
        documents: 2,
        groups: Some(1),
        pairs: Some(1),
        suppressed: 0,
        unfinished: None,
        unjudged: None,
        uncertain: None,
        truncated: false,
        seconds: 0.25,
        promise: None,
        completeness: Some(complete()),
    }
}

/// How far a list of 40 files is.
pub(crate) fn list_progress(files: u64) -> ListProgress {
    ListProgress {
        files,
        of: Some(40),
        pairs: files / 2,
        documents_searched: None,
    }
}

/// What closes a list of pairs or groups.
pub(crate) fn list_summary() -> Summary {
    Summary {
        promise: Some(promise(0.8)),
        ..summary()
    }
}

/// A folder and its backup.
pub(crate) fn folders() -> (FolderCopies, FolderCopiesSummary) {
    let folders = FolderCopies {
        a: b"/share/2024".to_vec(),
        b: b"/share/backup.zip!".to_vec(),
        files_a: 100,
        files_b: 98,
        shared_a: 97,
        shared_b: 96,
        revised: 5,
        copies: None,
        further: Vec::new(),
        alone_a: vec![b"/share/2024/new.txt".to_vec()],
        alone_b: Vec::new(),
    };
    let summary = FolderCopiesSummary {
        pairs: 1,
        files: 250,
        truncated: false,
        too_common: 0,
        seconds: 0.5,
        completeness: Some(complete()),
    };
    (folders, summary)
}

/// A letterhead in so many documents.
pub(crate) fn templates(documents: u64) -> (Template, TemplatesSummary) {
    let template = Template {
        root: b"/share".to_vec(),
        text: "Example Ltd, Sample Street 1, 1000 Town\nRegistered in Town, number 12345\n"
            .to_owned(),
        lines: 2,
        documents,
        of_documents: 40,
        example: b"/share/a.txt".to_vec(),
        cut: false,
        left_out: true,
        groups: 4,
        partly_left_out: false,
    };
    let summary = TemplatesSummary {
        templates: 7,
        documents: 40,
        truncated: true,
        seconds: 0.5,
        completeness: Some(complete()),
    };
    (template, summary)
}

fn estimates() -> Vec<SchemeEstimate> {
    vec![
        SchemeEstimate {
            scheme: Some(scheme(1)),
            resemblance: between(0.4, 0.5, 0.6),
            containment_of_a: None,
            containment_of_b: exact(1.0),
            not_given: Vec::new(),
        },
        SchemeEstimate {
            scheme: Some(Scheme {
                name: "min_n".to_owned(),
                ..scheme(100)
            }),
            resemblance: between(0.3, 0.5, 0.7),
            containment_of_a: None,
            containment_of_b: None,
            not_given: vec![NotGiven::Containment.into()],
        },
    ]
}

pub(crate) fn comparison(request: &CompareRequest) -> CompareReply {
    CompareReply {
        judgement: request.with_judgement.then(judgement),
        not_judged: 0,
        relation: Relation::Contains.into(),
        resemblance: 0.5,
        containment_of_a: 0.5,
        containment_of_b: 1.0,
        shared_shingles: 100,
        shingles_a: 200,
        shingles_b: 100,
        spans: vec![
            Span {
                offset_a: 0,
                offset_b: 0,
                length: 60,
            },
            Span {
                offset_a: 80,
                offset_b: 60,
                length: 40,
            },
        ],
        diff: "--- a\n+++ b\n@@ -1 +1 @@\n-one\x1b[31m\n+\ttwo\n".to_owned(),
        estimates: estimates(),
        chars_a: 220,
        chars_b: 120,
        difference_left_out: String::new(),
        completeness: Some(complete()),
        last_read_a: None,
        last_read_b: None,
        words: words(request),
        shared_shingles_outside_spans: 7,
        left_out_a: None,
        left_out_b: None,
    }
}

/// Whether a side is given as a document whose hash begins with this byte.
pub(crate) fn is_of_document(request: &CompareRequest, first: u8) -> bool {
    let sides = [&request.a, &request.b].into_iter().flatten();
    let mut sources = sides.filter_map(|side| side.source.as_ref());
    sources.any(|source| match source {
        side::Source::Document(document) => document.starts_with(&[first]),
        _ => false,
    })
}

/// How the words of both differ, in the forms asked for.
fn words(request: &CompareRequest) -> Option<WordDifference> {
    let not_asked = |is_requested: bool| match is_requested {
        true => String::new(),
        false => "it was not requested".to_owned(),
    };
    let operation = Operation {
        kind: OperationKind::Move.into(),
        offset_a: 40,
        length_a: 9,
        offset_b: 0,
        length_b: 11,
        removed: None,
        added: Some("moved\ntext\n".to_owned()),
    };
    let text = "--- a\n+++ b\n@@ -1 +1 @@\nsome [-one-]{+two+} words\n";
    let (with_words, with_operations) = (request.with_words, request.with_operations);
    let differs = WordDifference {
        words_removed: 1,
        words_added: 1,
        words_moved: 14,
        blocks_moved: 1,
        cut_short: false,
        text: if with_words { text } else { "" }.to_owned(),
        operations: if with_operations {
            vec![operation]
        } else {
            vec![]
        },
        text_left_out: not_asked(with_words),
        operations_left_out: not_asked(with_operations),
        not_aligned: false,
        bytes_a: 400,
        bytes_b: 390,
    };
    let is_requested = with_words || with_operations || !request.without_difference;
    is_requested.then_some(differs)
}

/// A report that the daemon keeps, without its path.
pub(crate) fn kept_report(is_compared: bool) -> RunReportReply {
    let named = |name: &str, count| (name.to_owned(), count);
    RunReportReply {
        out: Vec::new(),
        summary: Some(summary()),
        manifest: "0".repeat(64),
        findings: [named("found", 3), named("cut_short", 1)].into(),
        not_compared: Vec::new(),
        changes: is_compared.then(|| ReportChanges {
            out: b"/reports/2027/changes.jsonl".to_vec(),
            since: "1".repeat(64),
            totals: [named("findings_new", 2), named("findings_gone", 1)].into(),
            caveats: vec!["other-roots".to_owned(), "of-a-newer-daemon".to_owned()],
        }),
    }
}

/// A report of one file, as it is streamed.
pub(crate) fn report() -> Vec<simdex_client::wire::StreamReportReply> {
    use simdex_client::wire::stream_report_reply::Part;
    let groups = "{}\n";
    let (length, hash) = (groups.len(), blake3::hash(groups.as_bytes()));
    let line = format!("{{\"path\":\"groups.jsonl\",\"bytes\":{length},\"blake3\":\"{hash}\"}}");
    let head = format!("{{\n  \"files\": [\n    {line}\n  ],\n");
    let seal = blake3::hash(head.as_bytes());
    let manifest = format!("{head}  \"manifest_blake3\": \"{seal}\"\n}}\n");
    let file = |path: &str, text: &str| {
        Part::Piece(simdex_client::wire::ReportPiece {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
            last: true,
        })
    };
    [
        file("groups.jsonl", groups),
        file("manifest.json", &manifest),
        Part::Summary(summary()),
    ]
    .map(|part| simdex_client::wire::StreamReportReply { part: Some(part) })
    .into()
}
