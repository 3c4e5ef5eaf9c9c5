//! From the index to a report directory.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use simdex_index::{Cancel, Index, IndexError};
use simdex_schema::DocumentHash;
use simdex_signature::{Ratio, Rung, Scheme, SchemeKind};
use thiserror::Error;

use crate::catalogue::{self, Group, Summary};
use crate::engine::Engine;
use crate::report::{
    self, ReportError, ReportGroup, ReportInput, ReportMember, SchemeLine, Written,
};

/// Why there is no report.
#[derive(Debug, Error)]
pub enum ReportingError {
    /// The directory could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The index failed, or the asker went away.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The place is not an absolute path.
    #[error("{} is not an absolute path; name the report directory from the root", .0.display())]
    Relative(PathBuf),
}

/// Writes a report over everything the daemon watches and remembers it.
pub fn run(
    engine: &Engine,
    out: &Path,
    threshold: Option<f64>,
    cancel: &Cancel,
) -> Result<(Written, Summary), ReportingError> {
    if !out.is_absolute() {
        return Err(ReportingError::Relative(out.to_owned()));
    }
    let started = Instant::now();
    let created = jiff::Timestamp::now();
    let threshold = threshold.unwrap_or(engine.index.parameters().threshold);
    let view = engine.roots.view();
    let ratio = Ratio::new(threshold).unwrap_or(Ratio::ONE);
    let groups = catalogue::groups(&engine.index, &view, ratio, cancel)?;
    let mut summary = catalogue::summary(&engine.index, &view)?;
    summary.groups = groups.len() as u64;
    summary.seconds = started.elapsed().as_secs_f64();
    let written = report::write(
        out,
        &ReportInput {
            created,
            version: env!("CARGO_PKG_VERSION"),
            threshold,
            scheme: scheme_line(&engine.index),
            roots: engine.roots.iter().map(|root| root.path.clone()).collect(),
            summary: report_summary(&summary),
            groups: groups.iter().map(report_group).collect(),
            text_of: &|hash| text_of(&engine.index, DocumentHash(*hash)),
        },
    )?;
    engine
        .index
        .put_report(created.as_microsecond().unsigned_abs(), out, summary.groups)?;
    Ok((written, summary))
}

fn scheme_line(index: &Index) -> SchemeLine {
    let scheme = Scheme::of_text(SchemeKind::ModN, index.window());
    SchemeLine {
        name: scheme.name().to_owned(),
        n_max: Rung::MAX_DOCUMENT.modulus() as u32,
        window: u32::from(index.window().width()),
        unit: scheme.unit().name().trim_end_matches('s').to_owned(),
        canonical: scheme.canonical,
    }
}

fn report_summary(summary: &Summary) -> report::Summary {
    report::Summary {
        files_on_disk: summary.files_on_disk,
        members: summary.members,
        states: summary.states.clone(),
        documents: summary.documents,
        groups: summary.groups,
        suppressed: summary.suppressed,
        seconds: summary.seconds,
    }
}

fn report_group(group: &Group) -> ReportGroup {
    let members = group.members.iter().map(|member| ReportMember {
        path: member.file.path.as_os_str().as_bytes().to_vec(),
        document: member.document.0,
        relation: member.relation.name().to_owned(),
        resemblance: Some(member.resemblance),
        containment_of_member: Some(member.containment_of_member),
        containment_of_principal: Some(member.containment_of_principal),
        modified: member.file.record.modified(),
        bytes: member.file.record.bytes(),
    });
    let members: Vec<ReportMember> = members.collect();
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

fn text_of(index: &Index, hash: DocumentHash) -> io::Result<Option<String>> {
    let found = index.document_by_hash(hash).and_then(|id| match id {
        Some(id) => index.text(id),
        None => Ok(None),
    });
    found.map_err(|error| io::Error::other(error.to_string()))
}
