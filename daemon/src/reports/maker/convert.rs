//! Converts groups, texts and the scheme of the index to those of a report.

use std::io;
use std::os::unix::ffi::OsStrExt as _;

use simdex_index::{FileInfo, HeldText, Index, IndexReader, MemoryAccount};
use simdex_proto::lines::{self, JsonPath, SchemeInUse};
use simdex_schema::{DocumentHash, GroupId};
use simdex_signature::{Rung, Scheme, SchemeKind};

use crate::encode;
use crate::read_side::answering::Uploaded;
use crate::read_side::catalogue::{ClusterMember, GroupMember};
use crate::read_side::clusters::{ClusterRequest, SKETCH_FINGERPRINTS};
use crate::read_side::judging::{author_of, is_quoting};
use crate::read_side::query::Relation;
use crate::reports::maker::ReportKind;
use crate::reports::report::{OnRecord, ReportGroup, ReportMember};

/// Makes members from the files of groups; with an index, adds the data that their judgement needs.
pub(super) struct OnRecordReader<'a>(pub(super) Option<&'a IndexReader>);

impl OnRecordReader<'_> {
    pub(super) fn member(&self, member: &GroupMember, is_requested: bool) -> ReportMember {
        ReportMember {
            path: member.file.path.as_os_str().as_bytes().to_vec(),
            document: member.document,
            relation: Some(member.relation.name()),
            resemblance: Some(member.resemblance),
            containment_of_member: Some(member.containment_of_member),
            containment_of_principal: Some(member.containment_of_principal),
            modified: member.file.record.modified(),
            bytes: member.file.record.bytes(),
            is_requested,
            on_record: self.on_record(&member.file).map(Box::new),
        }
    }

    fn on_record(&self, file: &FileInfo) -> Option<OnRecord> {
        let (id, _) = file.document?;
        Some(OnRecord {
            root: file.key.root,
            author: author_of(file).map(str::to_owned),
            is_quoting: is_quoting(file),
            length: self.0?.documents().stats(id)?.length,
        })
    }
}

/// A file of a component or core, for which no numbers were counted.
pub(super) fn cluster_member(member: &ClusterMember) -> ReportMember {
    ReportMember {
        path: member.file.path.as_os_str().as_bytes().to_vec(),
        document: member.document,
        relation: member.relation.map(Relation::name),
        resemblance: None,
        containment_of_member: None,
        containment_of_principal: None,
        modified: member.file.record.modified(),
        bytes: member.file.record.bytes(),
        is_requested: false,
        on_record: None,
    }
}

/// A component or core, numbered after the `before` ones that precede it; its first file is of the longest document.
pub(super) fn cluster_group(
    before: usize,
    common: Option<u32>,
    members: Vec<ReportMember>,
) -> ReportGroup {
    ReportGroup {
        kind: match common {
            Some(_) => "core",
            None => "component",
        },
        common,
        ..report_group(GroupId(before as u64 + 1), members)
    }
}

pub(super) fn report_group(id: GroupId, members: Vec<ReportMember>) -> ReportGroup {
    let principal = members
        .first()
        .map(|member| member.path.clone())
        .unwrap_or_default();
    ReportGroup {
        id: id.0,
        kind: "star",
        common: None,
        principal,
        members,
    }
}

/// Reads an extracted text. It is `None` for a damaged one too (the report then says that it is not
/// complete), and for one whose last file was removed meanwhile.
pub(super) fn text_of(
    index: &IndexReader,
    hash: DocumentHash,
    account: &MemoryAccount,
) -> io::Result<Option<HeldText>> {
    let found = index.documents().with_hash(hash).and_then(|id| match id {
        Some(id) => index.texts().read(id, account),
        None => Ok(None),
    });
    match found {
        Err(error) if error.concerns_one_document() => Ok(None),
        Err(error) => Err(io::Error::other(error)),
        Ok(found) => Ok(found),
    }
}

/// A file that was sent, as a manifest names it.
pub(super) fn sent_line(file: &Uploaded) -> lines::SentFile {
    lines::SentFile {
        path: JsonPath::new(file.name.as_os_str().as_bytes()),
        bytes: file.bytes,
        content: file.content.to_string(),
    }
}

/// The scheme by which a report of this kind compares documents, and the least and the greatest n of them.
pub(super) fn scheme_line(index: &Index, kind: &ReportKind) -> SchemeInUse {
    if let ReportKind::Clusters(ClusterRequest::Cores { .. }) = kind {
        let scheme = Scheme::of_text(SchemeKind::MinN, index.reader().window());
        let n_most = u64::from(SKETCH_FINGERPRINTS);
        let scheme = (&encode::scheme(scheme, Rung::ZERO)).into();
        let scheme = lines::Scheme {
            n: n_most,
            ..scheme
        };
        return SchemeInUse { scheme, n_most };
    }
    let rungs = index.usage().into_iter();
    let mut rungs = rungs.filter(|usage| usage.scheme == SchemeKind::ModN);
    let rungs = rungs.find_map(|usage| usage.rungs);
    let (finest, coarsest) = rungs.unwrap_or((Rung::ZERO, Rung::ZERO));
    let scheme = Scheme::of_text(SchemeKind::ModN, index.reader().window());
    SchemeInUse {
        scheme: (&encode::scheme(scheme, finest)).into(),
        n_most: coarsest.modulus(),
    }
}
