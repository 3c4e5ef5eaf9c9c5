//! Reports: written here with the caller's rights, or kept by the daemon.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{Client, within};
use crate::report::ReportFolder;
use crate::wire::stream_report_reply::Part;
use crate::{Error, SavedReport, wire};

impl Client {
    /// Writes a report to `out`, an absolute path that must not exist, with the caller's rights. The report is checked
    /// against its own manifest before it is renamed to `out`.
    ///
    /// Blocks the polling thread while files are written and made power-safe, so run it on a runtime, or on a runtime's
    /// thread, that nothing else waits for.
    ///
    /// # Errors
    /// [`Error::Unwritable`], [`Error::BadReport`], [`Error::Incomplete`]; nothing is left behind then.
    pub async fn download_report(
        &self,
        out: &Path,
        threshold: Option<f64>,
        options: wire::ReportOptions,
    ) -> Result<SavedReport, Error> {
        // Checked before the daemon starts work that would be wasted.
        let mut folder = ReportFolder::begin(out)?;
        let request = wire::StreamReportRequest {
            threshold,
            strict: self.strict,
            options: Some(options),
        };
        let call = async { self.admin.clone().stream_report(request).await };
        let mut replies = within(self.limits.work, call).await?;
        let until = tokio::time::Instant::now() + self.limits.work;
        loop {
            let reply = tokio::time::timeout_at(until, replies.message()).await;
            let reply = reply.map_err(|_| Error::Late(self.limits.work))??;
            match reply.ok_or(Error::Incomplete)?.part {
                Some(Part::Piece(piece)) => folder.add(&piece)?,
                Some(Part::Summary(summary)) => return folder.publish(summary),
                None => {}
            }
        }
    }

    /// Makes the daemon keep a report under this name in its own directory for reports, together with the changes since
    /// the kept report named `since`.
    pub async fn keep_report(
        &self,
        name: &OsStr,
        since: Option<&OsStr>,
        threshold: Option<f64>,
        options: wire::ReportOptions,
    ) -> Result<wire::RunReportReply, Error> {
        let request = wire::RunReportRequest {
            name: name.as_bytes().to_vec(),
            threshold,
            strict: self.strict,
            options: Some(options),
            since: since.unwrap_or_default().as_bytes().to_vec(),
        };
        within(self.limits.work, self.admin.clone().run_report(request)).await
    }

    /// Lists the reports that the daemon keeps.
    pub async fn reports(&self) -> Result<Vec<wire::Report>, Error> {
        let (mut reports, mut after) = (Vec::new(), 0);
        loop {
            let request = wire::ListReportsRequest { after, limit: 0 };
            let mut admin = self.admin.clone();
            let page = within(self.limits.call, admin.list_reports(request)).await?;
            let last = page.reports.last().map(|report| report.finished);
            reports.extend(page.reports);
            match last.filter(|last| page.more && *last > after) {
                Some(last) => after = last,
                None => return Ok(reports),
            }
        }
    }
}
