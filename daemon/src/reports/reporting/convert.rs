//! From groups and texts of the index to those of a report.

use std::io;
use std::os::unix::ffi::OsStrExt as _;

use simdex_index::{IndexReader, MemoryAccount};
use simdex_schema::DocumentHash;

use crate::read_side::catalogue::{Group, GroupFile};
use crate::reports::report::{HeldText, ReportGroup, ReportMember};

pub(super) fn report_member(member: &GroupFile) -> ReportMember {
    ReportMember {
        path: member.file.path.as_os_str().as_bytes().to_vec(),
        document: member.document.0,
        relation: member.relation.name(),
        resemblance: Some(member.resemblance),
        containment_of_member: Some(member.containment_of_member),
        containment_of_principal: Some(member.containment_of_principal),
        modified: member.file.record.modified(),
        bytes: member.file.record.bytes(),
    }
}

pub(super) fn report_group(group: &Group) -> ReportGroup {
    let members: Vec<ReportMember> = group.members.iter().map(report_member).collect();
    let principal = members
        .first()
        .map(|member| member.path.clone())
        .unwrap_or_default();
    ReportGroup {
        id: group.id.0,
        kind: "star",
        principal,
        members,
    }
}

/// Reads an extracted text. `None` where it is damaged, too: the report says then that it is not complete.
pub(super) fn text_of(
    index: &IndexReader,
    hash: DocumentHash,
    account: &MemoryAccount,
) -> io::Result<Option<HeldText>> {
    let found = index.document_by_hash(hash).and_then(|id| match id {
        Some(id) => index.held_text(id, account),
        None => Ok(None),
    });
    match found {
        Err(error) if error.is_damaged_text() => Ok(None),
        Err(error) => Err(io::Error::other(error)),
        Ok(found) => Ok(found.map(|(text, permit)| HeldText::new(text, permit))),
    }
}
