//! Encodes the items of lists, and what is looked up one by one: documents and groups.

use simdex_proto::v1;

use super::{group, judgement, not_judged, pair, path};
use crate::read_side::answering::{
    FoundDocument, FoundTemplate, GroupReply, ListedGroup, ListedPair,
};
use crate::read_side::folders::NamedPair;
use crate::read_side::judging_outcome::JudgingOutcome;
use crate::read_side::templates::TemplateExclusion;

/// Encodes a pair, with its judgement if it has one.
pub fn listed_pair(listed: ListedPair) -> v1::Pair {
    let (not_judged, judgement) = judged(listed.judged);
    v1::Pair {
        not_judged,
        judgement,
        ..pair(&listed.pair)
    }
}

/// Encodes a group, or the next part of a large one, with the judgements of its files.
pub fn listed_group(listed: ListedGroup) -> v1::Group {
    let mut encoded = group(&listed.group);
    for (member, outcome) in encoded.members.iter_mut().zip(listed.judged) {
        (member.not_judged, member.judgement) = judged(outcome);
    }
    encoded.judged_apart = listed.is_judged_apart;
    encoded
}

fn judged(outcome: Option<JudgingOutcome>) -> (i32, Option<v1::Judgement>) {
    let why = not_judged(outcome.as_ref());
    let judged = outcome.and_then(JudgingOutcome::judgement);
    (why, judged.map(judgement))
}

/// Encodes what was looked up of one group.
pub fn group_reply(reply: GroupReply) -> v1::GetGroupReply {
    v1::GetGroupReply {
        group: reply.group.map(listed_group),
        completeness: Some(reply.completeness.into()),
        promise: Some(reply.promise.into()),
        unsettled: reply.is_unsettled,
    }
}

/// Encodes a document with its files.
pub fn document(found: FoundDocument, files: Vec<v1::File>) -> v1::GetDocumentReply {
    v1::GetDocumentReply {
        document: found.hash.0.to_vec(),
        chars: found.chars,
        shingles: found.shingles,
        files,
        text: found.text,
        completeness: Some(found.completeness.into()),
    }
}

/// Encodes a template with one of its files.
pub fn template(found: &FoundTemplate<'_>) -> v1::Template {
    let template = found.template;
    v1::Template {
        root: path(found.root),
        text: template.text.clone(),
        lines: template.lines,
        documents: template.documents,
        of_documents: found.of_documents,
        example: found.example.as_deref().map(path).unwrap_or_default(),
        cut: template.is_cut,
        left_out: template.left_out == TemplateExclusion::Whole,
        partly_left_out: template.left_out == TemplateExclusion::Partly,
        groups: template.groups,
    }
}

/// Encodes a pair of folders that have files in common.
pub fn folder_copies(pair: NamedPair) -> v1::FolderCopies {
    let counts = pair.counts;
    let [alone_a, alone_b] = pair.alone;
    v1::FolderCopies {
        a: pair.a,
        b: pair.b,
        files_a: counts.files_a,
        files_b: counts.files_b,
        shared_a: counts.shared_a,
        shared_b: counts.shared_b,
        revised: counts.revised,
        copies: pair.copies,
        further: pair.further,
        alone_a,
        alone_b,
    }
}
