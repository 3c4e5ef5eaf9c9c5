//! A daemon on a Unix socket that gives canned answers and remembers what it was asked.

mod judging;
mod uploads;

use std::os::unix::net::UnixListener as StdListener;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

use simdex_client::wire::admin_server::{Admin, AdminServer};
use simdex_client::wire::judging_server::JudgingServer;
use simdex_client::wire::similarity_server::{Similarity, SimilarityServer};
use simdex_client::wire::{self, find_reply, find_request, query::Source};
use simdex_client::wire::{family_reply, list_files_reply, list_groups_reply, list_pairs_reply};
use tokio::net::UnixListener;
use tokio::sync::oneshot;
use tokio_stream::wrappers::UnixListenerStream;
use tokio_stream::{Stream, StreamExt, iter};
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming, async_trait};

use crate::answers;
pub(crate) use crate::seen::{End, Received, Seen};

#[derive(Clone, Default)]
struct Fake(Arc<Mutex<Seen>>);

/// The fake daemon at work, until dropped.
pub(crate) struct Daemon {
    pub(crate) dir: tempfile::TempDir,
    fake: Fake,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Daemon {
    pub(crate) fn start() -> Self {
        let dir = tempfile::tempdir().expect("temporary directory");
        let fake = Fake::default();
        let listener = StdListener::bind(dir.path().join("simdexd.sock")).expect("socket");
        listener.set_nonblocking(true).expect("non-blocking socket");
        let (stop, stopped) = oneshot::channel();
        let service = fake.clone();
        let thread = std::thread::spawn(move || serve(service, listener, stopped));
        Self {
            dir,
            fake,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.dir.path().join("simdexd.sock")
    }

    /// A file of the caller's that the daemon does not know.
    pub(crate) fn local_file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.fake.seen()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the fake did not panic");
        }
    }
}

fn serve(fake: Fake, listener: StdListener, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    runtime.block_on(async {
        let listener = UnixListener::from_std(listener).expect("listener");
        let server = Server::builder()
            .add_service(SimilarityServer::new(fake.clone()))
            .add_service(JudgingServer::new(fake.clone()))
            .add_service(AdminServer::new(fake))
            .serve_with_incoming(UnixListenerStream::new(listener));
        tokio::select! {
            served = server => served.expect("served"),
            _ = stopped => {}
        }
    });
}

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;
type Answer<T> = Result<Response<T>, Status>;

fn streamed<T: Send + 'static>(replies: Vec<Result<T, Status>>) -> Answer<Replies<T>> {
    Ok(Response::new(Box::pin(iter(replies))))
}

fn found(
    matches: Vec<wire::Match>,
    query: Option<wire::QuerySummary>,
) -> Answer<Replies<wire::FindReply>> {
    let matches = matches.into_iter().map(find_reply::Part::Match);
    let parts = matches.chain(query.map(find_reply::Part::Summary));
    streamed(
        parts
            .map(|part| Ok(wire::FindReply { part: Some(part) }))
            .collect(),
    )
}

impl Fake {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0
            .lock()
            .expect("the lock's other holders did not panic")
    }

    async fn find(
        &self,
        request: Request<Streaming<wire::FindRequest>>,
    ) -> Answer<Replies<wire::FindReply>> {
        let mut requests = request.into_inner();
        let first = requests.message().await?.and_then(|request| request.part);
        let Some(find_request::Part::Query(query)) = first else {
            return Err(Status::invalid_argument("no query came first"));
        };
        self.seen().queries.push(query.clone());
        let found = |matches: Vec<wire::Match>, summary| {
            let judged = matches.into_iter().map(|found| match query.with_judgement {
                true => found,
                false => answers::unjudged(found),
            });
            found(judged.collect(), summary)
        };
        match query.source {
            Some(Source::Path(_)) if query.fold => {
                let mut under = answers::estimated_match();
                under.folded_under = answers::verified_match().path;
                let query = answers::query("indexed", "");
                found(vec![answers::verified_match(), under], Some(query))
            }
            Some(Source::Path(path)) => by_path(&path, found),
            Some(Source::Upload(_)) => {
                self.receive(requests).await?;
                found(
                    vec![answers::verified_match()],
                    Some(answers::query("indexed", "")),
                )
            }
            _ => Err(Status::unimplemented("the fake knows paths and uploads")),
        }
    }
}

fn by_path(
    path: &[u8],
    found: impl Fn(Vec<wire::Match>, Option<wire::QuerySummary>) -> Answer<Replies<wire::FindReply>>,
) -> Answer<Replies<wire::FindReply>> {
    let both = || vec![answers::verified_match(), answers::estimated_match()];
    match path {
        b"/share/a.txt" => found(both(), Some(answers::query("indexed", ""))),
        b"/share/unlike.txt" => found(vec![], Some(answers::query("indexed", ""))),
        b"/share/early.txt" => {
            let mut query = answers::query("indexed", "");
            query.completeness = Some(answers::half_built());
            found(vec![], Some(query))
        }
        b"/share/scan.pdf" => found(vec![], Some(answers::query("no-text", "image-only"))),
        b"/share/broken-off.txt" => found(both(), None),
        // A refusal that comes after the headers, as from a server that streams at once.
        _ => streamed(vec![Err(Status::not_found("no such file is known"))]),
    }
}

#[async_trait]
impl Similarity for Fake {
    type FindSimilarStream = Replies<wire::FindReply>;
    type FindContainingStream = Replies<wire::FindReply>;
    type FindContainedStream = Replies<wire::FindReply>;
    type FindVersionsStream = Replies<wire::FindReply>;
    type FindFamilyStream = Replies<wire::FamilyReply>;
    type ListPairsStream = Replies<wire::ListPairsReply>;
    type ListGroupsStream = Replies<wire::ListGroupsReply>;
    type ListFolderCopiesStream = Replies<wire::ListFolderCopiesReply>;
    type ListTemplatesStream = Replies<wire::ListTemplatesReply>;
    type WatchEventsStream = Replies<wire::Event>;

    async fn find_similar(
        &self,
        request: Request<Streaming<wire::FindRequest>>,
    ) -> Answer<Replies<wire::FindReply>> {
        self.find(request).await
    }

    async fn find_containing(
        &self,
        request: Request<Streaming<wire::FindRequest>>,
    ) -> Answer<Replies<wire::FindReply>> {
        self.find(request).await
    }

    async fn find_contained(
        &self,
        request: Request<Streaming<wire::FindRequest>>,
    ) -> Answer<Replies<wire::FindReply>> {
        self.find(request).await
    }

    async fn find_versions(
        &self,
        request: Request<Streaming<wire::FindRequest>>,
    ) -> Answer<Replies<wire::FindReply>> {
        self.find(request).await
    }

    async fn find_family(
        &self,
        request: Request<Streaming<wire::FindRequest>>,
    ) -> Answer<Replies<wire::FamilyReply>> {
        let found = self.find(request).await?.into_inner();
        let mut versions = 0;
        let replies = found.map(move |reply| {
            let part = reply?.part.map(|part| match part {
                find_reply::Part::Match(found) => {
                    versions += 1;
                    family_reply::Part::File(wire::VersionFile {
                        r#match: Some(found),
                        version: versions,
                        ..wire::VersionFile::default()
                    })
                }
                find_reply::Part::Summary(query) => {
                    family_reply::Part::Summary(wire::FamilySummary {
                        query: Some(query),
                        versions,
                        edges: 0,
                        latest: None,
                        near_misses: Vec::new(),
                    })
                }
            });
            Ok(wire::FamilyReply { part })
        });
        Ok(Response::new(Box::pin(replies)))
    }

    async fn compare(&self, request: Request<wire::CompareRequest>) -> Answer<wire::CompareReply> {
        let request = request.into_inner();
        if answers::is_of_document(&request, 0xdd) {
            return Err(Status::not_found("no such document is known"));
        }
        let mut reply = answers::comparison(&request);
        if answers::is_of_document(&request, 0xee) {
            reply.diff = String::new();
            reply.difference_left_out = "it is too long".to_owned();
        }
        if request.without_difference {
            reply.diff = String::new();
            reply.difference_left_out = "it was not requested".to_owned();
        }
        let hangs = |side: &Option<wire::Side>| {
            let source = side.as_ref().and_then(|side| side.source.as_ref());
            matches!(source, Some(wire::side::Source::Path(path)) if path.starts_with(b"/share/hanging/"))
        };
        reply.last_read_b = hangs(&request.b).then(|| wire::LastRead {
            at: Some(1_700_000_000),
            why: wire::NotReadAgain::NotInTime.into(),
        });
        self.seen().compared = Some(request);
        Ok(Response::new(reply))
    }

    async fn list_pairs(
        &self,
        request: Request<wire::ListPairsRequest>,
    ) -> Answer<Replies<wire::ListPairsReply>> {
        use list_pairs_reply::Part;
        let request = request.into_inner();
        let (threshold, contained) = (request.threshold, request.containment_threshold);
        (self.seen().after, self.seen().contained) = (request.after, contained);
        if request.strict {
            return Err(Status::data_loss(
                "the index is not complete: 1 text damaged",
            ));
        }
        self.seen().listed.push((threshold, request.roots));
        let all = if threshold == Some(1.0) { 0 } else { 2 };
        let listed = all - usize::from(request.limit == 1).min(all);
        let judging = (request.with_judgement, request.judge_first);
        self.seen().judging = Some(judging);
        let pairs = answers::judged_pairs(judging).into_iter().take(listed);
        let mut parts: Vec<Part> = pairs.map(Part::Pair).collect();
        if request.with_progress {
            let told = [0, 7, 40].map(answers::list_progress).map(Part::Progress);
            parts = told.into_iter().chain(parts).collect();
        }
        parts.push(Part::Summary(wire::Summary {
            uncertain: contained.map(|_| 3),
            truncated: listed < all,
            ..answers::list_summary()
        }));
        let reply = |part| Ok(wire::ListPairsReply { part: Some(part) });
        streamed(parts.into_iter().map(reply).collect())
    }

    async fn list_groups(
        &self,
        request: Request<wire::ListGroupsRequest>,
    ) -> Answer<Replies<wire::ListGroupsReply>> {
        use list_groups_reply::Part;
        let request = request.into_inner();
        self.seen().listed.push((request.threshold, request.roots));
        self.seen().after_file = request.after;
        let mut summary = answers::list_summary();
        if request.threshold == Some(0.5) {
            summary.completeness = Some(answers::half_built());
        }
        let judging = (request.with_judgement, request.judge_first);
        self.seen().judging = Some(judging);
        let groups = answers::groups(request.kind).into_iter();
        let groups = groups.map(|group| Part::Group(answers::judged_group(group, judging)));
        let mut parts: Vec<Part> = groups.chain([Part::Summary(summary)]).collect();
        if request.threshold == Some(0.25) {
            let next = wire::Group {
                id: answers::group().id,
                members: answers::group().members,
                is_continued: true,
                ..wire::Group::default()
            };
            // Cut in the middle.
            parts = [answers::group(), next.clone(), next, answers::group()]
                .map(Part::Group)
                .into();
        }
        streamed(
            parts
                .into_iter()
                .map(|part| Ok(wire::ListGroupsReply { part: Some(part) }))
                .collect(),
        )
    }

    async fn list_templates(
        &self,
        request: Request<wire::ListTemplatesRequest>,
    ) -> Answer<Replies<wire::ListTemplatesReply>> {
        use wire::list_templates_reply::Part;
        let least = request.into_inner().min_documents.unwrap_or(10).into();
        let (template, summary) = answers::templates(least);
        let parts = [Part::Template(template), Part::Summary(summary)];
        streamed(
            parts
                .map(|part| Ok(wire::ListTemplatesReply { part: Some(part) }))
                .into(),
        )
    }

    async fn list_folder_copies(
        &self,
        request: Request<wire::ListFolderCopiesRequest>,
    ) -> Answer<Replies<wire::ListFolderCopiesReply>> {
        use wire::list_folder_copies_reply::Part;
        let (mut folders, summary) = answers::folders();
        folders
            .alone_a
            .truncate(request.into_inner().exceptions as usize);
        let parts = [Part::Folders(folders), Part::Summary(summary)];
        streamed(
            parts
                .map(|part| Ok(wire::ListFolderCopiesReply { part: Some(part) }))
                .into(),
        )
    }

    async fn get_group(
        &self,
        request: Request<wire::GetGroupRequest>,
    ) -> Answer<wire::GetGroupReply> {
        use wire::get_group_request::Source;
        let request = request.into_inner();
        let judging = (request.with_judgement, request.judge_first);
        self.seen().judging = Some(judging);
        let group = || Some(answers::judged_group(answers::group(), judging));
        let (group, unsettled) = match request.source {
            Some(Source::Path(path)) if path == b"/share/a.txt" => (group(), false),
            Some(Source::Id(9)) => (group(), false),
            Some(Source::Path(path)) if path == b"/share/unlike.txt" => (None, false),
            Some(Source::Path(path)) if path == b"/share/pending.txt" => (None, true),
            _ => return Err(Status::not_found("nothing of that name is known")),
        };
        Ok(Response::new(wire::GetGroupReply {
            group,
            completeness: Some(answers::complete()),
            promise: Some(answers::promise(0.8)),
            unsettled,
        }))
    }

    async fn get_document(
        &self,
        request: Request<wire::GetDocumentRequest>,
    ) -> Answer<wire::GetDocumentReply> {
        use wire::get_document_request::Source;
        match request.into_inner().source {
            Some(Source::Path(path)) if path.starts_with(b"/share/") => {
                Ok(Response::new(wire::GetDocumentReply::default()))
            }
            _ => Err(Status::not_found("no such file is known")),
        }
    }

    async fn calibrate(
        &self,
        request: Request<wire::CalibrateRequest>,
    ) -> Answer<wire::CalibrateReply> {
        self.seen().calibrated = Some(request.into_inner());
        Ok(Response::new(answers::calibration()))
    }

    async fn get_sampling(
        &self,
        _: Request<wire::GetSamplingRequest>,
    ) -> Answer<wire::SamplingReply> {
        let sampling = Some(answers::sampling(Vec::new()));
        Ok(Response::new(wire::SamplingReply { sampling }))
    }

    async fn set_sampling(
        &self,
        request: Request<wire::SetSamplingRequest>,
    ) -> Answer<wire::SamplingReply> {
        use wire::set_sampling_request::Chosen;
        let chosen = request.into_inner().chosen;
        self.seen().sampling.clone_from(&chosen);
        let groups = match chosen {
            Some(Chosen::Groups(chosen)) => chosen.groups,
            _ => Vec::new(),
        };
        let sampling = Some(answers::sampling(groups));
        Ok(Response::new(wire::SamplingReply { sampling }))
    }

    async fn watch_events(
        &self,
        request: Request<wire::WatchEventsRequest>,
    ) -> Answer<Replies<wire::Event>> {
        let after = request.into_inner().after.unwrap_or(6);
        let begins = wire::Event {
            kind: "watching".to_owned(),
            number: after,
            ..wire::Event::default()
        };
        let indexed = wire::Event {
            kind: "file-indexed".to_owned(),
            path: b"/share/a.txt".to_vec(),
            document: vec![0xab; 32],
            at: 1,
            number: after + 1,
            ..wire::Event::default()
        };
        streamed(vec![Ok(begins), Ok(indexed)])
    }
}

#[async_trait]
impl Admin for Fake {
    type ListFilesStream = Replies<wire::ListFilesReply>;
    type StreamReportStream = Replies<wire::StreamReportReply>;

    async fn status(&self, _: Request<wire::StatusRequest>) -> Answer<wire::StatusReply> {
        Ok(Response::new(answers::status()))
    }

    async fn list_files(
        &self,
        request: Request<wire::ListFilesRequest>,
    ) -> Answer<Replies<wire::ListFilesReply>> {
        use list_files_reply::Part;
        let request = request.into_inner();
        self.seen().states = request.states;
        self.seen().after_file = request.after;
        let parts = [
            Part::File(answers::file()),
            Part::File(answers::unreadable_file()),
            Part::Summary(answers::summary()),
        ];
        streamed(
            parts
                .map(|part| Ok(wire::ListFilesReply { part: Some(part) }))
                .into(),
        )
    }

    async fn list_roots(&self, _: Request<wire::ListRootsRequest>) -> Answer<wire::ListRootsReply> {
        Ok(Response::new(wire::ListRootsReply {
            roots: vec![answers::root()],
        }))
    }

    async fn describe_file(
        &self,
        request: Request<wire::DescribeFileRequest>,
    ) -> Answer<wire::DescribeFileReply> {
        answers::described(&request.into_inner().path).map(Response::new)
    }

    async fn confirm_loss(
        &self,
        request: Request<wire::ConfirmLossRequest>,
    ) -> Answer<wire::ConfirmLossReply> {
        let shown = request.into_inner();
        assert_eq!(shown.root, b"/share");
        if shown.token != "005fa109ff10" {
            return Err(Status::failed_precondition(
                "the root /share has changed since it was shown",
            ));
        }
        Ok(Response::new(wire::ConfirmLossReply { removed: 1500 }))
    }

    async fn rescan(&self, request: Request<wire::RescanRequest>) -> Answer<wire::RescanReply> {
        self.seen().rescans = request.into_inner().roots;
        Ok(Response::new(wire::RescanReply { roots: 1 }))
    }

    async fn sync(&self, _: Request<wire::SyncRequest>) -> Answer<wire::SyncReply> {
        Err(Status::failed_precondition(
            "root /share holds back a loss of 1500 files",
        ))
    }

    async fn wait(&self, _: Request<wire::WaitRequest>) -> Answer<wire::WaitReply> {
        self.seen().waits += 1;
        Ok(Response::new(wire::WaitReply {
            completeness: Some(answers::complete()),
        }))
    }

    async fn stream_report(
        &self,
        request: Request<Streaming<wire::StreamReportRequest>>,
    ) -> Answer<Replies<wire::StreamReportReply>> {
        self.seen().streamed = request.into_inner().message().await?;
        if std::mem::take(&mut self.seen().stalls) {
            let first = iter(answers::report().into_iter().take(1).map(Ok));
            let stalled = first.chain(tokio_stream::pending());
            return Ok(Response::new(Box::pin(stalled)));
        }
        streamed(answers::report().into_iter().map(Ok).collect())
    }

    async fn run_report(
        &self,
        request: Request<Streaming<wire::RunReportRequest>>,
    ) -> Answer<wire::RunReportReply> {
        let request = request.into_inner().message().await?.unwrap_or_default();
        self.seen().report = Some(request.clone());
        let out = [b"/reports/", &request.name[..]].concat();
        Ok(Response::new(wire::RunReportReply {
            out,
            ..answers::kept_report(!request.since.is_empty())
        }))
    }

    async fn list_reports(
        &self,
        _: Request<wire::ListReportsRequest>,
    ) -> Answer<wire::ListReportsReply> {
        Ok(Response::new(wire::ListReportsReply::default()))
    }
}

/// The path the daemon knows, of which every question has an answer.
pub(crate) fn known() -> &'static Path {
    Path::new("/share/a.txt")
}
