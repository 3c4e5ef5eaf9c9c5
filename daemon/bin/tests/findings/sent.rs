//! Who holds copies of a file that lies on no share: its bytes are sent with the question.

use simdex_client::{AskedFile, ReportRequest};

use super::*;

/// A folder outside all roots.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().canonicalize().unwrap().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Shares {
    /// A request for the copies of these files, each looked for as simctl does.
    fn copies_of(&self, files: &[&Path]) -> ReportRequest {
        let mut request = ReportRequest::from(of_kind("copies-of"));
        for file in files {
            let client = &self.daemon.client;
            request.add(self.daemon.wait(client.asked_file(file)).unwrap());
        }
        request
    }

    fn written(&self, name: &str, request: ReportRequest) -> (SavedReport, Vec<Value>, Value) {
        let out = self.out(name);
        let client = &self.daemon.client;
        let saved = client.download_report(&out, None, request);
        let saved = self.daemon.wait(saved).unwrap();
        simdexd::reports::report::verify(&out).unwrap();
        let (found, manifest) = read_report(&out);
        (saved, found, manifest)
    }
}

/// The findings and the manifest of a report.
fn read_report(out: &Path) -> (Vec<Value>, Value) {
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let found = read("findings.jsonl");
    let found = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    (
        found.collect(),
        serde_json::from_str(&read("manifest.json")).unwrap(),
    )
}

/// The plan of the shares with an ending of its own.
fn plan_with_an_ending() -> String {
    format!("{} {}", prose(1, 400), prose(77, 12))
}

fn files(shares: &Shares) -> u64 {
    let daemon = &shares.daemon;
    let status = daemon.wait(daemon.client.status()).unwrap();
    status.summary.unwrap().files_on_disk
}

#[test]
fn copies_of_a_file_outside_the_index_are_found_and_it_is_not_indexed() {
    let (shares, desk) = (Shares::new(), Desk::new());
    let leaked = desk.write("leaked <page>.txt", plan_with_an_ending());
    let before = files(&shares);
    let other = shares.daemon.path("plan-1.txt");
    let request = shares.copies_of(&[&leaked, &other]);
    let (saved, found, manifest) = shares.written("sent", request);
    assert_eq!(files(&shares), before);
    assert!(saved.not_compared.is_empty());
    let of = |path: &Path| -> Vec<&Value> {
        let path = path.to_str().unwrap();
        found.iter().filter(|found| found["of"] == path).collect()
    };
    let names = |found: &[&Value]| -> Vec<String> {
        let names = found.iter().map(|found| shares.short(&found["path"]));
        names.map(str::to_owned).collect()
    };
    let sent = of(&leaked);
    let all = ["copy/plan-1.txt", "plan-1.txt", "plan-2.txt", "plan-3.txt"];
    assert_eq!(names(&sent), all);
    assert!(sent.iter().all(|found| found["of_not_indexed"] == true));
    let indexed = of(&other);
    assert_eq!(names(&indexed), [all[0], all[2], all[3]]);
    assert!(
        indexed
            .iter()
            .all(|found| found["of_not_indexed"].is_null())
    );

    let question = &manifest["question"];
    assert_eq!(question["files"].as_array().unwrap().len(), 2);
    let text = plan_with_an_ending();
    let not_indexed = serde_json::json!([{
        "path": leaked.to_str().unwrap(),
        "bytes": text.len(),
        "content": blake3::hash(text.as_bytes()).to_hex().as_str(),
    }]);
    assert_eq!(question["not_indexed"], not_indexed);
    let sums = &manifest["findings"];
    let sums = ["not_indexed", "files", "not_compared"].map(|name| sums[name].as_u64().unwrap());
    assert_eq!(sums, [1, 2, 0]);
    let page = fs::read_to_string(shares.out("sent/report.html")).unwrap();
    let row = page
        .lines()
        .find(|line| line.contains("leaked &lt;page&gt;"));
    let row = row.unwrap();
    assert!(row.contains("not indexed"), "{row}");
    assert_eq!(page.matches("class=\"tag\">not indexed<").count(), 1);
}

/// One file cannot be compared: what carries its bytes is found, and the other is answered.
#[test]
fn a_file_without_text_does_not_stop_the_question_about_the_others() {
    let shares = Shares::with(|config| config.extract.raw_mib = Mebibytes(0));
    let desk = Desk::new();
    let noise: Vec<u8> = (0..100_000_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    fs::write(shares.daemon.path("a.bin"), &noise).unwrap();
    shares.daemon.sync();
    let (noise, text) = (
        desk.write("noise.bin", &noise),
        desk.write("page.txt", plan_with_an_ending()),
    );
    let empty = desk.write("empty.txt", "");
    fs::write(shares.daemon.path("hollow.txt"), "").unwrap();
    shares.daemon.sync();
    let request = shares.copies_of(&[&noise, &text, &empty]);
    let (saved, found, manifest) = shares.written("mixed", request);
    let of_noise: Vec<_> = found
        .iter()
        .filter(|found| found["of"] == noise.to_str().unwrap())
        .map(|found| {
            (
                shares.short(&found["path"]),
                found["relation"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(of_noise, [("a.bin", "identical-bytes")]);
    assert_eq!(found.len(), 6);
    let not_compared = manifest["files_not_compared"].as_array().unwrap();
    let paths: Vec<_> = not_compared.iter().map(|it| &it["path"]).collect();
    assert_eq!(paths, [empty.to_str().unwrap(), noise.to_str().unwrap()]);
    assert_eq!(saved.not_compared.len(), 2);
    assert_eq!(
        saved.not_compared[1].state,
        not_compared[1]["state"].as_str().unwrap()
    );
    let page = fs::read_to_string(shares.out("mixed/report.html")).unwrap();
    assert_eq!(page.matches("text not compared: ").count(), 2);
}

#[test]
fn the_daemon_keeps_such_a_report_too_and_tells_what_it_did_not_compare() {
    let kept = tempfile::tempdir().unwrap();
    let dir = kept.path().canonicalize().unwrap();
    let shares = Shares::with(|config| config.report_dir = Some(dir.clone()));
    let desk = Desk::new();
    let (text, short) = (
        desk.write("page.txt", plan_with_an_ending()),
        desk.write("note.txt", "short"),
    );
    let client = &shares.daemon.client;
    let keep = |name: &str, since: Option<&str>| {
        let request = shares.copies_of(&[&text, &short]);
        let kept = client.keep_report(name.as_ref(), since.map(AsRef::as_ref), None, request);
        shares.daemon.wait(kept).unwrap()
    };
    let first = keep("first", None);
    assert_eq!(first.findings["copies"], 4);
    let not_compared = &first.not_compared[..];
    assert_eq!(not_compared.len(), 1);
    assert_eq!(
        (&not_compared[0].path, &*not_compared[0].state),
        (&bytes(&short), "too-short")
    );
    // Other bytes under the same path are another question.
    let again = keep("second", Some("first"));
    assert!(again.changes.unwrap().caveats.is_empty());
    desk.write("page.txt", prose(3, 400));
    let other = keep("third", Some("first")).changes.unwrap();
    assert_eq!(other.caveats, ["other-question"]);
}

#[test]
fn a_file_that_nobody_can_name_or_read_is_refused_by_the_client() {
    let (shares, desk) = (Shares::new(), Desk::new());
    let client = &shares.daemon.client;
    let asked = |path: &Path| shares.daemon.wait(client.asked_file(path));
    let missing = desk.0.path().join("missing.txt");
    assert!(matches!(asked(&missing), Err(Error::NoSuchFile { .. })));
    assert!(matches!(
        asked(desk.0.path()),
        Err(Error::NotRegular { .. })
    ));
    let indexed = asked(&shares.daemon.path("plan-1.txt")).unwrap();
    assert!(matches!(indexed, AskedFile::Indexed(_)));
}

/// Checks how the daemon refuses these messages.
fn refuses(shares: &Shares, messages: Vec<wire::StreamReportRequest>, code: Code, said: &str) {
    let daemon = &shares.daemon;
    let status = daemon.wait(async {
        let mut admin = wire::admin_client::AdminClient::new(daemon.channel_later().await);
        let mut replies = match admin.stream_report(tokio_stream::iter(messages)).await {
            Err(status) => return status,
            Ok(replies) => replies.into_inner(),
        };
        loop {
            match replies.message().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it was answered: {said}"),
                Err(status) => return status,
            }
        }
    });
    let is_so = status.code() == code && status.message().contains(said);
    assert!(is_so, "{status} (not: {code:?}, {said})");
}

fn first(files: &[&Path], sent: &[&Path]) -> wire::StreamReportRequest {
    let paths = |paths: &[&Path]| paths.iter().map(|path| bytes(path)).collect();
    wire::StreamReportRequest {
        options: Some(wire::ReportOptions {
            files: paths(files),
            sent_files: paths(sent),
            ..of_kind("copies-of")
        }),
        ..wire::StreamReportRequest::default()
    }
}

fn piece(bytes: &[u8], last: bool) -> wire::StreamReportRequest {
    let bytes = bytes.to_vec();
    wire::StreamReportRequest {
        piece: Some(wire::SentPiece { bytes, last }),
        ..wire::StreamReportRequest::default()
    }
}

fn whole() -> wire::StreamReportRequest {
    piece(b"text", true)
}

#[test]
fn what_is_sent_otherwise_than_it_was_named_is_refused() {
    let shares = Shares::new();
    let (a, b) = (Path::new("/desk/a"), Path::new("/desk/b"));
    let indexed = shares.daemon.path("plan-1.txt");
    let bad = |messages, said| refuses(&shares, messages, Code::InvalidArgument, said);
    let one = || first(&[a], &[a]);
    bad(vec![], "has no message");
    bad(
        vec![first(&[a], &[b]), whole()],
        "\"/desk/b\" is sent, but not as",
    );
    bad(
        vec![first(&[a], &[a, a]), whole(), whole()],
        "each of them once",
    );
    bad(vec![one()], "lacks its end");
    bad(vec![one(), piece(b"te", false)], "lacks its end");
    bad(vec![one(), one()], "lacks its end");
    bad(vec![one(), whole(), whole()], "more follows");
    bad(vec![first(&[&indexed], &[]), whole()], "more follows");
    let mut groups = one();
    groups.options.as_mut().unwrap().kind = "groups".to_owned();
    bad(
        vec![groups, whole()],
        "kind copies-of alone takes files that are sent",
    );
    let messages = vec![first(&[a, b], &[a]), whole()];
    refuses(&shares, messages, Code::NotFound, "/desk/b");
    let messages = vec![first(&[&indexed], &[&indexed]), whole()];
    refuses(
        &shares,
        messages,
        Code::FailedPrecondition,
        "is in the index",
    );
}

#[test]
fn more_than_may_be_sent_is_refused_and_nothing_of_it_is_held() {
    let shares = Shares::with(|config| {
        config.grpc.max_upload_mib = Mebibytes(1);
        config.grpc.max_uploads_mib = Mebibytes(2);
    });
    let (a, b) = (Path::new("/desk/a"), Path::new("/desk/b"));
    let megabyte = |last: bool| -> Vec<_> {
        let quarter = |at| piece(&vec![b'x'; 1 << 18], last && at == 3);
        (0..4).map(quarter).collect()
    };
    let many: Vec<PathBuf> = (0..129).map(|at| format!("/desk/{at}").into()).collect();
    let many: Vec<&Path> = many.iter().map(PathBuf::as_path).collect();
    let too_much = |messages, said| refuses(&shares, messages, Code::ResourceExhausted, said);
    for _ in 0..2 {
        let mut long = vec![first(&[a], &[a])];
        long.extend(megabyte(false));
        long.push(whole());
        too_much(long, "longer than the 1,048,576 bytes");
        let mut both = vec![first(&[a, b], &[a, b])];
        both.extend(megabyte(true));
        both.push(whole());
        too_much(both, "grpc.max_uploads_mib");
        too_much(vec![first(&many, &many)], "128 files");
    }
    let desk = Desk::new();
    let page = desk.write("page.txt", plan_with_an_ending());
    let (_, found, _) = shares.written("after", shares.copies_of(&[&page]));
    assert_eq!(found.len(), 4);
}
