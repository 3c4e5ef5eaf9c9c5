//! Clients that take more than their share, say nothing, or do not read: the others are answered.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

#[allow(dead_code, reason = "this file needs a part of it")]
mod daemon;

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use daemon::{Daemon, prose};
use hyper_util::rt::TokioIo;
use simdex_client::{Client, FindKind, Subject, wire};
use simdexd::config::{GrpcConfig, Mebibytes};
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use wire::find_request::Part;
use wire::query::Source;
use wire::similarity_client::SimilarityClient;

/// More than any test here waits for.
const DAY: std::time::Duration = std::time::Duration::from_secs(86_400);

fn daemon(change: impl FnOnce(&mut GrpcConfig)) -> Daemon {
    let files = [("a.txt", prose(1, 400)), ("b.txt", prose(1, 410))];
    Daemon::with(&files, |config| change(&mut config.grpc))
}

fn part(part: Part) -> wire::FindRequest {
    wire::FindRequest { part: Some(part) }
}

fn query(source: Source) -> wire::FindRequest {
    part(Part::Query(wire::Query {
        source: Some(source),
        ..wire::Query::default()
    }))
}

fn upload() -> wire::FindRequest {
    let path = b"/x/a.txt".to_vec();
    query(Source::Upload(wire::Upload { path }))
}

/// Asks with these messages, and with what is sent afterwards, for a day.
async fn ask(
    channel: Channel,
    first: Vec<wire::FindRequest>,
) -> (Sender<wire::FindRequest>, Result<u64, Status>) {
    let (sender, requests) = channel_of(first);
    let mut request = Request::new(ReceiverStream::new(requests));
    request.set_timeout(DAY);
    let mut client = SimilarityClient::new(channel);
    let answered = async {
        let mut replies = client.find_similar(request).await?.into_inner();
        let mut count = 0;
        while replies.message().await?.is_some() {
            count += 1;
        }
        Ok(count)
    };
    let answered = answered.await;
    (sender, answered)
}

fn channel_of(
    first: Vec<wire::FindRequest>,
) -> (
    Sender<wire::FindRequest>,
    tokio::sync::mpsc::Receiver<wire::FindRequest>,
) {
    let (sender, requests) = channel(8);
    for request in first {
        sender.try_send(request).unwrap();
    }
    (sender, requests)
}

fn refusal(daemon: &Daemon, first: Vec<wire::FindRequest>) -> Status {
    let channel = daemon.channel();
    // The sender is held all the while: the request has no end.
    let (_sender, answered) = daemon.wait(ask(channel, first));
    answered.unwrap_err()
}

#[test]
fn an_upload_that_is_not_sent_on_ends_whatever_its_deadline() {
    let daemon = daemon(|grpc| grpc.idle_seconds = 3);
    let begun = part(Part::Chunk(b"half".to_vec().into()));
    for first in [vec![], vec![upload()], vec![upload(), begun]] {
        let status = refusal(&daemon, first);
        assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
    }
    assert!(daemon.data_dir_holds_no_upload());
}

#[test]
fn no_client_chooses_a_deadline_above_the_ceiling() {
    let daemon = daemon(|grpc| {
        (grpc.deadline_seconds, grpc.max_deadline_seconds) = (1, 1);
        grpc.idle_seconds = DAY.as_secs();
    });
    let status = refusal(&daemon, vec![upload()]);
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
}

#[test]
fn a_list_outlives_the_deadline_of_questions_while_its_client_reads() {
    let names: Vec<_> = (0..90)
        .map(|n| format!("{n}{}.txt", "x".repeat(200)))
        .collect();
    let files = (4_000..).zip(&names);
    let files: Vec<_> = files
        .map(|(words, name)| (&**name, prose(1, words)))
        .collect();
    let daemon = Daemon::with(&files, |config| {
        config.grpc.deadline_seconds = 3;
        config.grpc.idle_seconds = DAY.as_secs();
    });
    let listed = daemon.wait(async {
        let mut client = SimilarityClient::new(daemon.channel_later().await);
        let pairs = client.list_pairs(wire::ListPairsRequest::default());
        let (mut pairs, mut count) = (pairs.await?.into_inner(), 0);
        while let Some(_reply) = pairs.message().await? {
            count += 1;
            if count % 50 == 0 {
                // All pairs take longer than the deadline, and none is waited for as long.
                tokio::time::sleep(std::time::Duration::from_millis(60)).await;
            }
        }
        Ok::<_, Status>(count)
    });
    // Every pair, and the summary.
    assert_eq!(listed.unwrap(), 90 * 89 / 2 + 1);
}

#[test]
fn a_second_query_and_bytes_nobody_asked_for_are_refused() {
    let daemon = daemon(|_| {});
    let known = || query(Source::Text(prose(1, 400)));
    let bytes = || part(Part::Chunk(b"more".to_vec().into()));
    for first in [
        vec![known(), known()],
        vec![known(), bytes()],
        vec![upload(), known()],
        vec![bytes()],
    ] {
        let status = refusal(&daemon, first);
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
    }
}

#[test]
fn a_long_path_is_neither_believed_nor_echoed() {
    let daemon = daemon(|_| {});
    let long = [&b"/"[..], &vec![0xff; 15 << 20]].concat();
    let status = refusal(&daemon, vec![query(Source::Path(long.clone()))]);
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().len() < 400, "{}", status.message().len());
    let name = wire::Upload { path: long };
    let status = refusal(&daemon, vec![query(Source::Upload(name))]);
    assert_eq!(status.code(), Code::InvalidArgument);
    let (_, answered) = daemon.wait(async {
        let (sender, requests) = channel_of(vec![query(Source::Path(vec![b'/'; 20 << 10]))]);
        drop(sender);
        let mut client = SimilarityClient::new(daemon.channel_later().await);
        let found = client.find_similar(ReceiverStream::new(requests)).await;
        ((), found.map(drop))
    });
    let status = answered.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    assert!(status.message().len() < 400, "{}", status.message());
}

#[test]
fn idle_connections_lock_nobody_out() {
    let daemon = daemon(|grpc| (grpc.max_connections, grpc.max_connections_per_user) = (8, 8));
    let socket = daemon.config.socket.clone().unwrap();
    let idle: Vec<_> = (0..32)
        .map(|_| UnixStream::connect(&socket).unwrap())
        .collect();
    let status = daemon.wait(async { Client::connect(&socket).await?.status().await });
    assert_eq!(status.unwrap().roots.len(), 1);
    drop(idle);
}

#[test]
fn streams_of_health_take_places_as_streams_of_events_do() {
    let daemon = daemon(|_| {});
    daemon.wait(async {
        let mut health = HealthClient::new(daemon.channel_later().await);
        let mut held = Vec::new();
        let refused = loop {
            // Half of the places there are for streams of events is one connection's share.
            assert!(held.len() <= 32, "they are not counted");
            match health.watch(HealthCheckRequest::default()).await {
                Ok(stream) => held.push(stream),
                Err(refused) => break refused,
            }
        };
        assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
        let asked = health.check(HealthCheckRequest::default()).await;
        assert!(asked.is_ok(), "what is answered at once takes none");
        drop(held);
        while health.watch(HealthCheckRequest::default()).await.is_err() {}
    });
}

#[test]
fn a_client_that_does_not_read_loses_its_connection_and_nothing_else_waits_for_it() {
    // A list of some 160 KiB: more than is handed to HTTP/2 before the client reads on.
    let names: Vec<_> = (0..800)
        .map(|n| format!("{n}{}.txt", "x".repeat(200)))
        .collect();
    let files: Vec<_> = names.iter().map(|name| (&**name, "x".to_owned())).collect();
    let daemon = Daemon::with(&files, |config| {
        (config.grpc.idle_seconds, config.grpc.max_queries) = (5, 2);
    });
    let connects = Arc::new(AtomicUsize::new(0));
    let socket = daemon.config.socket.clone().unwrap();
    let counted = Arc::clone(&connects);
    let connector = tower::service_fn(move |_: tonic::codegen::http::Uri| {
        counted.fetch_add(1, Ordering::SeqCst);
        let socket = socket.clone();
        async move {
            tokio::net::UnixStream::connect(socket)
                .await
                .map(TokioIo::new)
        }
    });
    daemon.wait(async {
        // One byte may be sent ahead of what is read.
        let endpoint =
            Endpoint::from_static("http://simdexd.invalid").initial_stream_window_size(1);
        let channel = endpoint.connect_with_connector(connector).await.unwrap();
        let mut admin = wire::admin_client::AdminClient::new(channel);
        let request = wire::ListFilesRequest::default;
        let unread = admin.list_files(request()).await.unwrap();
        // Others are answered all the while, and the daemon ends what is not read: the next request
        // finds another connection.
        while connects.load(Ordering::SeqCst) < 2 {
            daemon.client.status().await.unwrap();
            let _ = admin.status(wire::StatusRequest {}).await;
        }
        let mut unread = unread.into_inner();
        let end = async {
            while unread.message().await?.is_some() {}
            Ok::<_, Status>(())
        };
        assert!(end.await.is_err());
    });
}

/// A connection on which one byte of each reply may be sent ahead of what is read.
async fn that_does_not_read(daemon: &Daemon) -> Channel {
    let socket = daemon.config.socket.clone().unwrap();
    let connector = tower::service_fn(move |_: tonic::codegen::http::Uri| {
        let socket = socket.clone();
        async move {
            tokio::net::UnixStream::connect(socket)
                .await
                .map(TokioIo::new)
        }
    });
    let endpoint = Endpoint::from_static("http://simdexd.invalid").initial_stream_window_size(1);
    endpoint.connect_with_connector(connector).await.unwrap()
}

/// A document, of which no more than the head of the reply is read.
async fn document_unread(
    channel: &Channel,
    path: &std::path::Path,
    with_text: bool,
) -> Result<tonic::Streaming<wire::GetDocumentReply>, Status> {
    use std::os::unix::ffi::OsStrExt;
    let path = path.as_os_str().as_bytes().to_vec();
    let source = Some(wire::get_document_request::Source::Path(path));
    let mut client = tonic::client::Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let method = "/simdex.v1.Similarity/GetDocument";
    let method = tonic::codegen::http::uri::PathAndQuery::from_static(method);
    let request = Request::new(wire::GetDocumentRequest { source, with_text });
    let codec = tonic_prost::ProstCodec::default();
    let reply = client.server_streaming(request, method, codec).await?;
    Ok(reply.into_inner())
}

#[test]
fn texts_that_nobody_reads_keep_no_question_waiting() {
    let text = prose(1, 300_000);
    let daemon = Daemon::with(&[("long.txt", text.clone())], |config| {
        config.store.working_mib = Mebibytes(64);
        config.grpc.idle_seconds = DAY.as_secs();
        (config.grpc.max_message_mib, config.grpc.max_unread_mib) = (Mebibytes(4), Mebibytes(8));
    });
    let path = daemon.path("long.txt");
    let channel = daemon.wait(that_does_not_read(&daemon));
    let unread = daemon.wait(document_unread(&channel, &path, true)).unwrap();
    for _ in 0..16 {
        let refused = daemon
            .wait(document_unread(&channel, &path, true))
            .unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
        assert!(refused.message().contains("max_unread_mib"), "{refused}");
    }
    // What is small is answered, and so are questions that take much memory.
    daemon.wait(daemon.client.status()).unwrap();
    let (matches, _) = daemon.find(FindKind::Similar, Subject::Text(text)).unwrap();
    assert_eq!(matches.len(), 1);
    drop(unread);
    daemon.wait(async { while document_unread(&channel, &path, true).await.is_err() {} });
}

#[test]
fn replies_without_text_are_counted_until_they_are_read() {
    let names: Vec<_> = (0..800)
        .map(|n| format!("{n}{}.txt", "x".repeat(200)))
        .collect();
    let files: Vec<_> = names.iter().map(|name| (&**name, prose(1, 60))).collect();
    let daemon = Daemon::with(&files, |config| {
        config.grpc.idle_seconds = DAY.as_secs();
        (config.grpc.max_message_mib, config.grpc.max_unread_mib) = (Mebibytes(1), Mebibytes(2));
    });
    let path = daemon.path(&names[0]);
    daemon.wait(async {
        let channel = that_does_not_read(&daemon).await;
        let mut unread = Vec::new();
        let refused = loop {
            assert!(unread.len() < 16, "files of a document are not counted");
            match document_unread(&channel, &path, false).await {
                Ok(reply) => unread.push(reply),
                Err(refused) => break refused,
            }
        };
        assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
        assert!(!unread.is_empty());
        drop(unread);
        let mut unread = Vec::new();
        let refused = loop {
            assert!(unread.len() < 16, "matches are not counted");
            let whole = wire::Query {
                source: Some(Source::Text(prose(1, 60))),
                limit: Some(10_000),
                ..wire::Query::default()
            };
            let mut client = SimilarityClient::new(channel.clone());
            let asked = tokio_stream::once(part(Part::Query(whole)));
            match client.find_similar(asked).await {
                Ok(reply) => unread.push(reply),
                Err(refused) => break refused,
            }
        };
        assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
    });
}

#[test]
fn families_that_nobody_reads_hold_no_memory_of_questions() {
    // One that takes more than half of the memory one user may hold, and of which more files hold a part than
    // are sent ahead of what is read.
    let text = prose(1, 200_000);
    let names: Vec<_> = (0..800)
        .map(|n| format!("{n}{}.txt", "x".repeat(200)))
        .collect();
    let files: Vec<_> = names.iter().map(|name| (&**name, prose(1, 60))).collect();
    let daemon = Daemon::with(&files, |config| {
        config.store.working_mib = Mebibytes(64);
        config.grpc.idle_seconds = DAY.as_secs();
    });
    let unread = daemon.wait(async {
        let mut unread = Vec::new();
        for _ in 0..2 {
            let channel = that_does_not_read(&daemon).await;
            let asked = tokio_stream::once(query(Source::Text(text.clone())));
            let mut request = Request::new(asked);
            request.set_timeout(DAY);
            let mut client = SimilarityClient::new(channel);
            unread.push(client.find_family(request).await.unwrap());
        }
        unread
    });
    let (matches, _) = daemon
        .find(FindKind::Contained, Subject::Text(text))
        .unwrap();
    assert!(!matches.is_empty());
    drop(unread);
}

#[test]
fn reports_that_are_sent_to_nobody_who_reads_keep_no_barrier_waiting() {
    let text = prose(1, 40_000);
    let changed = format!("{text} {}", prose(2, 40));
    let daemon = Daemon::with(&[("a.txt", text), ("b.txt", changed)], |config| {
        config.grpc.idle_seconds = DAY.as_secs();
    });
    daemon.wait(async {
        let mut unread = Vec::new();
        // More than one user may have of the places for long work, on as many connections as it takes.
        for _ in 0..4 {
            let channel = that_does_not_read(&daemon).await;
            let mut admin = wire::admin_client::AdminClient::new(channel);
            for _ in 0..2 {
                let request = tokio_stream::once(wire::StreamReportRequest::default());
                unread.push(admin.stream_report(request).await.unwrap());
            }
        }
        daemon.client.sync().await.unwrap();
    });
}

#[test]
fn who_would_follow_events_above_the_share_is_refused_and_does_not_wait() {
    let daemon = daemon(|grpc| grpc.deadline_seconds = DAY.as_secs());
    daemon.wait(async {
        let mut client = SimilarityClient::new(daemon.channel_later().await);
        let mut followed = Vec::new();
        let refused = loop {
            let mut request = Request::new(wire::WatchEventsRequest::default());
            request.set_timeout(DAY);
            match client.watch_events(request).await {
                Ok(events) => followed.push(events),
                Err(refused) => break refused,
            }
        };
        assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
        assert_eq!(followed.len(), 32);
    });
}
