//! The service `simdex.v1.Similarity`.

use std::sync::Arc;
use std::time::Instant;

use simdex_index::{Cancel, VisibleRoots};
use simdex_proto::v1::similarity_server::Similarity;
use simdex_proto::{defaults, v1};
use simdex_signature::Ratio;
use tonic::{Request, Response, Status, Streaming};

use super::caller::Caller;
use super::comparison::DecodedComparison;
use super::family::DecodedFamily;
use super::find::DecodedQuery;
use super::folders::DecodedFolders;
use super::groups::DecodedGroups;
use super::pairs::DecodedPairs;
use super::request_params;
use super::runner::{RequestClass, RequestRunner};
use super::status::Refused;
use super::templates::DecodedTemplates;
use super::traffic::RequestBytes;
use super::{Replies, event_stream, lookup, query_stream, sampling, subject_source};
use crate::encode;
use crate::engine::Engine;
use crate::read_side::answering::{self, SubjectSource};
use crate::read_side::calibrating::{CalibrationRequest, MIN_THRESHOLD, calibrate};
use crate::read_side::query::FindKind;

/// The service that answers queries, comparisons and lists.
pub struct SimilarityService {
    runner: Arc<RequestRunner>,
}

impl SimilarityService {
    /// A service on this runner.
    pub fn new(runner: Arc<RequestRunner>) -> Self {
        Self { runner }
    }

    /// Receives a query whole; its parameters are decoded before its document is received.
    async fn receive<P>(
        &self,
        request: Request<Streaming<v1::FindRequest>>,
        parse: impl FnOnce(&Engine, &v1::Query) -> Result<P, Status>,
    ) -> Result<Received<P>, Status> {
        let started = Instant::now();
        let caller = self.runner.caller(&request);
        let memory_meter = request.extensions().get::<RequestBytes>().cloned();
        let mut parts = request.into_inner();
        let query = query_stream::receive_query(&mut parts, caller.deadline).await?;
        let decoded = parse(&*self.runner.engine()?, &query)?;
        let source =
            subject_source::receive(&self.runner, query, &mut parts, caller, memory_meter).await?;
        Ok(Received {
            decoded,
            source,
            caller,
            started,
        })
    }

    async fn find(
        &self,
        kind: FindKind,
        request: Request<Streaming<v1::FindRequest>>,
    ) -> Result<Response<Replies<v1::FindReply>>, Status> {
        let parse = |engine: &Engine, query: &_| DecodedQuery::parse(engine, kind, query);
        let Received {
            decoded,
            source,
            caller,
            started,
        } = self.receive(request, parse).await?;
        let work = move |engine: &Engine, cancel: &Cancel| {
            decoded.answer(engine, source, caller, started, cancel)
        };
        self.runner
            .buffered_stream(RequestClass::Query, caller, work)
            .await
    }
}

/// A query that was received whole.
struct Received<P> {
    /// The parameters that it states.
    decoded: P,
    source: SubjectSource,
    caller: Caller,
    /// When the request arrived.
    started: Instant,
}

#[tonic::async_trait]
impl Similarity for SimilarityService {
    type FindSimilarStream = Replies<v1::FindReply>;
    type FindContainingStream = Replies<v1::FindReply>;
    type FindContainedStream = Replies<v1::FindReply>;
    type FindVersionsStream = Replies<v1::FindReply>;
    type FindFamilyStream = Replies<v1::FamilyReply>;
    type ListPairsStream = Replies<v1::ListPairsReply>;
    type ListGroupsStream = Replies<v1::ListGroupsReply>;
    type ListTemplatesStream = Replies<v1::ListTemplatesReply>;
    type ListFolderCopiesStream = Replies<v1::ListFolderCopiesReply>;
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
        self.find(FindKind::Related, request).await
    }

    async fn find_family(
        &self,
        request: Request<Streaming<v1::FindRequest>>,
    ) -> Result<Response<Self::FindFamilyStream>, Status> {
        let Received {
            decoded,
            source,
            caller,
            started,
        } = self.receive(request, DecodedFamily::parse).await?;
        let listed = self
            .runner
            .stream(RequestClass::Stream, caller, move |engine, sender| {
                decoded.answer(engine, source, caller, started, sender)
            });
        Ok(Response::new(listed.await?))
    }

    async fn compare(
        &self,
        request: Request<v1::CompareRequest>,
    ) -> Result<Response<v1::CompareReply>, Status> {
        let caller = self.runner.caller(&request);
        let decoded = DecodedComparison::parse(&self.runner, caller, request.into_inner())?;
        let work = move |engine: &Engine, cancel: &Cancel| decoded.answer(engine, caller, cancel);
        self.runner.unary(RequestClass::Query, caller, work).await
    }

    async fn list_pairs(
        &self,
        request: Request<v1::ListPairsRequest>,
    ) -> Result<Response<Self::ListPairsStream>, Status> {
        let caller = self.runner.long_caller(&request);
        let decoded = DecodedPairs::parse(&*self.runner.engine()?, request.into_inner())?;
        let answer = move |engine: &Engine, sender: &_| decoded.answer(engine, caller, sender);
        let listed = self.runner.stream(RequestClass::Stream, caller, answer);
        Ok(Response::new(listed.await?))
    }

    async fn list_groups(
        &self,
        request: Request<v1::ListGroupsRequest>,
    ) -> Result<Response<Self::ListGroupsStream>, Status> {
        let decoded = DecodedGroups::parse(&*self.runner.engine()?, request.get_ref())?;
        let caller = self.runner.long_caller(&request);
        let class = match decoded.is_computed_whole() {
            true => RequestClass::Work,
            false => RequestClass::Stream,
        };
        let listed = self.runner.stream(class, caller, move |engine, sender| {
            decoded.answer(engine, caller, sender)
        });
        Ok(Response::new(listed.await?))
    }

    async fn list_templates(
        &self,
        request: Request<v1::ListTemplatesRequest>,
    ) -> Result<Response<Self::ListTemplatesStream>, Status> {
        let caller = self.runner.long_caller(&request);
        let decoded = DecodedTemplates::parse(&*self.runner.engine()?, request.get_ref())?;
        let answer = move |engine: &Engine, sender: &_| decoded.answer(engine, caller, sender);
        let listed = self.runner.stream(RequestClass::Work, caller, answer);
        Ok(Response::new(listed.await?))
    }

    async fn list_folder_copies(
        &self,
        request: Request<v1::ListFolderCopiesRequest>,
    ) -> Result<Response<Self::ListFolderCopiesStream>, Status> {
        let caller = self.runner.long_caller(&request);
        let decoded = DecodedFolders::parse(&*self.runner.engine()?, request.get_ref())?;
        let answer = move |engine: &Engine, sender: &_| decoded.answer(engine, caller, sender);
        let listed = self.runner.stream(RequestClass::Work, caller, answer);
        Ok(Response::new(listed.await?))
    }

    async fn get_group(
        &self,
        request: Request<v1::GetGroupRequest>,
    ) -> Result<Response<v1::GetGroupReply>, Status> {
        let caller = self.runner.caller(&request);
        let decoded = lookup::parse_group(request.into_inner())?;
        let work = move |engine: &Engine, cancel: &Cancel| {
            let account = caller.account(engine.index.reader(), cancel);
            let found = answering::group(engine, decoded, &account)?;
            Ok(encode::group_reply(found))
        };
        self.runner.unary(RequestClass::Query, caller, work).await
    }

    async fn get_document(
        &self,
        request: Request<v1::GetDocumentRequest>,
    ) -> Result<Response<v1::GetDocumentReply>, Status> {
        let caller = self.runner.caller(&request);
        let decoded = lookup::parse_document(request.into_inner())?;
        let longest = self.runner.longest_message();
        let work = move |engine: &Engine, cancel: &Cancel| {
            let account = caller.account(engine.index.reader(), cancel);
            lookup::document(engine, decoded, longest, &account)
        };
        self.runner.unary(RequestClass::Query, caller, work).await
    }

    async fn calibrate(
        &self,
        request: Request<v1::CalibrateRequest>,
    ) -> Result<Response<v1::CalibrateReply>, Status> {
        let caller = self.runner.long_caller(&request);
        let decoded = calibration_request(&*self.runner.engine()?, &request.into_inner())?;
        let work = move |engine: &Engine, cancel: &Cancel| {
            let account = caller.account(engine.index.reader(), cancel);
            Ok(encode::calibration(calibrate(engine, &decoded, &account)?))
        };
        self.runner.unary(RequestClass::Work, caller, work).await
    }

    async fn get_sampling(
        &self,
        request: Request<v1::GetSamplingRequest>,
    ) -> Result<Response<v1::SamplingReply>, Status> {
        let caller = self.runner.caller(&request);
        let reply = |engine: &Engine, _: &Cancel| Ok(sampling::reply(engine));
        self.runner.unary(RequestClass::Status, caller, reply).await
    }

    async fn set_sampling(
        &self,
        request: Request<v1::SetSamplingRequest>,
    ) -> Result<Response<v1::SamplingReply>, Status> {
        sampling::check_may_choose(&request)?;
        let caller = self.runner.long_caller(&request);
        let chosen = sampling::parse(request.into_inner())?;
        let work = move |engine: &Engine, _: &Cancel| {
            engine.set_sampling(chosen)?;
            Ok(sampling::reply(engine))
        };
        self.runner.unary(RequestClass::Work, caller, work).await
    }

    async fn watch_events(
        &self,
        request: Request<v1::WatchEventsRequest>,
    ) -> Result<Response<Self::WatchEventsStream>, Status> {
        let caller = self.runner.caller(&request);
        let engine = self.runner.engine()?;
        let v1::WatchEventsRequest { roots, after } = request.into_inner();
        let view = match roots.is_empty() {
            true => VisibleRoots::All,
            false => request_params::parse_roots(&engine, &roots)?,
        };
        let slot = self.runner.enter(RequestClass::Events, caller).await?;
        let events = engine.events.watch(after).map_err(Refused::from)?;
        let replies = event_stream::relay(events, view, slot, self.runner.draining());
        Ok(Response::new(replies))
    }
}

fn calibration_request(
    engine: &Engine,
    request: &v1::CalibrateRequest,
) -> Result<CalibrationRequest, Status> {
    let precision = request.precision;
    let precision = request_params::parse_ratio(precision, defaults::PRECISION, "precision")?;
    if precision == Ratio::ZERO || precision == Ratio::ONE {
        return Err(Status::invalid_argument(format!(
            "precision is {}, which no measurement can show to be reached or missed; give a number above 0 and below 1",
            precision.get()
        )));
    }
    let threshold = request_params::parse_threshold(engine, request.threshold)?;
    if threshold < MIN_THRESHOLD {
        return Err(Status::invalid_argument(format!(
            "threshold is {}; pairs are measured from a resemblance of {} on",
            threshold.get(),
            MIN_THRESHOLD.get()
        )));
    }
    Ok(CalibrationRequest {
        precision,
        threshold,
        view: request_params::parse_roots(engine, &request.roots)?,
        strict: request.strict,
    })
}
