//! The service `simdex.v1.Admin`.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use prost::Message;
use simdex_index::{Cancel, FileView, IndexError, MemoryAccount, Registry};
use simdex_proto::v1;
use simdex_proto::v1::admin_server::Admin;
use simdex_schema::State;
use tonic::{Request, Response, Status};

use super::daemon_status::{roots, status, without_index};
use super::reply_channel::ReplySender;
use super::report_sink::ReplySink;
use super::runner::{RequestClass, RequestRunner};
use super::status::Refused;
use super::{Replies, ReportKeeping, report_request, request_params, subject_source};
use crate::base::echo::echo;
use crate::base::visit::FirstError;
use crate::encode;
use crate::engine::{CompletenessCheck, Engine};
use crate::error::EngineError;
use crate::read_side::catalogue;
use crate::read_side::lists;
use crate::reports::reporting::{self, KeptPlace};
use crate::write_side::roots::{LossToken, Root};
use crate::write_side::walk_queue::RootWish;

/// The service that tells of the daemon: status, files, roots, barriers, reports.
pub struct AdminService {
    runner: Arc<RequestRunner>,
    kept: ReportKeeping,
}

impl AdminService {
    /// A service at this runner, which keeps reports where it has a directory for them.
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
        let asked = self.runner.unary(RequestClass::Status, caller, work).await;
        match (asked, self.runner.alarm()) {
            // Without an index it can still be told why there is none.
            (Err(_), Some(alarm)) if !alarm.is_answering() => Ok(Response::new(v1::StatusReply {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                format: simdex_schema::FORMAT_VERSION,
                alarm: Some(encode::alarm(&alarm)),
                completeness: Some(without_index(&alarm).into()),
                ..v1::StatusReply::default()
            })),
            (asked, _) => asked.map(|mut reply| {
                reply.get_mut().schedules = self.kept.schedules();
                reply
            }),
        }
    }

    async fn list_files(
        &self,
        request: Request<v1::ListFilesRequest>,
    ) -> Result<Response<Self::ListFilesStream>, Status> {
        let caller = self.runner.caller(&request);
        let v1::ListFilesRequest {
            states,
            roots,
            after,
        } = request.into_inner();
        let after = after.map(request_params::parse_path).transpose()?;
        let view = request_params::parse_roots(&*self.runner.engine()?, &roots)?;
        if states.len() > 2 * State::ALL.len() {
            return Err(request_params::too_many(states.len(), "states"));
        }
        let states = states
            .iter()
            .map(|name| state(name))
            .collect::<Result<Vec<_>, _>>()?;
        let listed = self
            .runner
            .stream(RequestClass::Stream, caller, move |engine, sender| {
                files(
                    engine,
                    (&view, after.as_deref()),
                    &|file| states.is_empty() || states.contains(&file.state),
                    &sender.account(&caller, engine.index.reader()),
                    sender,
                )
            });
        Ok(Response::new(listed.await?))
    }

    async fn describe_file(
        &self,
        request: Request<v1::DescribeFileRequest>,
    ) -> Result<Response<v1::DescribeFileReply>, Status> {
        let caller = self.runner.caller(&request);
        let path = request_params::parse_path(request.into_inner().path)?;
        let described = self
            .runner
            .unary(RequestClass::Query, caller, move |engine, _| {
                let check = CompletenessCheck::begin(engine, &engine.roots.view(), false)?;
                let file = subject_source::file_at(engine, &path)?;
                Ok(v1::DescribeFileReply {
                    file: Some(encode::file(&file)),
                    completeness: Some(check.verdict()?.into()),
                })
            });
        described.await
    }

    async fn list_roots(
        &self,
        request: Request<v1::ListRootsRequest>,
    ) -> Result<Response<v1::ListRootsReply>, Status> {
        let caller = self.runner.caller(&request);
        let asked = self
            .runner
            .unary(RequestClass::Status, caller, |engine, _| {
                let roots = roots(engine);
                Ok(v1::ListRootsReply { roots })
            });
        asked.await
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
        // Each root has a thread that walks it: nobody's slot is held by a share that hangs.
        let want = |root: &Arc<Root>| engine.want_rescan(root, RootWish::Asked);
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
                let counts =
                    catalogue::counts(engine.index.reader(), &engine.roots.view(), cancel)?;
                Ok(v1::SyncReply {
                    seconds: started.elapsed().as_secs_f64(),
                    files: counts.files_on_disk,
                    unreadable: engine.unreadable_paths(&engine.roots.view()),
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
        request: Request<v1::StreamReportRequest>,
    ) -> Result<Response<Self::StreamReportStream>, Status> {
        use v1::stream_report_reply::Part;
        let caller = self.runner.long_caller(&request);
        let v1::StreamReportRequest {
            threshold,
            strict,
            options,
        } = request.into_inner();
        let asked =
            report_request::parse(self.runner.engine()?.as_ref(), threshold, strict, options)?;
        let sent = self
            .runner
            .stream(RequestClass::Stream, caller, move |engine, sender| {
                let account = sender.account(&caller, engine.index.reader());
                let summary = reporting::download(engine, &ReplySink(sender), asked, &account)?;
                let part = Some(Part::Summary(encode::summary(&summary)));
                sender.send(v1::StreamReportReply { part })
            });
        Ok(Response::new(sent.await?))
    }

    async fn run_report(
        &self,
        request: Request<v1::RunReportRequest>,
    ) -> Result<Response<v1::RunReportReply>, Status> {
        let caller = self.runner.long_caller(&request);
        let v1::RunReportRequest {
            name,
            threshold,
            strict,
            options,
            since,
        } = request.into_inner();
        let mut asked =
            report_request::parse(self.runner.engine()?.as_ref(), threshold, strict, options)?;
        self.kept.check_name(&name)?;
        let reports = self.kept.reports.clone().ok_or_else(|| {
            Status::failed_precondition("the daemon's config sets no directory for reports")
        })?;
        let kept = self
            .runner
            .unary(RequestClass::Work, caller, move |engine, cancel| {
                let name = OsStr::from_bytes(&name);
                let account = caller.account(engine.index.reader(), cancel);
                let place = KeptPlace {
                    reports: &reports,
                    name,
                    uid: Some(caller.uid()),
                };
                asked.since = reporting::earlier(engine, &reports, OsStr::from_bytes(&since))?;
                let kept = reporting::keep(engine, &place, asked, &account)?;
                Ok(v1::RunReportReply {
                    out: encode::path(&kept.path),
                    summary: Some(encode::summary(&kept.summary)),
                    manifest: kept.manifest,
                })
            });
        kept.await
    }

    async fn list_reports(
        &self,
        request: Request<v1::ListReportsRequest>,
    ) -> Result<Response<v1::ListReportsReply>, Status> {
        let caller = self.runner.caller(&request);
        let v1::ListReportsRequest { after, limit } = request.into_inner();
        let after = u64::try_from(after).map_err(|_| {
            Status::invalid_argument("`after` is a moment before 1970; no report is so old")
        })?;
        let most = match limit {
            0 => REPORTS_LISTED,
            limit => (limit as usize).min(REPORTS_LISTED),
        };
        let longest = self.runner.longest_message();
        let work = move |engine: &Engine, _: &Cancel| {
            Ok(reports(engine.index.registry(), after, most, longest)?)
        };
        let reports = self.runner.unary(RequestClass::Query, caller, work);
        reports.await
    }
}

/// Reports listed at once, at most.
const REPORTS_LISTED: usize = 1_000;

/// Reports that were finished after a moment: as many as are wanted and a message holds, one at least.
fn reports(
    registry: &Registry,
    after: u64,
    most: usize,
    longest: usize,
) -> Result<v1::ListReportsReply, IndexError> {
    let (mut reply, mut bytes) = (v1::ListReportsReply::default(), 0);
    registry.reports_after(after, &mut |at, record| {
        let report = encode::report(at, record);
        bytes += report.encoded_len() + FIELD_BYTES;
        let is_full = reply.reports.len() == most || bytes + FIELD_BYTES > longest;
        if is_full && !reply.reports.is_empty() {
            reply.more = true;
            return ControlFlow::Break(());
        }
        reply.reports.push(report);
        ControlFlow::Continue(())
    })?;
    Ok(reply)
}

/// What a field takes beside its value, at most.
const FIELD_BYTES: usize = 8;

fn state(name: &str) -> Result<State, Status> {
    let known = State::ALL.iter().find(|state| state.name() == name);
    known.copied().ok_or_else(|| {
        let name = echo(name.as_bytes());
        Status::invalid_argument(format!("{name} is not a state of a file"))
    })
}

pub(super) fn root_at(engine: &Engine, path: Vec<u8>) -> Result<Arc<Root>, Status> {
    let path = request_params::parse_path(path)?;
    let root = engine.roots.iter().find(|root| root.path == path);
    root.cloned().ok_or_else(|| {
        let path = echo(path.as_os_str().as_bytes());
        Status::not_found(format!("{path} is not a watched root"))
    })
}

/// What the client was shown of a root. One that does not say so confirms nothing: what stands there may be
/// another loss than it knows of.
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

/// Sends every file of the view, after one if it is named, that is `wanted`, then the counts of all files.
fn files(
    engine: &Engine,
    (view, after): (&simdex_index::View, Option<&Path>),
    wanted: &dyn Fn(&FileView) -> bool,
    account: &MemoryAccount,
    sender: &ReplySender<v1::ListFilesReply>,
) -> Result<(), Refused> {
    use v1::list_files_reply::Part;
    let send = |part| sender.send(v1::ListFilesReply { part: Some(part) });
    let mut refused = FirstError::default();
    let summary = lists::files(engine, view, after, account, &mut |file| {
        let sent = if wanted(file) {
            send(Part::File(encode::file(file)))
        } else {
            Ok(())
        };
        refused.flow(sent.and_then(|()| Ok(sender.cancel().check()?)))
    });
    refused.into_result()?;
    send(Part::Summary(encode::summary(&summary?)))
}
