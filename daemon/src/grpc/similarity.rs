//! The service `simdex.v1.Similarity`.

use std::sync::Arc;
use std::time::Instant;

use simdex_index::Cancel;
use simdex_proto::v1;
use simdex_proto::v1::similarity_server::Similarity;
use simdex_signature::Ratio;
use tokio::sync::broadcast::error::RecvError;
use tokio_stream::StreamExt;
use tonic::{Request, Response, Status, Streaming};

use super::question::{self, Source};
use super::runner::{Caller, RequestClass, RequestRunner};
use super::status::Refused;
use super::traffic::Received;
use super::upload::{self, Receiving, Uploaded};
use super::{Replies, convert, lookup};
use crate::compare::{Comparing, compare};
use crate::disk::DiskGuard;
use crate::engine::{Basis, Engine};
use crate::lists::{self, ListRequest};
use crate::query::{FindKind, find};
use crate::visit::FirstError;

/// Events on their way to a client that is behind.
const EVENTS_AHEAD: usize = 4;

/// Answers questions about documents.
pub struct SimilarityService {
    runner: Arc<RequestRunner>,
}

impl SimilarityService {
    /// A service at this runner.
    pub fn new(runner: Arc<RequestRunner>) -> Self {
        Self { runner }
    }

    async fn find(
        &self,
        kind: FindKind,
        request: Request<Streaming<v1::FindRequest>>,
    ) -> Result<Response<Replies<v1::FindReply>>, Status> {
        let started = Instant::now();
        let caller = self.runner.caller(&request);
        let received = request.extensions().get::<Received>().cloned();
        let mut parts = request.into_inner();
        let query = upload::first(&mut parts, caller.deadline).await?;
        let strict = query.strict;
        let params = question::query_params(&*self.runner.engine()?, kind, &query)?;
        let source = self.source(query, &mut parts, caller, received).await?;
        let work = move |engine: &Engine, cancel: &Cancel| {
            let basis = Basis::of(engine, &params.view, strict)?;
            let account = caller.account(&engine.index, cancel);
            let subject = source.subject(engine, caller.share(), &account)?;
            let answer = find(&engine.index, &subject, &params, cancel)?;
            let seconds = started.elapsed().as_secs_f64();
            Ok(convert::answer(answer, basis.close()?, seconds).collect())
        };
        self.runner
            .buffered_stream(RequestClass::Query, caller, work)
            .await
    }

    /// What a query is about; an upload is taken in whole.
    async fn source(
        &self,
        query: v1::Query,
        parts: &mut Streaming<v1::FindRequest>,
        caller: Caller,
        received: Option<Received>,
    ) -> Result<Source, Status> {
        use v1::query::Source as Wire;
        let engine = self.runner.engine()?;
        let known = match query.source {
            Some(Wire::Path(path)) => Source::Path(question::path(path)?),
            Some(Wire::Document(hash)) => Source::Document(question::document(&hash)?),
            Some(Wire::Text(text)) => Source::Text(text),
            Some(Wire::Signature(signature)) => {
                Source::Signature(question::signature(&engine.index, signature)?)
            }
            Some(Wire::Upload(upload)) => {
                let receiving = Receiving {
                    name: question::name(upload.path)?,
                    dir: engine.data_dir.clone(),
                    disk: self.runner.disk(),
                    longest: engine.config.grpc.max_upload_mib.bytes(),
                    received,
                };
                // A slow upload must not keep the engine from being reopened.
                drop(engine);
                let _slot = self.runner.enter(RequestClass::Upload, caller).await?;
                let sent = upload::receive(parts, receiving, caller.deadline).await?;
                return Ok(Source::Upload(sent));
            }
            None => return Err(Status::invalid_argument("the query names no document")),
        };
        upload::end(parts, caller.deadline).await?;
        Ok(known)
    }
}

#[tonic::async_trait]
impl Similarity for SimilarityService {
    type FindSimilarStream = Replies<v1::FindReply>;
    type FindContainingStream = Replies<v1::FindReply>;
    type FindContainedStream = Replies<v1::FindReply>;
    type FindVersionsStream = Replies<v1::FindReply>;
    type ListPairsStream = Replies<v1::ListPairsReply>;
    type ListGroupsStream = Replies<v1::ListGroupsReply>;
    type WatchEventsStream = Replies<v1::Event>;

    async fn find_similar(
        &self,
        request: Request<Streaming<v1::FindRequest>>,
    ) -> Result<Response<Self::FindSimilarStream>, Status> {
        self.find(FindKind::Similar, request).await
    }

    async fn find_containing(
        &self,
        request: Request<Streaming<v1::FindRequest>>,
    ) -> Result<Response<Self::FindContainingStream>, Status> {
        self.find(FindKind::Containing, request).await
    }

    async fn find_contained(
        &self,
        request: Request<Streaming<v1::FindRequest>>,
    ) -> Result<Response<Self::FindContainedStream>, Status> {
        self.find(FindKind::Contained, request).await
    }

    async fn find_versions(
        &self,
        request: Request<Streaming<v1::FindRequest>>,
    ) -> Result<Response<Self::FindVersionsStream>, Status> {
        self.find(FindKind::Versions, request).await
    }

    async fn compare(
        &self,
        request: Request<v1::CompareRequest>,
    ) -> Result<Response<v1::CompareReply>, Status> {
        let caller = self.runner.caller(&request);
        let request = request.into_inner();
        let with_difference = !request.without_difference;
        let sides = request.a.zip(request.b);
        let (a, b) = sides.ok_or_else(|| Status::invalid_argument("a side is missing"))?;
        let (disk, longest) = (self.runner.disk(), self.runner.longest_message());
        let work = move |engine: &Engine, cancel: &Cancel| {
            let basis = Basis::of(engine, &engine.roots.view(), false)?;
            let (a, b) = (side(engine, &disk, a)?, side(engine, &disk, b)?);
            let names = (a.name("a"), b.name("b"));
            let account = caller.account(&engine.index, cancel);
            let asker = caller.share();
            let (a, b) = (
                a.compared(engine, asker, &account)?,
                b.compared(engine, asker, &account)?,
            );
            let asked = Comparing {
                names: (&names.0, &names.1),
                threshold: engine.config.signature.threshold,
                longest: with_difference.then_some(longest),
                account: &account,
            };
            let found = compare(&engine.index, &a, &b, &asked)?;
            Ok(convert::comparison(found, basis.close()?))
        };
        self.runner.unary(RequestClass::Query, caller, work).await
    }

    async fn list_pairs(
        &self,
        request: Request<v1::ListPairsRequest>,
    ) -> Result<Response<Self::ListPairsStream>, Status> {
        use v1::list_pairs_reply::Part;
        let caller = self.runner.caller(&request);
        let v1::ListPairsRequest {
            threshold,
            roots,
            strict,
        } = request.into_inner();
        let asked = list_request(&*self.runner.engine()?, threshold, &roots, strict)?;
        let listed = self
            .runner
            .stream(RequestClass::Stream, caller, move |engine, sender| {
                let send = |part| sender.send(v1::ListPairsReply { part: Some(part) });
                let mut refused = FirstError::default();
                let summary = lists::pairs(engine, &asked, sender.cancel(), &mut |pair| {
                    refused.flow(send(Part::Pair(convert::pair(pair))))
                });
                refused.into_result()?;
                send(Part::Summary(convert::summary(summary?)))
            });
        Ok(Response::new(listed.await?))
    }

    async fn list_groups(
        &self,
        request: Request<v1::ListGroupsRequest>,
    ) -> Result<Response<Self::ListGroupsStream>, Status> {
        use v1::list_groups_reply::Part;
        let caller = self.runner.caller(&request);
        let v1::ListGroupsRequest {
            threshold,
            roots,
            strict,
        } = request.into_inner();
        let asked = list_request(&*self.runner.engine()?, threshold, &roots, strict)?;
        let listed = self
            .runner
            .stream(RequestClass::Stream, caller, move |engine, sender| {
                let send = |part| sender.send(v1::ListGroupsReply { part: Some(part) });
                let mut refused = FirstError::default();
                let summary = lists::groups(engine, &asked, sender.cancel(), &mut |group| {
                    refused.flow(send(Part::Group(convert::group(group))))
                });
                refused.into_result()?;
                send(Part::Summary(convert::summary(summary?)))
            });
        Ok(Response::new(listed.await?))
    }

    async fn get_group(
        &self,
        request: Request<v1::GetGroupRequest>,
    ) -> Result<Response<v1::GetGroupReply>, Status> {
        let caller = self.runner.caller(&request);
        let v1::GetGroupRequest { source, strict } = request.into_inner();
        let source = source
            .ok_or_else(|| Status::invalid_argument("the request names neither file nor group"))?;
        let work = move |engine: &Engine, _: &Cancel| lookup::group(engine, source, strict);
        self.runner.unary(RequestClass::Query, caller, work).await
    }

    async fn get_document(
        &self,
        request: Request<v1::GetDocumentRequest>,
    ) -> Result<Response<v1::GetDocumentReply>, Status> {
        let caller = self.runner.caller(&request);
        let request = request.into_inner();
        let longest = self.runner.longest_message();
        let work = move |engine: &Engine, cancel: &Cancel| {
            let account = caller.account(&engine.index, cancel);
            lookup::document(engine, request, longest, &account)
        };
        self.runner.unary(RequestClass::Query, caller, work).await
    }

    async fn watch_events(
        &self,
        request: Request<v1::WatchEventsRequest>,
    ) -> Result<Response<Self::WatchEventsStream>, Status> {
        let caller = self.runner.caller(&request);
        let engine = self.runner.engine()?;
        let view = question::view(&engine, &request.into_inner().roots)?;
        let slot = self.runner.enter(RequestClass::Events, caller).await?;
        let mut told = engine.events.watch();
        let draining = self.runner.draining();
        let (sender, replies) = tokio::sync::mpsc::channel(EVENTS_AHEAD);
        tokio::spawn(async move {
            let _slot = slot;
            let relay = async {
                loop {
                    let reply = match told.recv().await {
                        Ok(event) if !view.shows(event.root) => continue,
                        Ok(event) => Ok(convert::event(&event)),
                        Err(RecvError::Lagged(lost)) => Err(behind(lost)),
                        Err(RecvError::Closed) => return,
                    };
                    let over = reply.is_err();
                    if sender.send(reply).await.is_err() || over {
                        return;
                    }
                }
            };
            tokio::select! {
                () = relay => {}
                () = draining => {}
                () = sender.closed() => {}
            }
        });
        let replies = tokio_stream::wrappers::ReceiverStream::new(replies);
        Ok(Response::new(Box::pin(replies.map(|reply| reply))))
    }
}

fn behind(lost: u64) -> Status {
    Status::aborted(format!(
        "{lost} events were left out because they were not read in time"
    ))
}

fn threshold_of(engine: &Engine, asked: Option<f64>) -> Result<Ratio, Status> {
    let value = question::ratio(asked, engine.index.parameters().threshold, "threshold")?;
    Ratio::new(value).ok_or_else(|| Status::invalid_argument("threshold is not a ratio"))
}

fn list_request(
    engine: &Engine,
    threshold: Option<f64>,
    roots: &[u32],
    strict: bool,
) -> Result<ListRequest, Status> {
    Ok(ListRequest {
        view: question::view(engine, roots)?,
        threshold: threshold_of(engine, threshold)?,
        strict,
    })
}

fn side(engine: &Engine, disk: &DiskGuard, side: v1::Side) -> Result<Source, Refused> {
    use v1::side::Source as Wire;
    Ok(match side.source {
        Some(Wire::Path(path)) => Source::Path(question::path(path)?),
        Some(Wire::Document(hash)) => Source::Document(question::document(&hash)?),
        Some(Wire::Text(text)) => Source::Text(text),
        Some(Wire::Content(bytes)) => {
            let name = question::name(side.name)?;
            Source::Upload(Uploaded::whole(&engine.data_dir, disk, &bytes, name)?)
        }
        None => return Err(Status::invalid_argument("a side names no document").into()),
    })
}
