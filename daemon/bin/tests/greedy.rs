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
use simdex_client::{Client, wire};
use simdexd::config::GrpcConfig;
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
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
    let daemon = daemon(|grpc| grpc.idle_seconds = 1);
    let begun = part(Part::Chunk(b"half".to_vec().into()));
    for first in [vec![], vec![upload()], vec![upload(), begun]] {
        let status = refusal(&daemon, first);
        assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
    }
    assert!(daemon.data_dir_holds_no_upload());
}

#[test]
fn no_client_chooses_a_deadline_above_the_ceiling() {
    let daemon = daemon(|grpc| (grpc.deadline_seconds, grpc.max_deadline_seconds) = (1, 1));
    let status = refusal(&daemon, vec![upload()]);
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
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
fn a_client_that_does_not_read_loses_its_connection_and_nothing_else_waits_for_it() {
    // A list of some 160 KiB: more than is handed to HTTP/2 before the client reads on.
    let names: Vec<_> = (0..800)
        .map(|n| format!("{n}{}.txt", "x".repeat(200)))
        .collect();
    let files: Vec<_> = names.iter().map(|name| (&**name, "x".to_owned())).collect();
    let daemon = Daemon::with(&files, |config| {
        (config.grpc.idle_seconds, config.grpc.max_queries) = (1, 2);
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
