//! Reports: written here with the caller's rights, or kept by the daemon.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use tonic::{Response, Status};

use super::{Client, first_known, within};
use crate::locate::path_bytes;
use crate::report::ReportFolder;
use crate::upload::{RequestSender, Requests, UploadStream, stream_of};
use crate::wire::stream_report_reply::Part;
use crate::{Error, SavedReport, Upload, wire};

/// The options of a report, and the files that are sent with it because the index lacks them.
#[derive(Debug, Default)]
pub struct ReportRequest {
    options: wire::ReportOptions,
    uploads: Vec<Upload>,
}

impl From<wire::ReportOptions> for ReportRequest {
    fn from(options: wire::ReportOptions) -> Self {
        let uploads = Vec::new();
        Self { options, uploads }
    }
}

impl ReportRequest {
    /// Adds a file asked about.
    pub fn add(&mut self, file: AskedFile) {
        match file {
            AskedFile::Indexed(path) => self.options.files.push(path_bytes(&path)),
            AskedFile::Sent(upload) => {
                let name = path_bytes(upload.name());
                self.options.files.push(name.clone());
                self.options.sent_files.push(name);
                self.uploads.push(upload);
            }
        }
    }
}

/// A file that a report of kind `copies-of` asks about.
#[derive(Debug)]
pub enum AskedFile {
    /// A file of the index, by its shown path.
    Indexed(PathBuf),
    /// A file that the index lacks.
    Sent(Upload),
}

impl AskedFile {
    /// Its shown path.
    pub fn path(&self) -> &Path {
        match self {
            Self::Indexed(path) => path,
            Self::Sent(upload) => upload.name(),
        }
    }
}

impl Client {
    /// Finds a file that a report of kind `copies-of` is to ask about: in the index, by each path under which the daemon
    /// may know it, and otherwise in the file system.
    ///
    /// # Errors
    /// [`Error::NoSuchFile`] if neither knows it, [`Error::NotRegular`], [`Error::Unreadable`].
    pub async fn asked_file(&self, file: &Path) -> Result<AskedFile, Error> {
        let described = async |path: PathBuf| {
            self.describe(&path).await?;
            Ok(AskedFile::Indexed(path))
        };
        match first_known(file, described).await {
            Err(error) if error.is_not_found() => Upload::of_file(file).map(AskedFile::Sent),
            answer => answer,
        }
    }

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
        request: impl Into<ReportRequest>,
    ) -> Result<SavedReport, Error> {
        // Checked before the daemon starts work that would be wasted.
        let mut folder = ReportFolder::begin(out)?;
        let ReportRequest { options, uploads } = request.into();
        let first = wire::StreamReportRequest {
            threshold,
            strict: self.strict,
            options: Some(options),
            piece: None,
        };
        let mut admin = self.admin.clone();
        let sent = self.send_with(first, uploads, async |requests| {
            admin.stream_report(requests).await
        });
        let mut replies = sent.await?;
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
        request: impl Into<ReportRequest>,
    ) -> Result<wire::RunReportReply, Error> {
        let ReportRequest { options, uploads } = request.into();
        let first = wire::RunReportRequest {
            name: name.as_bytes().to_vec(),
            threshold,
            strict: self.strict,
            options: Some(options),
            since: since.unwrap_or_default().as_bytes().to_vec(),
            piece: None,
        };
        let mut admin = self.admin.clone();
        self.send_with(first, uploads, async |requests| {
            admin.run_report(requests).await
        })
        .await
    }

    /// Sends the first message of a request, then the files that belong to it, and awaits the answer.
    async fn send_with<T: OfPiece, R>(
        &self,
        first: T,
        uploads: Vec<Upload>,
        call: impl AsyncFnOnce(Requests<T>) -> Result<Response<R>, Status>,
    ) -> Result<R, Error> {
        let UploadStream {
            requests,
            mut read_error,
        } = stream_of(|sender| send_all(sender, first, uploads));
        tokio::select! {
            biased;
            failure = read_error.failure() => Err(failure),
            answer = within(self.limits.work, call(requests)) => answer,
        }
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

/// A message that may carry a piece of a file.
trait OfPiece: Send + 'static {
    fn of_piece(piece: wire::SentPiece) -> Self;
}

impl OfPiece for wire::StreamReportRequest {
    fn of_piece(piece: wire::SentPiece) -> Self {
        Self {
            piece: Some(piece),
            ..Self::default()
        }
    }
}

impl OfPiece for wire::RunReportRequest {
    fn of_piece(piece: wire::SentPiece) -> Self {
        Self {
            piece: Some(piece),
            ..Self::default()
        }
    }
}

fn send_all<T: OfPiece>(
    sender: &RequestSender<T>,
    first: T,
    uploads: Vec<Upload>,
) -> Result<(), Error> {
    if !sender.send(first) {
        return Ok(());
    }
    let send = |bytes, last| sender.send(T::of_piece(wire::SentPiece { bytes, last }));
    for upload in uploads {
        upload.chunks(|chunk| send(chunk, false))?;
        if !send(Vec::new(), true) {
            break;
        }
    }
    Ok(())
}
