//! Answers RunReport and ListReports: reports that the daemon keeps.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use prost::Message;
use simdex_index::{Cancel, IndexError, Registry};
use simdex_proto::v1;
use tonic::{Code, Status};

use super::caller::Caller;
use super::status::Refused;
use super::{ReportKeeping, report_request};
use crate::encode;
use crate::engine::Engine;
use crate::read_side::findings::NotCompared;
use crate::reports::maker::{self, KeptPlace, ReportRequest};
use crate::reports::report::ReportDir;

/// Most reports in one list.
const MAX_LISTED: usize = 1_000;
/// The file of a report that lists what changed.
const CHANGES: &str = "changes.jsonl";
/// Most bytes that a field takes beside its value.
const FIELD_BYTES: usize = 8;

/// A decoded request for a report to keep.
pub(super) struct KeepReportRequest {
    pub(super) report: ReportRequest,
    reports: Arc<ReportDir>,
    name: Vec<u8>,
    /// Name of the earlier report that it is compared with; empty for none.
    since: Vec<u8>,
}

impl KeepReportRequest {
    /// Decodes the first message, and the paths of the files that follow it.
    pub(super) fn parse(
        engine: &Engine,
        kept: &ReportKeeping,
        request: v1::RunReportRequest,
    ) -> Result<(Self, Vec<PathBuf>), Status> {
        let v1::RunReportRequest {
            name,
            threshold,
            strict,
            options,
            since,
            piece: _,
        } = request;
        let (report, sent) = report_request::parse(engine, threshold, strict, options)?;
        kept.check_name(&name)?;
        let reports = kept.reports.clone().ok_or_else(|| {
            const ADVICE: &str =
                "set report_dir in its config and start it again, or write the report with --out";
            let unset = "the daemon's config sets no directory for reports";
            Refused::new(Code::FailedPrecondition, unset).advised(Some(ADVICE))
        })?;
        let request = Self {
            report,
            reports,
            name,
            since,
        };
        Ok((request, sent))
    }

    /// Writes the report and keeps it.
    pub(super) fn answer(
        mut self,
        engine: &Engine,
        caller: Caller,
        cancel: &Cancel,
    ) -> Result<v1::RunReportReply, Refused> {
        let account = caller.account(engine.index.reader(), cancel);
        let place = KeptPlace {
            reports: &self.reports,
            name: OsStr::from_bytes(&self.name),
            uid: Some(caller.uid()),
        };
        let since = OsStr::from_bytes(&self.since);
        self.report.since = maker::earlier(engine, &self.reports, since)?;
        let kept = maker::keep(engine, &place, self.report, &account)?;
        Ok(v1::RunReportReply {
            out: encode::path(&kept.path),
            summary: Some(encode::summary(&kept.summary)),
            manifest: kept.manifest,
            findings: kept.sums.map(named).unwrap_or_default(),
            not_compared: kept.not_compared.into_iter().map(not_compared).collect(),
            changes: kept.since.map(|since| v1::ReportChanges {
                out: encode::path(&kept.path.join(CHANGES)),
                since: since.manifest,
                totals: named(since.totals.counts()),
                caveats: since.caveats.into_iter().map(str::to_owned).collect(),
            }),
        })
    }
}

/// Counts by name, as they are sent.
fn named(counts: impl IntoIterator<Item = (&'static str, u64)>) -> HashMap<String, u64> {
    let counts = counts.into_iter();
    counts
        .map(|(name, count)| (name.to_owned(), count))
        .collect()
}

/// A file asked about that was not compared, as it is sent.
fn not_compared(file: NotCompared) -> v1::FileNotCompared {
    v1::FileNotCompared {
        path: file.path,
        state: file.state.to_owned(),
        reason: file.reason.as_str().to_owned(),
    }
}

/// A request for reports that were finished after a moment: as many as are wanted and fit into a
/// message, but at least one.
pub(super) struct KeptReportsRequest {
    /// When the last one listed was finished, in seconds since 1970.
    after: u64,
    limit: usize,
    longest_message: usize,
}

impl KeptReportsRequest {
    pub(super) fn parse(
        request: &v1::ListReportsRequest,
        longest_message: usize,
    ) -> Result<Self, Status> {
        let after = u64::try_from(request.after).map_err(|_| {
            Status::invalid_argument("`after` is a moment before 1970; no report is so old")
        })?;
        let limit = match request.limit {
            0 => MAX_LISTED,
            limit => (limit as usize).min(MAX_LISTED),
        };
        Ok(Self {
            after,
            limit,
            longest_message,
        })
    }

    pub(super) fn answer(&self, registry: &Registry) -> Result<v1::ListReportsReply, IndexError> {
        let (mut reply, mut bytes) = (v1::ListReportsReply::default(), 0);
        registry.reports_after(self.after, &mut |at, record| {
            let report = encode::report(at, record);
            bytes += report.encoded_len() + FIELD_BYTES;
            let is_full =
                reply.reports.len() == self.limit || bytes + FIELD_BYTES > self.longest_message;
            if is_full && !reply.reports.is_empty() {
                reply.more = true;
                return ControlFlow::Break(());
            }
            reply.reports.push(report);
            ControlFlow::Continue(())
        })?;
        Ok(reply)
    }
}
