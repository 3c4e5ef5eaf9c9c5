//! Reports of a real daemon: streamed to the client, or kept in the one directory for them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::daemon::{Daemon, code, prose};
use simdex_client::{Caveat, ChangeTotals, EarlierReport, Error, Totals, path_from_bytes, wire};
use tonic::Code;

/// Two versions of one text, and something else.
fn share() -> Vec<(&'static str, String)> {
    let text = prose(1, 400);
    vec![
        ("new.txt", format!("{text} {}", prose(2, 40))),
        ("old.txt", text),
        ("other.txt", prose(3, 400)),
    ]
}

/// A directory for reports, by its real path.
fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().canonicalize().unwrap();
    (dir, path)
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    // Who asked for which.
    names.retain(|name| name != ".simdex-keepers");
    names.sort();
    names
}

fn keep(daemon: &Daemon, name: &[u8]) -> Result<wire::RunReportReply, Error> {
    keep_since(daemon, name, None, "")
}

fn keep_since(
    daemon: &Daemon,
    name: &[u8],
    since: Option<&str>,
    kind: &str,
) -> Result<wire::RunReportReply, Error> {
    let options = wire::ReportOptions {
        kind: kind.to_owned(),
        ..wire::ReportOptions::default()
    };
    let (name, since) = (OsStr::from_bytes(name), since.map(OsStr::new));
    daemon.wait(daemon.client.keep_report(name, since, None, options))
}

#[test]
fn a_streamed_report_is_whole_and_written_by_who_asked() {
    let daemon = Daemon::start(&share());
    std::os::unix::fs::symlink("/nowhere", daemon.path("link")).unwrap();
    daemon.sync();
    let (_dir, place) = place();
    let out = place.join("report");
    let saved = daemon
        .wait(
            daemon
                .client
                .download_report(&out, None, wire::ReportOptions::default()),
        )
        .unwrap();
    assert_eq!(saved.summary.groups, Some(1));
    let verified = simdexd::reports::report::verify(&out).unwrap();
    assert_eq!((verified.diffs, verified.manifest), (1, saved.manifest));
    let unread = fs::read_to_string(out.join("unread.jsonl")).unwrap();
    assert!(
        unread.contains("/link\",\"state\":\"skipped\",\"reason\":\"symlink\""),
        "{unread}"
    );
    assert_eq!(names(&place), ["report"]);
    let again = daemon.wait(daemon.client.download_report(
        &out,
        None,
        wire::ReportOptions::default(),
    ));
    assert!(matches!(again, Err(Error::Unwritable { .. })));
    // Nothing is remembered of what the daemon does not have.
    assert!(daemon.wait(daemon.client.reports()).unwrap().is_empty());
}

/// The change that a line tells, and the name of its file.
fn told(line: &str) -> String {
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    let path = line["path"].as_str().unwrap_or("/").rsplit('/').next();
    format!("{} {}", line["change"].as_str().unwrap(), path.unwrap())
}

#[test]
fn two_reports_of_one_who_asked_say_what_changed_between_them() {
    let daemon = Daemon::start(&share());
    let (_dir, place) = place();
    let report = |name: &str| {
        let out = place.join(name);
        let options = wire::ReportOptions::default();
        let saved = daemon.client.download_report(&out, None, options);
        daemon.wait(saved).unwrap().out
    };
    let first = report("first");
    let earlier = || EarlierReport::open(&first.join("manifest.json"));
    let same = earlier().unwrap().write_changes(&first).unwrap();
    assert_eq!(same.totals, Totals::Groups(ChangeTotals::default()));
    fs::rename(daemon.path("old.txt"), daemon.path("moved.txt")).unwrap();
    fs::copy(daemon.path("other.txt"), daemon.path("twin.txt")).unwrap();
    daemon.sync();
    let second = report("second");
    let changes = earlier().unwrap().write_changes(&second).unwrap();
    let right = ChangeTotals {
        groups_new: 1,
        groups_changed: 1,
        files_joined: 3,
        files_left: 1,
        ..ChangeTotals::default()
    };
    assert_eq!(changes.totals, Totals::Groups(right));
    assert_eq!(changes.caveats, []);
    assert_eq!(changes.out, place.join("second.changes.jsonl"));
    let mode = fs::metadata(&changes.out).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let lines = fs::read_to_string(&changes.out).unwrap();
    let told: Vec<_> = lines.lines().map(told).collect();
    let right = [
        "file-joined moved.txt",
        "file-left old.txt",
        "group-new ",
        "file-joined other.txt",
        "file-joined twin.txt",
    ];
    assert_eq!(told, right);
    // It writes over nothing. That is checked before the report is made too.
    assert!(EarlierReport::check_place(&second).is_err());
    let again = earlier().unwrap().write_changes(&second);
    assert!(matches!(again, Err(Error::Unwritable { .. })));
    let right = [
        "first",
        "first.changes.jsonl",
        "second",
        "second.changes.jsonl",
    ];
    assert_eq!(names(&place), right);
    simdexd::reports::report::verify(&second).unwrap();
}

#[test]
fn what_makes_two_reports_differ_is_told_and_what_was_changed_is_refused() {
    let daemon = Daemon::start(&share());
    let (_dir, place) = place();
    let report = |name: &str, threshold| {
        let options = wire::ReportOptions::default();
        let out = place.join(name);
        let saved = daemon.client.download_report(&out, threshold, options);
        daemon.wait(saved).unwrap().out
    };
    let (first, second) = (report("first", None), report("second", Some(0.5)));
    let earlier = || EarlierReport::open(&first);
    // At another threshold groups differ though no file changed.
    let changes = earlier().unwrap().write_changes(&second).unwrap();
    assert_eq!(changes.caveats, [Caveat::Threshold]);
    // What was checked is what is compared with.
    fs::remove_file(&changes.out).unwrap();
    let checked = earlier().unwrap();
    fs::write(first.join("groups.jsonl"), "").unwrap();
    let changed = checked.write_changes(&second);
    assert!(matches!(changed, Err(Error::NoEarlierReport { .. })));
    assert!(matches!(earlier(), Err(Error::NoEarlierReport { .. })));
    // Nobody waits for a pipe.
    let manifest = first.join("manifest.json");
    fs::remove_file(&manifest).unwrap();
    let pipe = Command::new("mkfifo").arg(&manifest).status();
    assert!(pipe.unwrap().success());
    assert!(matches!(earlier(), Err(Error::Unreadable { .. })));
    assert_eq!(names(&place), ["first", "second"]);
}

#[test]
fn a_load_file_has_a_row_per_file_and_unknown_names_leave_nothing() {
    let daemon = Daemon::start(&share());
    daemon.sync();
    let (_dir, place) = place();
    let asked = |format: &str, profile: &str| wire::ReportOptions {
        load_file: Some(wire::LoadFile {
            format: format.to_owned(),
            profile: profile.to_owned(),
            encoding: String::new(),
        }),
        ..wire::ReportOptions::default()
    };
    let saved = |name: &str, options| {
        let out = place.join(name);
        daemon.wait(daemon.client.download_report(&out, None, options))
    };
    saved("csv", asked("csv", "short")).unwrap();
    simdexd::reports::report::verify(&place.join("csv")).unwrap();
    let csv = fs::read_to_string(place.join("csv/load/documents.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv
        .lines()
        .map(|line| line.trim_matches('"').split("\",\"").collect())
        .collect();
    let of = |name: &str| {
        let at = rows[0].iter().position(|known| *known == name).unwrap();
        rows[1..].iter().map(|row| row[at]).collect::<Vec<_>>()
    };
    let paths = ["new.txt", "old.txt", "other.txt"].map(|name| daemon.path(name));
    assert_eq!(
        of("FILEPATH"),
        paths.each_ref().map(|path| path.to_str().unwrap())
    );
    assert_eq!(of("NDPRIN"), ["Y", "N", ""]);
    assert_eq!(of("NDPRINID")[1], of("DOCID")[0]);
    let owner = rustix::process::getuid().as_raw().to_string();
    assert_eq!(of("OWNERID"), [owner.as_str(); 3]);
    for wrong in [asked("opt", ""), asked("csv", "nuix")] {
        assert_eq!(code(&saved("wrong", wrong)), Code::InvalidArgument);
    }
    assert_eq!(names(&place), ["csv"]);
}

#[test]
fn kept_reports_are_listed_in_pages_bounded_and_forgotten_when_removed() {
    let (_dir, place) = place();
    let daemon = Daemon::with(&share(), |config| {
        config.report_dir = Some(place.clone());
        config.store.kept_reports = 6;
    });
    for name in [b"a", b"b", b"c"] {
        keep(&daemon, name).unwrap();
    }
    let refused = keep(&daemon, b"d");
    assert_eq!(code(&refused), Code::ResourceExhausted);
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("as it may (3, half of 6)"), "{said}");
    let listed = |daemon: &Daemon| -> Vec<PathBuf> {
        let reports = daemon.wait(daemon.client.reports()).unwrap();
        let out = |report: wire::Report| PathBuf::from(OsStr::from_bytes(&report.out));
        reports.into_iter().map(out).collect()
    };
    assert_eq!(
        listed(&daemon),
        ["a", "b", "c"].map(|name| place.join(name))
    );
    let mut admin = wire::admin_client::AdminClient::new(daemon.channel());
    let mut page = |after, limit| {
        let request = wire::ListReportsRequest { after, limit };
        let reply = daemon.wait(admin.list_reports(request)).unwrap();
        reply.into_inner()
    };
    let first = page(0, 2);
    assert_eq!((first.reports.len(), first.more), (2, true));
    let last = page(first.reports[1].finished, 2);
    assert_eq!((last.reports.len(), last.more), (1, false));
    fs::remove_dir_all(place.join("b")).unwrap();
    keep(&daemon, b"d").unwrap();
    assert_eq!(
        listed(&daemon),
        ["a", "c", "d"].map(|name| place.join(name))
    );
}

#[test]
fn a_kept_report_says_what_changed_since_another_that_is_kept() {
    let (_dir, place) = place();
    let daemon = Daemon::with(&share(), |config| config.report_dir = Some(place.clone()));
    keep(&daemon, b"first").unwrap();
    fs::rename(daemon.path("old.txt"), daemon.path("moved.txt")).unwrap();
    daemon.sync();
    let kept = keep_since(&daemon, b"second", Some("first"), "").unwrap();
    let second = place.join("second");
    let since = kept.changes.unwrap();
    let file = path_from_bytes(&since.out);
    assert_eq!(file, second.join("changes.jsonl"));
    let counts = ["files_joined", "files_left"].map(|name| since.totals[name]);
    assert_eq!((counts, kept.findings.len()), ([1, 1], 0));
    let doubles = keep_since(&daemon, b"doubles", None, "duplicates").unwrap();
    assert_eq!(doubles.findings["hard_links"], 0);
    assert!(doubles.changes.is_none());
    simdexd::reports::report::verify(&second).unwrap();
    let changes = fs::read_to_string(second.join("changes.jsonl")).unwrap();
    let mut changes: Vec<String> = changes.lines().map(told).collect();
    changes.sort();
    assert_eq!(changes, ["file-joined moved.txt", "file-left old.txt"]);
    // What cannot be compared with leaves nothing, wherever it is.
    let other = place.join("second").display().to_string();
    for (since, kind, right) in [
        ("none", "", Code::FailedPrecondition),
        ("first", "duplicates", Code::FailedPrecondition),
        ("../first", "", Code::InvalidArgument),
        (&other, "", Code::InvalidArgument),
    ] {
        let refused = keep_since(&daemon, b"third", Some(since), kind);
        assert_eq!(code(&refused), right, "{since}");
    }
    assert_eq!(names(&place), ["doubles", "first", "second"]);
}

#[test]
fn a_daemon_without_a_directory_for_reports_writes_none() {
    let daemon = Daemon::start(&share());
    let data = names(&daemon.dir.path().join("data"));
    for name in [&b"report"[..], b"/tmp/report", b"../CLEAN"] {
        assert_eq!(code(&keep(&daemon, name)), Code::FailedPrecondition);
    }
    assert_eq!(names(&daemon.dir.path().join("data")), data);
}

#[test]
fn a_report_is_kept_under_its_name_once_and_remembered() {
    let (_dir, place) = place();
    let daemon = Daemon::with(&share(), |config| config.report_dir = Some(place.clone()));
    let kept = keep(&daemon, b"2026-11").unwrap();
    assert_eq!(kept.summary.unwrap().groups, Some(1));
    let out = place.join("2026-11");
    assert_eq!(kept.out, out.as_os_str().as_bytes());
    assert_eq!(
        simdexd::reports::report::verify(&out).unwrap().manifest,
        kept.manifest
    );
    assert_eq!(code(&keep(&daemon, b"2026-11")), Code::AlreadyExists);
    let remembered = daemon.wait(daemon.client.reports()).unwrap();
    assert_eq!((remembered.len(), remembered[0].groups), (1, 1));
    // It was finished after it was begun, and took all the time until its manifest was written.
    let manifest = fs::read_to_string(out.join("manifest.json")).unwrap();
    let stated = |key: &str| {
        let line = manifest.lines().find(|line| line.contains(key)).unwrap();
        line.split(": ")
            .nth(1)
            .unwrap()
            .trim_matches([',', '"'])
            .to_owned()
    };
    let created: jiff::Timestamp = stated("\"created\"").parse().unwrap();
    let seconds: f64 = stated("\"seconds\"").parse().unwrap();
    let lasted = remembered[0].finished - created.as_microsecond();
    assert!(lasted as f64 >= seconds * 1e6, "{lasted} us, {seconds} s");
}

#[test]
fn no_name_leads_out_of_the_directory_or_tells_what_lies_there() {
    let (_dir, place) = place();
    let daemon = Daemon::with(&share(), |config| config.report_dir = Some(place.clone()));
    let data = daemon.dir.path().join("data");
    let before = names(&data);
    let store = data.join("store/CLEAN");
    let refusals = [
        store.as_os_str().as_bytes(),
        b"/etc/passwd",
        b"/root/secret/x",
        b"/no/such/place",
        b"../x",
        b"..",
        b"a/b",
        b".hidden",
        b"",
    ]
    .map(|name| match keep(&daemon, name) {
        Err(Error::Status { code, message, .. }) => (code, message),
        other => panic!("{other:?}"),
    });
    // One and the same sentence, whether a foreign place is there, forbidden or missing.
    assert!(refusals.iter().all(|refusal| *refusal == refusals[0]));
    assert_eq!(refusals[0].0, Code::InvalidArgument);
    assert!(names(&place).is_empty());
    assert_eq!(names(&data), before);
}

#[test]
fn a_directory_for_reports_in_the_data_directory_or_a_root_is_refused_at_the_start() {
    let daemon = Daemon::start(&share());
    let (_dir, place) = place();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).unwrap();
    for inside in ["data/store", "share"] {
        let mut config = daemon.config.clone();
        let within = daemon.dir.path().join(inside).canonicalize().unwrap();
        // Its own data directory would be locked: it is the other one's that must not be written to.
        config.data_dir = Some(match inside {
            "share" => place.join("data"),
            _ => place.clone(),
        });
        config.socket = Some(place.join("s"));
        config.report_dir = Some(match inside {
            "share" => within,
            _ => {
                fs::create_dir_all(place.join("text/reports")).unwrap();
                place.join("text/reports")
            }
        });
        let refused = daemon.another(config).unwrap_err().to_string();
        assert!(refused.contains("lies in"), "{refused}");
    }
}

/// State and reason of a file below the share.
fn standing(daemon: &Daemon, name: &str) -> (String, String) {
    let file = daemon
        .wait(daemon.client.describe(&daemon.path(name)))
        .unwrap()
        .file
        .unwrap();
    (file.state, file.reason)
}

#[test]
fn every_file_of_every_kind_of_report_is_passed_over_below_a_root() {
    // More groups than one page shows.
    let copies = (0..650_u64).map(|n| (&*format!("copy{n}.txt").leak(), prose(100 + n / 50, 40)));
    let share: Vec<(&'static str, String)> = share().into_iter().chain(copies).collect();
    let daemon = Daemon::start(&share);
    let with_load_file = wire::ReportOptions {
        load_file: Some(wire::LoadFile {
            format: "csv".to_owned(),
            ..wire::LoadFile::default()
        }),
        ..wire::ReportOptions::default()
    };
    let of_duplicates = wire::ReportOptions {
        kind: "duplicates".to_owned(),
        ..wire::ReportOptions::default()
    };
    let mut written = Vec::new();
    for (name, options) in [("groups", with_load_file), ("question", of_duplicates)] {
        let out = daemon.path(name);
        daemon
            .wait(daemon.client.download_report(&out, None, options))
            .unwrap();
        let manifest = fs::read_to_string(out.join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        let files = manifest["files"].as_array().unwrap().iter();
        written.extend(files.map(|file| format!("{name}/{}", file["path"].as_str().unwrap())));
    }
    daemon.sync();
    for name in [
        "groups/load/documents.csv",
        "groups/report-0002.html",
        "question/findings.jsonl",
    ] {
        assert!(written.iter().any(|file| file == name), "{written:?}");
    }
    let own = ("skipped".to_owned(), "own-report".to_owned());
    for file in &written {
        assert_eq!(standing(&daemon, file), own, "{file}");
    }
}

#[test]
fn a_kept_report_of_changes_that_is_copied_below_a_root_is_passed_over() {
    let (_dir, place) = place();
    let daemon = Daemon::with(&share(), |config| config.report_dir = Some(place.clone()));
    keep(&daemon, b"first").unwrap();
    fs::copy(daemon.path("other.txt"), daemon.path("twin.txt")).unwrap();
    daemon.sync();
    keep_since(&daemon, b"second", Some("first"), "").unwrap();
    fs::create_dir(daemon.path("copied")).unwrap();
    for name in ["manifest.json", "changes.jsonl"] {
        let copy = daemon.path("copied").join(name);
        fs::copy(place.join("second").join(name), copy).unwrap();
    }
    daemon.sync();
    let own = ("skipped".to_owned(), "own-report".to_owned());
    for name in ["copied/manifest.json", "copied/changes.jsonl"] {
        assert_eq!(standing(&daemon, name), own, "{name}");
    }
}

#[test]
fn a_report_below_a_root_is_passed_over_as_it_was_written_and_nothing_else_in_it() {
    let daemon = Daemon::start(&share());
    let out = daemon.path("report");
    daemon
        .wait(
            daemon
                .client
                .download_report(&out, None, wire::ReportOptions::default()),
        )
        .unwrap();
    daemon.sync();
    let own = ("skipped".to_owned(), "own-report".to_owned());
    let text = names(&out.join("text")).remove(0);
    let text = format!("report/text/{text}");
    for name in [
        "report/manifest.json",
        "report/report.html",
        "report/groups.jsonl",
        &text,
    ] {
        assert_eq!(standing(&daemon, name), own, "{name}");
    }
    let summary = daemon
        .wait(daemon.client.status())
        .unwrap()
        .summary
        .unwrap();
    assert_eq!(summary.documents, 3, "of the share alone");

    // A file that was slipped in, under a name of reports too, and one that was changed.
    fs::write(out.join("letter.txt"), prose(8, 100)).unwrap();
    fs::write(
        out.join("text").join(format!("{}.txt", "0".repeat(64))),
        prose(9, 100),
    )
    .unwrap();
    fs::write(out.join("groups.jsonl"), prose(10, 100)).unwrap();
    daemon.sync();
    let hidden = format!("report/text/{}.txt", "0".repeat(64));
    for name in ["report/letter.txt", &hidden, "report/groups.jsonl"] {
        assert_eq!(standing(&daemon, name).0, "indexed", "{name}");
    }
    assert_eq!(standing(&daemon, &text), own);

    // A manifest that this daemon did not write names nothing.
    let manifest = fs::read_to_string(out.join("manifest.json")).unwrap();
    let forged = manifest.replace("\"threshold\": 0.8", "\"threshold\": 0.7");
    assert_ne!(forged, manifest);
    fs::write(out.join("manifest.json"), forged).unwrap();
    daemon.sync();
    for name in ["report/manifest.json", "report/report.html", &text] {
        assert_ne!(standing(&daemon, name).0, "skipped", "{name}");
    }
}
