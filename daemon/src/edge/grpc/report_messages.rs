//! The messages of a request for a report: the request itself, then the files that are sent with it.

use std::path::PathBuf;
use std::sync::Arc;

use simdex_extract::QueueKey;
use simdex_proto::v1;
use tonic::{Request, Status, Streaming};

use super::caller::Caller;
use super::query_stream::next_message;
use super::runner::{RequestClass, RequestRunner};
use super::subject_source::upload_target;
use super::traffic::RequestBytes;
use super::upload::Reception;
use crate::read_side::answering::Uploaded;
use crate::read_side::findings::SentFiles;

/// A message of such a request.
pub(super) trait ReportMessage {
    /// The piece of a file that it carries, if it is not the first.
    fn piece(self) -> Option<v1::SentPiece>;
}

impl ReportMessage for v1::StreamReportRequest {
    fn piece(self) -> Option<v1::SentPiece> {
        self.piece
    }
}

impl ReportMessage for v1::RunReportRequest {
    fn piece(self) -> Option<v1::SentPiece> {
        self.piece
    }
}

/// The messages as they arrive.
pub(super) struct ReportMessages<'a, T> {
    runner: &'a RequestRunner,
    pub(super) caller: Caller,
    messages: Streaming<T>,
    memory_meter: Option<RequestBytes>,
}

impl<'a, T: ReportMessage> ReportMessages<'a, T> {
    pub(super) fn of(runner: &'a RequestRunner, request: Request<Streaming<T>>) -> Self {
        Self {
            runner,
            caller: runner.long_caller(&request),
            memory_meter: request.extensions().get::<RequestBytes>().cloned(),
            messages: request.into_inner(),
        }
    }

    /// The request itself.
    pub(super) async fn first(&mut self) -> Result<T, Status> {
        let no_request = || Status::invalid_argument("the request has no message");
        self.next().await?.ok_or_else(no_request)
    }

    /// Receives the files with these paths, and the end of the request.
    pub(super) async fn sent_files(
        &mut self,
        paths: Vec<PathBuf>,
    ) -> Result<Arc<SentFiles>, Status> {
        let sent = match paths.is_empty() {
            true => SentFiles::default(),
            false => self.receive(paths).await?,
        };
        match self.next().await? {
            None => Ok(Arc::new(sent)),
            Some(_) => Err(Status::invalid_argument(
                "more follows the request for a report than the files that it names",
            )),
        }
    }

    async fn receive(&mut self, paths: Vec<PathBuf>) -> Result<SentFiles, Status> {
        let descriptors = self.runner.descriptors(self.caller, paths.len())?;
        let _slot = self.runner.enter(RequestClass::Upload, self.caller).await?;
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            files.push(self.file(path).await?);
        }
        let key = QueueKey::User(self.caller.uid());
        Ok(SentFiles::new(files, key, descriptors))
    }

    async fn file(&mut self, path: PathBuf) -> Result<Uploaded, Status> {
        let meter = self.memory_meter.clone();
        let target = upload_target(self.runner, path, self.caller, meter)?;
        let mut reception = Reception::begin(target).await?;
        loop {
            let message = self.next().await?.and_then(ReportMessage::piece);
            let piece = message.ok_or_else(|| {
                Status::invalid_argument("a file of the request for a report lacks its end")
            })?;
            reception = reception.add(piece.bytes).await?;
            if piece.last {
                return Ok(reception.finish());
            }
        }
    }

    async fn next(&mut self) -> Result<Option<T>, Status> {
        next_message(&mut self.messages, self.caller.deadline).await
    }
}
