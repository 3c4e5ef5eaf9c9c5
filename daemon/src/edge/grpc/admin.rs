//! The service `simdex.v1.Admin`.

use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::time::Instant;

use simdex_index::Cancel;
use simdex_proto::v1;
use simdex_proto::v1::admin_server::Admin;
use tonic::{Request, Response, Status, Streaming};

use super::daemon_status::{roots, status, without_index};
use super::files::FilesRequest;
use super::kept_reports::{KeepReportRequest, KeptReportsRequest};
use super::report_messages::ReportMessages;
use super::report_sink::ReplySink;
use super::runner::{RequestClass, RequestRunner};
use super::status::Refused;
use super::{Replies, ReportKeeping, report_request, request_params};
use crate::base::echo::echo;
use crate::encode;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::read_side::answering;
use crate::reports::maker;
use crate::write_side::roots::{LossToken, Root};
use crate::write_side::walk_queue::RootUrgency;

/// The administrative service: status, files, roots, barriers, reports.
pub struct AdminService {
    runner: Arc<RequestRunner>,
    kept: ReportKeeping,
}

impl AdminService {
    /// A service on this runner, which keeps reports if it has a directory for them.
    pub fn new(runner: Arc<RequestRunner>, kept: ReportKeeping) -> Self {
        Self { runner, kept }
    }
}

#[tonic::async_trait]
impl Admin for AdminService {
    type ListFilesStream = Replies<v1::ListFilesReply>;
    type StreamReportStream = Replies<v1::StreamReportReply>;

    async fn status(
        &self,
        request: Request<v1::StatusRequest>,
    ) -> Result<Response<v1::StatusReply>, Status> {
        let caller = self.runner.caller(&request);
        let work = move |engine: &Engine, cancel: &Cancel| {
            status(engine, &caller.account(engine.index.reader(), cancel))
        };
        let reply = self.runner.unary(RequestClass::Status, caller, work).await;
        match (reply, self.runner.alarm()) {
            // Without an index, the status can still say why there is none.
            (Err(_), Some(alarm)) if !alarm.is_answering() => Ok(Response::new(v1::StatusReply {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                format: simdex_schema::FORMAT_VERSION,
                alarm: Some(encode::alarm(&alarm)),
                completeness: Some(without_index(&alarm).into()),
                ..v1::StatusReply::default()
            })),
            (reply, _) => reply.map(|mut reply| {
                reply.get_mut().schedules = self.kept.schedules();
                reply
            }),
        }
    }

    async fn list_files(
        &self,
        request: Request<v1::ListFilesRequest>,
    ) -> Result<Response<Self::ListFilesStream>, Status> {
        let caller = self.runner.long_caller(&request);
        let decoded = FilesRequest::parse(&*self.runner.engine()?, request.into_inner())?;
        let answer = move |engine: &Engine, sender: &_| decoded.answer(engine, caller, sender);
        let listed = self.runner.stream(RequestClass::Stream, caller, answer);
        Ok(Response::new(listed.await?))
    }

    async fn describe_file(
        &self,
        request: Request<v1::DescribeFileRequest>,
    ) -> Result<Response<v1::DescribeFileReply>, Status> {
        let caller = self.runner.caller(&request);
        let v1::DescribeFileRequest { path, strict } = request.into_inner();
        let path = request_params::parse_path(path)?;
        let described = self
            .runner
            .unary(RequestClass::Query, caller, move |engine, _| {
                let (file, completeness) = answering::file(engine, &path, strict)?;
                Ok(v1::DescribeFileReply {
                    file: Some(encode::file(&file)),
                    completeness: Some(completeness.into()),
                })
            });
        described.await
    }

    async fn list_roots(
        &self,
        request: Request<v1::ListRootsRequest>,
    ) -> Result<Response<v1::ListRootsReply>, Status> {
        let caller = self.runner.caller(&request);
        let reply = self
            .runner
            .unary(RequestClass::Status, caller, |engine, _| {
                let roots = roots(engine);
                Ok(v1::ListRootsReply { roots })
            });
        reply.await
    }

    async fn confirm_loss(
        &self,
        request: Request<v1::ConfirmLossRequest>,
    ) -> Result<Response<v1::ConfirmLossReply>, Status> {
        self.runner.check_may_confirm(&request)?;
        let caller = self.runner.long_caller(&request);
        let v1::ConfirmLossRequest { root, token } = request.into_inner();
        let root = root_at(&*self.runner.engine()?, root)?;
        let shown = shown_loss(&root, &token)?;
        let confirmed = self
            .runner
            .unary(RequestClass::Work, caller, move |engine, cancel| {
                let removed = engine.confirm_loss(&root, shown, cancel)?;
                Ok(v1::ConfirmLossReply { removed })
            });
        confirmed.await
    }

    async fn rescan(
        &self,
        request: Request<v1::RescanRequest>,
    ) -> Result<Response<v1::RescanReply>, Status> {
        let engine = self.runner.engine()?;
        let paths = request.into_inner().roots;
        request_params::check_root_count(paths.len())?;
        let named = paths.into_iter().map(|path| root_at(&engine, path));
        let mut roots: Vec<Arc<Root>> = named.collect::<Result<_, _>>()?;
        if roots.is_empty() {
            roots.extend(engine.roots.iter().cloned());
        }
        // Each root has a thread that walks it, so that a share that hangs holds no request slot.
        let want = |root: &Arc<Root>| root.request_walk(RootUrgency::Requested);
        roots.iter().for_each(want);
        Ok(Response::new(v1::RescanReply {
            roots: roots.len() as u32,
        }))
    }

    async fn sync(
        &self,
        request: Request<v1::SyncRequest>,
    ) -> Result<Response<v1::SyncReply>, Status> {
        let started = Instant::now();
        let caller = self.runner.long_caller(&request);
        let synced = self
            .runner
            .unary(RequestClass::Work, caller, move |engine, cancel| {
                engine.sync(cancel)?;
                let view = engine.roots.view();
                let counts = engine.index.reader().file_totals().count(&view, cancel)?;
                Ok(v1::SyncReply {
                    seconds: started.elapsed().as_secs_f64(),
                    files: counts.files_on_disk,
                    unreadable: engine.unreadable_paths(&view),
                    unsteady: engine.unsteady(&view, &counts),
                    crowded: engine.index.unsettled().crowded,
                })
            });
        synced.await
    }

    async fn wait(
        &self,
        request: Request<v1::WaitRequest>,
    ) -> Result<Response<v1::WaitReply>, Status> {
        let caller = self.runner.long_caller(&request);
        let waited = self
            .runner
            .unary(RequestClass::Work, caller, |engine, cancel| {
                engine.wait_until_settled(cancel)?;
                let completeness = Some(engine.completeness(&engine.roots.view()).into());
                Ok(v1::WaitReply { completeness })
            });
        waited.await
    }

    async fn stream_report(
        &self,
        request: Request<Streaming<v1::StreamReportRequest>>,
    ) -> Result<Response<Self::StreamReportStream>, Status> {
        use v1::stream_report_reply::Part;
        let mut messages = ReportMessages::of(&self.runner, request);
        let caller = messages.caller;
        let v1::StreamReportRequest {
            threshold,
            strict,
            options,
            piece: _,
        } = messages.first().await?;
        let (mut decoded, sent) =
            report_request::parse(self.runner.engine()?.as_ref(), threshold, strict, options)?;
        decoded.sent_files = messages.sent_files(sent).await?;
        let sent = self
            .runner
            .stream(RequestClass::Stream, caller, move |engine, sender| {
                let account = sender.account(&caller, engine.index.reader());
                let summary = maker::download(engine, &ReplySink(sender), decoded, &account)?;
                let part = Some(Part::Summary(encode::summary(&summary)));
                sender.send(v1::StreamReportReply { part })
            });
        Ok(Response::new(sent.await?))
    }

    async fn run_report(
        &self,
        request: Request<Streaming<v1::RunReportRequest>>,
    ) -> Result<Response<v1::RunReportReply>, Status> {
        let mut messages = ReportMessages::of(&self.runner, request);
        let caller = messages.caller;
        let first = messages.first().await?;
        // The engine is not held while files are received or the request waits for a slot.
        let (mut decoded, sent) =
            KeepReportRequest::parse(&*self.runner.engine()?, &self.kept, first)?;
        decoded.report.sent_files = messages.sent_files(sent).await?;
        let work = move |engine: &Engine, cancel: &Cancel| decoded.answer(engine, caller, cancel);
        self.runner.unary(RequestClass::Work, caller, work).await
    }

    async fn list_reports(
        &self,
        request: Request<v1::ListReportsRequest>,
    ) -> Result<Response<v1::ListReportsReply>, Status> {
        let caller = self.runner.caller(&request);
        let longest = self.runner.longest_message();
        let decoded = KeptReportsRequest::parse(request.get_ref(), longest)?;
        let work = move |engine: &Engine, _: &Cancel| Ok(decoded.answer(engine.index.registry())?);
        self.runner.unary(RequestClass::Query, caller, work).await
    }
}

pub(super) fn root_at(engine: &Engine, path: Vec<u8>) -> Result<Arc<Root>, Status> {
    let path = request_params::parse_path(path)?;
    let root = engine.roots.iter().find(|root| root.path == path);
    root.cloned().ok_or_else(|| {
        let path = echo(path.as_os_str().as_bytes());
        Status::not_found(format!("{path} is not a watched root"))
    })
}

/// What the client was shown of a root. A client that does not say so confirms nothing: the loss held now
/// may be another than the one it saw.
fn shown_loss(root: &Root, token: &str) -> Result<LossToken, Status> {
    if root.status().loss_token().is_none() {
        return Err(Refused::from(EngineError::NothingHeld(root.path.clone())).into());
    }
    token.parse().map_err(|_| {
        Status::invalid_argument(
            "the request does not say which loss it confirms: `token` must be that of ListRoots \
             (`simctl roots`)",
        )
    })
}
