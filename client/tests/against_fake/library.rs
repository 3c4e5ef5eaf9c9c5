//! The library's promises: whole answers, whole uploads, bounded waits.

use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use simdex_client::{Client, Error, FindKind, FindOptions, Subject, Upload, wire};

use crate::fake::{Daemon, End, known};

async fn connected(daemon: &Daemon) -> Client {
    Client::connect(&daemon.socket()).await.expect("connected")
}

#[tokio::test]
async fn a_known_file_is_asked_about_by_its_path_alone() {
    let daemon = Daemon::start();
    let client = connected(&daemon).await;
    let options = FindOptions {
        threshold: Some(0.3),
        relation_threshold: Some(0.7),
        limit: Some(5),
        ..FindOptions::default()
    };
    let mut listing = client
        .find_file(FindKind::Similar, known(), &options)
        .await
        .expect("answered");
    let mut paths = Vec::new();
    while let Some(found) = listing.next().await.expect("item") {
        paths.push(found.path);
    }
    assert_eq!(paths, [&b"/share/b.txt"[..], b"/share/c\xff.txt"]);
    assert_eq!(listing.summary().await.expect("closed").candidates, 7);
    let seen = daemon.seen();
    assert_eq!(
        (seen.queries[0].threshold, seen.queries[0].limit),
        (Some(0.3), Some(5))
    );
    assert_eq!(seen.queries[0].relation_threshold, Some(0.7));
    assert!(seen.uploads.is_empty());
}

#[tokio::test]
async fn an_unknown_file_is_sent_whole_in_bounded_chunks() {
    let daemon = Daemon::start();
    let client = connected(&daemon).await;
    let bytes: Vec<u8> = (0..1_000_003_u32).map(|at| (at % 251) as u8).collect();
    let file = daemon.local_file("outside.txt", &bytes);
    let options = FindOptions::default();
    let listing = client
        .find_file(FindKind::Containing, &file, &options)
        .await
        .expect("answered");
    listing.summary().await.expect("closed");
    let seen = daemon.seen();
    let upload = &seen.uploads[0];
    assert!(upload.end == Some(End::Whole) && upload.bytes == bytes);
    assert_eq!(upload.largest_chunk, 64 << 10);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_an_error() {
    let daemon = Daemon::start();
    let client = connected(&daemon).await;
    let subject = Subject::Path("/share/broken-off.txt".into());
    let mut listing = client
        .find(FindKind::Similar, subject, &FindOptions::default())
        .await
        .expect("begins");
    assert!(matches!(listing.next().await, Ok(Some(_))));
    assert!(matches!(listing.next().await, Ok(Some(_))));
    assert!(matches!(listing.next().await, Err(Error::Incomplete)));
}

/// Gives some bytes, then fails as a disk does.
struct Failing(usize);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::from_raw_os_error(5));
        }
        let count = buffer.len().min(self.0);
        self.0 -= count;
        Ok(count)
    }
}

#[tokio::test]
async fn a_file_that_fails_half_way_is_never_taken_for_a_shorter_one() {
    let daemon = Daemon::start();
    let client = connected(&daemon).await;
    let upload = Upload::from_reader(Path::new("/local/bad.txt"), Failing(300_000));
    let options = FindOptions::default();
    let outcome = client
        .find(FindKind::Similar, Subject::Upload(upload), &options)
        .await;
    let error = outcome.err().expect("the read failed");
    assert_eq!(
        error.to_string(),
        "cannot read /local/bad.txt (input/output error)"
    );
    // The connection lives on; the broken call alone is cancelled.
    client.status().await.expect("answered");
    assert_eq!(end_of_upload(&daemon).await, End::Broken);
}

async fn end_of_upload(daemon: &Daemon) -> End {
    loop {
        if let Some(end) = daemon.seen().uploads.first().and_then(|upload| upload.end) {
            return end;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_file_nobody_knows_is_an_error_and_a_directory_is_none() {
    let daemon = Daemon::start();
    let client = connected(&daemon).await;
    let missing = daemon.dir.path().join("missing.txt");
    let options = FindOptions::default();
    let outcome = client
        .find_file(FindKind::Similar, &missing, &options)
        .await;
    assert!(matches!(outcome.err(), Some(Error::NoSuchFile { path }) if path == missing));
    let outcome = client
        .find_file(FindKind::Similar, daemon.dir.path(), &options)
        .await;
    assert!(matches!(outcome.err(), Some(Error::NotRegular { .. })));
}

#[tokio::test]
async fn a_side_too_large_for_a_message_is_refused_before_it_is_sent() {
    let daemon = Daemon::start();
    let client = connected(&daemon).await;
    let file = daemon.local_file("large.txt", &vec![b'x'; 600_000]);
    let error = client.side_of_file(&file).await.expect_err("too large");
    let limit = "is larger than the 516,096 bytes that the daemon accepts in a comparison";
    assert!(error.to_string().ends_with(limit), "{error}");
    assert!(matches!(error, Error::TooLarge { path, limit: 516_096 } if path == file));
}

#[tokio::test]
async fn what_has_no_verb_yet_is_answered_too() {
    let daemon = Daemon::start();
    let client = connected(&daemon).await;
    let mut events = client.events(vec![], None).await.expect("events");
    for kind in ["watching", "file-indexed"] {
        let event = events.message().await.expect("received").expect("one");
        assert_eq!(event.kind, kind);
    }
    assert!(client.reports().await.expect("reports").is_empty());
}

#[tokio::test]
async fn a_group_that_comes_in_parts_is_handed_out_whole_and_before_what_ends_the_list() {
    let daemon = Daemon::start();
    let client = connected(&daemon).await;
    let mut groups = client
        .groups(Some(0.25), Vec::new())
        .await
        .expect("answered");
    let first = groups.next().await.expect("whole").expect("a group");
    let second = groups.next().await.expect("whole").expect("another");
    assert_eq!(first.members.len(), 3 * second.members.len());
    assert_eq!((first.principal, first.id), (second.principal, second.id));
    assert!(matches!(groups.next().await, Err(Error::Incomplete)));
}

#[tokio::test]
async fn how_far_a_list_is_comes_beside_its_pairs_and_only_where_it_is_asked_for() {
    let daemon = Daemon::start();
    let client = connected(&daemon).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = {
        let told = Arc::clone(&told);
        move |now: &wire::ListProgress| told.lock().expect("told").push((now.files, now.of))
    };
    for (client, expected) in [
        (client.clone(), vec![]),
        (
            client.with_progress(tell),
            vec![(0, Some(40)), (7, Some(40)), (40, Some(40))],
        ),
    ] {
        let mut pairs = client.pairs(None, Vec::new()).await.expect("listed");
        let mut count = 0;
        while pairs.next().await.expect("item").is_some() {
            count += 1;
        }
        assert_eq!(count, 2);
        assert_eq!(*told.lock().expect("told"), expected);
    }
}
