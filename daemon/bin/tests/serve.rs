//! A daemon in this process, with real workers, asked over its socket.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

mod answers;
mod daemon;
mod families;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use daemon::{Daemon, code, prose, tar};
use simdex_client::{
    Error, FindKind, FindOptions, GroupOptions, PairOptions, Subject, Upload, wire,
};
use simdex_index::store::Operation;
use simdexd::config::{Config, GrpcConfig};
use simdexd::error::EngineError;
use tonic::Code;

/// Two versions of one text, a copy, and something else.
fn share() -> Vec<(&'static str, String)> {
    let text = prose(1, 400);
    vec![
        ("copy.txt", text.clone()),
        ("new.txt", format!("{text} {}", prose(2, 40))),
        ("old.txt", text),
        ("other.txt", prose(3, 400)),
    ]
}

fn names(found: &[wire::Match]) -> Vec<&str> {
    let name = |found| {
        std::str::from_utf8(found)
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap()
    };
    found.iter().map(|found| name(&found.path)).collect()
}

/// All pairs at the daemon's threshold after a place.
fn resumed(after: Option<wire::PairPlace>) -> PairOptions {
    PairOptions {
        after,
        ..PairOptions::default()
    }
}

/// Pairs of a list of all roots, and how far it said to be.
fn pairs_and_progress(
    daemon: &Daemon,
    after: Option<wire::PairPlace>,
) -> (Vec<wire::Pair>, Vec<wire::ListProgress>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let tell = move |now: &wire::ListProgress| tell.lock().unwrap().push(*now);
    let client = daemon.client.clone().with_progress(tell);
    let pairs = daemon.wait(async {
        let mut listed = client.pairs_with(resumed(after), Vec::new()).await?;
        let mut pairs = Vec::new();
        while let Some(pair) = listed.next().await? {
            pairs.push(pair);
        }
        Ok::<_, Error>(pairs)
    });
    (pairs.unwrap(), told.lock().unwrap().clone())
}

#[test]
fn a_list_of_pairs_tells_how_far_it_is_of_all_files_and_lists_the_same_pairs() {
    let daemon = Daemon::start(&share());
    let without = daemon.wait(async {
        let listed = daemon.client.pairs(None, Vec::new()).await?;
        Ok::<_, Error>(listed.summary().await?.pairs)
    });
    let (pairs, told) = pairs_and_progress(&daemon, None);
    assert_eq!(without.unwrap(), Some(pairs.len() as u64));
    let begin = wire::ListProgress {
        of: Some(4),
        ..wire::ListProgress::default()
    };
    assert_eq!(told[0], begin);
    // How many files come after a place is not known.
    let after = wire::PairPlace {
        a: pairs[0].a.clone(),
        b: pairs[0].b.clone(),
    };
    let (rest, told) = pairs_and_progress(&daemon, Some(after));
    assert_eq!(rest.len(), pairs.len() - 1);
    assert_eq!(told[0], wire::ListProgress::default());
}

#[test]
fn a_file_is_answered_with_its_kin_in_exact_numbers_and_without_itself() {
    let daemon = Daemon::start(&share());
    let subject = Subject::Path(daemon.path("old.txt"));
    let (found, summary) = daemon.find(FindKind::Similar, subject).unwrap();
    assert_eq!(names(&found), ["copy.txt", "new.txt"]);
    assert_eq!(found[0].relation(), wire::Relation::IdenticalBytes);
    assert_eq!(found[1].relation(), wire::Relation::NearDuplicate);
    let ratio = found[1].resemblance.unwrap();
    assert!(found[1].verified && ratio.low == ratio.value && ratio.high == ratio.value);
    assert_eq!(
        (summary.state.as_str(), summary.truncated),
        ("identical-bytes", false)
    );
}

#[test]
fn a_text_an_upload_and_a_document_are_answered_alike() {
    let daemon = Daemon::start(&share());
    let text = prose(1, 400);
    let of_text = daemon
        .find(FindKind::Similar, Subject::Text(text.clone()))
        .unwrap();
    assert_eq!(names(&of_text.0), ["copy.txt", "old.txt", "new.txt"]);
    let upload = Upload::from_reader("/elsewhere/a.txt".as_ref(), std::io::Cursor::new(text));
    let of_upload = daemon
        .find(FindKind::Similar, Subject::Upload(upload))
        .unwrap();
    assert_eq!(names(&of_upload.0), names(&of_text.0));
    assert_eq!(of_upload.0[0].relation(), wire::Relation::IdenticalBytes);
    assert_eq!(of_upload.1.document, of_text.1.document);
    let hash = of_text.1.document.as_slice().try_into().unwrap();
    let of_document = daemon
        .find(FindKind::Similar, Subject::Document(hash))
        .unwrap();
    assert_eq!(names(&of_document.0), names(&of_text.0));
    assert!(daemon.data_dir_holds_no_upload());
}

#[test]
fn containment_is_asked_in_both_directions() {
    let (whole, part) = (prose(5, 600), prose(5, 150));
    let daemon = Daemon::start(&[("part.txt", part), ("whole.txt", whole)]);
    let asked = |find, name: &str| {
        daemon
            .find(find, Subject::Path(daemon.path(name)))
            .unwrap()
            .0
    };
    assert_eq!(
        names(&asked(FindKind::Containing, "part.txt")),
        ["whole.txt"]
    );
    assert_eq!(
        names(&asked(FindKind::Contained, "whole.txt")),
        ["part.txt"]
    );
    assert!(asked(FindKind::Containing, "whole.txt").is_empty());
    let versions = asked(FindKind::Related, "whole.txt");
    assert_eq!(names(&versions), ["part.txt", "whole.txt"]);
    assert_eq!(
        versions.iter().map(|v| v.is_query).collect::<Vec<_>>(),
        [false, true]
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of requests and refusals")]
fn what_cannot_be_asked_is_refused_by_name() {
    let daemon = Daemon::start(&[("a.txt", prose(1, 100)), ("empty.txt", String::new())]);
    let text = || Subject::Text(prose(1, 100));
    let asked =
        |subject, options: FindOptions| daemon.find_with(FindKind::Similar, subject, &options);
    let unknown = asked(
        Subject::Path("/no/such file".into()),
        FindOptions::default(),
    );
    assert_eq!(code(&unknown), Code::NotFound);
    assert!(
        unknown
            .unwrap_err()
            .to_string()
            .starts_with("/no/such file is not a file")
    );
    let outside = Subject::Path(daemon.path("missing.txt"));
    assert_eq!(
        code(&asked(outside, FindOptions::default())),
        Code::NotFound
    );
    let unknown = Subject::Document([7; 32]);
    assert_eq!(
        code(&asked(unknown, FindOptions::default())),
        Code::NotFound
    );
    let options = FindOptions::default;
    let wrong = [
        FindOptions {
            threshold: Some(1.5),
            ..options()
        },
        FindOptions {
            threshold: Some(f64::NAN),
            ..options()
        },
        FindOptions {
            limit: Some(0),
            ..options()
        },
        FindOptions {
            limit: Some(10_001),
            ..options()
        },
        FindOptions {
            roots: vec![99],
            ..options()
        },
    ];
    for options in wrong {
        assert_eq!(
            code(&asked(text(), options.clone())),
            Code::InvalidArgument,
            "{options:?}"
        );
    }
    let relative = Subject::Path("relative".into());
    assert_eq!(code(&asked(relative, options())), Code::InvalidArgument);
    let text_of = |name: &str| {
        let path = simdex_client::path_bytes(&daemon.path(name));
        let source = wire::get_document_request::Source::Path(path);
        daemon.wait(daemon.client.document(source, true))
    };
    assert_eq!(text_of("a.txt").unwrap().text, Some(prose(1, 100)));
    assert_eq!(code(&text_of("empty.txt")), Code::FailedPrecondition);
}

#[test]
fn lists_close_with_the_same_counts() {
    let daemon = Daemon::start(&share());
    let (client, all) = (&daemon.client, Vec::new);
    let (files, groups, pairs) = daemon
        .wait(async {
            let mut files = Vec::new();
            let mut listing = client.files(vec!["identical-bytes".into()], all()).await?;
            while let Some(file) = listing.next().await? {
                files.push(file.path);
            }
            let counts = listing.summary().await?;
            let groups = client.groups(None, all()).await?.summary().await?;
            let pairs = client.pairs(None, all()).await?.summary().await?;
            assert_eq!(files, [simdex_client::path_bytes(&daemon.path("old.txt"))]);
            Ok::<_, Error>((counts, groups, pairs))
        })
        .unwrap();
    assert_eq!((files.files_on_disk, files.documents), (4, 3));
    assert_eq!(
        (files.groups, groups.groups, pairs.groups),
        (Some(1), Some(1), Some(1))
    );
    let sought = (files.pairs, groups.pairs, pairs.pairs);
    assert_eq!(
        sought,
        (None, None, Some(3)),
        "pairs are sought when asked for"
    );
    for other in [&groups, &pairs] {
        assert_eq!(other.states, files.states);
    }
    let wrong = daemon.wait(client.files(vec!["nonsense".into()], all()));
    assert_eq!(code(&wrong), Code::InvalidArgument);
}

#[test]
fn lists_of_files_and_groups_resume_after_the_last_one_seen() {
    let daemon = Daemon::start(&share());
    let (client, all) = (&daemon.client, Vec::new);
    let files_after = async |after: Option<&Path>| {
        let mut listing = client.files_after(after, Vec::new(), all()).await?;
        let mut files = Vec::new();
        while let Some(file) = listing.next().await? {
            files.push((file.path, file.state));
        }
        Ok::<_, Error>((files, listing.summary().await?.files_on_disk))
    };
    let groups_after = async |after: Option<&Path>, kind| {
        let options = GroupOptions {
            kind,
            after: after.map(Path::to_owned),
            ..GroupOptions::default()
        };
        let listing = client.groups_of_kind(&options, all()).await?;
        Ok::<_, Error>(listing.summary().await?.groups)
    };
    let stars = wire::GroupKind::Stars;
    daemon.wait(async {
        let (files, on_disk) = files_after(None).await.unwrap();
        for (at, (seen, _)) in files.iter().enumerate() {
            let seen = Path::new(OsStr::from_bytes(seen));
            let rest = files_after(Some(seen)).await.unwrap();
            assert_eq!(rest, (files[at + 1..].to_vec(), on_disk));
        }
        let (principal, before) = (daemon.path("new.txt"), daemon.path("copy.txt"));
        assert_eq!(groups_after(Some(&before), stars).await.unwrap(), Some(1));
        assert_eq!(
            groups_after(Some(&principal), stars).await.unwrap(),
            Some(0)
        );
        for place in [["relative", "/b"], ["/a", "relative"]] {
            let [a, b] = place.map(|path| path.as_bytes().to_vec());
            let after = Some(wire::PairPlace { a, b });
            let refused = client.pairs_with(resumed(after), all()).await;
            assert_eq!(code(&refused), Code::InvalidArgument);
        }
        let components = wire::GroupKind::Components;
        let refused = groups_after(Some(&principal), components).await;
        assert_eq!(code(&refused), Code::InvalidArgument);
    });
}

#[test]
fn the_status_says_what_is_held_and_watched() {
    let files = [share(), vec![("long.txt", prose(7, 40_000))]].concat();
    let daemon = Daemon::start(&files);
    let status = daemon.wait(daemon.client.status()).unwrap();
    assert!(status.new_index);
    assert_eq!(
        (status.version.as_str(), status.threshold),
        (env!("CARGO_PKG_VERSION"), 0.8)
    );
    assert_eq!(status.summary.unwrap().files_on_disk, 5);
    assert_eq!(
        (status.roots.len(), status.roots[0].files, status.queued),
        (1, 5, 0)
    );
    assert_eq!(status.roots[0].state, "watching");
    let mod_n = status
        .schemes
        .iter()
        .find(|s| s.scheme.as_ref().unwrap().name == "mod_n");
    let mod_n = mod_n.unwrap();
    assert!(mod_n.postings > 0);
    assert_eq!(mod_n.unmerged, mod_n.postings, "nothing is merged yet");
    let held = |holder: &str| {
        let part = status.memory.iter().find(|part| part.holder == holder);
        part.and_then(|part| part.bytes).unwrap()
    };
    assert!(held("unmerged postings") >= 8 * mod_n.unmerged);
    assert!(held("documents") > 0 && held("cached shingles") > 0);
    assert!(status.resident_bytes.unwrap() > held("unmerged postings"));
    // 400 words are sampled more coarsely than a short text, and 40,000 more coarsely than these.
    let n = mod_n.scheme.as_ref().unwrap().n;
    assert!(1 < n && n < mod_n.n_most, "{n} to {}", mod_n.n_most);
    assert!(status.sandbox.contains("enforced"), "{}", status.sandbox);
}

#[test]
fn two_sides_are_compared_by_any_source() {
    let daemon = Daemon::start(&share());
    let path = simdex_client::path_bytes(&daemon.path("old.txt"));
    let side = |source| wire::Side {
        source: Some(source),
        name: b"/x/b.txt".to_vec(),
    };
    let a = side(wire::side::Source::Path(path));
    let content = format!("{}\nand a line more\n", prose(1, 400)).into_bytes();
    let b = side(wire::side::Source::Content(content));
    let compared = daemon.wait(daemon.client.compare(a.clone(), b)).unwrap();
    assert_eq!(compared.relation(), wire::Relation::NearDuplicate);
    assert_eq!(compared.containment_of_a, 1.0);
    assert!(compared.diff.contains("+++ /x/b.txt") && compared.diff.contains("+and a line more"));
    let short = side(wire::side::Source::Text("short".into()));
    assert_eq!(
        code(&daemon.wait(daemon.client.compare(a, short))),
        Code::FailedPrecondition
    );
}

#[test]
fn a_directory_that_becomes_a_symlink_leaves_no_ghosts() {
    let daemon = Daemon::start(&[]);
    let (real, link) = (daemon.path("real"), daemon.path("link"));
    std::fs::create_dir(&link).unwrap();
    std::fs::write(link.join("a.txt"), prose(1, 400)).unwrap();
    daemon.sync();
    std::fs::rename(&link, &real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    daemon.sync();
    let status = daemon.wait(daemon.client.status()).unwrap();
    let states = status.summary.unwrap().states;
    let expected = [("indexed".to_owned(), 1), ("skipped".to_owned(), 1)];
    assert_eq!(states, expected.into_iter().collect());
}

#[test]
fn an_upload_is_bounded_and_an_abandoned_one_gives_its_place_back() {
    let grpc = GrpcConfig {
        max_upload_mib: simdexd::config::Mebibytes(1),
        max_queries: 1,
        ..GrpcConfig::default()
    };
    let daemon = Daemon::with(&share(), |config| config.grpc = grpc);
    let upload = |text: String| {
        let upload = Upload::from_reader("/x/a.txt".as_ref(), std::io::Cursor::new(text));
        daemon.find(FindKind::Similar, Subject::Upload(upload))
    };
    let long = upload("x".repeat(3 << 19));
    assert_eq!(code(&long), Code::ResourceExhausted);
    daemon.abandon_an_upload();
    assert_eq!(names(&upload(prose(1, 400)).unwrap().0).len(), 3);
    assert!(daemon.data_dir_holds_no_upload());
}

#[test]
fn who_watches_hears_of_files_that_come_and_go() {
    let daemon = Daemon::start(&share());
    let mut events = daemon.wait(daemon.client.events(Vec::new(), None)).unwrap();
    let mut heard = |wanted: &str, path: &std::path::Path| {
        daemon.sync();
        let path = simdex_client::path_bytes(path);
        loop {
            // Files that were written just before they were read are read once more.
            let event = daemon.wait(events.message()).unwrap().unwrap();
            if (event.kind.as_str(), &event.path) == (wanted, &path) {
                return;
            }
        }
    };
    let path = daemon.path("fresh.txt");
    std::fs::write(&path, prose(9, 100)).unwrap();
    heard("file-indexed", &path);
    let broken = daemon.path("broken.zip");
    std::fs::write(&broken, b"PK\x03\x04 and nothing more").unwrap();
    heard("file-unread", &broken);
    let tiny = daemon.path("tiny.txt");
    std::fs::write(&tiny, "x").unwrap();
    heard("file-without-text", &tiny);
    std::fs::remove_file(&path).unwrap();
    heard("file-removed", &path);
    let principal = daemon.path("newest.txt");
    std::fs::write(&principal, format!("{} end", share()[1].1)).unwrap();
    heard("group-joined", &principal);
    // What lies in a container is named too, when it comes and when it goes.
    let tape = daemon.path("box.tar");
    std::fs::write(&tape, tar(&[("new.txt", &prose(11, 100))])).unwrap();
    let member = daemon.path("box.tar!/new.txt");
    heard("file-indexed", &member);
    std::fs::remove_file(&tape).unwrap();
    heard("file-removed", &member);
}

#[test]
fn who_watches_resumes_after_a_number_and_is_told_what_is_lost() {
    let daemon = Daemon::start(&share());
    let watch = |after| daemon.wait(daemon.client.events(Vec::new(), after));
    let mut events = watch(None).unwrap();
    let begins = daemon.wait(events.message()).unwrap().unwrap();
    assert_eq!(begins.kind, "watching");
    let fresh = daemon.path("fresh.txt");
    std::fs::write(&fresh, format!("{} end", share()[3].1)).unwrap();
    daemon.sync();
    let bytes = simdex_client::path_bytes(&fresh);
    loop {
        let event = daemon.wait(events.message()).unwrap().unwrap();
        if event.kind == "group-joined" && event.path == bytes {
            break;
        }
    }
    drop(events);
    std::fs::remove_file(&fresh).unwrap();
    daemon.sync();
    let mut events = watch(Some(begins.number)).unwrap();
    let fresh = bytes;
    let (mut last, mut heard) = (begins.number, Vec::new());
    let mut vanished = false;
    let removed = |heard: &[String]| heard.iter().any(|kind| kind == "file-removed");
    while !vanished || !removed(&heard) {
        let event = daemon.wait(events.message()).unwrap().unwrap();
        vanished |= event.kind == "group-vanished";
        if event.kind == "watching" {
            assert_eq!(event.number, begins.number);
            continue;
        }
        assert_eq!(event.number, last + 1, "numbers ascend by one");
        last = event.number;
        if event.path == fresh && heard.last() != Some(&event.kind) {
            assert_eq!(event.group.is_some(), event.kind.starts_with("group"));
            heard.push(event.kind);
        }
    }
    let group = ["group-joined", "group-made", "group-led"];
    assert!(heard.iter().any(|kind| kind == "file-indexed"), "{heard:?}");
    assert!(
        heard.iter().any(|kind| group.contains(&kind.as_str())),
        "{heard:?}"
    );
    assert_eq!(code(&watch(Some(7))), Code::OutOfRange, "of an earlier run");
    assert_eq!(code(&watch(Some(u64::MAX / 2))), Code::OutOfRange);
}

#[test]
fn a_missing_root_is_stale_and_fails_only_what_needs_it() {
    let daemon = Daemon::without_root();
    let roots = daemon.wait(daemon.client.roots()).unwrap();
    assert_eq!(
        code(&daemon.wait(daemon.client.sync())),
        Code::FailedPrecondition
    );
    assert_eq!(roots.len(), 1);
    assert!(
        daemon
            .find(FindKind::Similar, Subject::Text(prose(1, 50)))
            .unwrap()
            .0
            .is_empty()
    );
    let loss = daemon.wait(daemon.client.rescan(&roots)).unwrap();
    assert_eq!(loss, 1);
}

#[test]
fn a_stopped_daemon_takes_its_socket_away_and_the_next_one_finds_the_index() {
    let mut daemon = Daemon::start(&share());
    let _watching = daemon.wait(daemon.client.events(Vec::new(), None)).unwrap();
    let config = daemon.config.clone();
    daemon.stop();
    assert!(!config.socket.as_ref().unwrap().exists());
    daemon.start_again();
    assert!(!daemon.wait(daemon.client.status()).unwrap().new_index);
    let (found, _) = daemon
        .find(FindKind::Similar, Subject::Path(daemon.path("old.txt")))
        .unwrap();
    assert_eq!(names(&found), ["copy.txt", "new.txt"]);
}

#[test]
fn a_second_daemon_is_told_that_the_first_one_lives() {
    let daemon = Daemon::start(&share());
    let locked = daemon.another(daemon.config.clone()).unwrap_err();
    assert!(
        matches!(locked.downcast_ref(), Some(EngineError::Locked(_))),
        "{locked}"
    );
    let elsewhere = daemon.dir.path().join("other data");
    let config = Config {
        data_dir: Some(elsewhere),
        ..daemon.config.clone()
    };
    let answered = daemon.another(config).unwrap_err();
    assert!(
        answered.to_string().contains("another daemon answers at"),
        "{answered}"
    );
    assert!(daemon.wait(daemon.client.status()).is_ok());
}

#[test]
fn health_and_reflection_answer() {
    let daemon = Daemon::start(&[]);
    assert_eq!(daemon.health(), "Serving");
    let services = daemon.services();
    for service in [
        "simdex.v1.Similarity",
        "simdex.v1.Admin",
        "grpc.health.v1.Health",
    ] {
        assert!(
            services.iter().any(|known| known == service),
            "{services:?}"
        );
    }
}

#[test]
fn a_status_after_a_change_reads_as_much_of_many_files_as_of_few() {
    let reads = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&reads);
    let daemon = Daemon::hooked(Arc::new(move |operation| {
        counted.fetch_add(u64::from(operation == Operation::Read), Ordering::SeqCst);
        Ok(())
    }));
    let reads_of_status = |files: usize| {
        for at in 0..files {
            std::fs::write(daemon.path(&format!("{at}.txt")), prose(at as u64, 40)).unwrap();
        }
        let status = |round: usize| {
            let text = prose(1_000 + (files + round) as u64, 40);
            std::fs::write(daemon.path("changed.txt"), text).unwrap();
            daemon.sync();
            let before = reads.load(Ordering::SeqCst);
            let status = daemon.wait(daemon.client.status()).unwrap();
            assert_eq!(status.roots[0].files, files as u64 + 1);
            assert_eq!(status.summary.unwrap().documents, files as u64 + 1);
            reads.load(Ordering::SeqCst) - before
        };
        // The daemon may read for itself meanwhile.
        (0..5).map(status).min()
    };
    assert_eq!(reads_of_status(4), reads_of_status(60));
}
